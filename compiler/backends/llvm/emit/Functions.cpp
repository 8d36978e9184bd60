// Functions that share work: Stumpff functions of one argument, sine and cosine of one angle.
#include "backends/llvm/emit/Emitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <bit>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

namespace {

// Keys of values that instructions of one operand share. Orders of Stumpff functions take 0…64.
constexpr std::uint64_t sineKey = 100;
constexpr std::uint64_t sharedKey(tape::Value operand, std::uint64_t function) {
  return std::uint64_t{operand} << 8U | function;
}

} // namespace

llvm::Value* Emitter::trig(const Instr& i) {
  const tape::Value operand = i.args[0];
  const std::uint64_t mine = sharedKey(operand, sineKey + (i.op == Op::Sin ? 0 : 1));
  if (const auto found = frame_->shared.find(mine); found != frame_->shared.end()) return found->second;
  std::array<llvm::Value*, 2> both{};
  const int asked = frame_->wanted->trig[operand];
  sineAndCosine(value(operand), (asked & 1) != 0, (asked & 2) != 0, both);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    if (both[k] != nullptr && frame_->shared.emplace(sharedKey(operand, sineKey + k), both[k]).second)
      frame_->wanted->added.push_back(sharedKey(operand, sineKey + k));
  return frame_->shared.at(mine);
}

void Emitter::sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) {
  if (sine) out[0] = call(External::Sin, {x});
  if (cosine) out[1] = call(External::Cos, {x});
}

int Emitter::StumpffGroup::highest() const {
  return 63 - std::countl_zero(orders);
}

StumpffInterval Emitter::intervalOf(tape::Value) const {
  return {};
}

StumpffInterval Emitter::intervalOfQuotients() const {
  return {};
}

llvm::Value* Emitter::stumpff(const Instr& i) {
  const tape::Value operand = i.args[0];
  const auto order = static_cast<std::uint64_t>(i.imm);
  if (const auto found = frame_->shared.find(sharedKey(operand, order)); found != frame_->shared.end())
    return found->second;
  Wanted& wanted = *frame_->wanted;
  StumpffGroup group;
  group.s = wide(value(operand));
  group.interval = intervalOf(operand);
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
  const StumpffValues made = stumpffValues(group);
  for (std::uint64_t k = 0; k < 64; ++k) {
    if (!group.has(k)) continue;
    frame_->shared[sharedKey(operand, k)] = made.values[k];
    wanted.added.push_back(sharedKey(operand, k));
  }
  for (std::size_t q = 0; q < group.quotients.size(); ++q)
    frame_->values[group.quotients[q]->value] = made.quotients[q];
  return made.values[order];
}

/// With a branch: polynomials near zero, elsewhere what `stumpffFar` gives.
Emitter::StumpffValues Emitter::stumpffValues(const StumpffGroup& group) {
  llvm::BasicBlock* const near = newBlock();
  llvm::BasicBlock* const far = newBlock();
  llvm::BasicBlock* const after = newBlock();
  llvm::Value* const size = group.interval.low < 0 ? intrinsic(llvm::Intrinsic::fabs, {group.s}) : group.s;
  builder_.CreateCondBr(builder_.CreateFCmpOLE(size, types_.constant(group.interval.high)), near, far,
                        llvm::MDBuilder(module_.context()).createLikelyBranchWeights());
  builder_.SetInsertPoint(near);
  const StumpffValues inside = stumpffNear(group);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(far);
  StumpffValues outside = stumpffFar(group);
  for (const AnalyticQuotient* q : group.quotients) outside.quotients.push_back(quotient(*q, group.s, outside));
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  return join(group, inside, near, outside, far);
}

Emitter::StumpffValues Emitter::stumpffFar(const StumpffGroup& group) {
  const int highest = group.highest();
  llvm::Value* const memory = local(types_.numbers(highest + 1));
  callExternal(External::Stumpff, types_.nothing,
               {group.s, types_.index(highest), types_.index(static_cast<std::int64_t>(group.orders)), memory}, false);
  StumpffValues out;
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k))
      out.values[k] = builder_.CreateAlignedLoad(
          types_.real, builder_.CreateConstInBoundsGEP1_64(types_.real, memory, k), llvm::Align(8));
  return out;
}

