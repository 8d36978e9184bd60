// A graphics processor: what it is, and code that is loaded into it.
#pragma once

#include "runtime/device/Driver.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace lmc::runtime {

/// A device that is not there, or that fails; `what()` is a sentence without a full stop.
class DeviceError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The first device of this machine.
class Device {
public:
  /// Opens the driver and the device. Throws DeviceError: there is no driver, no device, one that is too old, or a call
  /// of the driver fails.
  [[nodiscard]] static std::shared_ptr<const Device> open();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// "9.0"
  [[nodiscard]] std::string capability() const;
  /// That of the driver, "13.0".
  [[nodiscard]] std::string driverVersion() const;
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  /// How many times slower numbers of 64 bits are than those of 32; 2 on devices made for them.
  [[nodiscard]] int singleToDouble() const { return singleToDouble_; }
  /// Bytes that can be had now.
  [[nodiscard]] std::size_t freeMemory() const;

  [[nodiscard]] const cuda::Driver& driver() const { return driver_; }
  /// Makes the device that of the calling thread.
  void use() const;
  /// Throws DeviceError for a result that is not 0.
  void check(cuda::Result result, const char* call) const;

private:
  Device() = default;
  void load();
  void choose();
  [[nodiscard]] int attribute(int which) const;

  void* library_ = nullptr;
  cuda::Driver driver_;
  cuda::DeviceNumber number_ = 0;
  cuda::Context context_ = nullptr;
  std::string name_;
  int version_ = 0, major_ = 0, minor_ = 0, multiprocessors_ = 0, singleToDouble_ = 0;
};

/// The kernels of a problem in a device. May be used from any thread.
class DeviceProgram {
public:
  /// Loads PTX (backends/llvm/nvptx/DeviceEmitter.h). Throws DeviceError, with what the driver says of the code.
  DeviceProgram(std::shared_ptr<const Device> device, const std::string& ptx);
  ~DeviceProgram();
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  [[nodiscard]] const Device& device() const { return *device_; }
  /// A kernel by its name.
  [[nodiscard]] cuda::Function kernel(const std::string& name) const;
  /// Registers of a thread, and bytes that it keeps in memory for want of them and for its arrays.
  struct Needs {
    int registers = 0, localBytes = 0;
  };
  [[nodiscard]] Needs needs(const std::string& kernel) const;

private:
  std::shared_ptr<const Device> device_;
  cuda::Module module_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::map<std::string, cuda::Function> kernels_;
};

} // namespace lmc::runtime
