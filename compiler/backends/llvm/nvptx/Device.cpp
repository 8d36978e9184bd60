#include "backends/llvm/nvptx/DeviceEmitter.h"

#include "tape/TapeOps.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace lmc::backends {

using tape::Instr;

DeviceModuleEmitter::DeviceModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options)
    : ModuleEmitter(tape, context, options, 0) {
  module_->setTargetTriple("nvptx64-nvidia-cuda");
  module_->setDataLayout("e-i64:64-i128:128-v16:16-v32:32-n16:32:64");
}

std::unique_ptr<llvm::Module> DeviceModuleEmitter::run() {
  if (tape_.step >= 0) emitAdvance();
  for (std::size_t f = 0; f < tape_.functions.size(); ++f)
    if (!tape_.functions[f].inner) emitFunction(f);
  return std::move(module_);
}

llvm::Value* DeviceModuleEmitter::externalAddress(llvm::IRBuilder<>&, External f, llvm::FunctionType* type) {
  const std::string name = externalName(f);
  return module_->getOrInsertFunction(name.starts_with("lmc_") ? name : "__nv_" + name, type).getCallee();
}

void DeviceModuleEmitter::emitKernel(const std::string& name, const std::vector<llvm::Type*>& rest, const Body& body) {
  std::vector<llvm::Type*> args(runtime::roleCount, types_.pointer);
  args.push_back(types_.integer);
  args.insert(args.end(), rest.begin(), rest.end());
  llvm::Function* const entry = declare(name, types_.nothing, args, true);
  entry->setDSOLocal(false);
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  llvm::BasicBlock* const before = llvm::BasicBlock::Create(context_, "", entry);
  llvm::BasicBlock* const mine = llvm::BasicBlock::Create(context_, "", entry);
  llvm::BasicBlock* const after = llvm::BasicBlock::Create(context_, "", entry);
  llvm::IRBuilder<> b(before);
  const auto part = [&](llvm::Intrinsic::ID id) { return b.CreateZExt(b.CreateIntrinsic(id, {}, {}), types_.integer); };
  llvm::Value* const block = part(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Value* const size = part(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  llvm::Value* const thread = part(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  llvm::Value* const l = b.CreateAdd(b.CreateMul(block, size), thread);
  b.CreateCondBr(b.CreateICmpSLT(l, entry->getArg(runtime::roleCount)), mine, after);
  b.SetInsertPoint(mine);
  std::vector<llvm::Value*> bases;
  for (unsigned r = 0; r < runtime::roleCount; ++r)
    bases.push_back(b.CreateInBoundsGEP(types_.real, entry->getArg(r), l));
  body(b, entry, l, bases);
  b.CreateBr(after);
  b.SetInsertPoint(after);
  b.CreateRetVoid();
}

void DeviceModuleEmitter::emitFunction(std::size_t index) {
  llvm::Type* const p = types_.pointer;
  // The function proper has the arguments by value, and the number of trajectories behind them.
  const auto count = static_cast<unsigned>(tape_.functions[index].arguments);
  std::vector<llvm::Type*> rest(count, types_.real);
  rest.push_back(types_.integer);
  llvm::Function* const inner = declareProper(std::string("f").append(std::to_string(index)), types_.status, rest);
  DeviceEmitter(*this, inner, inner->getArg(runtime::roleCount + count)).bodyOfFunction(index, count);
  emitKernel(functionSymbol(index), {p, p}, [&](llvm::IRBuilder<>& b, llvm::Function* f, llvm::Value* l, auto& values) {
    llvm::Value* const trajectories = f->getArg(runtime::roleCount);
    for (unsigned a = 0; a < count; ++a) {
      llvm::Value* const place = b.CreateAdd(b.CreateMul(types_.index(a), trajectories), l);
      values.push_back(
          b.CreateLoad(types_.real, b.CreateInBoundsGEP(types_.real, f->getArg(runtime::roleCount + 1), place)));
    }
    values.push_back(trajectories);
    b.CreateStore(b.CreateCall(inner, values),
                  b.CreateInBoundsGEP(types_.status, f->getArg(runtime::roleCount + 2), l));
  });
}

void DeviceModuleEmitter::emitAdvance() {
  llvm::Type* const p = types_.pointer;
  llvm::Function* const core =
      declareProper("core", types_.status, {types_.real, types_.real, types_.integer, p, types_.truth, types_.integer});
  {
    DeviceEmitter emitter(*this, core, core->getArg(runtime::roleCount + 5));
    emitSteps(emitter, core, tape_, nullptr);
  }
  emitKernel(advanceSymbol, {types_.real, types_.real, types_.integer, p, p},
             [&](llvm::IRBuilder<>& b, llvm::Function* f, llvm::Value* l, auto& values) {
               const auto given = [&](unsigned k) { return f->getArg(runtime::roleCount + k); };
               for (unsigned k = 1; k < 4; ++k) values.push_back(given(k));
               values.push_back(b.CreateInBoundsGEP(types_.integer, given(4), l));
               values.push_back(b.getFalse());
               values.push_back(given(0));
               b.CreateStore(b.CreateCall(core, values), b.CreateInBoundsGEP(types_.status, given(5), l));
             });
}

DeviceEmitter::DeviceEmitter(ModuleEmitter& module, llvm::Function* function, llvm::Value* stride)
    : Emitter(module, function), stride_(stride) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(module.options().contract);
  builder_.setFastMathFlags(flags);
}

// Numbers of one trajectory in the memory of a role are apart; memory of this thread alone is not shared.
llvm::Value* DeviceEmitter::address(llvm::Value* base, llvm::Value* k) {
  if (llvm::isa<llvm::AllocaInst>(base->stripInBoundsOffsets())) return Emitter::address(base, k);
  return builder_.CreateInBoundsGEP(types_.real, base, builder_.CreateNSWMul(k, stride_));
}

llvm::Value* DeviceEmitter::address(llvm::Value* base, std::int64_t k) {
  if (llvm::isa<llvm::AllocaInst>(base->stripInBoundsOffsets())) return Emitter::address(base, k);
  return k == 0 ? base : address(base, types_.index(k));
}

/// A routine works on copies of its arrays, whose numbers stand side by side.
void DeviceEmitter::kernel(const Instr& i) {
  constexpr int first = static_cast<int>(External::CholeskyFactor);
  const tape::KernelInfo& about = tape::info(static_cast<tape::KernelId>(i.imm));
  std::vector<llvm::Value*> arguments;
  for (const std::int32_t b : i.buffers) {
    arguments.push_back(local(module_.buffer(b).size));
    copyNumbers(arguments.back(), begin(b), module_.buffer(b).size);
  }
  for (const tape::Value a : i.args) arguments.push_back(value(a));
  llvm::Value* const status =
      callExternal(static_cast<External>(first + static_cast<int>(i.imm)), types_.status, arguments, false);
  for (std::size_t b = 0; b < i.buffers.size(); ++b)
    if (about.written[b] == 'w') copyNumbers(begin(i.buffers[b]), arguments[b], module_.buffer(i.buffers[b]).size);
  failIf(builder_.CreateICmpNE(status, types_.statusOf(0)), status);
}

} // namespace lmc::backends
