// What makes steps of several trajectories of one problem at once: the lanes of this processor, or a device.
#pragma once

#include "runtime/contract/HandedBack.h"
#include "runtime/contract/Problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lmc::runtime {

/// Memory of as many trajectories as there are lanes, and calls of the functions of their problem, in one thread.
///
/// A lane whose status is not 0 takes no part. The problem must outlive the machine. Numbers of the lanes stand number
/// by number: number k of lane l at k*lanes + l.
class LaneMachine {
public:
  explicit LaneMachine(int lanes)
      : status(static_cast<std::size_t>(lanes), 0), done(static_cast<std::size_t>(lanes), 0) {}
  virtual ~LaneMachine() = default;
  LaneMachine(const LaneMachine&) = delete;
  LaneMachine& operator=(const LaneMachine&) = delete;

  [[nodiscard]] int lanes() const { return static_cast<int>(status.size()); }
  /// Puts parameters (with the tolerances of adaptive steps behind them) and a state into a lane.
  virtual void load(int lane, std::span<const double> params, std::span<const double> state) = 0;
  /// Gives a lane that takes no part numbers that are as good as any: those of another one.
  virtual void copyLane(int from, int to) = 0;

  /// Constants of all lanes from their parameters.
  virtual void setup() = 0;
  /// Calls a function with the argument t; none: does nothing.
  virtual void evaluate(int function, std::span<const double> times) = 0;
  /// Steps first, …, first + n - 1 of length h, of which step k begins at t0 + k*h; `done` as of Compiled::LaneAdvance.
  virtual void advance(double t0, double h, std::int64_t first, std::int64_t n) = 0;
  /// A function with arguments t and h, one of each per lane.
  virtual void call(int function, std::span<const double> t, std::span<const double> h) = 0;
  /// Operations of all lanes between two looks at whether to stop: some hundredths of a second.
  [[nodiscard]] virtual double patience() const = 0;

  /// `count` numbers of a role from `offset` on, of all lanes; valid until a function is called.
  [[nodiscard]] virtual const double* numbers(Role role, std::int64_t offset, std::int64_t count) = 0;
  /// Reads the columns of a lane. What is not a number is the same one, whatever made it.
  virtual void columns(int lane, std::span<double> out) = 0;
  /// Reads what stands first in the memory of a role.
  void read(Role role, int lane, std::span<double> out);
  /// Whether the state of a lane is finite.
  [[nodiscard]] virtual bool finite(int lane) = 0;

  /// States of all lanes are kept in one of two places, and put back from there: all, or those of the wanted lanes.
  enum class Kept : std::uint8_t { Before, After };
  virtual void keep(Kept place) = 0;
  virtual void restore(Kept place) = 0;
  virtual void restore(Kept place, const std::vector<bool>& wanted) = 0;

  std::vector<std::int32_t> status; ///< one per lane
  std::vector<std::int64_t> done;   ///< one per lane
};

} // namespace lmc::runtime
