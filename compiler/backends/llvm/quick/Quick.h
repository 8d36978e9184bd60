// Machine code that is made in a tenth of the time that LLVM takes, for the first steps of a run.
//
// LLVM's quickest generator takes most of the time from the start of a process to its first step. What it is given is
// simple: scalars in long blocks, and few loops. Such functions of a module become code of x86-64 here, in one sweep
// over their IR. Loops over vectors, and what else is not known, are taken out of them and left to LLVM (Outline.h).
// Measured: bench/README.md, "Cold starts in two tiers".
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace lmc::backends {

/// Objects with the functions of a module, for x86-64 with AVX and FMA (`hasQuickGenerator`, Target.h). `others` makes
/// the object of a module with those that are left to LLVM, if there are any; it may change that.
[[nodiscard]] std::vector<std::string> quickObjects(const llvm::Module& module,
                                                    const std::function<std::string(llvm::Module&)>& others);

} // namespace lmc::backends
