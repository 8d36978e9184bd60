#include "runtime/run/Events.h"

#include "runtime/run/Sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lmc::runtime {

namespace {

constexpr double doubleRoundOff = std::numeric_limits<double>::epsilon();
/// What is left of a value at its root, times this, is taken for rounding behind a reset.
constexpr double perResidual = 8;
/// Of the largest value of an event: what rounding may leave of it.
constexpr double touchRounding = 16 * doubleRoundOff;
/// Of the same: what steps of a fixed length, of which no error is known, are trusted to.
constexpr double fixedStepDoubt = 1e3 * touchRounding;
constexpr std::size_t mostDoubts = 1000;

} // namespace

std::int32_t EventWatch::evaluate(double t) {
  undefined_.clear();
  if (const std::int32_t status = workspace_.events(t); status != Ok) return status;
  now_.values.clear();
  now_.rates.clear();
  for (const EventOutput& e : events_) {
    const double value = workspace_.output()[static_cast<std::size_t>(e.offset)];
    const std::size_t k = now_.values.size();
    if (std::abs(value) > largest_[k] && std::isfinite(value)) largest_[k] = std::abs(value);
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
  presumed_.assign(events_.size(), false);
  rounded_.assign(events_.size(), false);
  touched_.assign(events_.size(), std::nullopt);
  largest_.assign(events_.size(), 0);
  const std::int32_t status = evaluate(t);
  if (status == Ok) accept();
  stepBefore_ = step_ = 0;
  for (std::size_t k = 0; k < signs_.size() && status == Ok; ++k) {
    if (events_[k].cause != ContactCause::None || now_.values[k] != 0 || !std::isfinite(now_.rates[k])) continue;
    signs_[k] = signOf(now_.rates[k]);
    armed_[k] = presumed_[k] = signs_[k] != 0;
  }
  return status;
}

/// What the last look was not sure of, as far as the step went, and of the events that have ended it: their extremum
/// lies behind the first crossing.
void EventWatch::tellDoubts(double until) {
  for (const EventDoubt& d : pending_) {
    const bool ended = std::any_of(happened_.begin(), happened_.end(),
                                   [&](std::size_t k) { return events_[k].entry.name() == d.name; });
    if ((d.time <= until || (d.happened && ended)) && doubts_.size() < mostDoubts) doubts_.push_back(d);
  }
  pending_.clear();
}

void EventWatch::accept() {
  tellDoubts(std::numeric_limits<double>::infinity());
  std::swap(before_, left_); // `left_` gets the present values below
  stepBefore_ = step_;
  for (std::size_t k = 0; k < signs_.size(); ++k) {
    const int sign = signOf(now_.values[k]);
    if (sign == 0 || (armed_[k] && sign != signs_[k] && !leftZero_[k])) continue; // it is still at zero, on its way
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
  return c.touches || (!std::isnan(value) && signOf(value) != c.before);
}

/// Of an armed event, which begins at zero, and ends on the other side: looks between the ends of a step, near the
/// extremum that values and rates tell of, for a value of its own side.
std::int32_t EventWatch::turn(std::size_t k, const Values& end, double t, double h, const To& to,
                              std::optional<double>& seen) {
  constexpr int most = 60;
  constexpr double edge = 0.01;
  const int wanted = signs_[k];
  const double least =
      presumed_[k] ? scaleOf(k, t, h).rounding : 0; // it may have been left of a root that has happened
  double lo = 0, hi = h, vlo = left_.values[k], rlo = left_.rates[k], vhi = end.values[k], rhi = end.rates[k];
  for (int turn = 0; turn < most; ++turn) {
    const double width = hi - lo;
    const std::vector<double> at = Cubic({lo, vlo, rlo}, {hi, vhi, rhi}).extrema();
    const double theta = lo + width * (at.empty() ? 0.5 : std::clamp(at.front(), edge, 1 - edge));
    if (!(theta > lo && theta < hi)) return Ok;
    std::int32_t status = to(theta);
    if (status == Ok) status = evaluate(t + theta);
    if (status != Ok) return status;
    const double value = now_.values[k], rate = now_.rates[k];
    if (wanted * value > least) {
      seen = theta;
      return Ok;
    }
    if (!std::isfinite(rate) || rate == 0) return Ok;
    const bool before = signOf(rate) == wanted; // at the begin the rate leads there, or is zero but for rounding
    (before ? lo : hi) = theta;
    (before ? vlo : vhi) = value;
    (before ? rlo : rhi) = rate;
  }
  return Ok;
}

RootScale EventWatch::scaleOf(std::size_t k, double t, double h) const {
  double part = fixedStepDoubt;
  if (problem_.control)
    for (const double tolerance : problem_.control->tolerances) part = std::max(part, tolerance);
  const double rounding = touchRounding * largest_[k];
  return {rounding, part * largest_[k], 2 * doubleRoundOff * std::max(std::abs(t), std::abs(t + h))};
}

/// Values and rates of all events within the step, which are kept for those that ask next.
std::int32_t EventWatch::probe(std::optional<Values>& kept, double at, double t, const To& to) {
  if (kept) return Ok;
  if (const std::int32_t status = to(at); status != Ok) return status;
  const std::int32_t status = evaluate(t + at);
  if (status != Ok && undefined_.empty()) return status;
  kept = now_;
  kept->values.resize(signs_.size(), NAN); // those behind one that is undefined
  kept->rates.resize(signs_.size(), NAN);
  return Ok;
}

/// Of an event with rates: whether the cubic through the ends of the step tells where it is zero. Steps of a fixed
/// length are taken for short behind a begin. In long ones what swings fast may meet the cubic at one place by chance:
/// unless it is near, another place is asked.
std::int32_t EventWatch::asks(std::size_t k, const Values& end, double t, double h, const To& to, bool& cubicTells) {
  const RootPoint left{0, left_.values[k], left_.rates[k]}, right{h, end.values[k], end.rates[k]};
  const std::optional<double> missed = missedBefore(k, left, right);
  double most = missed.value_or(0);
  const auto ask = [&](std::optional<Values>& kept, double at) {
    if (const std::int32_t status = probe(kept, at, t, to); status != Ok) return status;
    most = std::max(most, RootScan::missedAt(left, {at, kept->values[k], kept->rates[k]}, right));
    return static_cast<std::int32_t>(Ok);
  };
  if (!missed && problem_.control)
    if (const std::int32_t status = ask(middle_, h / 2); status != Ok) return status;
  const bool told = RootScan::tells(most, left, right), small = !(most > scaleOf(k, t, h).doubt);
  constexpr double aside = 0.3; // of the step
  if (told && !small && problem_.control && !RootScan::tellsSurely(most, left, right))
    if (const std::int32_t status = ask(aside_, aside * h); status != Ok) return status;
  cubicTells = small || RootScan::tells(most, left, right);
  return Ok;
}

/// Looks for several roots within the step, and for double ones.
std::int32_t EventWatch::scan(std::size_t k, const Values& end, double t, double h, const To& to, bool cubicTells) {
  RootPoint left{0, left_.values[k], left_.rates[k]};
  const RootPoint right{h, end.values[k], end.rates[k]};
  const auto evaluateAt = [&](RootPoint& p) {
    std::int32_t status = to(p.at);
    if (status == Ok) status = evaluate(t + p.at);
    if (status != Ok) return status;
    p.value = now_.values[k];
    p.rate = now_.rates[k];
    return std::isnan(p.value) ? static_cast<std::int32_t>(NonFinite) : status;
  };
  RootScan found(evaluateAt, scaleOf(k, t, h));
  const auto bySignsAlone = [&] {
    if (signOf(right.value) != signs_[k] && counts(k, signs_[k])) candidates_.push_back({k, 0, h, signs_[k]});
    return static_cast<std::int32_t>(Ok);
  };
  std::int32_t status = Ok;
  if (std::isnan(left.value)) return bySignsAlone();
  if (std::isfinite(left.rate) && std::isfinite(right.rate)) {
    status = !cubicTells ? found.halved(left, right, armed_[k] ? signs_[k] : 0)
             : armed_[k] ? found.afterZero(left, signs_[k], right)
                         : found.withRates(left, right);
    const auto away = [&](const RootPoint& p) { return signs_[k] * p.value > scaleOf(k, t, h).rounding; };
    leftZero_[k] = !cubicTells && std::any_of(found.points().begin(), found.points().end(), away);
  } else if (events_[k].cause == ContactCause::None) {
    std::optional<RootPoint> earlier;
    if (stepBefore_ > 0 && std::isfinite(before_.values[k])) earlier = RootPoint{-stepBefore_, before_.values[k]};
    status = found.withoutRates(earlier, left, right);
  } else {
    return bySignsAlone();
  }
  if (status == NonFinite && undefined_.empty()) return bySignsAlone(); // it may be undefined between the ends
  if (status == Ok) take(k, found, t);
  return status;
}

/// Makes the first root that counts a candidate. Double roots are no events of contacts: no gap closes there.
void EventWatch::take(std::size_t k, const RootScan& found, double t) {
  std::optional<Candidate> first;
  int sign = signs_[k];
  const std::vector<RootPoint>& points = found.points();
  for (std::size_t i = 1; i < points.size() && !first; ++i) {
    const int now = signOf(points[i].value);
    if (now == sign || (now == 0 && i + 1 < points.size())) continue;
    if (counts(k, sign)) {
      const RootPoint &from = points[i - 1], &until = points[i];
      first = Candidate{k, from.at, until.at, sign};
      if (signOf(from.value) == sign) first->guess = from.at + (until.at - from.at) * Cubic(from, until).root();
    }
    sign = now;
  }
  const double rounding = scaleOf(k, t, 0).rounding;
  for (const RootScan::Extremum& e : found.extrema()) {
    if (events_[k].cause != ContactCause::None) continue;
    if (std::abs(e.value) <= rounding) {
      if (!(e.at > 0)) continue; // it was the end of the step before
      if (!first || e.at <= first->until) first = Candidate{k, e.at, e.at, e.side, true};
      break;
    }
    pending_.push_back({events_[k].entry.name(), t + e.at, e.value, signOf(e.value) != e.side});
  }
  if (first) candidates_.push_back(*first);
}

/// Of a contact that has opened at a rate of rounding: its gap may stay at zero but for rounding, as of balls that
/// touch and do not move. Where it becomes negative by more, it has closed: behind a time at which it was positive, if
/// there is one, else at once.
std::int32_t EventWatch::closesAgain(std::size_t k, const Values& end, double t, double h, const To& to) {
  if (!(end.values[k] < -scaleOf(k, t, h).doubt)) return Ok;
  const int before = std::exchange(signs_[k], 1);
  std::optional<double> seen;
  const std::int32_t status = turn(k, end, t, h, to, seen);
  signs_[k] = before;
  if (status == Ok) candidates_.push_back({k, seen.value_or(0), h, 1});
  return status;
}

/// Adds the event to the candidates if it happens within the step.
std::int32_t EventWatch::consider(std::size_t k, const Values& end, double t, double h, const To& to) {
  if (leavesByRounding(k)) return closesAgain(k, end, t, h, to);
  const int sign = signs_[k], after = signOf(end.values[k]);
  if (sign == 0 || std::isnan(end.values[k])) return Ok;
  const bool known = std::isfinite(left_.rates[k]) && std::isfinite(end.rates[k]);
  bool tells = true;
  if (known)
    if (const std::int32_t status = asks(k, end, t, h, to, tells); status != Ok) return status;
  // Of an armed event that is on the other side, on its way back, a cubic tells nothing.
  if (armed_[k] && after == -sign && sign * end.rates[k] > 0 && std::abs(end.values[k]) > scaleOf(k, t, h).doubt)
    tells = false;
  if (!armed_[k] || (known && (after == sign || !tells))) return scan(k, end, t, h, to, tells);
  // It went to its side and came back; or it has not left zero yet.
  if (after == sign || !known || sign * end.rates[k] >= 0) return Ok;
  if (!counts(k, sign)) {
    armed_[k] = false; // the way back does not count: `accept` takes the sign
    return Ok;
  }
  std::optional<double> seen;
  const std::int32_t status = turn(k, end, t, h, to, seen);
  if (seen) {
    candidates_.push_back({k, *seen, h, sign});
  } else if (status == Ok && presumed_[k]) { // it has gone to the other side at once: `accept` takes the sign
    armed_[k] = false;
    signs_[k] = 0;
  } else if (status == Ok) {
    stuck_ = events_[k].entry.name();
  }
  return status;
}

/// At the end of a step of length h, where the present values are: the event stands on its side, and `scan` would look
/// nowhere within the step. False says nothing.
bool EventWatch::calm(std::size_t k, double t, double h) const {
  if (leavesByRounding(k)) return now_.values[k] >= -scaleOf(k, t, h).doubt;
  const int sign = signs_[k];
  const RootPoint left{0, left_.values[k], left_.rates[k]}, right{h, now_.values[k], now_.rates[k]};
  if (sign == 0 || armed_[k] || signOf(left.value) != sign || signOf(right.value) != sign) return false;
  if (std::isfinite(left.rate) && std::isfinite(right.rate)) {
    const std::optional<double> missed = missedBefore(k, left, right);
    if (!missed && problem_.control) return false;
    const bool tells = problem_.control ? RootScan::tellsSurely(*missed, left, right)
                                        : RootScan::tells(missed.value_or(0), left, right);
    return tells && std::abs(right.value) > scaleOf(k, t, h).doubt && RootScan::farFromZero(left, right);
  }
  if (events_[k].cause != ContactCause::None) return true; // signs alone tell
  return stepBefore_ > 0 && std::isfinite(before_.values[k]) &&
         RootScan::nearlyStraight({-stepBefore_, before_.values[k]}, left, right);
}

std::int32_t EventWatch::look(double t, double h, double end, const To& to, bool& happened) {
  stuck_.clear();
  candidates_.clear();
  pending_.clear();
  middle_.reset();
  aside_.reset();
  leftZero_.assign(signs_.size(), false);
  step_ = h;
  happened = false;
  std::int32_t status = evaluate(end);
  if (status != Ok) return status;
  bool quiet = true;
  for (std::size_t k = 0; k < signs_.size() && quiet; ++k) quiet = calm(k, t, h);
  if (quiet) return Ok; // the present values and the state are those of the end
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
  here = true;
  found = until;
  if (c.touches) return Ok;
  const double resolution = 2 * doubleRoundOff * std::max(std::abs(t), std::abs(t + until));
  double left = c.from, right = until, valueRight = now_.values[k], rateRight = now_.rates[k];
  double valueLeft = 0, rateLeft = std::numeric_limits<double>::quiet_NaN();
  bool known = c.from == 0 && !armed_[k];
  if (known) {
    valueLeft = left_.values[k];
    rateLeft = left_.rates[k];
  }
  // With rates a little behind the guess, a few times, until a value there is what the rate makes of half the
  // resolution: that is the event, where the state is wanted. Else, or where rounding of the values is more, on one
  // side of the guess and the other by a distance that grows until both sides are seen.
  constexpr double near = 0.5; // of the resolution
  constexpr int guesses = 4;
  int looks = 0;
  constexpr double growth = 4;
  double reach = resolution / 2;
  int side = 0;       // of the last point, seen from the guess: -1 before it, 1 behind it
  bool close = false; // the last value is nearly rounding
  here = false;
  while (right - left > resolution) {
    const double width = right - left;
    double theta = left + width / 2;
    if (known && valueLeft != valueRight && reach < width / growth) {
      const double guess = left + width * Cubic({left, valueLeft, rateLeft}, {right, valueRight, rateRight}).root();
      const bool behind = std::isfinite(rateRight) && !close && looks++ < guesses;
      theta = behind ? guess + resolution / 4 : side == 0 ? guess - resolution / 4 : guess - side * reach;
      if (side != 0 && !behind) reach *= growth;
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
    const double most = near * resolution * std::abs(now_.rates[k]);
    close = std::abs(now_.values[k]) <= 8 * most; // not a number: false
    if (here && std::abs(now_.values[k]) <= most) break;
  }
  found = right;
  return Ok;
}

std::int32_t EventWatch::locate(double t, double h, const To& to, EventFound& found) {
  double first = h;
  std::size_t winner = 0;        // the event that `first` is of
  bool any = false, here = true; // the state is that at `first`: at the begin the end of the step
  const auto go = [&](double theta) {
    const std::int32_t status = to(theta);
    return status == Ok ? evaluate(t + theta) : status;
  };
  // At the first of them the others have mostly not happened yet, which one look tells: it is located first.
  std::vector<Candidate> order = candidates_;
  std::stable_sort(order.begin(), order.end(),
                   [](const Candidate& a, const Candidate& b) { return a.guess < b.guess; });
  for (const Candidate& c : order) {
    std::int32_t status = here ? Ok : go(first);
    here = true;
    // By the first of the others so far it has not begun, or not happened: it comes later.
    if (status == Ok && any && (c.from >= first || (c.until >= first && !happens(c)))) continue;
    const double until = std::min(c.until, first);
    if (status == Ok && until != first) status = go(until);
    if (status == Ok) status = root(c, until, t, to, first, here);
    if (status != Ok) return status;
    any = true;
    winner = c.event;
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
  // A partial step over the whole length may differ in the last bit from the step, which had the new sign.
  if (happened_.empty()) happened_.push_back(winner);
  // What a value changes by in the time that is left uncertain is left of it.
  for (std::size_t k = 0; k < residual_.size(); ++k)
    if (std::isfinite(now_.rates[k])) residual_[k] = std::max(residual_[k], std::abs(now_.rates[k]) * resolution);
  found = {events_[happened_.front()].entry.name(), first == h ? t + h : t + first};
  tellDoubts(found.time);
  touched_.assign(events_.size(), std::nullopt);
  if (!here) status = to(first);
  if (status == Ok) status = evaluate(found.time);
  if (status != Ok) return status;
  for (const Candidate& c : candidates_)
    if (c.touches && c.until <= first) touched_[c.event] = now_.rates[c.event];
  leaveZero(found.time);
  return Ok;
}

/// The step ends at the event, at time t: others that have begun at zero, and are on their side by now, have left it,
/// and others that have crossed zero in a direction that does not count are on their new side. What the event does may
/// send them back at once.
void EventWatch::leaveZero(double t) {
  for (std::size_t k = 0; k < signs_.size(); ++k) {
    if (std::find(happened_.begin(), happened_.end(), k) != happened_.end()) continue;
    const int sign = signOf(now_.values[k]);
    if (armed_[k] && sign == signs_[k]) armed_[k] = false;
    // It has left zero and come back, by more than what may be left of zero.
    const RootScale scale = scaleOf(k, t, 0);
    const double left = std::max(scale.rounding, std::abs(now_.rates[k]) * scale.resolution);
    if (armed_[k] && !counts(k, signs_[k]) && std::abs(now_.values[k]) > perResidual * left) armed_[k] = false;
    if (armed_[k] || sign == 0) continue;
    if (!counts(k, signs_[k])) signs_[k] = sign;
    residual_[k] = 0; // it is not at zero
  }
}

std::int32_t EventWatch::settle(double t, const std::vector<std::size_t>& done) {
  const std::vector<int> before = signs_;
  happened_.clear();
  if (const std::int32_t status = evaluate(t); status != Ok) return status;
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
    // What has touched zero, and goes on as it came, stays on its side: its rate is zero up to rounding, too.
    const bool goesBack = zero && touched_[k] && (*touched_[k] == rate || std::isnan(rate));
    armed_[k] = goesBack || (zero && std::isfinite(rate) && rate != 0);
    presumed_[k] = goesBack;
    if (!goesBack) signs_[k] = armed_[k] ? signOf(rate) : signOf(value);
    // The gap of a contact that is open again opens, though behind an impact its rate may be rounding of any sign.
    rounded_[k] = zero && events_[k].cause == ContactCause::Closes && signs_[k] <= 0;
  }
  touched_.assign(events_.size(), std::nullopt);
  left_ = now_;
  stepBefore_ = 0;
  step_ = 0;
  return Ok;
}

} // namespace lmc::runtime
