// What a trajectory alone does otherwise: clears by the library, calls what is long.
#include "backends/llvm/single/FunctionEmitter.h"

namespace lmc::backends {

using tape::Instr;

namespace {

/// Buffers from this size on are cleared by memset.
constexpr std::int64_t memsetLimit = 32;

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
  if (single_.isInlined(callee)) return Emitter::callFunction(i);
  std::vector<llvm::Value*> arguments(frame_->bases.begin(), frame_->bases.end());
  for (const tape::Value a : i.args) arguments.push_back(value(a));
  llvm::Value* const status = builder_.CreateCall(single_.internalFunction(callee), arguments);
  failIf(builder_.CreateICmpNE(status, types_.statusOf(0)), status);
}

llvm::Value* FunctionEmitter::roomFor(std::int64_t count) {
  return callExternal(External::Scratch, types_.pointer, {types_.index(count)}, false);
}

} // namespace lmc::backends
