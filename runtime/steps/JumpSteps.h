// Single steps of a model whose state jumps: for who steps it himself. They are those of a run with fixed steps, to the
// bit: events cut them into pieces, samplings end pieces, resets and impacts change the state in between.
#pragma once

#include "runtime/run/Jumps.h"
#include "runtime/run/StepPieces.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lmc::runtime {

/// A piece of a step that has ended: where it began, and why it ends.
struct StepPiece {
  double from = 0, end = 0;
  const std::vector<double>& begin; ///< the state
  bool happened = false;            ///< an event, at its end
  bool sampled = false;             ///< a sampling is due there
};

/// Sees the pieces of steps. Calls return a tape::Status.
class PieceListener {
public:
  virtual ~PieceListener() = default;
  /// The state is that at the end of the piece. What jumps there has not been carried out.
  [[nodiscard]] virtual std::int32_t ended(const StepPiece& piece) = 0;
  /// It has been, if there was something.
  [[nodiscard]] virtual std::int32_t carriedOut(const StepPiece& piece) = 0;
};

class JumpSteps {
public:
  /// The problem must outlive it, and has fixed steps. `first`: the begin of samplings without a first time.
  JumpSteps(const Problem& problem, Workspace& workspace, double first);
  JumpSteps(const JumpSteps&) = delete;
  JumpSteps& operator=(const JumpSteps&) = delete;

  struct Outcome {
    std::int32_t status = Ok;
    double time = 0;                  ///< of what ended the step, where it did
    std::string cause{};              ///< a sentence without a full stop; empty: that of the status
    std::optional<EventFound> stop{}; ///< an event without a block, at which a run ends
    [[nodiscard]] bool goesOn() const { return status == Ok && !stop; }
  };

  /// The motion begins at the present state: contacts that touch there are looked at, samplings that are due are
  /// carried out. With `Begin::Again` these have been carried out: the state is the one behind.
  enum class Begin : std::uint8_t { Anew, Again };
  [[nodiscard]] Outcome begin(double t, Begin how);
  /// What later steps depend on, between two steps.
  struct Memory {
    std::vector<double> state, signs;
    Jumps::Memory jumps;
  };
  [[nodiscard]] Memory memory() const;
  /// The motion is at time t where it was then: what follows repeats.
  [[nodiscard]] Outcome restore(double t, const Memory& memory);
  /// Between two steps inputs or parameters have been changed: what that causes is carried out.
  [[nodiscard]] Outcome changed(double t);
  /// The step from origin + k h. Where it fails the state is the one before.
  [[nodiscard]] Outcome step(double origin, double h, std::int64_t k, PieceListener* listener = nullptr);

  /// Events without a block do not end a step.
  void passStops() { jumps_.passStops(); }
  [[nodiscard]] Jumps& jumps() { return jumps_; }
  [[nodiscard]] EventWatch& events() { return events_; }

private:
  [[nodiscard]] Outcome piece(double from, double& end, bool whole, double origin, double h, std::int64_t k,
                              bool& happened);
  [[nodiscard]] std::int32_t part(double t, double h, bool counts);
  [[nodiscard]] Outcome jump(double t, bool happened, bool sampled);
  [[nodiscard]] Outcome told(Jumps::Outcome o, double t) const;
  [[nodiscard]] Outcome failed(std::int32_t status, double t) const;
  void putBack(const std::vector<double>& state);

  Problem problem_;
  Workspace& workspace_;
  EventWatch events_;
  Jumps jumps_;
  std::unique_ptr<ContactStepper> contacts_; ///< of a method that steps contacts
  StepPieces pieces_;
  double step_ = 0; ///< of the grid
};

} // namespace lmc::runtime
