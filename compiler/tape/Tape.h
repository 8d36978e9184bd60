// The tape: scalar code with structured loops, the last form before machine code.
//
// A tape function is a tree of blocks. A block is a list of instructions; each instruction that has a result
// defines one value, numbered within the function; operands are values defined earlier in the same block or in
// an enclosing one (single assignment, dominance by nesting). Memory is a set of named buffers of doubles. Pure
// instructions neither read nor write memory. No instruction allocates, throws or has global state.
#pragma once

#include "runtime/contract/Memory.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lmc::tape {

struct Buffer {
  std::string name;
  Role role = Role::Work;
  std::int64_t offset = 0; ///< in doubles, from the base of its role
  std::int64_t size = 0;   ///< in doubles
};

enum class Type : std::uint8_t { Void, Real, Int, Bool };

using Value = std::uint32_t;
inline constexpr Value none = 0xFFFFFFFFU;

enum class Op : std::uint8_t {
  // constants and arguments
  ConstReal, ///< real
  ConstInt,  ///< imm
  ConstBool, ///< imm != 0
  Argument,  ///< scalar argument `imm` of the function, a Real
  // real arithmetic
  Add,
  Sub,
  Mul,
  Div,
  Neg,
  Sqrt,
  Abs,
  Floor,
  Min,
  Max,
  Exp,
  Log,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Pow,     ///< a^b for real b
  PowInt,  ///< a^imm by repeated multiplication
  Stumpff, ///< c_imm(a), a = theta^2 of any sign: c_0 = cos, c_1 = sin/theta, c_2 = (1 - cos)/theta^2, …;
           ///< c_k(s) = sum_j (-s)^j/(k + 2j)!. Instructions with the same operand share their work.
  // integer arithmetic (mathematical: mod and div round down)
  IAdd,
  ISub,
  IMul,
  IDiv,
  IMod,
  INeg,
  IMin,
  IMax,
  IAbs,
  // conversions
  IntToReal,
  FloorToInt,
  // comparisons and logic
  Lt,
  Le,
  Eq,
  Ne,
  ILt,
  ILe,
  IEq,
  INe,
  And,
  Or,
  Not,
  Select, ///< c ? a : b; a and b of one type
  // memory; the index is an Int, counted from 0 within the buffer
  Load,  ///< buffer[args[0]]
  Store, ///< buffer[args[0]] = args[1]
  Accum, ///< buffer[args[0]] += args[1]
  Fill,  ///< buffer[…] = 0 everywhere
  // structure
  Loop, ///< for (i = args[0]; i <= args[1]; ++i) body, or downwards (imm = -1) for (i = args[1]; i >= args[0]; --i);
        ///< its value is i; empty when args[0] > args[1]
  If,   ///< if (args[0]) body
  // calls
  Call, ///< another function of the module, `imm` its index; args are its scalar arguments; it works on the same bases
  Kernel,  ///< a routine of the runtime, `imm` a tape::KernelId; `buffers` its arrays; args its Int arguments
  FailIf,  ///< if (args[0]) return the status `imm`; leaves the function at once
  BreakIf, ///< if (args[0]) leave the innermost loop around
};

/// Routines that generated code calls for large linear algebra (runtime/kernels/Kernels.h).
enum class KernelId : std::uint8_t {
  CholeskyFactor, ///< buffers {A, work}; args {n, definite}: in-place factors of the symmetric A (n×n, row-major), with
                  ///< pivots where it is indefinite, unless `definite`; `work` has 2 n numbers; returns a status
  CholeskySolve,     ///< buffers {A factored, work, B}; args {n, rows}: b <- A^{-1} b for each row b of B, rows×n
  LuFactor,          ///< buffers {A, pivots}; args {n}: partial pivoting, in place; returns a status
  LuSolve,           ///< buffers {A factored, pivots, B}; args {n, nrhs}: B <- A^{-1} B, B row-major n×nrhs
  LuDeterminant,     ///< buffers {A, pivots, result}; args {n}: of any A, which is destroyed
  MatrixExponential, ///< buffers {A, work, pivots}; args {n}: A <- exp(A), `work` has 5 n² numbers; returns a status
  NewtonChange,      ///< buffers {J, pivots, r}; args {n}: r <- J^{-1} r, J is destroyed; returns a status
  // GMRES for J x = r, J given by products with it: a basis V, rows×n, and a small problem in `work`, 2 rows² numbers.
  GmresBegin, ///< buffers {r, V, work}; args {n, rows}: the first row of V
  GmresStep,  ///< buffers {product of J with the last row of V, V, work}; args {n, rows}: the next row; work[0] is 1
              ///< when the solution is good enough
  GmresEnd,   ///< buffers {r, V, work}; args {n, rows}: r <- x; returns a status
};

struct Block;

struct Instr {
  Op op = Op::ConstReal;
  Type type = Type::Void; ///< of its result
  Value result = none;
  std::int64_t imm = 0;
  double real = 0;
  std::vector<Value> args;
  std::int32_t buffer = -1;          ///< Load, Store, Accum, Fill
  std::vector<std::int32_t> buffers; ///< Kernel
  std::int32_t block = -1;           ///< Loop, If: index into Function::blocks
};

struct Block {
  std::vector<Instr> code;
};

/// What a value is, for a reader.
struct Note {
  Value value = none;
  std::string name;     ///< "Omega'@Y1[2]"
  std::string equation; ///< that it belongs to; given at the first of its entries
};

struct Function {
  std::string name;
  int arguments = 0;         ///< number of Real arguments
  std::vector<Block> blocks; ///< blocks[0] is the body
  Value values = 0;          ///< number of values
  std::vector<Note> notes;   ///< of some values, in their order; empty unless Lowering::keepNotes was called
  /// Of scratch buffers whose memory this function uses for other arrays than the one that they are named after: the
  /// array, or an empty name if there are several.
  std::vector<std::pair<std::int32_t, std::string>> scratchNames;
};

/// Functions compiled together. Every function takes the five base pointers and its Real arguments and returns a
/// Status.
struct Module {
  std::vector<Buffer> buffers;
  std::int64_t roleSize[roleCount] = {0, 0, 0, 0, 0}; ///< doubles behind each base pointer
  std::vector<Function> functions;
  /// Function that advances the state by one step (arguments t, h), or -1. For it codegen also makes the loop over
  /// many steps: status advance(bases, double* t, double h, int64 n, int64* done).
  int step = -1;
};

/// A readable listing, the same bytes for the same module.
[[nodiscard]] std::string print(const Module& module);
/// The first violated rule (types, dominance, bounds of constant indices, buffers), or an empty string.
[[nodiscard]] std::string verify(const Module& module);

/// Executes one function slowly and without LLVM: initial values, parameters, and the oracle of the code generator's
/// tests.
[[nodiscard]] std::int32_t interpret(const Module& module, int function, const Bases& bases, const double* arguments);

} // namespace lmc::tape
