// One instruction of IR after the other.
#include "backends/llvm/quick/FunctionCode.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>

#include <limits>
#include <stdexcept>
#include <utility>

namespace lmc::backends::quick {

using I = llvm::Instruction;

namespace {
constexpr std::uint64_t signBit = std::uint64_t{1} << 63U;
/// The largest double below 2^63.
constexpr std::uint64_t largestInteger = 0x43DFFFFFFFFFFFFFU;
} // namespace

void FunctionCode::instruction(const I& i) {
  switch (i.getOpcode()) {
  case I::FAdd:
  case I::FSub:
  case I::FMul:
  case I::FDiv:
  case I::FNeg:
    return floating(i);
  case I::Add:
  case I::Sub:
  case I::Mul:
  case I::And:
  case I::Or:
  case I::Xor:
  case I::Shl:
  case I::AShr:
  case I::LShr:
    return integer(i);
  case I::SDiv:
  case I::UDiv:
  case I::SRem:
  case I::URem:
    return division(i);
  case I::ICmp:
  case I::FCmp:
    return comparison(llvm::cast<llvm::CmpInst>(i), &i);
  case I::Select:
    return choice(llvm::cast<llvm::SelectInst>(i));
  case I::Load:
  case I::Store:
    return access(i);
  case I::GetElementPtr:
    return address(llvm::cast<llvm::GetElementPtrInst>(i));
  case I::Alloca:
    return;
  case I::ExtractValue: {
    const auto& e = llvm::cast<llvm::ExtractValueInst>(i);
    const int to = take(vectors_);
    code_.move(to, {-1, frame(areas_.lookup(e.getAggregateOperand()) + 8 * static_cast<int>(e.getIndices()[0]))});
    return define(&i, to);
  }
  case I::Call:
    if (const auto* const known = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) return intrinsic(*known);
    return call(llvm::cast<llvm::CallInst>(i));
  case I::Br:
    return branch(llvm::cast<llvm::BranchInst>(i));
  case I::Ret:
    return giveBack(llvm::cast<llvm::ReturnInst>(i));
  case I::Unreachable:
    return code_.trap();
  default:
    return conversion(i);
  }
}

void FunctionCode::floating(const I& i) {
  const llvm::Value* const a = i.getOperand(0);
  if (i.getOpcode() == I::FNeg) {
    const int from = reg(a);
    const int to = result(vectors_, {a});
    code_.xorBits(to, from, {-1, code_.pooled(signBit)});
    return define(&i, to);
  }
  const llvm::Value* const b = i.getOperand(1);
  const Scalar what = i.getOpcode() == I::FAdd   ? Scalar::Add
                      : i.getOpcode() == I::FSub ? Scalar::Subtract
                      : i.getOpcode() == I::FMul ? Scalar::Multiply
                                                 : Scalar::Divide;
  const int first = reg(a);
  const Source second = source(b);
  const int to = result(vectors_, {a, b});
  code_.scalar(what, to, first, second);
  define(&i, to);
}

void FunctionCode::fused(const llvm::IntrinsicInst& i) {
  auto [a, negativeA] = uses_.term(i, 0);
  auto [b, negativeB] = uses_.term(i, 1);
  const auto [c, negativeC] = uses_.term(i, 2);
  const auto form = static_cast<std::uint8_t>((negativeA != negativeB ? 4 : 0) + (negativeC ? 2 : 0));
  constexpr std::uint8_t ontoFactor = 0xA9, ontoTerm = 0xB9;
  if (dies(c)) {
    const int first = reg(a);
    const Source second = source(b);
    const int to = copy(c);
    code_.fused(static_cast<std::uint8_t>(ontoTerm + form), to, first, second);
    return define(&i, to);
  }
  if (!dies(a) && (dies(b) || llvm::isa<llvm::Constant>(b))) std::swap(a, b);
  const int first = reg(b);
  const Source second = source(c);
  const int to = copy(a);
  code_.fused(static_cast<std::uint8_t>(ontoFactor + form), to, first, second);
  define(&i, to);
}

void FunctionCode::integer(const I& i) {
  const llvm::Value* const a = i.getOperand(0);
  if (i.isShift()) {
    const auto to = static_cast<Register>(copy(a));
    const Shift how = i.getOpcode() == I::Shl    ? Shift::Left
                      : i.getOpcode() == I::LShr ? Shift::Right
                                                 : Shift::RightWithSign;
    code_.shift(to, how, static_cast<std::uint8_t>(llvm::cast<llvm::ConstantInt>(i.getOperand(1))->getZExtValue()));
    return define(&i, to);
  }
  const Register b = general(i.getOperand(1));
  const auto to = static_cast<Register>(copy(a));
  switch (i.getOpcode()) {
  case I::Add:
    code_.arithmetic(Arithmetic::Add, to, b);
    break;
  case I::Sub:
    code_.arithmetic(Arithmetic::Subtract, to, b);
    break;
  case I::Mul:
    code_.multiply(to, b);
    break;
  case I::And:
    code_.arithmetic(Arithmetic::And, to, b);
    break;
  case I::Or:
    code_.arithmetic(Arithmetic::Or, to, b);
    break;
  default:
    code_.arithmetic(Arithmetic::Xor, to, b);
  }
  define(&i, to);
}

void FunctionCode::division(const I& i) {
  leave(generals_, rdx);
  generals_.pinned[rdx] = true;
  const Register by = general(i.getOperand(1));
  put(rax, i.getOperand(0));
  code_.divide(by, i.getOpcode() == I::SDiv || i.getOpcode() == I::SRem);
  const Register to = takeGeneral();
  code_.move(to, i.getOpcode() == I::SDiv || i.getOpcode() == I::UDiv ? rax : rdx);
  define(&i, to);
}

/// Of numbers: what is unordered sets carry, zero and parity.
FunctionCode::Test FunctionCode::flags(const llvm::CmpInst& c) {
  using P = llvm::CmpInst;
  const llvm::Value* a = c.getOperand(0);
  const llvm::Value* b = c.getOperand(1);
  const P::Predicate p = c.getPredicate();
  if (llvm::isa<llvm::ICmpInst>(c)) {
    const Register first = general(a);
    const Register second = general(b);
    const bool wide = a->getType()->isPointerTy() || a->getType()->isIntegerTy(64);
    code_.arithmetic(Arithmetic::Compare, first, second, wide);
    switch (p) {
    case P::ICMP_EQ:
      return {equal};
    case P::ICMP_NE:
      return {notEqual};
    case P::ICMP_UGT:
      return {above};
    case P::ICMP_UGE:
      return {aboveEqual};
    case P::ICMP_ULT:
      return {below};
    case P::ICMP_ULE:
      return {belowEqual};
    case P::ICMP_SGT:
      return {greater};
    case P::ICMP_SGE:
      return {greaterEqual};
    case P::ICMP_SLT:
      return {less};
    default:
      return {lessEqual};
    }
  }
  const bool turned = p == P::FCMP_OLT || p == P::FCMP_OLE || p == P::FCMP_UGT || p == P::FCMP_UGE;
  if (turned) std::swap(a, b);
  const int first = reg(a);
  const Source second = source(b);
  code_.compare(first, second);
  switch (p) {
  case P::FCMP_OGT:
  case P::FCMP_OLT:
    return {above};
  case P::FCMP_OGE:
  case P::FCMP_OLE:
    return {aboveEqual};
  case P::FCMP_ULT:
  case P::FCMP_UGT:
    return {below};
  case P::FCMP_ULE:
  case P::FCMP_UGE:
    return {belowEqual};
  case P::FCMP_OEQ:
    return {equal, true, true, noParity};
  case P::FCMP_UNE:
    return {notEqual, true, false, parity};
  case P::FCMP_UEQ:
    return {equal};
  case P::FCMP_ONE:
    return {notEqual};
  case P::FCMP_UNO:
    return {parity};
  default:
    return {noParity};
  }
}

void FunctionCode::comparison(const llvm::CmpInst& c, const llvm::Value* value) {
  const Register to = takeGeneral();
  const Test test = flags(c);
  code_.set(test.first, to);
  if (test.hasSecond) {
    code_.set(test.second, rax);
    code_.arithmetic(test.both ? Arithmetic::And : Arithmetic::Or, to, rax);
  }
  define(value, to);
}

void FunctionCode::choice(const llvm::SelectInst& s) {
  const Register condition = general(s.getCondition());
  if (isFloating(&s)) {
    const Source chosen = source(s.getTrueValue());
    const int to = copy(s.getFalseValue());
    code_.test(condition);
    const std::size_t otherwise = code_.jumpIf(equal);
    code_.move(to, chosen);
    code_.jumpTo(otherwise, code_.size());
    return define(&s, to);
  }
  const Register chosen = general(s.getTrueValue());
  const auto to = static_cast<Register>(copy(s.getFalseValue()));
  code_.test(condition);
  code_.moveIf(notEqual, to, chosen);
  define(&s, to);
}

void FunctionCode::conversion(const I& i) {
  const llvm::Value* const x = i.getOperand(0);
  if (i.getOpcode() == I::UIToFP) return fromUnsigned(i);
  if (i.getOpcode() == I::SIToFP || (i.getOpcode() == I::BitCast && isFloating(&i))) {
    const Register from = general(x);
    const int to = take(vectors_);
    if (i.getOpcode() == I::SIToFP)
      code_.fromInteger(to, from);
    else
      code_.bitsToVector(to, from);
    return define(&i, to);
  }
  if (i.getOpcode() == I::BitCast) {
    const int from = reg(x);
    const Register to = takeGeneral();
    code_.bitsOfVector(to, from);
    return define(&i, to);
  }
  const auto to = static_cast<Register>(copy(x));
  if (i.getOpcode() == I::SExt) code_.extend32(to, to);
  if (i.getOpcode() == I::ZExt && x->getType()->isIntegerTy(32)) code_.cut32(to, to);
  if (i.getOpcode() == I::Trunc && i.getType()->isIntegerTy(1)) {
    code_.constant(rax, 1);
    code_.arithmetic(Arithmetic::And, to, rax);
  }
  define(&i, to);
}

/// From 2^63 on half of it, with the last digit kept for rounding, twice.
void FunctionCode::fromUnsigned(const I& i) {
  const Register x = general(i.getOperand(0));
  const int to = take(vectors_);
  const Register half = takeGeneral();
  code_.test(x);
  const std::size_t large = code_.jumpIf(negative);
  code_.fromInteger(to, x);
  const std::size_t end = code_.jump();
  code_.jumpTo(large, code_.size());
  code_.move(half, x);
  code_.shift(half, Shift::Right, 1);
  code_.move(rax, x);
  code_.shift(rax, Shift::Left, 63);
  code_.shift(rax, Shift::Right, 63);
  code_.arithmetic(Arithmetic::Or, half, rax);
  code_.fromInteger(to, half);
  code_.scalar(Scalar::Add, to, to, {to, {}});
  code_.jumpTo(end, code_.size());
  define(&i, to);
}

/// Of what is too large the nearest integer, of what is no number 0.
void FunctionCode::saturated(const I& i) {
  const int x = reg(i.getOperand(0));
  const Register to = takeGeneral();
  code_.truncated(to, x); // the smallest integer where it does not fit
  code_.constant(rax, std::numeric_limits<std::int64_t>::max());
  code_.compare(x, {-1, code_.pooled(largestInteger)});
  code_.moveIf(above, to, rax);
  code_.constant(rax, 0);
  code_.compare(x, {x, {}});
  code_.moveIf(parity, to, rax);
  define(&i, to);
}

void FunctionCode::intrinsic(const llvm::IntrinsicInst& i) {
  const llvm::Value* const x = i.getArgOperand(0);
  switch (i.getIntrinsicID()) {
  case llvm::Intrinsic::fma:
    return fused(i);
  case llvm::Intrinsic::fabs: {
    const int from = reg(x);
    const int to = result(vectors_, {x});
    code_.andBits(to, from, {-1, code_.pooled(~signBit)});
    return define(&i, to);
  }
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::floor: {
    const Source from = source(x);
    const int to = result(vectors_, {x});
    if (i.getIntrinsicID() == llvm::Intrinsic::sqrt)
      code_.scalar(Scalar::Root, to, from.number >= 0 ? from.number : to, from);
    else
      code_.floor(to, from);
    return define(&i, to);
  }
  case llvm::Intrinsic::fptosi_sat:
    return saturated(i);
  case llvm::Intrinsic::abs: {
    const auto to = static_cast<Register>(copy(x));
    code_.move(rax, to);
    code_.negate(rax);
    code_.moveIf(notNegative, to, rax);
    return define(&i, to);
  }
  default: { // the smaller or the larger one
    const Register y = general(i.getArgOperand(1));
    const auto to = static_cast<Register>(copy(x));
    code_.arithmetic(Arithmetic::Compare, to, y);
    code_.moveIf(i.getIntrinsicID() == llvm::Intrinsic::smin ? greater : less, to, y);
    return define(&i, to);
  }
  }
}

Memory FunctionCode::place(const llvm::Value* pointer) {
  const Address a = uses_.addressOf(pointer);
  if (const auto* const g = llvm::dyn_cast<llvm::GlobalVariable>(a.base))
    return symbol(*g, static_cast<std::int32_t>(a.offset));
  Memory m;
  m.offset = static_cast<std::int32_t>(a.offset);
  if (llvm::isa<llvm::AllocaInst>(a.base))
    m.offset += areas_.lookup(a.base);
  else
    m.base = general(a.base);
  if (a.index != nullptr) {
    m.index = general(a.index);
    m.scale = a.scale;
  }
  return m;
}

void FunctionCode::access(const I& i) {
  if (const auto* const s = llvm::dyn_cast<llvm::StoreInst>(&i)) {
    const Memory to = place(s->getPointerOperand());
    const llvm::Value* const v = s->getValueOperand();
    if (isFloating(v))
      code_.store(to, reg(v));
    else if (v->getType()->isIntegerTy(32))
      code_.store32(to, general(v));
    else
      code_.store(to, general(v));
    return;
  }
  const Memory from = place(llvm::cast<llvm::LoadInst>(i).getPointerOperand());
  const int to = take(isFloating(&i) ? vectors_ : generals_);
  if (isFloating(&i))
    code_.move(to, {-1, from});
  else if (i.getType()->isIntegerTy(32))
    code_.load32(static_cast<Register>(to), from);
  else
    code_.load(static_cast<Register>(to), from);
  define(&i, to);
}

void FunctionCode::address(const llvm::GetElementPtrInst& g) {
  if (uses_.addressOf(&g).base != &g) {
    const Memory m = place(&g);
    const Register to = takeGeneral();
    code_.address(to, m);
    return define(&g, to);
  }
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt offset(64, 0);
  if (!g.collectOffset(function_.getParent()->getDataLayout(), 64, variable, offset))
    throw std::logic_error("an address of unknown form");
  const auto to = static_cast<Register>(copy(g.getPointerOperand()));
  const Register factor = takeGeneral();
  code_.constant(rax, offset.getSExtValue());
  code_.arithmetic(Arithmetic::Add, to, rax);
  for (const auto& [index, size] : variable) {
    code_.constant(factor, size.getSExtValue());
    put(rax, index);
    code_.multiply(rax, factor);
    code_.arithmetic(Arithmetic::Add, to, rax);
  }
  define(&g, to);
}

void FunctionCode::giveBack(const llvm::ReturnInst& r) {
  if (const llvm::Value* const v = r.getReturnValue()) {
    if (isFloating(v))
      put(0, v);
    else
      put(rax, v);
  }
  code_.end();
}

} // namespace lmc::backends::quick
