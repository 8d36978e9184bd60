// Functions of arrays that stand in a module once, against the same formulas in plain loops.
#include "lower/Agreement.h"
#include "sym/Inline.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace lmc::sym;
using namespace lmc::test;
using namespace lmc;

namespace {

std::size_t calls(const tape::Module& m) {
  std::size_t n = 0;
  for (const auto& f : m.functions)
    for (const auto& block : f.blocks)
      for (const auto& i : block.code) n += i.op == tape::Op::Call ? 1 : 0;
  return n;
}

/// B of n rows and n + 1 columns, two entries a row, one of them of a parameter alone, and S = B diag(w) B^T with
/// weights w over four decades.
struct Matrices {
  std::int64_t n;
  double parameter, time;

  [[nodiscard]] static double weight(std::int64_t a) { return std::pow(10.0, static_cast<double>(a % 5) - 2); }
  [[nodiscard]] Numbers jacobian(const Numbers& q) const {
    Numbers b(static_cast<std::size_t>(n * (n + 1)), 0);
    for (std::int64_t i = 0; i < n; ++i) {
      b[static_cast<std::size_t>(i * (n + 1) + i)] = 1 + 0.3 * std::sin(q[static_cast<std::size_t>(i)] + time);
      b[static_cast<std::size_t>(i * (n + 1) + i + 1)] = i % 2 == 0 ? parameter : q[static_cast<std::size_t>(i)];
    }
    return b;
  }
  /// x with S x = r, by elimination of the dense matrix.
  [[nodiscard]] Numbers solve(const Numbers& q, Numbers r) const {
    const Numbers b = jacobian(q);
    const auto N = static_cast<std::size_t>(n);
    std::vector<std::vector<long double>> s(N, std::vector<long double>(N, 0));
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t k = 0; k < N; ++k)
        for (std::size_t a = 0; a <= N; ++a)
          s[i][k] +=
              static_cast<long double>(b[i * (N + 1) + a]) * weight(static_cast<std::int64_t>(a)) * b[k * (N + 1) + a];
    std::vector<long double> x(r.begin(), r.end());
    for (std::size_t k = 0; k < N; ++k)
      for (std::size_t i = k + 1; i < N; ++i) {
        const long double f = s[i][k] / s[k][k];
        for (std::size_t j = k; j < N; ++j) s[i][j] -= f * s[k][j];
        x[i] -= f * x[k];
      }
    for (std::size_t k = N; k-- > 0;) {
      for (std::size_t j = k + 1; j < N; ++j) x[k] -= s[k][j] * x[j];
      x[k] /= s[k][k];
    }
    return {x.begin(), x.end()};
  }
};

/// The same as a program with a function, whose inputs are the array q and the time.
struct Program {
  explicit Program(std::int64_t size, bool loops = false) : n(size) {
    Graph& g = s.g;
    q = s.random("q", {n}, {});
    parameter = s.array("p", {}, {}, {0.7}, Role::Param);
    t = s.array("t", {}, {}, {0.25}, Role::Time);
    const Array* B = s.temp("B", {n, n + 1});
    const Array* S = s.temp("S", {n, n});
    for (std::int64_t i = 1; i <= n; ++i) {
      const Expr own = g.load(q, {s.n(i)});
      for (std::int64_t a = 1; a <= n + 1; ++a)
        s.set(B, {}, {s.n(i), s.n(a)}, [&] {
          if (a == i) return g.add(g.number(1), g.mul(s.real(0.3), g.function(Op::Sin, g.add(own, g.load(t)))));
          if (a == i + 1) return i % 2 == 1 ? g.load(parameter) : own;
          return g.number(0);
        }());
    }
    loops ? sumInLoops(B, S) : sumOut(B, S);
    Function f;
    f.name = "matrices";
    f.inputs = {q, t};
    f.results = {S, B};
    f.solved = {S};
    function = std::make_shared<const Function>(std::move(f));
  }

