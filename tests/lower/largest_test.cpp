// The largest number of a family, as the tape finds it, against a search.
#include "lower/Agreement.h"
#include "sym/Largest.h"

#include <algorithm>
#include <cmath>

using namespace lmc::sym;
using namespace lmc::test;

namespace {
double largestOf(const Numbers& numbers) {
  Sandbox s;
  const auto extent = static_cast<std::int64_t>(numbers.size());
  const Array* a = s.array("a", {extent}, {}, numbers);
  const Expr i = s.g.newIndex("i");
  return Lowered(s, {largest(s.p, "largest", extent, i, s.g.load(a, {i}))}, false).run().at(0);
}

/// Numbers in (-1, 1), all different.
Numbers some(std::int64_t extent) {
  Numbers numbers;
  for (std::int64_t k = 1; k <= extent; ++k) numbers.push_back(std::sin(1.7 * static_cast<double>(k * k)));
  return numbers;
}
} // namespace

TEST(Largest, IsFoundAtEveryPlaceOfFamiliesOfEverySize) {
  for (std::int64_t extent = 1; extent <= 27; ++extent) {
    const Numbers numbers = some(extent);
    EXPECT_EQ(largestOf(numbers), *std::max_element(numbers.begin(), numbers.end())) << extent;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      Numbers other = numbers;
      other[k] = 3;
      EXPECT_EQ(largestOf(other), 3) << k << " of " << extent;
    }
  }
}

TEST(Largest, OfNoFamilyIsTheValue) {
  Sandbox s;
  EXPECT_EQ(Lowered(s, {largest(s.p, "largest", 0, {}, s.scalar("x", -2))}, false).run().at(0), -2);
}
