// The elementary functions of code for lanes: how far they are from the library in long double, their values at edges,
// and that every width gives the same bits, of uniform arguments and of those that differ between lanes.
#include "Lanes.h"
#include "jit/Compile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace lmc {
namespace {

using tape::Op;
using Long = long double;

struct Function {
  Op op;
  const char* name;
  Long (*exact)(Long, Long);
  double low, high; ///< of the arguments
  bool spread;      ///< their logarithms are uniform, with both signs
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {Op::Exp, "exp", [](Long a, Long) { return std::exp(a); }, -708, 709.7, false},
      {Op::Exp, "exp", [](Long a, Long) { return std::exp(a); }, 1e-18, 20, true},
      {Op::Log, "log", [](Long a, Long) { return std::log(a); }, 0.5, 2, false},
      {Op::Log, "log", [](Long a, Long) { return std::log(std::fabs(a)); }, 1e-310, 1e308, true},
      {Op::Atan, "atan", [](Long a, Long) { return std::atan(a); }, 1e-300, 1e300, true},
      {Op::Atan, "atan", [](Long a, Long) { return std::atan(a); }, -4, 4, false},
      {Op::Atan2, "atan2", [](Long a, Long b) { return std::atan2(a, b); }, -3, 3, false},
      {Op::Atan2, "atan2", [](Long a, Long b) { return std::atan2(a, b); }, 1e-150, 1e150, true},
      {Op::Asin, "asin", [](Long a, Long) { return std::asin(a); }, -1, 1, false},
      {Op::Asin, "asin", [](Long a, Long) { return std::asin(a); }, 1e-200, 1, true},
      {Op::Acos, "acos", [](Long a, Long) { return std::acos(a); }, -1, 1, false},
      {Op::Sinh, "sinh", [](Long a, Long) { return std::sinh(a); }, 1e-200, 709, true},
      {Op::Sinh, "sinh", [](Long a, Long) { return std::sinh(a); }, -30, 30, false},
      {Op::Cosh, "cosh", [](Long a, Long) { return std::cosh(a); }, -710, 710, false},
      {Op::Cosh, "cosh", [](Long a, Long) { return std::cosh(a); }, -3, 3, false},
      {Op::Tanh, "tanh", [](Long a, Long) { return std::tanh(a); }, 1e-200, 30, true},
      {Op::Tanh, "tanh", [](Long a, Long) { return std::tanh(a); }, -3, 3, false},
      {Op::Tan, "tan", [](Long a, Long) { return std::tan(a); }, -1000, 1000, false},
      {Op::Pow, "pow", [](Long a, Long b) { return std::pow(std::fabs(a), b); }, 0.2, 3, true},
      {Op::Pow, "pow", [](Long a, Long b) { return std::pow(std::fabs(a), b); }, 1e-9, 140, true},
  };
  return all;
}

/// out[k] = f_k(a, b) of the parameters a and b.
struct Module {
  Module() {
    const auto count = static_cast<std::int64_t>(functions().size());
    const int in = test::addBuffer(tape, "in", runtime::Role::Params, 2);
    const int out = test::addBuffer(tape, "out", runtime::Role::Output, count);
    test::FunctionBuilder f(tape, "all", 0);
    for (std::int64_t k = 0; k < count; ++k) {
      const Op op = functions()[static_cast<std::size_t>(k)].op;
      test::V a = f.load(in, 0);
      if (op == Op::Log || op == Op::Pow) a = f.op(Op::Abs, {a});
      f.store(out, k, op == Op::Atan2 || op == Op::Pow ? f.op(op, {a, f.load(in, 1)}) : f.op(op, {a}));
    }
    f.finish();
  }
  tape::Module tape;
};

std::unique_ptr<runtime::Compiled> compiled(const tape::Module& m, int lanes) {
  jit::CompileOptions o;
  o.lanes = lanes;
  o.useCache = false;
  return jit::compile(m, o);
}

/// The functions of pairs of arguments, as many at once as there are lanes.
std::vector<std::vector<double>> values(const Module& m, const runtime::Compiled& code, int lanes,
                                        const std::vector<std::array<double, 2>>& at) {
  std::vector<std::vector<double>> all;
  const auto width = static_cast<std::size_t>(lanes);
  test::LaneMemory memory(m.tape, lanes);
  for (std::size_t first = 0; first < at.size(); first += width) {
    for (std::size_t l = 0; l < width; ++l) {
      const auto& pair = at[std::min(first + l, at.size() - 1)];
      memory.at(0, 0, l) = pair[0];
      memory.at(0, 1, l) = pair[1];
    }
    memory.call(code, 0);
    for (std::size_t l = 0; l < width && first + l < at.size(); ++l) {
      std::vector<double> row;
      for (std::size_t k = 0; k < functions().size(); ++k)
        row.push_back(memory.at(static_cast<int>(runtime::Role::Output), k, l));
      all.push_back(row);
    }
  }
  return all;
}

