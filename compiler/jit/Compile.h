// Machine code of a tape module, from the disk cache or from LLVM.
//
// No header of LLVM is included here. LLVM lives in a shared module (liblmc_codegen) that is opened when a tape is
// not found in the cache; a cached object is loaded without it.
#pragma once

#include "runtime/contract/Compiled.h"
#include "tape/Tape.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace lmc::jit {

/// Who puts an object into executable memory.
enum class LinkMode {
  Own,  ///< the loader of this library, which needs no LLVM; on hosts it does not know, as Llvm
  Llvm, ///< LLVM's in-memory linker
};

/// Machine code is made twice where it is long: in a quarter of the time, and well. Both have the same bits.
enum class Tiers : std::uint8_t {
  Optimised,  ///< well alone
  Quick,      ///< quickly alone, for tests: never in the cache
  QuickFirst, ///< quickly; what is made well, on a thread of its own, takes its place between two calls, and in the
              ///< cache
};

struct CompileOptions {
  int optimization = 2; ///< 0…3
  bool contract = true; ///< a*b + c may be one fused operation; without it results equal those of the interpreter
  LinkMode link = LinkMode::Own;
  bool useCache = true;
  std::filesystem::path cacheDirectory; ///< empty: $LMC_CACHE_DIR, else $XDG_CACHE_HOME/lmc, else ~/.cache/lmc
  int lanes = 0; ///< trajectories that one call advances, a power of two; 0: code for one alone (`function`, `advance`)
  Tiers tiers = Tiers::Optimised; ///< of code that is not in the cache, for one trajectory
  bool keepIr = false;            ///< fill Compiled::ir() and assembly() (skips the cache)
  /// Threads that make code of different functions at the same time; 0: one for each processor that may be used, eight
  /// at most. Code is the same for any number.
  int threads = 0;
};

/// Numbers that one vector register of this machine holds: 8 with AVX-512, 4 with AVX, else 2.
[[nodiscard]] int vectorWidth();

/// Compiles or loads a module. Throws std::runtime_error when the code generator cannot be opened or fails (a defect
/// of the installation or of the tool, never of the user's model).
[[nodiscard]] std::unique_ptr<runtime::Compiled> compile(const tape::Module& module,
                                                         const CompileOptions& options = {});

/// The module if it is in the cache, else null: never compiles, never opens the code generator.
[[nodiscard]] std::unique_ptr<runtime::Compiled> findCompiled(const tape::Module& module,
                                                              const CompileOptions& options = {});

} // namespace lmc::jit
