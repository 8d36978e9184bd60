#include "jit/Compile.h"

#include "backends/FunctionTable.h"
#include "base/Budget.h"
#include "base/DeepStack.h"
#include "base/Pages.h"
#include "jit/Cache.h"
#include "jit/Key.h"
#include "jit/Library.h"
#include "jit/Loader.h"
#include "jit/Parts.h"
#include "jit/Stored.h"
#include "runtime/kernels/Kernels.h"
#include "tape/Tape.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
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

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Code that LLVM has linked in memory.
class LlvmImage final : public jit::Image {
public:
  LlvmImage(const std::vector<std::string>& objects, const std::vector<std::string>& symbols,
            const std::vector<void*>& table) {
    jit::codegenLibrary().link(objects, symbols, table, linked_);
    if (!linked_.error.empty()) throw std::runtime_error(linked_.error);
  }
  ~LlvmImage() override { jit::codegenLibrary().release(linked_.owner); }
  LlvmImage(const LlvmImage&) = delete;
  LlvmImage& operator=(const LlvmImage&) = delete;
  [[nodiscard]] void* address(std::size_t symbol) const override { return linked_.addresses[symbol]; }

private:
  backends::Linked linked_;
};

std::unique_ptr<jit::Image> load(std::size_t functions, const std::vector<std::string>& objects, LinkMode mode) {
  std::vector<std::string> symbols;
  for (std::size_t f = 0; f < functions; ++f) symbols.push_back(backends::functionSymbol(f));
  symbols.emplace_back(backends::advanceSymbol);
  std::unique_ptr<jit::Image> image;
  if (mode == LinkMode::Own && jit::elfSupported())
    image = jit::loadElf(objects, symbols, backends::tableSymbol, functionTable());
  else
    image = std::make_unique<LlvmImage>(objects, symbols, functionTable());
  // Those that only others call have no entry; the first one always has.
  if (functions > 0 && image->address(0) == nullptr)
    throw std::runtime_error("object file without the function " + symbols[0]);
  return image;
}

std::size_t bytesOf(const std::vector<std::string>& objects) {
  std::size_t bytes = 0;
  for (const std::string& o : objects) bytes += o.size();
  return bytes;
}

class CompiledModule final : public runtime::Compiled {
public:
  CompiledModule(std::size_t functions, const std::vector<std::string>& objects, bool cached, LinkMode mode)
      : functions_(functions), cached_(cached), bytes_(bytesOf(objects)), first_(load(functions, objects, mode)),
        image_(first_.get()) {}
  CompiledModule(const CompiledModule&) = delete;
  CompiledModule& operator=(const CompiledModule&) = delete;
  ~CompiledModule() override {
    if (improver_.joinable()) improver_.join();
  }

  /// What `better` makes, on a thread of its own, takes the place of the code; at once where no thread can be made.
  void improve(std::function<std::unique_ptr<jit::Image>()> better) {
    const auto work = [this, better = std::move(better)] {
      const auto start = std::chrono::steady_clock::now();
      try {
        second_ = onDeepStack([&] {
          bringInHeap();
          return better();
        });
        image_.store(second_.get(), std::memory_order_release);
      } catch (const std::exception& error) {
        settled_.trouble = error.what();
      }
      settled_.seconds = secondsSince(start);
    };
    try {
      improver_ = std::thread(work);
    } catch (const std::system_error&) {
      work();
    }
  }
  Settled settle() const override {
    const std::lock_guard<std::mutex> lock(joining_);
    if (improver_.joinable()) improver_.join();
    return settled_;
  }

  [[nodiscard]] Function function(int index) const override {
    return reinterpret_cast<Function>(address(static_cast<std::size_t>(index)));
  }
  [[nodiscard]] Advance advance() const override { return reinterpret_cast<Advance>(address(functions_)); }
  [[nodiscard]] LaneFunction laneFunction(int index) const override {
    return reinterpret_cast<LaneFunction>(address(static_cast<std::size_t>(index)));
  }
  [[nodiscard]] LaneAdvance laneAdvance() const override { return reinterpret_cast<LaneAdvance>(address(functions_)); }
  [[nodiscard]] bool fromCache() const override { return cached_; }
  [[nodiscard]] double compileSeconds() const override { return seconds; }
  [[nodiscard]] std::size_t codeBytes() const override { return bytes_; }
  [[nodiscard]] const std::string& ir() const override { return irText; }
  [[nodiscard]] const std::string& assembly() const override { return assemblyText; }

  double seconds = 0;
  std::string irText;
  std::string assemblyText;

private:
  [[nodiscard]] void* address(std::size_t symbol) const {
    return image_.load(std::memory_order_acquire)->address(symbol);
  }

  std::size_t functions_;
  bool cached_;
  std::size_t bytes_;
  std::unique_ptr<jit::Image> first_, second_; ///< somebody may still be in the first when there is a second
  std::atomic<const jit::Image*> image_;       ///< the one that is called
  Settled settled_;                            ///< of the thread, when it has ended
  mutable std::mutex joining_;
  mutable std::thread improver_;
};

