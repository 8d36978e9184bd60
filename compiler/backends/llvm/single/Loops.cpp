// Loops over families: sums in registers, and what the vectoriser is told.
//
// A sum that a loop adds to one number, such as the force on i from all j, is kept in a register and added to memory
// after the loop. Its terms may be added in any order (sums over a family have none), so that the loop can be
// vectorised with one partial sum in each lane. Which order is a matter of the machine's vector width alone: the same
// machine repeats the bits.
//
// Sums whose pairs data choose by a distance (lower/builder/Distances.h) are added in the order of the loop. So a loop
// over a list, which leaves turns out that add nothing, has the bits of the loop over all (Pairs.cpp).
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/Places.h"
#include "tape/TapeOps.h"
#include "tape/Tiles.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

namespace {

/// A loop of so many turns is one vector: of eight numbers, or two of four.
constexpr std::int64_t turnsOfVector = 8;

template <typename T> bool contains(const std::vector<T>& list, const T& x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

/// What a loop's body does, inner blocks included.
struct LoopBody {
  std::vector<const Instr*> sums;                           ///< Accum
  std::vector<tape::Value> defined;                         ///< values that exist in a turn only
  std::vector<std::int32_t> otherwise;                      ///< buffers that are used by other instructions than Accum
  std::vector<std::int32_t> loaded, written;                ///< loaded: what was not stored before in the same turn
  std::vector<std::pair<std::int32_t, tape::Value>> stored; ///< buffer and place
  bool closed = true;       ///< but for failures nothing leaves the loop or calls a function or a routine
  std::size_t failures = 0; ///< instructions that may fail
  bool chosen = false;      ///< data choose elements: a failure may keep them within an array
  bool innermost = true;
  bool stumpff = false;
  bool straight = true; ///< neither conditions nor functions that a library computes
  bool copies = true;   ///< numbers are read and written as they are

  /// Nothing that the loop reads does it write: it may be run once more.
  [[nodiscard]] bool repeatable() const {
    return sums.empty() && std::none_of(loaded.begin(), loaded.end(), [this](std::int32_t b) {
             return std::find(written.begin(), written.end(), b) != written.end();
           });
  }
};

void scan(const tape::Function& f, std::int32_t block, LoopBody& out) {
  for (const Instr& i : f.blocks[static_cast<std::size_t>(block)].code) {
    if (i.result != tape::none) out.defined.push_back(i.result);
    switch (i.op) {
    case Op::Accum:
      out.sums.push_back(&i);
      break;
    case Op::Load:
      out.otherwise.push_back(i.buffer);
      if (!contains(out.stored, std::pair{i.buffer, i.args[0]})) out.loaded.push_back(i.buffer);
      break;
    case Op::Store:
      out.stored.emplace_back(i.buffer, i.args[0]);
      [[fallthrough]];
    case Op::Fill:
      out.otherwise.push_back(i.buffer);
      out.written.push_back(i.buffer);
      break;
    case Op::Stumpff:
      out.stumpff = true;
      break;
    case Op::Call:
    case Op::Kernel:
    case Op::BreakIf:
      out.closed = false;
      break;
    case Op::FailIf:
      ++out.failures;
      break;
    case Op::Loop:
      out.innermost = false;
      break;
    case Op::FloorToInt:
      out.chosen = true;
      break;
    default:
      break;
    }
    const bool moves =
        i.op == Op::Load || i.op == Op::Store || i.op == Op::IAdd || i.op == Op::IMul || i.op == Op::ConstInt;
    out.copies = out.copies && moves;
    const bool library = tape::info(i.op).kind == tape::Kind::Library;
    out.straight = out.straight && !library && i.op != Op::If;
    if (i.block >= 0) scan(f, i.block, out);
  }
}

} // namespace

void FunctionEmitter::familyLoop(const Instr& i) {
  if (i.imm == tape::independentTurns && single_.hasTeam()) return independentLoop(i);
  if (i.imm == tape::ownedTurns && single_.hasTeam()) return ownedLoop(i);
  LoopBody body;
  body.defined.push_back(i.result);
  scan(*frame_->function, i.block, body);
  // Failures are looked at behind a loop that can be vectorised, whose turns stand in the code once.
  const bool inTurns =
      i.buffer >= 0 || std::any_of(body.sums.begin(), body.sums.end(), [](const Instr* sum) { return sum->imm != 0; });
  const bool late =
      body.failures > 0 && body.innermost && body.closed && body.straight && !body.chosen && i.imm >= 0 && !inTurns;
  body.closed = body.closed && (late || body.failures == 0);
  std::vector<std::pair<const Instr*, llvm::Value*>> kept;
  for (const Instr* sum : body.sums) {
    if (!module_.options().contract) break; // exported C adds each term to memory
    const bool fixed = !contains(body.defined, sum->args[0]) && !contains(body.otherwise, sum->buffer);
    if (!fixed || !body.closed || frame_->sums.contains({sum->buffer, sum->args[0]})) continue;
    llvm::Value* const partial = local(1);
    builder_.CreateAlignedStore(types_.constant(0), partial, llvm::Align(8));
    frame_->sums[{sum->buffer, sum->args[0]}] = partial;
    kept.emplace_back(sum, partial);
  }
  const bool likelyNear = body.stumpff && module_.options().contract;
  if (body.innermost && body.closed && likelyNear && body.straight && body.repeatable() && !late)
    return optimisticLoop(i, body.defined);
  const LateFailures failures = late ? beginLate(body.failures) : LateFailures();
  if (inTurns && body.innermost)
    pairLoop(i);
  else if (body.innermost && body.closed && body.straight && !body.copies && !late && body.repeatable())
    vectorTurns(i, body.defined);
  else if (llvm::BranchInst* const latch = turns(i); body.innermost && body.closed) {
    const bool ownPlaces = std::all_of(body.sums.begin(), body.sums.end(), [&](const Instr* sum) {
      return contains(body.defined, sum->args[0]); // no turn adds where another does
    });
    if (body.straight && ownPlaces && isVector(i)) {
      asOneVector(latch, turnsOfVector);
      if (!body.sums.empty()) latch->getFunction()->addFnAttr(addsVectors);
    } else if (!body.copies)
      maskTail(latch); // masked vectors with a distance would be gathered, where whole ones are shuffled
    else if (storesFarApart(i))
      describe(latch, "llvm.loop.vectorize.enable", builder_.getFalse()); // a vector would be scattered
  }
  if (late) endLate(failures);
  for (const auto& [sum, partial] : kept) {
    frame_->sums.erase({sum->buffer, sum->args[0]});
    llvm::Value* const total = builder_.CreateAlignedLoad(types_.real, partial, llvm::Align(8));
    whereOwned(sum->args[0], [&, s = sum] {
      llvm::Value* const where = element(*s);
      put(*s, builder_.CreateFAdd(read(*s, where), total), where);
    });
  }
}

llvm::BranchInst* FunctionEmitter::turns(const Instr& i) {
  return turns(i, value(i.args[0]), value(i.args[1]));
}

llvm::BranchInst* FunctionEmitter::turns(const Instr& i, llvm::Value* low, llvm::Value* high) {
  const bool apart = places().turnsStandApart(i, [this](const Instr& access) {
    return frame_->locals[static_cast<std::size_t>(access.buffer)] != nullptr ||
           (access.op == Op::Accum && frame_->sums.contains({access.buffer, access.args[0]}));
  });
  apart_ = apart ? llvm::MDNode::getDistinct(module_.context(), {}) : nullptr;
  llvm::MDNode* const group = apart_;
  llvm::BranchInst* const latch = loop(low, high, i.imm < 0, [&](llvm::Value* counter, llvm::BasicBlock* after) {
    loopEnds_.push_back(after);
    frame_->values[i.result] = counter;
    turn_ = counter;
    block(i.block);
    loopEnds_.pop_back();
  });
  apart_ = nullptr;
  // LLVM would ask the same of each two accesses, twice; what it is told here it takes for granted.
  if (group != nullptr) describe(latch, "llvm.loop.parallel_accesses", group);
  return latch;
}

/// Turns that share nothing, as whole vectors without a mask and a last one with it: what is stored under a mask is not
/// handed on to the next load, and loops over a few members follow each other at once.
void FunctionEmitter::vectorTurns(const Instr& i, const std::vector<tape::Value>& defined) {
  constexpr std::int64_t half = turnsOfVector / 2;
  if (isVector(i)) return asOneVector(turns(i), turnsOfVector);
  const auto* const first = llvm::dyn_cast<llvm::ConstantInt>(value(i.args[0]));
  const auto* const last = llvm::dyn_cast<llvm::ConstantInt>(value(i.args[1]));
  const std::int64_t count = first == nullptr || last == nullptr ? 0 : last->getSExtValue() - first->getSExtValue() + 1;
  const std::int64_t rest = count % turnsOfVector;
  if (i.imm < 0 || count < turnsOfVector || rest == 0) return maskTail(turns(i));
  llvm::Value* const behind = types_.index(last->getSExtValue() + 1 - rest);
  maskTail(turns(i, value(i.args[0]), types_.index(last->getSExtValue() - rest)));
  forget(defined);
  llvm::BranchInst* const latch = turns(i, behind, value(i.args[1]));
  rest == half ? asOneVector(latch, half) : maskTail(latch);
}

/// A quotient that has a value was made with the functions it depends on: none may be left when a body is emitted
/// again.
void FunctionEmitter::forget(const std::vector<tape::Value>& defined) {
  for (const tape::Value v : defined) frame_->values[v] = nullptr;
}

namespace {
/// The number of no turn.
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
} // namespace

/// Whether turns that follow each other write to lines of memory of their own.
bool FunctionEmitter::storesFarApart(const Instr& i) const {
  constexpr std::int64_t line = 8;
  const auto at = places().in(i, {i.result});
  const auto& code = frame_->function->blocks[static_cast<std::size_t>(i.block)].code;
  return std::any_of(code.begin(), code.end(), [&](const Instr& x) {
    if (x.op != Op::Store) return false;
    const auto place = at.find(x.args[0]);
    return place != at.end() && std::abs(place->second.slope) >= line;
  });
}

/// A branch out of a loop keeps it from being vectorised. Each instruction that may fail notes the first turn in which
/// it did, and the loop goes on: what it still writes nobody sees.
FunctionEmitter::LateFailures FunctionEmitter::beginLate(std::size_t count) {
  LateFailures failures;
  for (std::size_t k = 0; k < count; ++k) {
    failures.turns.push_back(local(1));
    builder_.CreateAlignedStore(types_.index(never), failures.turns.back(), llvm::Align(8));
  }
  late_ = failures.turns;
  return failures;
}

void FunctionEmitter::failIf(llvm::Value* condition, llvm::Value* status) {
  if (late_.empty()) return Emitter::failIf(condition, status);
  llvm::Value* const first = late_.front();
  late_.erase(late_.begin());
  statuses_.push_back(status);
  llvm::Value* const now = builder_.CreateSelect(condition, turn_, types_.index(never));
  llvm::Value* const before = builder_.CreateAlignedLoad(types_.integer, first, llvm::Align(8));
  builder_.CreateAlignedStore(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, before, now), first,
                              llvm::Align(8));
}

