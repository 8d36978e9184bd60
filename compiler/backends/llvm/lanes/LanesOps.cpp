// Lanes: arithmetic and logic.
#include "backends/llvm/lanes/LaneEmitter.h"
#include "tape/TapeOps.h"

#include <llvm/IR/Intrinsics.h>

namespace lmc::codegen {

using tape::Instr;
using tape::Op;

llvm::Value* LaneEmitter::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args) {
  return builder_.CreateIntrinsic(id, {args[0]->getType()}, args);
}

void LaneEmitter::level(llvm::Value*& a, llvm::Value*& b) {
  if (isWide(a) != isWide(b)) {
    a = wide(a);
    b = wide(b);
  }
}

llvm::Value* LaneEmitter::number(llvm::Value* like, double x) {
  return llvm::ConstantFP::get(like->getType(), x);
}

/// a*b + c, rounded once where the machine can.
llvm::Value* LaneEmitter::fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  level(a, b);
  level(a, c);
  level(a, b);
  if (!module_.fused_) return builder_.CreateFAdd(builder_.CreateFMul(a, b), c);
  return intrinsic(llvm::Intrinsic::fma, {a, b, c});
}

/// The product that a value is, if it is one of this block that nobody else needs: then it is fused with the sum.
const Instr* LaneEmitter::product(tape::Value v) const {
  if (!module_.fused_) return nullptr;
  const Definition& d = frame_->definitions[v];
  const bool fits = d.instr != nullptr && d.instr->op == Op::Mul && d.uses == 1 && d.block == frame_->block;
  return fits ? d.instr : nullptr;
}

/// a + b or a - b. Of two products the later one is fused: so a sum of products becomes a chain of fused operations.
llvm::Value* LaneEmitter::sum(const Instr& i, bool minus) {
  llvm::Value* a = value(i.args[0]);
  llvm::Value* b = value(i.args[1]);
  const Instr* const pa = product(i.args[0]);
  const Instr* const pb = product(i.args[1]);
  if (pb != nullptr && (pa == nullptr || pb->result > pa->result)) {
    llvm::Value* const x = value(pb->args[0]);
    return fma(minus ? builder_.CreateFNeg(x) : x, value(pb->args[1]), a);
  }
  if (pa != nullptr) return fma(value(pa->args[0]), value(pa->args[1]), minus ? builder_.CreateFNeg(b) : b);
  level(a, b);
  return minus ? builder_.CreateFSub(a, b) : builder_.CreateFAdd(a, b);
}

llvm::Value* LaneEmitter::pure(const Instr& i, Wanted& wanted) {
  switch (i.op) {
  case Op::ConstReal:
    return llvm::ConstantFP::get(types_.real, i.real);
  case Op::ConstInt:
    return llvm::ConstantInt::get(types_.integer, static_cast<std::uint64_t>(i.imm), true);
  case Op::ConstBool:
    return builder_.getInt1(i.imm != 0);
  case Op::Argument:
    return frame_->arguments[static_cast<std::size_t>(i.imm)];
  case Op::Stumpff:
    return stumpff(i, wanted);
  case Op::Sin:
  case Op::Cos:
    return trig(i, wanted);
  case Op::Select:
    return select(i);
  case Op::IntToReal: {
    llvm::Value* const a = value(i.args[0]);
    return builder_.CreateSIToFP(a, isWide(a) ? types_.reals : types_.real);
  }
  case Op::FloorToInt: {
    llvm::Value* const a = value(i.args[0]);
    llvm::Type* const result = isWide(a) ? llvm::FixedVectorType::get(types_.integer, types_.lanes) : types_.integer;
    return builder_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {result, a->getType()},
                                    {intrinsic(llvm::Intrinsic::floor, {a})});
  }
  default:
    break;
  }
  if (i.op <= Op::Stumpff) return real(i);
  return i.op <= Op::IAbs ? integer(i) : logic(i);
}

llvm::Value* LaneEmitter::select(const Instr& i) {
  llvm::Value* const c = value(i.args[0]);
  llvm::Value* a = value(i.args[1]);
  llvm::Value* b = value(i.args[2]);
  level(a, b);
  if (isWide(c)) {
    a = wide(a);
    b = wide(b);
  }
  return builder_.CreateSelect(c, a, b);
}

