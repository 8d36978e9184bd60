// The operations of a tape in C.
#pragma once

#include "tape/Tape.h"

#include <cstdint>

namespace lmc::backends {

/// How tightly the outermost operator of a text binds.
enum Strength : int { Ternary = 10, Logic = 20, Comparison = 30, Sum = 40, Product = 50, Unary = 60, Atom = 70 };

/// The function of an operation: of math.h, or "lmc_…" of the file itself; null if it is none.
[[nodiscard]] const char* functionName(tape::Op op);
/// The infix operator of an operation, or null.
[[nodiscard]] const char* operatorOf(tape::Op op);
/// How tightly that operator binds.
[[nodiscard]] int strengthOf(tape::Op op);
[[nodiscard]] const char* typeName(tape::Type type);
/// The name of the pointer to the memory of parameters, state or outputs.
[[nodiscard]] const char* pointerTo(runtime::Role role);

} // namespace lmc::backends
