#include "backends/llvm/quick/Uses.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cstdlib>

namespace lmc::backends::quick {

namespace {

bool isNumber(const llvm::Type* t) {
  return t->isDoubleTy() || t->isPointerTy() || t->isIntegerTy(64) || t->isIntegerTy(32) || t->isIntegerTy(1);
}

/// Two doubles, which a call gives back in two registers.
bool isPair(const llvm::Type* t) {
  const auto* const s = llvm::dyn_cast<llvm::StructType>(t);
  return s != nullptr && s->getNumElements() == 2 && s->getElementType(0)->isDoubleTy() &&
         s->getElementType(1)->isDoubleTy();
}

/// A number, or the address of a function. Global variables, and what is computed of them, are places of loads and
/// stores alone.
bool isOperand(const llvm::Value* v) {
  if (!isNumber(v->getType())) return false;
  const auto* const c = llvm::dyn_cast<llvm::Constant>(v);
  return c == nullptr || llvm::isa<llvm::ConstantInt>(c) || llvm::isa<llvm::ConstantFP>(c) ||
         llvm::isa<llvm::ConstantPointerNull>(c) || llvm::isa<llvm::UndefValue>(c) || llvm::isa<llvm::Function>(c);
}

/// Doubles are handed over in registers.
bool takesNumbers(const llvm::FunctionType& f) {
  constexpr auto most = 8;
  return !f.isVarArg() && llvm::all_of(f.params(), isNumber) &&
         llvm::count_if(f.params(), [](const llvm::Type* t) { return t->isDoubleTy(); }) <= most;
}

bool callIsSupported(const llvm::CallInst& c) {
  const llvm::Type* const given = c.getType();
  if (c.isInlineAsm() || given->isIntegerTy(1)) return false; // of which one bit is said
  if (!given->isVoidTy() && !isNumber(given) && !isPair(given)) return false;
  if (c.getCalledFunction() != nullptr && c.getCalledFunction()->isIntrinsic()) {
    switch (c.getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::floor:
      return given->isDoubleTy();
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::abs:
      return given->isIntegerTy(64);
    case llvm::Intrinsic::fptosi_sat:
      return given->isIntegerTy(64) && c.getArgOperand(0)->getType()->isDoubleTy();
    default:
      return false;
    }
  }
  return takesNumbers(*c.getFunctionType());
}

/// The symbol of a global variable with a distance.
bool isSymbol(const llvm::Value* pointer, const llvm::DataLayout& layout, llvm::APInt& offset) {
  const llvm::Value* const base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  const auto* const g = llvm::dyn_cast<llvm::GlobalVariable>(base);
  return g != nullptr && g->hasHiddenVisibility();
}

} // namespace

bool isSupported(const llvm::Instruction& i, const llvm::DataLayout& layout) {
  using Op = llvm::Instruction;
  const llvm::Type* const type = i.getType();
  const auto integer = [&](unsigned k) { return i.getOperand(k)->getType()->isIntegerTy(64); };
  const auto isFixed = [&](unsigned k) { return llvm::isa<llvm::ConstantInt>(i.getOperand(k)); };
  const bool isAccess = i.getOpcode() == Op::Load || i.getOpcode() == Op::Store;
  for (const llvm::Use& o : i.operands()) {
    if (llvm::isa<llvm::BasicBlock>(o) || i.getOpcode() == Op::ExtractValue || isOperand(o)) continue;
    llvm::APInt offset(64, 0);
    const bool isPlace = isAccess && o.getOperandNo() == (i.getOpcode() == Op::Load ? 0U : 1U);
    if (!isPlace || !isSymbol(o, layout, offset)) return false;
  }
  switch (i.getOpcode()) {
  case Op::FAdd:
  case Op::FSub:
  case Op::FMul:
  case Op::FDiv:
  case Op::FNeg:
    return type->isDoubleTy();
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
    return isNumber(type) && !type->isIntegerTy(1);
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return isNumber(type);
  case Op::Shl:
  case Op::AShr:
  case Op::LShr:
    return integer(0) && isFixed(1);
  case Op::SDiv:
  case Op::UDiv:
  case Op::SRem:
  case Op::URem:
    return integer(0);
  case Op::ICmp:
    return isNumber(i.getOperand(0)->getType()) &&
           (!i.getOperand(0)->getType()->isIntegerTy(1) || llvm::cast<llvm::ICmpInst>(i).isEquality());
  case Op::FCmp:
    return i.getOperand(0)->getType()->isDoubleTy() &&
           llvm::cast<llvm::FCmpInst>(i).getPredicate() != llvm::CmpInst::FCMP_TRUE &&
           llvm::cast<llvm::FCmpInst>(i).getPredicate() != llvm::CmpInst::FCMP_FALSE;
  case Op::Load:
    return isNumber(type) && !type->isIntegerTy(1) && llvm::cast<llvm::LoadInst>(i).isSimple();
  case Op::Store:
    return isNumber(i.getOperand(0)->getType()) && !i.getOperand(0)->getType()->isIntegerTy(1) &&
           llvm::cast<llvm::StoreInst>(i).isSimple();
  case Op::SExt:
    return type->isIntegerTy(64) && i.getOperand(0)->getType()->isIntegerTy(32);
  case Op::ZExt:
    return isNumber(type);
  case Op::Trunc:
    return type->isIntegerTy(32) || type->isIntegerTy(1);
  case Op::SIToFP:
  case Op::UIToFP:
    return type->isDoubleTy() && integer(0);
  case Op::BitCast:
    return (type->isDoubleTy() && integer(0)) || (type->isIntegerTy(64) && i.getOperand(0)->getType()->isDoubleTy());
  case Op::Alloca:
    return llvm::cast<llvm::AllocaInst>(i).isStaticAlloca();
  case Op::GetElementPtr:
  case Op::PHI:
  case Op::Select:
    return isNumber(type);
  case Op::ExtractValue:
    return isPair(i.getOperand(0)->getType()) && llvm::isa<llvm::CallInst>(i.getOperand(0)) && type->isDoubleTy();
  case Op::Call:
    return callIsSupported(llvm::cast<llvm::CallInst>(i));
  case Op::Br:
  case Op::Ret:
  case Op::Unreachable:
    return true;
  default:
    return false;
  }
}

bool isSupported(const llvm::Function& f) {
  if (!takesNumbers(*f.getFunctionType())) return false;
  if (!f.getReturnType()->isVoidTy() && !isNumber(f.getReturnType())) return false;
  return llvm::all_of(llvm::instructions(f),
                      [&](const llvm::Instruction& i) { return isSupported(i, f.getParent()->getDataLayout()); });
}

Address Uses::step(const llvm::GetElementPtrInst& g) const {
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt constant(64, 0);
  Address a{&g, nullptr, 0, 0};
  if (!g.collectOffset(layout_, 64, variable, constant) || variable.size() > 1) return a;
  if (!variable.empty()) {
    const llvm::APInt& factor = variable.front().second;
    if (!factor.isPowerOf2() || factor.ugt(8)) return a;
    a.index = variable.front().first;
    a.scale = static_cast<int>(factor.logBase2());
  }
  a.base = g.getPointerOperand();
  a.offset = constant.getSExtValue();
  return a;
}

Address Uses::addressOf(const llvm::Value* pointer) const {
  constexpr std::int64_t largest = std::int64_t{1} << 30; // a distance has 32 bits
  Address all{pointer, nullptr, 0, 0};
  if (llvm::isa<llvm::ConstantExpr>(pointer)) {
    llvm::APInt offset(64, 0);
    all.base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
    all.offset = offset.getSExtValue();
    return all;
  }
  while (const auto* const g = llvm::dyn_cast<llvm::GetElementPtrInst>(all.base)) {
    const Address one = step(*g);
    const bool goesOn =
        one.base != g && (one.index == nullptr || all.index == nullptr) && std::abs(all.offset + one.offset) < largest;
    if (!goesOn) break;
    all.base = one.base;
    all.offset += one.offset;
    if (one.index != nullptr) {
      all.index = one.index;
      all.scale = one.scale;
    }
  }
  return all;
}

bool Uses::isPart(const llvm::Instruction& i) const {
  if (llvm::isa<llvm::GetElementPtrInst>(i)) return !addresses_.contains(&i);
  if (i.getOpcode() == llvm::Instruction::FNeg && i.hasOneUse()) {
    const auto* const fused = llvm::dyn_cast<llvm::IntrinsicInst>(*i.user_begin());
    return fused != nullptr && fused->getIntrinsicID() == llvm::Intrinsic::fma && fused->getParent() == i.getParent();
  }
  if (const auto* const c = llvm::dyn_cast<llvm::CmpInst>(&i); c != nullptr && c->hasOneUse()) {
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(*c->user_begin());
    return branch != nullptr && branch->getParent() == c->getParent();
  }
  return false;
}

std::pair<const llvm::Value*, bool> Uses::term(const llvm::IntrinsicInst& fused, unsigned k) const {
  const llvm::Value* v = fused.getArgOperand(k);
  bool negative = false;
  while (const auto* const i = llvm::dyn_cast<llvm::Instruction>(v)) {
    if (i->getOpcode() != llvm::Instruction::FNeg || !isPart(*i)) break;
    v = i->getOperand(0);
    negative = !negative;
  }
  return {v, negative};
}

const llvm::CmpInst* Uses::comparisonOf(const llvm::BranchInst& branch) const {
  const auto* const c = branch.isConditional() ? llvm::dyn_cast<llvm::CmpInst>(branch.getCondition()) : nullptr;
  return c != nullptr && isPart(*c) ? c : nullptr;
}

void Uses::eachRead(const llvm::Instruction& i, llvm::function_ref<void(const llvm::Value*)> each) const {
  const auto read = [&](const llvm::Value* v) {
    if (!llvm::isa<llvm::Constant>(v) && !llvm::isa<llvm::AllocaInst>(v)) each(v);
  };
  const auto readAddress = [&](const llvm::Value* pointer) {
    const Address a = addressOf(pointer);
    read(a.base == &i ? llvm::cast<llvm::GetElementPtrInst>(i).getPointerOperand() : a.base);
    if (a.index != nullptr) read(a.index);
    if (a.base == &i) // worked out by itself
      for (const llvm::Use& k : llvm::cast<llvm::GetElementPtrInst>(i).indices()) read(k);
  };
  if (llvm::isa<llvm::PHINode>(i) || isPart(i)) return;
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    readAddress(load->getPointerOperand());
  } else if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
    readAddress(store->getPointerOperand());
    read(store->getValueOperand());
  } else if (llvm::isa<llvm::GetElementPtrInst>(i)) {
    readAddress(&i);
  } else if (const auto* const fused = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
             fused != nullptr && fused->getIntrinsicID() == llvm::Intrinsic::fma) {
    for (const unsigned k : {0U, 1U, 2U}) read(term(*fused, k).first);
  } else if (const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&i)) {
    if (const llvm::CmpInst* const c = comparisonOf(*branch))
      for (const llvm::Use& o : c->operands()) read(o);
    else if (branch->isConditional())
      read(branch->getCondition());
    for (const llvm::BasicBlock* const next : llvm::successors(&i))
      for (const llvm::PHINode& phi : next->phis()) read(phi.getIncomingValueForBlock(i.getParent()));
  } else if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&i)) {
    for (const llvm::Use& a : call->args()) read(a);
    if (call->isIndirectCall()) read(call->getCalledOperand());
  } else {
    for (const llvm::Use& o : i.operands()) read(o);
  }
}

