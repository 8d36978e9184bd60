// Arithmetic, logic and elementary functions.
#include "backends/llvm/emit/Emitter.h"
#include "tape/TapeOps.h"

#include <llvm/IR/Intrinsics.h>

namespace lmc::codegen {

using tape::Instr;
using tape::Op;

llvm::Value* FunctionEmitter::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args) {
  return builder_.CreateIntrinsic(id, {args[0]->getType()}, args);
}

llvm::Value* FunctionEmitter::pure(const Instr& i, Wanted& wanted) {
  switch (i.op) {
  case Op::ConstReal:
    return types_.constant(i.real);
  case Op::ConstInt:
    return types_.index(i.imm);
  case Op::ConstBool:
    return llvm::ConstantInt::get(types_.boolean, i.imm != 0 ? 1 : 0);
  case Op::Argument:
    return frame_->arguments[static_cast<std::size_t>(i.imm)];
  case Op::Stumpff:
    return stumpff(i, wanted);
  case Op::Sin:
  case Op::Cos:
    return trig(i, wanted);
  case Op::Select:
    return builder_.CreateSelect(value(i.args[0]), value(i.args[1]), value(i.args[2]));
  case Op::IntToReal:
    return builder_.CreateSIToFP(value(i.args[0]), types_.real);
  case Op::FloorToInt:
    return builder_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {types_.integer, types_.real},
                                    {intrinsic(llvm::Intrinsic::floor, {value(i.args[0])})});
  default:
    break;
  }
  if (i.op <= Op::Stumpff) return real(i);
  return i.op <= Op::IAbs ? integer(i) : logic(i);
}

llvm::Value* FunctionEmitter::real(const Instr& i) {
  llvm::Value* const a = value(i.args[0]);
  llvm::Value* const b = i.args.size() > 1 ? value(i.args[1]) : nullptr;
  switch (i.op) {
  case Op::Add:
    return builder_.CreateFAdd(a, b);
  case Op::Sub:
    return builder_.CreateFSub(a, b);
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

llvm::Value* FunctionEmitter::external(const Instr& i) {
  External f = External::Exp;
  switch (i.op) {
  case Op::Log:
    f = External::Log;
    break;
  case Op::Tan:
    f = External::Tan;
    break;
  case Op::Asin:
    f = External::Asin;
    break;
  case Op::Acos:
    f = External::Acos;
    break;
  case Op::Atan:
    f = External::Atan;
    break;
  case Op::Atan2:
    f = External::Atan2;
    break;
  case Op::Sinh:
    f = External::Sinh;
    break;
  case Op::Cosh:
    f = External::Cosh;
    break;
  case Op::Tanh:
    f = External::Tanh;
    break;
  case Op::Pow:
    f = External::Pow;
    break;
  default:
    break;
  }
  if (i.args.size() == 2) return callExternal(f, types_.real, {value(i.args[0]), value(i.args[1])}, true);
  return callExternal(f, types_.real, {value(i.args[0])}, true);
}

// The order of the products is that of tape::powInt.
llvm::Value* FunctionEmitter::powInt(llvm::Value* x, std::int64_t n) {
  std::uint64_t bits = n < 0 ? 0U - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  llvm::Value* result = nullptr;
  for (llvm::Value* square = x; bits != 0; bits >>= 1U) {
    if ((bits & 1U) != 0) result = result == nullptr ? square : builder_.CreateFMul(result, square);
    if (bits > 1) square = builder_.CreateFMul(square, square);
  }
  if (result == nullptr) result = types_.constant(1);
  return n < 0 ? builder_.CreateFDiv(types_.constant(1), result) : result;
}

llvm::Value* FunctionEmitter::integer(const Instr& i) {
  llvm::Value* const a = value(i.args[0]);
  llvm::Value* const b = i.args.size() > 1 ? value(i.args[1]) : nullptr;
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
    return builder_.CreateIntrinsic(llvm::Intrinsic::abs, {types_.integer}, {a, builder_.getFalse()});
  }
}

// Both divisions work on a divisor that is neither 0 nor -1 (which could trap); these two are put right afterwards.
// With a constant divisor all of this folds away.
llvm::Value* FunctionEmitter::floorDiv(llvm::Value* a, llvm::Value* b) {
  llvm::Value* const zero = types_.index(0);
  llvm::Value* const isZero = builder_.CreateICmpEQ(b, zero);
  llvm::Value* const isMinusOne = builder_.CreateICmpEQ(b, types_.index(-1));
  llvm::Value* const safe = builder_.CreateSelect(builder_.CreateOr(isZero, isMinusOne), types_.index(1), b);
  llvm::Value* const q = builder_.CreateSDiv(a, safe);
  llvm::Value* const r = builder_.CreateSub(a, builder_.CreateMul(q, safe));
  llvm::Value* const opposite = builder_.CreateICmpSLT(builder_.CreateXor(r, safe), zero);
  llvm::Value* const down = builder_.CreateAnd(opposite, builder_.CreateICmpNE(r, zero));
  llvm::Value* const rounded = builder_.CreateSub(q, builder_.CreateZExt(down, types_.integer));
  llvm::Value* const unlessMinusOne = builder_.CreateSelect(isMinusOne, builder_.CreateNeg(a), rounded);
  return builder_.CreateSelect(isZero, zero, unlessMinusOne);
}

llvm::Value* FunctionEmitter::floorMod(llvm::Value* a, llvm::Value* b) {
  llvm::Value* const zero = types_.index(0);
  llvm::Value* const special =
      builder_.CreateOr(builder_.CreateICmpEQ(b, zero), builder_.CreateICmpEQ(b, types_.index(-1)));
  llvm::Value* const safe = builder_.CreateSelect(special, types_.index(1), b);
  llvm::Value* const r = builder_.CreateSRem(a, safe);
  llvm::Value* const opposite = builder_.CreateICmpSLT(builder_.CreateXor(r, safe), zero);
  llvm::Value* const up = builder_.CreateAnd(opposite, builder_.CreateICmpNE(r, zero));
  return builder_.CreateSelect(up, builder_.CreateAdd(r, safe), r);
}

llvm::Value* FunctionEmitter::logic(const Instr& i) {
  llvm::Value* const a = value(i.args[0]);
  llvm::Value* const b = i.args.size() > 1 ? value(i.args[1]) : nullptr;
  return logicOf(builder_, i.op, a, b);
}

} // namespace lmc::codegen
