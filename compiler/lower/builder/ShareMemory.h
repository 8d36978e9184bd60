// Scratch arrays whose lifetimes do not meet share memory.
#pragma once

#include "tape/Tape.h"

namespace lmc::lower {

/// Gives Work buffers of all functions common memory where no function needs both at a time, and packs what is left.
/// A Work buffer must be written before it is read in every function that uses it.
void shareWorkMemory(tape::Module& module);

/// What a function finds in it is what it has written itself.
[[nodiscard]] inline bool isOwnMemory(const tape::Buffer& b) {
  return b.role == runtime::Role::Work && !b.kept;
}

} // namespace lmc::lower