  /// S = B diag(w) B^T.
  void sumInLoops(const Array* B, const Array* S) {
    Graph& g = s.g;
    const Array* w = s.temp("w", {n + 1});
    for (std::int64_t a = 1; a <= n + 1; ++a) s.set(w, {}, {s.n(a)}, s.real(Matrices::weight(a - 1)));
    const Loop i = fullLoop(g, "i", n), k = fullLoop(g, "k", n), a = fullLoop(g, "a", n + 1);
    s.accumulate(S, {i, k, a}, {i.index, k.index},
                 g.mul(g.load(w, {a.index}), g.mul(g.load(B, {i.index, a.index}), g.load(B, {k.index, a.index}))));
  }
  void sumOut(const Array* B, const Array* S) {
    Graph& g = s.g;
    for (std::int64_t i = 1; i <= n; ++i)
      for (std::int64_t k = 1; k <= n; ++k) {
        Expr sum = g.number(0);
        for (std::int64_t a = 1; a <= n + 1; ++a)
          sum = g.add(sum, g.mul(s.real(Matrices::weight(a - 1)),
                                 g.mul(g.load(B, {s.n(i), s.n(a)}), g.load(B, {s.n(k), s.n(a)}))));
        s.set(S, {}, {s.n(i), s.n(k)}, sum);
      }
  }

  /// x with S(at) x = r, element by element.
  const Array* solution(const Array* S, const Array* r, const std::string& name) {
    Graph& g = s.g;
    std::vector<Expr> m, rhs;
    for (std::int64_t i = 1; i <= n; ++i) {
      for (std::int64_t k = 1; k <= n; ++k) m.push_back(g.load(S, {s.n(i), s.n(k)}));
      rhs.push_back(g.load(r, {s.n(i)}));
    }
    const int size = static_cast<int>(n);
    const Expr x = g.solve(g.matrix(size, size, m), g.vector(rhs), Definite::Semi);
    const Array* a = s.temp(name, {n});
    for (std::int64_t i = 1; i <= n; ++i) s.set(a, {}, {s.n(i)}, g.entry(x, static_cast<int>(i) - 1));
    return a;
  }

  Sandbox s;
  std::int64_t n;
  const Array *q, *parameter, *t;
  std::shared_ptr<const Function> function;
};

/// Two calls, the second at a point that follows from the first; a matrix is read in a loop, too.
void giveWhatTheEquationsSay(bool loops) {
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 18, 24, 30}) {
    Program m(n, loops);
    Graph& g = m.s.g;
    const auto first = callOf(m.s.p, m.function, {m.q, m.t}, "@1");
    const Array* x1 = m.solution(first[0], m.q, "x1");
    const Array* point = m.s.temp("point", {n});
    const Loop i = fullLoop(g, "i", n);
    m.s.set(point, {i}, {i.index},
            g.add(g.load(m.q, {i.index}), g.scale(Number::ratio(1, 1000), g.load(x1, {i.index}))));
    const auto second = callOf(m.s.p, m.function, {point, m.t}, "@2");
    const Array* x2 = m.solution(second[0], x1, "x2");
    const Array* y = m.s.temp("y", {n + 1}); // B^T x
    const Loop a = fullLoop(g, "a", n + 1), r = fullLoop(g, "r", n);
    m.s.accumulate(y, {a, r}, {a.index}, g.mul(g.load(second[1], {r.index, a.index}), g.load(x2, {r.index})));
    const std::vector<const Array*> outputs{x1, x2, y};

    const Matrices plain{n, 0.7, 0.25};
    const Numbers& q = m.s.contents(m.q);
    const Numbers w1 = plain.solve(q, q);
    Numbers moved = q;
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += w1[k] / 1000;
    const Numbers w2 = plain.solve(moved, w1);
    const Numbers b = plain.jacobian(moved);
    Numbers wanted = w1;
    wanted.insert(wanted.end(), w2.begin(), w2.end());
    for (std::size_t k = 0; k <= static_cast<std::size_t>(n); ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
        sum += b[j * static_cast<std::size_t>(n + 1) + k] * w2[j];
      wanted.push_back(sum);
    }
    for (const bool hoist : {false, true}) {
      Lowered lowered(m.s, outputs, hoist);
      EXPECT_EQ(tape::verify(lowered.module), "") << n;
      EXPECT_EQ(calls(lowered.module), 2U) << n;
      expectNear(lowered.run(), wanted, 1e-9, std::to_string(n) + (hoist ? " rows, hoisted" : " rows"));
    }
  }
}

} // namespace

