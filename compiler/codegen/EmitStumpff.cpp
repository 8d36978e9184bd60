// Functions that share work: Stumpff functions of one argument, sine and cosine of one angle.
#include "codegen/Emitter.h"
#include "codegen/StumpffPolynomial.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <bit>

namespace lmc::codegen {

using tape::Instr;
using tape::Op;

llvm::Value* FunctionEmitter::trig(const Instr& i, Wanted& wanted) {
  const tape::Value operand = i.args[0];
  const std::uint64_t mine = sharedKey(operand, i.op == Op::Sin ? sineKey : cosineKey);
  if (const auto found = frame_->shared.find(mine); found != frame_->shared.end()) return found->second;
  const auto remember = [&](std::uint64_t k, llvm::Value* v) {
    if (frame_->shared.emplace(k, v).second) wanted.added.push_back(k);
  };
  if (wanted.trig[operand] != 3) {
    llvm::Value* const v =
        callExternal(i.op == Op::Sin ? External::Sin : External::Cos, types_.real, {value(operand)}, true);
    remember(mine, v);
    return v;
  }
  llvm::Type* const pair = llvm::StructType::get(types_.real, types_.real);
  llvm::Value* const both = callExternal(External::SinCos, pair, {value(operand)}, true);
  remember(sharedKey(operand, sineKey), builder_.CreateExtractValue(both, 0));
  remember(sharedKey(operand, cosineKey), builder_.CreateExtractValue(both, 1));
  return frame_->shared.at(mine);
}

/// The Stumpff functions of one argument in a block, and the quotients of them that have a polynomial.
struct FunctionEmitter::StumpffGroup {
  llvm::Value* s = nullptr;
  std::uint64_t orders = 0;
  std::vector<const AnalyticQuotient*> quotients;
  llvm::BasicBlock* after = nullptr;
  // Values by order, then those of the quotients: near zero, far from it, and joined.
  std::array<llvm::Value*, 64> near{};
  std::array<llvm::Value*, 64> far{};
  std::array<llvm::Value*, 64> joined{};
  std::vector<llvm::Value*> nearQuotients;
  std::vector<llvm::Value*> farQuotients;
  std::vector<llvm::Value*> joinedQuotients;

  [[nodiscard]] bool has(std::size_t k) const { return (orders >> k & 1U) != 0; }
};

llvm::Value* FunctionEmitter::stumpff(const Instr& i, Wanted& wanted) {
  const tape::Value operand = i.args[0];
  const auto order = static_cast<std::uint64_t>(i.imm);
  if (const auto found = frame_->shared.find(sharedKey(operand, order)); found != frame_->shared.end())
    return found->second;
  StumpffGroup group;
  group.s = value(operand);
  group.orders = wanted.stumpff[operand];
  for (std::uint64_t k = 0; k < 64; ++k)
    if (frame_->shared.contains(sharedKey(operand, k))) group.orders &= ~(std::uint64_t{1} << k);
  for (const AnalyticQuotient& q : wanted.quotients) {
    const auto available = [&](const Instr* p) {
      return p->op != Op::Stumpff || group.has(static_cast<std::size_t>(p->imm));
    };
    if (q.argument == operand && std::all_of(q.program.begin(), q.program.end(), available))
      group.quotients.push_back(&q);
  }
  stumpffGroup(group);
  for (std::uint64_t k = 0; k < 64; ++k) {
    if (!group.has(k)) continue;
    frame_->shared[sharedKey(operand, k)] = group.joined[k];
    wanted.added.push_back(sharedKey(operand, k));
  }
  for (std::size_t q = 0; q < group.quotients.size(); ++q)
    frame_->values[group.quotients[q]->value] = group.joinedQuotients[q];
  return group.joined[order];
}

// In order of increasing length of the chain of dependent operations: pairs, pairs of pairs (Estrin).
llvm::Value* FunctionEmitter::polynomial(llvm::ArrayRef<llvm::Constant*> coefficients, llvm::Value* x) {
  std::vector<llvm::Value*> level(coefficients.begin(), coefficients.end());
  for (llvm::Value* power = x; level.size() > 1; power = builder_.CreateFMul(power, power)) {
    std::vector<llvm::Value*> next;
    for (std::size_t j = 0; j + 1 < level.size(); j += 2)
      next.push_back(builder_.CreateFAdd(builder_.CreateFMul(level[j + 1], power), level[j]));
    if (level.size() % 2 != 0) next.push_back(level.back());
    level = std::move(next);
  }
  return level[0];
}

/// In a loop that counts on small arguments: no branch, and a note of those that are not.
void FunctionEmitter::stumpffAssumedNear(StumpffGroup& group) {
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {group.s});
  llvm::Value* const small = builder_.CreateFCmpOLE(size, types_.constant(stumpffRange));
  llvm::Value* const before = builder_.CreateAlignedLoad(types_.integer, farSeen_, llvm::Align(8));
  llvm::Value* const far = builder_.CreateZExt(builder_.CreateNot(small), types_.integer);
  builder_.CreateAlignedStore(builder_.CreateOr(before, far), farSeen_, llvm::Align(8));
  stumpffNear(group);
  group.joined = group.near;
  group.joinedQuotients = group.nearQuotients;
}

