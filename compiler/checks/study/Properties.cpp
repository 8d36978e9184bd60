#include "checks/study/Properties.h"

#include "checks/model/Conservation.h"
#include "checks/study/Symplecticity.h"

#include <algorithm>
#include <cmath>

namespace lmc::study {

namespace fs = std::filesystem;

namespace {

/// Steps are tried from that of the problem downwards, since iterations may fail at long ones: at long steps the errors
/// of methods of high order show.
constexpr int halvings = 4;
/// Steps of a run in which momentum maps are watched, and what they may gather of round-off and of the last changes of
/// iterations.
constexpr std::int64_t watchedSteps = 100;
constexpr double momentumTolerance = 1e-11;

fs::path folder(const fs::path& libraryRoot) {
  return libraryRoot / "runtime" / "problems" / "invariants";
}

/// a and b, where nothing says nothing.
void conclude(std::optional<bool>& all, std::optional<bool> one) {
  if (one) all = all.value_or(true) && *one;
}

std::optional<bool> keepsMomentum(const Build& b, double step) {
  checks::StateSpace space(*b.pipeline->system(), *b.problem);
  checks::Symmetries symmetries(space);
  space.prepare();
  runtime::Problem p = *b.problem;
  std::mt19937_64 engine(p.seed);
  std::vector<std::string> undecided;
  const std::vector<checks::Conserved> list = symmetries.find(p.initialState, p.timeFrom, p.timeTo, engine, undecided);
  if (list.empty()) return std::nullopt;
  p.step = step;
  checks::RunLimits limits;
  limits.steps = watchedSteps;
  const checks::KeptAlong along = checks::keep(symmetries, list, p, limits);
  if (along.failure) return std::nullopt;
  return std::all_of(along.conserved.begin(), along.conserved.end(),
                     [](const checks::Kept& k) { return k.deviation <= momentumTolerance; });
}

std::optional<bool> undoesSteps(const Build& b, double step) {
  const std::optional<checks::Reversal> r = checks::reverse(*b.problem, step);
  return r ? r->symmetric() : std::nullopt;
}

/// What the longest step that succeeds shows.
template <class Measure> std::optional<bool> atLongStep(const Build& b, const Measure& measure) {
  double step = b.problem->step;
  for (int n = 0; n < halvings; ++n, step /= 2)
    if (const std::optional<bool> result = measure(b, step)) return result;
  return std::nullopt;
}

std::optional<bool> isSymplectic(const Subject& subject, const std::string& method) {
  const TangentBuild b = buildTangent(subject, method);
  if (!b.problem || b.problem->forced) return std::nullopt;
  const double step = b.problem->problem.step;
  const Symplecticity s = symplecticity(*b.problem, {step, step / 2, step / 4});
  if (!s.measured() || !s.decided) return std::nullopt;
  return s.symplectic;
}

/// With the step of the problem and with half of it; nothing where its run is short.
std::optional<Outcome> energyOutcome(const runtime::Problem& problem) {
  constexpr double longRun = 10'000; // steps
  if (problem.field(runtime::FieldKind::Energy) == nullptr ||
      problem.timeTo - problem.timeFrom < longRun * problem.step)
    return std::nullopt;
  const double unwatched = problem.timeTo - problem.timeFrom;
  const EnergyRun whole = testEnergy(problem, problem.step, unwatched, nullptr);
  const EnergyRun half = testEnergy(problem, problem.step / 2, unwatched, nullptr);
  return judge({&whole, &half}).outcome;
}

/// The worse of two outcomes.
void conclude(std::optional<Outcome>& all, std::optional<Outcome> one) {
  if (!one || all == Outcome::Fail) return;
  if (!all || *one != Outcome::Pass) all = one;
}

} // namespace

std::string energyWord(const MethodProperties& properties) {
  if (!properties.energy) return {};
  switch (*properties.energy) {
  case Outcome::Pass:
    return "bounded";
  case Outcome::Fail:
    return "drift";
  default:
    return "unclear";
  }
}

std::string propertyTexts(const fs::path& libraryRoot) {
  return textsOf(lieFiles(folder(libraryRoot)));
}

PropertyBench::PropertyBench(const products::PipelineOptions& options)
    : subjects_(subjectsOf(lieFiles(folder(options.compilation.libraryRoot)), options, {})) {}

MethodProperties PropertyBench::measure(const std::string& method) const {
  MethodProperties m;
  for (const NamedSubject& s : subjects_) {
    const Build b = build(s.subject, method);
    if (!b.problem) continue;
    conclude(m.timeSymmetric, atLongStep(b, undoesSteps));
    conclude(m.momentum, atLongStep(b, keepsMomentum));
    conclude(m.symplectic, isSymplectic(s.subject, method));
    conclude(m.energy, energyOutcome(*b.problem));
  }
  return m;
}

} // namespace lmc::study
