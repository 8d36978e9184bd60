// What running a tape for many trajectories at once needs to know about it, without LLVM.
#pragma once

#include "tape/Tape.h"

#include <string>

namespace lmc::tape {

/// Doubles of memory behind the working memory of all lanes in which routines get the arrays of one lane.
[[nodiscard]] std::int64_t kernelScratch(const Module& module);

/// Unknowns of the largest system of an iteration that all lanes eliminate together. Beyond, most of the time is in
/// products that a routine does as fast for one lane after the other.
inline constexpr std::int64_t largestInLanes = 24;

/// What a module asks for and graphics processors have no code for: a routine for arrays, as it is called; empty:
/// nothing.
[[nodiscard]] std::string deviceObstacle(const Module& module);

/// Number of instructions of the longest function.
[[nodiscard]] std::size_t longestFunction(const Module& module);

} // namespace lmc::tape
