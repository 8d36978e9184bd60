// Lanes: blocks, memory, control flow, routines.
#include "backends/llvm/lanes/LaneEmitter.h"
#include "tape/LocalBuffers.h"
#include "tape/TapeLanes.h"
#include "tape/TapeOps.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <utility>

namespace lmc::codegen {

using tape::Instr;
using tape::Op;

namespace {

/// Buffers up to this size are cleared without a loop.
constexpr std::int64_t straightFill = 16;

/// True if a block, loops within it apart, has a BreakIf.
bool breaks(const tape::Function& f, std::int32_t block) {
  const auto& code = f.blocks[static_cast<std::size_t>(block)].code;
  return std::any_of(code.begin(), code.end(),
                     [&](const Instr& i) { return i.op == Op::BreakIf || (i.op == Op::If && breaks(f, i.block)); });
}

} // namespace

LaneEmitter::LaneEmitter(LaneModuleEmitter& module, llvm::Function* function)
    : module_(module), types_(module.types_), function_(function), builder_(module.context_) {
  // No fast-math flags: what is fused is said by `fma`, so that it does not depend on the width.
  builder_.SetInsertPoint(llvm::BasicBlock::Create(module.context_, "", function));
  status_ = local(types_.statuses);
}

llvm::BasicBlock* LaneEmitter::newBlock() {
  return llvm::BasicBlock::Create(module_.context_, "", function_);
}

llvm::AllocaInst* LaneEmitter::local(llvm::Type* type) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  llvm::AllocaInst* const memory = atEntry.CreateAlloca(type);
  memory->setAlignment(llvm::Align(64));
  return memory;
}

llvm::Value* LaneEmitter::running() {
  return builder_.CreateICmpEQ(status(), llvm::Constant::getNullValue(types_.statuses));
}

llvm::Value* LaneEmitter::wide(llvm::Value* v) {
  return isWide(v) ? v : builder_.CreateVectorSplat(types_.lanes, v);
}

llvm::Value* LaneEmitter::any(llvm::Value* m) {
  llvm::Type* const bits = llvm::IntegerType::get(module_.context_, types_.lanes);
  return builder_.CreateICmpNE(builder_.CreateBitCast(m, bits), llvm::ConstantInt::get(bits, 0));
}

llvm::Value* LaneEmitter::allLanes() {
  return llvm::Constant::getAllOnesValue(types_.mask);
}

llvm::Value* LaneEmitter::mask() {
  llvm::Value* m = nullptr;
  const auto both = [&](llvm::Value* more) { m = m == nullptr ? more : builder_.CreateAnd(m, more); };
  for (llvm::Value* c : conditions_) both(c);
  for (const LoopScope& scope : loops_)
    if (scope.alive != nullptr) both(builder_.CreateLoad(types_.mask, scope.alive));
  return m;
}

