// How long operations take, for deciding in which order they go.
#pragma once

#include "tape/TapeOps.h"

namespace lmc::tape {

/// A multiplication with an addition.
inline constexpr int fusedLatency = 4;

/// About so many cycles pass before others can use the result.
inline int latencyOf(tape::Op op) {
  return tape::info(op).latency;
}

} // namespace lmc::tape
