// What a function of a tape costs, by count: the same on every machine.
#pragma once

#include "tape/Tape.h"

#include <vector>

namespace lmc::tape {

/// Operations of one call: instructions, times the turns of the loops around them. Of a loop with an exit a few turns
/// count. `instruction`: the weight of one instruction beside the work of functions and routines, which is the same for
/// compiled code (1) and for the interpreter (more).
[[nodiscard]] double cost(const Module& module, int function, double instruction = 1);

/// The same of one run of each loop of a function, by the loop's value; 0 for other values.
[[nodiscard]] std::vector<double> loopCosts(const Module& module, int function);

} // namespace lmc::tape
