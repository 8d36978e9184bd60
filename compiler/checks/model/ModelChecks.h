// What `lmc verify` finds out about a model.
#pragma once

#include "checks/model/Conservation.h"
#include "checks/model/DerivativeCheck.h"
#include "checks/model/FieldDerivatives.h"
#include "checks/states/StepOrder.h"

namespace lmc::checks {

struct ModelChecks {
  std::size_t states = 0; ///< at which the equations were checked
  bool dependent = false; ///< equations of constraints follow from others: f is nothing to take differences of
  std::vector<Disagreement> derivatives;    ///< empty for a model of flows
  std::optional<DistributionGrowth> growth; ///< of velocities under constraints on them
  double compiled = 0;                      ///< largest relative difference of compiled and interpreted f
  std::optional<double> plain; ///< largest relative difference of interpreted f and the plain reading of its equations
  std::optional<FieldDerivativeErrors> field; ///< of the derivatives of f
  std::vector<Conserved> conserved;
  bool hasDuals = false;               ///< then there are Casimir functions, which are not looked for
  std::vector<std::string> undecided;  ///< candidates whose changes rounding hides
  std::optional<Deviation> energyRate; ///< by the equations; nothing without an energy
  std::optional<Deviation> reversibility;
  // with a method
  std::optional<KeptAlong> kept;
  std::optional<StepOrder> order;  ///< of the fixed steps, on this model
  std::vector<Reversal> reversals; ///< with the model's step and longer ones, as far as they succeed

  [[nodiscard]] bool conservesEnergy() const { return energyRate && energyRate->vanishes().value_or(false); }
  /// All steps lead back; nothing if they change the state too little to tell.
  [[nodiscard]] std::optional<bool> timeSymmetric() const;
};

/// Compiled forms of one model.
struct ModelForms {
  const mechanics::System* system = nullptr;
  const runtime::Problem* field = nullptr; ///< compiled without a method
  const runtime::Problem* run = nullptr;   ///< as the model says; null: nothing is run
  const runtime::Problem* fixed = nullptr; ///< `run` with fixed steps
};

[[nodiscard]] ModelChecks checkModel(const ModelForms& forms, const RunLimits& limits);

/// Compiled and interpreted numbers differ by round-off and by the order of sums.
inline constexpr double compiledTolerance = 1e-9;

} // namespace lmc::checks
