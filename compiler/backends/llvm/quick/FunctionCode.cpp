// Blocks, registers and memory; instructions are in Instructions.cpp.
#include "backends/llvm/quick/FunctionCode.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace lmc::backends::quick {

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
constexpr std::int32_t numberSize = 8;
/// Never held by a value: for what is moved through a register.
constexpr int scratchVector = 15;
constexpr Register scratch = rax;
/// What calls leave in any state and functions need not save.
constexpr std::array free = {rcx, rdx, rsi, rdi, r8, r9, r10, r11};
constexpr std::array argumentRegisters = {rdi, rsi, rdx, rcx, r8, r9};

std::int32_t rounded(std::int64_t size, std::int64_t to) {
  return static_cast<std::int32_t>((size + to - 1) / to * to);
}

} // namespace

FunctionCode::FunctionCode(const llvm::Function& f, Assembler& code, SymbolOf symbolOf)
    : function_(f), code_(code), symbolOf_(std::move(symbolOf)), uses_(f) {
  for (int k = 0; k < scratchVector; ++k) vectors_.usable[static_cast<std::size_t>(k)] = true;
  for (const Register r : free) generals_.usable[r] = true;
  for (const llvm::Argument& a : f.args()) numbers_.try_emplace(&a, numbers_.size());
  for (const llvm::Instruction& i : llvm::instructions(f)) numbers_.try_emplace(&i, numbers_.size());
  places_.resize(numbers_.size());
}

void FunctionCode::run() {
  code_.begin();
  layOut();
  prologue();
  for (const llvm::BasicBlock& b : function_) block(b);
  for (const Jump& j : jumps_) code_.jumpTo(j.place, begins_.lookup(j.target));
  code_.setFrame(rounded(frameSize_, 64));
}

/// The frame begins with arguments of calls on the stack, then comes what is allocated, then numbers.
void FunctionCode::layOut() {
  std::int64_t most = 0;
  for (const llvm::Instruction& i : llvm::instructions(function_))
    if (const auto* const c = llvm::dyn_cast<llvm::CallInst>(&i)) {
      const auto integers = llvm::count_if(c->args(), [](const llvm::Use& a) { return !isFloating(a); });
      most = std::max<std::int64_t>(most, integers - static_cast<std::int64_t>(argumentRegisters.size()));
    }
  std::int64_t end = most * numberSize;
  for (const llvm::Instruction& i : llvm::instructions(function_))
    if (const auto* const a = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
      const auto align = static_cast<std::int64_t>(std::max<std::uint64_t>(a->getAlign().value(), numberSize));
      areas_[a] = rounded(end, align);
      const auto size = a->getAllocationSize(function_.getParent()->getDataLayout());
      end = areas_[a] + static_cast<std::int64_t>(size->getFixedValue());
    } else if (i.getType()->isStructTy()) { // two results of a call
      areas_[&i] = rounded(end, numberSize);
      end = areas_[&i] + 2 * numberSize;
    }
  frameSize_ = rounded(end, numberSize);
}

void FunctionCode::prologue() {
  constexpr std::int32_t arguments = 16; // behind the frame of the caller and the address of return
  int numbers = 0;
  std::size_t others = 0;
  for (const llvm::Argument& a : function_.args()) {
    const bool isRead = uses_.crossesBlocks(&a);
    if (isFloating(&a)) {
      if (isRead) code_.store(frame(homeOf(&a)), numbers);
      ++numbers;
      continue;
    }
    const std::size_t k = others++;
    if (!isRead) continue;
    Register from = scratch;
    if (k < argumentRegisters.size()) {
      from = argumentRegisters[k];
    } else {
      Memory m;
      m.base = rbp;
      m.offset = arguments + numberSize * static_cast<std::int32_t>(k - argumentRegisters.size());
      code_.load(scratch, m);
    }
    if (a.getType()->isIntegerTy(1)) { // of the rest nothing is said
      code_.constant(r11, 1);
      code_.arithmetic(Arithmetic::And, r11, from);
      from = r11;
    }
    code_.store(frame(homeOf(&a)), from);
  }
}

