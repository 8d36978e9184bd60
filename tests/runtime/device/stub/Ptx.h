// PTX, as far as LLVM writes it for kernels of lmc, read and carried out by this machine: one thread after the other,
// instruction by instruction, with the arithmetic of IEEE 754 that PTX asks for.
//
// It shares nothing with what wrote the text. What it does not know, and what a device would refuse or might round in
// another way (a product without `.rn`, which may be fused with a sum), is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lmc::stub {

/// The text is not understood, or a thread does what it may not.
class PtxError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Thread;
struct Instruction;
using Action = void (*)(Thread&, const Instruction&);

/// A register, a number, or a place in memory: a register (or none) and a distance.
struct Operand {
  enum class Kind : std::uint8_t { Register, Number, Parameter, Local, Label } kind = Kind::Number;
  std::uint32_t slot = 0;  ///< of the register
  std::uint64_t value = 0; ///< the number, the distance, the place of a parameter, or the target
  bool based = false;      ///< of a place: the distance is from the register
};

struct Kernel;

struct Instruction {
  Action action = nullptr;
  std::int32_t guard = -1; ///< slot of the predicate; -1: none
  bool negated = false;
  std::uint8_t bytes = 8; ///< of memory
  std::vector<Operand> operands;
  std::string text;
  std::string calls; ///< the function that it calls
  const Kernel* called = nullptr;
};

/// A kernel, or a function that kernels call.
struct Kernel {
  std::string name;
  bool entry = true;
  std::vector<std::size_t> offsets, sizes; ///< of the parameters
  std::size_t localBytes = 0;
  std::uint32_t slots = 0;
  std::vector<Instruction> code;
};

/// True where so many bytes from an address on may be used.
using Allowed = std::function<bool(std::uint64_t address, std::size_t bytes)>;

struct Thread {
  const Kernel* kernel = nullptr;
  std::vector<std::uint64_t> registers;
  std::vector<unsigned char> parameters;
  std::vector<std::uint64_t> given; ///< to the next function that is called
  const Thread* caller = nullptr;
  unsigned char* local = nullptr;
  const Allowed* allowed = nullptr;
  std::size_t next = 0; ///< instruction
  bool ended = false;
};

/// Carries out a function to its end.
void carryOut(Thread& thread);

/// The kernels of a text, and their functions, by name. Throws PtxError.
[[nodiscard]] std::map<std::string, Kernel> readPtx(const std::string& text);

/// Carries out all threads of a kernel. `parameters`: addresses of its arguments. Throws PtxError.
void launch(const Kernel& kernel, unsigned blocks, unsigned threads, void* const* parameters, const Allowed& allowed);

} // namespace lmc::stub
