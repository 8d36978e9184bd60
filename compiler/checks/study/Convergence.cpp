#include "checks/study/Convergence.h"

#include "runtime/run/FixedStep.h"

#include <algorithm>
#include <cmath>

namespace lmc::study {

namespace {

constexpr double roundOff = std::numeric_limits<double>::epsilon();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Keeps the state of the last sample.
class LastState final : public Sink {
public:
  explicit LastState(const Problem& problem) {
    for (std::size_t k = 0; k < problem.columns.size(); ++k) {
      if (problem.columns[k].role == tape::Role::State) columns_.push_back(k);
    }
  }
  void begin(const std::vector<Entry>&) override {}
  void sample(double, std::span<const double> values) override {
    state.clear();
    for (const std::size_t k : columns_) state.push_back(values[k]);
  }
  void finish() override {}
  std::vector<double> state;

private:
  std::vector<std::size_t> columns_;
};

/// Whether slopes between neighbours, at least two, agree.
bool slopesAgree(const std::vector<double>& steps, const std::vector<double>& errors) {
  constexpr double agreement = 0.2;
  double lowest = infinite, highest = -infinite;
  for (std::size_t k = 1; k < steps.size(); ++k) {
    if (steps[k] == steps[k - 1]) continue;
    const double slope = std::log(errors[k - 1] / errors[k]) / std::log(steps[k - 1] / steps[k]);
    lowest = std::min(lowest, slope);
    highest = std::max(highest, slope);
  }
  return steps.size() > 2 && highest - lowest <= agreement;
}

/// Sets the order that the errors within the window show, or else those above round-off.
void fit(Convergence& c, const Window& window) {
  for (const double highest : {window.highest, std::numeric_limits<double>::max()}) {
    std::vector<double> steps, errors;
    for (std::size_t k = 0; k < c.steps.size(); ++k) {
      if (!(c.errors[k] >= window.lowest && c.errors[k] <= highest)) continue;
      steps.push_back(c.steps[k]);
      errors.push_back(c.errors[k]);
    }
    if (std::adjacent_find(steps.begin(), steps.end(), std::not_equal_to<>()) == steps.end()) continue;
    c.order = logarithmicSlope(steps, errors);
    c.asymptotic = highest == window.highest;
    c.settled = c.asymptotic && slopesAgree(steps, errors);
    return;
  }
}

/// True when two successive slopes of the last three errors agree.
bool settled(const Convergence& c) {
  constexpr double agreement = 0.02;
  const std::size_t n = c.errors.size();
  if (n < 4) return false;
  const double last = std::log2(c.errors[n - 2] / c.errors[n - 1]);
  const double before = std::log2(c.errors[n - 3] / c.errors[n - 2]);
  return std::abs(last - before) < agreement;
}

void keepLast(std::vector<double>& list, std::size_t count) {
  if (list.size() > count) list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(count));
}

} // namespace

double logarithmicSlope(const std::vector<double>& steps, const std::vector<double>& errors) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double x = std::log(steps[k]), y = std::log(errors[k]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::optional<std::vector<double>> finalState(const Problem& problem, double step) {
  Problem p = problem;
  p.step = step;
  p.outputEvery = p.timeTo - p.timeFrom;
  p.outputSteps = 0;
  p.events.clear(); // the state at the end is wanted
  LastState sink(p);
  const RunResult result = runFixedStep(p, {&sink});
  const bool finite = std::all_of(sink.state.begin(), sink.state.end(), [](double x) { return std::isfinite(x); });
  if ((result.failure && !result.failure->quantity) || !finite) return std::nullopt;
  return sink.state;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

double Reference::scale() const {
  return std::max(1.0, distance(state, std::vector<double>(state.size(), 0)));
}

Window::Window(const Reference& reference)
    : lowest(std::max(1e3 * roundOff * reference.scale(), 10 * reference.error)), highest(1e-3 * reference.scale()) {}

namespace {

/// Halves the step until the state changes by round-off only, or no longer less than before.
std::optional<Reference> limitOf(const Problem& problem) {
  constexpr std::int64_t fewest = 32, most = std::int64_t{1} << 21;
  const double length = problem.timeTo - problem.timeFrom;
  std::optional<std::vector<double>> before;
  std::optional<Reference> best;
  for (std::int64_t n = fewest; n <= most; n *= 2) {
    const double step = length / static_cast<double>(n);
    auto state = finalState(problem, step);
    if (state && before) {
      Reference now{problem.method, step, *state, distance(*state, *before)};
      const bool small = best && best->error < 1e-9 * now.scale();
      if (small && now.error > best->error / 2) return best; // round-off takes over
      best = std::move(now);
      if (best->error < 4 * roundOff * best->scale()) return best;
    }
    before = std::move(state);
  }
  return best;
}

} // namespace

std::optional<Reference> referenceOf(std::span<const Problem* const> problems) {
  std::optional<Reference> result;
  for (const Problem* p : problems) {
    const auto limit = limitOf(*p);
    if (!limit) continue;
    if (!result)
      result = limit;
    else
      result->error = std::max(result->error, distance(result->state, limit->state));
  }
  return result;
}

Convergence convergence(const Problem& problem, const Reference& reference, const std::vector<double>& steps) {
  constexpr std::int64_t fewest = 8, most = std::int64_t{1} << 18;
  constexpr std::size_t shown = 3;
  const Window window(reference);
  Convergence c{problem.method, problem.order, {}, {}, {}, false, false};
  const auto measure = [&](double step) {
    const auto state = finalState(problem, step);
    c.steps.push_back(step);
    c.errors.push_back(state ? distance(*state, reference.state) : infinite);
    return c.errors.back();
  };
  for (const double step : steps) measure(step);
  if (steps.empty()) {
    const double length = problem.timeTo - problem.timeFrom;
    for (std::int64_t n = fewest; n <= most && !settled(c); n *= 2) {
      if (c.errors.size() > 1 && c.errors.back() > window.highest) {
        c.steps = {c.steps.back()};
        c.errors = {c.errors.back()};
      }
      if (measure(length / static_cast<double>(n)) >= window.lowest) continue;
      if (c.steps.size() > shown) { // below what can be told from round-off
        c.steps.pop_back();
        c.errors.pop_back();
      }
      break;
    }
    keepLast(c.steps, shown);
    keepLast(c.errors, shown);
  }
  fit(c, window);
  return c;
}

} // namespace lmc::study
