// The pass pipeline on IR.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lmc::backends {

/// Optimises the module in place: level 0 does nothing, 1…3 as described in Optimize.cpp.
/// Once `stop` is true no further pass is run.
void optimize(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)());

} // namespace lmc::backends
