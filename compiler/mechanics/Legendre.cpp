#include "mechanics/Legendre.h"

#include "mechanics/Cotangent.h"
#include "mechanics/system/Equations.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace lmc::mechanics {

using sym::Expr;

namespace {

/// Inverts velocities of one factor, which are affine functions of its momenta.
class Inverse {
public:
  Inverse(Layer& layer, std::size_t factor)
      : layer_(layer), f_(layer.model.factors[factor]), e_(layer.system.factors[factor]), p_(layer.program()),
        g_(p_.graph()) {}

  /// The momenta that have velocities xi.
  std::optional<sema::Tuple> of(const sema::Tuple& xi) {
    sema::Tuple rate;
    for (const Expr& e : e_.rate) rate.push_back(writtenOut(e));
    if (!dependsOnOwnAlone(rate)) return std::nullopt;
    sema::Tuple mu;
    for (std::size_t part = 0; part < rate.size(); ++part) {
      momentum_ = f_.velocity[part];
      const Expr own = inverted(rate[part], xi[part]);
      if (!own) return byMatrix(rate, xi);
      mu.push_back(own);
    }
    return mu;
  }

private:
  /// With single values that depend on momenta, written as expressions of these.
  Expr writtenOut(Expr e) {
    sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      if (n.op != sym::Op::Load || !n.args.empty() || isMomentum(n.array)) return {};
      const auto& writers = p_.writers(n.array);
      if (writers.size() != 1 || !readsMomenta(n.array)) return {};
      const sym::Equation& q = p_.equation(writers[0]);
      const bool plain = q.kind == sym::EquationKind::Set && q.loops.empty() && !q.guard;
      return plain ? writtenOut(q.value) : Expr();
    });
    return substitution(e);
  }

  [[nodiscard]] bool isMomentum(const sym::Array* a) const {
    return std::any_of(layer_.model.factors.begin(), layer_.model.factors.end(), [&](const sema::Factor& f) {
      return std::find(f.velocity.begin(), f.velocity.end(), a) != f.velocity.end();
    });
  }

  [[nodiscard]] bool readsMomenta(const sym::Array* a) const {
    const auto slice = p_.slice({a});
    return std::any_of(slice.begin(), slice.end(), [&](std::size_t k) {
      const auto& read = p_.reads(k);
      return std::any_of(read.begin(), read.end(), [&](const sym::Array* b) { return isMomentum(b); });
    });
  }

  /// Momenta of its own member, and nothing else that depends on momenta.
  [[nodiscard]] bool dependsOnOwnAlone(const sema::Tuple& rate) const {
    return std::none_of(rate.begin(), rate.end(), [&](Expr e) {
      return sym::contains(e, [&](const sym::Node& n) {
        if (n.op != sym::Op::Load) return false;
        if (!isMomentum(n.array)) return readsMomenta(n.array);
        return std::find(f_.velocity.begin(), f_.velocity.end(), n.array) == f_.velocity.end() || n.args != e_.index;
      });
    });
  }

  [[nodiscard]] bool reads(Expr e) const {
    return sym::contains(e, [&](const sym::Node& n) {
      return n.op == sym::Op::Load && std::find(f_.velocity.begin(), f_.velocity.end(), n.array) != f_.velocity.end();
    });
  }

  /// Whether a slope may vanish somewhere, though it does not at the begin: it depends on more than parameters.
  [[nodiscard]] bool mayVanish(Expr e) const {
    const auto varies = [](const sym::Array* a) { return a->role != sym::Role::Param && a->role != sym::Role::Temp; };
    std::unordered_set<const sym::Array*> seen = sym::reads(e);
    for (const std::size_t k : p_.slice({}, {e})) seen.merge(sym::reads(p_.equation(k)));
    return std::any_of(seen.begin(), seen.end(), varies);
  }

  /// mu with e(mu) = value, where e is a chain of maps that can be inverted one by one; else empty.
  Expr inverted(Expr e, Expr value) {
    switch (e->op) {
    case sym::Op::Load:
      return e->array == momentum_ ? value : Expr();
    case sym::Op::Mul:
      if (reads(e->args[0]) || mayVanish(e->args[0])) return {};
      return inverted(e->args[1], g_.div(value, e->args[0]));
    case sym::Op::MatMul: {
      if (reads(e->args[0])) return {};
      const Expr quotient = divided(e->args[0], value);
      return quotient ? inverted(e->args[1], quotient) : Expr();
    }
    case sym::Op::Add:
      return invertedSum(e, value);
    default:
      return {};
    }
  }

  /// Of A x + B x + c with one x: its value is (A + B)^-1 (value - c).
  Expr invertedSum(Expr e, Expr value) {
    Expr x;
    std::vector<Expr> matrices;
    for (const Expr& term : e->args) {
      if (!reads(term)) {
        value = g_.sub(value, term);
        continue;
      }
      Expr factor = g_.number(1), map = term;
      if (map->op == sym::Op::Mul && !reads(map->args[0])) factor = map->args[0], map = map->args[1];
      const bool product = map->op == sym::Op::MatMul && !reads(map->args[0]);
      const Expr argument = product ? map->args[1] : map;
      if (x && !(x == argument)) return {};
      x = argument;
      if (x->shape.rank != 1) return {};
      matrices.push_back(g_.mul(factor, product ? map->args[0] : g_.identity(x->shape.rows)));
    }
    if (!x) return {};
    const Expr quotient = divided(g_.sum(matrices, matrices[0]->shape), value);
    return quotient ? inverted(x, quotient) : Expr();
  }

  /// A^-1 value; empty where A may become singular.
  Expr divided(Expr a, Expr value) {
    if (isOrthogonal(a)) return g_.matmul(g_.transpose(a), value);
    if (a->op == sym::Op::Inverse) return g_.matmul(a->args[0], value);
    return mayVanish(a) ? Expr() : g_.solve(a, value, false);
  }

  /// A^T A = 1 by what holds on the manifold.
  bool isOrthogonal(Expr a) {
    if (a->shape.rows != a->shape.cols) return false;
    const Expr t = g_.transpose(a);
    return layer_.simplify(g_.matmul(t, a))->op == sym::Op::Identity ||
           layer_.simplify(g_.matmul(a, t))->op == sym::Op::Identity;
  }

  /// By a linear system for all numbers of the factor.
  std::optional<sema::Tuple> byMatrix(const sema::Tuple& rate, const sema::Tuple& xi) {
    const std::vector<sema::Part>& parts = f_.manifold->algebra();
    const int n = f_.manifold->algebraSize();
    const auto mu = sema::dummies(g_, parts, "mu");
    sema::Tuple open; // of momenta that can be differentiated by, in the place of a member's
    for (const Expr& e : rate) {
      sym::Substitution substitution(g_, [&](const sym::Node& node, const std::vector<Expr>&) -> Expr {
        if (node.op != sym::Op::Load) return {};
        const auto own = std::find(f_.velocity.begin(), f_.velocity.end(), node.array);
        if (own == f_.velocity.end()) return {};
        return g_.load(mu[static_cast<std::size_t>(own - f_.velocity.begin())]);
      });
      open.push_back(substitution(e));
    }
    const sema::Tuple zero = sema::zero(g_, parts);
    std::vector<std::vector<Expr>> columns;
    for (int k = 0; k < n; ++k) {
      const sema::Tuple slope = sema::directional(p_, open, mu, sema::unit(g_, parts, k), sema::loads(g_, mu, {}));
      const bool constant = std::none_of(slope.begin(), slope.end(), [&](Expr e) {
        return sym::contains(e, [&](const sym::Node& m) {
          return m.op == sym::Op::Load && std::find(mu.begin(), mu.end(), m.array) != mu.end();
        });
      });
      if (!constant) return std::nullopt;
      columns.push_back(sema::entries(g_, slope));
    }
    std::vector<Expr> matrix;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) matrix.push_back(columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]);
    if (std::any_of(matrix.begin(), matrix.end(), [this](Expr e) { return mayVanish(e); })) return std::nullopt;
    const sema::Tuple rest = sema::sub(g_, xi, sema::replaceArrays(g_, open, mu, zero));
    const Expr x = g_.solve(g_.matrix(n, n, matrix), g_.vector(sema::entries(g_, rest)), false);
    std::vector<Expr> list;
    list.reserve(n);
    for (int k = 0; k < n; ++k) list.push_back(g_.entry(x, k));
    return sema::fromEntries(g_, parts, list);
  }

  Layer& layer_;
  const sema::Factor& f_;
  const FactorEquations& e_;
  sym::Program& p_;
  sym::Graph& g_;
  const sym::Array* momentum_ = nullptr; ///< that an expression is inverted for
};

