// A call of the tool, watched: what it needed, how it ended, and what no user may see.
#pragma once

#include <string>
#include <vector>

namespace lmc::fuzz {

/// How a call ended.
struct Ending {
  int status = 0;       ///< of the exit; 128 and the number of the signal when one ended it
  bool stopped = false; ///< by the watch, since it took too long
  double seconds = 0;   ///< of processor time
  double megabytes = 0; ///< the most memory that it held
  std::string out, err; ///< the first 256 kB of each
};

struct WatchLimits {
  double seconds = 10; ///< of processor time
  double megabytes = 2048;
};

/// Runs a program in a folder, with a cache of its own in `cache`. It is ended after twice the seconds of processor
/// time.
[[nodiscard]] Ending watch(const std::vector<std::string>& command, const std::string& folder, const std::string& cache,
                           const WatchLimits& limits);

/// What is wrong with an ending, in a word or two: "signal 11", "status 70", "slow", "memory", "silent",
/// "no place", "internals". Empty: nothing is.
[[nodiscard]] std::string fault(const Ending& ending, const WatchLimits& limits);

} // namespace lmc::fuzz
