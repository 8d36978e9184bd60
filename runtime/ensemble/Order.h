// Blocks that are finished in any order are passed on in theirs.
#pragma once

#include "runtime/ensemble/Ensemble.h"

#include <condition_variable>
#include <map>
#include <mutex>

namespace lmc::runtime {

/// Hands out the numbers of blocks and takes the blocks back. No block is handed out that is too far ahead of the first
/// one that is missing: what waits for it stays in bounds, however long that one takes. All calls may come from any
/// thread.
class BlockOrder {
public:
  /// `makers`: how many blocks are made at once. The sink may be null.
  BlockOrder(const EnsembleShape& shape, int makers, EnsembleSink* sink);
  /// The next block; waits while it is too far ahead. Nothing: all are handed out, or it was stopped.
  [[nodiscard]] std::optional<std::int64_t> take();
  /// The same without waiting.
  [[nodiscard]] std::optional<std::int64_t> tryTake();
  /// Passes on what is next in order. What the sink throws passes through.
  void put(std::unique_ptr<EnsembleBlock> block);
  void stop();

  /// All blocks were passed on.
  [[nodiscard]] bool complete() const;
  /// Blocks that are not handed out yet.
  [[nodiscard]] std::int64_t left() const;
  /// What was passed on.
  [[nodiscard]] EnsembleResult counted() const;
  /// How far ahead blocks are handed out.
  [[nodiscard]] std::int64_t ahead() const { return ahead_; }

private:
  std::int64_t blocks_, ahead_;
  EnsembleSink* sink_;
  mutable std::mutex mutex_, passing_;
  std::condition_variable room_;
  std::int64_t taken_ = 0, next_ = 0; ///< blocks handed out, passed on
  bool stopped_ = false;
  std::map<std::int64_t, std::unique_ptr<EnsembleBlock>> waiting_; ///< under passing_
  EnsembleResult result_;                                          ///< under passing_
};

} // namespace lmc::runtime