Uses::Uses(const llvm::Function& f) : layout_(f.getParent()->getDataLayout()) {
  // Addresses that are more than a part of loads and stores.
  const auto need = [&](const llvm::Value* v) {
    if (llvm::isa<llvm::GetElementPtrInst>(v)) addresses_.insert(v);
  };
  for (const llvm::Instruction& i : llvm::instructions(f)) {
    if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      need(addressOf(load->getPointerOperand()).base);
    } else if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      need(addressOf(store->getPointerOperand()).base);
      need(store->getValueOperand());
    } else if (!llvm::isa<llvm::GetElementPtrInst>(i)) {
      for (const llvm::Use& o : i.operands()) need(o);
    }
  }
  for (bool changed = true; changed;) { // what these stand on
    changed = false;
    for (const llvm::Value* const v : llvm::SmallVector<const llvm::Value*>(addresses_.begin(), addresses_.end())) {
      const llvm::Value* const base = addressOf(v).base;
      const llvm::Value* const on = base == v ? llvm::cast<llvm::GetElementPtrInst>(v)->getPointerOperand() : base;
      if (llvm::isa<llvm::GetElementPtrInst>(on)) changed |= addresses_.insert(on).second;
      if (base != v) continue;
      for (const llvm::Use& k : llvm::cast<llvm::GetElementPtrInst>(v)->indices())
        if (llvm::isa<llvm::GetElementPtrInst>(k)) changed |= addresses_.insert(k).second;
    }
  }
  for (const llvm::Instruction& i : llvm::instructions(f))
    eachRead(i, [&](const llvm::Value* v) {
      const auto* const from = llvm::dyn_cast<llvm::Instruction>(v);
      if (from == nullptr || from->getParent() != i.getParent() || llvm::isa<llvm::PHINode>(from)) crossing_.insert(v);
    });
}

} // namespace lmc::backends::quick
