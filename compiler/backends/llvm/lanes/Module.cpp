// Modules for many lanes: entries, functions applied lane by lane.
#include "backends/llvm/lanes/LaneEmitter.h"

#include <llvm/IR/MDBuilder.h>

namespace lmc::backends {

LaneModuleEmitter::LaneModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options,
                                     bool fused)
    : ModuleEmitter(tape, context, options, static_cast<unsigned>(options.lanes)), fused_(fused && options.contract) {}

std::unique_ptr<llvm::Module> LaneModuleEmitter::run() {
  makeFunctionTable();
  if (tape_.step >= 0) emitAdvance();
  for (std::size_t f = 0; f < tape_.functions.size(); ++f)
    if (!tape_.functions[f].inner) emitEntry(f);
  return std::move(module_);
}

// An entry loads the base pointers and calls the function proper, which may rely on that they do not alias.
void LaneModuleEmitter::emitEntry(std::size_t index) {
  llvm::Type* const p = types_.pointer;
  llvm::Function* const inner = // with arguments and statuses
      declareProper(std::string("f").append(std::to_string(index)), types_.nothing, {p, p});
  inner->addFnAttr(llvm::Attribute::NoInline);
  {
    LaneEmitter emitter(*this, inner);
    llvm::IRBuilder<>& b = emitter.builder();
    BasePointers bases{};
    for (unsigned r = 0; r < runtime::roleCount; ++r) bases[r] = inner->getArg(r);
    std::vector<llvm::Value*> arguments;
    for (int a = 0; a < tape_.functions[index].arguments; ++a)
      arguments.push_back(emitter.load(emitter.address(inner->getArg(runtime::roleCount), std::int64_t{a})));
    llvm::Value* const statuses = inner->getArg(runtime::roleCount + 1);
    emitter.setStatus(b.CreateAlignedLoad(types_.statuses, statuses, llvm::Align(4)));
    emitter.body(index, bases, arguments);
    b.CreateAlignedStore(emitter.status(), statuses, llvm::Align(4));
    b.CreateRetVoid();
  }
  llvm::Function* const entry = declare(functionSymbol(index), types_.nothing, {p, p, p}, true);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "", entry));
  std::vector<llvm::Value*> values = loadBases(b, entry->getArg(0));
  values.insert(values.end(), {entry->getArg(1), entry->getArg(2)});
  b.CreateCall(inner, values)->setTailCall();
  b.CreateRetVoid();
}

llvm::Function* LaneModuleEmitter::laneByLane(External f, int arguments) {
  llvm::Function*& function = byLane_[f];
  if (function != nullptr) return function;
  const auto n = static_cast<unsigned>(arguments);
  const std::vector<llvm::Type*> types(n + 1, types_.pointer);
  function = declare(std::string("lanes").append(std::to_string(static_cast<int>(f))), types_.nothing, types, false);
  function->addFnAttr(llvm::Attribute::NoInline);
  LaneEmitter emitter(*this, function);
  llvm::IRBuilder<>& b = emitter.builder();
  const auto last = llvm::ConstantInt::get(types_.integer, types_.lanes - 1);
  emitter.loop(llvm::ConstantInt::get(types_.integer, 0), last, false, [&](llvm::Value* lane, llvm::BasicBlock*) {
    std::vector<llvm::Value*> numbers;
    for (unsigned a = 0; a < n; ++a)
      numbers.push_back(b.CreateLoad(types_.real, b.CreateInBoundsGEP(types_.real, function->getArg(a), lane)));
    llvm::Value* const result = emitter.callExternal(f, types_.real, numbers, false);
    b.CreateStore(result, b.CreateInBoundsGEP(types_.real, function->getArg(n), lane));
  });
  b.CreateRetVoid();
  return function;
}

std::unique_ptr<LaneEmitter> LaneModuleEmitter::emitterOf(llvm::Function* function) {
  return std::make_unique<LaneEmitter>(*this, function);
}

// Rare and long: a function of its own, so that steps stay short.
llvm::Function* LaneModuleEmitter::stumpffFunction(std::uint64_t orders) {
  llvm::Function*& function = stumpffs_[orders];
  if (function != nullptr) return function;
  function = declare(std::string("stumpffs").append(std::to_string(orders)), types_.nothing,
                     {types_.pointer, types_.pointer}, false);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  emitterOf(function)->stumpffOfAnySize(orders, function->getArg(0), function->getArg(1));
  return function;
}

llvm::Function* LaneModuleEmitter::stumpffByLane() {
  if (stumpff_ != nullptr) return stumpff_;
  llvm::Type* const p = types_.pointer;
  stumpff_ = declare("stumpffs", types_.nothing, {p, types_.integer, types_.integer, p}, false);
  stumpff_->addFnAttr(llvm::Attribute::NoInline);
  stumpff_->addFnAttr(llvm::Attribute::Cold);
  LaneEmitter emitter(*this, stumpff_);
  llvm::IRBuilder<>& b = emitter.builder();
  llvm::Value* const out = emitter.local(llvm::ArrayType::get(types_.real, 64));
  llvm::Value* const zero = llvm::ConstantInt::get(types_.integer, 0);
  llvm::Value* const highest = stumpff_->getArg(1);
  const auto last = llvm::ConstantInt::get(types_.integer, types_.lanes - 1);
  emitter.loop(zero, last, false, [&](llvm::Value* lane, llvm::BasicBlock*) {
    llvm::Value* const s = b.CreateLoad(types_.real, b.CreateInBoundsGEP(types_.real, stumpff_->getArg(0), lane));
    emitter.callExternal(External::Stumpff, types_.nothing, {s, highest, stumpff_->getArg(2), out}, false);
    emitter.loop(zero, highest, false, [&](llvm::Value* k, llvm::BasicBlock*) {
      llvm::Value* const place =
          b.CreateAdd(b.CreateMul(k, llvm::ConstantInt::get(types_.integer, types_.lanes)), lane);
      b.CreateStore(b.CreateLoad(types_.real, b.CreateInBoundsGEP(types_.real, out, k)),
                    b.CreateInBoundsGEP(types_.real, stumpff_->getArg(3), place));
    });
  });
  b.CreateRetVoid();
  return stumpff_;
}

} // namespace lmc::backends
