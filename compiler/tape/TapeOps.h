// What every pass over a tape has to know about its operations: names, operand types, numeric conventions.
#pragma once

#include "base/Integers.h"
#include "tape/Tape.h"

#include <cstdint>
#include <string_view>

namespace lmc::tape {

// NOLINTBEGIN(bugprone-macro-parentheses): terms of a sum.
inline constexpr int opCount = 0
#define LMC_REAL(...) +1
#define LMC_INTEGER(...) +1
#define LMC_TRUTH(...) +1
#define LMC_OTHER(...) +1
#include "tape/Operations.def"
    ;
inline constexpr int kernelCount = 0
#define LMC_ROUTINE(...) +1
#include "tape/Kernels.def"
    ;
// NOLINTEND(bugprone-macro-parentheses)

/// Highest order k of a Stumpff instruction. Beyond it 1/k! carries no information for a mechanical model.
inline constexpr int maxStumpffOrder = 60;

/// Which rows of Operations.def an operation is of.
enum class Kind : std::uint8_t {
  Real,    ///< of real operands, a real number
  Library, ///< the same, a function that generated code calls
  Integer,
  Truth,
  Other,
};

/// What `imm` of an instruction is.
enum class Immediate : std::uint8_t { None, Number, RealConstant, Truth, Direction, Order, Function, Routine };

struct OpInfo {
  std::string_view name;
  Kind kind;
  Type result; ///< type of the result; Void for Select, whose type is the one of its branches
  std::string_view
      args; ///< one letter per operand: r real, i int, b bool, t the type of the instruction, * any number of reals
  Immediate immediate;
  int latency;      ///< about so many cycles pass before others can use the result
  bool slow;        ///< costs as much as many sums
  double low, high; ///< of the operands, for tests: a real result is finite there
};

/// The row of an operation.
[[nodiscard]] const OpInfo& info(Op op);

/// Neither reads nor writes memory.
[[nodiscard]] constexpr bool isPure(Op op) {
  return op < Op::Load;
}
/// Has no result that says all of what it does.
[[nodiscard]] constexpr bool hasEffect(Op op) {
  return op > Op::Load;
}
/// A constant or an argument.
[[nodiscard]] constexpr bool isLeaf(Op op) {
  return op <= Op::Argument;
}

/// One routine of the runtime: what its operands mean, so that sizes can be checked.
struct KernelInfo {
  std::string_view name;
  int buffers;              ///< number of arrays
  int args;                 ///< number of Int arguments; the first is n
  std::string_view sizes;   ///< smallest size of each array: m = n*n, w = 5 n*n, v = n, d = 2 n, s = n*args[1], 1 = one
  std::string_view written; ///< one letter per array: w written, r only read
  std::string_view symbol;  ///< its C name in runtime/kernels/Kernels.h
  std::string_view file;    ///< of runtime/kernels that it stands in, without its ending
};

[[nodiscard]] const KernelInfo& info(KernelId kernel);

[[nodiscard]] std::string_view name(runtime::Role role);
[[nodiscard]] std::string_view name(Type type);

// Numeric conventions, the same in the interpreter and in generated code.

/// x^n by repeated squaring from the lowest bit; 1/x^-n for n < 0.
[[nodiscard]] constexpr double powInt(double x, std::int64_t n) {
  std::uint64_t bits = n < 0 ? 0U - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  double result = 1;
  bool empty = true;
  for (double square = x; bits != 0; bits >>= 1) {
    if ((bits & 1U) != 0) {
      result = empty ? square : result * square;
      empty = false;
    }
    if (bits > 1) square *= square;
  }
  return n < 0 ? 1 / result : result;
}

/// floor(x) as an integer; saturates, and is 0 for NaN.
[[nodiscard]] std::int64_t floorToInt(double x);

/// Removes instructions of a block, and of those in it, whose results nobody uses, and loops and branches that are left
/// empty. `used`, by value: what is used elsewhere; what is left uses is marked.
void removeUnused(Function& f, std::int32_t block, std::vector<bool>& used);

} // namespace lmc::tape
