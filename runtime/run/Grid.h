// The times of a run with a fixed step.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lmc::runtime {

/// The grid t0 + k*h, k = 0…steps, whose last member is the end time exactly.
///
/// A step that does not divide the interval shortens the last step. A remainder below a millionth of a step is
/// added to the last step instead of being a step of its own.
class Grid {
public:
  /// Requires t0 < t1, h > 0, all finite, and (t1 - t0)/h small enough to count.
  Grid(double t0, double t1, double h);

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double time(std::int64_t k) const { return k >= steps_ ? t1_ : t0_ + static_cast<double>(k) * h_; }
  [[nodiscard]] double step() const { return h_; }
  [[nodiscard]] double lastStep() const { return last_; }
  [[nodiscard]] double begin() const { return t0_; }
  [[nodiscard]] double end() const { return t1_; }
  /// The last grid index, below `steps()`, whose time is not after t.
  [[nodiscard]] std::int64_t leftOf(double t) const;

private:
  double t0_, t1_, h_, last_;
  std::int64_t steps_;
};

/// The integer nearest to `ratio` when they agree to round-off, else 0. `scale` is the size of the numbers whose
/// quotient it is, measured in units of the divisor.
[[nodiscard]] std::int64_t wholeNumber(double ratio, double scale);

/// True when a and b are the same time to round-off.
[[nodiscard]] bool sameTime(double a, double b);

/// One sample of a run: at a grid point, or a partial step behind it.
struct SamplePoint {
  std::int64_t index = 0; ///< grid index from which the sample is computed
  double partial = 0;     ///< length of the partial step from there; 0: the grid point itself
  double time = 0;
};

/// When a run with a fixed step is sampled: always at its begin and end, in between every n steps or every dt.
class SampleTimes {
public:
  /// Every `stride` steps.
  static SampleTimes everySteps(const Grid& grid, std::int64_t stride);
  /// Every dt; a multiple of the step (to round-off) is a number of whole steps.
  static SampleTimes every(const Grid& grid, double dt);
  /// At the given times, increasing and inside the interval.
  static SampleTimes at(const Grid& grid, std::vector<double> times);

  /// Leaves out the samples at times up to t.
  void skipTo(double t);
  /// The samples after the first one (at the begin); false when there is none left.
  bool next(SamplePoint& point);

private:
  SampleTimes(const Grid& grid, std::int64_t stride, double dt) : grid_(grid), stride_(stride), dt_(dt) {}
  bool nextWhole(SamplePoint& point);
  bool nextPartial(SamplePoint& point);
  bool nextListed(SamplePoint& point);
  [[nodiscard]] SamplePoint pointAt(double t) const;

  Grid grid_;
  std::int64_t stride_; ///< 0: by time
  double dt_;
  std::vector<double> times_; ///< not empty: these
  std::int64_t count_ = 0;    ///< samples so far, the first one apart
  bool ended_ = false;
};

} // namespace lmc::runtime