/// An expression in which others stand in the place of some of its parts.
Expr withParts(sym::Graph& g, Expr e, std::unordered_map<const sym::Node*, Expr>& known) {
  if (const auto found = known.find(e.node()); found != known.end()) return found->second;
  std::vector<Expr> args;
  bool changed = false;
  for (const Expr& a : e->args) {
    args.push_back(withParts(g, a, known));
    changed = changed || !(args.back() == a);
  }
  return known[e.node()] = changed ? g.rebuild(*e, args) : e;
}

} // namespace

std::optional<MomentaOfVelocities> momentaOfVelocities(Layer& layer) {
  const sema::Model& m = layer.model;
  MomentaOfVelocities result;
  if (m.lagrangian) {
    for (const sema::Factor& f : m.factors) result.velocity.push_back(f.velocity);
    result.momentum = momentumArrays(layer);
    return result;
  }
  sym::Program& p = layer.program();
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    sema::ArrayTuple velocity;
    for (const sym::Array* a : f.velocity)
      velocity.push_back(p.graph().newArray("xi(" + a->name + ")", a->extents, a->shape, sym::Role::Temp));
    const std::vector<Expr>& index = layer.system.factors[k].index;
    const auto momentum = Inverse(layer, k).of(sema::loads(p.graph(), velocity, index));
    if (!momentum) return std::nullopt;
    result.momentum.push_back(defineParts(p, "mu(" + f.name + ")", f.manifold->algebra(), f.extent, index, *momentum));
    std::unordered_map<const sym::Node*, Expr> rates;
    const FactorEquations& e = layer.system.factors[k];
    for (std::size_t part = 0; part < velocity.size(); ++part)
      rates[e.rate[part].node()] = p.graph().load(velocity[part], index);
    sema::Tuple force;
    for (const Expr& part : e.force) force.push_back(withParts(p.graph(), part, rates));
    result.force.push_back(defineParts(p, "f(" + f.velocityName + ")", f.manifold->algebra(), f.extent, index, force));
    result.velocity.push_back(std::move(velocity));
  }
  return result;
}

} // namespace lmc::mechanics
