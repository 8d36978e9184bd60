// Functions that share work: Stumpff functions of one argument, sine and cosine of one angle.
#include "backends/llvm/emit/Emitter.h"
#include "backends/llvm/emit/StumpffPolynomial.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <bit>

namespace lmc::codegen {

namespace {
/// The helper for large angles has polynomials for the orders up to here.
constexpr int stumpffHelped = 4;
} // namespace

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
  StumpffInterval interval; ///< in which the polynomials hold
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
  // A loop that counts on small arguments has no branch: its polynomials hold as far as possible.
  if (farSeen_ == nullptr) group.interval = isNonNegative(operand) ? stumpffNearSquares : stumpffAroundZero;
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

/// A sum of squares, for example. Products are looked through for squares: h (h c) w.w is one for c > 0.
bool FunctionEmitter::isNonNegative(tape::Value v) const {
  std::vector<tape::Value> factors{v};
  for (std::size_t k = 0; k < factors.size() && factors.size() < 16;) {
    const Instr& i = *frame_->definitions[factors[k]];
    if (i.op != Op::Mul) {
      ++k;
      continue;
    }
    factors[k] = i.args[0];
    factors.push_back(i.args[1]);
  }
  std::sort(factors.begin(), factors.end());
  for (std::size_t k = 0; k < factors.size(); ++k) {
    if (k + 1 < factors.size() && factors[k + 1] == factors[k]) {
      ++k;
      continue;
    }
    const Instr& i = *frame_->definitions[factors[k]];
    const bool sum = i.op == Op::Add && isNonNegative(i.args[0]) && isNonNegative(i.args[1]);
    if (!sum && !(i.op == Op::ConstReal && i.real >= 0)) return false;
  }
  return true;
}

// Pairs first, which do not wait for each other, then Horner's rule in x².
llvm::Value* FunctionEmitter::polynomial(llvm::ArrayRef<llvm::Constant*> coefficients, llvm::Value* x) {
  std::vector<llvm::Value*> pairs;
  for (std::size_t j = 0; j < coefficients.size(); j += 2) {
    llvm::Value* pair = coefficients[j];
    if (j + 1 < coefficients.size()) pair = builder_.CreateFAdd(builder_.CreateFMul(coefficients[j + 1], x), pair);
    pairs.push_back(pair);
  }
  llvm::Value* const square = pairs.size() > 1 ? builder_.CreateFMul(x, x) : nullptr;
  llvm::Value* sum = pairs.back();
  for (auto p = pairs.rbegin() + 1; p != pairs.rend(); ++p)
    sum = builder_.CreateFAdd(builder_.CreateFMul(sum, square), *p);
  return sum;
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
  llvm::Value* const size = group.interval.low < 0 ? intrinsic(llvm::Intrinsic::fabs, {group.s}) : group.s;
  builder_.CreateCondBr(builder_.CreateFCmpOLE(size, types_.constant(group.interval.high)), near, far,
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

// Near zero the highest order of each parity comes from its polynomial and the lower ones from c_k = 1/k! - s c_{k+2},
// which is exact in real arithmetic, so that the functions keep their algebraic relations to rounding.
void FunctionEmitter::stumpffNear(StumpffGroup& group) {
  const auto evaluated = [&](const std::vector<double>& row) {
    std::vector<llvm::Constant*> coefficients;
    for (const double x : row) coefficients.push_back(types_.constant(x));
    return polynomial(coefficients, group.s);
  };
  for (const std::uint64_t parity : {group.orders & 0x5555555555555555U, group.orders & 0xAAAAAAAAAAAAAAAAU}) {
    if (parity == 0) continue;
    const int top = 63 - std::countl_zero(parity);
    llvm::Value* c = evaluated(stumpffPolynomial(top, group.interval));
    for (int order = top; order >= std::countr_zero(parity); order -= 2) {
      if (order < top)
        c = builder_.CreateFSub(types_.constant(inverseFactorial(order)), builder_.CreateFMul(group.s, c));
      if (group.has(static_cast<std::size_t>(order))) group.near[static_cast<std::size_t>(order)] = c;
    }
  }
  for (const AnalyticQuotient* q : group.quotients) group.nearQuotients.push_back(evaluated(q->coefficients));
}

void FunctionEmitter::stumpffFar(StumpffGroup& group) {
  const int highest = 63 - std::countl_zero(group.orders);
  llvm::Value* const memory = local(std::max(highest, stumpffHelped) + 1);
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

// The far branch is rare: the helper saves all registers itself, so that the code around its call need not. Up to
// stumpffRange it has polynomials for the orders that rotations need, with which it stores all lower orders, too.
llvm::Function* ModuleEmitter::stumpffHelper() {
  if (stumpff_ != nullptr) return stumpff_;
  stumpff_ =
      declare("lmc_stumpff_far", types_.nothing, {types_.real, types_.integer, types_.integer, types_.pointer}, false);
  stumpff_->addFnAttr(llvm::Attribute::NoInline);
  stumpff_->addFnAttr(llvm::Attribute::Cold);
  stumpff_->setCallingConv(llvm::CallingConv::PreserveAll);
  FunctionEmitter f(*this, stumpff_);
  f.stumpffBeyond();
  return stumpff_;
}

void FunctionEmitter::stumpffBeyond() {
  std::vector<llvm::Value*> args;
  for (llvm::Argument& a : function_->args()) args.push_back(&a);
  llvm::BasicBlock* const middle = newBlock();
  llvm::BasicBlock* const far = newBlock();
  llvm::Value* const size = intrinsic(llvm::Intrinsic::fabs, {args[0]});
  llvm::Value* const moderate = builder_.CreateFCmpOLE(size, types_.constant(stumpffRange));
  llvm::Value* const low = builder_.CreateICmpSLE(args[1], types_.index(stumpffHelped));
  builder_.CreateCondBr(builder_.CreateAnd(moderate, low), middle, far);
  builder_.SetInsertPoint(middle);
  std::array<llvm::Value*, stumpffHelped + 1> c{};
  for (int k = stumpffHelped; k >= 0; --k) {
    auto& value = c[static_cast<std::size_t>(k)];
    if (k > stumpffHelped - 2) {
      std::vector<llvm::Constant*> coefficients;
      for (const double x : stumpffPolynomial(k)) coefficients.push_back(types_.constant(x));
      value = polynomial(coefficients, args[0]);
    } else {
      value = builder_.CreateFSub(types_.constant(inverseFactorial(k)),
                                  builder_.CreateFMul(args[0], c[static_cast<std::size_t>(k) + 2]));
    }
    builder_.CreateAlignedStore(
        value, builder_.CreateConstInBoundsGEP1_64(types_.real, args[3], static_cast<std::uint64_t>(k)),
        llvm::Align(8));
  }
  builder_.CreateRetVoid();
  builder_.SetInsertPoint(far);
  callExternal(External::Stumpff, types_.nothing, args, false);
  builder_.CreateRetVoid();
}

} // namespace lmc::codegen
