// What makes the samples of a block, in one thread.
#pragma once

#include "runtime/ensemble/Ensemble.h"

#include <atomic>
#include <span>

namespace lmc::runtime {

/// What the threads of an ensemble share.
struct EnsembleShared {
  const EnsembleProblem& problem;
  const EnsemblePlan& plan;
  std::atomic<bool> stop{false};
  /// Work that is done, in millionths of a sample.
  std::atomic<std::int64_t> work{0};
  void add(double samples) { work += static_cast<std::int64_t>(samples * 1e6); }
};

/// A block while it is made.
struct OpenBlock {
  EnsembleBlock& block;
  std::size_t columns, times;
  /// The row of a sample of the block, counted from 0, at one of the times.
  [[nodiscard]] std::span<double> row(std::int64_t sample, std::size_t time) const {
    return std::span(block.rows).subspan((static_cast<std::size_t>(sample) * times + time) * columns, columns);
  }
  /// The varied numbers of a sample.
  [[nodiscard]] std::span<double> varied(std::int64_t sample) const {
    const std::size_t n = block.varied.size() / static_cast<std::size_t>(block.count);
    return std::span(block.varied).subspan(static_cast<std::size_t>(sample) * n, n);
  }
};

class BlockRunner {
public:
  virtual ~BlockRunner() = default;
  /// Makes all samples; false when it was told to stop. `rows` are NaN and `statuses` 0 at the begin.
  [[nodiscard]] virtual bool run(OpenBlock& block) = 0;
};

/// Fixed steps, adaptive steps (both in lanes), and runs one by one that may be stopped by events.
[[nodiscard]] std::unique_ptr<BlockRunner> fixedLanes(EnsembleShared& shared);
[[nodiscard]] std::unique_ptr<BlockRunner> adaptiveLanes(EnsembleShared& shared);
[[nodiscard]] std::unique_ptr<BlockRunner> singleRuns(EnsembleShared& shared);

} // namespace lmc::runtime
