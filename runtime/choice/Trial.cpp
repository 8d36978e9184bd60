#include "runtime/choice/Trial.h"

#include "runtime/run/Grid.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::runtime {

namespace {

/// A time within which an event has happened in one of two runs and not yet in the other.
struct Between {
  double from = 0, to = 0;
};

/// Pairs the events of two runs until they differ; `until` is then the earlier one that has no partner.
std::vector<Between> pairEvents(const Trajectory& a, const Trajectory& b, Distance& d) {
  std::vector<Between> list;
  const std::size_t most = std::max(a.events.size(), b.events.size());
  for (std::size_t k = 0; k < most; ++k) {
    const EventFound* const x = k < a.events.size() ? &a.events[k] : nullptr;
    const EventFound* const y = k < b.events.size() ? &b.events[k] : nullptr;
    if (x == nullptr || y == nullptr || x->name != y->name) {
      const double first = std::min(x != nullptr ? x->time : INFINITY, y != nullptr ? y->time : INFINITY);
      d.sameEvents = first >= d.until; // of a run that ended earlier it says nothing
      d.until = std::min(d.until, first);
      break;
    }
    list.push_back({std::min(x->time, y->time), std::max(x->time, y->time)});
  }
  return list;
}

/// The numbers of one variable in a sample: from `begin` to before `end`.
struct Place {
  std::size_t begin = 0, end = 0;
  double size = 1; ///< the largest norm, 1 at least
};

double norm(std::span<const double> row, const Place& p) {
  double squares = 0;
  for (std::size_t k = p.begin; k < p.end; ++k) squares += row[k] * row[k];
  return std::sqrt(squares);
}

std::vector<Place> variables(const Trajectory& t) {
  std::vector<Place> list;
  for (std::size_t k = 0; k < t.entries.size(); ++k) {
    if (list.empty() || t.entries[k].field != t.entries[list.back().begin].field) list.push_back({k, k, 1});
    list.back().end = k + 1;
  }
  for (Place& p : list)
    for (std::size_t k = 0; k < t.times.size(); ++k) p.size = std::max(p.size, norm(t.at(k), p));
  return list;
}

/// Ends steps at times so far apart, and changes nothing.
class Cuts final : public HostSamplings {
public:
  explicit Cuts(double interval) { times_[0].interval = interval; }
  [[nodiscard]] const std::vector<Times>& times() const override { return times_; }
  void at(std::size_t /*which*/, double /*t*/, Workspace& /*memory*/) override {}

private:
  std::vector<Times> times_{1};
};

} // namespace

std::vector<double> evenly(double from, double to, int count) {
  std::vector<double> times;
  for (int k = 1; k < count; ++k) times.push_back(from + (to - from) * k / count);
  times.push_back(to);
  return times;
}

Trial integrate(const Problem& problem, double tolerance, double until, const std::vector<double>& times,
                double mostOperations, double longest) {
  constexpr double leastSteps = 20;
  Problem p = problem;
  p.timeTo = until;
  p.step = std::numeric_limits<double>::quiet_NaN();
  p.outputEvery = std::numeric_limits<double>::quiet_NaN();
  p.outputSteps = 0;
  p.outputTimes = times;
  std::fill(p.control->tolerances.begin(), p.control->tolerances.end(), tolerance);
  const double perStep = std::max(p.operationsPerStep, 1.0);
  RunBounds bounds;
  const double ofLongest = 2 * (until - p.timeFrom) / longest;
  bounds.steps = static_cast<std::int64_t>(std::clamp(mostOperations / perStep + ofLongest, leastSteps, stepLimit));
  TrajectoryKeeper keeper(stateEntries(p), nullptr);
  RunListeners listeners;
  listeners.sink = &keeper;
  listeners.bounds = bounds;
  Cuts cuts(longest);
  if (std::isfinite(longest)) listeners.samplings = &cuts;
  const RunResult r = run(p, listeners);
  Trial t;
  t.end = r.time;
  const bool failed = r.failure && !r.failure->quantity && !r.limited;
  if (failed) t.why = r.failure->cause;
  if (!keeper.complete()) t.why = "the state has more numbers than can be kept";
  t.whole = t.why.empty() && !r.limited;
  t.steps = r.steps + r.rejected;
  t.operations = static_cast<double>(t.steps) * perStep;
  t.looksStiff = looksStiff(r.stiffness);
  t.samples = keeper.take(r);
  for (const Defect& d : r.defects) // those of constraints, and of contacts within a step, say nothing of manifolds
    for (const Entry& e : t.samples.entries)
      if (e.field == d.name) t.defect = std::max(t.defect, d.value);
  return t;
}

Distance distance(const Trajectory& a, const Trajectory& b) {
  Distance d;
  d.until = std::min(a.end, b.end);
  const std::vector<Between> events = pairEvents(a, b, d);
  const std::vector<Place> places = variables(b);
  const std::vector<std::ptrdiff_t> list = partners(a, b);
  std::size_t event = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double t = a.times[k];
    if (list[k] < 0) continue;
    if (t > d.until && !sameTime(t, d.until)) break;
    while (event < events.size() && events[event].to < t && !sameTime(events[event].to, t)) ++event;
    if (event < events.size() && (events[event].from <= t || sameTime(events[event].from, t))) continue;
    const std::span<const double> x = a.at(k), y = b.at(static_cast<std::size_t>(list[k]));
    std::vector<double> difference(x.begin(), x.end());
    for (std::size_t i = 0; i < y.size(); ++i) difference[i] -= y[i];
    for (const Place& p : places) {
      const double e = norm(difference, p) / p.size;
      if (!(e <= d.error)) d.error = std::isnan(e) ? INFINITY : e;
    }
    d.times.push_back(t);
    d.grown.push_back(d.error);
  }
  return d;
}

} // namespace lmc::runtime