void FunctionCode::block(const llvm::BasicBlock& b) {
  block_ = &b;
  begins_[&b] = code_.size();
  std::vector<const llvm::Value*> touched;
  std::size_t at = b.size();
  for (const llvm::Instruction& i : llvm::reverse(b)) {
    --at;
    uses_.eachRead(i, [&](const llvm::Value* v) {
      std::vector<std::size_t>& reads = placeOf(v).reads;
      if (reads.empty()) touched.push_back(v);
      if (reads.empty() || reads.back() != at) reads.push_back(at);
    });
  }
  for (const llvm::Value* const v : touched)
    if (uses_.crossesBlocks(v)) placeOf(v).isStored = true; // or is defined in this block, before it is read
  position_ = 0;
  for (const llvm::Instruction& i : b) {
    if (!llvm::isa<llvm::PHINode>(i) && !uses_.isPart(i)) instruction(i);
    forgetRead(i);
    ++position_;
  }
  for (Bank* const bank : {&vectors_, &generals_})
    for (const llvm::Value*& v : bank->holds)
      if (v != nullptr) {
        placeOf(v).number = -1;
        v = nullptr;
      }
  for (const llvm::Value* const v : touched) placeOf(v).reads.clear();
}

std::size_t FunctionCode::nextRead(const llvm::Value* v) {
  std::vector<std::size_t>& reads = placeOf(v).reads;
  while (!reads.empty() && reads.back() < position_) reads.pop_back();
  return reads.empty() ? never : reads.back();
}

bool FunctionCode::isReadAgain(const llvm::Value* v) {
  const std::size_t next = nextRead(v);
  if (next != position_) return next != never;
  return placeOf(v).reads.size() > 1;
}

/// Behind an instruction: registers and memory of what is read no more are free.
void FunctionCode::forgetRead(const llvm::Instruction& i) {
  vectors_.pinned.fill(false);
  generals_.pinned.fill(false);
  uses_.eachRead(i, [&](const llvm::Value* v) {
    if (isReadAgain(v)) return;
    Place& p = placeOf(v);
    if (p.number >= 0) bankOf(v).holds[static_cast<std::size_t>(p.number)] = nullptr;
    p.number = -1;
    if (uses_.crossesBlocks(v) || p.memory < 0) return;
    rooms_.push_back(p.memory);
    p.memory = -1;
    p.isStored = false;
  });
}

std::int32_t FunctionCode::room() {
  if (rooms_.empty()) {
    frameSize_ += numberSize;
    return frameSize_ - numberSize;
  }
  const std::int32_t last = rooms_.back();
  rooms_.pop_back();
  return last;
}

std::int32_t FunctionCode::homeOf(const llvm::Value* v) {
  Place& p = placeOf(v);
  if (p.memory >= 0) return p.memory;
  if (!uses_.crossesBlocks(v)) return p.memory = room();
  frameSize_ += numberSize; // of nobody else: a loop may come back to where that would be written
  return p.memory = frameSize_ - numberSize;
}

void FunctionCode::keep(const llvm::Value* v, int number) {
  if (isFloating(v))
    code_.store(frame(homeOf(v)), number);
  else
    code_.store(frame(homeOf(v)), static_cast<Register>(number));
  placeOf(v).isStored = true;
}

void FunctionCode::leave(Bank& bank, int number) {
  const llvm::Value* const v = bank.holds[static_cast<std::size_t>(number)];
  if (v == nullptr) return;
  Place& p = placeOf(v);
  if (!p.isStored && nextRead(v) != never) keep(v, number);
  p.number = -1;
  bank.holds[static_cast<std::size_t>(number)] = nullptr;
}

int FunctionCode::take(Bank& bank) {
  int best = -1;
  std::size_t latest = 0;
  for (std::size_t r = 0; r < bank.holds.size(); ++r) {
    if (!bank.usable[r] || bank.pinned[r]) continue;
    if (bank.holds[r] == nullptr) {
      best = static_cast<int>(r);
      break;
    }
    const std::size_t next = nextRead(bank.holds[r]);
    if (best < 0 || next > latest) {
      best = static_cast<int>(r);
      latest = next;
    }
  }
  if (best < 0) throw std::logic_error("an instruction with more operands than registers");
  leave(bank, best);
  bank.pinned[static_cast<std::size_t>(best)] = true;
  return best;
}

