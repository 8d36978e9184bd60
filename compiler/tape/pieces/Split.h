// Long functions as several short ones.
#pragma once

#include "tape/Tape.h"

#include <cstddef>

namespace lmc::tape {

/// Moves pieces of blocks that are longer than `most` instructions, what is nested in them included, into functions of
/// their own, which are called in their places and appended to the module. What compilers do with a function costs
/// more than in proportion to its length. A number that is needed in another piece than its own passes through a new
/// buffer of Work; constants are repeated. Values and their order stay, so that the numbers of the interpreter do.
/// Exits of loops (BreakIf) stay where they are: a body that consists of them alone is not made shorter. Nor are bodies
/// of loops whose turns threads may make together: what passes between pieces is memory that all turns have in common.
void split(Module& module, std::size_t most);

} // namespace lmc::tape
