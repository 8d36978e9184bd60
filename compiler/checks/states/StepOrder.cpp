#include "checks/states/StepOrder.h"

#include "runtime/run/Workspace.h"

#include <algorithm>
#include <cmath>

namespace lmc::checks {

namespace {

constexpr std::size_t largestState = 400;
/// Errors of steps between these show an order: above them series do not count, below is what the reference is worth.
constexpr double visible = 3e-9, asymptotic = 3e-2;
/// What a measured order may lack.
constexpr double lack = 0.6;
constexpr int rows = 8;      ///< of the extrapolation
constexpr int halvings = 12; ///< of the first step, a part of the time in which the state changes by its size
constexpr double firstStep = 0.5;

double largestDifference(const State& a, const State& b) {
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, std::abs(a[k] - b[k]));
  return d;
}

double size(const State& y) {
  double s = 1;
  for (const double x : y) s = std::max(s, std::abs(x));
  return s;
}

/// y' in the coordinates of the storage, by differences of fourth order.
State storageRate(StateSpace& space, const State& y, double t) {
  const Direction f = space.field(y, t);
  constexpr double change = 1e-3;
  const double s = change / space.rate(y, f);
  const State far = space.moved(y, f, 2 * s), near = space.moved(y, f, s), back = space.moved(y, f, -s),
              farBack = space.moved(y, f, -2 * s);
  State rate(y.size());
  for (std::size_t k = 0; k < y.size(); ++k) rate[k] = (8 * (near[k] - back[k]) - (far[k] - farBack[k])) / (12 * s);
  return rate;
}

State plus(const State& y, double c, const State& v) {
  State r = y;
  for (std::size_t k = 0; k < y.size(); ++k) r[k] += c * v[k];
  return r;
}

/// The motion after h: midpoint rules with 2, 4, … steps, extrapolated in the square of the step.
State reference(StateSpace& space, const State& y, double t, double h) {
  const State start = storageRate(space, y, t);
  std::vector<State> table;
  for (int row = 1; row <= rows; ++row) {
    const int n = 2 * row;
    const double step = h / n;
    State before = y, now = plus(y, step, start);
    for (int k = 1; k < n; ++k) {
      State next = plus(before, 2 * step, storageRate(space, now, t + k * step));
      before = std::move(now);
      now = std::move(next);
    }
    table.push_back(std::move(now));
    for (int k = row - 1; k > 0; --k) { // Aitken and Neville
      const double ratio = static_cast<double>(row) / k;
      State& left = table[static_cast<std::size_t>(k) - 1];
      const State& right = table[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < y.size(); ++i) left[i] = right[i] + (right[i] - left[i]) / (ratio * ratio - 1);
    }
  }
  return table.front();
}

std::optional<State> stepped(const runtime::Problem& problem, const State& y, double t, double h) {
  runtime::Workspace w(problem);
  if (w.start() != 0) return std::nullopt;
  std::copy(y.begin(), y.end(), w.state().begin());
  std::int64_t done = 0;
  if (w.advance(t, h, 0, 1, done) != 0) return std::nullopt;
  return State(w.state().begin(), w.state().begin() + static_cast<std::ptrdiff_t>(y.size())); // without what is kept
}

/// Orders that successive errors in the visible range show, that of the longest steps first.
std::vector<double> orders(const StepOrder& s) {
  std::vector<double> list;
  for (std::size_t k = 1; k < s.errors.size(); ++k) {
    const auto [h0, e0] = s.errors[k - 1];
    const auto [h1, e1] = s.errors[k];
    if (e0 < asymptotic && e1 > visible) list.push_back(std::log(e0 / e1) / std::log(h0 / h1) - 1);
  }
  return list;
}

} // namespace

bool StepOrder::holds() const {
  if (!consistent) return false;
  const std::vector<double> list = orders(*this);
  return list.size() < 2 || list.back() > declared - lack || list[list.size() - 2] > declared - lack;
}

std::optional<StepOrder> measureStepOrder(StateSpace& space, const runtime::Problem& problem, const State& y,
                                          double t) {
  // A method that keeps numbers has its order from the second step on.
  const bool keeps =
      problem.sizes[static_cast<std::size_t>(runtime::Role::State)] > static_cast<std::int64_t>(y.size());
  if (y.size() > largestState || problem.control || keeps) return std::nullopt;
  StepOrder result;
  result.declared = problem.order;
  const double rate = space.rate(y, space.field(y, t));
  // One scale for all steps: from rest the state itself grows with the step, and errors relative to it lose an order.
  const double scale = std::max(size(y), rate);
  double h = firstStep / rate;
  for (int k = 0; k < halvings; ++k, h /= 2) {
    const std::optional<State> own = stepped(problem, y, t, h);
    const State exact = reference(space, y, t, h);
    if (!own || !finite(exact)) {
      result.errors.clear();
      continue;
    }
    const double error = largestDifference(*own, exact) / scale;
    if (!std::isfinite(error)) continue;
    result.errors.emplace_back(h, error);
    result.consistent = error < visible || error * scale < largestDifference(exact, y) / 2;
    if (error < visible) break;
  }
  const std::vector<double> list = orders(result);
  if (!list.empty()) result.measured = list.back();
  return result;
}

} // namespace lmc::checks
