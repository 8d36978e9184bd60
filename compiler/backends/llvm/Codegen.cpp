// The exported entry of the module: tape → IR → object.
#include "backends/CodeGenerator.h"

#include "backends/llvm/Archive.h"
#include "backends/llvm/Fuse.h"
#include "backends/llvm/Link.h"
#include "backends/llvm/Optimize.h"
#include "backends/llvm/Order.h"
#include "backends/llvm/PackStores.h"
#include "backends/llvm/Target.h"
#include "backends/llvm/WholeVectors.h"
#include "backends/llvm/lanes/LaneEmitter.h"
#include "backends/llvm/nvptx/DeviceEmitter.h"
#include "backends/llvm/quick/Quick.h"
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/TapeCost.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace lmc::backends {

namespace {

/// Operations of the longest function, and of all.
struct Lengths {
  explicit Lengths(const tape::Module& tape) {
    for (const tape::Function& f : tape.functions) {
      const std::size_t length = tape::lengthOf(f);
      longest = std::max(longest, length);
      all += length;
    }
  }
  std::size_t longest = 0, all = 0;
};

/// Effort of the machine code generator. Its time grows faster than linearly with the length of a function: 3,000
/// operations take 0.1 s, 30,000 take 1.5 to 4 s, 60,000 take 5 to 12 s. Beyond a limit, which the highest level moves
/// up, the linear-time generator is used instead (60,000 operations in 0.2 s; the code runs at half the speed).
int machineLevel(const tape::Module& tape, int level) {
  const std::size_t limit = level >= 3 ? 60000 : 20000;
  return Lengths(tape).longest > limit ? 0 : level;
}

/// From so many operations on code is made quickly first.
constexpr std::size_t worthTwoTiers = 100;

std::string listing(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// What passes have to remark about loops is of no use to who runs a model, and hosts print nothing.
class OnlyErrors final : public llvm::DiagnosticHandler {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override { return info.getSeverity() != llvm::DS_Error; }
};

void prepareContext(llvm::LLVMContext& context, bool discardNames) {
  context.setDiscardValueNames(discardNames);
  context.setDiagnosticHandler(std::make_unique<OnlyErrors>());
}

/// A module, optimised and with its fused operations, and who makes machine code of it.
struct Prepared {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> target;
  std::unique_ptr<llvm::Module> module;
  int level = 0;           ///< of the passes on IR
  bool loopsLeft = false;  ///< `optimizeLoops` has something to do
  bool optimising = false; ///< the target is not the linear-time generator
  bool packsStores = false;
};

/// With a unit an object for other programs, for the processor `cpu`.
std::unique_ptr<Prepared> prepare(const tape::Module& tape, const unit::Exported* unit, const std::string& cpu,
                                  const Options& options) {
  auto made = std::make_unique<Prepared>();
  llvm::LLVMContext& context = made->context;
  std::unique_ptr<llvm::Module>& module = made->module;
  prepareContext(context, unit == nullptr);
  const int level = machineLevel(tape, options.optimization);
  made->target = unit == nullptr ? hostTarget(level) : aheadTarget(level, cpu);
  const llvm::TargetMachine& target = *made->target;
  if (options.lanes > 0) {
    module = LaneModuleEmitter(tape, context, options, fusesMultiplyAdd(target)).run();
  } else if (level > 0) {
    tape::Module ordered = tape; // many trajectories hide each other's latency, one does not
    for (std::size_t f = 0; f < ordered.functions.size(); ++f)
      if (options.has(f)) orderOperations(ordered.functions[f], ordered.buffers);
    module = SingleModuleEmitter(ordered, context, options, unit).run();
  } else {
    module = SingleModuleEmitter(tape, context, options, unit).run();
  }
  module->setTargetTriple(target.getTargetTriple().str());
  module->setDataLayout(target.createDataLayout());
#ifndef NDEBUG
  std::string defects;
  llvm::raw_string_ostream stream(defects);
  if (llvm::verifyModule(*module, &stream)) throw std::runtime_error("malformed IR: " + defects);
#endif
  keepWholeVectors(*module, target);
  made->level = options.optimization;
  made->optimising = level > 0;
  made->packsStores = level >= 2 && options.lanes == 0;
  made->loopsLeft = optimize(*module, made->target.get(), options.optimization, options.stop);
  // The linear-time generator takes each fused operation for a call that it does not know.
  if (options.lanes == 0) fuseMultiplyAdd(*module, level > 0 && fusesMultiplyAdd(target));
  return made;
}

/// What changes no bit any more, and what only code that is used for long is worth.
void finishPasses(Prepared& made, bool (*stop)()) {
  if (made.loopsLeft) optimizeLoops(*made.module, made.target.get(), made.level, stop);
  if (made.optimising) endWithCleanVectors(*made.module, *made.target);
  if (!made.packsStores) return;
  if (made.optimising) pairNumbers(*made.module, made.target.get(), stop);
  packStores(*made.module);
}

void generateOrThrow(const tape::Module& tape, const unit::Exported* unit, const std::string& cpu,
                     const Options& options, Result& result) {
  const std::unique_ptr<Prepared> made = prepare(tape, unit, cpu, options);
  finishPasses(*made, options.stop);
  if (options.listings) {
    result.ir = listing(*made->module);
    result.assembly = emit(*llvm::CloneModule(*made->module), *made->target, Emit::Assembly);
  }
  result.objects = {emit(*made->module, *made->target, Emit::Object)};
}

/// PTX, and on demand the IR that it is made of: nothing is executed here.
void generateDeviceCode(const tape::Module& tape, const Options& options, Result& result) {
  llvm::LLVMContext context;
  prepareContext(context, true);
  const std::unique_ptr<llvm::TargetMachine> target = deviceTarget(options.optimization);
  const bool fused = fusesMultiplyAdd(*hostTarget(options.optimization));
  const std::unique_ptr<llvm::Module> module = DeviceModuleEmitter(tape, context, options, fused).run();
  module->setDataLayout(target->createDataLayout());
  std::string defects;
  llvm::raw_string_ostream stream(defects);
  if (llvm::verifyModule(*module, &stream)) throw std::runtime_error("malformed IR: " + defects);
  optimizeForDevice(*module, target.get(), options.optimization, options.stop);
  if (options.listings) result.ir = listing(*module);
  result.assembly = emit(*module, *target, Emit::Assembly);
}

template <typename Work> void guarded(Result& result, Work work) {
  try {
    work();
  } catch (const std::exception& e) {
    result = {};
    result.error = e.what();
  }
}

void generate(const tape::Module& tape, const Options& options, Result& result) {
  guarded(result, [&] {
    if (options.device)
      generateDeviceCode(tape, options, result);
    else
      generateOrThrow(tape, nullptr, {}, options, result);
  });
}

void begin(const tape::Module& tape, const Options& options, Result& result, void*& rest) {
  rest = nullptr;
  guarded(result, [&] {
    if (!options.twoTiers && Lengths(tape).all < worthTwoTiers)
      return generateOrThrow(tape, nullptr, {}, options, result);
    std::unique_ptr<Prepared> made = prepare(tape, nullptr, {}, options);
    if (!made->optimising && !made->loopsLeft) {
      result.objects = {emit(*made->module, *made->target, Emit::Object)};
      return;
    }
    const auto byLlvm = [&](llvm::Module& copy) {
      return emit(copy, *(made->optimising ? quickTarget() : hostTarget(0)), Emit::Object);
    };
    if (hasQuickGenerator(*made->target))
      result.objects = quickObjects(*made->module, byLlvm);
    else
      result.objects = {byLlvm(*llvm::CloneModule(*made->module))};
    rest = made.release();
  });
}

void finish(void* rest, Result& result) {
  auto* const made = static_cast<Prepared*>(rest);
  guarded(result, [&] {
    finishPasses(*made, nullptr);
    result.objects = {emit(*made->module, *made->target, Emit::Object)};
  });
}

void discard(void* rest) {
  delete static_cast<Prepared*>(rest);
}

void generateAhead(const unit::Exported& unit, const std::string& cpu, const Options& options, Result& result) {
  guarded(result, [&] { generateOrThrow(unit.unit.module, &unit, cpu, options, result); });
}

void makeArchive(const std::string& object, const std::string& memberName, Result& result) {
  guarded(result, [&] { result.objects = {archive(object, memberName)}; });
}

} // namespace

} // namespace lmc::backends

extern "C" __attribute__((visibility("default"))) const lmc::backends::Interface* lmc_codegen() {
  static constexpr lmc::backends::Interface functions = {
      &lmc::backends::generate,      &lmc::backends::begin,       &lmc::backends::finish, &lmc::backends::discard,
      &lmc::backends::generateAhead, &lmc::backends::makeArchive, &lmc::backends::link,   &lmc::backends::release};
  return &functions;
}
