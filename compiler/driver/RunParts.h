// What commands that run models share.
#pragma once

#include "driver/CommandLine.h"
#include "driver/Pipeline.h"

#include <array>
#include <csignal>

namespace lmc::tool {

/// The signal that asked the run to stop, or 0.
[[nodiscard]] int stopSignal();

/// While it lives, a first interrupt ends the run cleanly; a second one ends the process.
class StopOnSignal {
public:
  StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();

private:
  static constexpr std::array<int, 2> signals = {SIGINT, SIGTERM};
  std::array<struct sigaction, 2> before_{};
};

/// Refuses output files that no writer exists for, before anything is compiled. Throws UsageError.
void checkOutputFormat(const Invocation& call);

/// What a file says about its run: all texts that the model was made from, those of the library included.
[[nodiscard]] RunDescription description(const Sources& sources, const Problem& problem);

} // namespace lmc::tool
