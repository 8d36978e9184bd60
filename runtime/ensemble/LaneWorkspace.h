// The memory in which one thread runs several trajectories of one problem at once.
#pragma once

#include "runtime/contract/Problem.h"

#include <memory>
#include <span>
#include <vector>

namespace lmc::runtime {

/// Memory behind the base pointers of code for lanes (jit/Compile.h), and calls of its functions.
///
/// A lane whose status is not 0 takes no part. The problem must outlive the workspace.
class LaneWorkspace {
public:
  LaneWorkspace(const Problem& problem, int lanes, std::int64_t scratch);

  [[nodiscard]] int lanes() const { return static_cast<int>(lanes_); }
  /// Puts parameters (with the tolerances of adaptive steps behind them) and a state into a lane.
  void load(int lane, std::span<const double> params, std::span<const double> state);
  /// Makes a lane a copy of another one.
  void copyLane(int from, int to);

  /// Constants of all lanes from their parameters.
  void setup();
  /// Outputs of the states at the lanes' times.
  void observe(std::span<const double> times) { evaluate(problem_->functions.observe, times); }
  /// Calls a function with the argument t; none: does nothing.
  void evaluate(int function, std::span<const double> times);
  /// Steps first, …, first + n - 1 of length h, of which step k begins at t0 + k*h; `done` as of Compiled::LaneAdvance.
  void advance(double t0, double h, std::int64_t first, std::int64_t n);
  /// A function with arguments t and h, one of each per lane.
  void call(int function, std::span<const double> t, std::span<const double> h);

  /// Reads what stands first in the memory of a role.
  void read(Role role, int lane, std::span<double> out) const;
  /// Reads the columns of a lane.
  void columns(int lane, std::span<double> out) const;
  /// A number of Output.
  [[nodiscard]] double output(std::int64_t offset, int lane) const {
    return bases_[static_cast<std::size_t>(Role::Output)]
                 [static_cast<std::size_t>(offset) * lanes_ + static_cast<std::size_t>(lane)];
  }
  /// The states of all lanes, number by number.
  [[nodiscard]] std::span<double> states() {
    return {bases_[static_cast<std::size_t>(Role::State)], stateSize_ * lanes_};
  }
  [[nodiscard]] bool finite(int lane) const;

  std::vector<std::int32_t> status; ///< one per lane
  std::vector<std::int64_t> done;   ///< one per lane

private:
  struct Free {
    void operator()(double* memory) const;
  };
  const Problem* problem_;
  std::size_t lanes_, stateSize_;
  std::unique_ptr<double[], Free> memory_;
  std::array<double*, roleCount> bases_{};
  double* arguments_ = nullptr; ///< two per lane
  std::vector<Column> columns_;
  std::int64_t evaluations_ = -1; ///< offset in Output of those in iterations; -1: they are not counted
};

} // namespace lmc::runtime
