// Which passes run, and why only these.
//
// A tape is already free of common subexpressions within a block and has no calls worth inlining. What is left is
// memory: the state of the step loop becomes registers (SROA), loads of parameters and what depends on them alone leave
// the loops (LICM), values stored and loaded again within a step are forwarded (EarlyCSE with MemorySSA). Loops over
// families are vectorised. In straight-line code two numbers that stand side by side, as those of two members do, are
// worked on at once (`pairNumbers`); more than two would have to be brought together first, which was measured not to
// pay. Everything else of the usual pipelines costs time and finds nothing.
//
// The passes on loops take most of the time where there are hundreds of loops, and change no bits but those of sums
// over families. So they stand behind what all generators of machine code share (`optimize`), where there are no such
// sums.
#include "backends/llvm/Optimize.h"

#include "backends/llvm/Latency.h"
#include "backends/llvm/single/FunctionEmitter.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/CodeGen/ExpandReductions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopLoadElimination.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include <optional>
#include <vector>

namespace lmc::backends {

namespace {

bool hasInnerLoop(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  return !llvm::LoopInfo(dominators).empty();
}

/// A sum whose terms may be added in any order: in which one, the vectoriser decides.
bool isFreeSum(const llvm::Instruction& i) {
  return llvm::isa<llvm::FPMathOperator>(i) && i.hasAllowReassoc();
}

bool hasFreeSums(llvm::Function& f) {
  return llvm::any_of(llvm::instructions(f), isFreeSum);
}

/// The metadata of a loop with another value of a hint, or without it.
llvm::MDNode* hinted(llvm::LLVMContext& context, const llvm::MDNode* loop, const char* hint,
                     std::optional<bool> holds) {
  llvm::SmallVector<llvm::Metadata*, 4> operands{nullptr}; // the node itself
  for (unsigned k = 1; loop != nullptr && k < loop->getNumOperands(); ++k) {
    const auto* const entry = llvm::dyn_cast<llvm::MDNode>(loop->getOperand(k));
    const auto* const name = entry == nullptr || entry->getNumOperands() == 0
                                 ? nullptr
                                 : llvm::dyn_cast<llvm::MDString>(entry->getOperand(0));
    if (name == nullptr || name->getString() != hint) operands.push_back(loop->getOperand(k));
  }
  if (holds) {
    auto* const is = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getBool(context, *holds));
    operands.push_back(llvm::MDNode::get(context, {llvm::MDString::get(context, hint), is}));
  }
  llvm::MDNode* const node = llvm::MDNode::getDistinct(context, operands);
  node->replaceOperandWith(0, node);
  return node;
}

constexpr const char* vectorised = "llvm.loop.vectorize.enable";
constexpr const char* maskedTail = "llvm.loop.vectorize.predicate.enable";

/// The innermost loops in which no sum decides how their turns are made.
std::vector<llvm::Loop*> maps(const llvm::LoopInfo& loops) {
  std::vector<llvm::Loop*> list;
  for (llvm::Loop* l : loops.getLoopsInPreorder()) {
    const bool decides = llvm::any_of(l->blocks(), [](llvm::BasicBlock* b) { return llvm::any_of(*b, isFreeSum); });
    if (l->isInnermost() && !decides) list.push_back(l);
  }
  return list;
}

/// Without registers for masks a masked turn of a loop over members, whose numbers are some steps apart in memory,
/// costs so much that the vectoriser would leave the whole loop as it is: the last turns are made one by one.
void finishSingly(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  const llvm::LoopInfo loops(dominators);
  for (llvm::Loop* l : maps(loops))
    if (const llvm::MDNode* const id = l->getLoopID())
      l->setLoopID(hinted(f.getContext(), id, maskedTail, std::nullopt));
}

bool hasMasks(const llvm::TargetMachine& target) {
  return !target.getTargetTriple().isX86() || target.getTargetFeatureString().contains("+avx512vl");
}

/// Leaves the innermost loops without sums in any order for later.
void deferLoops(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  const llvm::LoopInfo loops(dominators);
  for (llvm::Loop* l : maps(loops)) l->setLoopID(hinted(f.getContext(), l->getLoopID(), vectorised, false));
}

void resumeLoops(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  const llvm::LoopInfo loops(dominators);
  for (llvm::Loop* l : loops.getLoopsInPreorder())
    if (const llvm::MDNode* const id = l->getLoopID())
      l->setLoopID(hinted(f.getContext(), id, vectorised, std::nullopt));
}

llvm::FunctionPassManager firstPasses(int level, bool loops) {
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
  return passes;
}

llvm::FunctionPassManager loopPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ExpandReductionsPass()); // sums over lanes get their order here, once for all generators
  return passes;
}

/// What a turn of a recursion reads is what the turn before has stored: it stays in a register, where a store and a
/// load would take as long as two additions; so do vectors that all turns add to. Bits are decided before.
llvm::FunctionPassManager recursionPasses(bool vectors) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.addPass(llvm::LoopLoadEliminationPass());
  if (vectors) passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// Copies a negated operand of a fused operation to where the operation stands: code generation, which looks at one
