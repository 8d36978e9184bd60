#include "runtime/run/Progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

using namespace std::chrono_literals;
constexpr auto patience = 500ms;
constexpr auto interval = 100ms;

std::string timeLeft(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

} // namespace

std::string progressLine(double fraction, double t, double elapsedSeconds) {
  return progressLine(fraction, fmt::format("t = {:.4g}", t), elapsedSeconds);
}

std::string progressLine(double fraction, const std::string& where, double elapsedSeconds) {
  constexpr int width = 30;
  const double part = std::clamp(fraction, 0.0, 1.0);
  const int full = static_cast<int>(part * width);
  std::string text = fmt::format("[{}{}] {:3.0f}%  {}", std::string(static_cast<std::size_t>(full), '#'),
                                 std::string(static_cast<std::size_t>(width - full), ' '), 100 * part, where);
  if (part > 0) text += "  " + timeLeft(elapsedSeconds * (1 - part) / part);
  return text;
}

ProgressBar::ProgressBar(double from, double to, bool visible, std::function<bool()> keepGoing)
    : from_(from), to_(to), visible_(visible), keepGoing_(std::move(keepGoing)), next_(begin_ + patience) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

bool ProgressBar::reached(double t) {
  if (keepGoing_ && !keepGoing_()) return false;
  if (!visible_) return true;
  const Clock::time_point now = Clock::now();
  if (now < next_) return true;
  next_ = now + interval;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  std::fputs(("\r\033[K" + progressLine((t - from_) / (to_ - from_), t, elapsed)).c_str(), stderr);
  std::fflush(stderr);
  return true;
}

} // namespace lmc::runtime
