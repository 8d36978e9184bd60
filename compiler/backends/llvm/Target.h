// The host as LLVM sees it, and the way from IR to an object file.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lmc::backends {

/// Code generator for this machine with all its features; level 0: in a time that is linear in the length of a
/// function, otherwise optimising. Throws std::runtime_error if LLVM does not know the machine.
std::unique_ptr<llvm::TargetMachine> hostTarget(int level);

/// The same for code that is wanted at once: blocks are selected as a whole, as instructions one at a time would make
/// one detour for each fused operation; registers are given in one sweep.
std::unique_ptr<llvm::TargetMachine> quickTarget();

/// True when the machine has fused multiply-add.
bool fusesMultiplyAdd(const llvm::TargetMachine& target);

/// True when code for it can be made by quick/Quick.h.
bool hasQuickGenerator(const llvm::TargetMachine& target);

/// Code generator for objects of this machine's architecture, for a processor as LLVM calls it, "native", or (empty)
/// any. Throws std::runtime_error for a processor that LLVM does not know.
std::unique_ptr<llvm::TargetMachine> aheadTarget(int level, const std::string& cpu);

/// Code generator for PTX, the text that drivers of NVIDIA's devices make machine code of: for every device from
/// compute capability 7.0 on, for drivers of CUDA 10.2 or later. Products and sums stay apart.
std::unique_ptr<llvm::TargetMachine> deviceTarget(int level);

enum class Emit { Object, Assembly };

/// Machine code of a module as an object file or as text.
std::string emit(llvm::Module& module, llvm::TargetMachine& target, Emit what);

} // namespace lmc::backends
