// Which passes run, and why only these.
//
// A tape is already free of common subexpressions within a block and has no calls worth inlining. What is left is
// memory: the state of the step loop becomes registers (SROA), loads of parameters and what depends on them alone leave
// the loops (LICM), values stored and loaded again within a step are forwarded (EarlyCSE with MemorySSA). Loops over
// families are vectorised, straight-line code is not: packing scalars (SLP) was measured not to pay for steps of rigid
// bodies. Everything else of the usual pipelines costs time and finds nothing.
#include "backends/llvm/Optimize.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/CodeGen/ExpandReductions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

namespace lmc::backends {

namespace {

bool hasInnerLoop(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  return !llvm::LoopInfo(dominators).empty();
}

llvm::FunctionPassManager pipeline(int level, bool loops) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  if (level < 2) return passes;
  passes.addPass(llvm::InstCombinePass());
  if (!loops) return passes;
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::LoopVectorizePass());
  if (level >= 3) passes.addPass(llvm::SLPVectorizerPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ExpandReductionsPass()); // sums over lanes get their order here, once for all generators
  return passes;
}

} // namespace

void optimize(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)()) {
  if (level <= 0) return;
  llvm::PassInstrumentationCallbacks callbacks;
  if (stop != nullptr)
    callbacks.registerShouldRunOptionalPassCallback([stop](llvm::StringRef, const llvm::Any&) { return !stop(); });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(target, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    pipeline(level, hasInnerLoop(f)).run(f, functions);
  }
}

} // namespace lmc::backends
