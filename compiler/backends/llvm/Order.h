// The order of a function's operations.
//
// A processor executes operations when their operands are ready, but looks ahead only so far in the program. So what
// waits for a long chain stands after what does not, and of several operations that are ready the one with the longest
// way to go stands first: that way leads through the next step, whose state this one makes.
#pragma once

#include "tape/Tape.h"

namespace lmc::backends {

/// Moves operations without effects within their blocks; the values do not change. `buffers` are those of its module.
void orderOperations(tape::Function& function, const std::vector<tape::Buffer>& buffers);

} // namespace lmc::backends
