#include "backends/llvm/Target.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

// Not in a header: they are in LLVM's library for NVPTX, whether or not the processor of this machine is another one.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace lmc::backends {

namespace {

/// Turns off passes of the code generator, and effort of others, that cost more than they give. LLVM in this module is
/// its own copy: no other user of LLVM in the process sees it.
/// - Sinking: a step is one long block with rare branches for large angles; computations moved towards those get worse
///   live ranges (two quadrotors: 15 % slower steps, 20 % more compile time).
/// - Scheduling after register allocation: 10 % of the compile time, no difference on out-of-order processors.
/// - Common subexpressions of machine code: the tape has none. 3 % of the compile time.
/// - Eviction of many ranges for one: 1 % of the compile time, no difference in the code.
/// - Splitting of live ranges around regions of many blocks: a step has a rare block for each large angle, and ranges
///   that are split around all of them are moved to and fro. 4 % of the compile time of two quadrotors, whose code gets
///   2 % shorter. With still smaller regions (30 blocks) compiling is faster, but steps of a chain are 4 % slower.
void chooseMachinePasses() {
  const auto& options = llvm::cl::getRegisteredOptions();
  for (const auto& [name, value] : {std::pair{"disable-machine-sink", "true"},
                                    {"disable-post-ra", "true"},
                                    {"disable-machine-cse", "true"},
                                    {"regalloc-eviction-max-interference-cutoff", "4"}, // ranges
                                    {"grow-region-complexity-budget", "60"}}) {         // blocks
    const auto found = options.find(name);
    if (found != options.end()) found->second->addOccurrence(0, name, value);
  }
}

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    chooseMachinePasses();
  });
}

/// LLVM takes half of a vector of 512 bits on several processors that have such vectors, for programs in which few
/// instructions are on vectors, which then run at a lower frequency. A step of a family is little else: on such a
/// processor (Sapphire Rapids) chains take two thirds of the time with whole vectors.
constexpr const char* wholeVectors = ",-prefer-256-bit";

std::string hostFeatures() {
  std::map<std::string, bool> sorted;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) sorted[feature.getKey().str()] = feature.getValue();
  std::string text;
  for (const auto& [name, present] : sorted)
    text += (text.empty() ? "" : ",") + std::string(present ? "+" : "-") + name;
  return llvm::Triple(llvm::sys::getProcessTriple()).isX86() ? text + wholeVectors : text;
}

} // namespace

namespace {

std::unique_ptr<llvm::TargetMachine> makeTarget(int level, const std::string& cpu, const std::string& features,
                                                const std::string& triple = llvm::sys::getProcessTriple()) {
  initialise();
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) throw std::runtime_error(error);
  llvm::TargetOptions options;
  options.ExceptionModel = llvm::ExceptionHandling::None;
  const auto effort = level <= 0   ? llvm::CodeGenOptLevel::None
                      : level == 1 ? llvm::CodeGenOptLevel::Less
                      : level == 2 ? llvm::CodeGenOptLevel::Default
                                   : llvm::CodeGenOptLevel::Aggressive;
  // Position independent: the loader places all sections of an object next to each other, anywhere.
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, effort));
  if (!machine) throw std::runtime_error("LLVM has no code generator for " + triple);
  return machine;
}

} // namespace

std::unique_ptr<llvm::TargetMachine> hostTarget(int level) {
  return makeTarget(level, llvm::sys::getHostCPUName().str(), hostFeatures());
}

std::unique_ptr<llvm::TargetMachine> quickTarget() {
  auto machine = hostTarget(0);
  machine->setO0WantsFastISel(false);
  return machine;
}

std::unique_ptr<llvm::TargetMachine> aheadTarget(int level, const std::string& cpu) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::InitializeNativeTargetAsmParser(); }); // for the routines
  if (cpu == "native") return hostTarget(level);
#if defined(__x86_64__)
  const char* const any = "x86-64";
#else
  const char* const any = "generic";
#endif
  auto machine = makeTarget(level, any, "");
  if (cpu.empty()) return machine;
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(cpu))
    throw std::runtime_error("there is no processor `" + cpu + "` of this architecture");
  return makeTarget(level, cpu, "");
}

std::unique_ptr<llvm::TargetMachine> deviceTarget(int level) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return makeTarget(std::max(level, 1), "sm_70", "+ptx65", "nvptx64-nvidia-cuda");
}

bool fusesMultiplyAdd(const llvm::TargetMachine& target) {
  const llvm::Triple& triple = target.getTargetTriple();
  if (triple.isX86()) return target.getTargetFeatureString().contains("+fma,");
  return triple.isAArch64() || triple.isPPC64() || triple.isSystemZ();
}

bool hasQuickGenerator(const llvm::TargetMachine& target) {
  const llvm::Triple& triple = target.getTargetTriple();
  return triple.getArch() == llvm::Triple::x86_64 && triple.isOSLinux() &&
         target.getTargetFeatureString().contains("+avx,") && fusesMultiplyAdd(target);
}

std::string emit(llvm::Module& module, llvm::TargetMachine& target, Emit what) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const auto type = what == Emit::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (target.addPassesToEmitFile(passes, stream, nullptr, type)) throw std::runtime_error("LLVM cannot emit objects");
  passes.run(module);
  return bytes.str().str();
}

} // namespace lmc::backends
