// Lanes on a device: one thread of it is a trajectory.
#pragma once

#include "runtime/contract/LaneMachine.h"
#include "runtime/device/Device.h"

#include <array>

namespace lmc::runtime {

/// How many lanes, and how many blocks of samples, one of `threads` threads has on a device.
struct DeviceShare {
  int lanes = 0;
  std::int64_t blocks = 1;
};
/// Lanes fill the device twice, as far as its free memory, of which `threads` threads have three quarters, and the
/// samples reach. A thread takes as many blocks as fill its lanes, four times as many where lanes are refilled
/// (adaptive steps), and rows of half a gigabyte at most. `rowBytes`: of all rows of a sample. Throws DeviceError where
/// not even one block fits.
[[nodiscard]] DeviceShare shareOf(const Device& device, const Problem& problem, std::int64_t samples,
                                  std::int64_t block, double rowBytes, int threads);

/// What all lanes have in common is in the program. A lane that needs what the processor alone has gets the status
/// HandedBack. Calls throw DeviceError.
class DeviceLanes final : public LaneMachine {
public:
  DeviceLanes(std::shared_ptr<const DeviceProgram> program, const Problem& problem, int lanes);
  ~DeviceLanes() override;

  void load(int lane, std::span<const double> params, std::span<const double> state) override;
  void copyLane(int, int) override {} // a lane that takes no part computes nothing
  void setup() override;
  void evaluate(int function, std::span<const double> times) override;
  void advance(double t0, double h, std::int64_t first, std::int64_t n) override;
  void call(int function, std::span<const double> t, std::span<const double> h) override;
  /// Some hundredths of a second of a small device, if that makes 10^11 operations a second.
  [[nodiscard]] double patience() const override { return 5e9; }
  [[nodiscard]] const double* numbers(Role role, std::int64_t offset, std::int64_t count) override;
  void columns(int lane, std::span<double> out) override;
  [[nodiscard]] bool finite(int lane) override;
  void keep(Kept place) override;
  void restore(Kept place) override;
  void restore(Kept place, const std::vector<bool>& wanted) override;

private:
  /// Memory of the device.
  struct Array {
    cuda::Address address = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Array make(std::size_t bytes);
  void free();
  void upload(const Array& to, const void* from, std::size_t bytes, std::size_t at = 0);
  void download(void* to, const Array& from, std::size_t bytes, std::size_t at = 0);
  void copyStates(const Array& to, const Array& from);
  /// Brings what was loaded to the device.
  void push();
  /// Statuses of the lanes to the device, or back.
  void pushStatuses(const std::vector<std::int32_t>& from);
  void pullStatuses(std::vector<std::int32_t>& to);
  void callFunction(int function);
  /// Starts a kernel with a thread a lane; `parameters` are addresses of its arguments.
  void launch(const std::string& kernel, std::vector<void*> parameters);
  /// What was read from the device is of before.
  void forget();

  [[nodiscard]] std::size_t row() const { return lanes_ * sizeof(double); }
  [[nodiscard]] static std::size_t index(Role role) { return static_cast<std::size_t>(role); }

  std::shared_ptr<const DeviceProgram> program_;
  const Problem& problem_;
  std::size_t lanes_, stateSize_;
  cuda::Stream stream_ = nullptr;
  std::array<Array, roleCount> roles_{};
  Array arguments_, statuses_, done_;
  std::array<Array, 2> kept_{};
  Array loaded_; ///< states that are loaded into single lanes

  std::vector<double> params_, states_; ///< as they were loaded
  std::vector<bool> fresh_;             ///< lanes that were loaded, and not pushed
  bool anyFresh_ = false;
  std::array<std::vector<double>, roleCount> read_; ///< numbers that were read,
  std::array<std::vector<bool>, roleCount> known_;  ///< those of which are of now
  std::vector<std::int32_t> finite_;                ///< statuses of lmc_finite; empty: not known
  std::vector<Column> columns_;
  std::vector<double> staged_;    ///< arguments
  std::int64_t evaluations_ = -1; ///< offset in Output of those in iterations; -1: they are not counted
};

} // namespace lmc::runtime
