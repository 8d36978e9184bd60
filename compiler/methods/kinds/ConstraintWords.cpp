// Words of methods on `lagrangian` for the constraints of a model.
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

const sym::Array* LagrangianKind::idle(const Place& place, Expr lambda, Expr row) {
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  const Copy copy = copyAt(place);
  const auto there = sym::inlineCopy(p_, {c.matrix, c.inactive}, copy.replacement, copy.suffix);
  return Shortest(p_, copy.suffix).idle(there[0], there[1], lambda, row);
}

sema::Value LagrangianKind::constraintWord(const std::string& name, const std::vector<sema::Value>& args) {
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
                   combination(at(2), c->force, factors(args[1])));
  }
  ++context_.step.evaluations;
  const Place place = at(3);
  std::vector<const sym::Array*> free;
  for (const sema::ArrayTuple& f : c->free) free.insert(free.end(), f.begin(), f.end());
  return valueOf(sema::ValueKind::PhaseAlgebra,
                 sema::add(g_, algebraAt(copyAt(place), free), combination(place, c->response, factors(args[2]))));
}

} // namespace lmc::methods
