#include "checks/study/Stability.h"

#include "runtime/run/FixedStep.h"
#include "runtime/run/Grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lmc::study {

void Moments::add(double t, double e) {
  n_ += 1;
  const double dt = t - meanT_, de = e - meanE_;
  meanT_ += dt / n_;
  meanE_ += de / n_;
  tt_ += dt * (t - meanT_);
  te_ += dt * (e - meanE_);
  ee_ += de * (e - meanE_);
}

void Moments::join(const Moments& o) {
  const double n = n_ + o.n_;
  if (n == 0) return;
  const double dt = o.meanT_ - meanT_, de = o.meanE_ - meanE_, weight = n_ * o.n_ / n;
  tt_ += o.tt_ + dt * dt * weight;
  te_ += o.te_ + dt * de * weight;
  ee_ += o.ee_ + de * de * weight;
  meanT_ += dt * o.n_ / n;
  meanE_ += de * o.n_ / n;
  n_ = n;
}

double Moments::residual() const {
  return n_ > 0 ? std::sqrt(std::max(0.0, ee_ - slope() * te_) / n_) : 0;
}

double Moments::deviation() const {
  return n_ > 0 ? std::sqrt(ee_ / n_) : 0;
}

EnergyRecord::EnergyRecord(double begin, double energy, std::int64_t steps)
    : begin_(begin), end_(begin), first_(energy), steps_(std::max<std::int64_t>(steps, 1)) {}

void EnergyRecord::add(double t, double energy) {
  const double e = energy - first_;
  const auto window = static_cast<std::size_t>(count_ * static_cast<std::int64_t>(windows) / steps_);
  moments_[std::min(window, windows - 1)].add(t, e);
  smallest_ = std::min(smallest_, e);
  largest_ = std::max(largest_, e);
  end_ = t;
  ++count_;
}

namespace {

/// x / y, infinite rather than no number when only y vanishes.
double ratio(double x, double y) {
  if (x == 0) return 0;
  return y > 0 ? x / y : std::numeric_limits<double>::infinity();
}

bool oneSign(double a, double b, double c) {
  return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

Trend trendOf(const Evidence& e) {
  constexpr double clear = 1, none = 0.1;
  constexpr int steady = 8;
  if (e.spread >= clear && e.drift >= clear && e.monotone >= steady &&
      oneSign(e.slope, e.halfSlopes[0], e.halfSlopes[1]))
    return Trend::Drift;
  return e.spread <= none && e.drift <= none ? Trend::Bounded : Trend::Inconclusive;
}

} // namespace

Evidence EnergyRecord::evidence() const {
  Evidence e;
  std::array<Moments, 2> halves;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest, within = 0;
  int ascents = 0, descents = 0;
  for (std::size_t k = 0; k < windows; ++k) {
    const Moments& m = moments_[k];
    halves[2 * k / windows].join(m);
    lowest = std::min(lowest, m.meanError());
    highest = std::max(highest, m.meanError());
    within += m.deviation() / windows;
    if (k == 0) continue;
    ascents += m.meanError() > moments_[k - 1].meanError() ? 1 : 0;
    descents += m.meanError() < moments_[k - 1].meanError() ? 1 : 0;
  }
  e.halfSlopes = {halves[0].slope(), halves[1].slope()};
  halves[0].join(halves[1]);
  e.slope = halves[0].slope();
  e.drift = ratio(std::abs(e.slope) * (end_ - begin_), halves[0].residual());
  e.spread = ratio(highest - lowest, within);
  e.monotone = std::max(ascents, descents);
  e.smallestError = smallest_;
  e.largestError = largest_;
  constexpr double perSample = 1e-15;
  const double exact = perSample * static_cast<double>(count_) * std::max(1.0, std::abs(first_));
  e.trend = std::max(largest_, -smallest_) < exact ? Trend::Exact : trendOf(e);
  return e;
}

const char* name(Trend trend) {
  constexpr std::array names = {"DRIFT", "BOUNDED", "EXACT", "INCONCLUSIVE"};
  return names[static_cast<std::size_t>(trend)];
}

namespace {

/// Picks the energy out of the samples.
class EnergySink final : public runtime::Sink {
public:
  EnergySink(const runtime::Problem& problem, double sampleEvery, EnergyRun& run)
      : column_(energyColumn(problem)), steps_(runtime::Grid(problem.timeFrom, problem.timeTo, problem.step).steps()),
        stride_(std::max<std::int64_t>(1, std::llround(sampleEvery / problem.step))), run_(run) {}

