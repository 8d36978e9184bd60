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
/// Turns that are left to another thread it is given time to make itself, by so many looks, two microseconds: its cache
/// has their numbers, in this loop and in the next, and numbers that change caches are what a short loop waits for.
constexpr int patientLooks = 100;
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

/// Turns of a loop in one word, with its number.
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

/// What a thread has to do. Each part stands on lines of a cache of its own and is written by one thread, so that it is
/// not waited for: a line that another processor has comes after a tenth of a microsecond. What is read in each loop
/// and seldom written stands apart from what is written in each.
struct Share {
  /// Written by the thread that makes the run.
  struct alignas(128) Given {
    std::atomic<std::uint64_t> range = 0; ///< all turns of the share
    // of the same loop, written before it; read by those who have taken a turn of it
    Turn turn = nullptr;
    const void* frame = nullptr;
    std::int64_t count = 0;
    std::int64_t size = 1; ///< turns that are taken at once
  } given;
  /// Written by its owner, unless others help him.
  struct alignas(128) Taken {
    std::atomic<std::uint64_t> left = 0; ///< that nobody has taken yet: all where the loop is an earlier one
  } taken;
  /// Seldom written.
  struct alignas(128) State {
    std::atomic<std::int32_t> asleep = 0;
    std::atomic<bool> late = false; ///< others have made turns of his last loop, and he has not been seen since
  } state;

  /// Turns that nobody has taken, and the word that says so.
  [[nodiscard]] Range left(std::uint64_t& word) const {
    const Range all = Range::of(given.range.load(std::memory_order_acquire));
    word = taken.left.load(std::memory_order_acquire);
    const Range rest = Range::of(word);
    // Who comes so late that the loop he has seen has ended finds a word of it, or of a later one.
    if (rest.loop == all.loop) return rest;
    return static_cast<std::int32_t>(all.loop - rest.loop) > 0 ? all : Range{all.loop, 0, 0};
  }
  /// Takes turns: those that `rest` lacks. Whether nobody else has changed the word meanwhile.
  bool take(std::uint64_t& word, const Range& rest) {
    return taken.left.compare_exchange_strong(word, rest.word(), std::memory_order_acq_rel, std::memory_order_acquire);
  }
  /// Makes turns that have been taken. Who has taken a turn keeps the loop from ending: what stands in the share is of
  /// the loop that the turn is of.
  void make(std::int64_t begin, std::int64_t end) const {
    const std::int64_t last = std::min(end * given.size, given.count);
    for (std::int64_t t = begin * given.size; t < last; ++t) given.turn(given.frame, t);
  }
};

} // namespace

/// Each thread begins with turns of its own, the same ones in each loop of as many turns, whose numbers its cache may
/// still have; it takes half of what is left of them at a time. Then it waits a little, and takes what others have not
/// begun by then. A thread that does not wake up in time has nothing to do; nobody waits for it a second time before it
/// has come, only for those who have begun turns.
struct Team::Members {
  Members(int n, std::uint32_t loops)
      : shares(static_cast<std::size_t>(n)), crowded(n > usableCores()), wanted(n - 1), loop(loops) {}
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
    if (threads == 0) return;
    if (loop % renewed == 0) renew();
    ++loop;
    const std::int64_t first = part(all / threads); // that the one who makes the run makes before he shares the rest
    for (std::int64_t k = threads - 1; k >= 0; --k) {
      Share::Given& his = shares[static_cast<std::size_t>(k)].given;
      his.turn = turn;
      his.frame = frame;
      his.count = count;
      his.size = size;
      const Range range{loop, static_cast<std::uint16_t>(k == 0 ? first : all * k / threads),
                        static_cast<std::uint16_t>(all * (k + 1) / threads)};
      his.range.store(range.word(), std::memory_order_release);
    }
    wakeSleepers(threads);
    shares[0].make(0, first);
    // Who goes to sleep says so and then looks once more: either he sees his share, or he is seen here. What others
    // shall see has reached them by now: nothing is waited for.
    order.fetch_add(1, std::memory_order_acq_rel);
    wakeSleepers(threads);
    finished += static_cast<std::uint32_t>(all - first - own(0));
    const auto come = [&] { return told.load(std::memory_order_acquire) == finished; };
    if (!crowded && comesSoon(come, anyLate() ? 0 : patientLooks, 0)) return;
    finished -= static_cast<std::uint32_t>(ofOthers(0));
    while (!comesSoon(come, crowded ? 0 : closeLooks, lazyLooks / 8)) {
      const std::uint32_t now = told.load(std::memory_order_acquire);
      if (now != finished) told.wait(now, std::memory_order_acquire);
    }
  }

  /// Threads that there are, the one that makes the run included.
  int threads() {
    start();
    return static_cast<int>(helpers.size()) + 1;
  }

