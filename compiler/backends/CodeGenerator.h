// Interface of the shared module liblmc_codegen: a tape goes in, an object file comes out. No LLVM type is visible.
#pragma once

#include "tape/Tape.h"
#include "unit/Unit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::backends {

struct Options {
  int optimization = 2; ///< 0…3
  /// a*b + c may become one fused operation, sums of loops be added in any order, Stumpff functions near zero and their
  /// quotients be polynomials of this generator. Without it results are those of exported C that fuses nothing.
  bool contract = true;
  bool listings = false;    ///< fill Result::ir and Result::assembly
  bool (*stop)() = nullptr; ///< true: leave out all optimization that is still to come, nobody wants the result
  int lanes = 0;            ///< trajectories that one call advances (llvm/lanes/LaneEmitter.h); 0: code for one alone
  bool twoTiers = false;    ///< `begin`: of code for which it does not pay, too
  bool device = false; ///< fill Result::assembly alone, with PTX for graphics processors (llvm/nvptx/DeviceEmitter.h)
  /// Of one trajectory: the functions of the module that the object is to have; null: all. Objects of parts in which
  /// each function stands once are linked together, and have the bits of one with all functions.
  const std::vector<bool>* part = nullptr;
  [[nodiscard]] bool has(std::size_t function) const { return part == nullptr || (*part)[function]; }
};

/// What one call of `generate` produces. On failure `error` says why and the rest is empty.
struct Result {
  std::vector<std::string> objects; ///< relocatable object files of the host, one or several that refer to each other
  std::string ir;                   ///< optimised LLVM IR
  std::string assembly;             ///< of the host, or PTX
  std::string error;
};

/// Code linked in memory by LLVM, for hosts whose object format the loader of compiler/jit does not know.
struct Linked {
  void* owner = nullptr;        ///< what `release` frees
  std::vector<void*> addresses; ///< of the requested symbols, in their order; nullptr where there is none
  std::string error;
};

/// The functions of the module.
struct Interface {
  void (*generate)(const tape::Module& module, const Options& options, Result& result);
  /// As `generate` for one trajectory, without listings, but for the machine code: it is made in a small part of the
  /// time and takes longer to run. Its bits are those of the code that `generate` makes, which `finish` makes of
  /// `rest`. `rest` is null where that is not worth while, for short code and for code so long that there is no other;
  /// then `result` is the result of `generate`. `finish` is called once, on any thread; `discard` frees `rest` in any
  /// case.
  void (*begin)(const tape::Module& module, const Options& options, Result& result, void*& rest);
  void (*finish)(void* rest, Result& result);
  void (*discard)(void* rest);
  /// One object with the functions of NAME.h, which needs the mathematical library only. `cpu`: a processor as LLVM
  /// calls it, "native", or empty for any of this machine's architecture.
  void (*generateAhead)(const unit::Exported& unit, const std::string& cpu, const Options& options, Result& result);
  /// A static library with one object as its member; into Result::objects.
  void (*archive)(const std::string& object, const std::string& memberName, Result& result);
  /// Links objects of one module in memory and makes them executable after `table` has been copied to the symbol
  /// lmc_table.
  void (*link)(const std::vector<std::string>& objects, const std::vector<std::string>& symbols,
               const std::vector<void*>& table, Linked& linked);
  void (*release)(void* owner);
};

// Names of the symbols of an object file.
inline constexpr const char* tableSymbol = "lmc_table";
inline constexpr const char* advanceSymbol = "lmc_advance";
[[nodiscard]] inline std::string functionSymbol(std::size_t index) {
  return std::string("lmc_f").append(std::to_string(index));
}

/// Name of the one function that the module exports, and its type.
inline constexpr const char* entrySymbol = "lmc_codegen";
using Entry = const Interface* (*)();

} // namespace lmc::backends
