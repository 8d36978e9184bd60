// Blocks, memory, control flow and calls.
#include "backends/llvm/emit/Emitter.h"
#include "tape/LocalBuffers.h"
#include "tape/TapeOps.h"

#include <llvm/IR/MDBuilder.h>

#include <utility>

namespace lmc::codegen {

using tape::Instr;
using tape::Op;

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

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* function)
    : module_(module), types_(module.types_), function_(function), builder_(module.context_) {
  builder_.SetInsertPoint(llvm::BasicBlock::Create(module.context_, "", function));
  llvm::FastMathFlags flags;
  flags.setAllowContract(module.options_.contract); // sums of loops aside (EmitLoops.cpp), the only licence
  builder_.setFastMathFlags(flags);
}

llvm::BasicBlock* FunctionEmitter::newBlock() {
  return llvm::BasicBlock::Create(module_.context_, "", function_);
}

llvm::PHINode* FunctionEmitter::onFailure(llvm::BasicBlock* block) {
  failBlock_ = block;
  failStatus_ = llvm::PHINode::Create(types_.status, 2, "", block);
  return failStatus_;
}

llvm::Value* FunctionEmitter::local(std::int64_t count) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  auto* const memory = atEntry.CreateAlloca(llvm::ArrayType::get(types_.real, static_cast<std::uint64_t>(count)));
  memory->setAlignment(llvm::Align(64));
  return memory;
}

void FunctionEmitter::body(std::size_t index, const BasePointers& bases, std::vector<llvm::Value*> arguments) {
  Frame frame;
  frame.function = &module_.tape_.functions[index];
  frame.index = index;
  frame.bases = bases;
  frame.arguments = std::move(arguments);
  frame.values.resize(frame.function->values);
  frame.constants = constantsOf(*frame.function);
  frame.definitions.resize(frame.function->values);
  for (const tape::Block& b : frame.function->blocks)
    for (const Instr& i : b.code)
      if (i.result != tape::none) frame.definitions[i.result] = &i;
  const std::vector<bool> isLocal = tape::localBuffers(module_.tape_, *frame.function);
  frame.locals.resize(isLocal.size());
  for (std::size_t b = 0; b < isLocal.size(); ++b)
    if (isLocal[b]) frame.locals[b] = local(module_.tape_.buffers[b].size);
  Frame* const outer = std::exchange(frame_, &frame);
  block(0);
  frame_ = outer;
}

void FunctionEmitter::block(std::int32_t index) {
  const tape::Block& b = frame_->function->blocks[static_cast<std::size_t>(index)];
  Wanted wanted;
  for (const Instr& i : b.code) {
    if (i.op == Op::Stumpff) wanted.stumpff[i.args[0]] |= std::uint64_t{1} << static_cast<unsigned>(i.imm);
    if (i.op == Op::Sin || i.op == Op::Cos) wanted.trig[i.args[0]] |= i.op == Op::Sin ? 1 : 2;
  }
  if (!wanted.stumpff.empty() && module_.options_.optimization > 0)
    wanted.quotients =
        analyticQuotients(b, frame_->constants, farSeen_ != nullptr ? StumpffInterval{} : stumpffAroundZero);
  for (const Instr& i : b.code) instruction(i, wanted);
  for (const std::uint64_t key : wanted.added) frame_->shared.erase(key);
}

void FunctionEmitter::instruction(const Instr& i, Wanted& wanted) {
  switch (i.op) {
  case Op::Loop:
    familyLoop(i);
    break;
  case Op::If: {
    llvm::BasicBlock* const then = newBlock();
    llvm::BasicBlock* const after = newBlock();
    builder_.CreateCondBr(value(i.args[0]), then, after);
    builder_.SetInsertPoint(then);
    block(i.block);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
    break;
  }
  default:
    if (i.op == Op::Div && frame_->values[i.result] != nullptr) break; // made with the Stumpff functions it depends on
    if (i.op < Op::Load)
      frame_->values[i.result] = pure(i, wanted);
    else
      effect(i);
  }
}

void FunctionEmitter::effect(const Instr& i) {
  switch (i.op) {
  case Op::Load:
    frame_->values[i.result] = load(i, element(i));
    break;
  case Op::Store:
    store(i, value(i.args[1]), element(i));
    break;
  case Op::Accum:
    accumulate(i);
    break;
  case Op::Fill:
    fill(i);
    break;
  case Op::Call:
    call(i);
    break;
  case Op::Kernel:
    kernel(i);
    break;
  case Op::BreakIf: {
    llvm::BasicBlock* const next = newBlock();
    builder_.CreateCondBr(value(i.args[0]), loopEnds_.back(), next);
    builder_.SetInsertPoint(next);
    break;
  }
  default:
    failIf(value(i.args[0]), types_.statusOf(i.imm));
    break;
  }
}

llvm::Value* FunctionEmitter::bufferPointer(std::int32_t buffer) {
  if (llvm::Value* const own = frame_->locals[static_cast<std::size_t>(buffer)]) return own;
  const tape::Buffer& b = module_.tape_.buffers[static_cast<std::size_t>(buffer)];
  return builder_.CreateConstInBoundsGEP1_64(types_.real, frame_->bases[static_cast<std::size_t>(b.role)],
                                             static_cast<std::uint64_t>(b.offset));
}

