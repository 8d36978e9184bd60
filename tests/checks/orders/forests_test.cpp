// The basis of Lie–Butcher series, and the series of the exact solution.
#include "checks/orders/Series.h"

#include <gtest/gtest.h>

using namespace lmc::orders;

namespace {

std::vector<int> counts(const Forests& basis) {
  std::vector<int> n(static_cast<std::size_t>(basis.highest()) + 1, 0);
  for (std::size_t w = 0; w < basis.size(); ++w) ++n[static_cast<std::size_t>(basis.order(static_cast<int>(w)))];
  return n;
}

/// The value of a series on the forest with this text.
std::string value(const Series& s, const Forests& basis, const std::string& text) {
  for (std::size_t w = 0; w < basis.size(); ++w) {
    if (basis.text(static_cast<int>(w)) == text) return s[w].text();
  }
  return "there is no " + text;
}

} // namespace

TEST(Forests, AreCountedByCatalanNumbers) {
  EXPECT_EQ(counts(Forests(7, false)), (std::vector<int>{1, 1, 2, 5, 14, 42, 132, 429}));
}

TEST(Forests, WithTimeAreTheCompositionsOfThose) {
  // sum_k C_k binomial(n - 1, k - 1), C_k the Catalan numbers
  EXPECT_EQ(counts(Forests(5, true)), (std::vector<int>{1, 1, 3, 10, 36, 137}));
}

TEST(Forests, AreCutAtEveryPlace) {
  const Forests basis(4, false);
  const SeriesAlgebra a(basis);
  for (std::size_t w = 0; w < basis.size(); ++w) {
    const auto& splits = basis.splits(static_cast<int>(w));
    EXPECT_EQ(splits.front(), (Forests::Split{0, static_cast<int>(w)}));
    EXPECT_EQ(splits.back(), (Forests::Split{static_cast<int>(w), 0}));
    for (const auto& [l, r] : splits) EXPECT_EQ(basis.order(l) + basis.order(r), basis.order(static_cast<int>(w)));
  }
}

// y' = f(y) on R: the solution after h is y + h f + h²/2 f' f + h³/6 (f'' f f + f' f' f) + …
TEST(ExactSeries, IsTheTaylorSeries) {
  const Forests basis(4, true);
  const Series s = SeriesAlgebra(basis).exact();
  EXPECT_EQ(value(s, basis, "f"), "1");
  EXPECT_EQ(value(s, basis, "f'(f)"), "1/2");
  EXPECT_EQ(value(s, basis, "f'(t)"), "1/2");
  EXPECT_EQ(value(s, basis, "f'(f'(f))"), "1/6");
  EXPECT_EQ(value(s, basis, "f''(t, t)"), "1/6") << "half of the second derivative";
  EXPECT_EQ(value(s, basis, "f''(t, f)"), "1/3");
  EXPECT_EQ(value(s, basis, "f''(f, f)"), "1/6");
  EXPECT_EQ(value(s, basis, "f'(f'(f'(f)))"), "1/24");
}

// Shuffles of two words of one point add up to the product of the values: the solution is a group element.
TEST(ExactSeries, IsAGroupElement) {
  const Forests basis(3, false);
  const Series s = SeriesAlgebra(basis).exact();
  EXPECT_EQ(value(s, basis, "f · f"), "1/2");
  EXPECT_EQ(value(s, basis, "f · f · f"), "1/6");
  EXPECT_EQ(value(s, basis, "f · f'(f)"), "1/6"); // the later part of the motion stands to the left
  EXPECT_EQ(value(s, basis, "f'(f) · f"), "1/3"); // 1/6 + 1/3 = 1 · 1/2
}

TEST(Dexpinv, IsTheInverseOfDexp) {
  const Forests basis(6, false);
  const SeriesAlgebra a(basis);
  Series u = a.zero();
  u[static_cast<std::size_t>(basis.node())] = Coefficient(1);
  Series v = a.zero();
  v[static_cast<std::size_t>(basis.graft(basis.node()))] = Coefficient(1);
  const Series w = a.dexpinv(u, v, std::nullopt);
  // dexp_u w = sum ad_u^k w/(k + 1)!
  Series sum = w, power = w;
  Coefficient factor = 1;
  for (int k = 1; k < 6; ++k) {
    power = a.bracket(u, power);
    factor *= Coefficient(k + 1).inverse();
    a.add(sum, factor, power);
  }
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_EQ(sum[k].text(), v[k].text());
}
