// Stages of a turn side by side, against turns in long double; a function of a stage that is one block of code, and one
// that has a loop and is called.
#include "lower/builder/Builder.h"
#include "lower/steps/SideBySide.h"
#include "tape/TapeOps.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace lmc::lower {
namespace {

using tape::Op;
using tape::Type;
using tape::Value;

constexpr std::int64_t size = 8, moving = 3;
constexpr std::size_t width = 3;
constexpr std::array<std::array<double, width>, width> a{{{0.1, -0.05, 0.2}, {0.3, 0.25, -0.1}, {0.2, 0.4, 0.35}}};
constexpr std::array<double, width> c{0.25, 0.45, 0.95}, b{0.3, 0.5, 0.2};
constexpr double t = 0.7, h = 0.3;

/// The rates of three numbers; a fourth one that rests, and what fills the row up, have none.
template <typename Real> std::array<Real, moving> ratesAt(Real time, const std::array<Real, 4>& y) {
  return {y[1] * y[3], time - y[0], y[2] * y[0] - y[1]};
}

struct Turns {
  tape::Module module;
  SideBySide s;
  std::vector<RowPlace> ends;
  int first = 0;

  explicit Turns(bool withLoop) {
    const auto place = [&](std::int64_t numbers) {
      const RowPlace p{runtime::Role::Output, module.roleSize[static_cast<int>(runtime::Role::Output)]};
      module.roleSize[static_cast<int>(p.role)] += numbers;
      module.buffers.push_back({"place", p.role, p.offset, numbers});
      return p;
    };
    for (const auto& row : a) s.a.emplace_back(row.begin(), row.end());
    s.c.assign(c.begin(), c.end());
    s.size = size;
    s.begin = place(size);
    s.point = place(size);
    s.rate = place(size);
    s.coefficients = place(s.coefficientsOf());
    s.points = place(size * s.width());
    s.rates = place(size * s.width());
    ends = {place(size), place(size)};
    module.functions.push_back(stage(withLoop));
    s.moving = movingOf(module, s, 0);
    first = static_cast<int>(module.functions.size());
    const std::vector<double> weights(b.begin(), b.end());
    module.functions.push_back(beginTurns(module, "begin", s));
    module.functions.push_back(turns(module, "turns", s, 0, 4, {{weights, ends[1]}}));
    module.functions.push_back(sumsOfTurn(module, "sums", s, {{weights, ends[0]}}));
  }

  /// place = 1 and 2 are those of the point and of the rate.
  [[nodiscard]] static tape::Function stage(bool withLoop) {
    constexpr int point = 1, rate = 2;
    Builder f("stage", 2);
    const auto y = [&](std::int64_t k) { return f.load(point, f.integer(k), false); };
    f.store(rate, f.integer(0), f.mul(y(1), y(3)));
    f.store(rate, f.integer(1), f.sub(f.argument(0), y(0)));
    f.store(rate, f.integer(2), f.sub(f.mul(y(2), y(0)), y(1)));
    if (withLoop) {
      const Value k = f.beginLoop(f.integer(3), f.integer(size - 1), false);
      f.store(rate, k, f.real(0));
      f.endLoop();
    } else {
      for (std::int64_t k = 3; k < size; ++k) f.store(rate, f.integer(k), f.real(0));
    }
    return f.finish();
  }

  std::vector<double> run() {
    EXPECT_EQ(tape::verify(module), "");
    std::vector<double> memory(static_cast<std::size_t>(module.roleSize[static_cast<int>(runtime::Role::Output)]),
                               std::nan(""));
    for (std::size_t k = 0; k < size; ++k) memory[k] = k < 4 ? 0.4 + 0.3 * static_cast<double>(k) : 0;
    runtime::Bases bases{};
    bases.base[static_cast<int>(runtime::Role::Output)] = memory.data();
    const double arguments[] = {t, h};
    for (int f = first; f < first + 3; ++f) EXPECT_EQ(tape::interpret(module, f, bases, arguments), runtime::Ok);
    return memory;
  }
};

/// Both results: with the rates of the last turn and with those of the one before.
std::array<std::array<long double, 4>, 2> expected() {
  using Real = long double;
  const std::array<Real, 4> y{0.4, 0.4 + 0.3 * 1.0, 0.4 + 0.3 * 2.0, 0.4 + 0.3 * 3.0};
  std::array<std::array<Real, moving>, width> rates;
  rates.fill(ratesAt<Real>(t, y));
  const auto sum = [&](const std::array<double, width>& weights) {
    std::array<Real, 4> r = y;
    for (std::size_t k = 0; k < moving; ++k)
      for (std::size_t j = 0; j < width; ++j) r[k] += h * static_cast<Real>(weights[j]) * rates[j][k];
    return r;
  };
  std::array<Real, 4> before{};
  for (int turn = 1; turn <= 4; ++turn) {
    before = sum(b);
    std::array<std::array<Real, moving>, width> next;
    for (std::size_t i = 0; i < width; ++i)
      next[i] = ratesAt<Real>(static_cast<Real>(t) + static_cast<Real>(c[i]) * h, sum(a[i]));
    rates = next;
  }
  return {sum(b), before};
}

TEST(SideBySide, IsAnIterationOfAllStages) {
  const auto wanted = expected();
  for (const bool withLoop : {false, true}) {
    Turns turns(withLoop);
    EXPECT_EQ(turns.s.moving, withLoop ? size : moving);
    const std::vector<double> memory = turns.run();
    for (std::size_t which = 0; which < 2; ++which)
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(memory[static_cast<std::size_t>(turns.ends[which].offset) + k],
                    static_cast<double>(wanted[which][k]), 1e-15)
            << which << " " << k << " " << withLoop;
  }
}

TEST(SideBySide, EvaluatesAllStagesInOneLoopWithoutCalls) {
  const auto calls = [](bool withLoop) {
    const Turns turns(withLoop);
    std::size_t count = 0;
    for (const tape::Function& f : turns.module.functions)
      for (const tape::Block& block : f.blocks)
        for (const tape::Instr& i : block.code) count += i.op == Op::Call ? 1U : 0U;
    return count;
  };
  EXPECT_EQ(calls(false), 0U);
  EXPECT_EQ(calls(true), 1U);
}

} // namespace
} // namespace lmc::lower
