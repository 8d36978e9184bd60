// The states of a run at its samples, kept, and those of other runs of the same motion beside them.
#pragma once

#include "runtime/output/PassingSink.h"
#include "runtime/run/Run.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lmc::runtime {

/// States at the samples of a run, in the coordinates in which they are stored, and what has happened.
struct Trajectory {
  std::vector<Entry> entries;     ///< a number of the state each
  std::vector<double> times;      ///< not decreasing: resets have samples before and behind them
  std::vector<double> numbers;    ///< entries.size() a sample
  std::vector<EventFound> events; ///< by time; the one that ended the run is the last
  double end = 0;                 ///< the time that was reached

  [[nodiscard]] std::span<const double> at(std::size_t sample) const {
    return std::span(numbers).subspan(sample * entries.size(), entries.size());
  }
};

/// Numbers that are kept of a run at most: half a gigabyte.
inline constexpr double trajectoryLimit = 64e6;

/// The numbers of the state that a run writes out.
[[nodiscard]] std::vector<Entry> stateEntries(const Problem& problem);

/// Keeps the samples of a run, and passes them on.
class TrajectoryKeeper final : public PassingSink {
public:
  /// `next` may be null.
  TrajectoryKeeper(std::vector<Entry> entries, Sink* next);
  void begin(const std::vector<Entry>& columns) override;
  void sample(double t, std::span<const double> values) override;

  /// The run has all the numbers that are wanted, and no more than the limit.
  [[nodiscard]] bool complete() const { return complete_; }
  /// Of the run with this result; the keeper is empty then.
  [[nodiscard]] Trajectory take(const RunResult& result);

private:
  Trajectory kept_;
  std::vector<std::size_t> columns_;
  bool complete_ = true;
};

/// For each sample of `run` that of `other` at the same time, or -1. Of samples at one time the last ones belong
/// together, or all, where both have as many.
[[nodiscard]] std::vector<std::ptrdiff_t> partners(const Trajectory& run, const Trajectory& other);

} // namespace lmc::runtime