/// The entry of the cache as a module, unless there is none or it is damaged.
std::unique_ptr<CompiledModule> fromCache(std::size_t functions, const jit::Cache& cache, const jit::Digest& key,
                                          LinkMode mode) {
  const std::optional<std::string> objects = cache.find(key);
  if (!objects) return nullptr;
  try {
    return std::make_unique<CompiledModule>(functions, separated(*objects), true, mode);
  } catch (const std::runtime_error&) {
    return nullptr; // compiled anew, which replaces the entry
  }
}

void checkGenerated(const backends::Result& result) {
  if (!result.error.empty()) throw std::runtime_error("the code generator failed: " + result.error);
}

/// Where objects are kept, or not.
struct Keeping {
  const jit::Cache cache;
  const jit::Digest key;
  const bool used;
  void store(const std::vector<std::string>& objects) const {
    if (used) cache.store(key, joined(objects));
  }
};

/// An object of some of the functions, and what is left to do for a better one.
struct Part {
  backends::Result result;
  std::shared_ptr<void> rest;
};

std::vector<std::string> objectsOf(const std::vector<Part>& parts) {
  std::vector<std::string> objects;
  for (const Part& p : parts) {
    checkGenerated(p.result);
    objects.insert(objects.end(), p.result.objects.begin(), p.result.objects.end());
  }
  return objects;
}

/// Makes each part by make(options, part), on threads of their own, with the functions that it has in the options.
std::vector<Part> makeParts(const std::vector<std::vector<bool>>& functions, const backends::Options& how,
                            const std::function<void(const backends::Options&, Part&)>& make) {
  std::vector<Part> parts(functions.size());
  atOnce(parts.size(), [&](std::size_t k) {
    backends::Options options = how;
    if (parts.size() > 1) options.part = &functions[k];
    make(options, parts[k]);
  });
  checkBudget();
  return parts;
}

/// Code that is made quickly. Where it is not the best that there is, and `better`, that is made in the background.
std::unique_ptr<CompiledModule> makeQuickly(const tape::Module& module, const CompileOptions& options,
                                            const std::vector<std::vector<bool>>& functions,
                                            const backends::Options& how, const Keeping& keeping, bool better) {
  const backends::Interface& library = jit::codegenLibrary();
  std::vector<Part> parts = makeParts(functions, how, [&](const backends::Options& o, Part& part) {
    void* rest = nullptr;
    library.begin(module, o, part.result, rest);
    part.rest = std::shared_ptr<void>(rest, library.discard);
  });
  const std::vector<std::string> objects = objectsOf(parts);
  const std::size_t count = module.functions.size();
  auto compiled = std::make_unique<CompiledModule>(count, objects, false, options.link);
  if (std::none_of(parts.begin(), parts.end(), [](const Part& p) { return p.rest != nullptr; })) {
    keeping.store(objects);
  } else if (better) {
    compiled->improve([&library, count, keeping, parts = std::move(parts), link = options.link]() mutable {
      atOnce(parts.size(), [&](std::size_t k) {
        Part& part = parts[k];
        if (part.rest == nullptr) return; // there is no better one
        library.finish(part.rest.get(), part.result);
        part.rest.reset();
      });
      const std::vector<std::string> best = objectsOf(parts);
      keeping.store(best);
      return load(count, best, link);
    });
  }
  return compiled;
}

std::unique_ptr<CompiledModule> make(const tape::Module& module, const CompileOptions& options) {
  const bool useCache = options.useCache && !options.keepIr && options.tiers != Tiers::Quick;
  const Keeping keeping{jit::Cache(options.cacheDirectory), useCache ? jit::cacheKey(module, options) : jit::Digest{},
                        useCache};
  if (useCache)
    if (auto found = fromCache(module.functions.size(), keeping.cache, keeping.key, options.link)) return found;
  const backends::Options how{options.optimization, options.contract, options.keepIr,
                              &budgetIsSpent,       options.lanes,    options.tiers == Tiers::Quick};
  // A listing is of all functions; code in lanes is long in one of them alone.
  const bool whole = options.keepIr || options.lanes > 0;
  const std::size_t threads = options.threads > 0 ? static_cast<std::size_t>(options.threads) : codeThreads();
  const std::vector<std::vector<bool>> functions = partsOf(module, whole ? 1 : threads);
  if (options.tiers != Tiers::Optimised && !whole)
    return makeQuickly(module, options, functions, how, keeping, options.tiers == Tiers::QuickFirst);
  std::vector<Part> parts = makeParts(functions, how, [&](const backends::Options& o, Part& part) {
    jit::codegenLibrary().generate(module, o, part.result);
  });
  const std::vector<std::string> objects = objectsOf(parts);
  auto compiled = std::make_unique<CompiledModule>(module.functions.size(), objects, false, options.link);
  keeping.store(objects);
  compiled->irText = std::move(parts.front().result.ir);
  compiled->assemblyText = std::move(parts.front().result.assembly);
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
      bringInHeap();
      tape::Module nothing; // to compile it takes all that is done once: tables, descriptions of the processor, passes
      nothing.functions.emplace_back();
      nothing.functions[0].blocks.emplace_back();
      backends::Result ignored;
      const CompileOptions usual;
      void* rest = nullptr;
      jit::codegenLibrary().begin(nothing, {usual.optimization, usual.contract, false, nullptr, 0, true}, ignored,
                                  rest);
      jit::codegenLibrary().discard(rest);
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
  compiled->seconds = secondsSince(start);
  return compiled;
}

} // namespace lmc::jit
