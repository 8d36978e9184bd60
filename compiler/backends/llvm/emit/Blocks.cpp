// Blocks, control flow, memory and calls.
#include "backends/llvm/emit/Emitter.h"
#include "tape/LocalBuffers.h"
#include "tape/TapeOps.h"

#include <llvm/IR/MDBuilder.h>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

Emitter::Emitter(ModuleEmitter& module, llvm::Function* function)
    : module_(module), types_(module.types()), function_(function), builder_(module.context()) {
  builder_.SetInsertPoint(llvm::BasicBlock::Create(module.context(), "", function));
}

llvm::BasicBlock* Emitter::newBlock() {
  return llvm::BasicBlock::Create(module_.context(), "", function_);
}

llvm::PHINode* Emitter::onFailure(llvm::BasicBlock* block) {
  failBlock_ = block;
  failStatus_ = llvm::PHINode::Create(types_.status, 2, "", block);
  return failStatus_;
}

void Emitter::bodyOfFunction(std::size_t index, unsigned arguments) {
  llvm::BasicBlock* const failed = newBlock();
  llvm::PHINode* const status = onFailure(failed);
  BasePointers bases{};
  for (unsigned r = 0; r < runtime::roleCount; ++r) bases[r] = function_->getArg(r);
  std::vector<llvm::Value*> list;
  for (unsigned a = 0; a < arguments; ++a) list.push_back(function_->getArg(runtime::roleCount + a));
  body(index, bases, std::move(list));
  builder_.CreateRet(types_.statusOf(0));
  builder_.SetInsertPoint(failed);
  if (status->getNumIncomingValues() == 0)
    failed->eraseFromParent();
  else
    builder_.CreateRet(status);
}

std::vector<llvm::Value*> Emitter::loadNumbers(llvm::Value* base, std::int64_t count) {
  std::vector<llvm::Value*> numbers;
  for (std::int64_t k = 0; k < count; ++k) numbers.push_back(load(address(base, k)));
  return numbers;
}

void Emitter::storeNumbers(llvm::Value* base, const std::vector<llvm::Value*>& numbers) {
  for (std::size_t k = 0; k < numbers.size(); ++k) store(numbers[k], address(base, static_cast<std::int64_t>(k)));
}

llvm::AllocaInst* Emitter::local(llvm::Type* type) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  llvm::AllocaInst* const memory = atEntry.CreateAlloca(type);
  memory->setAlignment(llvm::Align(64));
  return memory;
}

void Emitter::body(std::size_t index, const BasePointers& bases, std::vector<llvm::Value*> arguments) {
  Frame frame;
  frame.function = &module_.tape().functions[index];
  frame.index = index;
  frame.bases = bases;
  frame.arguments = std::move(arguments);
  frame.values.resize(frame.function->values);
  frame.definitions.resize(frame.function->values);
  frame.constants = constantsOf(*frame.function);
  const std::vector<bool> isLocal = tape::localBuffers(module_.tape(), frame.index);
  frame.locals.resize(isLocal.size());
  for (std::size_t b = 0; b < isLocal.size(); ++b)
    if (isLocal[b]) frame.locals[b] = local(module_.tape().buffers[b].size);
  for (std::size_t b = 0; b < frame.function->blocks.size(); ++b)
    for (const Instr& i : frame.function->blocks[b].code) {
      for (const tape::Value a : i.args) ++frame.definitions[a].uses;
      if (i.result == tape::none) continue;
      frame.definitions[i.result].instr = &i;
      frame.definitions[i.result].block = static_cast<std::int32_t>(b);
    }
  Frame* const outer = std::exchange(frame_, &frame);
  block(0);
  frame_ = outer;
}

