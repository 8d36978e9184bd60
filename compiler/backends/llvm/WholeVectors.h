// Vectors that are live across calls which leave all registers as they are.
//
// Routines for arguments that seldom occur are called so (`preserve_all`). LLVM takes vectors of 256 bits to be kept by
// them, and yet puts `vzeroupper`, which zeroes their upper halves, in front of the call and at the end of the routine.
// So there is none in functions that call or are such routines, but one where the former return.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lmc::backends {

/// To be called before any machine code is made.
void keepWholeVectors(llvm::Module& module, const llvm::TargetMachine& target);
/// Callers may be code without such vectors, which some processors slow down behind them. For LLVM's generators.
void endWithCleanVectors(llvm::Module& module, const llvm::TargetMachine& target);

} // namespace lmc::backends
