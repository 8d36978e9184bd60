// The driver of NVIDIA's devices, as far as it is used: libcuda, opened at run time. Nothing of it is needed to build.
//
// Types and numbers are those of its public interface, which does not change for programs that are there (CUDA driver
// API, https://docs.nvidia.com/cuda/cuda-driver-api).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lmc::runtime::cuda {

using Result = int; ///< 0: it went well
using DeviceNumber = int;
using Address = std::uint64_t; ///< in the memory of a device
using Context = struct ContextOf*;
using Module = struct ModuleOf*;
using Function = struct FunctionOf*;
using Stream = struct StreamOf*;

// Attributes of devices and functions, options of modules.
inline constexpr int multiprocessors = 16, capabilityMajor = 75, capabilityMinor = 76, singleToDouble = 87;
inline constexpr int functionLocalBytes = 3, functionRegisters = 4;
inline constexpr int errorLog = 5, errorLogBytes = 6;
inline constexpr unsigned nonBlocking = 1; ///< of streams: they do not wait for the default one

// The functions: LMC_CUDA(member, name in the library, parameters)
#define LMC_CUDA_FUNCTIONS                                                                                             \
  LMC_CUDA(init, cuInit, (unsigned flags))                                                                             \
  LMC_CUDA(version, cuDriverGetVersion, (int* version))                                                                \
  LMC_CUDA(errorName, cuGetErrorName, (Result error, const char** text))                                               \
  LMC_CUDA(errorText, cuGetErrorString, (Result error, const char** text))                                             \
  LMC_CUDA(count, cuDeviceGetCount, (int* count))                                                                      \
  LMC_CUDA(device, cuDeviceGet, (DeviceNumber * device, int ordinal))                                                  \
  LMC_CUDA(name, cuDeviceGetName, (char* name, int length, DeviceNumber device))                                       \
  LMC_CUDA(attribute, cuDeviceGetAttribute, (int* value, int attribute, DeviceNumber device))                          \
  LMC_CUDA(retain, cuDevicePrimaryCtxRetain, (Context * context, DeviceNumber device))                                 \
  LMC_CUDA(release, cuDevicePrimaryCtxRelease_v2, (DeviceNumber device))                                               \
  LMC_CUDA(setCurrent, cuCtxSetCurrent, (Context context))                                                             \
  LMC_CUDA(memory, cuMemGetInfo_v2, (std::size_t * available, std::size_t * total))                                    \
  LMC_CUDA(load, cuModuleLoadDataEx,                                                                                   \
           (Module * module, const void* image, unsigned options, int* names, void** values))                          \
  LMC_CUDA(unload, cuModuleUnload, (Module module))                                                                    \
  LMC_CUDA(function, cuModuleGetFunction, (Function * function, Module module, const char* name))                      \
  LMC_CUDA(functionAttribute, cuFuncGetAttribute, (int* value, int attribute, Function function))                      \
  LMC_CUDA(allocate, cuMemAlloc_v2, (Address * address, std::size_t bytes))                                            \
  LMC_CUDA(free, cuMemFree_v2, (Address address))                                                                      \
  LMC_CUDA(clear, cuMemsetD8Async, (Address to, unsigned char value, std::size_t bytes, Stream stream))                \
  LMC_CUDA(upload, cuMemcpyHtoDAsync_v2, (Address to, const void* from, std::size_t bytes, Stream stream))             \
  LMC_CUDA(download, cuMemcpyDtoHAsync_v2, (void* to, Address from, std::size_t bytes, Stream stream))                 \
  LMC_CUDA(copy, cuMemcpyDtoDAsync_v2, (Address to, Address from, std::size_t bytes, Stream stream))                   \
  LMC_CUDA(createStream, cuStreamCreate, (Stream * stream, unsigned flags))                                            \
  LMC_CUDA(destroyStream, cuStreamDestroy_v2, (Stream stream))                                                         \
  LMC_CUDA(wait, cuStreamSynchronize, (Stream stream))                                                                 \
  LMC_CUDA(launch, cuLaunchKernel,                                                                                     \
           (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,       \
            unsigned blockZ, unsigned sharedBytes, Stream stream, void** parameters, void** extra))

/// Pointers to all of them.
struct Driver {
#define LMC_CUDA(member, symbol, parameters) Result(*member) parameters = nullptr;
  LMC_CUDA_FUNCTIONS
#undef LMC_CUDA
};

} // namespace lmc::runtime::cuda
