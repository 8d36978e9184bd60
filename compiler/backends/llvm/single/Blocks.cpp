// What a trajectory alone does otherwise: clears and copies by the library, calls what is long, looks at eight numbers
// at once.
#include "backends/llvm/single/FunctionEmitter.h"

namespace lmc::backends {

using tape::Instr;

namespace {

/// Callees up to this many instructions are emitted at their calls.
constexpr std::size_t inlineLimit = 64;

/// Buffers from this size on are cleared by memset.
constexpr std::int64_t memsetLimit = 32;

std::size_t instructions(const tape::Function& f) {
  std::size_t n = 0;
  for (const tape::Block& b : f.blocks) n += b.code.size();
  return n;
}

} // namespace

FunctionEmitter::FunctionEmitter(SingleModuleEmitter& module, llvm::Function* function)
    : Emitter(module, function), single_(module) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(module.options().contract); // sums of loops aside (Loops.cpp), the only licence
  builder_.setFastMathFlags(flags);
}

void FunctionEmitter::fill(const Instr& i) {
  const std::int64_t size = module_.buffer(i.buffer).size;
  llvm::Value* const start = begin(i.buffer);
  if (size >= memsetLimit) {
    callExternal(External::SetMemory, types_.pointer, {start, builder_.getInt32(0), types_.index(size * 8)}, false);
    return;
  }
  for (std::int64_t k = 0; k < size; ++k) put(i, types_.constant(0), address(start, k));
}

void FunctionEmitter::callFunction(const Instr& i) {
  const auto callee = static_cast<std::size_t>(i.imm);
  if (instructions(module_.tape().functions[callee]) <= inlineLimit) return Emitter::callFunction(i);
  std::vector<llvm::Value*> arguments(frame_->bases.begin(), frame_->bases.end());
  for (const tape::Value a : i.args) arguments.push_back(value(a));
  llvm::Value* const status = builder_.CreateCall(single_.internalFunction(callee), arguments);
  failIf(builder_.CreateICmpNE(status, types_.statusOf(0)), status);
}

llvm::Value* FunctionEmitter::anyNonFinite(llvm::Value* memory, std::int64_t count) {
  constexpr std::int64_t lanes = 8;
  llvm::Type* const vector = llvm::FixedVectorType::get(types_.real, lanes);
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::Value* sum = llvm::Constant::getNullValue(vector);
  if (const std::int64_t chunks = count / lanes; chunks > 0) {
    llvm::PHINode* carried = nullptr;
    loop(types_.index(0), types_.index(chunks - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
      carried = builder_.CreatePHI(vector, 2);
      carried->addIncoming(sum, before);
      llvm::Value* const where = builder_.CreateInBoundsGEP(vector, memory, k);
      llvm::Value* const x = builder_.CreateAlignedLoad(vector, where, llvm::Align(8));
      sum = builder_.CreateFAdd(builder_.CreateFSub(x, x), carried);
      carried->addIncoming(sum, builder_.GetInsertBlock());
    });
    // `loop` guards against an empty range, which this one never is; after the loop the guard's edge needs a value too.
    llvm::PHINode* const total = builder_.CreatePHI(vector, 2);
    total->addIncoming(llvm::Constant::getNullValue(vector), before);
    total->addIncoming(sum, carried->getParent());
    sum = total;
  }
  std::vector<llvm::Value*> rest;
  for (unsigned l = 0; l < lanes; ++l) rest.push_back(builder_.CreateExtractElement(sum, l));
  for (std::int64_t k = count / lanes * lanes; k < count; ++k)
    rest.push_back(builder_.CreateAlignedLoad(
        types_.real, builder_.CreateConstInBoundsGEP1_64(types_.real, memory, static_cast<std::uint64_t>(k)),
        llvm::Align(8)));
  return Emitter::anyNonFinite(rest);
}

void FunctionEmitter::copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) {
  callExternal(External::CopyMemory, types_.pointer, {to, from, types_.index(count * 8)}, false);
}

llvm::Value* FunctionEmitter::roomFor(std::int64_t count) {
  return callExternal(External::Scratch, types_.pointer, {types_.index(count)}, false);
}

} // namespace lmc::backends
