#include "backends/llvm/nvptx/DeviceEmitter.h"

#include "runtime/contract/HandedBack.h"
#include "tape/TapeOps.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <stdexcept>

namespace lmc::backends {

using tape::Instr;

namespace {

Options oneLane(Options options) {
  options.lanes = 1;
  return options;
}

} // namespace

DeviceModuleEmitter::DeviceModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options,
                                         bool fused)
    : LaneModuleEmitter(tape, context, oneLane(options), fused) {
  module_->setTargetTriple("nvptx64-nvidia-cuda");
}

std::unique_ptr<llvm::Module> DeviceModuleEmitter::run() {
  if (tape_.step >= 0) emitSteps();
  for (std::size_t f = 0; f < tape_.functions.size(); ++f)
    if (!tape_.functions[f].inner) emitFunction(f);
  emitFinite();
  emitRestore();
  return std::move(module_);
}

llvm::Value* DeviceModuleEmitter::externalAddress(llvm::IRBuilder<>&, External f, llvm::FunctionType*) {
  throw std::logic_error(std::string("code for a device calls ") + externalName(f));
}

std::unique_ptr<LaneEmitter> DeviceModuleEmitter::emitterOf(llvm::Function* function) {
  return std::make_unique<DeviceEmitter>(*this, function, nullptr);
}

