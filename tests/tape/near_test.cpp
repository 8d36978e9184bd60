// Lists of near pairs against all pairs, in long double.
#include "runtime/kernels/Kernels.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace {

using Points = std::vector<double>;

/// What lmc_near_update is told, and the list that it makes.
struct Lists {
  std::int64_t n1, n2, size;
  std::vector<double> about = std::vector<double>(LMC_NEAR_ABOUT, 0.0);
  std::vector<double> list;

  Lists(std::int64_t first, std::int64_t second, double limit, std::int64_t entries = 0)
      : n1(first), n2(second), size(lmc_near_size(first, second, entries > 0 ? entries : first * second)),
        list(static_cast<std::size_t>(size), 0.0) {
    about[LMC_NEAR_LIMIT] = limit;
    about[LMC_NEAR_FIRST_ROW] = about[LMC_NEAR_FIRST_COLUMN] = 1;
    about[LMC_NEAR_LOW] = 1;
    about[LMC_NEAR_HIGH] = static_cast<double>(second);
  }
  void period(double x, double y, double z) { about[0] = x, about[1] = y, about[2] = z; }
  /// j from i + 1 on, in one set.
  void half() {
    about[LMC_NEAR_LOW] = 1;
    about[LMC_NEAR_LOW_ROW] = 1;
  }
  void update(const Points& a, const Points& b) {
    ASSERT_EQ(lmc_near_update(a.data(), b.data(), about.data(), list.data(), n1, n2, size), LMC_OK);
  }
  [[nodiscard]] std::int64_t number(std::int64_t k) const {
    std::int64_t x = 0;
    std::memcpy(&x, list.data() + k, sizeof x);
    return x;
  }
  /// The row as a loop over the list sees it.
  std::vector<std::int32_t> row(std::int64_t r) {
    std::int64_t begin = number(number(0) + 2 * r), end = number(number(0) + 2 * r + 1);
    if (begin < 0) {
      EXPECT_EQ(lmc_near_row(list.data(), r), LMC_OK);
      begin = number(2);
      end = number(3);
    }
    std::vector<std::int32_t> entries(static_cast<std::size_t>(end - begin));
    if (entries.empty()) return entries;
    std::memcpy(entries.data(), reinterpret_cast<const char*>(list.data() + number(1)) + 4 * begin, 4 * entries.size());
    return entries;
  }
};

long double distance(const Lists& l, const Points& a, const Points& b, std::int64_t i, std::int64_t j) {
  long double sum = 0;
  for (std::int64_t k = 0; k < 3; ++k) {
    long double d =
        static_cast<long double>(a[static_cast<std::size_t>(3 * i + k)]) - b[static_cast<std::size_t>(3 * j + k)];
    const long double period = l.about[static_cast<std::size_t>(k)];
    if (period > 0) d -= period * std::floor(d / period + 0.5L);
    sum += d * d;
  }
  return std::sqrt(sum);
}

/// Every pair within the limit is listed, in ascending order, none twice, and none that its row does not have. Returns
/// how many entries there are beside.
std::int64_t check(Lists& l, const Points& a, const Points& b) {
  std::int64_t beside = 0;
  for (std::int64_t i = 0; i < l.n1; ++i) {
    const std::vector<std::int32_t> row = l.row(i);
    const std::set<std::int32_t> listed(row.begin(), row.end());
    EXPECT_EQ(listed.size(), row.size());
    EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
    const std::int64_t low = l.about[LMC_NEAR_LOW_ROW] > 0 ? i + 1 : 0;
    for (std::int64_t j = 0; j < l.n2; ++j) {
      const bool has = listed.contains(static_cast<std::int32_t>(j + 1));
      const long double limit = l.about[LMC_NEAR_LIMIT];
      if (j < low) {
        EXPECT_FALSE(has);
      } else if (distance(l, a, b, i, j) <= limit) {
        EXPECT_TRUE(has) << i << ' ' << j;
      } else {
        beside += has ? 1 : 0;
      }
    }
  }
  return beside;
}

Points random(std::int64_t n, double size, unsigned seed, double shift = 0) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> within(0, size);
  Points p(static_cast<std::size_t>(3 * n));
  for (double& x : p) x = shift + within(random);
  return p;
}

TEST(NearPairs, AreAllThatThereAre) {
  for (const double shift : {0.0, -3.0, 1e3, 1e9, -1e14}) {
    const Points a = random(300, 10, 1, shift);
    Lists l(300, 300, 1.3);
    l.half();
    l.update(a, a);
    const std::int64_t beside = check(l, a, a);
    if (std::abs(shift) < 1e6) EXPECT_LT(beside, 300 * 10) << "a list is for few pairs";
  }
}

TEST(NearPairs, OfTwoSetsInBoxes) {
  for (const double box : {10.0, 3.1, 1.0, 0.3}) { // ten cells, three, and limits beyond half of the box
    const Points a = random(200, 3 * box, 2, -box), b = random(120, box, 3);
    Lists l(200, 120, 1.0);
    l.period(box, 1.5 * box, 0);
    l.update(a, b);
    (void)check(l, a, b);
  }
}

TEST(NearPairs, OfFewPointsAndOfOneCell) {
  for (const std::int64_t n : {1, 2, 3, 5}) {
    const Points a = random(n, 1, 4);
    Lists l(n, n, 0.5);
    l.half();
    l.update(a, a);
    (void)check(l, a, a);
  }
  const Points a = random(150, 0.01, 5);
  Lists l(150, 150, 1);
  l.update(a, a);
  EXPECT_EQ(check(l, a, a), 0);
  EXPECT_EQ(l.row(7).size(), 150U);
}

