#include "runtime/device/Device.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

/// Code is for devices from here on (backends/llvm/Target.h).
constexpr int leastMajor = 7;

std::string versionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

} // namespace

std::shared_ptr<const Device> Device::open() {
  std::shared_ptr<Device> device(new Device);
  device->load();
  device->choose();
  return device;
}

void Device::load() {
  for (const char* name : {"libcuda.so.1", "libcuda.so"})
    if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw DeviceError("there is no driver of a graphics processor: libcuda.so.1 is not found");
#define LMC_CUDA(member, symbol, parameters)                                                                           \
  driver_.member = reinterpret_cast<decltype(driver_.member)>(dlsym(library_, #symbol));                               \
  if (driver_.member == nullptr)                                                                                       \
    throw DeviceError("the driver of the graphics processor is too old: it has no " #symbol);
  LMC_CUDA_FUNCTIONS
#undef LMC_CUDA
}

void Device::choose() {
  check(driver_.init(0), "cuInit");
  check(driver_.version(&version_), "cuDriverGetVersion");
  int count = 0;
  check(driver_.count(&count), "cuDeviceGetCount");
  if (count < 1)
    throw DeviceError("the driver of the graphics processor (CUDA " + versionText(version_) + ") sees none");
  check(driver_.device(&number_, 0), "cuDeviceGet");
  std::array<char, 128> name{};
  check(driver_.name(name.data(), static_cast<int>(name.size()) - 1, number_), "cuDeviceGetName");
  name_ = name.data();
  major_ = attribute(cuda::capabilityMajor);
  minor_ = attribute(cuda::capabilityMinor);
  multiprocessors_ = attribute(cuda::multiprocessors);
  singleToDouble_ = attribute(cuda::singleToDouble);
  if (major_ < leastMajor)
    throw DeviceError(
        fmt::format("`{}` has compute capability {}, and {}.0 is needed", name_, capability(), leastMajor));
  check(driver_.retain(&context_, number_), "cuDevicePrimaryCtxRetain");
}

Device::~Device() {
  if (context_ != nullptr) (void)driver_.release(number_);
  if (library_ != nullptr) dlclose(library_);
}

int Device::attribute(int which) const {
  int value = 0;
  check(driver_.attribute(&value, which, number_), "cuDeviceGetAttribute");
  return value;
}

std::string Device::capability() const {
  return fmt::format("{}.{}", major_, minor_);
}

std::string Device::driverVersion() const {
  return versionText(version_);
}

std::size_t Device::freeMemory() const {
  use();
  std::size_t available = 0, total = 0;
  check(driver_.memory(&available, &total), "cuMemGetInfo");
  return available;
}

void Device::use() const {
  check(driver_.setCurrent(context_), "cuCtxSetCurrent");
}

void Device::check(cuda::Result result, const char* call) const {
  if (result == 0) return;
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver_.errorName(result, &name) != 0 || name == nullptr) name = "an unknown error";
  if (driver_.errorText(result, &text) != 0 || text == nullptr) text = "no explanation";
  throw DeviceError(fmt::format("the driver of the graphics processor{} fails: {}: {} ({})",
                                version_ > 0 ? " (CUDA " + versionText(version_) + ")" : std::string(), call, text,
                                name));
}

DeviceProgram::DeviceProgram(std::shared_ptr<const Device> device, const std::string& ptx)
    : device_(std::move(device)) {
  device_->use();
  constexpr std::size_t room = 4096;
  std::array<char, room> log{};
  std::array<int, 2> names = {cuda::errorLog, cuda::errorLogBytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(room - 1)};
  const cuda::Result result =
      device_->driver().load(&module_, ptx.c_str(), static_cast<unsigned>(names.size()), names.data(), values.data());
  try {
    device_->check(result, "cuModuleLoadDataEx");
  } catch (const DeviceError& error) {
    if (log[0] == '\0') throw;
    throw DeviceError(std::string(error.what()) + "; it says: " + log.data());
  }
}

DeviceProgram::~DeviceProgram() {
  if (device_->driver().setCurrent != nullptr && module_ != nullptr) {
    try {
      device_->use();
    } catch (const DeviceError&) {
      return; // the device is lost, and its memory with it
    }
    (void)device_->driver().unload(module_);
  }
}

cuda::Function DeviceProgram::kernel(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  cuda::Function& found = kernels_[name];
  if (found == nullptr)
    device_->check(device_->driver().function(&found, module_, name.c_str()), "cuModuleGetFunction");
  return found;
}

DeviceProgram::Needs DeviceProgram::needs(const std::string& name) const {
  Needs needs;
  const cuda::Function f = kernel(name);
  device_->use();
  device_->check(device_->driver().functionAttribute(&needs.registers, cuda::functionRegisters, f),
                 "cuFuncGetAttribute");
  device_->check(device_->driver().functionAttribute(&needs.localBytes, cuda::functionLocalBytes, f),
                 "cuFuncGetAttribute");
  return needs;
}

} // namespace lmc::runtime
