// Forward mode: tangents of expressions, and of arrays by equations of the same loops.
#include "base/Budget.h"
#include "sym/derivatives/Derivative.h"

#include <stdexcept>

namespace lmc::sym {

bool Tangent::active(const Array* a) {
  if (seeds_.contains(a)) return true;
  const auto it = active_.find(a);
  if (it != active_.end()) return it->second;
  checkStack();
  active_[a] = false; // an array that reads itself is active only through others
  for (const std::size_t k : p_.writers(a)) {
    for (const Array* r : p_.reads(k)) {
      if (r != a && active(r)) {
        active_[a] = true;
        return true;
      }
    }
  }
  return false;
}

Expr Tangent::of(Expr e) {
  visitPostOrder({e}, [&](const Node& n) {
    if (!memo_.contains(&n)) {
      const Expr d = compute(n); // may recurse into of() for other arrays
      memo_[&n] = d;
    }
  });
  const Expr d = memo_.at(e.node());
  return d ? d : p_.graph().zero(e->shape);
}

/// The tangent, or an empty Expr where it vanishes.
Expr Tangent::compute(const Node& n) {
  if (n.op == Op::Load) return load(n);
  if (n.type != Type::Real) return {};
  bool any = false;
  for (const Expr& a : n.args) any = any || memo_.at(a.node());
  if (!any) return {};
  std::vector<Expr> changes;
  for (const Expr& a : n.args) {
    const Expr t = memo_.at(a.node());
    changes.push_back(t ? t : p_.graph().zero(a->shape));
  }
  const Expr d = change(p_.graph(), n, changes);
  return d && !d->isZero() ? d : Expr();
}

Expr Tangent::load(const Node& n) {
  if (n.type != Type::Real) return {};
  const auto s = seeds_.find(n.array);
  if (s != seeds_.end()) {
    const Expr d = s->second(n.args);
    return d && !d->isZero() ? d : Expr();
  }
  if (!active(n.array)) return {};
  const Array* t = tangentArray(n.array);
  if (t == nullptr) return {};
  std::vector<Expr> index;
  for (const Loop& l : prefix_) index.push_back(l.index);
  index.insert(index.end(), n.args.begin(), n.args.end());
  return p_.graph().load(t, index);
}

const Array* Tangent::tangentArray(const Array* a) {
  const auto it = arrays_.find(a);
  if (it != arrays_.end()) return it->second;
  checkStack();
  std::vector<std::int64_t> extents;
  for (const Loop& l : prefix_) extents.push_back(constantInt(l.hi));
  extents.insert(extents.end(), a->extents.begin(), a->extents.end());
  const Array* t = p_.graph().newArray(a->name + "'", extents, a->shape, Role::Temp);
  arrays_[a] = t;
  bool written = false;
  const std::vector<std::size_t> writers = p_.writers(a);
  for (const std::size_t k : writers) {
    const Equation source = p_.equations()[k];
    if (source.kind == EquationKind::LinearSolve) {
      linearSolve(source, t);
      written = true;
      continue;
    }
    if (source.kind == EquationKind::Series) throw std::logic_error("derivatives of series are refused before");
    if (source.kind == EquationKind::Newton) {
      written = newton(source, t) || written;
      continue;
    }
    Equation e = source;
    e.array = t;
    e.value = of(source.value);
    if (source.kind == EquationKind::Accumulate && e.value->isZero()) continue;
    e.loops.insert(e.loops.begin(), prefix_.begin(), prefix_.end());
    std::vector<Expr> index;
    for (const Loop& l : prefix_) index.push_back(l.index);
    e.index.insert(e.index.begin(), index.begin(), index.end());
    p_.append(std::move(e));
    written = true;
  }
  if (!written) arrays_[a] = nullptr;
  return arrays_[a];
}

/// Rules for all operations. Long because it has one case an operation.
Expr change(Graph& g, const Node& n, const std::vector<Expr>& changes) {
  const Expr self(&n);
  const auto a = [&](std::size_t k) { return n.args[k]; };
  const auto d = [&](std::size_t k) { return changes[k]; };
  switch (n.op) {
  case Op::Add: {
    std::vector<Expr> terms;
    for (std::size_t k = 0; k < n.args.size(); ++k) terms.push_back(d(k));
    return g.sum(terms, n.shape);
  }
  case Op::Mul:
    return g.add(g.mul(d(0), a(1)), g.mul(a(0), d(1)));
  case Op::Select:
    return g.select(a(0), d(1), d(2));
  case Op::MatMul:
    return g.add(g.matmul(d(0), a(1)), g.matmul(a(0), d(1)));
  case Op::Transpose:
    return g.transpose(d(0));
  case Op::Inner:
    return g.add(g.inner(d(0), a(1)), g.inner(a(0), d(1)));
  case Op::Cross:
    return g.add(g.cross(d(0), a(1)), g.cross(a(0), d(1)));
  case Op::Hat:
    return g.hat(d(0));
  case Op::Unhat:
    return g.unhat(d(0));
  case Op::Outer:
    return g.add(g.outer(d(0), a(1)), g.outer(a(0), d(1)));
  case Op::Trace:
    return g.trace(d(0));
  case Op::Det:
    return g.mul(self, g.inner(g.transpose(g.inverse(a(0))), d(0)));
  case Op::Inverse:
    return g.neg(g.matmul(g.matmul(self, d(0)), self));
  case Op::Exponential:
    return exponentialDerivative(g, a(0), d(0));
  case Op::Solve:
    return g.solve(a(0), g.sub(d(1), g.matmul(d(0), self)), static_cast<Definite>(n.imm));
  case Op::Component:
    return n.args.size() == 2 ? g.component(d(0), a(1)) : g.component(d(0), a(1), a(2));
  case Op::Vector:
  case Op::Matrix: {
    std::vector<Expr> entries;
    for (std::size_t k = 0; k < n.args.size(); ++k) entries.push_back(d(k));
    return n.op == Op::Vector ? g.vector(entries) : g.matrix(n.shape.rows, n.shape.cols, entries);
  }
  case Op::Diag:
    return g.diag(d(0));
  case Op::DiagOf:
    return g.diagOf(d(0));
  case Op::Div:
    return g.div(g.sub(d(0), g.mul(self, d(1))), a(1));
  case Op::Pow: {
    const Expr base = g.mul(g.mul(a(1), g.pow(a(0), g.sub(a(1), g.number(1)))), d(0));
    if (d(1)->isZero()) return base;
    return g.add(base, g.mul(g.mul(self, g.function(Op::Log, a(0))), d(1)));
  }
  case Op::Atan2: {
    const Expr r2 = g.add(g.mul(a(0), a(0)), g.mul(a(1), a(1)));
    return g.div(g.sub(g.mul(a(1), d(0)), g.mul(a(0), d(1))), r2);
  }
  case Op::Min:
    return g.select(g.compare(Op::Le, a(0), a(1)), d(0), d(1));
  case Op::Max:
    return g.select(g.compare(Op::Le, a(0), a(1)), d(1), d(0));
  default:
    return g.mul(scalarDerivative(g, n), d(0));
  }
}

Expr exponentialDerivative(Graph& g, Expr a, Expr change) {
  const int n = a->shape.rows;
  if (change->isZero()) return g.zero(a->shape);
  std::vector<Expr> block;
  for (int i = 0; i < 2 * n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const bool below = i >= n;
      const bool right = j >= n;
      const Expr zero = g.number(0);
      block.push_back(below == right ? g.entry(a, i % n, j % n) : right ? g.entry(change, i, j - n) : zero);
    }
  }
  const Expr both = g.exponential(g.matrix(2 * n, 2 * n, block));
  std::vector<Expr> corner;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) corner.push_back(g.entry(both, i, n + j));
  }
  return g.matrix(n, n, corner);
}

Expr scalarDerivative(Graph& g, const Node& n) {
  const Expr self(&n);
  const Expr a = n.args[0];
  const Expr one = g.number(1);
  const auto square = [&](Expr x) { return g.mul(x, x); };
  switch (n.op) {
#define LMC_FUNCTION(op, name, word, derivative)                                                                       \
  case Op::op:                                                                                                         \
    return derivative;
#include "sym/functions/Functions.def"
  case Op::PowInt:
    return g.scale(n.imm, g.powInt(a, n.imm - 1));
  case Op::Stumpff: {
    // c_k' = (k c_{k+2} - c_{k+1})/2
    const int k = static_cast<int>(n.imm);
    return g.scale(Number::ratio(1, 2), g.sub(g.scale(k, g.stumpff(k + 2, a)), g.stumpff(k + 1, a)));
  }
  default:
    throw std::logic_error("no derivative of this operation");
  }
}

} // namespace lmc::sym
