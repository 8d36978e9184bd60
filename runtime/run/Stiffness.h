// Does stability hold the steps of an adaptive run back, and not accuracy? Found by doing, now and then: some short
// steps damp what earlier steps have left of fast damped parts of the motion, which short steps do at any distance from
// the bound of stability; then the estimate of a step of the usual length is that of the motion alone. Where it would
// permit steps several times as long and did not before the short ones, the steps are bound by stability, the meaning
// of stiffness in E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., section IV.2. No bound
// of stability and no stage has to be known, so it serves every explicit method.
#pragma once

#include <cstdint>

namespace lmc::runtime {

/// What a run remembers of its looks; part of its checkpoints.
struct StiffnessMemory {
  std::int64_t looks = 0;   ///< so far
  std::int64_t signs = 0;   ///< looks that found the steps bound by stability
  std::int64_t balance = 0; ///< signs less looks without, never below 0
  std::int64_t highest = 0; ///< balance so far
};

/// One look each so many accepted steps: some forty trials, a fiftieth of the run.
inline constexpr std::int64_t stepsBetweenLooks = 2000;
inline constexpr int shortSteps = 30;
/// The part of the usual step that a short one is.
inline constexpr double shortPart = 0.25;

/// One look: the errors of a step of the usual length, in units of the tolerance, before the short steps and after
/// them; `order` the lower order of the pair. Errors may be infinite or not numbers, which is no sign.
void lookAtStiffness(StiffnessMemory& memory, double before, double after, int order);

/// So many signs more than looks without that it is no accident.
[[nodiscard]] bool looksStiff(const StiffnessMemory& memory);

} // namespace lmc::runtime