double draw(std::mt19937_64& random, const Function& f) {
  std::uniform_real_distribution<double> part(0, 1);
  if (!f.spread) return f.low + (f.high - f.low) * part(random);
  const double size = std::exp(std::log(f.low) + (std::log(f.high) - std::log(f.low)) * part(random));
  return part(random) < 0.5 ? -size : size;
}

TEST(Elementary, ErrorsAreBelowThreeUnits) {
  const Module m;
  const auto code = compiled(m.tape, 4);
  for (std::size_t k = 0; k < functions().size(); ++k) {
    const Function& f = functions()[k];
    std::mt19937_64 random(1000 + k);
    std::vector<std::array<double, 2>> at;
    for (int n = 0; n < 40'000; ++n) {
      const double a = draw(random, f);
      at.push_back({a, draw(random, f)});
    }
    const auto got = values(m, *code, 4, at);
    double worst = 0;
    std::array<double, 2> where{};
    for (std::size_t n = 0; n < at.size(); ++n) {
      const Long exact = f.exact(at[n][0], at[n][1]);
      const auto size = static_cast<double>(std::fabs(exact));
      if (size > 1e308 || size < 1e-307) continue; // units of other sizes
      const double unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
      const auto error = static_cast<double>(std::fabs(got[n][k] - exact)) / unit;
      if (error <= worst) continue;
      worst = error;
      where = at[n];
    }
    EXPECT_LT(worst, 3) << f.name << " of " << where[0] << ", " << where[1];
    RecordProperty(std::string(f.name) + std::to_string(k), std::to_string(worst));
  }
}

bool equal(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

TEST(Elementary, EdgesAreThoseOfTheLibrary) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Module m;
  const auto code = compiled(m.tape, 2);
  std::vector<std::array<double, 2>> at;
  const std::vector<double> points = {0.0,   -0.0,   1.0,    -1.0,  infinite, -infinite, none,
                                      1e300, -1e300, 5e-324, 800.0, -800.0,   2.0};
  for (const double a : points)
    for (const double b : points) at.push_back({a, b});
  const auto got = values(m, *code, 2, at);
  for (std::size_t n = 0; n < at.size(); ++n)
    for (std::size_t k = 0; k < functions().size(); ++k) {
      const Function& f = functions()[k];
      const double a = f.op == Op::Log || f.op == Op::Pow ? std::fabs(at[n][0]) : at[n][0];
      const auto expected = static_cast<double>(f.exact(a, at[n][1]));
      if (std::isnan(expected) || std::isinf(expected) || expected == 0 || std::fabs(expected) == 1)
        EXPECT_TRUE(equal(got[n][k], expected))
            << f.name << " of " << a << ", " << at[n][1] << ": " << got[n][k] << " and " << expected;
      else
        EXPECT_NEAR(got[n][k], expected, std::max(4e-16 * std::fabs(expected), 5e-324))
            << f.name << " of " << a << ", " << at[n][1];
    }
}

TEST(Elementary, NegativeNumbersHaveNoLogarithm) {
  tape::Module m;
  const int in = test::addBuffer(m, "in", runtime::Role::Params, 1);
  const int out = test::addBuffer(m, "out", runtime::Role::Output, 1);
  test::FunctionBuilder f(m, "log", 0);
  f.store(out, 0, f.op(Op::Log, {f.load(in, 0)}));
  f.finish();
  const auto code = compiled(m, 1);
  test::LaneMemory memory(m, 1);
  for (const double x : {-1.0, -5e-324, -std::numeric_limits<double>::infinity()}) {
    memory.at(0, 0, 0) = x;
    memory.call(*code, 0);
    EXPECT_TRUE(std::isnan(memory.at(static_cast<int>(runtime::Role::Output), 0, 0))) << x;
  }
}

TEST(Elementary, EveryWidthHasTheSameBits) {
  const Module m;
  std::vector<std::array<double, 2>> at;
  std::mt19937_64 random(7);
  for (std::size_t k = 0; k < functions().size(); ++k)
    for (int n = 0; n < 500; ++n) {
      const double a = draw(random, functions()[k]);
      at.push_back({a, draw(random, functions()[k])});
    }
  const auto alone = values(m, *compiled(m.tape, 1), 1, at);
  for (const int lanes : {2, 8, 16}) {
    const auto got = values(m, *compiled(m.tape, lanes), lanes, at);
    for (std::size_t n = 0; n < at.size(); ++n)
      for (std::size_t k = 0; k < functions().size(); ++k)
        ASSERT_TRUE(equal(got[n][k], alone[n][k])) << functions()[k].name << " of " << at[n][0] << ", " << at[n][1];
  }
}

} // namespace
} // namespace lmc
