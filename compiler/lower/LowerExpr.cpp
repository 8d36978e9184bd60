// Expressions to scalars.
#include "lower/LowerContext.h"

#include <algorithm>
#include <stdexcept>

namespace lmc::lower {

using sym::Expr;
using sym::Node;
using sym::Op;

namespace {
tape::Op scalarFunction(Op op) {
  switch (op) {
#define LMC_FUNCTION(op, ...)                                                                                          \
  case Op::op:                                                                                                         \
    return tape::Op::op;
#include "sym/functions/Functions.def"
  case Op::Atan2:
    return tape::Op::Atan2;
  case Op::Min:
    return tape::Op::Min;
  case Op::Max:
    return tape::Op::Max;
  case Op::Pow:
    return tape::Op::Pow;
  default:
    throw std::logic_error("an operation without a scalar form");
  }
}
} // namespace

bool ExpressionLowering::usable(const std::vector<Scalar>& v) {
  for (const Scalar& x : v) {
    if (!s_.visible(x)) return false;
  }
  return true;
}

std::vector<Scalar> ExpressionLowering::lower(Expr root) {
  root_ = root;
  // In post-order; not below what is known already, of which there is most: roots share subexpressions.
  struct Frame {
    const Node* node;
    std::size_t next; ///< of what it needs: those before are known
  };
  std::vector<Frame> open;
  if (known(root) == nullptr) open.push_back({root.node(), 0});
  while (!open.empty()) {
    Frame& f = open.back();
    const Node& n = *f.node;
    const std::span<const Expr> needed = neededArguments(n);
    if (n.op == Op::Select) f.next = 0; // it needs others by now
    while (f.next < needed.size() && known(needed[f.next]) != nullptr) ++f.next;
    if (f.next < needed.size()) {
      open.push_back({needed[f.next].node(), 0});
      continue;
    }
    (n.indexed ? indexed_ : free_).set(n, compute(n));
    open.pop_back();
  }
  return value(root);
}

/// What is lowered before a node: of a choice that is decided by now, only the branch that is taken.
std::span<const Expr> ExpressionLowering::neededArguments(const Node& n) {
  const std::span<const Expr> all(n.args);
  if (n.op != Op::Select) return all;
  const std::vector<Scalar>* const condition = known(n.args[0]);
  if (condition == nullptr) return all.first(1);
  const auto chosen = s_.constantInt(condition->front());
  return chosen ? all.subspan(*chosen != 0 ? 1 : 2, 1) : all;
}

const std::vector<Scalar>& ExpressionLowering::value(Expr e) {
  const std::vector<Scalar>* const v = (e->indexed ? indexed_ : free_).find(*e);
  if (v == nullptr) throw std::logic_error("an expression whose parts have not been lowered");
  return *v;
}

/// Long because it has one case an operation.
std::vector<Scalar> ExpressionLowering::compute(const Node& n) {
  switch (n.op) {
  case Op::Const:
    if (n.type == sym::Type::Int) return {s_.integer(n.number.num())};
    if (n.type == sym::Type::Bool) return {s_.boolean(!n.number.isZero())};
    return {s_.real(n.number.value())};
  case Op::Zero:
    return std::vector<Scalar>(static_cast<std::size_t>(n.shape.size()), s_.real(0));
  case Op::Identity: {
    std::vector<Scalar> r;
    for (int i = 0; i < n.shape.rows; ++i) {
      for (int j = 0; j < n.shape.cols; ++j) r.push_back(s_.real(i == j ? 1 : 0));
    }
    return r;
  }
  case Op::Basis: {
    const Scalar index = value(n.args[0])[0];
    std::vector<Scalar> r;
    for (int i = 1; i <= n.shape.rows; ++i) {
      const Scalar here = compare(Op::Eq, sym::Type::Int, index, s_.integer(i));
      r.push_back(s_.select(here, s_.real(1), s_.real(0)));
    }
    return r;
  }
  case Op::Index: {
    const auto it = indices_.find(&n);
    if (it == indices_.end()) throw std::logic_error("a loop index outside of its loop");
    return {it->second};
  }
  case Op::Load:
    return load(n);
  case Op::Select: {
    const Scalar c = value(n.args[0])[0];
    if (const auto chosen = s_.constantInt(c)) return value(n.args[*chosen != 0 ? 1 : 2]);
    const auto& a = value(n.args[1]);
    const auto& b = value(n.args[2]);
    std::vector<Scalar> r;
    for (std::size_t k = 0; k < a.size(); ++k) r.push_back(s_.select(c, a[k], b[k]));
    return r;
  }
  case Op::Lt:
  case Op::Le:
  case Op::Eq:
  case Op::Ne: {
    const bool ints = n.args[0]->type == sym::Type::Int && n.args[1]->type == sym::Type::Int;
    return {compare(n.op, ints ? sym::Type::Int : sym::Type::Real, value(n.args[0])[0], value(n.args[1])[0])};
  }
  case Op::And:
    return {s_.pure(tape::Op::And, tape::Type::Bool, {value(n.args[0])[0], value(n.args[1])[0]})};
  case Op::Or:
    return {s_.pure(tape::Op::Or, tape::Type::Bool, {value(n.args[0])[0], value(n.args[1])[0]})};
  case Op::Not:
    return {s_.pure(tape::Op::Not, tape::Type::Bool, {value(n.args[0])[0]})};
  case Op::ToReal:
    return {s_.pure(tape::Op::IntToReal, tape::Type::Real, {value(n.args[0])[0]})};
  case Op::FloorToInt:
    return {s_.pure(tape::Op::FloorToInt, tape::Type::Int, {value(n.args[0])[0]})};
  default:
    break;
  }
  if (n.type == sym::Type::Int && n.op != Op::Component) return integerOp(n);
  if (auto product = byReciprocals(n)) return *std::move(product);
  if (n.op == Op::Add) {
    std::vector<Scalar> r = value(n.args[0]);
    for (std::size_t a = 1; a < n.args.size(); ++a) {
      const auto& t = value(n.args[a]);
      for (std::size_t k = 0; k < r.size(); ++k) r[k] = s_.add(r[k], t[k]);
    }
    return r;
  }
  if (n.op == Op::Mul) return scaled(n);
  if (n.shape.rank == 0 && !n.args.empty() && n.args[0]->shape.rank == 0) return scalarOp(n);
  return tensorOp(n);
}

namespace {
void collectFactors(Expr e, std::vector<Expr>& fixed, std::vector<Expr>& varying) {
  if (e->op == Op::Mul && e->shape.rank == 0 && !isFixed(e)) {
    collectFactors(e->args[0], fixed, varying);
    collectFactors(e->args[1], fixed, varying);
  } else {
    (isFixed(e) ? fixed : varying).push_back(e);
  }
}
} // namespace

/// A product of scalars and at most one tensor. Fixed factors are multiplied with each other first: that costs nothing
/// in a loop over steps, and what varies waits for one product only.
std::vector<Scalar> ExpressionLowering::scaled(const Node& n) {
  std::vector<Expr> fixed;
  std::vector<Expr> varying;
  Expr tensor(&n);
  for (; tensor->op == Op::Mul && tensor->shape.rank > 0; tensor = tensor->args[1]) {
    collectFactors(tensor->args[0], fixed, varying);
  }
  if (n.shape.rank == 0) {
    for (const Expr& e : n.args) collectFactors(e, fixed, varying);
    tensor = {};
  }
  Scalar c = s_.real(1);
  for (const Expr& e : fixed) c = s_.mul(c, value(e)[0]);
  Scalar v = s_.real(1);
  for (const Expr& e : varying) v = s_.mul(v, value(e)[0]);
  c = s_.mul(c, v);
  if (!tensor) return {c};
  std::vector<Scalar> r;
  for (const Scalar& x : value(tensor)) r.push_back(s_.mul(c, x));
  return r;
}

Scalar ExpressionLowering::compare(Op op, sym::Type operands, Scalar a, Scalar b) {
  const bool ints = operands == sym::Type::Int;
  const auto pick = [&] {
    switch (op) {
    case Op::Lt:
      return ints ? tape::Op::ILt : tape::Op::Lt;
    case Op::Le:
      return ints ? tape::Op::ILe : tape::Op::Le;
    case Op::Eq:
      return ints ? tape::Op::IEq : tape::Op::Eq;
    default:
      return ints ? tape::Op::INe : tape::Op::Ne;
    }
  };
  return s_.pure(pick(), tape::Type::Bool, {a, b});
}

std::vector<Scalar> ExpressionLowering::integerOp(const Node& n) {
  const auto reduce = [&](tape::Op op) {
    Scalar r = value(n.args[0])[0];
    for (std::size_t k = 1; k < n.args.size(); ++k) {
      r = s_.pure(op, tape::Type::Int, {r, value(n.args[k])[0]});
    }
    return std::vector<Scalar>{r};
  };
  switch (n.op) {
  case Op::Add:
    return reduce(tape::Op::IAdd);
  case Op::Mul:
    return reduce(tape::Op::IMul);
  case Op::Min:
    return reduce(tape::Op::IMin);
  case Op::Max:
    return reduce(tape::Op::IMax);
  case Op::IDiv:
    return reduce(tape::Op::IDiv);
  case Op::IMod:
    return reduce(tape::Op::IMod);
  case Op::Abs:
    return {s_.pure(tape::Op::IAbs, tape::Type::Int, {value(n.args[0])[0]})};
  default:
    throw std::logic_error("an integer operation without a scalar form");
  }
}

std::vector<Scalar> ExpressionLowering::scalarOp(const Node& n) {
  std::vector<Scalar> args;
  for (const Expr& a : n.args) {
    Scalar x = value(a)[0];
    if (a->type == sym::Type::Int) x = s_.pure(tape::Op::IntToReal, tape::Type::Real, {x});
    args.push_back(x);
  }
  switch (n.op) {
  case Op::Sqrt:
    if (const auto norm = length(n.args[0])) return {*norm};
    return {s_.pure(tape::Op::Sqrt, tape::Type::Real, args)};
  case Op::Div:
    // a reciprocal that a run needs once, where steps would divide again and again
    if (!careful && args[1].setup && !args[0].setup) return {s_.mul(args[0], s_.div(s_.real(1), args[1]))};
    return {s_.div(args[0], args[1])};
  case Op::PowInt:
    return {s_.powInt(args[0], n.imm)};
  case Op::Stumpff:
    if (const auto doubled = doubledStumpff(n)) return {*doubled};
    return {s_.pure(tape::Op::Stumpff, tape::Type::Real, args, n.imm)};
  case Op::Inner:
    return {s_.mul(args[0], args[1])};
  default:
    return {s_.pure(scalarFunction(n.op), tape::Type::Real, args)};
  }
}

// --- arrays ---------------------------------------------------------------------------------------------------

int ExpressionLowering::scratch(const std::string& name, std::int64_t size) {
  const auto role = s_.inSetup() ? runtime::Role::Constants : runtime::Role::Work;
  module_.buffers.push_back({name, role, module_.roleSize[static_cast<int>(role)], size});
  module_.roleSize[static_cast<int>(role)] += size;
  return static_cast<int>(module_.buffers.size()) - 1;
}

Scalar ExpressionLowering::position(const sym::Array* a, const std::vector<Scalar>& index) {
  // Nearly all positions are constant: they need no instructions that would fold away.
  std::int64_t known = 0;
  std::size_t constants = 0;
  for (; constants < index.size(); ++constants) {
    const auto i = s_.constantInt(index[constants]);
    if (!i) break;
    known = known * a->extents[constants] + *i - 1;
  }
  if (constants == index.size()) return s_.integer(known);
  Scalar position = s_.integer(0);
  for (std::size_t d = 0; d < index.size(); ++d) {
    const Scalar zeroBased = s_.pure(tape::Op::ISub, tape::Type::Int, {index[d], s_.integer(1)});
    position = s_.pure(tape::Op::IMul, tape::Type::Int, {position, s_.integer(a->extents[d])});
    position = s_.pure(tape::Op::IAdd, tape::Type::Int, {position, zeroBased});
  }
  return position;
}

Scalar ExpressionLowering::entry(const sym::Array* a, const Place& p, Scalar position, std::size_t k) {
  const std::int64_t first = static_cast<std::int64_t>(k) * (p.separate ? entryDistance(*a) : 1);
  if (const auto known = s_.constantInt(position))
    return s_.integer(*known * (p.separate ? 1 : a->shape.size()) + first);
  const Scalar element =
      p.separate ? position : s_.pure(tape::Op::IMul, tape::Type::Int, {position, s_.integer(a->shape.size())});
  return s_.pure(tape::Op::IAdd, tape::Type::Int, {element, s_.integer(first)});
}

std::optional<Scalar> ExpressionLowering::remembered(const Place& p, Scalar at) {
  const auto known = p.registers.empty() ? std::nullopt : s_.constantInt(at);
  if (!known) return std::nullopt;
  const Scalar x = p.registers[static_cast<std::size_t>(*known)];
  if (x.id == tape::none || !s_.visible(x)) return std::nullopt;
  const bool kept = p.setup && !s_.inSetup() && !s_.constant(x); // it stands in Constants: no second place there
  return kept ? std::nullopt : std::optional(x);
}

void ExpressionLowering::writeRemembered(Place& p, Scalar at, Scalar v, bool sum, bool branch) {
  Scalar& known = p.registers[static_cast<std::size_t>(s_.constantInt(at).value())];
  if (sum && s_.isZero(v)) return;
  const bool inMemory = sum && (branch || known.id == tape::none || !s_.visible(known));
  if (inMemory) {
    s_.builder().accumulate(p.buffer, s_.local(at), s_.local(v));
  } else {
    if (sum) v = s_.add(known, v);
    s_.builder().store(p.buffer, s_.local(at), s_.local(v));
  }
  known = inMemory || branch ? Scalar{} : v;
}

std::vector<Scalar> ExpressionLowering::load(const Node& n) {
  const auto it = places.find(n.array);
  if (it == places.end()) throw std::logic_error("array `" + n.array->name + "` has no place");
  const Place& p = it->second;
  const auto size = static_cast<std::size_t>(n.shape.size());
  if (p.argument >= 0) {
    Builder& b = s_.builder();
    return {{b.argument(p.argument), s_.inSetup()}};
  }
  if (p.storage == ArrayStorage::Contracted) return p.current;
  std::vector<Scalar> index;
  for (const Expr& a : n.args) index.push_back(value(a)[0]);
  const Scalar element = position(n.array, index);
  if (p.storage == ArrayStorage::Registers) {
    const auto first = s_.constantInt(entry(n.array, p, element, 0));
    if (!first) throw std::logic_error("array `" + n.array->name + "` is in registers but its index varies");
    const auto begin = p.registers.begin() + *first;
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
  // A constant place in Params is read by setup, so that what follows from it is computed once per run.
  const auto role = module_.buffers[p.buffer].role;
  const bool hoisted =
      element.setup && s_.constantInt(element) && ((role == runtime::Role::Params && !p.live) || p.setup);
  const bool pinned = writing.contains(n.array);
  std::vector<Scalar> r;
  for (std::size_t k = 0; k < size; ++k) {
    if (!p.zeros.empty() && p.zeros[k]) {
      r.push_back(s_.real(0));
      continue;
    }
    const Scalar at = entry(n.array, p, element, k);
    if (const auto x = remembered(p, at)) {
      r.push_back(*x);
      continue;
    }
    if (hoisted && !s_.inSetup() && at.setup) {
      s_.enterSetup();
      const Scalar v{s_.builder().load(p.buffer, at.id, false), true};
      s_.leaveSetup();
      s_.noteParameterLoad(v.id, p.buffer, s_.constantInt(at).value());
      r.push_back(v);
      continue;
    }
    const Scalar v{s_.builder().load(p.buffer, s_.local(at), pinned, p.depth), s_.inSetup()};
    r.push_back(v);
  }
  return r;
}

} // namespace lmc::lower
