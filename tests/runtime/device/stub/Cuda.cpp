// A driver of a graphics processor that there is not: the functions of libcuda that lmc calls. Its device is this
// machine, which carries out PTX (Ptx.h). Variables say how it behaves:
//
//   LMC_STUB_CUDA_FAIL=cuMemAlloc_v2:3   the third call of this function, and all that follow, fail
//   LMC_STUB_CUDA_REPORT=FILE            at its end it writes what was not given back, and how often each was called
//   LMC_STUB_CUDA_DEVICES, _CAPABILITY, _RATIO, _MEMORY, _PROCESSORS: numbers of the device
#include "Ptx.h"

#include "runtime/device/Driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <shared_mutex>

namespace lmc::runtime::cuda {
struct ContextOf {};
struct ModuleOf {
  std::map<std::string, stub::Kernel> kernels;
  std::string log;
};
struct FunctionOf : stub::Kernel {};
struct StreamOf {
  std::string trouble; ///< of what was launched: told by whoever waits
};
} // namespace lmc::runtime::cuda

using namespace lmc::runtime::cuda;

namespace {

constexpr Result invalidValue = 1, outOfMemory = 2, invalidPtx = 218, notFound = 500, illegalAddress = 700,
                 unknown = 999;

long setting(const char* name, long usual) {
  const char* const text = std::getenv((std::string("LMC_STUB_CUDA_") + name).c_str());
  return text == nullptr ? usual : std::atol(text);
}

struct State {
  std::shared_mutex mutex;
  std::map<std::uint64_t, std::size_t> allocations;
  std::size_t used = 0;
  long contexts = 0, modules = 0, streams = 0;
  std::map<std::string, long> calls;
  ContextOf context;

  ~State() {
    const char* const file = std::getenv("LMC_STUB_CUDA_REPORT");
    if (file == nullptr) return;
    std::FILE* const out = std::fopen(file, "w");
    if (out == nullptr) return;
    std::fprintf(out, "allocations %zu\ncontexts %ld\nmodules %ld\nstreams %ld\n", allocations.size(), contexts,
                 modules, streams);
    for (const auto& [name, count] : calls) std::fprintf(out, "%s %ld\n", name.c_str(), count);
    std::fclose(out);
  }
};

State& state() {
  static State s;
  return s;
}

/// Counts a call; true: it is to fail.
bool fails(const char* name) {
  State& s = state();
  long count = 0;
  {
    const std::unique_lock lock(s.mutex);
    count = ++s.calls[name];
  }
  const char* const wish = std::getenv("LMC_STUB_CUDA_FAIL");
  if (wish == nullptr) return false;
  const std::string text = wish;
  const std::size_t colon = text.find(':');
  return text.substr(0, colon) == name &&
         count >= (colon == std::string::npos ? 1 : std::atol(text.c_str() + colon + 1));
}

/// Where so many bytes of one allocation are.
bool allowed(std::uint64_t address, std::size_t bytes) {
  State& s = state();
  const std::shared_lock lock(s.mutex);
  auto next = s.allocations.upper_bound(address);
  if (next == s.allocations.begin()) return false;
  --next;
  return address + bytes <= next->first + next->second;
}

/// The same for one launch: allocations of before, without a lock.
class Memory {
public:
  Memory() {
    State& s = state();
    const std::shared_lock lock(s.mutex);
    pieces_.assign(s.allocations.begin(), s.allocations.end());
  }
  bool operator()(std::uint64_t address, std::size_t bytes) const {
    const auto fits = [&](const auto& p) { return address >= p.first && address + bytes <= p.first + p.second; };
    if (last_ < pieces_.size() && fits(pieces_[last_])) return true;
    const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), address,
                                       [](std::uint64_t a, const auto& p) { return a < p.first; });
    if (next == pieces_.begin() || !fits(*(next - 1))) return false;
    last_ = static_cast<std::size_t>(next - 1 - pieces_.begin());
    return true;
  }

