// Words of methods on `lagrangian` for the constraints of a model.
#include "mechanics/constraints/Saddle.h"
#include "mechanics/constraints/Sparse.h"
#include "methods/kinds/LagrangianKind.h"
#include "methods/solve/Shortest.h"

#include <fmt/format.h>

namespace lmc::methods {

sema::Value LagrangianKind::hold(const sema::Value& v, const std::string& name) {
  if (v.kind != sema::ValueKind::PhaseVector) return ConfigurationKind::hold(v, name);
  return valueOf(v.kind, load(g_, multipliers_, store(p_, multipliers_, v.parts, name)));
}

std::optional<Space> LagrangianKind::space(const sema::Value& v) const {
  if (v.kind == sema::ValueKind::PhaseVector) return multipliers_;
  return ConfigurationKind::space(v);
}

sema::Value LagrangianKind::multipliers(Expr value) const {
  return valueOf(sema::ValueKind::PhaseVector, {value});
}

LagrangianKind::Expr LagrangianKind::rowsAt(const Place& place, const sym::Array* rows, Expr row) {
  const Copy copy = copyAt(place);
  return g_.load(sym::inlineCopy(p_, {rows}, copy.replacement, copy.suffix)[0], {row});
}

sema::Tuple LagrangianKind::combination(const Place& place, const sym::Array* matrix, Expr factors) {
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  const Copy copy = copyAt(place);
  const sym::Array* own = sym::inlineCopy(p_, {matrix}, copy.replacement, copy.suffix)[0];
  const sym::Array* all = factors->array;
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const auto j = static_cast<std::size_t>(s.factor - context_.system.model->factors.data());
    const int dimension = s.manifold().algebraSize();
    std::vector<Expr> list;
    for (int a = 0; a < dimension; ++a) {
      Expr column = g_.integer(c.firstColumn[j] + a + 1);
      if (!s.index.empty()) column = g_.add(column, g_.mul(g_.integer(dimension), g_.sub(s.index[0], g_.integer(1))));
      sym::Equation e; // sum over the rows, one number for each member
      e.kind = sym::EquationKind::Accumulate;
      e.array =
          g_.newArray("B^T l" + copy.suffix, algebra_[s.algebra].extents(), sym::Shape::scalar(), sym::Role::Temp);
      e.loops = algebra_[s.algebra].loops(g_);
      const sym::Loop row = sym::fullLoop(g_, "r", all->extents[0]);
      e.loops.push_back(row);
      e.index = s.index;
      e.value = g_.mul(g_.load(own, {row.index, column}), g_.load(all, {row.index}));
      list.push_back(g_.load(e.array, s.index));
      p_.append(std::move(e));
    }
    append(r, sema::fromEntries(g_, s.manifold().algebra(), list));
  }
  return r;
}

const sym::Array* LagrangianKind::blocksAt(const Place& place) {
  const Copy copy = copyAt(place);
  const sym::Array* values = context_.system.constraints->blocks->matrix->values;
  return sym::inlineCopy(p_, {values}, copy.replacement, copy.suffix)[0];
}

sema::Tuple LagrangianKind::constraintForce(const Place& place, Expr factors) {
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  if (!c.blocks) return combination(place, c.force, factors);
  const sym::Array* forces = g_.newArray("B^T l", {c.columns}, sym::Shape::scalar(), sym::Role::Temp);
  mechanics::addProduct(p_, c.blocks->jacobian, blocksAt(place), factors->array, forces, 0, 1, true);
  return fromStacked(forces);
}

LagrangianKind::Expr LagrangianKind::columnOf(const Slot& s) {
  const auto j = static_cast<std::size_t>(s.factor - context_.system.model->factors.data());
  const Expr first = g_.integer(context_.system.constraints->firstColumn[j] + 1);
  if (s.index.empty()) return first;
  return g_.add(first, g_.mul(g_.integer(s.manifold().algebraSize()), g_.sub(s.index[0], g_.integer(1))));
}

