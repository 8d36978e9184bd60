// Scratch arrays whose lifetimes do not meet share memory.
#pragma once

#include "tape/Tape.h"

namespace lmc::lower {

/// Gives Work buffers of all functions common memory where no function needs both at a time, and packs what is left.
/// A Work buffer must be written before it is read in every function that uses it.
void shareWorkMemory(tape::Module& module);

} // namespace lmc::lower
