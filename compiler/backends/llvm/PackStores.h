// Numbers that a function leaves in memory, stored as vectors.
//
// Functions of stages are called one after the other: each makes its numbers as scalars, and a loop that reads them as
// vectors follows at once. A processor hands a store on to a load only if the store covers all that is loaded; else the
// load waits until the stores have left the core, some 20 cycles in each stage. So stores to consecutive places at the
// end of such a function become stores of vectors, as wide as those of the loops. No bit changes.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace lmc::backends {

void packStores(llvm::Module& module);

} // namespace lmc::backends