TEST(Calls, GiveWhatTheEquationsSay) {
  giveWhatTheEquationsSay(false);
}

TEST(Calls, GiveWhatLoopsHaveWritten) {
  giveWhatTheEquationsSay(true);
}

/// The factors are made where the matrix is: a caller that solves twice divides by no pivot.
TEST(Calls, LeaveFactors) {
  Program m(6);
  const auto there = callOf(m.s.p, m.function, {m.q, m.t}, "@1");
  const Array* x = m.solution(there[0], m.q, "x");
  const Array* twice = m.solution(there[0], x, "x2");
  Lowered lowered(m.s, {twice}, true);
  std::vector<std::size_t> divisions;
  for (const auto& f : lowered.module.functions) {
    divisions.push_back(0);
    for (const auto& block : f.blocks)
      for (const auto& i : block.code) divisions.back() += i.op == tape::Op::Div ? 1 : 0;
  }
  ASSERT_EQ(divisions.size(), 3U); // setup, the caller, what it calls
  EXPECT_EQ(divisions[1], 0U);
  EXPECT_EQ(divisions[2], 6U);
}

/// What a branch does not take is called, too, and what nobody reads is not.
TEST(Calls, AreMadeForWhatIsRead) {
  Program m(4);
  Graph& g = m.s.g;
  const auto unread = callOf(m.s.p, m.function, {m.q, m.t}, "@0");
  const auto read = callOf(m.s.p, m.function, {m.q, m.t}, "@1");
  const Array* y = m.s.temp("y");
  const Expr entry = g.load(read[1], {m.s.n(3), m.s.n(3)});
  m.s.set(y, {}, {}, g.select(g.compare(Op::Lt, entry, g.number(0)), g.number(0), entry));
  Lowered lowered(m.s, {y}, true);
  EXPECT_EQ(calls(lowered.module), 1U);
  const Matrices plain{4, 0.7, 0.25};
  expectNear(lowered.run(), {plain.jacobian(m.s.contents(m.q))[2 * 5 + 2]}, 1e-14);
  (void)unread;
}

/// Derivatives go through the equations of the function.
TEST(Calls, HaveTheDerivativesOfTheirEquations) {
  Program m(3);
  Graph& g = m.s.g;
  const Array* point = m.s.temp("point", {3});
  const Loop i = fullLoop(g, "i", 3);
  m.s.set(point, {i}, {i.index}, g.scale(2, g.load(m.q, {i.index})));
  const auto there = callOf(m.s.p, m.function, {point, m.t}, "@1");
  const Expr entry = g.load(there[0], {m.s.n(2), m.s.n(2)});
  Tangent tangent(m.s.p);
  tangent.seed(m.q, [&](const std::vector<Expr>&) { return g.number(1); });
  const Array* change = m.s.temp("change");
  m.s.set(change, {}, {}, tangent.of(entry));
  const Numbers q = m.s.contents(m.q);
  const Matrices plain{3, 0.7, 0.25};
  // S_22 = w_2 B_22^2 + w_3 B_23^2 with B_22 = 1 + 0.3 sin(2 q_2 + t), B_23 = 2 q_2
  const double b = 1 + 0.3 * std::sin(2 * q[1] + 0.25);
  const double wanted = plain.weight(1) * 2 * b * 0.6 * std::cos(2 * q[1] + 0.25) + plain.weight(2) * 8 * q[1];
  Lowered lowered(m.s, {change}, true);
  expectNear(lowered.run(), {wanted}, 1e-12);
}
