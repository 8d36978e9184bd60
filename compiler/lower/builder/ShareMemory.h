// Scratch arrays whose lifetimes do not meet share memory.
#pragma once

#include "tape/Tape.h"

namespace lmc::lower {

/// A processor reads on behind what a loop touches, up to some twenty lines of memory. Where threads share loops over
/// members, it takes these lines from the processor that writes them. So behind each part of the memory of a family
/// with so many members there are numbers that nobody touches.
inline constexpr std::int64_t manyMembers = 1024, readAhead = 192;

/// Numbers of a line of memory.
inline constexpr std::int64_t lineOfMemory = 8;

/// What `count` numbers take with those behind them. The numbers of one member are an odd number of lines apart, so
/// that they do not compete for the same places of a cache.
[[nodiscard]] constexpr std::int64_t withReadAhead(std::int64_t count) {
  return count < manyMembers ? count : ((count + readAhead + lineOfMemory - 1) / lineOfMemory | 1) * lineOfMemory;
}

/// Gives Work buffers of all functions common memory where no function needs both at a time, and packs what is left.
/// A Work buffer must be written before it is read in every function that uses it.
void shareWorkMemory(tape::Module& module);

/// What a function finds in it is what it has written itself.
[[nodiscard]] inline bool isOwnMemory(const tape::Buffer& b) {
  return b.role == runtime::Role::Work && !b.kept;
}

} // namespace lmc::lower
