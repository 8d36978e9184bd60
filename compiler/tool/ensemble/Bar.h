// The progress bar of ensembles.
#pragma once

#include "runtime/run/Progress.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <limits>

namespace lmc::tool {

/// The bar of a long run, and the look at whether somebody wants to stop it.
class EnsembleBar {
public:
  EnsembleBar(const Invocation& call, std::int64_t count)
      : visible_(showsProgress(call)), samples_(count),
        limit_(call[options::maxSeconds].value_or(std::numeric_limits<double>::infinity())) {}
  EnsembleBar(const EnsembleBar&) = delete;
  EnsembleBar& operator=(const EnsembleBar&) = delete;
  ~EnsembleBar() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  bool reached(double part) {
    if (stopSignal() != 0) return false;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (elapsed > limit_) return false; // --max-seconds
    constexpr double patience = 0.5;
    if (!visible_ || elapsed < patience) return true;
    drawn_ = true;
    const std::string where = fmt::format("{:.0f} of {} samples", part * static_cast<double>(samples_), samples_);
    std::fputs(("\r\033[K" + runtime::progressLine(part, where, elapsed)).c_str(), stderr);
    std::fflush(stderr);
    return true;
  }

private:
  bool visible_, drawn_ = false;
  std::int64_t samples_;
  double limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace lmc::tool
