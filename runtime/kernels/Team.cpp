#include "runtime/kernels/Team.h"

#include "runtime/kernels/Kernels.h"

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
