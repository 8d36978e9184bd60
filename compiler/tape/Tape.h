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
  runtime::Role role = runtime::Role::Work;
  std::int64_t offset = 0; ///< in doubles, from the base of its role
  std::int64_t size = 0;   ///< in doubles
  bool kept = false;       ///< Work whose contents the next call finds again
};

enum class Type : std::uint8_t { Void, Real, Int, Bool };

using Value = std::uint32_t;
inline constexpr Value none = 0xFFFFFFFFU;

/// The operations; what each is and does stands in its row of Operations.def.
enum class Op : std::uint8_t {
#define LMC_REAL(op, ...) op,
#define LMC_INTEGER(op, ...) op,
#define LMC_TRUTH(op, ...) op,
#define LMC_OTHER(op, ...) op,
#include "tape/Operations.def"
};

/// Routines that generated code calls for large linear algebra (Kernels.def).
enum class KernelId : std::uint8_t {
#define LMC_ROUTINE(id, ...) id,
#include "tape/Kernels.def"
};

struct Block;

struct Instr {
  Op op = Op::ConstReal;
  Type type = Type::Void; ///< of its result
  Value result = none;
  std::int64_t imm = 0;
  double real = 0;
  std::vector<Value> args;
  std::int32_t buffer = -1;          ///< Load, Store, Accum, Fill; of some Loops the list of the turns that do anything
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
  bool part = false;         ///< called by another one, with which it shares Work (Split.h)
  bool inner = false;        ///< called by others of the module alone: it is no entry of the code
  std::vector<Note> notes;   ///< of some values, in their order; empty unless Lowering::keepNotes was called
  /// Of scratch buffers whose memory this function uses for other arrays than the one that they are named after: the
  /// array, or an empty name if there are several.
  std::vector<std::pair<std::int32_t, std::string>> scratchNames;
};

/// Functions compiled together. Every function takes the five base pointers and its Real arguments and returns a
/// Status.
struct Module {
  std::vector<Buffer> buffers;
  std::int64_t roleSize[runtime::roleCount] = {0, 0, 0, 0, 0}; ///< doubles behind each base pointer
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
[[nodiscard]] std::int32_t interpret(const Module& module, int function, const runtime::Bases& bases,
                                     const double* arguments);

} // namespace lmc::tape
