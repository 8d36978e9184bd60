// The functions of a module: entries, what the constants allow.
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/TapeCost.h"
#include "tape/TapeOps.h"

#include <llvm/IR/MDBuilder.h>

namespace lmc::backends {

using runtime::Role;
using tape::Instr;
using tape::Op;

SingleModuleEmitter::SingleModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options,
                                         const unit::Exported* unit)
    : ModuleEmitter(tape, context, options, 0), functions_(tape.functions.size(), nullptr), unit_(unit) {}

std::unique_ptr<llvm::Module> SingleModuleEmitter::run() {
  if (unit_ == nullptr) makeFunctionTable();
  findConstantReaders();
  findStateParts();
  if (unit_ != nullptr) emitAhead();
  if (unit_ == nullptr && tape_.step >= 0 && options_.has(static_cast<std::size_t>(tape_.step))) emitAdvance();
  for (std::size_t f = 0; f < tape_.functions.size() && unit_ == nullptr; ++f) {
    if (tape_.functions[f].inner || !options_.has(f)) continue;
    if (static_cast<int>(f) == tape_.step)
      emitStepEntry();
    else
      emitEntry(f);
  }
  if (options_.part != nullptr) emitCalledByOtherParts();
  while (!pending_.empty()) { // a body may ask for further functions
    const std::size_t f = pending_.back();
    pending_.pop_back();
    emitBody(f);
  }
  if (unit_ != nullptr) appendRoutines();
  return std::move(module_);
}

// Loads of Constants may be moved freely in a function that neither writes them nor is called by one that does.
void SingleModuleEmitter::findConstantReaders() {
  const std::size_t n = tape_.functions.size();
  std::vector<bool> writes(n, false);
  std::vector<std::vector<std::size_t>> callees(n);
  const auto constant = [&](std::int32_t b) {
    return tape_.buffers[static_cast<std::size_t>(b)].role == Role::Constants;
  };
  for (std::size_t f = 0; f < n; ++f)
    for (const tape::Block& block : tape_.functions[f].blocks)
      for (const Instr& i : block.code) {
        if ((i.op == Op::Store || i.op == Op::Accum || i.op == Op::Fill) && constant(i.buffer)) writes[f] = true;
        for (const std::int32_t b : i.buffers)
          if (constant(b)) writes[f] = true; // or only reads; rare enough not to ask
        if (i.op == Op::Call) callees[f].push_back(static_cast<std::size_t>(i.imm));
      }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t f = 0; f < n; ++f)
      for (const std::size_t g : callees[f])
        if (writes[f] != writes[g]) { // up to the callers, down to what they call
          changed = true;
          writes[f] = writes[g] = true;
        }
  }
  constantsFixed_.assign(n, false);
  for (std::size_t f = 0; f < n; ++f) constantsFixed_[f] = !writes[f];
}

bool SingleModuleEmitter::isInvariant(const tape::Buffer& buffer, std::size_t function) const {
  return ModuleEmitter::isInvariant(buffer, function) || (buffer.role == Role::Constants && constantsFixed_[function]);
}

