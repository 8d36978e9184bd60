#include "runtime/kernels/Team.h"

#include "runtime/kernels/Kernels.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace lmc::runtime {

using Turn = void (*)(const void*, std::int64_t);

namespace {
/// Looks at a number so often before it sleeps: some ten microseconds, about what it takes to be woken.
constexpr int patience = 2000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <typename T> void await(const std::atomic<T>& x, T old) {
  for (int k = 0; k < patience && x.load(std::memory_order_acquire) == old; ++k) pause();
  while (x.load(std::memory_order_acquire) == old) x.wait(old, std::memory_order_acquire);
}
} // namespace

struct Team::Members {
  explicit Members(int n) : wanted(n - 1) {}
  ~Members() {
    closing = true;
    loop.fetch_add(1, std::memory_order_acq_rel);
    loop.notify_all();
    for (std::thread& t : helpers) t.join();
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  void run(Turn turn_, const void* frame_, std::int64_t count_) {
    start();
    turn = turn_;
    frame = frame_;
    count = count_;
    next.store(0, std::memory_order_relaxed);
    busy.store(static_cast<std::int64_t>(helpers.size()), std::memory_order_relaxed);
    loop.fetch_add(1, std::memory_order_acq_rel);
    loop.notify_all();
    work();
    for (std::int64_t left = busy.load(std::memory_order_acquire); left != 0;
         left = busy.load(std::memory_order_acquire))
      await(busy, left);
  }

  /// Threads that there are, the one that makes the run included.
  int size() {
    start();
    return static_cast<int>(helpers.size()) + 1;
  }

private:
  void start() {
    for (; wanted > 0; --wanted) try {
        helpers.emplace_back([this, seen = loop.load(std::memory_order_relaxed)]() mutable { help(seen); });
      } catch (const std::system_error&) {
        wanted = 1; // those that there are do the work
      }
  }
  void help(std::uint64_t seen) {
    for (;;) {
      await(loop, seen);
      ++seen; // the next loop waits for all helpers
      if (closing) return;
      work();
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
    }
  }
  void work() {
    for (;;) {
      const std::int64_t k = next.fetch_add(1, std::memory_order_relaxed);
      if (k >= count) return;
      turn(frame, k);
    }
  }

  int wanted; ///< helpers that are not started yet
  std::vector<std::thread> helpers;
  bool closing = false;
  Turn turn = nullptr;
  const void* frame = nullptr;
  std::int64_t count = 0;
  std::atomic<std::uint64_t> loop = 0; ///< number of loops so far
  alignas(64) std::atomic<std::int64_t> next = 0;
  alignas(64) std::atomic<std::int64_t> busy = 0;
};

namespace {
thread_local Team::Members* present = nullptr;
}

Team::Team(int threads) : members_(threads > 1 ? new Members(threads) : nullptr), outer_(present) {
  present = members_;
}

Team::~Team() {
  present = outer_;
  delete members_;
}

} // namespace lmc::runtime

void lmc_turns(void (*turn)(const void*, std::int64_t), const void* frame, std::int64_t count) noexcept {
  if (lmc::runtime::present != nullptr) return lmc::runtime::present->run(turn, frame, count);
  for (std::int64_t k = 0; k < count; ++k) turn(frame, k);
}

std::int64_t lmc_near_owners(const double* list) noexcept {
  const auto* h = reinterpret_cast<const std::int64_t*>(list);
  return lmc::runtime::present != nullptr && h[LMC_NEAR_COMPLETE] != 0 ? lmc::runtime::present->size() : 1;
}

std::int64_t lmc_near_owned(double* list, std::int64_t first, std::int64_t from, std::int64_t low, std::int64_t high,
                            std::int64_t* range) noexcept {
  const auto* h = reinterpret_cast<const std::int64_t*>(list);
  const auto* rows = reinterpret_cast<const std::int64_t*>(list + h[LMC_NEAR_ROWS]);
  const auto* spans = reinterpret_cast<const std::int32_t*>(list + h[LMC_NEAR_SPANS]);
  const auto* entries = reinterpret_cast<const std::int32_t*>(list + h[LMC_NEAR_ENTRIES]);
  const std::int64_t count = h[LMC_NEAR_COUNT];
  for (std::int64_t row = from; row < count; ++row) {
    if (first + row >= low && first + row < high) {
      if (rows[2 * row] < 0) {
        (void)lmc_near_row(list, row);
        range[0] = h[LMC_NEAR_BEGIN];
        range[1] = h[LMC_NEAR_BEGIN + 1];
      } else {
        range[0] = rows[2 * row];
        range[1] = rows[2 * row + 1];
      }
      return row;
    }
    const std::int64_t block = row / LMC_NEAR_BLOCK;
    if (spans[2 * block + 1] < low || spans[2 * block] >= high) {
      // nothing in the block, but rows that are his own may begin in it
      const std::int64_t end = (block + 1) * LMC_NEAR_BLOCK, own = low - first;
      row = (own > row && own < end ? own : end) - 1;
      continue;
    }
    const std::int32_t* const begin = entries + rows[2 * row];
    const std::int32_t* const end = entries + rows[2 * row + 1];
    if (begin == end || end[-1] < low || *begin >= high) continue;
    const std::int32_t* const his = std::lower_bound(begin, end, low);
    const std::int32_t* const behind = std::lower_bound(his, end, high);
    if (his == behind) continue;
    range[0] = his - entries;
    range[1] = behind - entries;
    return row;
  }
  return -1;
}