Emitter::StumpffValues Emitter::join(const StumpffGroup& group, const StumpffValues& a, llvm::BasicBlock* fromA,
                                     const StumpffValues& b, llvm::BasicBlock* fromB) {
  StumpffValues out;
  const auto both = [&](llvm::Value* x, llvm::Value* y) {
    llvm::PHINode* const phi = builder_.CreatePHI(types_.reals, 2);
    phi->addIncoming(x, fromA);
    phi->addIncoming(y, fromB);
    return phi;
  };
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) out.values[k] = both(a.values[k], b.values[k]);
  for (std::size_t q = 0; q < group.quotients.size(); ++q)
    out.quotients.push_back(both(a.quotients[q], b.quotients[q]));
  return out;
}

// Near zero the highest order of each parity comes from its polynomial and the lower ones from c_k = 1/k! - s c_{k+2},
// which is exact in real arithmetic, so that the functions keep their algebraic relations to rounding.
Emitter::StumpffValues Emitter::stumpffNear(const StumpffGroup& group) {
  StumpffValues out;
  for (const std::uint64_t parity : {group.orders & 0x5555555555555555U, group.orders & 0xAAAAAAAAAAAAAAAAU}) {
    if (parity == 0) continue;
    const int top = 63 - std::countl_zero(parity);
    llvm::Value* c = polynomial(module_.stumpffPolynomial(top, group.interval), group.s);
    for (int order = top; order >= std::countr_zero(parity); order -= 2) {
      if (order < top) c = lessProduct(inverseFactorial(order), group.s, c);
      if (group.has(static_cast<std::size_t>(order))) out.values[static_cast<std::size_t>(order)] = c;
    }
  }
  for (const AnalyticQuotient* q : group.quotients) out.quotients.push_back(polynomial(q->coefficients, group.s));
  return out;
}

llvm::Value* Emitter::lessProduct(double c, llvm::Value* a, llvm::Value* b) {
  llvm::Value* const product = builder_.CreateFMul(a, b);
  return builder_.CreateFSub(number(a, c), product);
}

// Pairs first, which do not wait for each other, then Horner's rule in x².
llvm::Value* Emitter::polynomial(const std::vector<double>& coefficients, llvm::Value* x) {
  std::vector<llvm::Value*> pairs;
  for (std::size_t j = 0; j < coefficients.size(); j += 2) {
    llvm::Value* pair = number(x, coefficients[j]);
    if (j + 1 < coefficients.size())
      pair = builder_.CreateFAdd(builder_.CreateFMul(number(x, coefficients[j + 1]), x), pair);
    pairs.push_back(pair);
  }
  llvm::Value* const square = pairs.size() > 1 ? builder_.CreateFMul(x, x) : nullptr;
  llvm::Value* sum = pairs.back();
  for (auto p = pairs.rbegin() + 1; p != pairs.rend(); ++p)
    sum = builder_.CreateFAdd(builder_.CreateFMul(sum, square), *p);
  return sum;
}

/// A quotient as the tape computes it, from values of the Stumpff functions.
llvm::Value* Emitter::quotient(const AnalyticQuotient& q, llvm::Value* s, const StumpffValues& of) {
  std::unordered_map<tape::Value, llvm::Value*> values;
  const auto get = [&](tape::Value v) -> llvm::Value* {
    if (v == q.argument) return s;
    const auto c = frame_->constants.find(v);
    return c != frame_->constants.end() ? number(s, c->second) : values.at(v);
  };
  for (const Instr* i : q.program) {
    llvm::Value*& result = values[i->result];
    if (i->op == Op::Stumpff) {
      result = of.values[static_cast<std::size_t>(i->imm)];
      continue;
    }
    llvm::Value* const a = get(i->args[0]);
    llvm::Value* const b = i->args.size() > 1 ? get(i->args[1]) : a;
    switch (i->op) {
    case Op::Add:
      result = builder_.CreateFAdd(a, b);
      break;
    case Op::Sub:
      result = builder_.CreateFSub(a, b);
      break;
    case Op::Mul:
      result = builder_.CreateFMul(a, b);
      break;
    case Op::Div:
      result = builder_.CreateFDiv(a, b);
      break;
    default:
      result = builder_.CreateFNeg(a);
      break;
    }
  }
  return values.at(q.value);
}

} // namespace lmc::backends
