// Working memory that can be registers.
#pragma once

#include "tape/Tape.h"

#include <cstddef>
#include <vector>

namespace lmc::tape {

/// By buffer: whether a function may keep it in memory of its own, which becomes registers. These are small buffers of
/// role Work whose indices are constants there, that no routine sees, nor any function that it calls or shares Work
/// with, and of whose elements the function reads none before it has written it.
[[nodiscard]] std::vector<bool> localBuffers(const Module& module, std::size_t function);

} // namespace lmc::tape
