// Values that several loops over the same members need.
//
// An element of a group moves the point of a stage and, when the accelerations of all members are known, its velocity:
// in two loops. The first loop in which such a value is made stores it, and the others read it, where that is less work
// than to make it again. So is what has been stored in an array anyway.
#pragma once

#include "tape/Tape.h"

namespace lmc::lower {

/// The function with these values in memory, of which the module has more then; equal to the bit.
[[nodiscard]] tape::Function keepValues(tape::Function function, tape::Module& module);

} // namespace lmc::lower