llvm::Value* FunctionEmitter::element(const Instr& i) {
  const tape::Buffer& b = module_.tape_.buffers[static_cast<std::size_t>(i.buffer)];
  llvm::Value* const index = value(i.args[0]);
  llvm::Value* const own = frame_->locals[static_cast<std::size_t>(i.buffer)];
  if (auto* const c = llvm::dyn_cast<llvm::ConstantInt>(index); c != nullptr && own == nullptr)
    return builder_.CreateConstInBoundsGEP1_64(types_.real, frame_->bases[static_cast<std::size_t>(b.role)],
                                               static_cast<std::uint64_t>(b.offset + c->getSExtValue()));
  return builder_.CreateInBoundsGEP(types_.real, bufferPointer(i.buffer), index);
}

llvm::Value* FunctionEmitter::load(const Instr& i, llvm::Value* address) {
  auto* const l = builder_.CreateAlignedLoad(types_.real, address, llvm::Align(8));
  const tape::Role role = module_.tape_.buffers[static_cast<std::size_t>(i.buffer)].role;
  l->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTags_[static_cast<std::size_t>(i.buffer)]);
  if (role == tape::Role::Params || (role == tape::Role::Constants && module_.constantsFixed_[frame_->index]))
    l->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context_, {}));
  return l;
}

void FunctionEmitter::store(const Instr& i, llvm::Value* x, llvm::Value* address) {
  auto* const s = builder_.CreateAlignedStore(x, address, llvm::Align(8));
  s->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTags_[static_cast<std::size_t>(i.buffer)]);
}

void FunctionEmitter::fill(const Instr& i) {
  const std::int64_t size = module_.tape_.buffers[static_cast<std::size_t>(i.buffer)].size;
  llvm::Value* const start = bufferPointer(i.buffer);
  if (size >= memsetLimit) {
    callExternal(External::SetMemory, types_.pointer, {start, builder_.getInt32(0), types_.index(size * 8)}, false);
    return;
  }
  for (std::int64_t k = 0; k < size; ++k)
    store(i, types_.constant(0),
          builder_.CreateConstInBoundsGEP1_64(types_.real, start, static_cast<std::uint64_t>(k)));
}

void FunctionEmitter::call(const Instr& i) {
  const auto callee = static_cast<std::size_t>(i.imm);
  std::vector<llvm::Value*> arguments;
  for (const tape::Value a : i.args) arguments.push_back(value(a));
  if (instructions(module_.tape_.functions[callee]) <= inlineLimit) {
    body(callee, frame_->bases, std::move(arguments));
    return;
  }
  arguments.insert(arguments.begin(), frame_->bases.begin(), frame_->bases.end());
  llvm::Value* const status = builder_.CreateCall(module_.internalFunction(callee), arguments);
  failIf(builder_.CreateICmpNE(status, types_.statusOf(0)), status);
}

void FunctionEmitter::kernel(const Instr& i) {
  constexpr int first = static_cast<int>(External::CholeskyFactor);
  std::vector<llvm::Value*> arguments;
  for (const std::int32_t b : i.buffers) arguments.push_back(bufferPointer(b));
  for (const tape::Value a : i.args) arguments.push_back(value(a));
  llvm::Value* const status =
      callExternal(static_cast<External>(first + static_cast<int>(i.imm)), types_.status, arguments, false);
  failIf(builder_.CreateICmpNE(status, types_.statusOf(0)), status);
}

void FunctionEmitter::failIf(llvm::Value* condition, llvm::Value* status) {
  llvm::BasicBlock* const next = newBlock();
  builder_.CreateCondBr(condition, failBlock_, next, llvm::MDBuilder(module_.context_).createUnlikelyBranchWeights());
  failStatus_->addIncoming(status, builder_.GetInsertBlock());
  builder_.SetInsertPoint(next);
}

llvm::Value* FunctionEmitter::callExternal(External f, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args,
                                           bool isPure) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* a : args) types.push_back(a->getType());
  auto* const type = llvm::FunctionType::get(result, types, false);
  llvm::Value* target = nullptr;
  if (module_.table_ == nullptr) {
    target = externalAddress(f, type);
  } else {
    llvm::Value* const slot =
        builder_.CreateConstInBoundsGEP1_64(types_.pointer, module_.table_, static_cast<std::uint64_t>(f));
    auto* const loaded = builder_.CreateAlignedLoad(types_.pointer, slot, llvm::Align(8));
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context_, {}));
    target = loaded;
  }
  llvm::CallInst* const c = builder_.CreateCall(type, target, args);
  c->addFnAttr(llvm::Attribute::NoUnwind);
  c->addFnAttr(llvm::Attribute::WillReturn);
  if (isPure)
    c->setDoesNotAccessMemory();
  else
    c->setOnlyAccessesInaccessibleMemOrArgMem();
  return c;
}

} // namespace lmc::codegen
