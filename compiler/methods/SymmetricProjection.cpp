// `symmetric(M)`: symmetric projection onto the constraints of a model.
#include "methods/Instantiation.h"
#include "methods/kinds/ManifoldKind.h"
#include "methods/solve/Projection.h"

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
  JoinedSystems stages;
  KindContext inside = context_;
  if (!c.blocks) inside.joined = &stages;
  const StepOf step = [&](const Begin& begin) {
    return use.adjoint ? adjointStep(inside, kind_, *use.method, begin)
                       : Instantiation(inside, kind_, *use.method, begin).run();
  };
  const auto ahead = step(begin_);
  if (!ahead) return false;
  const sema::Value start = kind.hold((*ahead)[0], "ahead");
  if (c.blocks) return symmetricSparse(start, step, evaluations);
  stages.begun = true;
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
  newton.join(stages);
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
  for (const JoinedSystems::Part& part : stages.parts) residuals.emplace_back(part.space, part.residual);
  starts.insert(starts.end(), stages.starts.begin(), stages.starts.end());
  Newton::Settings settings;
  settings.constrained = true;
  settings.multipliers.push_back(1);
  if (c.positions > 0) settings.multipliers.push_back(2);
  settings.evaluations = std::exchange(context_.step.evaluations, evaluations) - evaluations;
  newton.finish(starts, residuals, settings);
  context_.step.independent = true;
  next_[0] = kind.hold(ManifoldKind::point(kind.shifted(start.parts, newton.solution(0))), "projected");
  return true;
}

