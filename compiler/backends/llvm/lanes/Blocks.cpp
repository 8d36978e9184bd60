// Lanes: blocks, memory, control flow, routines.
#include "backends/llvm/lanes/LaneEmitter.h"
#include "tape/LocalBuffers.h"
#include "tape/TapeLanes.h"
#include "tape/TapeOps.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <utility>

namespace lmc::backends {

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
    : Emitter(module, function), lanes_(module) {
  // No fast-math flags: what is fused is said by `fma`, so that it does not depend on the width.
  status_ = local(types_.statuses);
}

llvm::Value* LaneEmitter::running() {
  return builder_.CreateICmpEQ(status(), llvm::Constant::getNullValue(types_.statuses));
}

llvm::Value* LaneEmitter::any(llvm::Value* m) {
  llvm::Type* const bits = llvm::IntegerType::get(module_.context(), types_.lanes);
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

llvm::Value* LaneEmitter::meant() {
  llvm::Value* const m = mask();
  return m == nullptr ? running() : builder_.CreateAnd(m, running());
}

// --- control flow ---------------------------------------------------------------------------------------------

// Bounds that differ between lanes: from the least to the greatest of the lanes that run, each lane within its own.
void LaneEmitter::familyLoop(const Instr& i) {
  llvm::Value* low = value(i.args[0]);
  llvm::Value* high = value(i.args[1]);
  llvm::Value* const lows = low;
  llvm::Value* const highs = high;
  const bool own = isWide(low) || isWide(high);
  if (own) {
    llvm::Value* const wanted = meant();
    const auto bound = [&](llvm::Value* v, std::int64_t neutral, bool least) {
      llvm::Value* const all = wide(v);
      llvm::Value* const none = llvm::ConstantInt::get(all->getType(), static_cast<std::uint64_t>(neutral), true);
      llvm::Value* const kept = builder_.CreateSelect(wanted, all, none);
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

void LaneEmitter::failIf(llvm::Value* condition, llvm::Value* s) {
  llvm::Value* failing = builder_.CreateAnd(wide(condition), running());
  if (llvm::Value* const m = mask()) failing = builder_.CreateAnd(failing, m);
  setStatus(builder_.CreateSelect(failing, wide(s), status()));
}

// --- memory ---------------------------------------------------------------------------------------------------

llvm::Value* LaneEmitter::addresses(llvm::Value* start, llvm::Value* index) {
  std::vector<llvm::Constant*> lanes;
  for (unsigned l = 0; l < types_.lanes; ++l) lanes.push_back(llvm::ConstantInt::get(types_.integer, l));
  llvm::Value* const place =
      builder_.CreateAdd(builder_.CreateMul(index, llvm::ConstantInt::get(index->getType(), types_.lanes)),
                         llvm::ConstantVector::get(lanes));
  return builder_.CreateGEP(types_.real, start, place);
}

llvm::Value* LaneEmitter::read(const Instr& i) {
  if (!isWide(value(i.args[0]))) return Emitter::read(i, element(i));
  llvm::Value* const wanted = meant(); // another lane may have any index
  llvm::CallInst* const result =
      builder_.CreateMaskedGather(types_.reals, addresses(begin(i.buffer), value(i.args[0])), llvm::Align(8), wanted,
                                  llvm::Constant::getNullValue(types_.reals));
  result->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTag(i.buffer));
  return result;
}

void LaneEmitter::put(const Instr& i, llvm::Value* x) {
  x = wide(x);
  llvm::Value* const m = mask();
  if (isWide(value(i.args[0]))) {
    llvm::Value* const wanted = m == nullptr ? running() : builder_.CreateAnd(m, running());
    builder_.CreateMaskedScatter(x, addresses(begin(i.buffer), value(i.args[0])), llvm::Align(8), wanted)
        ->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTag(i.buffer));
    return;
  }
  llvm::Value* const where = element(i);
  if (m != nullptr) { // not a masked store, which would keep the state out of registers
    llvm::LoadInst* const before = load(where);
    before->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTag(i.buffer));
    x = builder_.CreateSelect(m, x, before);
  }
  Emitter::put(i, x, where);
}

void LaneEmitter::accumulate(const Instr& i) {
  if (const Instr* p = product(i.args[1]))
    put(i, wide(fma(value(p->args[0]), value(p->args[1]), read(i))));
  else
    put(i, builder_.CreateFAdd(read(i), wide(value(i.args[1]))));
}

void LaneEmitter::fill(const Instr& i) {
  const tape::Buffer& b = module_.buffer(i.buffer);
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
  loop(types_.index(0), types_.index(b.size - 1), false,
       [&](llvm::Value* k, llvm::BasicBlock*) { clear(address(start, k)); });
}

/// Memory for numbers of the state, of the thread that calls.
llvm::Value* LaneEmitter::roomFor(std::int64_t count) {
  constexpr std::int64_t line = 64; // bytes: vectors are aligned
  llvm::Value* const room =
      callExternal(External::Scratch, types_.pointer, {types_.index(count * types_.lanes + line / 8)}, false);
  llvm::Value* const up = builder_.CreateAdd(builder_.CreatePtrToInt(room, types_.integer), types_.index(line - 1));
  return builder_.CreateIntToPtr(builder_.CreateAnd(up, types_.index(-line)), types_.pointer);
}

void LaneEmitter::copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) {
  callExternal(External::CopyMemory, types_.pointer, {to, from, types_.index(count * types_.lanes * 8)}, false);
}

// --- routines -------------------------------------------------------------------------------------------------

/// Copies a buffer of one lane to contiguous memory, or back.
void LaneEmitter::copyLane(const tape::Buffer& buffer, llvm::Value* scratch, llvm::Value* lane, bool back) {
  llvm::Value* const start = address(frame_->bases[static_cast<std::size_t>(buffer.role)], buffer.offset);
  loop(types_.index(0), types_.index(buffer.size - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
    llvm::Value* const place =
        builder_.CreateNSWAdd(builder_.CreateNSWMul(k, llvm::ConstantInt::get(types_.integer, types_.lanes)), lane);
    llvm::Value* const mine = builder_.CreateInBoundsGEP(types_.real, start, place);
    llvm::Value* const packed = builder_.CreateInBoundsGEP(types_.real, scratch, k);
    builder_.CreateStore(builder_.CreateLoad(types_.real, back ? packed : mine), back ? mine : packed);
  });
}

/// A routine works for one lane after the other, on copies of its arrays behind the working memory of all lanes.
void LaneEmitter::kernel(const Instr& i) {
  // Without fused operations results are to be those of the routine.
  if (static_cast<tape::KernelId>(i.imm) == tape::KernelId::NewtonChange && module_.options().contract &&
      newtonChange(i))
    return;
  constexpr int first = static_cast<int>(External::CholeskyFactor);
  const tape::KernelInfo& about = tape::info(static_cast<tape::KernelId>(i.imm));
  constexpr auto work = static_cast<std::size_t>(runtime::Role::Work);
  llvm::Value* const scratch = address(frame_->bases[work], module_.tape().roleSize[work]);
  llvm::Value* const wanted = meant();
  loop(types_.index(0), types_.index(types_.lanes - 1), false, [&](llvm::Value* lane, llvm::BasicBlock*) {
    llvm::BasicBlock* const then = newBlock();
    llvm::BasicBlock* const after = newBlock();
    builder_.CreateCondBr(builder_.CreateExtractElement(wanted, lane), then, after);
    builder_.SetInsertPoint(then);
    std::vector<llvm::Value*> arguments;
    std::int64_t offset = 0;
    for (const std::int32_t b : i.buffers) {
      const tape::Buffer& buffer = module_.buffer(b);
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
      if (about.written[b] == 'w') copyLane(module_.buffer(i.buffers[b]), arguments[b], lane, true);
    setStatus(builder_.CreateInsertElement(status(), result, lane));
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
  });
}

} // namespace lmc::backends