void Emitter::block(std::int32_t index) {
  const tape::Block& b = frame_->function->blocks[static_cast<std::size_t>(index)];
  Wanted wanted;
  const std::int32_t outer = std::exchange(frame_->block, index);
  Wanted* const outerWanted = std::exchange(frame_->wanted, &wanted);
  for (const Instr& i : b.code) {
    if (i.op == Op::Stumpff) wanted.stumpff[i.args[0]] |= std::uint64_t{1} << static_cast<unsigned>(i.imm);
    if (i.op == Op::Sin || i.op == Op::Cos) wanted.trig[i.args[0]] |= i.op == Op::Sin ? 1 : 2;
  }
  if (!wanted.stumpff.empty() && module_.options().optimization > 0 && module_.options().contract)
    wanted.quotients = analyticQuotients(b, frame_->constants, intervalOfQuotients());
  for (const Instr& i : b.code) instruction(i);
  for (const std::uint64_t key : wanted.added) frame_->shared.erase(key);
  frame_->block = outer;
  frame_->wanted = outerWanted;
}

void Emitter::instruction(const Instr& i) {
  if (i.op == Op::Loop) return familyLoop(i);
  if (i.op == Op::If) return when(i);
  if (i.op == Op::Div && frame_->values[i.result] != nullptr) return; // made with the Stumpff functions it depends on
  if (tape::isPure(i.op))
    frame_->values[i.result] = pure(i);
  else
    effect(i);
}

void Emitter::effect(const Instr& i) {
  switch (i.op) {
  case Op::Load:
    frame_->values[i.result] = read(i);
    break;
  case Op::Store:
    put(i, value(i.args[1]));
    break;
  case Op::Accum:
    accumulate(i);
    break;
  case Op::Fill:
    fill(i);
    break;
  case Op::Call:
    callFunction(i);
    break;
  case Op::Kernel:
    kernel(i);
    break;
  case Op::BreakIf:
    breakIf(value(i.args[0]));
    break;
  default:
    failIf(value(i.args[0]), types_.statusOf(i.imm));
    break;
  }
}

// --- control flow ---------------------------------------------------------------------------------------------

llvm::BranchInst* Emitter::loop(llvm::Value* low, llvm::Value* high, bool down, const Turn& body) {
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const turn = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(builder_.CreateICmpSLE(low, high), turn, after);
  builder_.SetInsertPoint(turn);
  llvm::PHINode* const counter = builder_.CreatePHI(types_.integer, 2);
  counter->addIncoming(down ? high : low, before);
  body(counter, after);
  llvm::Value* const next = builder_.CreateNSWAdd(counter, types_.index(down ? -1 : 1));
  counter->addIncoming(next, builder_.GetInsertBlock());
  llvm::BranchInst* const latch = builder_.CreateCondBr(builder_.CreateICmpEQ(counter, down ? low : high), after, turn);
  builder_.SetInsertPoint(after);
  return latch;
}

void Emitter::familyLoop(const Instr& i) {
  loop(value(i.args[0]), value(i.args[1]), i.imm < 0, [&](llvm::Value* counter, llvm::BasicBlock* after) {
    loopEnds_.push_back(after);
    frame_->values[i.result] = counter;
    block(i.block);
    loopEnds_.pop_back();
  });
}

