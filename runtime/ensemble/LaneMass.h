// Do the samples in lanes solve their mass equations?
#pragma once

#include "runtime/contract/LaneMachine.h"
#include "runtime/ensemble/Ensemble.h"
#include "runtime/mass/MassMonitor.h"

#include <optional>
#include <vector>

namespace lmc::runtime {

class LaneMass {
public:
  /// Both must outlive it.
  LaneMass(const EnsembleProblem& problem, LaneMachine& work);

  /// A lane begins with another sample.
  void restart(std::size_t lane) { monitors_[lane].reset(); }
  [[nodiscard]] bool wanted() const { return look_.function >= 0; }
  /// Steps until the next look, of a lane that has taken so many.
  [[nodiscard]] std::int64_t left(std::int64_t steps) const { return look_.every - steps % look_.every; }
  /// Looks at the lanes whose status is Ok, at their times; those whose equations are not solved get MassUnsolved.
  void look(std::span<const double> times);

private:
  [[nodiscard]] bool suspicious(int lane) const;

  const MassLook& look_;
  const MassCheck* check_;
  LaneMachine& work_;
  std::vector<std::optional<MassMonitor>> monitors_; ///< of the lanes that had to be looked at closely
  std::vector<double> params_, state_;
};

} // namespace lmc::runtime
