// Threads inside of a step: what one loop writes the next one reads, whoever makes its turns. The turns are C++ here,
// so that ThreadSanitizer sees what they read and write (`./dev sanitize thread`).
#include "base/Cores.h"
#include "runtime/kernels/Kernels.h"
#include "runtime/kernels/Team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

namespace lmc {
namespace {

/// Two arrays of plain numbers. A loop makes each number of one of the sum of three of the other, so that most turns
/// read what turns of others have written in the loop before.
struct Ring {
  explicit Ring(std::int64_t n) : from(static_cast<std::size_t>(n)), to(from.size()) {
    std::iota(from.begin(), from.end(), std::uint64_t{1});
  }
  struct Frame {
    const std::uint64_t* from;
    std::uint64_t* to;
    std::int64_t count, tiles;
  };
  static void turn(const void* frame, std::int64_t tile) {
    const Frame& f = *static_cast<const Frame*>(frame);
    for (std::int64_t k = f.count * tile / f.tiles; k < f.count * (tile + 1) / f.tiles; ++k)
      f.to[k] = 3 * f.from[k] + f.from[(k + 1) % f.count] + f.from[(k + f.count / 2) % f.count];
  }
  void loop(std::int64_t tiles) {
    const Frame frame{from.data(), to.data(), static_cast<std::int64_t>(from.size()), tiles};
    lmc_turns(turn, &frame, tiles);
    from.swap(to);
  }
  std::vector<std::uint64_t> from, to;
};

std::vector<std::uint64_t> loops(std::int64_t n, int count) {
  constexpr std::int64_t tiles[] = {16, 1, 4, 13, 2, 64};
  Ring ring(n);
  for (int k = 0; k < count; ++k) ring.loop(tiles[k % 6]);
  return ring.from;
}

/// Makes others that want the processors now and then.
class Busy {
public:
  explicit Busy(int threads) {
    for (int k = 0; k < threads; ++k)
      others_.emplace_back([this] {
        for (std::uint64_t x = 1; !ended_.load(std::memory_order_relaxed);) {
          for (int j = 0; j < 100'000; ++j) x = x * 6364136223846793005U + 1442695040888963407U;
          if (x % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
      });
  }
  ~Busy() {
    ended_ = true;
    for (std::thread& t : others_) t.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

private:
  std::atomic<bool> ended_ = false;
  std::vector<std::thread> others_;
};

} // namespace

TEST(Team, HandsOnWhatALoopHasWritten) {
  const std::vector<std::uint64_t> alone = loops(1000, 600);
  for (const int threads : {2, 3, 8}) {
    const runtime::Team team(threads);
    EXPECT_EQ(loops(1000, 600), alone) << threads;
  }
}

TEST(Team, HandsOnWhereOthersWantTheProcessors) {
  const std::vector<std::uint64_t> alone = loops(20'000, 200);
  const Busy busy(usableCores());
  for (const int threads : {2, usableCores() + 1}) {
    const runtime::Team team(threads);
    EXPECT_EQ(loops(20'000, 200), alone) << threads;
  }
}

/// Longer than threads look for work, so that they sleep, and as long as they do before they go to sleep.
TEST(Team, WakesUp) {
  const std::vector<std::uint64_t> alone = loops(1000, 6 * 40);
  const runtime::Team team(2);
  Ring ring(1000);
  for (int k = 0; k < 6 * 40; ++k) {
    std::this_thread::sleep_for(std::chrono::microseconds(k % 4 == 0 ? 3000 : 40 * (k % 17)));
    constexpr std::int64_t tiles[] = {16, 1, 4, 13, 2, 64};
    ring.loop(tiles[k % 6]);
  }
  EXPECT_EQ(ring.from, alone);
}

/// Numbers of loops are compared by their difference: one that a share has kept for two thousand million loops in which
/// it had no turns must not be taken for one that is still to come.
TEST(Team, HasNumbersOfLoopsThatBeginAgain) {
  const std::vector<std::uint64_t> alone = loops(1000, 60);
  for (const std::uint32_t before : {(1U << 30U) - 20, (1U << 31U) - 20, 3 * (1U << 30U) - 20, 0U - 20})
    for (const int threads : {2, 5}) {
      const runtime::Team team(threads, before);
      Ring ring(1000);
      for (int k = 0; k < 40; ++k) ring.loop(1); // the other shares have no turns in these
      EXPECT_EQ(loops(1000, 60), alone) << before << ' ' << threads;
    }
}

TEST(Team, HelpsInTheThreadThatHasMadeItAlone) {
  const std::vector<std::uint64_t> alone = loops(500, 60);
  std::vector<std::vector<std::uint64_t>> found(3);
  std::vector<std::thread> runs;
  for (std::vector<std::uint64_t>& mine : found)
    runs.emplace_back([&mine] {
      const runtime::Team team(2);
      mine = loops(500, 60);
    });
  for (std::thread& run : runs) run.join();
  for (const std::vector<std::uint64_t>& mine : found) EXPECT_EQ(mine, alone);
}

namespace {

struct Groups {
  Groups() { std::filesystem::create_directories(root); }
  ~Groups() { std::filesystem::remove_all(root); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << '\n';
  }
  [[nodiscard]] double cores(const std::string& process) const {
    write("process", process);
    return coresOfGroups(root / "fs", root / "process");
  }
  std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "lmc_groups";
};

} // namespace

TEST(Cores, AreThoseOfTheControlGroupsTime) {
  const double none = std::numeric_limits<double>::infinity();
  const Groups groups;
  EXPECT_EQ(groups.cores("0::/"), none);
  groups.write("fs/service/cpu.max", "max 100000");
  groups.write("fs/service/job/cpu.max", "150000 100000");
  groups.write("fs/service/job/task/cpu.max", "400000 50000");
  EXPECT_EQ(groups.cores("0::/service"), none);
  EXPECT_EQ(groups.cores("0::/service/job"), 1.5);
  EXPECT_EQ(groups.cores("0::/service/job/task"), 1.5);
  EXPECT_EQ(groups.cores("0::/elsewhere/on/the/machine"), none);
  groups.write("fs/cpu.max", "50000 100000"); // of a container
  EXPECT_EQ(groups.cores("0::/elsewhere/on/the/machine"), 0.5);
  // version 1, beside groups of other controllers
  groups.write("fs/cpu.max", "max 100000");
  groups.write("fs/cpu/batch/cpu.cfs_quota_us", "300000");
  groups.write("fs/cpu/batch/cpu.cfs_period_us", "100000");
  EXPECT_EQ(groups.cores("4:memory:/a:b\n3:cpuset:/batch\n1:cpuacct,cpu:/batch\n0::/"), 3);
  groups.write("fs/cpu/batch/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(groups.cores("1:cpu:/batch"), none);
}

TEST(Cores, AreAtLeastOneAndNoMoreThanTheProcessMayUse) {
  EXPECT_GE(usableCores(), 1);
  EXPECT_LE(usableCores(2), usableCores());
  EXPECT_EQ(usableCores(1'000'000), 1);
}

} // namespace lmc
