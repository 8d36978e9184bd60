// The pass pipeline on IR.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lmc::backends {

/// Optimises the module in place, as far as it decides about bits: level 0 does nothing, 1…3 as described in
/// Optimize.cpp. Once `stop` is true no further pass is run. True if there is something left for `optimizeLoops`.
bool optimize(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)());

/// What is left when nothing has a licence any more (Fuse.h): loops without sums in any order are vectorised. No bit of
/// a result changes.
void optimizeLoops(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)());

/// Two numbers that stand side by side in memory and have the same done to them, as those of two members of a family
/// often are, become one vector outside of loops, too, once nothing has a licence any more. No bit of a result changes.
void pairNumbers(llvm::Module& module, llvm::TargetMachine* target, bool (*stop)());

/// Optimises code for a device (nvptx/), in which nothing has a licence: vectors of one lane become numbers. No bit of
/// a result changes.
void optimizeForDevice(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)());

} // namespace lmc::backends
