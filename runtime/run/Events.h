// Events: expressions at whose zero crossing a run stops.
#pragma once

#include "runtime/run/Workspace.h"

#include <functional>

namespace lmc::runtime {

/// Where a run was stopped.
struct EventFound {
  std::string name; ///< with the member's index: "hit[2]"
  double time = 0;
};

/// Watches the signs of a problem's events along a run.
///
/// An event has happened when its value has another sign than it had last, or is zero, and the direction is right. A
/// value that is zero at the begin has no sign: the first other one counts. Two crossings within one step are not seen.
/// A value that is no number is a failure (tape::NonFinite, and `undefined` tells of what), unless the model says that
/// it may be (Problem::undefinable): then it has no sign, and the last one stays.
class EventWatch {
public:
  EventWatch(const Problem& problem, Workspace& workspace)
      : problem_(problem), workspace_(workspace), events_(problem.events()) {}

  [[nodiscard]] bool any() const { return !events_.empty(); }
  /// Takes the signs at the present state. Returns a tape::Status.
  [[nodiscard]] std::int32_t begin(double t);
  /// Looks at the present state, at time t: `happened` tells whether some event lies behind the state of the last
  /// `begin` or `accept`. Returns a tape::Status.
  [[nodiscard]] std::int32_t look(double t, bool& happened);
  /// The state of the last `look` is where the next step begins.
  void accept();

  /// Finds the first event within a step of length h from time t that has been seen to happen: `to(theta)` makes the
  /// state a step of length theta behind the left end, and returns a tape::Status. The state is in the end that at the
  /// event, at the earliest time, to round-off, at which its sign is the new one.
  [[nodiscard]] std::int32_t locate(double t, double h, const std::function<std::int32_t(double)>& to,
                                    EventFound& found);

  /// The event that was no number in the last call, and when; empty if the call did not fail for that.
  [[nodiscard]] const std::string& undefined() const { return undefined_; }
  [[nodiscard]] double undefinedAt() const { return undefinedAt_; }

private:
  [[nodiscard]] std::int32_t evaluate(double t);
  [[nodiscard]] bool crossed(std::size_t k) const;

  const Problem& problem_;
  Workspace& workspace_;
  std::vector<EventOutput> events_;
  std::vector<double> values_;
  std::vector<int> signs_; ///< at the left end of the step
  std::string undefined_;
  double undefinedAt_ = 0;
};

} // namespace lmc::runtime
