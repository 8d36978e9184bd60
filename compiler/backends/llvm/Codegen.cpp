// The exported entry of the module: tape → IR → object.
#include "backends/CodeGenerator.h"

#include "backends/llvm/Archive.h"
#include "backends/llvm/Link.h"
#include "backends/llvm/Optimize.h"
#include "backends/llvm/Order.h"
#include "backends/llvm/Target.h"
#include "backends/llvm/lanes/LaneEmitter.h"
#include "backends/llvm/nvptx/DeviceEmitter.h"
#include "backends/llvm/single/FunctionEmitter.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace lmc::backends {

namespace {

/// Effort of the machine code generator. Its time grows faster than linearly with the length of a function: 3,000
/// operations take 0.1 s, 30,000 take 1.5 to 4 s, 60,000 take 5 to 12 s. Beyond a limit, which the highest level moves
/// up, the linear-time generator is used instead (60,000 operations in 0.2 s; the code runs at half the speed).
int machineLevel(const tape::Module& tape, int level) {
  const std::size_t limit = level >= 3 ? 60000 : 20000;
  std::size_t longest = 0;
  for (const tape::Function& f : tape.functions) {
    std::size_t length = 0;
    for (const tape::Block& b : f.blocks) length += b.code.size();
    longest = std::max(longest, length);
  }
  return longest > limit ? 0 : level;
}

std::string listing(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// With a unit an object for other programs, for the processor `cpu`.
void generateOrThrow(const tape::Module& tape, const unit::Exported* unit, const std::string& cpu,
                     const Options& options, Result& result) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(unit == nullptr);
  const int level = machineLevel(tape, options.optimization);
  const std::unique_ptr<llvm::TargetMachine> target = unit == nullptr ? hostTarget(level) : aheadTarget(level, cpu);
  std::unique_ptr<llvm::Module> module;
  if (options.lanes > 0) {
    module = LaneModuleEmitter(tape, context, options, fusesMultiplyAdd(*target)).run();
  } else if (level > 0) {
    tape::Module ordered = tape; // many trajectories hide each other's latency, one does not
    for (tape::Function& f : ordered.functions) orderOperations(f, ordered.buffers);
    module = SingleModuleEmitter(ordered, context, options, unit).run();
  } else {
    module = SingleModuleEmitter(tape, context, options, unit).run();
  }
  module->setTargetTriple(target->getTargetTriple().str());
  module->setDataLayout(target->createDataLayout());
#ifndef NDEBUG
  std::string defects;
  llvm::raw_string_ostream stream(defects);
  if (llvm::verifyModule(*module, &stream)) throw std::runtime_error("malformed IR: " + defects);
#endif
  optimize(*module, target.get(), options.optimization, options.stop);
  if (options.listings) {
    result.ir = listing(*module);
    result.assembly = emit(*llvm::CloneModule(*module), *target, Emit::Assembly);
  }
  result.object = emit(*module, *target, Emit::Object);
}

/// LLVM IR for another processor: nothing is executed here.
void listDeviceCode(const tape::Module& tape, const Options& options, Result& result) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  const std::unique_ptr<llvm::Module> module = DeviceModuleEmitter(tape, context, options).run();
  std::string defects;
  llvm::raw_string_ostream stream(defects);
  if (llvm::verifyModule(*module, &stream)) throw std::runtime_error("malformed IR: " + defects);
  optimize(*module, nullptr, options.optimization, options.stop);
  result.ir = listing(*module);
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
      listDeviceCode(tape, options, result);
    else
      generateOrThrow(tape, nullptr, {}, options, result);
  });
}

void generateAhead(const unit::Exported& unit, const std::string& cpu, const Options& options, Result& result) {
  guarded(result, [&] { generateOrThrow(unit.unit.module, &unit, cpu, options, result); });
}

void makeArchive(const std::string& object, const std::string& memberName, Result& result) {
  guarded(result, [&] { result.object = archive(object, memberName); });
}

} // namespace

} // namespace lmc::backends

extern "C" __attribute__((visibility("default"))) const lmc::backends::Interface* lmc_codegen() {
  static constexpr lmc::backends::Interface functions = {&lmc::backends::generate, &lmc::backends::generateAhead,
                                                         &lmc::backends::makeArchive, &lmc::backends::link,
                                                         &lmc::backends::release};
  return &functions;
}
