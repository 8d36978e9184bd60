// Which equations of constraints have become dependent where a run fails: found when it has failed, so that nothing is
// paid in a step.
#pragma once

#include "tape/Tape.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::runtime {

/// Tapes with the argument t, which the interpreter executes, and where they write in Output.
struct ConstraintRows {
  tape::Module module;
  int rows = -1;                  ///< writes `inactive` and B, the gradients of the equations along the velocities
  int move = -1;                  ///< writes the state, moved along its velocities for the time in Constants
  std::vector<std::string> names; ///< of the equations: "rod[3]"
  std::int64_t columns = 0;       ///< components of velocities
  std::int64_t inactive = 0;      ///< of each equation, 1 where it does not hold
  std::int64_t numbers = 0;       ///< B, row by row; of sparse systems the numbers of all blocks of [M, -B^T; B, off]
  std::int64_t nodes = 0, blocks = 0, nodeCount = 0, blockCount = 0; ///< linear::eachOfBlocks; no blocks: B is dense
  std::int64_t moved = 0;                                            ///< the state
};

/// May a step fail so because equations depend on each other? Ok: it is rejected until it is too short.
[[nodiscard]] bool mayFollowFromDependence(std::int32_t status);

/// A state and its time.
struct StateAt {
  std::span<const double> state;
  double t = 0;
};

/// "near t = 0.7, the gradients of the constraints `a`, `b[2]` depend on each other …", with a cure and without a full
/// stop, if equations that are independent at `begin` become dependent near `end`: within a step or some of a time
/// `reach`, before or behind, if the velocities stay. Nothing where they do not, where a state is not finite, and where
/// they cannot be told from what is near to dependence at the begin.
/// @param params by the layout of the problem
[[nodiscard]] std::optional<std::string> dependentConstraints(const ConstraintRows& check,
                                                              std::span<const double> params, const StateAt& begin,
                                                              const StateAt& end, double reach);

} // namespace lmc::runtime
