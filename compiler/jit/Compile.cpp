#include "jit/Compile.h"

#include "backends/FunctionTable.h"
#include "base/Budget.h"
#include "jit/Cache.h"
#include "jit/Key.h"
#include "jit/Library.h"
#include "jit/Loader.h"
#include "jit/Stored.h"
#include "runtime/kernels/Kernels.h"
#include "tape/Tape.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace lmc::jit {

namespace {

template <typename R, typename... A> void* address(R (*f)(A...)) {
  return reinterpret_cast<void*>(f);
}
template <typename R, typename... A> void* address(R (*f)(A...) noexcept) {
  return reinterpret_cast<void*>(f);
}

/// The pointers of the function table, in the order of backends::External.
std::vector<void*> functionTable() {
  return {
#define LMC_EXTERNAL(name, function) address(&::function),
#include "backends/FunctionTable.def"
  };
}

/// Code that LLVM has linked in memory.
class LlvmImage final : public jit::Image {
public:
  LlvmImage(const std::string& object, const std::vector<std::string>& symbols, const std::vector<void*>& table) {
    jit::codegenLibrary().link(object, symbols, table, linked_);
    if (!linked_.error.empty()) throw std::runtime_error(linked_.error);
  }
  ~LlvmImage() override { jit::codegenLibrary().release(linked_.owner); }
  LlvmImage(const LlvmImage&) = delete;
  LlvmImage& operator=(const LlvmImage&) = delete;
  [[nodiscard]] void* address(std::size_t symbol) const override { return linked_.addresses[symbol]; }

private:
  backends::Linked linked_;
};

class CompiledModule final : public runtime::Compiled {
public:
  CompiledModule(std::size_t functions, const std::string& object, bool cached, LinkMode mode)
      : functions_(functions), cached_(cached), bytes_(object.size()) {
    std::vector<std::string> symbols;
    for (std::size_t f = 0; f < functions_; ++f) symbols.push_back(backends::functionSymbol(f));
    symbols.emplace_back(backends::advanceSymbol);
    if (mode == LinkMode::Own && jit::elfSupported())
      image_ = jit::loadElf(object, symbols, backends::tableSymbol, functionTable());
    else
      image_ = std::make_unique<LlvmImage>(object, symbols, functionTable());
    // Those that only others call have no entry; the first one always has.
    if (functions_ > 0 && image_->address(0) == nullptr)
      throw std::runtime_error("object file without the function " + symbols[0]);
  }

  [[nodiscard]] Function function(int index) const override {
    return reinterpret_cast<Function>(image_->address(static_cast<std::size_t>(index)));
  }
  [[nodiscard]] Advance advance() const override { return reinterpret_cast<Advance>(image_->address(functions_)); }
  [[nodiscard]] LaneFunction laneFunction(int index) const override {
    return reinterpret_cast<LaneFunction>(image_->address(static_cast<std::size_t>(index)));
  }
  [[nodiscard]] LaneAdvance laneAdvance() const override {
    return reinterpret_cast<LaneAdvance>(image_->address(functions_));
  }
  [[nodiscard]] bool fromCache() const override { return cached_; }
  [[nodiscard]] double compileSeconds() const override { return seconds; }
  [[nodiscard]] std::size_t codeBytes() const override { return bytes_; }
  [[nodiscard]] const std::string& ir() const override { return irText; }
  [[nodiscard]] const std::string& assembly() const override { return assemblyText; }

  double seconds = 0;
  std::string irText;
  std::string assemblyText;

private:
  std::size_t functions_;
  bool cached_;
  std::size_t bytes_;
  std::unique_ptr<jit::Image> image_;
};

/// The entry of the cache as a module, unless there is none or it is damaged.
std::unique_ptr<CompiledModule> fromCache(std::size_t functions, const jit::Cache& cache, const jit::Digest& key,
                                          LinkMode mode) {
  const std::optional<std::string> object = cache.find(key);
  if (!object) return nullptr;
  try {
    return std::make_unique<CompiledModule>(functions, *object, true, mode);
  } catch (const std::runtime_error&) {
    return nullptr; // compiled anew, which replaces the entry
  }
}

std::unique_ptr<CompiledModule> make(const tape::Module& module, const CompileOptions& options) {
  const bool useCache = options.useCache && !options.keepIr;
  const jit::Cache cache(options.cacheDirectory);
  jit::Digest key{};
  if (useCache) {
    key = jit::cacheKey(module, options);
    if (auto found = fromCache(module.functions.size(), cache, key, options.link)) return found;
  }
  backends::Result result;
  jit::codegenLibrary().generate(
      module, {options.optimization, options.contract, options.keepIr, &budgetIsSpent, options.lanes}, result);
  checkBudget();
  if (!result.error.empty()) throw std::runtime_error("the code generator failed: " + result.error);
  auto compiled = std::make_unique<CompiledModule>(module.functions.size(), result.object, false, options.link);
  if (useCache) cache.store(key, result.object);
  compiled->irText = std::move(result.ir);
  compiled->assemblyText = std::move(result.assembly);
  return compiled;
}

} // namespace

int vectorWidth() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return 8;
  if (__builtin_cpu_supports("avx")) return 4;
#endif
  return 2;
}

std::unique_ptr<runtime::Compiled> findCompiled(const tape::Module& module, const CompileOptions& options) {
  if (!options.useCache || options.keepIr) return nullptr;
  return fromCache(module.functions.size(), jit::Cache(options.cacheDirectory), jit::cacheKey(module, options),
                   options.link);
}

std::unique_ptr<runtime::Compiled> findCompiled(const std::string& key, std::size_t functions,
                                                const CompileOptions& options) {
  const std::optional<jit::Digest> digest = jit::digestOf(key);
  if (!digest || !options.useCache || options.keepIr) return nullptr;
  return fromCache(functions, jit::Cache(options.cacheDirectory), *digest, options.link);
}

void openCodeGenerator() {
  std::thread([] {
    try {
      tape::Module nothing; // to compile it takes all that is done once: tables, descriptions of the processor, passes
      nothing.functions.emplace_back();
      nothing.functions[0].blocks.emplace_back();
      backends::Result ignored;
      const CompileOptions usual;
      jit::codegenLibrary().generate(nothing, {usual.optimization, usual.contract, false, nullptr, 0}, ignored);
    } catch (const std::exception&) { // thrown again by whoever compiles
    }
  }).detach();
}

std::unique_ptr<runtime::Compiled> compile(const tape::Module& module, const CompileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
#ifndef NDEBUG
  if (const std::string rule = tape::verify(module); !rule.empty()) throw std::runtime_error("malformed tape: " + rule);
#endif
  std::unique_ptr<CompiledModule> compiled = make(module, options);
  compiled->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

} // namespace lmc::jit
