// What a run tells about contacts that its method steps.
#pragma once

#include <cstdint>
#include <string>

namespace lmc::runtime {

/// Of all steps of a run so far; residual, penetration and gain are those of the worst step.
struct ContactReport {
  std::int64_t steps = 0;   ///< with a member that acts
  std::int64_t acting = 0;  ///< members that act, added up over the steps
  std::int64_t most = 0;    ///< members that act in one step
  std::int64_t sweeps = 0;  ///< over all acting members, added up
  std::int64_t stalled = 0; ///< steps whose equations were not solved to the tolerance
  double tolerance = 0;     ///< that was asked for
  double residual = 0;      ///< what is left of the equations, as `tolerance` measures it
  double penetration = 0;   ///< -gap at the begin of a step, in the units of the gap
  std::string deepest = {}; ///< the member with that gap: "touch[3,7]"
  std::int64_t gains = 0;   ///< steps whose impulses have added energy, by more than the tolerance explains
  double gain = 0;          ///< the largest of these energies
};

} // namespace lmc::runtime