void Emitter::when(const Instr& i) {
  llvm::BasicBlock* const then = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(value(i.args[0]), then, after);
  builder_.SetInsertPoint(then);
  block(i.block);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void Emitter::breakIf(llvm::Value* condition) {
  llvm::BasicBlock* const next = newBlock();
  builder_.CreateCondBr(condition, loopEnds_.back(), next);
  builder_.SetInsertPoint(next);
}

void Emitter::failIf(llvm::Value* condition, llvm::Value* status) {
  llvm::BasicBlock* const next = newBlock();
  builder_.CreateCondBr(condition, failBlock_, next, llvm::MDBuilder(module_.context()).createUnlikelyBranchWeights());
  failStatus_->addIncoming(status, builder_.GetInsertBlock());
  builder_.SetInsertPoint(next);
}

// --- memory ---------------------------------------------------------------------------------------------------

llvm::Value* Emitter::address(llvm::Value* base, std::int64_t k) {
  return builder_.CreateConstInBoundsGEP1_64(types_.reals, base, static_cast<std::uint64_t>(k));
}

llvm::Value* Emitter::address(llvm::Value* base, llvm::Value* k) {
  return builder_.CreateInBoundsGEP(types_.reals, base, k);
}

llvm::LoadInst* Emitter::load(llvm::Value* where) {
  return builder_.CreateAlignedLoad(types_.reals, where, types_.aligned);
}

llvm::StoreInst* Emitter::store(llvm::Value* x, llvm::Value* where) {
  return builder_.CreateAlignedStore(x, where, types_.aligned);
}

llvm::Value* Emitter::begin(std::int32_t buffer) {
  if (llvm::Value* const own = frame_->locals[static_cast<std::size_t>(buffer)]) return own;
  const tape::Buffer& b = module_.buffer(buffer);
  return address(frame_->bases[static_cast<std::size_t>(b.role)], b.offset);
}

llvm::Value* Emitter::element(const Instr& i) {
  const tape::Buffer& b = module_.buffer(i.buffer);
  llvm::Value* const index = value(i.args[0]);
  if (frame_->locals[static_cast<std::size_t>(i.buffer)] != nullptr)
    return builder_.CreateInBoundsGEP(types_.reals, begin(i.buffer), index);
  if (auto* const c = llvm::dyn_cast<llvm::ConstantInt>(index))
    return address(frame_->bases[static_cast<std::size_t>(b.role)], b.offset + c->getSExtValue());
  return address(begin(i.buffer), index);
}

llvm::Instruction* Emitter::read(const Instr& i, llvm::Value* where) {
  llvm::LoadInst* const l = load(where);
  l->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTag(i.buffer));
  if (module_.isInvariant(module_.buffer(i.buffer), frame_->index))
    l->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context(), {}));
  markApart(i, *l);
  return l;
}

void Emitter::markApart(const Instr& i, llvm::Instruction& access) const {
  if (frame_->locals[static_cast<std::size_t>(i.buffer)] == nullptr)
    access.setMetadata(llvm::LLVMContext::MD_access_group, apart_);
}

llvm::Value* Emitter::read(const Instr& i) {
  return read(i, element(i));
}

void Emitter::put(const Instr& i, llvm::Value* x, llvm::Value* where) {
  llvm::StoreInst* const s = store(x, where);
  s->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTag(i.buffer));
  markApart(i, *s);
}

void Emitter::put(const Instr& i, llvm::Value* x) {
  put(i, x, element(i));
}

void Emitter::accumulate(const Instr& i) {
  llvm::Value* const where = element(i);
  put(i, builder_.CreateFAdd(read(i, where), value(i.args[1])), where);
}

void Emitter::fill(const Instr& i) {
  llvm::Value* const start = begin(i.buffer);
  const bool own = frame_->locals[static_cast<std::size_t>(i.buffer)] != nullptr;
  loop(types_.index(0), types_.index(module_.buffer(i.buffer).size - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
    put(i, types_.constant(0), own ? builder_.CreateInBoundsGEP(types_.reals, start, k) : address(start, k));
  });
}

// --- calls ----------------------------------------------------------------------------------------------------

/// At the place of the call: no inliner has to run.
void Emitter::callFunction(const Instr& i) {
  std::vector<llvm::Value*> arguments;
  for (const tape::Value a : i.args) arguments.push_back(value(a));
  body(static_cast<std::size_t>(i.imm), frame_->bases, std::move(arguments));
}

void Emitter::kernel(const Instr& i) {
  constexpr int first = static_cast<int>(External::CholeskyFactor);
  std::vector<llvm::Value*> arguments;
  for (const std::int32_t b : i.buffers) arguments.push_back(begin(b));
  for (const tape::Value a : i.args) arguments.push_back(value(a));
  llvm::Value* const status =
      callExternal(static_cast<External>(first + static_cast<int>(i.imm)), types_.status, arguments, false);
  failIf(builder_.CreateICmpNE(status, types_.statusOf(0)), status);
}

llvm::Value* Emitter::callExternal(External f, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args, bool isPure) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* a : args) types.push_back(a->getType());
  auto* const type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst* const c = builder_.CreateCall(type, module_.externalAddress(builder_, f, type), args);
  c->addFnAttr(llvm::Attribute::NoUnwind);
  c->addFnAttr(llvm::Attribute::WillReturn);
  if (isPure)
    c->setDoesNotAccessMemory();
  else
    c->setOnlyAccessesInaccessibleMemOrArgMem();
  return c;
}

} // namespace lmc::backends