Memory FunctionCode::symbol(const llvm::GlobalValue& v, std::int32_t offset) {
  Memory m;
  m.kind = Memory::Kind::Symbol;
  m.offset = offset;
  m.symbol = symbolOf_(v);
  return m;
}

bool FunctionCode::isLoose(const llvm::Value* v) {
  return llvm::isa<llvm::Constant>(v) || llvm::isa<llvm::AllocaInst>(v);
}

Memory FunctionCode::constant(const llvm::Value* number) {
  const auto* const c = llvm::dyn_cast<llvm::ConstantFP>(number); // else it is of no consequence
  return code_.pooled(c == nullptr ? 0 : c->getValueAPF().bitcastToAPInt().getZExtValue());
}

void FunctionCode::put(Register to, const llvm::Value* v) {
  if (const auto* const c = llvm::dyn_cast<llvm::ConstantInt>(v))
    code_.constant(to, c->getType()->isIntegerTy(1) ? static_cast<std::int64_t>(c->getZExtValue()) : c->getSExtValue());
  else if (const auto* const f = llvm::dyn_cast<llvm::Function>(v))
    code_.address(to, symbol(*f, 0));
  else if (llvm::isa<llvm::Constant>(v)) // no pointer, or of no consequence
    code_.constant(to, 0);
  else if (llvm::isa<llvm::AllocaInst>(v))
    code_.address(to, frame(areas_.lookup(v)));
  else if (const Place& p = placeOf(v); p.number >= 0)
    code_.move(to, static_cast<Register>(p.number));
  else
    code_.load(to, frame(homeOf(v)));
}

void FunctionCode::put(int to, const llvm::Value* v) {
  if (llvm::isa<llvm::Constant>(v))
    code_.move(to, {-1, constant(v)});
  else if (const Place& p = placeOf(v); p.number >= 0)
    code_.move(to, {p.number, {}});
  else
    code_.move(to, {-1, frame(homeOf(v))});
}

int FunctionCode::fetch(const llvm::Value* v) {
  const int number = take(bankOf(v));
  if (isFloating(v))
    put(number, v);
  else
    put(static_cast<Register>(number), v);
  return number;
}

int FunctionCode::reg(const llvm::Value* v) {
  Bank& bank = bankOf(v);
  if (!isLoose(v) && placeOf(v).number >= 0) {
    const int number = placeOf(v).number;
    bank.pinned[static_cast<std::size_t>(number)] = true;
    return number;
  }
  const int number = fetch(v);
  if (!isLoose(v)) {
    placeOf(v).number = number;
    bank.holds[static_cast<std::size_t>(number)] = v;
  }
  return number;
}

Source FunctionCode::source(const llvm::Value* v) {
  if (llvm::isa<llvm::Constant>(v)) return {-1, constant(v)};
  if (placeOf(v).number >= 0 || isReadAgain(v)) return {reg(v), {}};
  return {-1, frame(homeOf(v))};
}

bool FunctionCode::dies(const llvm::Value* v) {
  return !isLoose(v) && placeOf(v).number >= 0 && !isReadAgain(v);
}

int FunctionCode::steal(const llvm::Value* v) {
  Place& p = placeOf(v);
  const int number = std::exchange(p.number, -1);
  Bank& bank = bankOf(v);
  bank.holds[static_cast<std::size_t>(number)] = nullptr;
  bank.pinned[static_cast<std::size_t>(number)] = true;
  return number;
}

int FunctionCode::result(Bank& bank, std::initializer_list<const llvm::Value*> operands) {
  for (const llvm::Value* const v : operands)
    if (dies(v) && &bankOf(v) == &bank) return steal(v);
  return take(bank);
}

int FunctionCode::copy(const llvm::Value* v) {
  if (dies(v)) return steal(v);
  if (!isLoose(v) && placeOf(v).number >= 0) bankOf(v).pinned[static_cast<std::size_t>(placeOf(v).number)] = true;
  return fetch(v);
}

void FunctionCode::define(const llvm::Value* v, int number) {
  if (uses_.crossesBlocks(v)) keep(v, number);
  if (nextRead(v) == never) return;
  placeOf(v).number = number;
  bankOf(v).holds[static_cast<std::size_t>(number)] = v;
}