/// block at a time, then makes it part of the instruction. Left in another block, with which common subexpressions were
/// merged, it takes an instruction and a register of its own.
void bringNegations(llvm::Function& f) {
  for (llvm::Instruction& i : llvm::instructions(f)) {
    if (!llvm::isa<llvm::IntrinsicInst>(i) ||
        llvm::cast<llvm::IntrinsicInst>(i).getIntrinsicID() != llvm::Intrinsic::fma)
      continue;
    for (unsigned k = 0; k < 3; ++k) {
      auto* const negation = llvm::dyn_cast<llvm::UnaryOperator>(i.getOperand(k));
      if (negation == nullptr || negation->getParent() == i.getParent()) continue;
      llvm::Instruction* const copy = negation->clone();
      copy->insertBefore(&i);
      i.setOperand(k, copy);
    }
  }
}

/// What code is compared by that has fewer instructions or waits less: a tenth more of one is worth a tenth of the
/// other.
double product(const Duration& d) {
  return static_cast<double>(d.path) * d.instructions;
}

/// Analyses of a module, and who builds them.
class Analyses {
public:
  Analyses(llvm::TargetMachine* target, bool (*stop)()) {
    if (stop != nullptr)
      callbacks_.registerShouldRunOptionalPassCallback([stop](llvm::StringRef, const llvm::Any&) { return !stop(); });
    llvm::PassBuilder builder(target, llvm::PipelineTuningOptions(), std::nullopt, &callbacks_);
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(sccs_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, sccs_, modules_);
  }
  void run(llvm::FunctionPassManager passes, llvm::Function& f) { passes.run(f, functions_); }
  /// What was found out about a function that goes.
  void forget(llvm::Function& f) { functions_.clear(f, f.getName()); }

private:
  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager sccs_;
  llvm::ModuleAnalysisManager modules_;
};

} // namespace

bool optimize(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)()) {
  if (level <= 0) return false;
  Analyses analyses(target, stop);
  bool left = false;
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    const bool loops = hasInnerLoop(f);
    analyses.run(firstPasses(level, loops), f);
    if (level < 2 || !loops) continue;
    left = true;
    if (!hasFreeSums(f)) continue;
    deferLoops(f);
    analyses.run(loopPasses(), f);
    resumeLoops(f);
  }
  return left;
}

void optimizeLoops(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)()) {
  if (level < 2) return;
  Analyses analyses(target, stop);
  for (llvm::Function& f : module)
    if (!f.isDeclaration() && hasInnerLoop(f)) {
      if (target != nullptr && !hasMasks(*target)) finishSingly(f);
      analyses.run(loopPasses(), f);
      analyses.run(recursionPasses(f.hasFnAttribute(addsVectors)), f);
      bringNegations(f);
    }
}

void pairNumbers(llvm::Module& module, llvm::TargetMachine* target, bool (*stop)()) {
  constexpr const char* width = "prefer-vector-width"; // in bits; the vectoriser makes no wider ones
  // Of longer functions it takes as long as all else together, and finds little: theirs are products of whole matrices.
  constexpr unsigned longest = 4000;
  Analyses analyses(target, stop);
  std::vector<llvm::Function*> functions;
  for (llvm::Function& f : module)
    if (!f.isDeclaration() && f.getInstructionCount() <= longest) functions.push_back(&f);
  for (llvm::Function* const f : functions) {
    llvm::ValueToValueMapTy same;
    llvm::Function* const pairs = llvm::CloneFunction(f, same);
    pairs->addFnAttr(width, "128");
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SLPVectorizerPass());
    passes.addPass(llvm::InstCombinePass());
    analyses.run(std::move(passes), *pairs);
    analyses.forget(*pairs);
    pairs->removeFnAttr(width);
    if (const llvm::Attribute usual = f->getFnAttribute(width); usual.isValid()) pairs->addFnAttr(usual);
    // A pair waits for the later of its two numbers: what is gained by fewer instructions may be lost by that.
    const Duration before = durationOf(*f), now = durationOf(*pairs);
    if (product(now) >= product(before)) {
      pairs->eraseFromParent();
      continue;
    }
    pairs->takeName(f);
    f->replaceAllUsesWith(pairs);
    f->eraseFromParent();
  }
}

void optimizeForDevice(llvm::Module& module, llvm::TargetMachine* target, int level, bool (*stop)()) {
  Analyses analyses(target, stop);
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    llvm::FunctionPassManager scalars;
    scalars.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    llvm::ScalarizerPassOptions all;
    all.ScalarizeLoadStore = true;
    all.ScalarizeVariableInsertExtract = true;
    scalars.addPass(llvm::ScalarizerPass(all));
    analyses.run(std::move(scalars), f);
    if (level > 0) analyses.run(firstPasses(level, hasInnerLoop(f)), f);
  }
}

} // namespace lmc::backends