llvm::Value* LaneEmitter::real(const Instr& i) {
  if (i.op == Op::Add || i.op == Op::Sub) return sum(i, i.op == Op::Sub);
  llvm::Value* a = value(i.args[0]);
  llvm::Value* b = i.args.size() > 1 ? value(i.args[1]) : a;
  level(a, b);
  switch (i.op) {
  case Op::Mul:
    return builder_.CreateFMul(a, b);
  case Op::Div:
    return builder_.CreateFDiv(a, b);
  case Op::Neg:
    return builder_.CreateFNeg(a);
  case Op::Sqrt:
    return intrinsic(llvm::Intrinsic::sqrt, {a});
  case Op::Abs:
    return intrinsic(llvm::Intrinsic::fabs, {a});
  case Op::Floor:
    return intrinsic(llvm::Intrinsic::floor, {a});
  case Op::Min:
    return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), a, b);
  case Op::Max:
    return builder_.CreateSelect(builder_.CreateFCmpOGT(a, b), a, b);
  case Op::PowInt:
    return powInt(a, i.imm);
  default:
    return external(i);
  }
}

// The order of the products is that of tape::powInt.
llvm::Value* LaneEmitter::powInt(llvm::Value* x, std::int64_t n) {
  std::uint64_t bits = n < 0 ? 0U - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  llvm::Value* result = nullptr;
  for (llvm::Value* square = x; bits != 0; bits >>= 1U) {
    if ((bits & 1U) != 0) result = result == nullptr ? square : builder_.CreateFMul(result, square);
    if (bits > 1) square = builder_.CreateFMul(square, square);
  }
  if (result == nullptr) result = number(x, 1);
  return n < 0 ? builder_.CreateFDiv(number(x, 1), result) : result;
}

llvm::Value* LaneEmitter::integer(const Instr& i) {
  llvm::Value* a = value(i.args[0]);
  llvm::Value* b = i.args.size() > 1 ? value(i.args[1]) : a;
  level(a, b);
  switch (i.op) {
  case Op::IAdd:
    return builder_.CreateAdd(a, b);
  case Op::ISub:
    return builder_.CreateSub(a, b);
  case Op::IMul:
    return builder_.CreateMul(a, b);
  case Op::IDiv:
    return floorDiv(a, b);
  case Op::IMod:
    return floorMod(a, b);
  case Op::INeg:
    return builder_.CreateNeg(a);
  case Op::IMin:
    return intrinsic(llvm::Intrinsic::smin, {a, b});
  case Op::IMax:
    return intrinsic(llvm::Intrinsic::smax, {a, b});
  default:
    return builder_.CreateIntrinsic(llvm::Intrinsic::abs, {a->getType()}, {a, builder_.getFalse()});
  }
}

// Both divisions work on a divisor that is neither 0 nor -1 (which could trap); these two are put right afterwards.
llvm::Value* LaneEmitter::floorDiv(llvm::Value* a, llvm::Value* b) {
  llvm::Value* const zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* const isZero = builder_.CreateICmpEQ(b, zero);
  llvm::Value* const isMinusOne = builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType()));
  llvm::Value* const safe =
      builder_.CreateSelect(builder_.CreateOr(isZero, isMinusOne), llvm::ConstantInt::get(b->getType(), 1), b);
  llvm::Value* const q = builder_.CreateSDiv(a, safe);
  llvm::Value* const r = builder_.CreateSub(a, builder_.CreateMul(q, safe));
  llvm::Value* const opposite = builder_.CreateICmpSLT(builder_.CreateXor(r, safe), zero);
  llvm::Value* const down = builder_.CreateAnd(opposite, builder_.CreateICmpNE(r, zero));
  llvm::Value* const rounded = builder_.CreateSub(q, builder_.CreateZExt(down, a->getType()));
  llvm::Value* const unlessMinusOne = builder_.CreateSelect(isMinusOne, builder_.CreateNeg(a), rounded);
  return builder_.CreateSelect(isZero, zero, unlessMinusOne);
}

llvm::Value* LaneEmitter::floorMod(llvm::Value* a, llvm::Value* b) {
  llvm::Value* const zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* const special = builder_.CreateOr(
      builder_.CreateICmpEQ(b, zero), builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType())));
  llvm::Value* const safe = builder_.CreateSelect(special, llvm::ConstantInt::get(b->getType(), 1), b);
  llvm::Value* const r = builder_.CreateSRem(a, safe);
  llvm::Value* const opposite = builder_.CreateICmpSLT(builder_.CreateXor(r, safe), zero);
  llvm::Value* const up = builder_.CreateAnd(opposite, builder_.CreateICmpNE(r, zero));
  return builder_.CreateSelect(up, builder_.CreateAdd(r, safe), r);
}

llvm::Value* LaneEmitter::logic(const Instr& i) {
  llvm::Value* a = value(i.args[0]);
  llvm::Value* b = i.args.size() > 1 ? value(i.args[1]) : a;
  level(a, b);
  return logicOf(builder_, i.op, a, b);
}

} // namespace lmc::codegen
