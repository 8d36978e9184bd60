#include "tool/runs/Certify.h"

#include "runtime/run/Grid.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace lmc::tool {

namespace {

/// Ends a reference where the user asks for the end.
class UntilSignal final : public runtime::Monitor {
public:
  bool reached(double /*t*/) override { return stopSignal() == 0; }
};

/// A method with an error estimate.
struct Candidate {
  std::string name, kind;
  int order = 0;
};

/// The next one: of another kind than the one before if there is such a one, since methods of a kind have formulas in
/// common.
Candidate take(std::vector<Candidate>& list, const std::string& before) {
  auto next = std::find_if(list.begin(), list.end(), [&](const Candidate& c) { return c.kind != before; });
  if (next == list.end()) next = list.begin();
  Candidate c = *next;
  list.erase(next);
  return c;
}

class Certifier {
public:
  Certifier(const Invocation& call, const runtime::Problem& problem, const runtime::RunResult& result,
            runtime::Trajectory run)
      : call_(call), problem_(problem), run_(std::move(run)),
        steps_(std::max<std::int64_t>(1'000'000, 20 * (result.steps + result.rejected))) {
    for (const double t : run_.times)
      if (t > problem.timeFrom && t <= problem.timeTo && (times_.empty() || !runtime::sameTime(t, times_.back())))
        times_.push_back(t);
    if (!problem.control) return;
    if (problem.chosen) certificate_.accuracy = problem.chosen->accuracy;
    certificate_.allowed = 0;
    for (const double t : problem.control->tolerances) {
      certificate_.allowed = std::max(certificate_.allowed, t);
      if (t > 0) tolerance_ = std::min(tolerance_, t / 100);
    }
    tolerance_ = std::max(tolerance_, 1e-13);
  }

  Certificate certificate() {
    References r;
    if (!byOthers(r) && !byItself(r)) {
      certificate_.reason = stopSignal() != 0 ? "the computation was interrupted"
                                              : "no second computation of the motion came to its end (" + why_ + ")";
      return certificate_;
    }
    compare(certificate_, run_, r);
    return certificate_;
  }

private:
  [[nodiscard]] std::optional<runtime::Trajectory> integrate(runtime::Problem p) {
    p.outputTimes = times_;
    runtime::TrajectoryKeeper keeper(run_.entries, nullptr);
    UntilSignal monitor;
    const runtime::RunResult r = runtime::run(p, {&keeper, &monitor, nullptr, nullptr, nullptr, {steps_}});
    if (r.failure && !r.failure->quantity) why_ = fmt::format("{}: {}", p.method, r.failure->cause);
    if (!keeper.complete()) why_ = fmt::format("{}: it has other variables", p.method);
    if ((r.failure && !r.failure->quantity) || r.interrupted || !keeper.complete()) return std::nullopt;
    return keeper.take(r);
  }

  [[nodiscard]] products::PipelineOptions optionsFor(const std::string& method) const {
    Invocation typed = call_;
    typed.put(options::tolerance, fmt::format("{}", tolerance_));
    products::PipelineOptions o = pipelineOptions(typed);
    o.method = method.empty() ? problem_.method : method;
    std::erase_if(o.compilation.simulate, [](const auto& setting) { return setting.first == "accuracy"; });
    o.codeForAnyParameters = false;
    return o;
  }

