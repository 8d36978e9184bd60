#include "checks/study/Convergence.h"

#include "runtime/run/FixedStep.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <cmath>

namespace lmc::study {

namespace {

constexpr double roundOff = std::numeric_limits<double>::epsilon();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Keeps the state of the last sample.
class LastState final : public runtime::Sink {
public:
  explicit LastState(const runtime::Problem& problem) {
    const std::vector<runtime::Column> columns = problem.columns();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k].role == runtime::Role::State) columns_.push_back(k);
    }
  }
  void begin(const std::vector<runtime::Entry>&) override {}
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

namespace {

/// The end of a run of a problem whose settings are made.
std::optional<RunEnd> runToEnd(runtime::Problem p, bool adaptive) {
  p.outputEvery = p.timeTo - p.timeFrom;
  p.outputSteps = 0;
  p.ignoreEvents(); // the state at the end is wanted
  LastState sink(p);
  const runtime::RunResult r = adaptive ? runtime::run(p, {&sink}) : runtime::runFixedStep(p, {&sink});
  const bool finite = std::all_of(sink.state.begin(), sink.state.end(), [](double x) { return std::isfinite(x); });
  if ((r.failure && !r.failure->quantity) || !finite) return std::nullopt;
  return RunEnd{sink.state, {r.steps, r.rejected, r.evaluations, r.iterations, r.seconds}};
}

} // namespace

std::optional<RunEnd> endOf(const runtime::Problem& problem, double step) {
  runtime::Problem p = problem;
  p.step = step;
  return runToEnd(std::move(p), false);
}

std::optional<RunEnd> endWithTolerance(const runtime::Problem& problem, double tolerance) {
  runtime::Problem p = problem;
  p.step = std::nan("");
  std::fill(p.control->tolerances.begin(), p.control->tolerances.end(), tolerance);
  return runToEnd(std::move(p), true);
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
std::optional<Reference> limitOf(const runtime::Problem& problem) {
  constexpr std::int64_t fewest = 32, most = std::int64_t{1} << 21;
  const double length = problem.timeTo - problem.timeFrom;
  std::vector<double> before; // empty: there is none
  std::optional<Reference> best;
  for (std::int64_t n = fewest; n <= most; n *= 2) {
    const double step = length / static_cast<double>(n);
    auto end = endOf(problem, step);
    if (end && !before.empty()) {
      Reference now{problem.method, step, end->state, distance(end->state, before)};
      const bool small = best && best->error < 1e-9 * now.scale();
      if (small && now.error > best->error / 2) return best; // round-off takes over
      best = std::move(now);
      if (best->error < 4 * roundOff * best->scale()) return best;
    }
    before.clear();
    if (end) before = std::move(end->state);
  }
  return best;
}

} // namespace

std::optional<Reference> referenceOf(std::span<const runtime::Problem* const> problems) {
  std::optional<Reference> result;
  for (const runtime::Problem* p : problems) {
    const auto limit = limitOf(*p);
    if (!limit) continue;
    if (!result)
      result = limit;
    else
      result->error = std::max(result->error, distance(result->state, limit->state));
  }
  return result;
}

namespace {

/// The error of each variable at the end of a run.
std::vector<std::pair<std::string, double>> errorsOf(const runtime::Problem& problem, const std::optional<RunEnd>& end,
                                                     const Reference& reference) {
  std::vector<std::pair<std::string, double>> errors; // squares first
  std::size_t at = 0;
  for (const runtime::Column& c : problem.columns()) {
    if (c.role != runtime::Role::State) continue;
    const std::string& field = c.entry.field;
    auto found = std::find_if(errors.begin(), errors.end(), [&](const auto& e) { return e.first == field; });
    if (found == errors.end()) found = errors.insert(errors.end(), {field, 0});
    const double d = end ? end->state[at] - reference.state[at] : infinite;
    found->second += d * d;
    ++at;
  }
  for (auto& [field, error] : errors) error = std::sqrt(error);
  return errors;
}

/// Adds a run to the errors of its method.
void add(Convergence& c, const runtime::Problem& problem, const Reference& reference, double x,
         const std::optional<RunEnd>& end, const std::string& variable) {
  RunDetail detail{errorsOf(problem, end, reference), end ? end->cost : RunCost()};
  double error = end ? distance(end->state, reference.state) : infinite;
  for (const auto& [field, own] : detail.errors)
    if (field == variable) error = own;
  c.steps.push_back(x);
  c.errors.push_back(error);
  c.details.push_back(std::move(detail));
}

void keepLast(Convergence& c, std::size_t count) {
  const std::size_t n = c.steps.size();
  if (n <= count) return;
  const auto first = static_cast<std::ptrdiff_t>(n - count);
  c.steps.erase(c.steps.begin(), c.steps.begin() + first);
  c.errors.erase(c.errors.begin(), c.errors.begin() + first);
  c.details.erase(c.details.begin(), c.details.begin() + first);
}

} // namespace

Convergence convergence(const runtime::Problem& problem, const Reference& reference, const std::vector<double>& steps,
                        const std::string& variable) {
  constexpr double fewest = 8, most = 1 << 18;
  constexpr std::size_t shown = 3;
  const Window window(reference);
  Convergence c;
  c.method = problem.method;
  c.declared = problem.order;
  const auto measure = [&](double step) {
    add(c, problem, reference, step, endOf(problem, step), variable);
    return c.errors.back();
  };
  for (const double step : steps) measure(step);
  if (steps.empty()) {
    const double length = problem.timeTo - problem.timeFrom;
    // Halved, steps of the highest orders leap over all between errors that are too large and rounding.
    constexpr int highest = 12;
    const double factor = problem.order > highest ? std::sqrt(2.0) : 2;
    for (double n = fewest; n <= most && !settled(c); n *= factor) {
      if (c.errors.size() > 1 && c.errors.back() > window.highest) keepLast(c, 1);
      if (measure(length / std::round(n)) >= window.lowest) continue;
      if (c.steps.size() > shown) { // below what can be told from round-off
        c.steps.pop_back();
        c.errors.pop_back();
        c.details.pop_back();
      }
      break;
    }
    keepLast(c, shown);
  }
  fit(c, window);
  return c;
}

Convergence toleranceStudy(const runtime::Problem& problem, const Reference& reference,
                           const std::vector<double>& tolerances, const std::string& variable) {
  Convergence c;
  c.method = problem.method;
  c.declared = problem.order;
  for (const double tolerance : tolerances)
    add(c, problem, reference, tolerance, endWithTolerance(problem, tolerance), variable);
  std::vector<double> x, y;
  for (std::size_t k = 0; k < c.steps.size(); ++k) {
    if (!(c.errors[k] > 0) || !std::isfinite(c.errors[k])) continue;
    x.push_back(c.steps[k]);
    y.push_back(c.errors[k]);
  }
  if (std::adjacent_find(x.begin(), x.end(), std::not_equal_to<>()) != x.end()) c.order = logarithmicSlope(x, y);
  return c;
}

} // namespace lmc::study
