// Takes what quick code is not made of out of functions that are simple otherwise.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace lmc::backends::quick {

/// Loops over vectors, with what goes in and comes out, become functions of their own where they have one way in and
/// one way out. What they read and give stands in memory. The functions around them are then mostly `isSupported`, and
/// LLVM, whose time goes with the number of instructions, has a tenth left. No bit of a result changes.
void outlineOthers(llvm::Module& module);

} // namespace lmc::backends::quick
