// Arithmetic and logic, as the rows of tape/Operations.def say.
#include "backends/llvm/emit/Emitter.h"
#include "tape/TapeOps.h"

#include <llvm/IR/Intrinsics.h>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

llvm::Value* Emitter::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args) {
  return builder_.CreateIntrinsic(id, {args[0]->getType()}, args);
}

llvm::Value* Emitter::wide(llvm::Value* v) {
  return types_.reals == types_.real || isWide(v) ? v : builder_.CreateVectorSplat(types_.lanes, v);
}

void Emitter::level(llvm::Value*& a, llvm::Value*& b) {
  if (isWide(a) != isWide(b)) {
    a = wide(a);
    b = wide(b);
  }
}

llvm::Constant* Emitter::number(llvm::Value* like, double x) {
  return llvm::ConstantFP::get(like->getType(), x);
}

llvm::Value* Emitter::pure(const Instr& i) {
  switch (i.op) {
  case Op::ConstReal:
    return types_.constant(i.real);
  case Op::ConstInt:
    return types_.index(i.imm);
  case Op::ConstBool:
    return builder_.getInt1(i.imm != 0);
  case Op::Argument:
    return frame_->arguments[static_cast<std::size_t>(i.imm)];
  case Op::Select:
    return select(i);
  default:
    break;
  }
  llvm::IRBuilder<>& ir = builder_;
  llvm::Value* a = value(i.args[0]);
  llvm::Value* b = i.args.size() > 1 ? value(i.args[1]) : a;
  level(a, b);
  switch (i.op) {
  case Op::IntToReal:
    return ir.CreateSIToFP(a, isWide(a) ? types_.reals : types_.real);
  case Op::FloorToInt: {
    llvm::Type* const result = isWide(a) ? llvm::FixedVectorType::get(types_.integer, types_.lanes) : types_.integer;
    return ir.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {result, a->getType()},
                              {intrinsic(llvm::Intrinsic::floor, {a})});
  }
#define LMC_REAL(op, name, args, value, emission, ...)                                                                 \
  case Op::op:                                                                                                         \
    return emission;
#define LMC_INTEGER(op, name, args, value, emission, ...)                                                              \
  case Op::op:                                                                                                         \
    return emission;
#define LMC_TRUTH(op, name, args, value, emission, ...)                                                                \
  case Op::op:                                                                                                         \
    return emission;
#include "tape/Operations.def"
  default:
    return nullptr;
  }
}

llvm::Value* Emitter::sum(const Instr& i, bool minus) {
  llvm::Value* a = value(i.args[0]);
  llvm::Value* b = value(i.args[1]);
  level(a, b);
  return minus ? builder_.CreateFSub(a, b) : builder_.CreateFAdd(a, b);
}

llvm::Value* Emitter::select(const Instr& i) {
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

// The order of the products is that of tape::powInt.
llvm::Value* Emitter::powInt(llvm::Value* x, std::int64_t n) {
  std::uint64_t bits = n < 0 ? 0U - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  llvm::Value* result = nullptr;
  for (llvm::Value* square = x; bits != 0; bits >>= 1U) {
    if ((bits & 1U) != 0) result = result == nullptr ? square : builder_.CreateFMul(result, square);
    if (bits > 1) square = builder_.CreateFMul(square, square);
  }
  if (result == nullptr) result = number(x, 1);
  return n < 0 ? builder_.CreateFDiv(number(x, 1), result) : result;
}

// Both divisions work on a divisor that is neither 0 nor -1 (which could trap); these two are put right afterwards.
// With a constant divisor all of this folds away.
llvm::Value* Emitter::floorDiv(llvm::Value* a, llvm::Value* b) {
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

llvm::Value* Emitter::floorMod(llvm::Value* a, llvm::Value* b) {
  llvm::Value* const zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* const special = builder_.CreateOr(
      builder_.CreateICmpEQ(b, zero), builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType())));
  llvm::Value* const safe = builder_.CreateSelect(special, llvm::ConstantInt::get(b->getType(), 1), b);
  llvm::Value* const r = builder_.CreateSRem(a, safe);
  llvm::Value* const opposite = builder_.CreateICmpSLT(builder_.CreateXor(r, safe), zero);
  llvm::Value* const up = builder_.CreateAnd(opposite, builder_.CreateICmpNE(r, zero));
  return builder_.CreateSelect(up, builder_.CreateAdd(r, safe), r);
}

/// A function of the library, by its row.
llvm::Value* Emitter::library(const Instr& i) {
  std::vector<llvm::Value*> args;
  for (const tape::Value a : i.args) args.push_back(value(a));
  switch (i.op) {
#define LMC_REAL(...)
#define LMC_LIBRARY(op, ...)                                                                                           \
  case Op::op:                                                                                                         \
    return call(External::op, args);
#include "tape/Operations.def"
  default:
    return nullptr;
  }
}

llvm::Value* Emitter::call(External f, const std::vector<llvm::Value*>& args) {
  return callExternal(f, types_.real, args, true);
}

} // namespace lmc::backends
