#include "runtime/ensemble/Order.h"

#include <algorithm>

namespace lmc::runtime {

namespace {

/// What may wait for an earlier block, in bytes.
constexpr double waitingBytes = 256e6;
/// Blocks that may wait where they are small.
constexpr double mostWaiting = 65536;

} // namespace

BlockOrder::BlockOrder(const EnsembleShape& shape, int makers, EnsembleSink* sink)
    : blocks_(shape.blocks()), sink_(sink) {
  const double room = std::clamp(waitingBytes / std::max(1.0, shape.blockBytes()), 1.0, mostWaiting);
  ahead_ = std::max<std::int64_t>(2 * static_cast<std::int64_t>(makers), static_cast<std::int64_t>(room));
}

std::optional<std::int64_t> BlockOrder::take() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return stopped_ || taken_ >= blocks_ || taken_ < next_ + ahead_; });
  if (stopped_ || taken_ >= blocks_) return std::nullopt;
  return taken_++;
}

std::optional<std::int64_t> BlockOrder::tryTake() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || taken_ >= blocks_ || taken_ >= next_ + ahead_) return std::nullopt;
  return taken_++;
}

void BlockOrder::put(std::unique_ptr<EnsembleBlock> block) {
  const std::lock_guard passing(passing_);
  const std::int64_t index = block->index;
  waiting_[index] = std::move(block);
  std::int64_t next = next_; // changed here alone
  for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next; it = waiting_.erase(it), ++next) {
    if (sink_ != nullptr) sink_->take(*it->second);
    result_.add(*it->second);
  }
  {
    const std::lock_guard lock(mutex_);
    next_ = next;
  }
  room_.notify_all();
}

void BlockOrder::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  room_.notify_all();
}

bool BlockOrder::complete() const {
  const std::lock_guard lock(mutex_);
  return next_ == blocks_;
}

std::int64_t BlockOrder::left() const {
  const std::lock_guard lock(mutex_);
  return blocks_ - taken_;
}

EnsembleResult BlockOrder::counted() const {
  const std::lock_guard lock(passing_);
  return result_;
}

} // namespace lmc::runtime