private:
  /// Between two loops: shares that have had no turns for long are left with the number of the last one, which is not
  /// taken for one that is still to come. Numbers begin again after 2^32 loops.
  void renew() {
    const std::uint64_t none = Range{loop, 0, 0}.word();
    for (Share& share : shares) {
      share.taken.left.store(none, std::memory_order_release);
      share.given.range.store(none, std::memory_order_release);
    }
  }
  static void wake(Share& share) {
    share.state.asleep.store(0, std::memory_order_seq_cst);
    share.state.asleep.notify_one();
  }
  void wakeSleepers(std::int64_t threads) {
    for (std::int64_t k = 1; k < threads; ++k)
      if (Share& his = shares[static_cast<std::size_t>(k)]; his.state.asleep.load(std::memory_order_relaxed) != 0)
        wake(his);
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
        return Range::of(share.given.range.load(std::memory_order_acquire)).loop != seen ||
               closing.load(std::memory_order_relaxed);
      };
      while (!comesSoon(come, crowded ? 0 : closeLooks, crowded ? 0 : lazyLooks)) {
        share.state.asleep.store(1, std::memory_order_relaxed);
        order.fetch_add(1, std::memory_order_acq_rel);
        if (!come()) share.state.asleep.wait(1, std::memory_order_acquire);
        share.state.asleep.store(0, std::memory_order_relaxed);
      }
      if (closing.load(std::memory_order_acquire)) return;
      seen = Range::of(share.given.range.load(std::memory_order_acquire)).loop;
      if (share.state.late.load(std::memory_order_relaxed)) share.state.late.store(false, std::memory_order_relaxed);
      tell(own(mine));
      if (crowded || !comesSoon(come, patientLooks, 0)) tell(ofOthers(mine));
    }
  }
  void tell(std::int32_t made) {
    if (made == 0) return;
    told.fetch_add(static_cast<std::uint32_t>(made), std::memory_order_acq_rel);
    told.notify_one();
  }

  /// Of so many turns one's own so many are taken at once.
  static std::int64_t part(std::int64_t left) { return (left + 1) / 2; }

  /// Makes turns of one's own share until none are left; how many they were.
  std::int32_t own(std::size_t mine) {
    Share& share = shares[mine];
    std::int32_t made = 0;
    std::uint64_t word = 0;
    for (Range r = share.left(word); r.begin < r.end; r = share.left(word)) {
      const std::int64_t begin = r.begin, end = begin + part(r.end - r.begin);
      r.begin = static_cast<std::uint16_t>(end);
      if (!share.take(word, r)) continue;
      share.make(begin, end);
      made += static_cast<std::int32_t>(end - begin);
    }
    return made;
  }

  /// Makes turns of the shares of others until none are left; how many they were.
  std::int32_t ofOthers(std::size_t mine) {
    std::int32_t made = 0;
    const std::size_t n = shares.size();
    for (std::size_t k = 1; k < n; ++k) {
      Share& share = shares[(mine + k) % n];
      std::uint64_t word = 0;
      for (Range r = share.left(word); r.begin < r.end; r = share.left(word)) {
        --r.end;
        if (!share.take(word, r)) continue;
        share.state.late.store(true, std::memory_order_relaxed);
        share.make(r.end, r.end + 1);
        ++made;
      }
    }
    return made;
  }

  /// Whether there is somebody for whom nobody waits.
  [[nodiscard]] bool anyLate() const {
    return std::any_of(shares.begin() + 1, shares.end(),
                       [](const Share& s) { return s.state.late.load(std::memory_order_relaxed); });
  }

  static constexpr std::int64_t most = 0xFFFF;        ///< of what can be taken in a loop
  static constexpr std::uint32_t renewed = 1U << 30U; ///< so many loops a share may be left as it is

  std::vector<Share> shares;
  const bool crowded; ///< more threads than cores: to wait and look keeps others from working
  int wanted;         ///< helpers that are not started yet
  std::vector<std::thread> helpers;
  std::atomic<bool> closing = false;
  std::uint32_t loop;                                ///< number of the present one
  std::uint32_t finished = 0;                        ///< turns that helpers have to make in all loops up to this one
  alignas(128) std::atomic<std::uint32_t> order = 0; ///< which of two was first here is so for both
  alignas(128) std::atomic<std::uint32_t> told = 0;  ///< turns that helpers have made
};

namespace {
thread_local Team::Members* present = nullptr;
}

Team::Team(int threads, std::uint32_t loops)
    : members_(threads > 1 ? new Members(threads, loops) : nullptr), outer_(present) {
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