private:
  std::vector<std::pair<std::uint64_t, std::size_t>> pieces_;
  mutable std::size_t last_ = 0;
};

Result copy(std::uint64_t device, std::size_t bytes, const void* from, void* to, StreamOf* stream) {
  if (!allowed(device, bytes)) return invalidValue;
  if (stream != nullptr && !stream->trouble.empty()) return illegalAddress;
  std::memmove(to, from, bytes);
  return 0;
}

} // namespace

#define LMC_SHOWN __attribute__((visibility("default")))
#define LMC_COUNTED                                                                                                    \
  if (fails(__func__)) return unknown

extern "C" LMC_SHOWN Result cuInit(unsigned) {
  LMC_COUNTED;
  return 0;
}
extern "C" LMC_SHOWN Result cuDriverGetVersion(int* version) {
  LMC_COUNTED;
  *version = 12040;
  return 0;
}
extern "C" LMC_SHOWN Result cuGetErrorName(Result error, const char** text) {
  LMC_COUNTED;

  *text = error == outOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == illegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == invalidPtx     ? "CUDA_ERROR_INVALID_PTX"
                                    : "CUDA_ERROR_UNKNOWN";
  return 0;
}
extern "C" LMC_SHOWN Result cuGetErrorString(Result error, const char** text) {
  LMC_COUNTED;

  *text = error == outOfMemory      ? "out of memory"
          : error == illegalAddress ? "an illegal memory access was encountered"
          : error == invalidPtx     ? "a PTX JIT compilation failed"
                                    : "unknown error";
  return 0;
}
extern "C" LMC_SHOWN Result cuDeviceGetCount(int* count) {
  LMC_COUNTED;
  *count = static_cast<int>(setting("DEVICES", 1));
  return 0;
}
extern "C" LMC_SHOWN Result cuDeviceGet(DeviceNumber* device, int) {
  LMC_COUNTED;
  *device = 0;
  return 0;
}
extern "C" LMC_SHOWN Result cuDeviceGetName(char* name, int length, DeviceNumber) {
  LMC_COUNTED;

  std::snprintf(name, static_cast<std::size_t>(length), "stub");
  return 0;
}
extern "C" LMC_SHOWN Result cuDeviceGetAttribute(int* value, int which, DeviceNumber) {
  LMC_COUNTED;

  *value = static_cast<int>(which == capabilityMajor   ? setting("CAPABILITY", 9)
                            : which == multiprocessors ? setting("PROCESSORS", 1)
                            : which == singleToDouble  ? setting("RATIO", 2)
                                                       : 0);
  return 0;
}
extern "C" LMC_SHOWN Result cuDevicePrimaryCtxRetain(Context* context, DeviceNumber) {
  LMC_COUNTED;

  *context = &state().context;
  const std::unique_lock lock(state().mutex);
  ++state().contexts;
  return 0;
}
extern "C" LMC_SHOWN Result cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  LMC_COUNTED;
  const std::unique_lock lock(state().mutex);
  --state().contexts;
  return 0;
}
extern "C" LMC_SHOWN Result cuCtxSetCurrent(Context) {
  LMC_COUNTED;
  return 0;
}
extern "C" LMC_SHOWN Result cuMemGetInfo_v2(std::size_t* available, std::size_t* total) {
  LMC_COUNTED;

  const std::shared_lock lock(state().mutex);
  *total = static_cast<std::size_t>(setting("MEMORY", 1L << 30));
  *available = *total - std::min(*total, state().used);
  return 0;
}
extern "C" LMC_SHOWN Result cuModuleLoadDataEx(Module* module, const void* image, unsigned options, int* names,
                                               void** values) {
  LMC_COUNTED;

  auto made = std::make_unique<ModuleOf>();
  try {
    made->kernels = lmc::stub::readPtx(static_cast<const char*>(image));
  } catch (const lmc::stub::PtxError& error) {
    for (unsigned k = 0; k + 1 < options; ++k)
      if (names[k] == errorLog)
        std::snprintf(static_cast<char*>(values[k]), reinterpret_cast<std::size_t>(values[k + 1]), "%s", error.what());
    return invalidPtx;
  }
  *module = made.release();
  const std::unique_lock lock(state().mutex);
  ++state().modules;
  return 0;
}
extern "C" LMC_SHOWN Result cuModuleUnload(Module module) {
  LMC_COUNTED;
  delete module;
  const std::unique_lock lock(state().mutex);
  --state().modules;
  return 0;
}
extern "C" LMC_SHOWN Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  LMC_COUNTED;

  const auto found = module->kernels.find(name);
  if (found == module->kernels.end()) return notFound;
  *function = reinterpret_cast<Function>(&found->second);
  return 0;
}
extern "C" LMC_SHOWN Result cuFuncGetAttribute(int* value, int which, Function function) {
  LMC_COUNTED;

  const auto* const kernel = reinterpret_cast<const lmc::stub::Kernel*>(function);
  *value =
      static_cast<int>(which == functionRegisters ? std::min<std::uint32_t>(kernel->slots, 255) : kernel->localBytes);
  return 0;
}
extern "C" LMC_SHOWN Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  LMC_COUNTED;

  const std::unique_lock lock(state().mutex);
  if (state().used + bytes > static_cast<std::size_t>(setting("MEMORY", 1L << 30))) return outOfMemory;
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return outOfMemory;
  *address = reinterpret_cast<std::uint64_t>(memory);
  state().allocations[*address] = bytes;
  state().used += bytes;
  return 0;
}
extern "C" LMC_SHOWN Result cuMemFree_v2(Address address) {
  LMC_COUNTED;

  const std::unique_lock lock(state().mutex);
  const auto found = state().allocations.find(address);
  if (found == state().allocations.end()) return invalidValue;
  state().used -= found->second;
  state().allocations.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
extern "C" LMC_SHOWN Result cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, Stream) {
  LMC_COUNTED;

  if (!allowed(to, bytes)) return invalidValue;
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return 0;
}
extern "C" LMC_SHOWN Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream stream) {
  LMC_COUNTED;

  return copy(to, bytes, from, reinterpret_cast<void*>(to), stream);
}
extern "C" LMC_SHOWN Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream stream) {
  LMC_COUNTED;

  return copy(from, bytes, reinterpret_cast<const void*>(from), to, stream);
}
extern "C" LMC_SHOWN Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream stream) {
  LMC_COUNTED;

  if (!allowed(from, bytes)) return invalidValue;
  return copy(to, bytes, reinterpret_cast<const void*>(from), reinterpret_cast<void*>(to), stream);
}
extern "C" LMC_SHOWN Result cuStreamCreate(Stream* stream, unsigned) {
  LMC_COUNTED;
  *stream = new StreamOf;
  const std::unique_lock lock(state().mutex);
  ++state().streams;
  return 0;
}
extern "C" LMC_SHOWN Result cuStreamDestroy_v2(Stream stream) {
  LMC_COUNTED;
  delete stream;
  const std::unique_lock lock(state().mutex);
  --state().streams;
  return 0;
}
extern "C" LMC_SHOWN Result cuStreamSynchronize(Stream stream) {
  LMC_COUNTED;
  return stream->trouble.empty() ? 0 : illegalAddress;
}
extern "C" LMC_SHOWN Result cuLaunchKernel(Function function, unsigned blocks, unsigned, unsigned, unsigned threads,
                                           unsigned, unsigned, unsigned, Stream stream, void** parameters, void**) {
  LMC_COUNTED;

  const Memory memory;
  try {
    lmc::stub::launch(*reinterpret_cast<const lmc::stub::Kernel*>(function), blocks, threads, parameters,
                      std::ref(memory));
  } catch (const lmc::stub::PtxError& error) {
    stream->trouble = error.what();
  }
  return 0;
}