void LaneEmitter::body(std::size_t index, const Bases& bases, std::vector<llvm::Value*> arguments) {
  Frame frame;
  frame.function = &module_.tape_.functions[index];
  frame.bases = bases;
  frame.arguments = std::move(arguments);
  frame.values.resize(frame.function->values);
  frame.definitions.resize(frame.function->values);
  frame.constants = constantsOf(*frame.function);
  const std::vector<bool> isLocal = tape::localBuffers(module_.tape_, *frame.function);
  frame.locals.resize(isLocal.size());
  for (std::size_t b = 0; b < isLocal.size(); ++b)
    if (isLocal[b])
      frame.locals[b] =
          local(llvm::ArrayType::get(types_.reals, static_cast<std::uint64_t>(module_.tape_.buffers[b].size)));
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

void LaneEmitter::block(std::int32_t index) {
  const tape::Block& b = frame_->function->blocks[static_cast<std::size_t>(index)];
  const std::int32_t outer = std::exchange(frame_->block, index);
  Wanted wanted;
  for (const Instr& i : b.code) {
    if (i.op == Op::Stumpff) wanted.stumpff[i.args[0]] |= std::uint64_t{1} << static_cast<unsigned>(i.imm);
    if (i.op == Op::Sin || i.op == Op::Cos) wanted.trig[i.args[0]] |= i.op == Op::Sin ? 1 : 2;
  }
  if (!wanted.stumpff.empty() && module_.options_.optimization > 0)
    wanted.quotients = analyticQuotients(b, frame_->constants);
  for (const Instr& i : b.code) instruction(i, wanted);
  for (const std::uint64_t key : wanted.added) frame_->shared.erase(key);
  frame_->block = outer;
}

void LaneEmitter::instruction(const Instr& i, Wanted& wanted) {
  if (i.op == Op::Loop) return familyLoop(i);
  if (i.op == Op::If) return when(i);
  if (i.op == Op::Div && frame_->values[i.result] != nullptr) return; // made with the Stumpff functions it depends on
  if (i.op < Op::Load)
    frame_->values[i.result] = pure(i, wanted);
  else
    effect(i);
}

void LaneEmitter::effect(const Instr& i) {
  switch (i.op) {
  case Op::Load:
    frame_->values[i.result] = read(i);
    break;
  case Op::Store:
    put(i, wide(value(i.args[1])));
    break;
  case Op::Accum:
    if (const Instr* p = product(i.args[1]))
      put(i, wide(fma(value(p->args[0]), value(p->args[1]), read(i))));
    else
      put(i, builder_.CreateFAdd(read(i), wide(value(i.args[1]))));
    break;
  case Op::Fill:
    fill(i);
    break;
  case Op::Call: {
    std::vector<llvm::Value*> arguments;
    for (const tape::Value a : i.args) arguments.push_back(value(a));
    body(static_cast<std::size_t>(i.imm), frame_->bases, std::move(arguments));
    break;
  }
  case Op::Kernel:
    kernel(i);
    break;
  case Op::BreakIf:
    breakIf(value(i.args[0]));
    break;
  default:
    failIf(value(i.args[0]), i.imm);
    break;
  }
}

// --- control flow ---------------------------------------------------------------------------------------------

llvm::BasicBlock* LaneEmitter::loop(llvm::Value* low, llvm::Value* high, bool down,
                                    const std::function<void(llvm::Value*, llvm::BasicBlock*)>& turnBody) {
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const turn = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(builder_.CreateICmpSLE(low, high), turn, after);
  builder_.SetInsertPoint(turn);
  llvm::PHINode* const counter = builder_.CreatePHI(types_.integer, 2);
  counter->addIncoming(down ? high : low, before);
  turnBody(counter, after);
  llvm::Value* const next = builder_.CreateNSWAdd(counter, llvm::ConstantInt::get(types_.integer, down ? -1 : 1, true));
  counter->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpEQ(counter, down ? low : high), after, turn);
  builder_.SetInsertPoint(after);
  return after;
}

// Bounds that differ between lanes: from the least to the greatest of the lanes that run, each lane within its own.
void LaneEmitter::familyLoop(const Instr& i) {
  llvm::Value* low = value(i.args[0]);
  llvm::Value* high = value(i.args[1]);
  llvm::Value* const lows = low;
  llvm::Value* const highs = high;
  const bool own = isWide(low) || isWide(high);
  if (own) {
    llvm::Value* const m = mask();
    llvm::Value* const meant = m == nullptr ? running() : builder_.CreateAnd(m, running());
    const auto bound = [&](llvm::Value* v, std::int64_t neutral, bool least) {
      llvm::Value* const all = wide(v);
      llvm::Value* const none = llvm::ConstantInt::get(all->getType(), static_cast<std::uint64_t>(neutral), true);
      llvm::Value* const kept = builder_.CreateSelect(meant, all, none);
      return least ? builder_.CreateIntMinReduce(kept, true) : builder_.CreateIntMaxReduce(kept, true);
    };
    low = bound(low, INT64_MAX, true);
    high = bound(high, INT64_MIN, false);
  }
  LoopScope scope;
  if (breaks(*frame_->function, i.block)) {
    llvm::Value* const m = mask();
    scope.alive = local(types_.mask);
    builder_.CreateStore(m == nullptr ? allLanes() : m, scope.alive);
  }
  loop(low, high, i.imm < 0, [&](llvm::Value* counter, llvm::BasicBlock* after) {
    scope.after = after;
    loops_.push_back(scope);
    frame_->values[i.result] = counter;
    if (own) {
      llvm::Value* const at = wide(counter);
      conditions_.push_back(
          builder_.CreateAnd(builder_.CreateICmpSLE(wide(lows), at), builder_.CreateICmpSLE(at, wide(highs))));
    }
    block(i.block);
    if (own) conditions_.pop_back();
    loops_.pop_back();
  });
}

