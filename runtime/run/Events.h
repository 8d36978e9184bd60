// Events: expressions at whose zero crossing a run stops, or the state is reset.
#pragma once

#include "runtime/roots/RootScan.h"
#include "runtime/run/Workspace.h"

#include <cmath>
#include <functional>
#include <optional>

namespace lmc::runtime {

/// An event that has happened.
struct EventFound {
  std::string name; ///< with the member's index: "hit[2]"
  double time = 0;
};

/// An extremum of an event so near to zero that the error of the run decides on which side it lies.
struct EventDoubt {
  std::string name;
  double time = 0;
  double value = 0;      ///< of the event there
  bool happened = false; ///< it was taken for one that crosses zero
};

/// Watches the signs of a problem's events along a run.
///
/// An event has happened when its value has another sign than it had last, or is zero, and the direction is right. A
/// value that is zero at the begin has the sign of its rate; where that is zero or not known, the first other one
/// counts. An extremum that is zero up to rounding
/// (`touchRounding` of the largest value so far) is a double root: the value crosses zero both ways at one time, so
/// that this is an event of any direction.
///
/// Several roots within one step are looked for (RootScan) where the cubic through values and rates at the ends comes
/// near to zero between them. Steps of adaptive methods may be long against what an event does: where the cubic of two
/// steps, or of the first one at its middle, misses the event by too much, values within the step are looked at until
/// cubics of its parts tell. Of events whose rate is not known (EventOutput::rate) three values within the step
/// are looked at, where the parabola through the ends and the begin of the step before comes near to zero. A value that
/// is no number is a failure (tape::NonFinite, and `undefined` tells of what), unless the model says that it may be
/// (Problem::undefinable): then it has no sign, and the last one stays.
///
/// Behind a reset an event that has happened is at zero up to rounding: its sign is then that of its rate, the side to
/// which it goes, where the rate is known.
class EventWatch {
public:
  EventWatch(const Problem& problem, Workspace& workspace)
      : problem_(problem), workspace_(workspace), events_(problem.events()) {}

  [[nodiscard]] bool any() const { return !events_.empty(); }
  [[nodiscard]] const EventOutput& operator[](std::size_t k) const { return events_[k]; }
  /// Takes the signs at the present state. Returns a tape::Status.
  [[nodiscard]] std::int32_t begin(double t);
  /// The same, with what a run knew there, one number an event each: its sign, 1, -1 and 0 (none), or 2 and -2 for one
  /// that `settle` took of a rate, 3 and -3 for one that is presumed; the largest value; its value at the begin of the
  /// step before, of the length that stands behind (0: there is none), and its rate there.
  [[nodiscard]] std::int32_t begin(double t, const std::vector<double>& memory);
  [[nodiscard]] std::vector<double> memory() const;

  /// Makes the state one that lies theta behind the left end of a step. Returns a tape::Status.
  using To = std::function<std::int32_t(double)>;
  /// Looks at the end of a step of length h from time t, at the time `end`, where the state is: `happened` tells
  /// whether some event lies behind the state of the last `begin`, `accept` or `settle`. Returns a tape::Status.
  [[nodiscard]] std::int32_t look(double t, double h, double end, const To& to, bool& happened);
  /// The state of the last `look` is where the next step begins.
  void accept();

  /// Finds the first of the events that the last `look` has seen to happen. The state is in the end that at the event,
  /// at the earliest time, to round-off, at which its sign is the new one; `found` has its name and time.
  [[nodiscard]] std::int32_t locate(double t, double h, const To& to, EventFound& found);

  /// The events that have happened where `locate` has left the state, or that `settle` found to be caused by resets, in
  /// the order of declaration.
  [[nodiscard]] const std::vector<std::size_t>& happened() const { return happened_; }
  /// Of the events of the last `locate`: one of them touches zero there, and does not cross it.
  [[nodiscard]] bool touches(std::size_t k) const { return k < touched_.size() && touched_[k].has_value(); }
  /// The largest value of an event so far.
  [[nodiscard]] double largest(std::size_t k) const { return largest_[k]; }
  /// Takes the signs behind the resets of `happened` and finds, in `happened`, the other events that these have caused.
  [[nodiscard]] std::int32_t settle(double t) { return settle(t, std::vector<std::size_t>(happened_)); }
  /// The same behind the resets of a sampling: no event has happened before.
  [[nodiscard]] std::int32_t settleSampling(double t) { return settle(t, {}); }
  /// An event came back in the last `look` without ever having left zero: how often it happens cannot be told. Empty,
  /// or its name.
  [[nodiscard]] const std::string& stuck() const { return stuck_; }

