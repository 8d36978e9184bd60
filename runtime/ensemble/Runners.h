// What makes the samples of a block, in one thread.
#pragma once

#include "runtime/contract/LaneMachine.h"
#include "runtime/ensemble/Ensemble.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace lmc::runtime {

/// What the threads of an ensemble share.
class EnsembleShared {
public:
  EnsembleShared(const EnsembleProblem& of, const EnsemblePlan& by) : problem(of), plan(by) {}

  const EnsembleProblem& problem;
  const EnsemblePlan& plan;
  std::atomic<bool> stop{false};
  /// Work that is done, in millionths of a sample.
  std::atomic<std::int64_t> work{0};
  /// Samples that a device has handed back, and the lanes of this processor have made.
  std::atomic<std::int64_t> handedBack{0};
  void add(double samples) { work += static_cast<std::int64_t>(samples * 1e6); }

  /// The first of the samples whose failure could be told more of than its status says, and that.
  std::int64_t causeOf = -1;
  std::string cause;
  /// Asks why a sample has failed if it is the first one so far; `why` may return nothing.
  template <class Why> void failed(std::int64_t sample, Why why) {
    const std::lock_guard lock(explaining_);
    if (causeOf >= 0 && causeOf < sample) return;
    std::optional<std::string> text = why();
    causeOf = sample;
    cause = text ? std::move(*text) : std::string();
  }

private:
  std::mutex explaining_;
};

/// Samples of blocks while they are made.
class OpenBatch {
public:
  OpenBatch(std::size_t columns, std::size_t times) : columns_(columns), times_(times) {}
  void add(EnsembleBlock& block) {
    for (std::int64_t k = 0; k < block.count; ++k) add(block, k);
  }
  /// Sample k of a block.
  void add(EnsembleBlock& block, std::int64_t k) { samples_.push_back({&block, static_cast<std::size_t>(k)}); }

  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t times() const { return times_; }
  /// Samples; they are counted from 0 here.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(samples_.size()); }
  [[nodiscard]] EnsembleBlock& block(std::int64_t sample) const { return *at(sample).block; }
  /// Its place in its block.
  [[nodiscard]] std::size_t place(std::int64_t sample) const { return at(sample).k; }
  /// Its number in the ensemble.
  [[nodiscard]] std::int64_t number(std::int64_t sample) const {
    return block(sample).first + static_cast<std::int64_t>(place(sample));
  }
  [[nodiscard]] std::int32_t& status(std::int64_t sample) const { return block(sample).statuses[place(sample)]; }
  [[nodiscard]] double& end(std::int64_t sample) const { return block(sample).ends[place(sample)]; }
  /// The row of a sample at one of the times.
  [[nodiscard]] std::span<double> row(std::int64_t sample, std::size_t time) const {
    return std::span(block(sample).rows).subspan((place(sample) * times_ + time) * columns_, columns_);
  }
  /// The varied numbers of a sample.
  [[nodiscard]] std::span<double> varied(std::int64_t sample) const {
    EnsembleBlock& b = block(sample);
    const std::size_t n = b.varied.size() / static_cast<std::size_t>(b.count);
    return std::span(b.varied).subspan(place(sample) * n, n);
  }

private:
  struct Sample {
    EnsembleBlock* block;
    std::size_t k;
  };
  [[nodiscard]] const Sample& at(std::int64_t sample) const { return samples_[static_cast<std::size_t>(sample)]; }
  std::size_t columns_, times_;
  std::vector<Sample> samples_;
};

class BlockRunner {
public:
  virtual ~BlockRunner() = default;
  /// Makes all samples; false when it was told to stop. `rows` are NaN and `statuses` 0 at the begin.
  [[nodiscard]] virtual bool run(OpenBatch& batch) = 0;
};

/// Fixed steps, adaptive steps (both in lanes of a machine), and runs one by one that may be stopped by events.
[[nodiscard]] std::unique_ptr<BlockRunner> fixedLanes(EnsembleShared& shared, std::unique_ptr<LaneMachine> machine);
[[nodiscard]] std::unique_ptr<BlockRunner> adaptiveLanes(EnsembleShared& shared, std::unique_ptr<LaneMachine> machine);
[[nodiscard]] std::unique_ptr<BlockRunner> singleRuns(EnsembleShared& shared);
/// What the problem wants: on its device, in lanes or one by one.
[[nodiscard]] std::unique_ptr<BlockRunner> runnerOf(EnsembleShared& shared);

} // namespace lmc::runtime
