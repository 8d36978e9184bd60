// `symmetric(M)`: symmetric projection onto the constraints of a model.
#include "methods/Instantiation.h"
#include "methods/kinds/ManifoldKind.h"

namespace lmc::methods {

using sym::Expr;

/// y0 is moved by multipliers, M makes a step, and the same multipliers move its end, with the directions of the end y1
/// itself, such that constraints hold there: so a step of a symmetric M back is the step back (E. Hairer, C. Lubich,
/// G. Wanner, "Geometric Numerical Integration", 2nd ed., section V.4.1).
bool Instantiation::symmetric(const MethodUse& use) {
  auto& kind = dynamic_cast<ManifoldKind&>(kind_);
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  const Expr end = g_.add(begin_.t, begin_.h);
  const int evaluations = context_.step.evaluations;
  const auto step = [&](const Begin& begin) {
    return use.adjoint ? adjointStep(context_, kind_, *use.method, begin)
                       : Instantiation(context_, kind_, *use.method, begin).run();
  };
  const auto ahead = step(begin_);
  if (!ahead) return false;
  const sema::Value start = kind.hold((*ahead)[0], "ahead");
  const auto rows = [&](const char* name, std::int64_t n) {
    return Space{{name, sym::Shape::scalar(), n, {g_.newIndex("r")}}};
  };
  const Space shift = kind.shiftSpace(), velocities = rows("nu", c.rows), positions = rows("mu", c.positions);
  std::vector<Space> spaces = {shift, velocities};
  if (c.positions > 0) spaces.push_back(positions);
  Newton newton(context_.layer.program(), spaces);
  const sema::Value y1 = kind.hold(ManifoldKind::point(kind.shifted(start.parts, newton.iterate(0))), "y1");
  // Numbers that are nearly zero are found to the round-off of what they are added to: so the unknown is nu and the
  // size of the state.
  const Expr size = g_.load(kind.sizeOf(begin_.state[0].parts));
  const sema::Tuple multiplier = {g_.sub(newton.iterate(1)[0], size)};
  const sym::Array* const nu = store(context_.layer.program(), velocities, multiplier, "nu")[0];
  const sym::Array* const mu = c.positions > 0 ? newton.iterateArrays(2)[0] : nullptr;
  Begin begin = begin_;
  const sema::Tuple& y0 = begin_.state[0].parts;
  begin.state[0] = kind.hold(ManifoldKind::point(kind.moved(y0, y0, begin_.t, mu, nu)), "moved");
  const auto after = step(begin);
  if (!after) return false;
  const sema::Value moved =
      kind.hold(ManifoldKind::point(kind.moved((*after)[0].parts, y1.parts, end, mu, nu)), "moved");
  const sema::ArrayTuple defects = kind.defects(y1.parts, end);
  // Of a member that does not hold the multipliers are zero.
  const auto holds = [&](const sym::Array* defect, const Space& space, const sema::Tuple& own) {
    const Expr row = space[0].index[0];
    const Expr alone = g_.mul(g_.load(c.inactive, {row}), own[0]);
    return std::pair<Space, sema::Tuple>{space, {g_.add(g_.load(defect, {row}), alone)}};
  };
  Newton::Residuals residuals = {{shift, kind.difference(y1.parts, moved.parts, newton.iterate(0))},
                                 holds(defects[1], velocities, multiplier)};
  std::vector<sema::Tuple> starts = {{}, {size}};
  for (const Component& part : shift) starts[0].push_back(g_.zero(part.shape));
  if (c.positions > 0) {
    residuals.push_back(holds(defects[0], positions, newton.iterate(2)));
    starts.push_back({g_.number(0)});
  }
  Newton::Settings settings;
  settings.evaluations = std::exchange(context_.step.evaluations, evaluations) - evaluations;
  newton.finish(starts, residuals, settings);
  context_.step.independent = true;
  next_[0] = kind.hold(ManifoldKind::point(kind.shifted(start.parts, newton.solution(0))), "projected");
  return true;
}

} // namespace lmc::methods
