// Sums rewritten for fused operations: the same numbers, fewer operations.
#include "lower/builder/Builder.h"
#include "lower/builder/Sums.h"

#include <gtest/gtest.h>

#include <random>

namespace lmc {
namespace {

using tape::Op;
using tape::Value;

constexpr int inputs = 6;
constexpr int parameters = 4;

/// Two buffers to read (what changes, what does not) and one to write.
class Sums : public testing::Test {
protected:
  Sums() {
    module.buffers = {{"x", runtime::Role::State, 0, inputs},
                      {"p", runtime::Role::Params, 0, parameters},
                      {"y", runtime::Role::Output, 0, 8}};
    for (const tape::Buffer& b : module.buffers) module.roleSize[static_cast<int>(b.role)] = b.size;
  }

  Value x(int k) { return f.load(0, f.integer(k), false); }
  Value p(int k) { return f.load(1, f.integer(k), false); }
  void give(int k, Value v) { f.store(2, f.integer(k), v); }

  /// Operations that a machine with fused multiplications and additions needs.
  static int operations(const tape::Function& function) {
    std::vector<int> uses(function.values);
    std::vector<bool> product(function.values);
    int n = 0;
    for (const tape::Block& b : function.blocks) {
      for (const tape::Instr& i : b.code) {
        for (const Value a : i.args) ++uses[a];
        if (i.op == Op::Mul) product[i.result] = true;
      }
    }
    for (const tape::Block& b : function.blocks) {
      for (const tape::Instr& i : b.code) {
        if (i.op != Op::Mul && i.op != Op::Add && i.op != Op::Sub) continue;
        ++n;
        if (i.op == Op::Mul) continue;
        const bool fuses = (product[i.args[0]] && uses[i.args[0]] == 1) || (product[i.args[1]] && uses[i.args[1]] == 1);
        n -= fuses ? 1 : 0;
      }
    }
    return n;
  }

  /// Results for whole numbers, for which all arithmetic is exact.
  std::vector<double> results(const tape::Function& function) {
    module.functions = {function};
    EXPECT_EQ(tape::verify(module), "") << tape::print(module);
    std::vector<double> state{3, -2, 5, 7, -1, 4}, params{2, -3, 5, 1}, out(8);
    runtime::Bases bases;
    bases.base[static_cast<int>(runtime::Role::State)] = state.data();
    bases.base[static_cast<int>(runtime::Role::Params)] = params.data();
    bases.base[static_cast<int>(runtime::Role::Output)] = out.data();
    const double arguments[] = {0, 2};
    EXPECT_EQ(tape::interpret(module, 0, bases, arguments), 0);
    return out;
  }

  /// Rewrites the function; returns how many operations it has then.
  int rewritten() {
    const tape::Function before = f.finish();
    const tape::Function after = lower::fuseSums(before, module.buffers);
    EXPECT_EQ(results(before), results(after));
    return operations(after);
  }

  tape::Module module;
  lower::Builder f{"f", 2};
};

TEST_F(Sums, ASumOfProductsContinuesTheSumAroundIt) {
  give(0, f.add(x(0), f.add(f.mul(x(1), x(2)), f.mul(x(3), x(4))))); // not 3 but 2
  EXPECT_EQ(rewritten(), 2);
}

TEST_F(Sums, ASumWithAPlainTermStays) {
  give(0, f.sub(x(0), f.sub(f.mul(x(1), x(2)), x(4))));
  EXPECT_EQ(rewritten(), 2);
}

TEST_F(Sums, FixedFactorsAreGathered) {
  // h (p0 x0 + p1 x1 x2) + x3: the two factors are made once.
  const Value h = f.argument(1);
  const Value sum = f.add(f.mul(p(0), x(0)), f.mul(p(1), f.mul(x(1), x(2))));
  give(0, f.add(f.mul(h, sum), x(3)));
  EXPECT_EQ(rewritten(), 2 + 3); // two of them outside of the loop over steps: h p0, h p1
}

TEST_F(Sums, EqualFactorsMultiplySums) {
  const Value h = f.argument(1);
  const Value late = f.mul(f.mul(x(0), x(1)), x(2));
  give(0, f.add(f.add(f.mul(h, x(3)), f.mul(h, x(4))), late));
  const tape::Function after = lower::fuseSums(f.finish(), module.buffers);
  int products = 0;
  for (const tape::Instr& i : after.blocks[0].code) products += i.op == Op::Mul ? 1 : 0;
  EXPECT_EQ(products, 3);
}

TEST_F(Sums, ValuesWithOtherUsersStay) {
  const Value shared = f.add(f.mul(x(0), x(1)), f.mul(x(2), x(3)));
  give(0, f.add(shared, x(4)));
  give(1, f.mul(shared, x(5)));
  EXPECT_EQ(rewritten(), 4);
}

TEST_F(Sums, NothingMovesIntoALoop) {
  const Value outside = f.mul(x(0), x(1));
  const Value i = f.beginLoop(f.integer(0), f.integer(3), false);
  const Value inside = f.load(0, i, true);
  f.store(2, i, f.add(outside, f.add(f.mul(inside, inside), f.mul(f.mul(f.argument(1), p(0)), inside))));
  f.endLoop();
  rewritten();
}

TEST_F(Sums, AllSignsNegative) {
  give(0, f.sub(f.neg(f.mul(x(0), x(1))), f.mul(x(2), x(3))));
  rewritten();
}

/// Random straight-line arithmetic with values that are used once, twice or not at all.
TEST_F(Sums, RandomFunctions) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    f = lower::Builder("f", 2);
    std::vector<std::pair<Value, int>> values; // with degrees, so that numbers stay exact
    for (int k = 0; k < inputs; ++k) values.emplace_back(x(k), 1);
    for (int k = 0; k < parameters; ++k) values.emplace_back(p(k), 1);
    values.emplace_back(f.argument(1), 1);
    values.emplace_back(f.real(-2), 1);
    for (int k = 0; k < 40; ++k) {
      const auto [a, m] = values[below(values.size())];
      const auto [b, n] = values[below(values.size())];
      switch (below(5)) {
      case 0:
        values.emplace_back(f.add(a, b), std::max(m, n));
        break;
      case 1:
        values.emplace_back(f.sub(a, b), std::max(m, n));
        break;
      case 2:
        values.emplace_back(f.neg(a), m);
        break;
      default:
        if (m + n <= 6) values.emplace_back(f.mul(a, b), m + n);
      }
    }
    for (int k = 0; k < 8; ++k) give(k, values[values.size() - 1 - below(8)].first);
    const tape::Function before = f.finish();
    ASSERT_EQ(results(before), results(lower::fuseSums(before, module.buffers))) << "seed " << seed;
  }
}

} // namespace
} // namespace lmc