/// The same where M and B are one sparse system: the displacements M a = B^T mu of positions and M b = B^T nu of
/// velocities, at the begin (0) and at the end (1), are unknowns beside the shift (u, w) from a step without
/// multipliers.
bool Instantiation::symmetricSparse(const sema::Value& start, const StepOf& step, int evaluations) {
  using Blocks = mechanics::StepBlocks;
  enum : std::size_t { U, W, A0, B0, A1, B1, Nu, Mu, Size };
  auto& kind = dynamic_cast<ManifoldKind&>(kind_);
  sym::Program& p = context_.layer.program();
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  const Expr end = g_.add(begin_.t, begin_.h);
  Projection project(context_.layer, kind.phase());
  std::vector<Space> spaces;
  for (std::size_t k = 0; k < Size; ++k)
    spaces.push_back(
        {{k < Nu ? "moved" : "nu", sym::Shape::scalar(), k < Nu ? c.columns : c.rows, {g_.newIndex("k")}}});
  spaces.push_back({{"size", sym::Shape::scalar(), 0, {}}});
  Newton newton(p, spaces);
  const auto unknown = [&](std::size_t k) { return newton.iterateArrays(k)[0]; };
  const auto numbers = [&](const sym::Array* a, std::size_t k) {
    return sema::Tuple{g_.load(a, {spaces[k][0].index[0]})};
  };
  const sema::Tuple shift = project.unstacked(unknown(U), unknown(W));
  const sema::Value y1 = kind.hold(ManifoldKind::point(kind.shifted(start.parts, shift)), "y1");
  const sema::Tuple& y0 = begin_.state[0].parts;
  Begin begin = begin_;
  begin.state[0] = kind.hold(
      ManifoldKind::point(project.movedByStacked(y0, unknown(A0), unknown(B0), kind.fresh("moved"))), "moved");
  const auto after = step(begin);
  if (!after) return false;
  const sema::Value moved = kind.hold(
      ManifoldKind::point(project.movedByStacked((*after)[0].parts, unknown(A1), unknown(B1), kind.fresh("moved"))),
      "moved");
  const sema::Tuple off = kind.difference(y1.parts, moved.parts, shift);
  const sema::ArrayTuple defects = kind.defects(y1.parts, end);
  std::vector<sema::Tuple> residuals(Size);
  residuals[U] = numbers(project.stacked(off, true, kind.fresh("off")), U);
  residuals[W] = numbers(project.stacked(off, false, kind.fresh("off")), W);
  const auto pairs = [&](std::size_t a, std::size_t b, const sema::Tuple& z, Expr time) {
    const auto both = project.missing(z, time, {{unknown(a), unknown(Mu)}, {unknown(b), unknown(Nu)}}, kind.fresh("M"));
    residuals[a] = numbers(both[0], a);
    residuals[b] = numbers(both[1], b);
  };
  pairs(A0, B0, y0, begin_.t);
  pairs(A1, B1, y1.parts, end);
  const auto holds = [&](std::size_t k, const sym::Array* defect, bool positions) {
    const Expr row = spaces[k][0].index[0], own = newton.iterate(k)[0];
    Expr total = g_.add(g_.load(defect, {row}), g_.mul(g_.load(c.inactive, {row}), own));
    if (positions && c.positions < c.rows) // there are no multipliers of positions
      total = g_.select(g_.compare(sym::Op::Le, row, g_.integer(c.positions)), total, own);
    residuals[k] = {total};
  };
  holds(Nu, defects[1], false);
  holds(Mu, defects[0], true);

  const Expr one = g_.number(1), less = g_.number(-1), none = g_.number(0);
  std::vector<Blocks::Term> terms;
  const auto near = [&](std::size_t e, std::size_t u, Blocks::What what, Expr positions, Expr velocities) {
    terms.push_back({e, u, what, positions, velocities});
  };
  for (const std::size_t k : {U, W}) near(k, k, Blocks::What::Identity, one, one);
  for (const std::size_t k : {A0, A1}) near(U, k, Blocks::What::Identity, less, less);
  for (const std::size_t k : {B0, B1}) near(W, k, Blocks::What::Identity, one, one);
  for (const std::size_t k : {A0, B0, A1, B1}) near(k, k, Blocks::What::Mass, one, one);
  for (const std::size_t k : {A0, A1}) near(k, Mu, Blocks::What::Transposed, less, none);
  for (const std::size_t k : {B0, B1}) near(k, Nu, Blocks::What::Transposed, less, less);
  near(Nu, W, Blocks::What::Rows, one, one);
  near(Nu, Nu, Blocks::What::Off, one, one);
  near(Mu, U, Blocks::What::Rows, one, none);
  near(Mu, Mu, Blocks::What::Off, one, none);
  near(Mu, Mu, Blocks::What::Identity, none, one);
  std::vector<Blocks::Unknown> kindsOf(Size, Blocks::Unknown::Velocities);
  kindsOf[Nu] = kindsOf[Mu] = Blocks::Unknown::Multipliers;
  kindsOf.push_back(Blocks::Unknown::Number);
  Newton::Settings settings;
  settings.constrained = true;
  settings.multipliers = {Nu, Mu};
  settings.near =
      Blocks::matrix(p, context_.system, kindsOf, terms, project.blocksAt(y0, begin_.t, kind.fresh("near")));
  settings.evaluations = std::exchange(context_.step.evaluations, evaluations) - evaluations;
  // Of many bodies a small part: what remains of a change is rounding of positions and velocities.
  const Expr both = g_.add(g_.load(project.sizeOf(y0, true, kind.fresh("size"))), g_.load(kind.sizeOf(y0)));
  const Expr size = g_.scale(sym::Number::ratio(1, 1000), both);
  Newton::Residuals all;
  for (std::size_t k = 0; k < Size; ++k) all.emplace_back(spaces[k], residuals[k]);
  all.emplace_back(spaces[Size], sema::Tuple{g_.sub(newton.iterate(Size)[0], size)});
  std::vector<sema::Tuple> starts(Size, {none});
  starts.push_back({size});
  newton.finish(starts, all, settings);
  context_.step.independent = true;
  const auto found = [&](std::size_t k) { return store(p, spaces[k], newton.solution(k), kind.fresh("found"))[0]; };
  const sym::Array *u = found(U), *w = found(W);
  next_[0] = kind.hold(ManifoldKind::point(kind.shifted(start.parts, project.unstacked(u, w))), "projected");
  return true;
}

} // namespace lmc::methods
