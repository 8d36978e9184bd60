#include "backends/llvm/WholeVectors.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace lmc::backends {

namespace {

bool isKeeping(const llvm::Function& f) {
  return f.getCallingConv() == llvm::CallingConv::PreserveAll;
}

bool callsKeeping(llvm::Function& f) {
  return llvm::any_of(llvm::instructions(f), [](const llvm::Instruction& i) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
    return call != nullptr && call->getCallingConv() == llvm::CallingConv::PreserveAll;
  });
}

} // namespace

void keepWholeVectors(llvm::Module& module, const llvm::TargetMachine& target) {
  if (!target.getTargetTriple().isX86()) return;
  for (llvm::Function& f : module)
    if (!f.isDeclaration() && (isKeeping(f) || callsKeeping(f)))
      f.addFnAttr("target-features", (target.getTargetFeatureString() + ",-vzeroupper").str());
}

void endWithCleanVectors(llvm::Module& module, const llvm::TargetMachine& target) {
  if (!target.getTargetTriple().isX86() || !target.getTargetFeatureString().contains("+avx,")) return;
  for (llvm::Function& f : module) {
    if (f.isDeclaration() || isKeeping(f) || !callsKeeping(f)) continue;
    for (llvm::BasicBlock& block : f)
      if (auto* const end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
        llvm::IRBuilder<>(end).CreateIntrinsic(llvm::Intrinsic::x86_avx_vzeroupper, {}, {});
  }
}

} // namespace lmc::backends
