// The memory in which one thread runs several trajectories of one problem at once, in the lanes of its vectors.
#pragma once

#include "runtime/contract/LaneMachine.h"

#include <array>
#include <memory>

namespace lmc::runtime {

/// Memory behind the base pointers of code for lanes (jit/Compile.h), and calls of its functions.
class LaneWorkspace final : public LaneMachine {
public:
  LaneWorkspace(const Problem& problem, int lanes, std::int64_t scratch);

  void load(int lane, std::span<const double> params, std::span<const double> state) override;
  void copyLane(int from, int to) override;
  void setup() override;
  void evaluate(int function, std::span<const double> times) override;
  void advance(double t0, double h, std::int64_t first, std::int64_t n) override;
  void call(int function, std::span<const double> t, std::span<const double> h) override;
  [[nodiscard]] double patience() const override { return 2e7; }
  [[nodiscard]] const double* numbers(Role role, std::int64_t offset, std::int64_t) override {
    return bases_[static_cast<std::size_t>(role)] + static_cast<std::size_t>(offset) * lanes_;
  }
  void columns(int lane, std::span<double> out) override;
  [[nodiscard]] bool finite(int lane) override;
  void keep(Kept place) override;
  void restore(Kept place) override;
  void restore(Kept place, const std::vector<bool>& wanted) override;

private:
  struct Free {
    void operator()(double* memory) const;
  };
  [[nodiscard]] std::span<double> states() {
    return {bases_[static_cast<std::size_t>(Role::State)], stateSize_ * lanes_};
  }
  const Problem* problem_;
  std::size_t lanes_, stateSize_;
  std::unique_ptr<double[], Free> memory_;
  std::array<double*, roleCount> bases_{};
  double* arguments_ = nullptr; ///< two per lane
  std::vector<Column> columns_;
  std::array<std::vector<double>, 2> kept_; ///< states
  std::int64_t evaluations_ = -1;           ///< offset in Output of those in iterations; -1: they are not counted
};

} // namespace lmc::runtime
