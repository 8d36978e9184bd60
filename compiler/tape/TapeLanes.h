// What running a tape for many trajectories at once needs to know about it, without LLVM.
#pragma once

#include "tape/Tape.h"

namespace lmc::tape {

/// Doubles of memory behind the working memory of all lanes in which routines get the arrays of one lane.
[[nodiscard]] std::int64_t kernelScratch(const Module& module);

/// Number of instructions of the longest function.
[[nodiscard]] std::size_t longestFunction(const Module& module);

} // namespace lmc::tape