sema::Tuple LagrangianKind::fromStacked(const sym::Array* numbers) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    std::vector<Expr> list;
    list.reserve(s.manifold().algebraSize());
    for (int a = 0; a < s.manifold().algebraSize(); ++a)
      list.push_back(g_.load(numbers, {g_.add(columnOf(s), g_.integer(a))}));
    append(r, sema::fromEntries(g_, s.manifold().algebra(), list));
  }
  return r;
}

const sym::Array* LagrangianKind::stackedAs(const sema::Tuple& value, const std::string& name) {
  const std::int64_t n = context_.system.constraints->columns;
  const sym::Array* numbers = g_.newArray(name, {n}, sym::Shape::scalar(), sym::Role::Temp);
  for (const Slot& s : slots_) {
    const std::vector<Expr> list = sema::entries(g_, algebraOf(s, value));
    for (std::size_t a = 0; a < list.size(); ++a) {
      sym::Equation e;
      e.array = numbers;
      e.loops = algebra_[s.algebra].loops(g_);
      e.index = {g_.add(columnOf(s), g_.integer(static_cast<std::int64_t>(a)))};
      e.value = list[a];
      p_.append(std::move(e));
    }
  }
  return numbers;
}

const sym::Array* LagrangianKind::idle(const Place& place, Expr lambda, Expr row) {
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  const Copy copy = copyAt(place);
  if (c.blocks) { // equations are independent
    const sym::Array* off = sym::inlineCopy(p_, {c.inactive}, copy.replacement, copy.suffix)[0];
    return store(p_, multipliers_, {g_.mul(g_.load(off, {row}), lambda)}, "idle" + copy.suffix)[0];
  }
  const auto there = sym::inlineCopy(p_, {c.matrix, c.inactive}, copy.replacement, copy.suffix);
  return Shortest(p_, copy.suffix).idle(there[0], there[1], lambda, row);
}

bool LagrangianKind::isSparse() const {
  return context_.system.constraints && context_.system.constraints->blocks;
}

Space LagrangianKind::stackedSpace() {
  return {{"xi", sym::Shape::scalar(), context_.system.constraints->columns, {g_.newIndex("a")}}};
}

std::shared_ptr<const sym::SparseJacobian>
LagrangianKind::near(const std::vector<mechanics::StepBlocks::Unknown>& unknowns,
                     const std::vector<mechanics::StepBlocks::Term>& terms, const sema::Tuple& q, Expr time) {
  return mechanics::StepBlocks::matrix(p_, context_.system, unknowns, terms, blocksAt({q, defaultStart().parts, time}));
}

const sym::Array* LagrangianKind::missingForces(const sema::Value& accelerated, const sema::Value& w, Expr factor) {
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  const auto promise = promised_.extract(accelerated.parts[0]->array);
  const std::vector<sema::Value>& args = promise.mapped().args;
  const Copy copy = copyAt({args[0].parts, args[1].parts, args[3].parts[0]});
  std::vector<const sym::Array*> roots = {c.blocks->matrix->values};
  for (const sema::ArrayTuple& f : c.free) roots.insert(roots.end(), f.begin(), f.end());
  const auto there = sym::inlineCopy(p_, roots, copy.replacement, copy.suffix);
  const sym::Array* const values = there[0];
  const auto vector = [&](const std::string& name) {
    return g_.newArray(name + copy.suffix, {c.columns}, sym::Shape::scalar(), sym::Role::Temp);
  };
  const sym::Array* forces = vector("r + B^T l");
  const sym::Loop k = sym::fullLoop(g_, "k", c.columns);
  const auto add = [&](const sym::Array* to, Expr value) {
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = to;
    e.loops = {k};
    e.index = {k.index};
    e.value = value;
    p_.append(std::move(e));
  };
  const sema::ArrayTuple free(there.begin() + 1, there.end());
  const sym::Array* all = stackedAs(load(g_, algebra_, free), "free" + copy.suffix);
  if (mechanics::hasCoupledBlocks(context_.system))
    add(forces, g_.load(all, {k.index}));
  else
    mechanics::addProduct(p_, c.blocks->mass, values, all, forces, 0, 1, false);
  const Expr lambda = hold(args[2], fmt::format("l{}", ++held_)).parts[0];
  mechanics::addProduct(p_, c.blocks->jacobian, values, lambda->array, forces, 0, 1, true);
  const sym::Array* missing = vector("M w - r");
  mechanics::addProduct(p_, c.blocks->mass, values, stackedAs(w.parts, "w" + copy.suffix), missing, 0, 1, false);
  add(missing, g_.neg(g_.mul(factor, g_.load(forces, {k.index}))));
  return missing;
}

