// Sums of rows of numbers between the stages of a method, against sums in long double.
#include "lower/steps/Rows.h"
#include "tape/TapeOps.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lmc::lower {
namespace {

TEST(RowSums, AddRowsInOnePass) {
  constexpr std::int64_t size = 24;
  constexpr std::size_t rows = 3;
  RowSums sums;
  sums.size = size;
  tape::Module m;
  const auto place = [&] {
    const RowPlace p{runtime::Role::Output, m.roleSize[static_cast<int>(runtime::Role::Output)]};
    m.roleSize[static_cast<int>(p.role)] += size;
    return p;
  };
  sums.begin = place();
  for (std::size_t k = 0; k < rows; ++k) sums.rows.push_back(place());
  const std::vector<std::vector<double>> weights = {{0.3, 0, -1.7}, {0, 0, 2.5}};
  for (const auto& w : weights) sums.sums.push_back({w, place()});
  sums.copies = {{1, place()}};
  m.functions.push_back(rowSums(m, "rows", sums));
  ASSERT_EQ(tape::verify(m), "");
  std::vector<double> memory(static_cast<std::size_t>(m.roleSize[static_cast<int>(runtime::Role::Output)]));
  for (std::size_t k = 0; k < (rows + 1) * size; ++k) memory[k] = std::sin(1.3 * static_cast<double>(k * k));
  runtime::Bases bases{};
  bases.base[static_cast<int>(runtime::Role::Output)] = memory.data();
  const double arguments[] = {0.4, 0.01};
  ASSERT_EQ(tape::interpret(m, 0, bases, arguments), runtime::Ok);
  for (std::size_t e = 0; e < size; ++e) {
    const auto row = [&](std::size_t k) { return memory[k * size + e]; };
    for (std::size_t k = 0; k < weights.size(); ++k) {
      long double total = 0;
      for (std::size_t j = 0; j < rows; ++j) total += static_cast<long double>(weights[k][j]) * row(1 + j);
      EXPECT_NEAR(row(1 + rows + k), static_cast<double>(row(0) + 0.01L * total), 3e-16);
    }
    EXPECT_EQ(row(1 + rows + weights.size()), row(2));
  }
}

} // namespace
} // namespace lmc::lower
