#include "runtime/run/Events.h"

#include "runtime/run/Sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::runtime {

namespace {

constexpr double doubleRoundOff = std::numeric_limits<double>::epsilon();
/// What is left of a value at its root, times this, is taken for rounding behind a reset.
constexpr double perResidual = 8;

int signOf(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// Where in (0, 1) the cubic with values v and slopes r h at the ends has the extremum next to the left end, and its
/// value there; nothing if it has none.
struct Extremum {
  double at = 0.5, value = 0;
};
Extremum extremumOf(double v0, double s0, double v1, double s1) {
  // v(x) = v0 + s0 x + a x^2 + b x^3
  const double d = v1 - v0 - s0, e = s1 - s0;
  const double a = 3 * d - e, b = e - 2 * d;
  // v' = s0 + 2 a x + 3 b x^2
  double x = 0.5;
  if (std::abs(3 * b) <= 1e-12 * std::abs(a)) {
    if (a != 0) x = -s0 / (2 * a);
  } else {
    const double root = std::sqrt(std::max(a * a - 3 * b * s0, 0.0));
    const double q = -(a + std::copysign(root, a));
    const double x1 = q / (3 * b), x2 = q != 0 ? s0 / q : x1;
    const auto inside = [](double y) { return y > 0 && y < 1; };
    x = inside(x1) && inside(x2) ? std::min(x1, x2) : inside(x1) ? x1 : x2;
  }
  if (!(x > 0 && x < 1)) x = 0.5;
  return {x, v0 + x * (s0 + x * (a + x * b))};
}

/// Where in (0, 1) the cubic with values v of opposite signs and slopes s at the ends is zero; without slopes the line.
double rootOf(double v0, double s0, double v1, double s1) {
  double x = v0 / (v0 - v1);
  if (!std::isfinite(s0) || !std::isfinite(s1)) return x;
  const double d = v1 - v0 - s0, e = s1 - s0, a = 3 * d - e, b = e - 2 * d;
  double lo = 0, hi = 1;
  constexpr int most = 40;
  for (int turn = 0; turn < most; ++turn) {
    const double value = v0 + x * (s0 + x * (a + x * b)), slope = s0 + x * (2 * a + 3 * x * b);
    (signOf(value) == signOf(v0) ? lo : hi) = x;
    const double next = x - value / slope;
    const double safe = next > lo && next < hi ? next : (lo + hi) / 2;
    if (std::abs(safe - x) <= doubleRoundOff) break;
    x = safe;
  }
  return x;
}

} // namespace

std::int32_t EventWatch::evaluate(double t) {
  undefined_.clear();
  const std::int32_t status = workspace_.events(t);
  if (status != Ok) return status;
  now_.values.clear();
  now_.rates.clear();
  for (const EventOutput& e : events_) {
    const double value = workspace_.output()[static_cast<std::size_t>(e.offset)];
    now_.values.push_back(value);
    now_.rates.push_back(e.rate < 0 ? std::numeric_limits<double>::quiet_NaN()
                                    : workspace_.output()[static_cast<std::size_t>(e.rate)]);
    if (!std::isnan(value) || names(problem_.undefinable, e.entry)) continue;
    undefined_ = e.entry.name();
    undefinedAt_ = t;
    return NonFinite;
  }
  return Ok;
}

std::int32_t EventWatch::begin(double t) {
  signs_.assign(events_.size(), 0);
  armed_.assign(events_.size(), false);
  const std::int32_t status = evaluate(t);
  if (status == Ok) accept();
  return status;
}

std::int32_t EventWatch::begin(double t, const std::vector<double>& signs) {
  const std::int32_t status = begin(t);
  for (std::size_t k = 0; k < std::min(signs.size(), signs_.size()); ++k) {
    signs_[k] = signOf(signs[k]);
    armed_[k] = std::abs(signs[k]) > 1;
  }
  return status;
}

std::vector<double> EventWatch::signs() const {
  std::vector<double> list;
  for (std::size_t k = 0; k < signs_.size(); ++k) list.push_back(armed_[k] ? 2 * signs_[k] : signs_[k]);
  return list;
}

void EventWatch::accept() {
  for (std::size_t k = 0; k < signs_.size(); ++k) {
    const int sign = signOf(now_.values[k]);
    if (sign == 0 || (armed_[k] && sign != signs_[k])) continue; // it is still at zero, on its way
    signs_[k] = sign;
    armed_[k] = false;
  }
  left_ = now_;
}

bool EventWatch::counts(std::size_t k, int before) const {
  const int direction = events_[k].direction;
  return before != 0 && (direction == 0 || direction == -before);
}

/// At the present values.
bool EventWatch::happens(const Candidate& c) const {
  const double value = now_.values[c.event];
  return !std::isnan(value) && signOf(value) != c.before;
}

/// Looks between the ends of a step, near the extremum that values and rates tell of, for a value of the other side
/// than both ends; of an armed event, which begins at zero, of its own side.
std::int32_t EventWatch::turn(std::size_t k, const Values& end, double t, double h, const To& to,
                              std::optional<double>& seen) {
  constexpr int most = 60;
  constexpr double clearAtFirst = 0.5, clear = 0.05; // of the values at the ends, by which the cubic may be wrong
  constexpr double edge = 0.01;
  const int wanted = armed_[k] ? signs_[k] : -signs_[k];
  double lo = 0, hi = h, vlo = left_.values[k], rlo = left_.rates[k], vhi = end.values[k], rhi = end.rates[k];
  for (int turn = 0; turn < most; ++turn) {
    const double width = hi - lo;
    const Extremum x = extremumOf(vlo, rlo * width, vhi, rhi * width);
    const double size = std::max(std::abs(vlo), std::abs(vhi));
    if (!armed_[k] && wanted * x.value < -(turn == 0 ? clearAtFirst : clear) * size) return Ok;
    const double theta = lo + width * std::clamp(x.at, edge, 1 - edge);
    if (!(theta > lo && theta < hi)) return Ok;
    std::int32_t status = to(theta);
    if (status == Ok) status = evaluate(t + theta);
    if (status != Ok) return status;
    const double value = now_.values[k], rate = now_.rates[k];
    if (signOf(value) == wanted) {
      seen = theta;
      return Ok;
    }
    if (!std::isfinite(rate) || rate == 0) return Ok;
    const bool before = signOf(rate) == signOf(rlo); // the extremum lies where the rate changes its sign
    (before ? lo : hi) = theta;
    (before ? vlo : vhi) = value;
    (before ? rlo : rhi) = rate;
  }
  return Ok;
}

/// Adds the event to the candidates if it happens within the step.
std::int32_t EventWatch::consider(std::size_t k, const Values& end, double t, double h, const To& to) {
  const int sign = signs_[k], after = signOf(end.values[k]);
  if (sign == 0 || std::isnan(end.values[k])) return Ok;
  const double rate0 = left_.rates[k], rate1 = end.rates[k];
  const bool known = std::isfinite(rate0) && std::isfinite(rate1);
  std::optional<double> seen;
  if (armed_[k] && after != sign) {
    // It went to its side and came back; or it has not left zero yet.
    if (!known || sign * rate1 >= 0) return Ok;
    if (!counts(k, sign)) {
      armed_[k] = false; // the way back does not count: `accept` takes the sign
      return Ok;
    }
    const std::int32_t status = turn(k, end, t, h, to, seen);
    if (seen)
      candidates_.push_back({k, *seen, h, sign});
    else if (status == Ok)
      stuck_ = events_[k].entry.name();
    return status;
  }
  if (after != sign) {
    if (counts(k, sign)) candidates_.push_back({k, 0, h, sign});
    return Ok;
  }
  if (armed_[k] || !known || sign * rate0 >= 0 || sign * rate1 <= 0) return Ok;
  const std::int32_t status = turn(k, end, t, h, to, seen);
  if (!seen) return status;
  if (counts(k, sign))
    candidates_.push_back({k, 0, *seen, sign});
  else
    candidates_.push_back({k, *seen, h, -sign});
  return status;
}

std::int32_t EventWatch::look(double t, double h, double end, const To& to, bool& happened) {
  stuck_.clear();
  candidates_.clear();
  happened = false;
  std::int32_t status = evaluate(end);
  if (status != Ok) return status;
  const Values there = now_;
  const std::span<double> state = workspace_.state();
  const std::vector<double> last(state.begin(), state.end());
  for (std::size_t k = 0; k < signs_.size() && status == Ok && stuck_.empty(); ++k)
    status = consider(k, there, t, h, to);
  if (status != Ok) return status;
  now_ = there;
  std::copy(last.begin(), last.end(), state.begin());
  happened = !candidates_.empty();
  return Ok;
}

/// The earliest time in (from, until], to round-off, at which a candidate that happens at `until`, whose values are the
/// present ones, has its new sign. `here`: the state is that at the time which was found.
std::int32_t EventWatch::root(const Candidate& c, double until, double t, const To& to, double& found, bool& here) {
  const std::size_t k = c.event;
  const double resolution = 2 * doubleRoundOff * std::max(std::abs(t), std::abs(t + until));
  double left = c.from, right = until, valueRight = now_.values[k], rateRight = now_.rates[k];
  double valueLeft = 0, rateLeft = std::numeric_limits<double>::quiet_NaN();
  bool known = c.from == 0 && !armed_[k];
  if (known) {
    valueLeft = left_.values[k];
    rateLeft = left_.rates[k];
  }
  // A little before the guess first; then on the other side of it by a distance that grows until both sides are seen.
  // If the guess is right these are two points, of which the second one is behind the event, where the state is wanted.
  constexpr double growth = 4;
  double reach = resolution / 2;
  int side = 0; // of the last point, seen from the guess: -1 before it, 1 behind it
  here = false;
  while (right - left > resolution) {
    const double width = right - left;
    double theta = left + width / 2;
    if (known && valueLeft != valueRight && reach < width / growth) {
      const double guess = left + width * rootOf(valueLeft, rateLeft * width, valueRight, rateRight * width);
      theta = side == 0 ? guess - resolution / 4 : guess - side * reach;
      if (side != 0) reach *= growth;
      theta = std::clamp(theta, left + resolution / 2, right - resolution / 2);
    }
    if (!(theta > left && theta < right)) break; // nothing lies between
    std::int32_t status = to(theta);
    if (status == Ok) status = evaluate(t + theta);
    if (status != Ok) return status;
    here = happens(c);
    const int last = side;
    side = here ? 1 : -1;
    if (last != 0 && side != last) reach = resolution / 2;
    // Without rates by the method of Illinois: an end that stays counts half (Dowell, Jarratt, BIT 11 (1971), 168-174).
    if (side == last && !std::isfinite(now_.rates[k])) (here ? valueLeft : valueRight) /= 2;
    (here ? right : left) = theta;
    (here ? valueRight : valueLeft) = now_.values[k];
    (here ? rateRight : rateLeft) = now_.rates[k];
    known = known || !here;
  }
  found = right;
  return Ok;
}

std::int32_t EventWatch::locate(double t, double h, const To& to, EventFound& found) {
  double first = h;
  bool any = false, here = true; // the state is that at `first`: at the begin the end of the step
  const auto go = [&](double theta) {
    const std::int32_t status = to(theta);
    return status == Ok ? evaluate(t + theta) : status;
  };
  for (const Candidate& c : candidates_) {
    std::int32_t status = here ? Ok : go(first);
    here = true;
    // By the first of the others so far it has not begun, or not happened: it comes later.
    if (status == Ok && any && (c.from >= first || (c.until >= first && !happens(c)))) continue;
    const double until = std::min(c.until, first);
    if (status == Ok && until != first) status = go(until);
    if (status == Ok) status = root(c, until, t, to, first, here);
    if (status != Ok) return status;
    any = true;
  }
  if (!here)
    if (const std::int32_t status = go(first); status != Ok) return status;
  // Those that happen at the same time up to rounding.
  const double resolution = 2 * doubleRoundOff * std::max(std::abs(t), std::abs(t + h));
  residual_.clear();
  for (const double v : now_.values) residual_.push_back(std::abs(v));
  happened_.clear();
  const auto collect = [&] {
    for (const Candidate& c : candidates_) {
      const bool known = std::find(happened_.begin(), happened_.end(), c.event) != happened_.end();
      if (!known && c.from <= first && happens(c)) happened_.push_back(c.event);
    }
  };
  collect();
  std::int32_t status = Ok;
  if (first + 2 * resolution < h && candidates_.size() > happened_.size()) {
    status = go(first + 2 * resolution);
    here = false;
    if (status != Ok) return status;
    for (std::size_t k = 0; k < residual_.size(); ++k) residual_[k] = std::max(residual_[k], std::abs(now_.values[k]));
    collect();
    std::sort(happened_.begin(), happened_.end());
  }
  // What a value changes by in the time that is left uncertain is left of it.
  for (std::size_t k = 0; k < residual_.size(); ++k)
    if (std::isfinite(now_.rates[k])) residual_[k] = std::max(residual_[k], std::abs(now_.rates[k]) * resolution);
  found = {events_[happened_.front()].entry.name(), first == h ? t + h : t + first};
  if (!here) status = to(first);
  if (status == Ok) status = evaluate(found.time);
  if (status == Ok) leaveZero();
  return status;
}

/// The step ends at the event: others that have begun at zero, and are on their side by now, have left it. What the
/// event does may send them back at once.
void EventWatch::leaveZero() {
  for (std::size_t k = 0; k < signs_.size(); ++k) {
    const bool own = std::find(happened_.begin(), happened_.end(), k) != happened_.end();
    if (!own && armed_[k] && signOf(now_.values[k]) == signs_[k]) armed_[k] = false;
  }
}

std::int32_t EventWatch::settle(double t, const std::vector<std::size_t>& done) {
  const std::vector<int> before = signs_;
  happened_.clear();
  const std::int32_t status = evaluate(t);
  if (status != Ok) return status;
  for (std::size_t k = 0; k < signs_.size(); ++k) {
    const double value = now_.values[k], rate = now_.rates[k];
    if (std::isnan(value)) continue;
    if (std::find(done.begin(), done.end(), k) == done.end()) {
      const int sign = signOf(value);
      if (sign == before[k] || sign == 0 ||
          (armed_[k] && k < residual_.size() && std::abs(value) <= perResidual * residual_[k]))
        continue;
      if (counts(k, before[k])) happened_.push_back(k);
      signs_[k] = sign;
      armed_[k] = false;
      continue;
    }
    const bool zero = k < residual_.size() && std::abs(value) <= perResidual * residual_[k];
    armed_[k] = zero && std::isfinite(rate) && rate != 0;
    signs_[k] = armed_[k] ? signOf(rate) : signOf(value);
  }
  left_ = now_;
  return Ok;
}

} // namespace lmc::runtime
