// Which products are fused with sums.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace lmc::backends {

/// With `fused`, a product that one sum of its block alone needs becomes one operation with it, llvm.fma, where both
/// carry the flag `contract`. Afterwards nothing carries a licence any more: whatever generates machine code of the
/// module, with whatever effort, gives the same bits.
void fuseMultiplyAdd(llvm::Module& module, bool fused);

} // namespace lmc::backends