void FunctionEmitter::stumpffGroup(StumpffGroup& group) {
  if (farSeen_ != nullptr) return stumpffAssumedNear(group);
  llvm::BasicBlock* const near = newBlock();
  llvm::BasicBlock* const far = newBlock();
  group.after = newBlock();
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {group.s});
  builder_.CreateCondBr(builder_.CreateFCmpOLE(size, types_.constant(stumpffRange)), near, far,
                        llvm::MDBuilder(module_.context_).createLikelyBranchWeights());
  builder_.SetInsertPoint(near);
  stumpffNear(group);
  builder_.CreateBr(group.after);
  builder_.SetInsertPoint(far);
  stumpffFar(group);
  builder_.SetInsertPoint(group.after);
  const auto join = [&](llvm::Value* a, llvm::Value* b) {
    llvm::PHINode* const both = builder_.CreatePHI(types_.real, 2);
    both->addIncoming(a, near);
    both->addIncoming(b, far);
    return both;
  };
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) group.joined[k] = join(group.near[k], group.far[k]);
  for (std::size_t q = 0; q < group.quotients.size(); ++q)
    group.joinedQuotients.push_back(join(group.nearQuotients[q], group.farQuotients[q]));
}

// The same number by number, where the lanes of vectors are the turns of a loop.
void FunctionEmitter::stumpffNearScalars(StumpffGroup& group, const std::vector<std::vector<double>>& rows,
                                         const std::vector<int>& tops) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<llvm::Constant*> coefficients;
    for (const double x : rows[k]) coefficients.push_back(types_.constant(x));
    llvm::Value* c = polynomial(coefficients, group.s);
    if (k >= tops.size()) {
      group.nearQuotients.push_back(c);
      continue;
    }
    for (int order = tops[k]; order >= 0; order -= 2) {
      if (order < tops[k])
        c = builder_.CreateFSub(types_.constant(inverseFactorial(order)), builder_.CreateFMul(group.s, c));
      if (group.has(static_cast<std::size_t>(order))) group.near[static_cast<std::size_t>(order)] = c;
    }
  }
}

// Near zero the highest order of each parity comes from its polynomial and the lower ones from c_k = 1/k! - s c_{k+2},
// which is exact in real arithmetic, so that the functions keep their algebraic relations to rounding. The polynomials
// of one argument are the lanes of one vector: multiplications, not their latency, bound the time of a step.
void FunctionEmitter::stumpffNear(StumpffGroup& group) {
  std::vector<std::vector<double>> rows;
  std::vector<int> tops;
  for (const std::uint64_t parity : {group.orders & 0x5555555555555555U, group.orders & 0xAAAAAAAAAAAAAAAAU}) {
    if (parity == 0) continue;
    tops.push_back(63 - std::countl_zero(parity));
    rows.push_back(stumpffPolynomial(tops.back()));
  }
  for (const AnalyticQuotient* q : group.quotients) rows.push_back(q->coefficients);
  if (farSeen_ != nullptr) return stumpffNearScalars(group, rows, tops);
  const auto lanes = static_cast<unsigned>(rows.size());
  llvm::Value* const s = lanes == 1 ? group.s : builder_.CreateVectorSplat(lanes, group.s);
  const auto constant = [&](auto number) { // one number per lane
    std::vector<llvm::Constant*> numbers;
    for (unsigned lane = 0; lane < lanes; ++lane) numbers.push_back(types_.constant(number(lane)));
    return lanes == 1 ? numbers[0] : llvm::ConstantVector::get(numbers);
  };
  const auto lane = [&](llvm::Value* v, std::size_t k) { return lanes == 1 ? v : builder_.CreateExtractElement(v, k); };

  std::size_t length = 0;
  for (const auto& row : rows) length = std::max(length, row.size());
  std::vector<llvm::Constant*> coefficients;
  for (std::size_t j = 0; j < length; ++j)
    coefficients.push_back(constant([&](std::size_t k) { return j < rows[k].size() ? rows[k][j] : 0.0; }));
  llvm::Value* c = polynomial(coefficients, s);
  for (std::size_t q = 0; q < group.quotients.size(); ++q) group.nearQuotients.push_back(lane(c, tops.size() + q));
  const int lowest = std::countr_zero(group.orders);
  for (int down = 0; tops[0] - down >= lowest || tops.back() - down >= lowest; down += 2) {
    const auto order = [&](std::size_t k) { return k < tops.size() ? tops[k] - down : -1; };
    if (down > 0) {
      llvm::Constant* const first =
          constant([&](std::size_t k) { return order(k) < 0 ? 0.0 : inverseFactorial(order(k)); });
      c = builder_.CreateFSub(first, builder_.CreateFMul(s, c));
    }
    for (std::size_t k = 0; k < tops.size(); ++k)
      if (order(k) >= 0 && group.has(static_cast<std::size_t>(order(k))))
        group.near[static_cast<std::size_t>(order(k))] = lane(c, k);
  }
}