  /// Extrema of which it is not known on which side of zero they lie; the first thousand.
  [[nodiscard]] const std::vector<EventDoubt>& doubts() const { return doubts_; }
  /// The event that was no number in the last call, and when; empty if the call did not fail for that.
  [[nodiscard]] const std::string& undefined() const { return undefined_; }
  [[nodiscard]] double undefinedAt() const { return undefinedAt_; }

private:
  struct Values {
    std::vector<double> values, rates; ///< rates: NaN where unknown
  };
  /// An event whose value has the sign `before` at `from`, and another one at `until`, within the step.
  struct Candidate {
    std::size_t event = 0;
    double from = 0, until = 0;
    int before = 0;
    bool touches = false; ///< it is zero at `until`, which is `from`, and has the same sign on both sides
    double guess = from;  ///< about where it happens
  };
  [[nodiscard]] std::int32_t evaluate(double t);
  [[nodiscard]] bool happens(const Candidate& c) const;
  [[nodiscard]] bool counts(std::size_t k, int before) const;
  [[nodiscard]] bool calm(std::size_t k, double t, double h) const;
  [[nodiscard]] bool leavesByRounding(std::size_t k) const { return rounded_[k] && signs_[k] <= 0; }
  std::int32_t closesAgain(std::size_t k, const Values& end, double t, double h, const To& to);
  [[nodiscard]] std::int32_t consider(std::size_t k, const Values& end, double t, double h, const To& to);
  [[nodiscard]] std::int32_t turn(std::size_t k, const Values& end, double t, double h, const To& to,
                                  std::optional<double>& seen);
  [[nodiscard]] std::int32_t scan(std::size_t k, const Values& end, double t, double h, const To& to, bool cubicTells);
  /// By which an event with rates may differ from the cubic through the ends of the step, by the step before; nothing
  /// without one.
  [[nodiscard]] std::optional<double> missedBefore(std::size_t k, const RootPoint& left, const RootPoint& right) const {
    if (!(stepBefore_ > 0 && std::isfinite(before_.rates[k]))) return std::nullopt;
    return RootScan::deviation({-stepBefore_, before_.values[k], before_.rates[k]}, left, right);
  }
  [[nodiscard]] std::int32_t probe(std::optional<Values>& kept, double at, double t, const To& to);
  [[nodiscard]] std::int32_t asks(std::size_t k, const Values& end, double t, double h, const To& to, bool& cubicTells);
  void take(std::size_t k, const RootScan& found, double t);
  [[nodiscard]] RootScale scaleOf(std::size_t k, double t, double h) const;
  void tellDoubts(double until);
  [[nodiscard]] std::int32_t root(const Candidate& c, double until, double t, const To& to, double& found, bool& here);
  [[nodiscard]] std::int32_t settle(double t, const std::vector<std::size_t>& done);
  void leaveZero(double t);

  const Problem& problem_;
  Workspace& workspace_;
  std::vector<EventOutput> events_;
  Values now_;
  Values left_;             ///< at the left end of the step
  std::vector<int> signs_;  ///< likewise
  std::vector<bool> armed_; ///< the sign is that of the rate: the value itself may be on the other side by rounding
  /// Of armed events, which have not been seen on their side: they begin at zero, or have touched it, which may have
  /// been a root of third order. Where they turn up on the other side they have that.
  std::vector<bool> presumed_;
  std::vector<bool> rounded_;    ///< of a contact that is open: it left zero at a rate of rounding that leads back
  std::vector<double> residual_; ///< what is left of each value at the event that was located last
  std::vector<double> largest_;  ///< of each event, the largest value so far
  Values before_;                ///< at the begin of the step before
  double stepBefore_ = 0;        ///< its length; 0: there is none
  double step_ = 0;              ///< of the last look
  std::optional<Values> middle_, aside_;       ///< within it, where somebody has asked
  std::vector<bool> leftZero_;                 ///< armed events that were on their side within it
  std::vector<std::optional<double>> touched_; ///< the rate, of events that `locate` has found to touch zero
  std::vector<EventDoubt> pending_, doubts_;   ///< of the last look; of the run
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> happened_;
  std::string stuck_;
  std::string undefined_;
  double undefinedAt_ = 0;
};

} // namespace lmc::runtime
