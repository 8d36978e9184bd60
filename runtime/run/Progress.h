// The bar that shows how far a long run is.
#pragma once

#include "runtime/run/Run.h"

#include <chrono>
#include <functional>
#include <string>

namespace lmc::runtime {

/// One line of a progress bar: `[#####     ]  50%  t = 0.5  3 s left`. `fraction` is in [0, 1].
[[nodiscard]] std::string progressLine(double fraction, double t, double elapsedSeconds);
/// The same with any text in the place of the time.
[[nodiscard]] std::string progressLine(double fraction, const std::string& where, double elapsedSeconds);

/// Draws the bar on standard error, for runs of more than half a second, ten times a second at most; asks
/// `keepGoing` whether the run goes on.
class ProgressBar final : public Monitor {
public:
  ProgressBar(double from, double to, bool visible, std::function<bool()> keepGoing);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Removes the bar from the terminal.
  ~ProgressBar() override;

  bool reached(double t) override;

private:
  using Clock = std::chrono::steady_clock;
  double from_, to_;
  bool visible_;
  bool drawn_ = false;
  std::function<bool()> keepGoing_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;
};

} // namespace lmc::runtime
