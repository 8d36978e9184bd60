// Exact rationals, and the doubles that they become when they no longer fit.
#include "sym/Number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using lmc::sym::Number;

TEST(Number, LowestTermsWithPositiveDenominator) {
  const Number n = Number::ratio(6, -4);
  EXPECT_EQ(n.num(), -3);
  EXPECT_EQ(n.den(), 2);
  EXPECT_TRUE(n.negative());
  EXPECT_EQ(Number::ratio(0, -7), Number(0));
  EXPECT_TRUE(Number::ratio(0, -7).isInteger());
  EXPECT_TRUE(Number::ratio(5, 5).isOne());
  EXPECT_TRUE(Number::ratio(5, -5).isMinusOne());
}

TEST(Number, ArithmeticIsExact) {
  const Number third = Number::ratio(1, 3);
  EXPECT_EQ(third + third + third, Number(1));
  EXPECT_EQ(third - Number::ratio(1, 2), Number::ratio(-1, 6));
  EXPECT_EQ(third * Number::ratio(9, 4), Number::ratio(3, 4));
  EXPECT_EQ(third / Number::ratio(-2, 5), Number::ratio(-5, 6));
  EXPECT_EQ(-third, Number::ratio(-1, 3));
  Number sum; // 1 - 1/2 + 1/3 - … + 1/15
  for (int k = 1; k <= 15; ++k) sum = sum + Number::ratio(k % 2 == 1 ? 1 : -1, k);
  EXPECT_EQ(sum, Number::ratio(52279, 72072));
}

TEST(Number, BecomesADoubleWhenItNoLongerFits) {
  constexpr std::int64_t largest = std::int64_t{1} << 53;
  const Number a(largest);
  EXPECT_TRUE(a.exact());
  const Number b = a + Number(1); // an integer of 64 bits is exact,
  EXPECT_TRUE(b.exact());
  EXPECT_EQ(b - a, Number(1));
  EXPECT_EQ(b.value(), std::ldexp(1, 53)); // and rounded to even where it becomes a double
  const Number most(std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE((most - Number(1) + Number(1)).isInteger());
  EXPECT_FALSE((most + Number(1)).exact());
  EXPECT_EQ((most + Number(1)).value(), std::ldexp(1, 63));
  EXPECT_FALSE((Number::ratio(1, 3) + a).exact()); // a fraction is, up to 2^53
  EXPECT_TRUE((a - Number(1)).exact());
  const Number small = Number(1) / a;
  EXPECT_TRUE(small.exact());
  EXPECT_EQ(small.value(), std::ldexp(1, -53));
  const Number tiny = small * small;
  EXPECT_FALSE(tiny.exact());
  EXPECT_EQ(tiny.value(), std::ldexp(1, -106));
  EXPECT_FALSE(tiny.isZero());
}

TEST(Number, CancelsBeforeItOverflows) {
  constexpr std::int64_t p = 4503599627370449; // just below 2^52
  const Number x = Number::ratio(p, 3);
  EXPECT_EQ(x * Number::ratio(3, p), Number(1));
  EXPECT_EQ(x - x, Number(0));
}

TEST(Number, DecimalLiterals) {
  EXPECT_EQ(Number::decimal("9.81"), Number::ratio(981, 100));
  EXPECT_EQ(Number::decimal("1e-3"), Number::ratio(1, 1000));
  EXPECT_EQ(Number::decimal("2.50E+2"), Number(250));
  EXPECT_EQ(Number::decimal(".5"), Number::ratio(1, 2));
  EXPECT_EQ(Number::decimal("0.000"), Number(0));
  for (const char* text : {"3.14159265358979323846", "1e-300", "1.7e308", "6.02214076e23", "1e-16", "0.1", "1e22",
                           "4.9406564584124654e-324", "123456789012345678"}) {
    EXPECT_EQ(Number::decimal(text).value(), std::strtod(text, nullptr)) << text;
  }
  EXPECT_FALSE(Number::decimal("3.14159265358979323846").exact());
}

TEST(Number, TheTextReadsBackAsTheSameNumber) {
  EXPECT_EQ(Number::ratio(981, 100).text(), "9.81");
  EXPECT_EQ(Number::ratio(-1, 3).text(), "-1/3");
  EXPECT_EQ(Number(-7).text(), "-7");
  EXPECT_EQ(Number::ratio(1, 8).text(), "0.125");
  for (const double v : {0.1 + 0.2, M_PI, -1e300, 5e-324, 1.0 / 3}) {
    EXPECT_EQ(std::strtod(Number::real(v).text().c_str(), nullptr), v);
  }
}

TEST(Number, IntegersAmongDoublesAreExact) {
  EXPECT_TRUE(Number::real(4).exact());
  EXPECT_EQ(Number::real(4), Number(4));
  EXPECT_EQ(Number::real(4).hash(), Number(4).hash());
  EXPECT_FALSE(Number::real(0.5) == Number::ratio(1, 2)) << "a rounded value is no literal";
}

TEST(Number, Powers) {
  using lmc::sym::power;
  EXPECT_EQ(lmc::sym::power(Number::ratio(-2, 3), 3), Number::ratio(-8, 27));
  EXPECT_EQ(lmc::sym::power(Number::ratio(-2, 3), -2), Number::ratio(9, 4));
  EXPECT_EQ(lmc::sym::power(Number(0), 0), Number(1));
  EXPECT_FALSE(lmc::sym::power(Number(0), -1).has_value());
  EXPECT_FALSE(lmc::sym::power(Number(3), 40)->exact());
  EXPECT_DOUBLE_EQ(lmc::sym::power(Number(3), 40)->value(), std::pow(3.0, 40));
}