void LaneEmitter::when(const Instr& i) {
  llvm::Value* const condition = value(i.args[0]);
  llvm::BasicBlock* const then = newBlock();
  llvm::BasicBlock* const after = newBlock();
  const bool own = isWide(condition);
  llvm::Value* meant = condition;
  if (own) {
    if (llvm::Value* const m = mask()) meant = builder_.CreateAnd(m, condition);
    meant = any(meant);
  }
  builder_.CreateCondBr(meant, then, after);
  builder_.SetInsertPoint(then);
  if (own) conditions_.push_back(condition);
  block(i.block);
  if (own) conditions_.pop_back();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void LaneEmitter::breakIf(llvm::Value* condition) {
  const LoopScope& scope = loops_.back();
  llvm::Value* const m = mask();
  llvm::Value* const leaving = m == nullptr ? wide(condition) : builder_.CreateAnd(m, wide(condition));
  llvm::Value* const alive =
      builder_.CreateAnd(builder_.CreateLoad(types_.mask, scope.alive), builder_.CreateNot(leaving));
  builder_.CreateStore(alive, scope.alive);
  // Lanes that a block around excludes here may still want the rest of the turn: those of the loop count.
  llvm::BasicBlock* const next = newBlock();
  builder_.CreateCondBr(any(builder_.CreateAnd(alive, running())), next, scope.after);
  builder_.SetInsertPoint(next);
}

void LaneEmitter::failIf(llvm::Value* condition, std::int64_t s) {
  llvm::Value* failing = builder_.CreateAnd(wide(condition), running());
  if (llvm::Value* const m = mask()) failing = builder_.CreateAnd(failing, m);
  llvm::Value* const all = llvm::ConstantInt::get(types_.statuses, static_cast<std::uint64_t>(s), true);
  setStatus(builder_.CreateSelect(failing, all, status()));
}

// --- memory ---------------------------------------------------------------------------------------------------

llvm::Value* LaneEmitter::address(llvm::Value* base, std::int64_t k) {
  return builder_.CreateConstInBoundsGEP1_64(types_.reals, base, static_cast<std::uint64_t>(k));
}

llvm::Value* LaneEmitter::load(llvm::Value* where) {
  return builder_.CreateAlignedLoad(types_.reals, where, llvm::Align(std::min(64U, 8 * types_.lanes)));
}

void LaneEmitter::store(llvm::Value* x, llvm::Value* where) {
  builder_.CreateAlignedStore(x, where, llvm::Align(std::min(64U, 8 * types_.lanes)));
}

llvm::Value* LaneEmitter::begin(std::int32_t buffer) {
  if (llvm::Value* const own = frame_->locals[static_cast<std::size_t>(buffer)]) return own;
  const tape::Buffer& b = module_.tape_.buffers[static_cast<std::size_t>(buffer)];
  return address(frame_->bases[static_cast<std::size_t>(b.role)], b.offset);
}

/// Where an element stands whose index is the same in all lanes.
llvm::Value* LaneEmitter::element(const Instr& i) {
  const tape::Buffer& b = module_.tape_.buffers[static_cast<std::size_t>(i.buffer)];
  llvm::Value* const index = value(i.args[0]);
  auto* const c = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (c != nullptr && frame_->locals[static_cast<std::size_t>(i.buffer)] == nullptr)
    return address(frame_->bases[static_cast<std::size_t>(b.role)], b.offset + c->getSExtValue());
  return builder_.CreateInBoundsGEP(types_.reals, begin(i.buffer), index);
}

/// Where the elements stand whose index differs between lanes.
llvm::Value* LaneEmitter::addressesOf(const Instr& i) {
  llvm::Value* const index = value(i.args[0]);
  std::vector<llvm::Constant*> lanes;
  for (unsigned l = 0; l < types_.lanes; ++l) lanes.push_back(llvm::ConstantInt::get(types_.integer, l));
  llvm::Value* const place =
      builder_.CreateAdd(builder_.CreateMul(index, llvm::ConstantInt::get(index->getType(), types_.lanes)),
                         llvm::ConstantVector::get(lanes));
  return builder_.CreateGEP(types_.real, begin(i.buffer), place);
}

llvm::Value* LaneEmitter::read(const Instr& i) {
  llvm::Instruction* result = nullptr;
  if (isWide(value(i.args[0]))) {
    llvm::Value* const m = mask(); // a lane that is not meant may have any index
    llvm::Value* const meant = m == nullptr ? running() : builder_.CreateAnd(m, running());
    result = builder_.CreateMaskedGather(types_.reals, addressesOf(i), llvm::Align(8), meant,
                                         llvm::Constant::getNullValue(types_.reals));
  } else {
    result = llvm::cast<llvm::Instruction>(load(element(i)));
    if (module_.tape_.buffers[static_cast<std::size_t>(i.buffer)].role == tape::Role::Params)
      result->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context_, {}));
  }
  result->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTags_[static_cast<std::size_t>(i.buffer)]);
  return result;
}