void FunctionCode::call(const llvm::CallInst& c) {
  for (Bank* const bank : {&vectors_, &generals_})
    for (int r = 0; r < registers; ++r) leave(*bank, r);
  int numbers = 0;
  std::size_t others = 0;
  for (const llvm::Use& a : c.args()) {
    if (isFloating(a)) {
      put(numbers++, a);
    } else if (const std::size_t k = others++; k < argumentRegisters.size()) {
      put(argumentRegisters[k], a);
    } else {
      put(scratch, a);
      code_.store(frame(numberSize * static_cast<std::int32_t>(k - argumentRegisters.size())), scratch);
    }
  }
  if (const llvm::Function* const f = c.getCalledFunction()) {
    code_.call(symbolOf_(*f));
  } else {
    put(r11, c.getCalledOperand());
    code_.call(r11);
  }
  if (c.getType()->isStructTy()) {
    for (const int k : {0, 1}) code_.store(frame(areas_.lookup(&c) + numberSize * k), k);
  } else if (isFloating(&c)) {
    define(&c, 0);
  } else if (!c.getType()->isVoidTy()) {
    const Register r = takeGeneral();
    code_.move(r, rax);
    define(&c, r);
  }
}

/// What the first instructions of a successor get from this block.
void FunctionCode::handOn(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  struct Hand {
    const llvm::PHINode* phi;
    const llvm::Value* value;
    std::int32_t aside; ///< what another one would overwrite; -1: it is where it is
  };
  llvm::SmallVector<Hand> hands;
  for (const llvm::PHINode& phi : to.phis()) {
    const llvm::Value* const v = phi.getIncomingValueForBlock(&from);
    if (v == &phi) continue;
    const auto* const other = llvm::dyn_cast<llvm::PHINode>(v);
    const bool hidden = other != nullptr && other->getParent() == &to && placeOf(v).number < 0;
    hands.push_back({&phi, v, hidden ? room() : -1});
  }
  for (const Hand& h : hands) {
    if (h.aside < 0) continue;
    code_.load(scratch, frame(homeOf(h.value))); // eight bytes of either kind
    code_.store(frame(h.aside), scratch);
  }
  for (const Hand& h : hands) {
    const Memory home = frame(homeOf(h.phi));
    if (h.aside >= 0) {
      code_.load(scratch, frame(h.aside));
      code_.store(home, scratch);
      rooms_.push_back(h.aside);
    } else if (!isLoose(h.value) && placeOf(h.value).number >= 0 && isFloating(h.value)) {
      code_.store(home, placeOf(h.value).number);
    } else if (isFloating(h.value)) {
      put(scratchVector, h.value);
      code_.store(home, scratchVector);
    } else {
      put(scratch, h.value);
      code_.store(home, scratch);
    }
  }
}

void FunctionCode::branch(const llvm::BranchInst& b) {
  const auto goTo = [&](const llvm::BasicBlock& next) {
    handOn(*block_, next);
    if (&next != block_->getNextNode()) jumps_.push_back({code_.jump(), &next});
  };
  if (b.isUnconditional()) return goTo(*b.getSuccessor(0));
  Test test{notEqual, false, false, equal};
  if (const llvm::CmpInst* const c = uses_.comparisonOf(b))
    test = flags(*c);
  else
    code_.test(general(b.getCondition()));
  std::vector<std::size_t> whereTrue, whereFalse;
  if (test.hasSecond && test.both) { // both must hold: the second is parity, which does not
    whereFalse.push_back(code_.jumpIf(parity));
  } else if (test.hasSecond) {
    whereTrue.push_back(code_.jumpIf(test.second));
  }
  whereTrue.push_back(code_.jumpIf(test.first));
  for (const std::size_t j : whereFalse) code_.jumpTo(j, code_.size());
  handOn(*block_, *b.getSuccessor(1));
  jumps_.push_back({code_.jump(), b.getSuccessor(1)});
  if (b.getSuccessor(0)->phis().empty()) {
    for (const std::size_t j : whereTrue) jumps_.push_back({j, b.getSuccessor(0)});
    return;
  }
  for (const std::size_t j : whereTrue) code_.jumpTo(j, code_.size());
  goTo(*b.getSuccessor(0));
}

} // namespace lmc::backends::quick