void DeviceModuleEmitter::emitKernel(const std::string& name, unsigned pointers, const std::vector<llvm::Type*>& rest,
                                     unsigned statuses, const Body& body) {
  std::vector<llvm::Type*> args(pointers, types_.pointer);
  args.push_back(types_.integer);
  args.insert(args.end(), rest.begin(), rest.end());
  llvm::Function* const entry = declare(name, types_.nothing, args, true);
  entry->setDSOLocal(false);
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  for (unsigned a = 0; a < args.size(); ++a)
    if (args[a]->isPointerTy()) entry->addParamAttr(a, llvm::Attribute::NoAlias);
  llvm::Value* const lanes = entry->getArg(pointers);
  DeviceEmitter e(*this, entry, lanes);
  llvm::IRBuilder<>& b = e.builder();
  const auto part = [&](llvm::Intrinsic::ID id) { return b.CreateZExt(b.CreateIntrinsic(id, {}, {}), types_.integer); };
  llvm::Value* const block = part(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Value* const size = part(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  llvm::Value* const thread = part(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  Thread mine;
  mine.kernel = entry;
  mine.lane = b.CreateAdd(b.CreateMul(block, size), thread);
  llvm::BasicBlock* const there = e.newBlock();
  llvm::BasicBlock* const wanted = e.newBlock();
  llvm::BasicBlock* const after = e.newBlock();
  b.CreateCondBr(b.CreateICmpSLT(mine.lane, lanes), there, after);
  b.SetInsertPoint(there);
  mine.status = b.CreateInBoundsGEP(types_.status, entry->getArg(pointers + 1 + statuses), mine.lane);
  b.CreateCondBr(b.CreateICmpEQ(b.CreateLoad(types_.status, mine.status), types_.statusOf(runtime::Ok)), wanted, after);
  b.SetInsertPoint(wanted);
  for (unsigned r = 0; r < pointers; ++r)
    mine.bases.push_back(b.CreateInBoundsGEP(types_.real, entry->getArg(r), mine.lane));
  e.setStatus(llvm::Constant::getNullValue(types_.statuses));
  body(e, mine);
  if (b.GetInsertBlock()->getTerminator() == nullptr) b.CreateBr(after);
  b.SetInsertPoint(after);
  b.CreateRetVoid();
}

void DeviceModuleEmitter::emitFunction(std::size_t index) {
  llvm::Type* const p = types_.pointer;
  emitKernel(functionSymbol(index), runtime::roleCount, {p, p}, 1, [&](DeviceEmitter& e, const Thread& mine) {
    llvm::IRBuilder<>& b = e.builder();
    BasePointers bases{};
    std::copy(mine.bases.begin(), mine.bases.end(), bases.begin());
    llvm::Value* const given = b.CreateInBoundsGEP(types_.real, mine.kernel->getArg(runtime::roleCount + 1), mine.lane);
    std::vector<llvm::Value*> arguments;
    arguments.reserve(tape_.functions[index].arguments);
    for (int a = 0; a < tape_.functions[index].arguments; ++a)
      arguments.push_back(e.load(e.address(given, std::int64_t{a})));
    e.body(index, bases, arguments);
    b.CreateAlignedStore(e.status(), mine.status, llvm::Align(4));
  });
}

void DeviceModuleEmitter::emitSteps() {
  llvm::Type* const p = types_.pointer;
  emitKernel(advanceSymbol, runtime::roleCount, {types_.real, types_.real, types_.integer, types_.integer, p, p}, 4,
             [&](DeviceEmitter& e, const Thread& mine) {
               const auto given = [&](unsigned k) { return mine.kernel->getArg(runtime::roleCount + 1 + k); };
               LaneSteps steps;
               std::copy(mine.bases.begin(), mine.bases.end(), steps.bases.begin());
               e.setWork(steps.bases[static_cast<std::size_t>(runtime::Role::Work)]);
               steps.t0 = given(0);
               steps.h = given(1);
               steps.first = given(2);
               steps.n = given(3);
               steps.statuses = mine.status;
               steps.done = e.builder().CreateInBoundsGEP(types_.integer, given(5), mine.lane);
               emitLaneSteps(e, tape_, steps);
             });
}

// x - x is 0 for a finite x, and not a number otherwise.
void DeviceModuleEmitter::emitFinite() {
  emitKernel("lmc_finite", 1, {types_.pointer}, 0, [&](DeviceEmitter& e, const Thread& mine) {
    llvm::IRBuilder<>& b = e.builder();
    llvm::AllocaInst* const bad = e.local(types_.truth);
    b.CreateStore(b.getFalse(), bad);
    e.loop(types_.index(0), types_.index(tape_.roleSize[stateRole] - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
      llvm::Value* const x = b.CreateLoad(types_.real, e.address(mine.bases[0], k));
      llvm::Value* const d = b.CreateFSub(x, x);
      b.CreateStore(b.CreateOr(b.CreateLoad(types_.truth, bad), b.CreateFCmpUNO(d, d)), bad);
    });
    b.CreateStore(b.CreateSelect(b.CreateLoad(types_.truth, bad), types_.statusOf(runtime::NonFinite),
                                 types_.statusOf(runtime::Ok)),
                  mine.status);
  });
}

void DeviceModuleEmitter::emitRestore() {
  emitKernel("lmc_restore", 2, {types_.pointer}, 0, [&](DeviceEmitter& e, const Thread& mine) {
    e.copyNumbers(mine.bases[0], mine.bases[1], tape_.roleSize[stateRole]);
  });
}

DeviceEmitter::DeviceEmitter(DeviceModuleEmitter& module, llvm::Function* function, llvm::Value* stride)
    : LaneEmitter(module, function), stride_(stride) {}

// Numbers of one trajectory in the memory of a role are apart; memory of this thread alone is not shared.
llvm::Value* DeviceEmitter::address(llvm::Value* base, llvm::Value* k) {
  if (llvm::isa<llvm::AllocaInst>(base->stripInBoundsOffsets())) return Emitter::address(base, k);
  return builder_.CreateInBoundsGEP(types_.real, base, builder_.CreateNSWMul(k, stride_));
}

llvm::Value* DeviceEmitter::address(llvm::Value* base, std::int64_t k) {
  if (llvm::isa<llvm::AllocaInst>(base->stripInBoundsOffsets())) return Emitter::address(base, k);
  return k == 0 ? base : address(base, types_.index(k));
}

// Indices that other conditions exclude may be any: what is computed of them is not used.
llvm::Value* DeviceEmitter::addresses(llvm::Value* begin, llvm::Value* index) {
  llvm::Value* place = index;
  if (!llvm::isa<llvm::AllocaInst>(begin->stripInBoundsOffsets()))
    place = builder_.CreateMul(index, builder_.CreateVectorSplat(types_.lanes, stride_));
  return builder_.CreateGEP(types_.real, begin, place);
}

llvm::Value* DeviceEmitter::roomFor(std::int64_t) {
  return address(work_, module_.tape().roleSize[static_cast<std::size_t>(runtime::Role::Work)]);
}

void DeviceEmitter::copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) {
  // Number by number: that of lanes calls a routine, which a device does not have.
  Emitter::copyNumbers(to, from, count); // NOLINT(bugprone-parent-virtual-call)
}

void DeviceEmitter::handBack() {
  failIf(builder_.getTrue(), types_.statusOf(runtime::HandedBack));
}

llvm::Value* DeviceEmitter::byLibrary(External, const std::vector<llvm::Value*>&) {
  handBack();
  return llvm::Constant::getNullValue(types_.reals);
}

DeviceEmitter::StumpffValues DeviceEmitter::stumpffByLibrary(const StumpffGroup& group) {
  handBack();
  StumpffValues values;
  for (std::size_t k = 0; k < 64; ++k)
    if (group.has(k)) values.values[k] = llvm::Constant::getNullValue(types_.reals);
  return values;
}

void DeviceEmitter::kernel(const Instr& i) {
  if (static_cast<tape::KernelId>(i.imm) != tape::KernelId::NewtonChange || !newtonChange(i))
    throw std::logic_error("code for a device calls a routine");
}

} // namespace lmc::backends