void LaneEmitter::put(const Instr& i, llvm::Value* x) {
  llvm::MDNode* const tag = module_.aliasTags_[static_cast<std::size_t>(i.buffer)];
  llvm::Value* const m = mask();
  if (isWide(value(i.args[0]))) {
    llvm::Value* const meant = m == nullptr ? running() : builder_.CreateAnd(m, running());
    builder_.CreateMaskedScatter(x, addressesOf(i), llvm::Align(8), meant)
        ->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
    return;
  }
  llvm::Value* const where = element(i);
  if (m != nullptr) { // not a masked store, which would keep the state out of registers
    auto* const before = llvm::cast<llvm::Instruction>(load(where));
    before->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
    x = builder_.CreateSelect(m, x, before);
  }
  auto* const s = builder_.CreateAlignedStore(x, where, llvm::Align(std::min(64U, 8 * types_.lanes)));
  s->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
}

void LaneEmitter::fill(const Instr& i) {
  const tape::Buffer& b = module_.tape_.buffers[static_cast<std::size_t>(i.buffer)];
  llvm::Value* const start = begin(i.buffer);
  llvm::Value* const zero = llvm::Constant::getNullValue(types_.reals);
  const auto clear = [&](llvm::Value* where) {
    llvm::Value* const m = mask();
    store(m == nullptr ? zero : builder_.CreateSelect(m, zero, load(where)), where);
  };
  if (b.size <= straightFill) {
    for (std::int64_t k = 0; k < b.size; ++k) clear(address(start, k));
    return;
  }
  loop(llvm::ConstantInt::get(types_.integer, 0),
       llvm::ConstantInt::get(types_.integer, static_cast<std::uint64_t>(b.size - 1)), false,
       [&](llvm::Value* k, llvm::BasicBlock*) { clear(builder_.CreateInBoundsGEP(types_.reals, start, k)); });
}

// --- routines -------------------------------------------------------------------------------------------------

