// Steps of fixed length, and pieces of them from a state that is remembered: what runs with fixed steps and single
// steps of hosts have in common, so that their bits are the same.
#pragma once

#include "runtime/contacts/ContactStepper.h"
#include "runtime/run/Workspace.h"

#include <vector>

namespace lmc::runtime {

class StepPieces {
public:
  /// `contacts`: of a method that steps these, or null. Both must outlive it.
  StepPieces(Workspace& workspace, ContactStepper* contacts) : workspace_(workspace), contacts_(contacts) {}

  /// Steps first, …, first + n - 1 of length h from time t, each with the impulses of its contacts; `done`: how many
  /// were completed. Returns a tape::Status. `counts`: they are steps of the motion, not only looked at.
  [[nodiscard]] std::int32_t steps(double t, double h, std::int64_t first, std::int64_t n, std::int64_t& done,
                                   bool counts = true);

  /// The present state is the one from which pieces begin.
  void remember();
  void putBack();
  [[nodiscard]] std::vector<double>& remembered() { return saved_; }

  /// A step of length h, shorter than those of the grid, from the remembered state, which is the present one, at time
  /// t. Methods that solve for the change of a position cannot tell that of a very short step from rounding; a step
  /// that is longer by one of the grid, and one back, end at the same time and have no such trouble. `taken`: how many
  /// steps that took, 1 or 3. Where it fails the state is the remembered one.
  [[nodiscard]] std::int32_t part(double t, double h, double grid, std::int64_t& taken, bool counts = false);

private:
  Workspace& workspace_;
  ContactStepper* contacts_;
  std::vector<double> saved_;
};

} // namespace lmc::runtime