  [[nodiscard]] std::vector<Candidate> candidates() const {
    std::vector<Candidate> list;
    products::Pipeline pipeline(optionsFor({}));
    if (!pipeline.load(oneFile(call_)) || !pipeline.check()) return list;
    const std::string own = problem_.method.substr(0, problem_.method.find('('));
    for (const products::MethodSummary& m : pipeline.methodsThatStep()) {
      if (m.name == own || m.order.find('(') == std::string::npos) continue;
      Candidate c{m.name, m.kind};
      std::from_chars(m.order.data(), m.order.data() + m.order.size(), c.order);
      list.push_back(c);
    }
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.order > b.order; });
    return list;
  }

  std::optional<runtime::Trajectory> reference(const std::string& method) {
    products::Pipeline pipeline(optionsFor(method));
    const std::unique_ptr<runtime::Problem> built = pipeline.load(oneFile(call_)) ? pipeline.build() : nullptr;
    if (built == nullptr || !built->control) return std::nullopt;
    runtime::Problem p = *built;
    p.step = std::nan("");
    std::fill(p.control->tolerances.begin(), p.control->tolerances.end(), tolerance_);
    return integrate(std::move(p));
  }

  bool byOthers(References& r) {
    constexpr int tries = 4;
    std::vector<std::string> names;
    std::string kind; // of the first
    std::vector<Candidate> left = candidates();
    for (int tried = 0; !left.empty() && names.size() < 2 && tried < tries && stopSignal() == 0; ++tried) {
      const Candidate c = take(left, kind);
      why_ = c.name + ": it cannot step the model with these settings";
      std::optional<runtime::Trajectory> t = reference(c.name);
      if (!t) {
        if (stopSignal() == 0) certificate_.dropped.push_back(why_);
        continue;
      }
      (names.empty() ? r.best : r.other) = std::move(*t);
      names.push_back(c.name);
      kind = c.kind;
    }
    if (names.size() < 2) return false;
    certificate_.independent = true;
    certificate_.against =
        fmt::format("{} at tolerance {:.1g} and {} at {:.1g}", names[0], tolerance_, names[1], tolerance_);
    return true;
  }

  bool byItself(References& r) {
    runtime::Problem half = problem_, quarter = problem_;
    if (problem_.control) {
      for (double& t : half.control->tolerances) t *= 1e-2;
      for (double& t : quarter.control->tolerances) t *= 1e-4;
      certificate_.against =
          fmt::format("{} itself with a hundredth and a tenthousandth of its tolerance", problem_.method);
    } else {
      half.step /= 2;
      quarter.step /= 4;
      r.order = problem_.order;
      certificate_.against =
          fmt::format("{} itself with a half and a quarter of its step{}", problem_.method,
                      r.order > 0 ? fmt::format(", extrapolated by its order {}", r.order) : std::string());
    }
    std::optional<runtime::Trajectory> best = integrate(std::move(quarter));
    std::optional<runtime::Trajectory> other = best ? integrate(std::move(half)) : std::nullopt;
    if (!other) return false;
    r.best = std::move(*best);
    r.other = std::move(*other);
    return true;
  }

  const Invocation& call_;
  const runtime::Problem& problem_;
  runtime::Trajectory run_;
  std::int64_t steps_;
  std::vector<double> times_;
  double tolerance_ = 1e-12;
  std::string why_ = "no method fits";
  Certificate certificate_;
};

} // namespace

void checkCertifiable(const Invocation& call, const runtime::Problem& problem, const runtime::RunBounds& bounds) {
  if (call[options::resume]) throw UsageError("--certify computes a whole motion again; --resume goes on with a part");
  const double numbers = static_cast<double>(runtime::stateEntries(problem).size());
  const std::optional<double> samples = runtime::expectedSamples(problem, {.bounds = bounds});
  if (samples && *samples * numbers > runtime::trajectoryLimit)
    throw UsageError(
        fmt::format("--certify keeps the samples of the run, {:.3g} of {} numbers, and has room for {:.3g} "
                    "numbers; --every DT makes fewer samples",
                    *samples, numbers, runtime::trajectoryLimit));
}

Certificate certify(const Invocation& call, const runtime::Problem& problem, const runtime::RunResult& result,
                    runtime::TrajectoryKeeper& keeper) {
  Certificate none;
  if (result.failure && !result.failure->quantity) none.reason = "the run did not come to its end";
  if (result.interrupted) none.reason = "the run was interrupted";
  if (none.reason.empty() && !keeper.complete())
    none.reason = fmt::format("the run has more than {:.3g} numbers at its samples, which are not kept; --every DT "
                              "makes fewer",
                              runtime::trajectoryLimit);
  if (!none.reason.empty()) return none;
  runtime::Trajectory run = keeper.take(result);
  if (run.entries.empty()) {
    none.reason = "the run writes no number of the state";
    return none;
  }
  return Certifier(call, problem, result, std::move(run)).certificate();
}

} // namespace lmc::tool
