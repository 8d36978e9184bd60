// Jumps of the state: the resets of events that have happened, and those of samplings at their times.
#pragma once

#include "runtime/contacts/Contacts.h"
#include "runtime/run/Events.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lmc::runtime {

/// How often the state has jumped for one reason.
struct JumpCount {
  std::string name; ///< of the event, with the member's index, or "every 0.01"
  std::int64_t count = 0;
  double first = 0, last = 0; ///< times
};

/// Sees each change of the state by itself, as it is carried out: for derivatives. Calls return a tape::Status.
class JumpListener {
public:
  virtual ~JumpListener() = default;
  /// The block is about to be carried out, on the present state. `function`: into Functions::resets.
  [[nodiscard]] virtual std::int32_t beforeReset(int function, int member, double t) = 0;
  /// It has been, and constraints hold again.
  [[nodiscard]] virtual std::int32_t afterReset(double t) = 0;
  /// Contacts have had these impacts, one after the other, and modes.
  [[nodiscard]] virtual std::int32_t afterContacts(const std::vector<ContactImpact>& impacts, double t) = 0;
};

/// What a host program does at sample times, as blocks of `every` do: it may read and write the memory of the motion.
class HostSamplings {
public:
  virtual ~HostSamplings() = default;
  struct Times {
    double interval = 0;
    double first = std::numeric_limits<double>::quiet_NaN(); ///< not a number: the begin of the run
    int tick = -1; ///< into Problem::ticks: at its times, behind its block; -1: at those above
  };
  [[nodiscard]] virtual const std::vector<Times>& times() const = 0;
  /// Called at one of the times of times()[which]. What it throws ends the motion, and passes through.
  virtual void at(std::size_t which, double t, Workspace& memory) = 0;
};

/// Carries out what is to happen at a time, in this order: events that have happened in their order of declaration,
/// with those that their resets cause, until there are none; samplings in the order of declaration, each with what the
/// host does at its times behind it, then those of the host alone; then events that these cause, until there are none.
/// Each reads the state that the one before has left; within one block all right sides read the state before it. Behind
/// each block manifolds and constraints hold again (Restorer), and what a method has kept from its last step is
/// forgotten: the function of the reset does that.
class Jumps {
public:
  Jumps(const Problem& problem, Workspace& workspace, EventWatch& events);

  /// What has become of the run.
  struct Outcome {
    std::int32_t status = Ok;
    std::string cause{}; ///< a sentence without a full stop; empty: that of the status, or of an undefined event
    std::optional<EventFound> stop{}; ///< an event without a block: the run ends here
    [[nodiscard]] bool goesOn() const { return status == Ok && !stop; }
  };

  /// From now on the host is called at its sample times; before `begin`.
  void attach(HostSamplings& host);
  /// Has all changes told, from now on.
  void listen(JumpListener& listener);

  /// Finds the times of samplings: those at or behind t.
  [[nodiscard]] Outcome begin(double t);
  /// Looks at the contacts that touch at the begin. `hit`: there was an impact, before which the state was `before`.
  [[nodiscard]] Outcome start(double t, bool& hit, std::vector<double>& before);
  /// The next time of a sampling; infinite: there is none.
  [[nodiscard]] double next() const;
  /// Some sampling is due at t, to round-off.
  [[nodiscard]] bool due(double t) const;
  /// A sampling, into Problem::ticks, and how many of its times are over.
  struct Due {
    std::size_t tick = 0;
    std::int64_t over = 0;
  };
  /// Those that are due at t.
  [[nodiscard]] std::vector<Due> dueList(double t) const;
  /// Carries out the samplings that are due at t. `caused`: they have made events happen, which is not carried out yet.
  [[nodiscard]] Outcome sample(double t, bool& caused);
  /// The same for something else that has changed between two steps, as a sampling changes the state.
  [[nodiscard]] Outcome changed(double t, bool& caused);
  /// The samplings that are due at t have been carried out before.
  void skip(double t);
  /// From now on events without a block are told in the log, and do not end anything.
  void passStops() { passesStops_ = true; }
  /// Carries out the events that have happened at t, and those that they cause.
  [[nodiscard]] Outcome react(double t);

  /// Of samplings, events, and samplings of the host.
  [[nodiscard]] std::vector<JumpCount> counts() const;
  /// The first events with a block that have happened.
  [[nodiscard]] const std::vector<EventFound>& log() const { return log_; }
  void clearLog() { log_.clear(); }

  struct Memory {
    std::vector<double> ticks;  ///< how many times of each sampling are over
    std::vector<double> counts; ///< of each jump: count, first and last time
    double last = 0;            ///< time of the last event
    std::int64_t crowd = 0;     ///< events without time between them
  };
  [[nodiscard]] Memory memory() const;
  /// Behind `begin`.
  void restore(const Memory& memory);

private:
  struct Timer {
    double interval = 0, first = 0;
    std::int64_t over = 0;
    [[nodiscard]] double next() const { return first + static_cast<double>(over) * interval; }
  };
  struct HostTimer {
    std::size_t which = 0; ///< into HostSamplings::times
    Timer timer;
    JumpCount count;
  };
  [[nodiscard]] Outcome start(Timer& timer, double t, const std::string& name) const;
  [[nodiscard]] Outcome sampleHost(std::size_t which, double t);
  [[nodiscard]] Outcome reset(int function, int member, const std::string& name, double t);
  [[nodiscard]] Outcome one(std::size_t event, double t);
  [[nodiscard]] Outcome contact(double t, const std::vector<ContactEvent>& causes);
  void remember();
  [[nodiscard]] std::string restored(double t);
  void count(JumpCount& c, double t);

  const Problem& problem_;
  Workspace& workspace_;
  EventWatch& events_;
  std::unique_ptr<Restorer> restorer_;
  std::vector<double> before_; ///< the state, where there is a restorer
  std::optional<Contacts> contacts_;
  JumpListener* listener_ = nullptr;
  HostSamplings* host_ = nullptr;
  std::vector<HostTimer> hostTimers_; ///< with times of their own
  bool passesStops_ = false;
  std::vector<Timer> timers_;
  std::vector<JumpCount> counts_; ///< of samplings, then of events
  std::vector<EventFound> log_;
  double last_ = 0;
  std::int64_t crowd_ = 0;
};

} // namespace lmc::runtime