llvm::Function* SingleModuleEmitter::internalFunction(std::size_t index) {
  if (functions_[index] != nullptr) return functions_[index];
  const std::vector<llvm::Type*> rest(static_cast<std::size_t>(tape_.functions[index].arguments), types_.real);
  llvm::Function* const f = declareProper(std::string("f").append(std::to_string(index)), types_.status, rest);
  functions_[index] = f;
  if (options_.part != nullptr) { // one object calls what another one has
    f->setLinkage(llvm::GlobalValue::ExternalLinkage);
    f->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
  if (options_.has(index)) pending_.push_back(index);
  return f;
}

bool SingleModuleEmitter::isInlined(std::size_t index) const {
  constexpr std::size_t limit = 64; // instructions
  return tape::lengthOf(tape_.functions[index]) <= limit;
}

void SingleModuleEmitter::emitCalledByOtherParts() {
  for (std::size_t f = 0; f < tape_.functions.size(); ++f) {
    if (options_.has(f) && !isInlined(f)) continue; // what is inlined stands in other parts, too
    for (const tape::Block& block : tape_.functions[f].blocks)
      for (const Instr& i : block.code) {
        const auto callee = static_cast<std::size_t>(i.imm);
        if (i.op == Op::Call && options_.has(callee) && !isInlined(callee)) (void)internalFunction(callee);
      }
  }
}

void SingleModuleEmitter::emitBody(std::size_t index) {
  llvm::Function* const f = functions_[index];
  FunctionEmitter(*this, f).bodyOfFunction(index, static_cast<unsigned>(f->arg_size()) - runtime::roleCount);
}

void SingleModuleEmitter::emitEntry(std::size_t index) {
  llvm::Function* const entry = declare(functionSymbol(index), types_.status, {types_.pointer, types_.pointer}, true);
  FunctionEmitter emitter(*this, entry);
  llvm::IRBuilder<>& b = emitter.builder();
  std::vector<llvm::Value*> arguments = loadBases(b, entry->getArg(0));
  for (int a = 0; a < tape_.functions[index].arguments; ++a)
    arguments.push_back(b.CreateLoad(
        types_.real, b.CreateConstInBoundsGEP1_64(types_.real, entry->getArg(1), static_cast<std::uint64_t>(a))));
  llvm::CallInst* const call = b.CreateCall(internalFunction(index), arguments);
  call->setTailCall();
  b.CreateRet(call);
}

// One step is a loop of one turn: the step is compiled once.
void SingleModuleEmitter::emitStepEntry() {
  const auto step = static_cast<std::size_t>(tape_.step);
  llvm::Function* const entry = declare(functionSymbol(step), types_.status, {types_.pointer, types_.pointer}, true);
  FunctionEmitter emitter(*this, entry);
  llvm::IRBuilder<>& b = emitter.builder();
  std::vector<llvm::Value*> arguments = loadBases(b, entry->getArg(0));
  for (std::uint64_t a = 0; a < 2; ++a)
    arguments.push_back(b.CreateLoad(types_.real, b.CreateConstInBoundsGEP1_64(types_.real, entry->getArg(1), a)));
  llvm::Value* const done = emitter.local(1);
  b.CreateStore(types_.index(0), done);
  arguments.push_back(types_.index(1));
  arguments.push_back(done);
  arguments.push_back(b.getTrue());
  b.CreateRet(b.CreateCall(core_, arguments));
}

void SingleModuleEmitter::emitCore() {
  core_ =
      declareProper("core", types_.status, {types_.real, types_.real, types_.integer, types_.pointer, types_.truth});
  core_->addFnAttr(llvm::Attribute::NoInline);
  FunctionEmitter emitter(*this, core_);
  llvm::Value* const scratch = stateScratch(emitter.builder(), core_->getArg(stateRole));
  emitSteps(emitter, core_, tape_, scratch);
}

void SingleModuleEmitter::emitAdvance() {
  emitCore();
  llvm::Type* const p = types_.pointer;
  llvm::Function* const advance = declare(advanceSymbol, types_.status, {p, p, types_.real, types_.integer, p}, true);
  FunctionEmitter emitter(*this, advance);
  llvm::IRBuilder<>& b = emitter.builder();
  b.clearFastMathFlags(); // t0 + k h rounds like it is written
  llvm::Value* const time = advance->getArg(1);
  llvm::Value* const h = advance->getArg(2);
  llvm::Value* const start = b.CreateLoad(types_.real, time);
  std::vector<llvm::Value*> arguments = loadBases(b, advance->getArg(0));
  for (llvm::Value* a : {start, h, static_cast<llvm::Value*>(advance->getArg(3)),
                         static_cast<llvm::Value*>(advance->getArg(4)), static_cast<llvm::Value*>(b.getFalse())})
    arguments.push_back(a);
  llvm::Value* const first = b.CreateLoad(types_.integer, advance->getArg(4));
  llvm::Value* const status = b.CreateCall(core_, arguments);
  llvm::Value* const last = b.CreateNSWAdd(first, b.CreateLoad(types_.integer, advance->getArg(4)));
  llvm::Value* const done = b.CreateSIToFP(last, types_.real);
  b.CreateStore(b.CreateFAdd(start, b.CreateFMul(done, h)), time);
  b.CreateRet(status);
}

} // namespace lmc::backends
