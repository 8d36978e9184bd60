// How long operations take, for deciding in which order they go.
#pragma once

#include "tape/Tape.h"

namespace lmc {

/// A multiplication with an addition.
inline constexpr int fusedLatency = 4;

/// About so many cycles pass before others can use the result.
constexpr int latencyOf(tape::Op op) {
  using tape::Op;
  switch (op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
    return 3;
  case Op::Div:
    return 13;
  case Op::Sqrt:
  case Op::Stumpff:
    return 16;
  case Op::Exp:
  case Op::Log:
  case Op::Sin:
  case Op::Cos:
  case Op::Pow:
    return 50;
  default:
    return 1;
  }
}

} // namespace lmc