void FunctionEmitter::stumpffFar(StumpffGroup& group) {
  const int highest = 63 - std::countl_zero(group.orders);
  llvm::Value* const memory = local(highest + 1);
  llvm::CallInst* const helper =
      builder_.CreateCall(module_.stumpffHelper(), {group.s, types_.index(highest),
                                                    types_.index(static_cast<std::int64_t>(group.orders)), memory});
  helper->setCallingConv(module_.stumpffHelper()->getCallingConv());
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k))
      group.far[k] = builder_.CreateAlignedLoad(
          types_.real, builder_.CreateConstInBoundsGEP1_64(types_.real, memory, k), llvm::Align(8));
  for (const AnalyticQuotient* q : group.quotients) group.farQuotients.push_back(quotient(*q, group));
  builder_.CreateBr(group.after);
}

/// A quotient as the tape computes it, from the far values.
llvm::Value* FunctionEmitter::quotient(const AnalyticQuotient& q, const StumpffGroup& group) {
  std::unordered_map<tape::Value, llvm::Value*> values;
  const auto get = [&](tape::Value v) -> llvm::Value* {
    if (v == q.argument) return group.s;
    const auto c = frame_->constants.find(v);
    return c != frame_->constants.end() ? types_.constant(c->second) : values.at(v);
  };
  for (const Instr* i : q.program) {
    llvm::Value*& result = values[i->result];
    switch (i->op) {
    case Op::Stumpff:
      result = group.far[static_cast<std::size_t>(i->imm)];
      break;
    case Op::Add:
      result = builder_.CreateFAdd(get(i->args[0]), get(i->args[1]));
      break;
    case Op::Sub:
      result = builder_.CreateFSub(get(i->args[0]), get(i->args[1]));
      break;
    case Op::Mul:
      result = builder_.CreateFMul(get(i->args[0]), get(i->args[1]));
      break;
    case Op::Div:
      result = builder_.CreateFDiv(get(i->args[0]), get(i->args[1]));
      break;
    default:
      result = builder_.CreateFNeg(get(i->args[0]));
      break;
    }
  }
  return values.at(q.value);
}

// The far branch is rare: the helper saves all registers itself, so that the code around its call need not.
llvm::Function* ModuleEmitter::stumpffHelper() {
  if (stumpff_ != nullptr) return stumpff_;
  stumpff_ =
      declare("lmc_stumpff_far", types_.nothing, {types_.real, types_.integer, types_.integer, types_.pointer}, false);
  stumpff_->addFnAttr(llvm::Attribute::NoInline);
  stumpff_->addFnAttr(llvm::Attribute::Cold);
  stumpff_->setCallingConv(llvm::CallingConv::PreserveAll);
  FunctionEmitter f(*this, stumpff_);
  std::vector<llvm::Value*> args;
  for (llvm::Argument& a : stumpff_->args()) args.push_back(&a);
  f.callExternal(External::Stumpff, types_.nothing, args, false);
  f.builder().CreateRetVoid();
  return stumpff_;
}

} // namespace lmc::codegen