/// Of a sparse system a value without numbers: the equation that it stands in has forces instead.
sema::Value LagrangianKind::accelerated(const std::vector<sema::Value>& args, Range where) {
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  ++context_.step.evaluations;
  if (c.blocks) {
    sema::Tuple parts;
    for (const Component& part : algebra_)
      parts.push_back(g_.load(g_.newArray("accelerated", part.extents(), part.shape, sym::Role::Temp), part.index));
    promised_[parts[0]->array] = {args, where};
    return valueOf(sema::ValueKind::PhaseAlgebra, parts);
  }
  const Place place{args[0].parts, args[1].parts, args[3].parts[0]};
  std::vector<const sym::Array*> free;
  for (const sema::ArrayTuple& f : c.free) free.insert(free.end(), f.begin(), f.end());
  const Expr factors = hold(args[2], fmt::format("l{}", ++held_)).parts[0];
  return valueOf(sema::ValueKind::PhaseAlgebra,
                 sema::add(g_, algebraAt(copyAt(place), free), combination(place, c.response, factors)));
}

sema::Value LagrangianKind::constraintWord(const std::string& name, const std::vector<sema::Value>& args, Range where) {
  const auto like = [&](sema::ValueKind kind) { return valueOf(kind, defaultStart().parts); };
  const mechanics::ConstraintEquations* c = context_.system.constraints.get();
  const auto at = [&](std::size_t time) {
    const bool velocity = args[1].kind == sema::ValueKind::PhaseAlgebra;
    return Place{args[0].parts, velocity ? args[1].parts : defaultStart().parts, args[time].parts[0]};
  };
  if (c == nullptr) { // nothing holds, and there are no multipliers
    if (name == "holdsT") return like(sema::ValueKind::PhaseDual);
    if (name == "along") return like(sema::ValueKind::PhaseAlgebra);
    if (name == "accelerated") return valueOf(sema::ValueKind::PhaseAlgebra, acceleration(at(3)));
    return valueOf(sema::ValueKind::PhaseVector, {});
  }
  const Expr row = multipliers_[0].index[0];
  const auto factors = [&](const sema::Value& v) { return hold(v, fmt::format("l{}", ++held_)).parts[0]; };
  if (name == "positions" || name == "rolls") {
    const Expr onPositions = g_.compare(sym::Op::Le, row, g_.integer(c->positions));
    const Expr value = args[0].parts[0];
    if (c->positions == c->rows || c->positions == 0)
      return multipliers((c->positions > 0) == (name == "positions") ? value : g_.number(0));
    return multipliers(name == "positions" ? g_.select(onPositions, value, g_.number(0))
                                           : g_.select(onPositions, g_.number(0), value));
  }
  if (name == "holds") return multipliers(rowsAt(at(1), c->value, row));
  if (name == "holdsdot") return multipliers(rowsAt(at(2), c->rate, row));
  if (name == "multipliers") {
    ++context_.step.evaluations;
    return multipliers(rowsAt(at(2), c->multiplier, row));
  }
  if (name == "idle") return multipliers(g_.load(idle(at(2), args[1].parts[0], row), {row}));
  if (name != "accelerated") {
    return valueOf(name == "holdsT" ? sema::ValueKind::PhaseDual : sema::ValueKind::PhaseAlgebra,
                   constraintForce(at(2), factors(args[1])));
  }
  return accelerated(args, where);
}

} // namespace lmc::methods