  void begin(const std::vector<runtime::Entry>&) override {}
  void sample(double t, std::span<const double> values) override {
    const double energy = values[column_];
    if (!record_) {
      record_.emplace(t, energy, steps_);
      first_ = energy;
    } else {
      record_->add(t, energy);
    }
    if (count_ % stride_ == 0 || count_ == steps_) {
      run_.times.push_back(t);
      run_.errors.push_back(energy - first_);
    }
    ++count_;
  }
  void finish() override {}
  [[nodiscard]] Evidence evidence() const { return record_->evidence(); }

private:
  static std::size_t energyColumn(const runtime::Problem& problem) {
    const runtime::Field* const energy = problem.field(runtime::FieldKind::Energy);
    const std::vector<runtime::Column> columns = problem.columns();
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const runtime::Column& c) {
      return energy != nullptr && c.role == energy->role && c.offset == energy->offset;
    });
    return static_cast<std::size_t>(found - columns.begin());
  }

  std::size_t column_;
  std::int64_t steps_, stride_, count_ = 0;
  EnergyRun& run_;
  double first_ = 0;
  std::optional<EnergyRecord> record_;
};

} // namespace

EnergyRun testEnergy(const runtime::Problem& problem, double step, double sampleEvery, runtime::Monitor* monitor) {
  runtime::Problem p = problem;
  p.step = step;
  p.outputEvery = std::numeric_limits<double>::quiet_NaN();
  p.outputSteps = 1;
  p.ignoreEvents();                                                            // the whole interval is wanted
  for (const runtime::Field* observed : p.all(runtime::FieldKind::Observable)) // the energy alone is looked at
    p.undefinable.push_back(observed->name);
  EnergyRun run;
  run.method = p.method;
  run.step = step;
  EnergySink sink(p, sampleEvery, run);
  run.result = runtime::runFixedStep(p, {&sink, monitor});
  if (!run.result.failure && !run.result.interrupted) run.evidence = sink.evidence();
  return run;
}

namespace {
constexpr std::array outcomeNames = {"PASS", "FAIL", "INCONCLUSIVE"};
} // namespace

const char* name(Outcome outcome) {
  return outcomeNames[static_cast<std::size_t>(outcome)];
}

std::optional<Outcome> outcomeOf(const std::string& text) {
  const auto found = std::find(outcomeNames.begin(), outcomeNames.end(), text);
  if (found == outcomeNames.end()) return std::nullopt;
  return static_cast<Outcome>(found - outcomeNames.begin());
}

Judgement judge(std::vector<const EnergyRun*> runs) {
  Judgement j;
  const auto failed = [](const EnergyRun* r) { return r->result.failure || r->result.interrupted; };
  if (runs.empty() || std::any_of(runs.begin(), runs.end(), failed)) return j;
  std::sort(runs.begin(), runs.end(), [](const EnergyRun* a, const EnergyRun* b) { return a->step < b->step; });
  const auto bounded = [](const EnergyRun* r) {
    return r->evidence.trend == Trend::Bounded || r->evidence.trend == Trend::Exact;
  };
  const bool drifts = runs.front()->evidence.trend == Trend::Drift;
  if (drifts) j.sign = runs.front()->evidence.sign();
  if (drifts && std::none_of(runs.begin(), runs.end(), bounded)) j.outcome = Outcome::Fail;
  if (std::all_of(runs.begin(), runs.end(), bounded)) j.outcome = Outcome::Pass;
  if (drifts && runs.size() > 1 && runs[1]->evidence.trend == Trend::Drift && runs[1]->step > runs[0]->step) {
    j.order = std::log(std::abs(runs[1]->evidence.slope) / std::abs(runs[0]->evidence.slope)) /
              std::log(runs[1]->step / runs[0]->step);
  }
  return j;
}

} // namespace lmc::study
