// The host as LLVM sees it, and the way from IR to an object file.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lmc::codegen {

/// Code generator for this machine with all its features. Throws std::runtime_error if LLVM does not know the machine.
std::unique_ptr<llvm::TargetMachine> hostTarget(int level);

/// True when the machine has fused multiply-add.
bool fusesMultiplyAdd(const llvm::TargetMachine& target);

enum class Emit { Object, Assembly };

/// Machine code of a module as an object file or as text.
std::string emit(llvm::Module& module, llvm::TargetMachine& target, Emit what);

} // namespace lmc::codegen