/// Fails as the loop would have: in the first turn that fails, by the first instruction there.
void FunctionEmitter::endLate(const LateFailures& failures) {
  const std::vector<llvm::Value*> statuses = std::exchange(statuses_, {});
  std::vector<llvm::Value*> turns;
  for (llvm::Value* const t : failures.turns)
    turns.push_back(builder_.CreateAlignedLoad(types_.integer, t, llvm::Align(8)));
  llvm::Value* first = turns.back();
  llvm::Value* status = statuses.back();
  for (std::size_t k = turns.size() - 1; k-- > 0;) {
    llvm::Value* const sooner = builder_.CreateICmpSLE(turns[k], first);
    status = builder_.CreateSelect(sooner, statuses[k], status);
    first = builder_.CreateSelect(sooner, turns[k], first);
  }
  Emitter::failIf(builder_.CreateICmpNE(first, types_.index(never)), status);
}

/// Exponentials have a branch for large angles, which a vectorised loop cannot have. The loop is run without it; if
/// some angle was large, it is run once more as it stands.
void FunctionEmitter::optimisticLoop(const Instr& i, const std::vector<tape::Value>& defined) {
  farthest_ = local(1);
  builder_.CreateAlignedStore(types_.index(0), farthest_, llvm::Align(8));
  vectorTurns(i, defined);
  llvm::Value* const farthest = builder_.CreateAlignedLoad(types_.integer, farthest_, llvm::Align(8));
  farthest_ = nullptr;
  llvm::BasicBlock* const again = newBlock();
  llvm::BasicBlock* const after = newBlock();
  builder_.CreateCondBr(builder_.CreateICmpSGT(farthest, types_.index(std::bit_cast<std::int64_t>(stumpffRange))),
                        again, after, llvm::MDBuilder(module_.context()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(again);
  forget(defined);
  (void)turns(i);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void FunctionEmitter::accumulate(const Instr& i) {
  addTerm(i, value(i.args[1]));
}

void FunctionEmitter::addTerm(const Instr& i, llvm::Value* term) {
  if (const auto it = frame_->sums.find({i.buffer, i.args[0]}); it != frame_->sums.end()) {
    llvm::IRBuilderBase::FastMathFlagGuard guard(builder_);
    llvm::FastMathFlags flags = builder_.getFastMathFlags();
    flags.setAllowReassoc(i.imm == 0);
    builder_.setFastMathFlags(flags);
    llvm::Value* const before = builder_.CreateAlignedLoad(types_.real, it->second, llvm::Align(8));
    builder_.CreateAlignedStore(builder_.CreateFAdd(before, term), it->second, llvm::Align(8));
    return;
  }
  whereOwned(i.args[0], [&] {
    llvm::Value* const where = element(i);
    put(i, builder_.CreateFAdd(read(i, where), term), where);
  });
}

/// The last turns of a vectorised loop are one masked turn: a loop over pairs has a few turns only.
void FunctionEmitter::maskTail(llvm::BranchInst* latch) {
  describe(latch, "llvm.loop.vectorize.predicate.enable", builder_.getTrue());
}

/// Turns that together are one vector are no loop any more: so a recursion around them keeps in registers what it hands
/// on (Optimize.cpp).
bool FunctionEmitter::isVector(const Instr& i) {
  const auto* const first = llvm::dyn_cast<llvm::ConstantInt>(value(i.args[0]));
  const auto* const last = llvm::dyn_cast<llvm::ConstantInt>(value(i.args[1]));
  return first != nullptr && last != nullptr && last->getSExtValue() - first->getSExtValue() == turnsOfVector - 1;
}

void FunctionEmitter::asOneVector(llvm::BranchInst* latch, std::int64_t turns) {
  describe(latch, "llvm.loop.vectorize.width", builder_.getInt32(static_cast<std::uint32_t>(turns)));
}

void FunctionEmitter::describe(llvm::BranchInst* latch, const char* property, llvm::Constant* is) {
  describe(latch, property, llvm::ConstantAsMetadata::get(is));
}

/// Tells the vectoriser something of the loop that a branch closes, beside what it has been told.
void FunctionEmitter::describe(llvm::BranchInst* latch, const char* property, llvm::Metadata* is) {
  llvm::LLVMContext& c = module_.context();
  llvm::SmallVector<llvm::Metadata*, 4> all{nullptr}; // the node itself
  if (const llvm::MDNode* const before = latch->getMetadata(llvm::LLVMContext::MD_loop))
    all.append(before->op_begin() + 1, before->op_end());
  all.push_back(llvm::MDNode::get(c, {llvm::MDString::get(c, property), is}));
  llvm::MDNode* const node = llvm::MDNode::getDistinct(c, all);
  node->replaceOperandWith(0, node);
  latch->setMetadata(llvm::LLVMContext::MD_loop, node);
}

} // namespace lmc::backends