TEST(NearPairs, ServeUntilAPointHasMovedFar) {
  std::mt19937 random7(7);
  std::normal_distribution<double> normal(0, 0.02);
  Points a = random(250, 6, 6);
  Lists l(250, 250, 1);
  l.half();
  l.update(a, a);
  for (int k = 0; k < 60; ++k) {
    for (double& x : a) x += normal(random7);
    if (k == 20) a[30] += 100;
    if (k == 40) a[33] = 1e12; // one has left
    l.update(a, a);
    (void)check(l, a, a);
  }
}

TEST(NearPairs, HaveNoPointsThatAreNotNumbers) {
  Points a = random(100, 3, 8);
  a[5] = NAN;
  a[30] = INFINITY;
  Lists l(100, 100, 1);
  l.update(a, a);
  (void)check(l, a, a);
  EXPECT_TRUE(l.row(1).empty());
  EXPECT_TRUE(l.row(10).empty());
}

TEST(NearPairs, AreMadeWhenThereIsNoRoom) {
  const Points a = random(200, 3, 9);
  Lists l(200, 200, 1, 700); // some rows have room, others not
  l.half();
  l.update(a, a);
  EXPECT_GE(l.number(l.number(0)), 0);
  EXPECT_EQ(l.number(l.number(0) + 2 * 150), -1);
  (void)check(l, a, a);
}

TEST(NearPairs, AreMadeInPiecesOfManyRows) {
  const Points a = random(8300, 12, 11);
  Lists l(8300, 8300, 0.8, 200 * 8300);
  l.half();
  l.update(a, a);
  EXPECT_EQ(l.number(LMC_NEAR_COMPLETE), 1);
  (void)check(l, a, a);
  // without room for all: some rows are made when they are wanted
  Lists small(8300, 8300, 0.8, 40000);
  small.half();
  small.update(a, a);
  EXPECT_EQ(small.number(LMC_NEAR_COMPLETE), 0);
  for (const std::int64_t row : {0, 63, 64, 4000, 8299}) EXPECT_EQ(small.row(row), l.row(row));
}

/// The pairs that owners of `count` indices from `low` on get, and those that they should.
void checkOwners(Lists& l, std::int64_t low, std::int64_t count, std::int64_t owners) {
  const auto first = static_cast<std::int64_t>(l.about[LMC_NEAR_FIRST_ROW]);
  for (std::int64_t k = 0; k < owners; ++k) {
    const std::int64_t from = low + count * k / owners, behind = low + count * (k + 1) / owners;
    const auto his = [&](std::int64_t index) { return index >= from && index < behind; };
    std::int64_t range[2], next = 0;
    for (std::int64_t row = 0; row < l.n1; ++row) {
      std::vector<std::int32_t> wanted = l.row(row);
      if (!his(first + row)) std::erase_if(wanted, [&](std::int32_t j) { return !his(j); });
      if (!his(first + row) && wanted.empty()) continue; // his own rows come without entries, too
      ASSERT_EQ(lmc_near_owned(l.list.data(), first, next, from, behind, range), row) << k << " of " << owners;
      next = row + 1;
      std::vector<std::int32_t> found(static_cast<std::size_t>(range[1] - range[0]));
      const char* const entries = reinterpret_cast<const char*>(l.list.data() + l.number(LMC_NEAR_ENTRIES));
      if (!found.empty()) std::memcpy(found.data(), entries + 4 * range[0], 4 * found.size());
      ASSERT_EQ(found, wanted) << row << ", " << k << " of " << owners;
    }
    EXPECT_EQ(lmc_near_owned(l.list.data(), first, next, from, behind, range), -1);
  }
}

TEST(NearPairs, ComeToTheOwnersOfTheirIndices) {
  for (const std::int64_t n : {3, 64, 65, 500}) {
    const Points a = random(n, 6, 12), b = random(200, 6, 13);
    Lists half(n, n, 1), two(n, 200, 1);
    half.half();
    half.update(a, a);
    two.update(a, b);
    for (const std::int64_t owners : {1, 2, 3, 7, 64}) {
      checkOwners(half, 1, n, owners);
      checkOwners(two, 1, std::max<std::int64_t>(n, 200), owners);
    }
  }
  const Points a = random(200, 3, 9);
  Lists partly(200, 200, 1, 700);
  partly.half();
  partly.update(a, a);
  EXPECT_EQ(lmc_near_owners(partly.list.data()), 1);
  checkOwners(partly, 1, 200, 1);
}

TEST(NearPairs, FollowTheLimit) {
  const Points a = random(200, 5, 10);
  Lists l(200, 200, 0.5);
  for (const double limit : {0.5, 2.0, 1e300, 0.0, -1.0, 0.7}) {
    l.about[LMC_NEAR_LIMIT] = limit;
    l.update(a, a);
    (void)check(l, a, a);
  }
  for (const double limit : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) { // every index is there
    l.about[LMC_NEAR_LIMIT] = limit;
    l.update(a, a);
    EXPECT_EQ(l.row(3).size(), 200U);
  }
  l.about[LMC_NEAR_LIMIT] = 1;
  l.about[LMC_NEAR_SQUARED] = 1;
  l.update(a, a);
  (void)check(l, a, a);
}

} // namespace
