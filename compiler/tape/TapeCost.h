// What a function of a tape costs, by count: the same on every machine. And how long operations take, for deciding in
// which order they go.
#pragma once

#include "tape/Tape.h"
#include "tape/TapeOps.h"

#include <cstddef>
#include <vector>

namespace lmc::tape {

/// Operations of one call: instructions, times the turns of the loops around them. Of a loop with an exit a few turns
/// count. `instruction`: the weight of one instruction beside the work of functions and routines, which is the same for
/// compiled code (1) and for the interpreter (more). `vector`: the turns that count of eight turns of a loop with no
/// others inside, which compiled code may make at once: of a loop of eight, and of longer ones that read nothing of what
/// they write.
[[nodiscard]] double cost(const Module& module, int function, double instruction = 1, double vector = 8);

/// The same of one run of each loop of a function, by the loop's value; 0 for other values.
[[nodiscard]] std::vector<double> loopCosts(const Module& module, int function);

/// Instructions of a function as they stand, those of a loop once.
[[nodiscard]] std::size_t lengthOf(const Function& function);

/// A multiplication with an addition.
inline constexpr int fusedLatency = 4;

/// About so many cycles pass before others can use the result.
inline int latencyOf(Op op) {
  return info(op).latency;
}

} // namespace lmc::tape
