#include "runtime/kernels/Team.h"

#include "base/Cores.h"
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

/// Looks at a number so often before others are let go first: some ten microseconds.
constexpr int closeLooks = 400;
/// So few turns that are left to another thread it is given time to make itself, by so many looks, two microseconds:
/// its cache has their numbers, in this loop and in the next.
constexpr std::uint16_t leftAlone = 2;
constexpr int patientLooks = 80;
/// And so often, after others were let go first, before it sleeps: as long as the parts of a step last that one thread
/// makes, some tenths of a millisecond.
constexpr int lazyLooks = 600;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits a while for something; whether it has come. `close`, `lazy`: how often it is looked at.
template <typename Come> bool comesSoon(const Come& come, int close, int lazy) {
  for (int k = 0; k < close; ++k) {
    if (come()) return true;
    pause();
  }
  for (int k = 0; k < lazy; ++k) {
    if (come()) return true;
    std::this_thread::yield();
  }
  return come();
}

/// Turns that nobody has taken yet, in one word, with the number of the loop that they belong to: a word that somebody
/// has seen in an earlier loop cannot be taken for one of this.
struct Range {
  std::uint32_t loop = 0;
  std::uint16_t begin = 0, end = 0;

  [[nodiscard]] std::uint64_t word() const {
    return static_cast<std::uint64_t>(loop) << 32U | static_cast<std::uint64_t>(begin) << 16U | end;
  }
  static Range of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 32U), static_cast<std::uint16_t>(word >> 16U),
            static_cast<std::uint16_t>(word)};
  }
};

/// What a thread has to do. Others look at it only when they have nothing left to do themselves. It is on one line of a
/// cache, so that who waits for it has all at once.
struct alignas(128) Share {
  std::atomic<std::uint64_t> left = 0; ///< a Range
  std::atomic<std::int32_t> asleep = 0;
  // of the loop that `left` belongs to, written before it; read by those who have taken a turn of it
  Turn turn = nullptr;
  const void* frame = nullptr;
  std::int64_t count = 0;
  std::int64_t size = 1; ///< turns that are taken at once
};

} // namespace

/// Each thread begins with turns of its own, the same ones in each loop of as many turns, whose numbers its cache may
/// still have. Then it takes those that others have not begun. A thread that does not wake up in time has nothing to
/// do; nobody waits for it, only for those who have begun a turn.
struct Team::Members {
  explicit Members(int n) : shares(static_cast<std::size_t>(n)), crowded(n > usableCores()), wanted(n - 1) {}
  ~Members() {
    closing.store(true, std::memory_order_seq_cst);
    for (std::size_t k = 1; k <= helpers.size(); ++k) wake(shares[k]);
    for (std::thread& t : helpers) t.join();
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  void run(Turn turn, const void* frame, std::int64_t count) {
    start();
    const std::int64_t size = (count + most - 1) / most;
    const std::int64_t all = size == 0 ? 0 : (count + size - 1) / size;
    const auto threads = std::min(all, static_cast<std::int64_t>(helpers.size()) + 1);
    finished.store(0, std::memory_order_relaxed);
    ++loop;
    for (std::int64_t k = 0; k < threads; ++k) {
      Share& his = shares[static_cast<std::size_t>(k)];
      his.turn = turn;
      his.frame = frame;
      his.count = count;
      his.size = size;
      const Range range{loop, static_cast<std::uint16_t>(all * k / threads),
                        static_cast<std::uint16_t>(all * (k + 1) / threads)};
      his.left.store(range.word(), std::memory_order_release);
    }
    // Who goes to sleep says so and then looks once more: either he sees his share, or he is seen here.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (std::int64_t k = 1; k < threads; ++k)
      if (Share& his = shares[static_cast<std::size_t>(k)]; his.asleep.load(std::memory_order_relaxed) != 0) wake(his);
    const auto others = static_cast<std::int32_t>(all) - work(0);
    while (finished.load(std::memory_order_acquire) != others) {
      const auto come = [&] { return finished.load(std::memory_order_acquire) == others; };
      if (comesSoon(come, crowded ? 0 : closeLooks, lazyLooks / 8)) break;
      const std::int32_t now = finished.load(std::memory_order_acquire);
      if (now != others) finished.wait(now, std::memory_order_acquire);
    }
  }

  /// Threads that there are, the one that makes the run included.
  int threads() {
    start();
    return static_cast<int>(helpers.size()) + 1;
  }

private:
  static void wake(Share& share) {
    share.asleep.store(0, std::memory_order_seq_cst);
    share.asleep.notify_one();
  }
  void start() {
    for (; wanted > 0; --wanted) try {
        helpers.emplace_back([this, mine = helpers.size() + 1] { help(mine); });
      } catch (const std::system_error&) {
        wanted = 1; // those that there are do the work
      }
  }
  void help(std::size_t mine) {
    Share& share = shares[mine];
    for (std::uint32_t seen = 0;;) {
      const auto come = [&] {
        return Range::of(share.left.load(std::memory_order_acquire)).loop != seen ||
               closing.load(std::memory_order_relaxed);
      };
      while (!comesSoon(come, crowded ? 0 : closeLooks, crowded ? 0 : lazyLooks)) {
        share.asleep.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (!come()) share.asleep.wait(1, std::memory_order_acquire);
        share.asleep.store(0, std::memory_order_relaxed);
      }
      if (closing.load(std::memory_order_acquire)) return;
      seen = Range::of(share.left.load(std::memory_order_acquire)).loop;
      if (const std::int32_t made = work(mine); made > 0) {
        finished.fetch_add(made, std::memory_order_acq_rel);
        finished.notify_one();
      }
    }
  }

  /// Makes turns, first those of a thread's own share, until none are left; how many they were.
  std::int32_t work(std::size_t mine) {
    std::int32_t made = 0;
    const std::size_t n = shares.size();
    for (std::size_t k = 0; k < n; ++k) {
      Share& share = shares[(mine + k) % n];
      std::uint64_t word = share.left.load(std::memory_order_acquire);
      int looks = k == 0 || crowded ? patientLooks : 0;
      for (Range r = Range::of(word); r.begin < r.end; r = Range::of(word)) {
        if (r.end - r.begin <= leftAlone && looks < patientLooks) {
          ++looks;
          pause();
          word = share.left.load(std::memory_order_acquire);
          continue;
        }
        const std::int64_t taken = k == 0 ? r.begin++ : --r.end;
        if (!share.left.compare_exchange_weak(word, r.word(), std::memory_order_acq_rel, std::memory_order_acquire))
          continue;
        // Who has taken a turn keeps the loop from ending: these are of the loop that the turn is of.
        const std::int64_t end = std::min((taken + 1) * share.size, share.count);
        for (std::int64_t t = taken * share.size; t < end; ++t) share.turn(share.frame, t);
        ++made;
        word = share.left.load(std::memory_order_acquire);
      }
    }
    return made;
  }

  static constexpr std::int64_t most = 0xFFFF; ///< of what can be taken in a loop

  std::vector<Share> shares;
  const bool crowded; ///< more threads than cores: to wait and look keeps others from working
  int wanted;         ///< helpers that are not started yet
  std::vector<std::thread> helpers;
  std::atomic<bool> closing = false;
  std::uint32_t loop = 0;                              ///< number of the present one
  alignas(128) std::atomic<std::int32_t> finished = 0; ///< turns that helpers have made
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
  return lmc::runtime::present != nullptr && h[LMC_NEAR_COMPLETE] != 0 ? lmc::runtime::present->threads() : 1;
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
