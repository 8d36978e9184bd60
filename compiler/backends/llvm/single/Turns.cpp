// Loops whose turns may be made at the same time (tape/Tiles.h): the body becomes a function of a frame and the number
// of a turn, which the runtime calls for all turns (lmc_turns), on threads where it has them. A frame holds the bases,
// memory of the function that others do not have, and values that turns use; nothing is written to it while they run.
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/TapeOps.h"

#include <functional>
#include <set>

namespace lmc::backends {

using tape::Instr;

llvm::Function* SingleModuleEmitter::turnFunction() {
  llvm::Function* const f = declare(std::string("turn").append(std::to_string(turnFunctions_++)), types_.nothing,
                                    {types_.pointer, types_.integer}, false);
  f->addFnAttr(llvm::Attribute::NoInline);
  return f;
}

/// That turns use and do not define, in ascending order.
std::vector<tape::Value> FunctionEmitter::valuesFromOutside(const Instr& i) const {
  std::set<tape::Value> defined{i.result}, used;
  const std::function<void(std::int32_t)> scan = [&](std::int32_t block) {
    for (const Instr& x : frame_->function->blocks[static_cast<std::size_t>(block)].code) {
      used.insert(x.args.begin(), x.args.end());
      if (x.result != tape::none) defined.insert(x.result);
      if (x.block >= 0) scan(x.block);
    }
  };
  scan(i.block);
  std::vector<tape::Value> list;
  for (const tape::Value v : used)
    if (!defined.contains(v)) list.push_back(v);
  return list;
}

void FunctionEmitter::independentLoop(const Instr& i) {
  llvm::Function* const turn = single_.turnFunction();
  FunctionEmitter inner(single_, turn);
  Frame frame = *frame_;
  frame.shared.clear();
  frame.sums.clear();
  frame.wanted = nullptr;
  std::vector<llvm::Value*> kept;
  const auto pass = [&](llvm::Value*& v) {
    if (v == nullptr || llvm::isa<llvm::Constant>(v)) return;
    const auto at = static_cast<std::uint64_t>(kept.size());
    kept.push_back(v);
    llvm::Value* const place = inner.builder_.CreateConstInBoundsGEP1_64(types_.integer, turn->getArg(0), at);
    v = inner.builder_.CreateAlignedLoad(v->getType(), place, llvm::Align(8));
  };
  for (llvm::Value*& base : frame.bases) pass(base);
  for (llvm::Value*& own : frame.locals) pass(own);
  for (const tape::Value v : valuesFromOutside(i)) pass(frame.values[v]);
  frame.values[i.result] = turn->getArg(1);
  inner.frame_ = &frame;
  inner.block(i.block);
  inner.frame_ = nullptr;
  inner.builder_.CreateRetVoid();

  llvm::Value* const memory = local(llvm::ArrayType::get(types_.integer, kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k)
    builder_.CreateAlignedStore(kept[k], builder_.CreateConstInBoundsGEP1_64(types_.integer, memory, k),
                                llvm::Align(8));
  llvm::Value* const count = builder_.CreateNSWAdd(value(i.args[1]), types_.index(1));
  auto* const type = llvm::FunctionType::get(types_.nothing, {types_.pointer, types_.pointer, types_.integer}, false);
  llvm::CallInst* const call =
      builder_.CreateCall(type, module_.externalAddress(builder_, External::Turns, type), {turn, memory, count});
  call->addFnAttr(llvm::Attribute::NoUnwind);
  call->addFnAttr(llvm::Attribute::WillReturn);
}

} // namespace lmc::backends
