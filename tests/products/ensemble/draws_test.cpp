// The numbers that distinguish samples, and their statistics.
#include "runtime/ensemble/Draws.h"
#include "runtime/ensemble/Statistics.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::runtime;
using namespace lmc;

namespace {

constexpr std::int64_t many = 20000;

std::vector<double> drawn(const Variation& v, std::uint64_t seed, std::int64_t samples = many) {
  std::vector<double> all, one(v.numbers);
  for (std::int64_t k = 0; k < samples; ++k) {
    draw(v, seed, k, samples, one);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

Variation variation(const std::string& name, Distribution kind, double a, double b) {
  return {name, kind, {a}, {b}, {}, 0, 1};
}

} // namespace

// The known answers that the authors publish with their library.
TEST(Philox, KnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Five standard deviations of each moment's own distribution.
TEST(Draws, NormalHasItsMoments) {
  const std::vector<double> x = drawn(variation("m", Distribution::Normal, 3, 2), 7);
  double mean = 0, variance = 0, third = 0, fourth = 0;
  for (const double v : x) mean += (v - 3) / 2 / many;
  for (const double v : x) {
    const double z = (v - 3) / 2;
    variance += z * z / many;
    third += z * z * z / many;
    fourth += z * z * z * z / many;
  }
  const double n = many;
  EXPECT_NEAR(mean, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(variance, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(third, 0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96 / n));
}

// Kolmogorov and Smirnov: the largest distance of the distribution functions exceeds 2.2/sqrt(n) once in ten thousand.
TEST(Draws, UniformIsUniform) {
  std::vector<double> x = drawn(variation("m", Distribution::Uniform, -1, 3), 11);
  std::sort(x.begin(), x.end());
  double distance = 0;
  for (std::size_t k = 0; k < x.size(); ++k)
    distance = std::max(distance, std::abs((x[k] + 1) / 4 - (static_cast<double>(k) + 0.5) / many));
  EXPECT_LT(distance, 2.2 / std::sqrt(static_cast<double>(many)));
  EXPECT_GT(x.front(), -1);
  EXPECT_LT(x.back(), 3);
}

TEST(Draws, NamesSeedsSamplesAndPlacesAreIndependent) {
  const std::vector<double> x = drawn(variation("m", Distribution::Normal, 0, 1), 1);
  const Variation pair{"m", Distribution::Normal, {0, 0}, {1, 1}, {}, 0, 2};
  const std::vector<double> both = drawn(pair, 1);
  std::vector<double> second;
  for (std::size_t k = 1; k < both.size(); k += 2) second.push_back(both[k]);
  const std::vector<double> next(x.begin() + 1, x.end());
  for (const std::vector<double>& y : {drawn(variation("l", Distribution::Normal, 0, 1), 1),
                                       drawn(variation("m", Distribution::Normal, 0, 1), 2), second, next}) {
    double correlation = 0;
    for (std::size_t k = 0; k < y.size(); ++k) correlation += x[k] * y[k] / many;
    EXPECT_NEAR(correlation, 0, 5 / std::sqrt(static_cast<double>(many)));
  }
}

TEST(Draws, LinspaceHasItsEnds) {
  const std::vector<double> x = drawn(variation("m", Distribution::Linspace, 0.1, 0.7), 1, 7);
  EXPECT_EQ(x.front(), 0.1);
  EXPECT_EQ(x.back(), 0.7);
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], 0.1 * static_cast<double>(k + 1), 1e-15);
  EXPECT_EQ(drawn(variation("m", Distribution::Linspace, 0.1, 0.7), 1, 1), std::vector<double>{0.1});
}

TEST(Draws, GridsGoRoundAndRound) {
  Variation v{"m", Distribution::Grid, {-1}, {0.5}, {}, 4, 1, 3};
  EXPECT_EQ(drawn(v, 9, 14), (std::vector<double>{-1, -1, -1, -0.5, -0.5, -0.5, 0, 0, 0, 0.5, 0.5, 0.5, -1, -1}));
  v.b = {0.1};
  v.stride = 1;
  EXPECT_EQ(drawn(v, 9, 4).back(), 0.1); // its end to the bit
}

TEST(Draws, TablesAreReadByRows) {
  const Variation v{"x", Distribution::Table, {}, {}, {1, 2, 3, 4}, 2, 2};
  EXPECT_EQ(drawn(v, 5, 2), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Statistics, InPartsAsInOnePass) {
  const std::vector<double> x = drawn(variation("m", Distribution::Normal, 100, 1), 3, 1000);
  Moments whole, parts;
  for (const double v : x) whole.add(v);
  for (std::size_t k = 0; k < x.size(); k += 64) {
    Moments part;
    for (std::size_t i = k; i < std::min(k + 64, x.size()); ++i) part.add(x[i]);
    parts.add(part);
  }
  long double mean = 0, squares = 0;
  for (const double v : x) mean += v / 1000.0L;
  for (const double v : x) squares += (v - mean) * (v - mean);
  for (const Moments& m : {whole, parts}) {
    EXPECT_EQ(m.count, 1000);
    EXPECT_NEAR(m.mean, static_cast<double>(mean), 1e-12);
    EXPECT_NEAR(m.deviation(), std::sqrt(static_cast<double>(squares) / 999), 1e-12);
    EXPECT_EQ(m.least, *std::min_element(x.begin(), x.end()));
    EXPECT_EQ(m.most, *std::max_element(x.begin(), x.end()));
  }
}

TEST(Statistics, NumbersThatAreNoneDoNotCount) {
  Moments m;
  for (const double x : {1.0, std::nan(""), 3.0}) m.add(x);
  EXPECT_EQ(m.count, 2);
  EXPECT_EQ(m.average(), 2);
  EXPECT_EQ(m.deviation(), std::sqrt(2.0));
  EXPECT_TRUE(std::isnan(Moments().average()));
}

TEST(Statistics, InfiniteNumbersCount) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const bool last : {false, true}) {
    Moments some, one;
    for (const double x : {1.0, 3.0}) some.add(x);
    one.add(infinity);
    Moments m = last ? some : one;
    m.add(last ? one : some);
    EXPECT_EQ(m.count, 3);
    EXPECT_EQ(m.average(), infinity);
    EXPECT_TRUE(std::isnan(m.deviation()));
    EXPECT_EQ(m.least, 1);
    EXPECT_EQ(m.most, infinity);
    m.add(-infinity);
    EXPECT_TRUE(std::isnan(m.average())); // as of IEEE 754's sum
    EXPECT_EQ(m.least, -infinity);
  }
}
