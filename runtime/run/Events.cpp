#include "runtime/run/Events.h"

#include "runtime/run/Sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::runtime {

namespace {
int signOf(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}
} // namespace

std::int32_t EventWatch::evaluate(double t) {
  undefined_.clear();
  const std::int32_t status = workspace_.events(t);
  if (status != Ok) return status;
  values_.clear();
  for (const EventOutput& e : events_) {
    const double value = workspace_.output()[static_cast<std::size_t>(e.offset)];
    values_.push_back(value);
    if (!std::isnan(value) || names(problem_.undefinable, e.entry)) continue;
    undefined_ = e.entry.name();
    undefinedAt_ = t;
    return NonFinite;
  }
  return Ok;
}

std::int32_t EventWatch::begin(double t) {
  signs_.assign(events_.size(), 0);
  const std::int32_t status = evaluate(t);
  if (status == Ok) accept();
  return status;
}

void EventWatch::accept() {
  for (std::size_t k = 0; k < signs_.size(); ++k) {
    const int sign = signOf(values_[k]);
    if (sign != 0) signs_[k] = sign;
  }
}

bool EventWatch::crossed(std::size_t k) const {
  const int before = signs_[k], direction = events_[k].direction;
  if (before == 0 || std::isnan(values_[k]) || signOf(values_[k]) == before) return false;
  return direction == 0 || direction == -before;
}

std::int32_t EventWatch::look(double t, bool& happened) {
  happened = false;
  const std::int32_t status = evaluate(t);
  for (std::size_t k = 0; status == Ok && k < signs_.size(); ++k) happened = happened || crossed(k);
  return status;
}

std::int32_t EventWatch::locate(double t, double h, const std::function<std::int32_t(double)>& to, EventFound& found) {
  constexpr double roundOff = std::numeric_limits<double>::epsilon();
  const double resolution = 2 * roundOff * std::max(std::abs(t), std::abs(t + h));
  const auto at = [&](double theta) {
    const std::int32_t status = to(theta);
    return status == Ok ? evaluate(t + theta) : status;
  };
  const auto first = [&] { // of the events that have happened at the present state
    std::size_t k = 0;
    while (k < signs_.size() && !crossed(k)) ++k;
    return k;
  };
  std::size_t k = first();
  double left = 0, right = h, valueRight = values_[k], valueLeft = 0;
  bool known = false, halve = false; // valueLeft is that at `left`; the next point is the middle
  while (right - left > resolution) {
    double theta = left + (right - left) / 2;
    if (known && !halve && valueLeft != valueRight) {
      const double guess = right - valueRight * (right - left) / (valueRight - valueLeft);
      const double margin = std::max(resolution / 2, 1e-3 * (right - left));
      theta = std::clamp(guess, left + margin, right - margin);
    }
    if (!(theta > left && theta < right)) break; // nothing lies between
    if (const std::int32_t status = at(theta); status != Ok) return status;
    const std::size_t earlier = first();
    const double width = right - left;
    if (earlier < signs_.size()) {
      known = known && earlier == k;
      k = earlier;
      right = theta;
      valueRight = values_[k];
    } else {
      left = theta;
      valueLeft = values_[k];
      known = true;
    }
    halve = right - left > width / 2; // the secant did worse than the middle
  }
  const std::int32_t status = at(right);
  found = {events_[k].entry.name(), right == h ? t + h : t + right};
  return status;
}

} // namespace lmc::runtime
