// Functions of one trajectory: short polynomials near zero, a rare path for large angles.
#include "backends/llvm/single/FunctionEmitter.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace lmc::backends {

namespace {
/// The helper for large angles has polynomials for the orders up to here.
constexpr int stumpffHelped = 4;
} // namespace

using tape::Instr;
using tape::Op;

/// Both by one call.
void FunctionEmitter::sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) {
  if (!sine || !cosine) return Emitter::sineAndCosine(x, sine, cosine, out);
  llvm::Type* const pair = llvm::StructType::get(types_.real, types_.real);
  llvm::Value* const both = callExternal(External::SinCos, pair, {x}, true);
  for (const unsigned k : {0U, 1U}) out[k] = builder_.CreateExtractValue(both, k);
}

// A loop that counts on small arguments has no branch: its polynomials hold as far as possible.
StumpffInterval FunctionEmitter::intervalOf(tape::Value s) const {
  if (farthest_ != nullptr) return {};
  return isNonNegative(s) ? stumpffNearSquares : stumpffAroundZero;
}

StumpffInterval FunctionEmitter::intervalOfQuotients() const {
  return farthest_ != nullptr ? StumpffInterval{} : stumpffAroundZero;
}

/// A sum of squares, for example. Products are looked through for squares: h (h c) w.w is one for c > 0.
bool FunctionEmitter::isNonNegative(tape::Value v) const {
  std::vector<tape::Value> factors{v};
  for (std::size_t k = 0; k < factors.size() && factors.size() < 16;) {
    const Instr& i = *frame_->definitions[factors[k]].instr;
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
    const Instr& i = *frame_->definitions[factors[k]].instr;
    const bool sum = i.op == Op::Add && isNonNegative(i.args[0]) && isNonNegative(i.args[1]);
    if (!sum && !(i.op == Op::ConstReal && i.real >= 0)) return false;
  }
  return true;
}

/// In a loop that counts on small arguments: no branch, and a note of the largest one. Bits of positive numbers are
/// ordered as they are, those of no number come behind. Where results are to be those of exported C, the routine that
/// this calls.
FunctionEmitter::StumpffValues FunctionEmitter::stumpffValues(const StumpffGroup& group) {
  if (!module_.options().contract) return Emitter::stumpffFar(group);
  if (farthest_ == nullptr) return Emitter::stumpffValues(group);
  llvm::Value* const size = builder_.CreateBitCast(intrinsic(llvm::Intrinsic::fabs, {group.s}), types_.integer);
  llvm::Value* const before = builder_.CreateAlignedLoad(types_.integer, farthest_, llvm::Align(8));
  builder_.CreateAlignedStore(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, before, size), farthest_,
                              llvm::Align(8));
  return stumpffNear(group);
}

FunctionEmitter::StumpffValues FunctionEmitter::stumpffFar(const StumpffGroup& group) {
  const int highest = group.highest();
  llvm::Value* const memory = local(std::max(highest, stumpffHelped) + 1);
  llvm::Function* const helper = single_.stumpffHelper();
  builder_
      .CreateCall(helper,
                  {group.s, types_.index(highest), types_.index(static_cast<std::int64_t>(group.orders)), memory})
      ->setCallingConv(helper->getCallingConv());
  StumpffValues out;
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) out.values[k] = load(address(memory, static_cast<std::int64_t>(k)));
  return out;
}

// The far branch is rare: the helper saves all registers itself, so that the code around its call need not. Up to
// stumpffRange it has polynomials for the orders that rotations need, with which it stores all lower orders, too.
llvm::Function* SingleModuleEmitter::stumpffHelper() {
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
      value = polynomial(module_.stumpffPolynomial(k), args[0]);
    } else {
      value = lessProduct(inverseFactorial(k), args[0], c[static_cast<std::size_t>(k) + 2]);
    }
    store(value, address(args[3], k));
  }
  builder_.CreateRetVoid();
  builder_.SetInsertPoint(far);
  callExternal(External::Stumpff, types_.nothing, args, false);
  builder_.CreateRetVoid();
}

} // namespace lmc::backends
