// Loops whose turns may be made at the same time (tape/Tiles.h): the body becomes a function of a frame and the number
// of a turn, which the runtime calls for all turns (lmc_turns), on threads where it has them. A frame holds the bases,
// memory of the function that others do not have, and values that turns use; nothing is written to it while they run.
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/TapeOps.h"

#include <algorithm>
#include <functional>
#include <set>

namespace lmc::backends {

using tape::Instr;

llvm::Function* SingleModuleEmitter::turnFunction() {
  llvm::Function* const f = declare(std::string("turn").append(std::to_string(turnFunctions_++)), types_.nothing,
                                    {types_.pointer, types_.integer}, false);
  f->addFnAttr(llvm::Attribute::NoInline);
  return f;
}

/// That turns use and do not define, in ascending order.
std::vector<tape::Value> FunctionEmitter::valuesFromOutside(const Instr& i) const {
  std::set<tape::Value> defined{i.result}, used;
  const std::function<void(std::int32_t)> scan = [&](std::int32_t block) {
    for (const Instr& x : frame_->function->blocks[static_cast<std::size_t>(block)].code) {
      used.insert(x.args.begin(), x.args.end());
      if (x.result != tape::none) defined.insert(x.result);
      if (x.block >= 0) scan(x.block);
    }
  };
  scan(i.block);
  std::vector<tape::Value> list;
  for (const tape::Value v : used)
    if (!defined.contains(v)) list.push_back(v);
  return list;
}

void FunctionEmitter::shareTurns(const Instr& i, llvm::Value* count, std::vector<llvm::Value*> wanted,
                                 const TurnBody& make) {
  llvm::Function* const turn = single_.turnFunction();
  FunctionEmitter inner(single_, turn);
  Frame frame = *frame_;
  frame.shared.clear();
  frame.sums.clear();
  frame.wanted = nullptr;
  std::vector<llvm::Value*> kept;
  const auto pass = [&](llvm::Value*& v) {
    if (v == nullptr || llvm::isa<llvm::Constant>(v)) return;
    const auto at = static_cast<std::uint64_t>(kept.size());
    kept.push_back(v);
    llvm::Value* const place = inner.builder_.CreateConstInBoundsGEP1_64(types_.integer, turn->getArg(0), at);
    v = inner.builder_.CreateAlignedLoad(v->getType(), place, llvm::Align(8));
  };
  for (llvm::Value*& base : frame.bases) pass(base);
  for (llvm::Value*& own : frame.locals) pass(own);
  for (const tape::Value v : valuesFromOutside(i)) pass(frame.values[v]);
  for (llvm::Value*& v : wanted) pass(v);
  inner.frame_ = &frame;
  make(inner, turn->getArg(1), wanted);
  inner.frame_ = nullptr;
  inner.builder_.CreateRetVoid();

  callTurns(turn, kept, count);
}

void FunctionEmitter::callTurns(llvm::Function* turn, const std::vector<llvm::Value*>& kept, llvm::Value* count) {
  llvm::Value* const memory = local(llvm::ArrayType::get(types_.integer, kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k)
    builder_.CreateAlignedStore(kept[k], builder_.CreateConstInBoundsGEP1_64(types_.integer, memory, k),
                                llvm::Align(8));
  auto* const type = llvm::FunctionType::get(types_.nothing, {types_.pointer, types_.pointer, types_.integer}, false);
  llvm::CallInst* const call =
      builder_.CreateCall(type, module_.externalAddress(builder_, External::Turns, type), {turn, memory, count});
  call->addFnAttr(llvm::Attribute::NoUnwind);
  call->addFnAttr(llvm::Attribute::WillReturn);
}

bool FunctionEmitter::mayFail(std::int32_t block) const {
  const auto& code = frame_->function->blocks[static_cast<std::size_t>(block)].code;
  return std::any_of(code.begin(), code.end(),
                     [this](const Instr& i) { return i.op == tape::Op::FailIf || (i.block >= 0 && mayFail(i.block)); });
}

/// Each turn has a place for its status. A turn that fails ends there, the others are made; then the function fails as
/// the first of them, as it would have one after the other. What others wrote meanwhile nobody sees.
void FunctionEmitter::failingTurns(const Instr& i, llvm::Value* count) {
  const auto turns = llvm::cast<llvm::ConstantInt>(count)->getZExtValue();
  llvm::Value* const statuses = local(llvm::ArrayType::get(types_.integer, turns));
  const auto place = [&](std::uint64_t k) { return builder_.CreateConstInBoundsGEP1_64(types_.integer, statuses, k); };
  for (std::uint64_t k = 0; k < turns; ++k)
    builder_.CreateAlignedStore(types_.index(runtime::Ok), place(k), llvm::Align(8));
  shareTurns(i, count, {statuses},
             [&](FunctionEmitter& inner, llvm::Value* turn, const std::vector<llvm::Value*>& wanted) {
               llvm::BasicBlock* const failed = inner.newBlock();
               llvm::PHINode* const status = inner.onFailure(failed);
               inner.frame_->values[i.result] = turn;
               inner.block(i.block);
               llvm::BasicBlock* const after = inner.newBlock();
               inner.builder_.CreateBr(after);
               inner.builder_.SetInsertPoint(failed);
               inner.builder_.CreateAlignedStore(inner.builder_.CreateZExt(status, types_.integer),
                                                 inner.builder_.CreateInBoundsGEP(types_.integer, wanted.front(), turn),
                                                 llvm::Align(8));
               inner.builder_.CreateBr(after);
               inner.builder_.SetInsertPoint(after);
             });
  llvm::Value* first = types_.index(runtime::Ok);
  for (std::uint64_t k = turns; k-- > 0;) {
    llvm::Value* const status = builder_.CreateAlignedLoad(types_.integer, place(k), llvm::Align(8));
    first = builder_.CreateSelect(builder_.CreateICmpNE(status, types_.index(runtime::Ok)), status, first);
  }
  failIf(builder_.CreateICmpNE(first, types_.index(runtime::Ok)), builder_.CreateTrunc(first, types_.status));
}

void FunctionEmitter::independentLoop(const Instr& i) {
  llvm::Value* const count = builder_.CreateNSWAdd(value(i.args[1]), types_.index(1));
  if (mayFail(i.block)) return failingTurns(i, count);
  shareTurns(i, count, {}, [&](FunctionEmitter& inner, llvm::Value* turn, const std::vector<llvm::Value*>&) {
    inner.frame_->values[i.result] = turn;
    inner.block(i.block);
  });
}

// Sums over pairs of a list (tape/Shares.h): a turn is what an owner makes. Owner k of n has the elements from
// count·k/n on; how many owners there are does not show in any sum.

void FunctionEmitter::ownedLoop(const Instr& i) {
  const auto sums = tape::ownedSums(*frame_->function, i);
  llvm::Value* const owners = callExternal(External::NearOwners, types_.integer, {begin(sums->inner->buffer)}, false);
  shareTurns(i, owners, {owners},
             [&](FunctionEmitter& inner, llvm::Value* turn, const std::vector<llvm::Value*>& wanted) {
               inner.ownedRows(i, *sums, turn, wanted.front());
             });
}

void FunctionEmitter::ownedRows(const Instr& i, const tape::OwnedSums& sums, llvm::Value* owner, llvm::Value* owners) {
  Owner his{sums, nullptr, nullptr};
  llvm::Value* const count = types_.index(his.sums.high - his.sums.low + 1);
  const auto from = [&](llvm::Value* k) {
    return builder_.CreateNSWAdd(types_.index(his.sums.low),
                                 builder_.CreateSDiv(builder_.CreateNSWMul(count, k), owners));
  };
  his.low = from(owner);
  llvm::Value* const high = from(builder_.CreateNSWAdd(owner, types_.index(1)));
  his.count = builder_.CreateNSWSub(high, his.low);
  llvm::Value* const list = begin(his.sums.inner->buffer);
  llvm::AllocaInst* const range = local(llvm::ArrayType::get(types_.integer, 2));
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const head = newBlock();
  llvm::BasicBlock* const body = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode* const next = builder_.CreatePHI(types_.integer, 2);
  llvm::Value* first = types_.index(0);
  const auto ofRow = [](const auto& place) { return place.second == 0; };
  if (std::all_of(his.sums.counters.begin(), his.sums.counters.end(), ofRow)) {
    // All sums belong to rows: he has nothing to do in those of others.
    llvm::BasicBlock* const more = newBlock();
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, builder_.CreateNSWSub(high, value(i.args[0]))), more, after);
    builder_.SetInsertPoint(before->getTerminator());
    first = intrinsic(llvm::Intrinsic::smax, {builder_.CreateNSWSub(his.low, value(i.args[0])), types_.index(0)});
    builder_.SetInsertPoint(more);
  }
  next->addIncoming(first, before);
  llvm::Value* const row =
      callExternal(External::NearOwned, types_.integer, {list, value(i.args[0]), next, his.low, high, range}, false);
  builder_.CreateCondBr(builder_.CreateICmpSLT(row, types_.index(0)), after, body);
  builder_.SetInsertPoint(body);
  const auto number = [&](std::uint64_t k) {
    return builder_.CreateAlignedLoad(types_.integer, builder_.CreateConstInBoundsGEP1_64(types_.integer, range, k),
                                      llvm::Align(8));
  };
  his.begin = number(0);
  his.behind = number(1);
  llvm::Value* const index = builder_.CreateNSWAdd(row, value(i.args[0]));
  frame_->values[i.result] = index;
  owner_ = his;
  owner_->row = owns(index);
  block(i.block);
  owner_.reset();
  next->addIncoming(builder_.CreateNSWAdd(row, types_.index(1)), builder_.GetInsertBlock());
  builder_.CreateBr(head);
  builder_.SetInsertPoint(after);
}

llvm::Value* FunctionEmitter::owns(llvm::Value* index) {
  return builder_.CreateICmpULT(builder_.CreateSub(index, owner_->low), owner_->count);
}

void FunctionEmitter::whereOwned(tape::Value place, const std::function<void()>& add) {
  if (!owner_ || ownerKnown_) return add();
  llvm::Value* const his = owner_->sums.counters.at(place) == 0 ? owner_->row : owns(value(owner_->sums.inner->result));
  where(his, [&] {
    ownerKnown_ = true;
    add();
    ownerKnown_ = false;
  });
}

void FunctionEmitter::where(llvm::Value* condition, const std::function<void()>& make) {
  llvm::BasicBlock* const then = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(condition, then, after);
  builder_.SetInsertPoint(then);
  make();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

} // namespace lmc::backends