/// Copies a buffer of one lane to contiguous memory, or back.
void LaneEmitter::copyLane(const tape::Buffer& buffer, llvm::Value* scratch, llvm::Value* lane, bool back) {
  llvm::Value* const start = address(frame_->bases[static_cast<std::size_t>(buffer.role)], buffer.offset);
  loop(llvm::ConstantInt::get(types_.integer, 0),
       llvm::ConstantInt::get(types_.integer, static_cast<std::uint64_t>(buffer.size - 1)), false,
       [&](llvm::Value* k, llvm::BasicBlock*) {
         llvm::Value* const place = builder_.CreateNSWAdd(
             builder_.CreateNSWMul(k, llvm::ConstantInt::get(types_.integer, types_.lanes)), lane);
         llvm::Value* const mine = builder_.CreateInBoundsGEP(types_.real, start, place);
         llvm::Value* const packed = builder_.CreateInBoundsGEP(types_.real, scratch, k);
         builder_.CreateStore(builder_.CreateLoad(types_.real, back ? packed : mine), back ? mine : packed);
       });
}

/// A routine works for one lane after the other, on copies of its arrays behind the working memory of all lanes.
void LaneEmitter::kernel(const Instr& i) {
  // Without fused operations results are to be those of the routine.
  if (static_cast<tape::KernelId>(i.imm) == tape::KernelId::NewtonChange && module_.options_.contract &&
      newtonChange(i))
    return;
  constexpr int first = static_cast<int>(External::CholeskyFactor);
  const tape::KernelInfo& about = tape::info(static_cast<tape::KernelId>(i.imm));
  constexpr auto work = static_cast<std::size_t>(tape::Role::Work);
  llvm::Value* const scratch = address(frame_->bases[work], module_.tape_.roleSize[work]);
  llvm::Value* const m = mask();
  llvm::Value* const meant = m == nullptr ? running() : builder_.CreateAnd(m, running());
  loop(llvm::ConstantInt::get(types_.integer, 0), llvm::ConstantInt::get(types_.integer, types_.lanes - 1), false,
       [&](llvm::Value* lane, llvm::BasicBlock*) {
         llvm::BasicBlock* const then = newBlock();
         llvm::BasicBlock* const after = newBlock();
         builder_.CreateCondBr(builder_.CreateExtractElement(meant, lane), then, after);
         builder_.SetInsertPoint(then);
         std::vector<llvm::Value*> arguments;
         std::int64_t offset = 0;
         for (const std::int32_t b : i.buffers) {
           const tape::Buffer& buffer = module_.tape_.buffers[static_cast<std::size_t>(b)];
           arguments.push_back(
               builder_.CreateConstInBoundsGEP1_64(types_.real, scratch, static_cast<std::uint64_t>(offset)));
           copyLane(buffer, arguments.back(), lane, false);
           offset += buffer.size;
         }
         for (const tape::Value a : i.args) {
           llvm::Value* const n = value(a);
           arguments.push_back(isWide(n) ? builder_.CreateExtractElement(n, lane) : n);
         }
         llvm::Value* const result =
             callExternal(static_cast<External>(first + static_cast<int>(i.imm)), types_.status, arguments, false);
         for (std::size_t b = 0; b < i.buffers.size(); ++b)
           if (about.written[b] == 'w')
             copyLane(module_.tape_.buffers[static_cast<std::size_t>(i.buffers[b])], arguments[b], lane, true);
         setStatus(builder_.CreateInsertElement(status(), result, lane));
         builder_.CreateBr(after);
         builder_.SetInsertPoint(after);
       });
}

llvm::Value* LaneEmitter::callExternal(External f, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args, bool isPure) {
  llvm::Value* const slot =
      builder_.CreateConstInBoundsGEP1_64(types_.pointer, module_.table_, static_cast<std::uint64_t>(f));
  auto* const target = builder_.CreateAlignedLoad(types_.pointer, slot, llvm::Align(8));
  target->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.context_, {}));
  std::vector<llvm::Type*> types;
  for (llvm::Value* a : args) types.push_back(a->getType());
  llvm::CallInst* const c = builder_.CreateCall(llvm::FunctionType::get(result, types, false), target, args);
  c->addFnAttr(llvm::Attribute::NoUnwind);
  c->addFnAttr(llvm::Attribute::WillReturn);
  if (isPure)
    c->setDoesNotAccessMemory();
  else
    c->setOnlyAccessesInaccessibleMemOrArgMem();
  return c;
}

} // namespace lmc::codegen
