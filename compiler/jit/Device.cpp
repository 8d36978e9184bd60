#include "jit/Device.h"

#include "base/Budget.h"
#include "jit/Cache.h"
#include "jit/Key.h"
#include "jit/Library.h"

#include <chrono>
#include <stdexcept>

namespace lmc::jit {

namespace {
constexpr int deviceLanes = -1; ///< of keys: no code for a processor has so many
} // namespace

DeviceCode deviceCode(const tape::Module& module, const CompileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  DeviceCode code;
  CompileOptions own = options;
  own.lanes = deviceLanes;
  const Cache cache(options.cacheDirectory);
  const Digest key = options.useCache ? cacheKey(module, own) : Digest{};
  if (options.useCache)
    if (std::optional<std::string> found = cache.find(key)) {
      code.ptx = std::move(*found);
      code.fromCache = true;
    }
  if (!code.fromCache) {
    backends::Result result;
    backends::Options how;
    how.optimization = options.optimization;
    how.contract = options.contract;
    how.stop = &budgetIsSpent;
    how.device = true;
    codegenLibrary().generate(module, how, result);
    checkBudget();
    if (!result.error.empty()) throw std::runtime_error("the code generator failed: " + result.error);
    code.ptx = std::move(result.assembly);
    if (options.useCache) cache.store(key, code.ptx);
  }
  code.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return code;
}

} // namespace lmc::jit
