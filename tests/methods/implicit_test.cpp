// Derivatives of what a Newton iteration finds, against central differences and explicit formulas.
#include "lower/Agreement.h"
#include "methods/solve/Newton.h"

#include <cmath>

using namespace lmc::methods;
using namespace lmc::sym;
using namespace lmc::test;
using namespace lmc;
using lmc::test::expectNear;
using lmc::test::Lowered;
using lmc::test::Numbers;
using lmc::test::Sandbox;

namespace {

class Implicit : public testing::Test {
protected:
  Sandbox s;
  Graph& g = s.g;

  /// One number that satisfies residual(x) = 0, near `start`.
  template <class Residual> Expr solveNumber(Expr start, Residual residual) {
    const Space space{{"x", Shape::scalar(), 0, {}}};
    Newton newton(s.p, {space});
    const Expr x = newton.iterate(0)[0];
    newton.finish({{start}}, {{space, {residual(x)}}}, {});
    return newton.solution(0)[0];
  }

  /// A family of vectors with x[i] = (1 + sin(total)/5) q[i] + x[i] x (x[i] x m)/9, total = sum of m.x[j]/N.
  const Array* coupled(std::int64_t n, const Array* q, Expr m) {
    const Component c{"x", Shape::vec(3), n, {g.newIndex("i")}};
    Newton newton(s.p, {{c}});
    const Expr x = newton.iterate(0)[0];
    const Array* total = s.temp("total");
    s.accumulate(total, c.loops(g), {}, g.scale(Number::ratio(1, n), g.inner(m, x)));
    const Expr factor = g.add(g.number(1), g.scale(Number::ratio(1, 5), g.function(Op::Sin, g.load(total))));
    const Expr right =
        g.add(g.mul(factor, g.load(q, c.index)), g.scale(Number::ratio(1, 9), g.cross(x, g.cross(x, m))));
    newton.finish({{g.load(q, c.index)}}, {{{c}, {g.sub(x, right)}}}, {});
    const Array* result = s.temp("result", {n}, Shape::vec(3));
    s.set(result, c.loops(g), c.index, newton.solution(0)[0]);
    return result;
  }

  Numbers values(const Array* a) const { return Lowered(s, {a}, true).run(); }
  Numbers values(Expr e) {
    const Array* a = s.temp("value", {}, e->shape);
    s.set(a, {}, {}, e);
    return values(a);
  }
  const Array* tangentOf(Tangent& t, const Array* a) {
    const Array* result = s.temp("tangent", a->extents, a->shape);
    std::vector<Loop> loops;
    std::vector<Expr> index;
    for (const std::int64_t extent : a->extents) {
      loops.push_back(fullLoop(g, "i", extent));
      index.push_back(loops.back().index);
    }
    s.set(result, loops, index, t.of(g.load(a, index)));
    return result;
  }
  /// Seeds an input with a direction of random numbers; returns the array of the direction.
  const Array* seed(Tangent& t, const Array* input) {
    const Array* d = s.random("d" + input->name, input->extents, input->shape);
    t.seed(input, [this, d](const std::vector<Expr>& index) { return g.load(d, index); });
    return d;
  }
  /// The derivative of the numbers of an array along directions of inputs, by differences of fourth order.
  Numbers difference(const Array* a, const std::vector<std::pair<const Array*, const Array*>>& directions) {
    constexpr double h = 1e-3;
    const auto at = [&](double by) {
      const auto shift = [&](double sign) {
        for (const auto& [input, d] : directions)
          for (std::size_t k = 0; k < s.contents(input).size(); ++k)
            s.contents(input)[k] += sign * by * s.contents(d)[k];
      };
      shift(1);
      Numbers r = values(a);
      shift(-1);
      return r;
    };
    const Numbers one = at(h), two = at(2 * h), back = at(-h), far = at(-2 * h);
    Numbers r;
    for (std::size_t k = 0; k < one.size(); ++k) r.push_back((8 * (one[k] - back[k]) - (two[k] - far[k])) / (12 * h));
    return r;
  }
  /// The gradient of a weighted sum of all elements against its tangents.
  void checkGradient(const Array* a, const std::vector<const Array*>& inputs, const std::string& what) {
    const Array* weights = s.random("weights", a->extents, a->shape);
    const Array* sum = s.temp("sum");
    std::vector<Loop> loops;
    std::vector<Expr> index;
    for (const std::int64_t extent : a->extents) {
      loops.push_back(fullLoop(g, "i", extent));
      index.push_back(loops.back().index);
    }
    s.accumulate(sum, loops, {}, g.inner(g.load(weights, index), g.load(a, index)));
    const Gradient gradient = sym::gradient(s.p, g.load(sum), inputs);
    for (const Array* input : inputs) {
      Tangent t(s.p);
      const Array* d = seed(t, input);
      const Array* product = s.temp("product");
      std::vector<Loop> all;
      std::vector<Expr> at;
      for (const std::int64_t extent : input->extents) {
        all.push_back(fullLoop(g, "i", extent));
        at.push_back(all.back().index);
      }
      s.accumulate(product, all, {}, g.inner(gradient.of(input, at), g.load(d, at)));
      expectNear(values(product), values(t.of(g.load(sum))), 1e-11, what + ", reverse in " + input->name);
    }
  }
  /// First and second derivatives of a coupled family of n vectors.
  void checkFamily(std::int64_t n) {
    const Array* q = s.random("q", {n}, Shape::vec(3));
    const Array* m = s.random("m", {}, Shape::vec(3));
    const Array* x = coupled(n, q, g.load(m));
    Tangent first(s.p);
    const std::vector<std::pair<const Array*, const Array*>> along = {{q, seed(first, q)}, {m, seed(first, m)}};
    const Array* dx = tangentOf(first, x);
    expectNear(values(dx), difference(x, along), 1e-10, "first");
    Tangent second(s.p);
    const std::vector<std::pair<const Array*, const Array*>> other = {{q, seed(second, q)}, {m, seed(second, m)}};
    const Array* ddx = tangentOf(second, dx);
    expectNear(values(ddx), difference(dx, other), 1e-10, "second");
    checkGradient(x, {q, m}, "family");
    checkGradient(dx, {q, m}, "tangent of the family");
    checkGradient(coupled(n, x, g.load(m)), {q, m}, "one after the other");
  }
};

} // namespace

TEST_F(Implicit, TheTangentOfASquareRootIsItsDerivative) {
  const Array* p = s.array("p", {}, {}, {2});
  const Expr x = solveNumber(g.number(1), [&](Expr y) { return g.sub(g.mul(y, y), g.load(p)); });
  Tangent first(s.p);
  first.seed(p, [this](const std::vector<Expr>&) { return g.number(1); });
  const Expr dx = first.of(x);
  Tangent second(s.p);
  second.seed(p, [this](const std::vector<Expr>&) { return g.number(1); });
  const double root = std::sqrt(2.0);
  expectNear(values(x), {root}, 1e-15);
  expectNear(values(dx), {0.5 / root}, 1e-15);
  expectNear(values(second.of(dx)), {-0.25 / (root * 2)}, 1e-15);
}

TEST_F(Implicit, TheStartDoesNotMatter) {
  const Array* p = s.array("p", {}, {}, {2});
  const Expr x = solveNumber(g.load(p), [&](Expr y) { return g.sub(g.mul(y, y), g.number(3)); });
  Tangent t(s.p);
  t.seed(p, [this](const std::vector<Expr>&) { return g.number(1); });
  EXPECT_TRUE(t.of(x)->isZero());
}

TEST_F(Implicit, SmallFamiliesHaveAMatrix) {
  checkFamily(2);
}
TEST_F(Implicit, FamiliesInLoopsHaveAMatrix) {
  checkFamily(6);
}
TEST_F(Implicit, LargeFamiliesAreSolvedByProducts) {
  checkFamily(10);
}

TEST_F(Implicit, ColumnsOfAJacobianAreDerivativesOfTheResidual) {
  for (const std::int64_t n : {2, 6}) {
    (void)coupled(n, s.random("q", {n}, Shape::vec(3)), g.load(s.random("m", {}, Shape::vec(3))));
    std::shared_ptr<const NewtonIteration> found;
    for (const Equation& e : s.p.equations())
      if (e.newton) found = e.newton;
    ASSERT_TRUE(found);
    const NewtonIteration& newton = *found;
    ASSERT_EQ(newton.iterate.size(), 1U);
    ASSERT_EQ(newton.columns.size(), static_cast<std::size_t>(n));
    Numbers at;
    for (std::int64_t k = 0; k < 3 * n; ++k) at.push_back(0.3 + 0.1 * std::sin(2.0 * static_cast<double>(k)));
    const auto evaluated = [&](const Array* wanted, const Numbers& iterate, const Array* direction, std::size_t one) {
      Evaluate values(s.p);
      for (const auto& [array, numbers] : s.inputs) values.set(array, numbers);
      values.set(newton.iterate[0], iterate);
      Numbers unit(3, 0.0);
      unit[one] = 1;
      values.set(direction, unit);
      return values.array(wanted);
    };
    for (std::size_t c = 0; c < newton.columns.size(); ++c) {
      const JacobianColumns& columns = newton.columns[c];
      EXPECT_EQ(columns.first, static_cast<std::int64_t>(3 * c));
      for (std::size_t k = 0; k < 3; ++k) {
        const double h = 1e-5;
        Numbers before = at, after = at, difference;
        before[3 * c + k] -= h;
        after[3 * c + k] += h;
        const Numbers a = evaluated(newton.residual, before, columns.direction, k),
                      b = evaluated(newton.residual, after, columns.direction, k);
        for (std::size_t i = 0; i < a.size(); ++i) difference.push_back((b[i] - a[i]) / (2 * h));
        expectNear(evaluated(columns.product, at, columns.direction, k), difference, 1e-9, "column");
      }
    }
  }
}

TEST_F(Implicit, ManyDirectionsAtOnce) {
  for (const std::int64_t n : {3, 9}) { // with a matrix, by products
    const Array* q = s.random("q", {n}, Shape::vec(3));
    const Expr m = g.load(s.random("m", {}, Shape::vec(3)));
    const Array* x = coupled(n, q, m);
    const Loop member = fullLoop(g, "k", n);
    Tangent all(s.p, {member});
    all.seed(q, [&](const std::vector<Expr>& index) {
      const Expr own = g.compare(Op::Eq, index[0], member.index);
      return g.select(own, g.basis(3, g.integer(2)), g.zero(Shape::vec(3)));
    });
    const Array* many = s.temp("many", {n, n}, Shape::vec(3));
    const Loop i = fullLoop(g, "i", n);
    s.set(many, {member, i}, {member.index, i.index}, all.of(g.load(x, {i.index})));
    Numbers expected;
    for (std::int64_t k = 1; k <= n; ++k) {
      Tangent one(s.p);
      one.seed(q, [&](const std::vector<Expr>& index) {
        const Expr own = g.compare(Op::Eq, index[0], g.integer(k));
        return g.select(own, g.basis(3, g.integer(2)), g.zero(Shape::vec(3)));
      });
      const Numbers row = values(tangentOf(one, x));
      expected.insert(expected.end(), row.begin(), row.end());
    }
    expectNear(values(many), expected, 1e-12, std::to_string(n));
  }
}

TEST_F(Implicit, AnIterationInsideOfAnother) {
  // y(x, p): y + y^3 = x p;  x: x + y(x, p) = p.  So y = p - x and (p - x) + (p - x)^3 = x p.
  const Array* p = s.array("p", {}, {}, {1.3});
  const auto inner = [&](Expr x) {
    return solveNumber(g.number(0), [&](Expr y) { return g.sub(g.add(y, g.powInt(y, 3)), g.mul(x, g.load(p))); });
  };
  const Expr nested = solveNumber(g.number(0), [&](Expr x) { return g.sub(g.add(x, inner(x)), g.load(p)); });
  const Expr direct = solveNumber(g.number(0), [&](Expr x) {
    const Expr y = g.sub(g.load(p), x);
    return g.sub(g.add(y, g.powInt(y, 3)), g.mul(x, g.load(p)));
  });
  const auto along = [&](Expr e) {
    Tangent t(s.p);
    t.seed(p, [this](const std::vector<Expr>&) { return g.number(1); });
    return t.of(e);
  };
  expectNear(values(nested), values(direct), 1e-15, "value");
  expectNear(values(along(nested)), values(along(direct)), 1e-14, "first");
  expectNear(values(along(along(nested))), values(along(along(direct))), 1e-13, "second");
}

namespace {
/// x[i] = q[i] + c sin(x[i - 1]) + c x[i]^2 / 9 around a ring, by secants.
const Array* ring(Sandbox& s, std::int64_t n, const Array* q, Number c) {
  Graph& g = s.g;
  const Component part{"x", Shape::scalar(), n, {g.newIndex("i")}};
  Newton newton(s.p, {{part}});
  const Expr x = newton.iterate(0)[0], i = part.index[0];
  const Expr first = g.compare(Op::Eq, i, g.integer(1));
  const Expr before = g.load(newton.iterateArrays(0)[0], {g.select(first, g.integer(n), g.sub(i, g.integer(1)))});
  const Expr right = g.add(
      g.load(q, {i}), g.add(g.scale(c, g.function(Op::Sin, before)), g.scale(c * Number::ratio(1, 9), g.mul(x, x))));
  Newton::Settings settings;
  settings.nearOne = true;
  newton.finish({{g.load(q, {i})}}, {{{part}, {g.sub(x, right)}}}, settings);
  const Array* result = s.temp("result", {n});
  s.set(result, part.loops(g), part.index, newton.solution(0)[0]);
  return result;
}
} // namespace

TEST_F(Implicit, SecantsFindTheRootAndItHasDerivatives) {
  for (const std::int64_t n : {1, 2, 6, 18, 30}) {
    for (const int share : {100, 5, 2}) { // how far the Jacobian is from 1
      const Array* q = s.random("q", {n}, Shape::scalar());
      const Array* x = ring(s, n, q, Number::ratio(1, share));
      // The same map, which contracts, applied until nothing changes.
      std::vector<long double> wanted(s.contents(q).begin(), s.contents(q).end());
      for (int turn = 0; turn < 2000; ++turn) {
        const std::vector<long double> old = wanted;
        for (std::size_t i = 0; i < old.size(); ++i)
          wanted[i] =
              s.contents(q)[i] + (std::sin(old[(i + old.size() - 1) % old.size()]) + old[i] * old[i] / 9) / share;
      }
      const std::string what = std::to_string(n) + " numbers, 1/" + std::to_string(share);
      expectNear(values(x), Numbers(wanted.begin(), wanted.end()), 4e-15, what);
      Tangent t(s.p);
      const Array* d = seed(t, q);
      expectNear(values(tangentOf(t, x)), difference(x, {{q, d}}), 1e-9, what);
      checkGradient(x, {q}, what);
    }
  }
}

TEST_F(Implicit, SecantsWithoutARootAreAStatus) {
  const Space space{{"x", Shape::scalar(), 0, {}}};
  Newton newton(s.p, {space});
  const Expr x = newton.iterate(0)[0];
  Newton::Settings settings;
  settings.nearOne = true;
  newton.finish({{g.number(1)}}, {{space, {g.add(g.number(1), g.mul(x, x))}}}, settings);
  const Array* a = s.temp("value");
  s.set(a, {}, {}, newton.solution(0)[0]);
  lower::Lowering lowering(s.p, false);
  const int f = lowering.addFunction("f", 1, {{a, runtime::Role::Output, 0}});
  const tape::Module module = lowering.finish();
  std::vector<std::vector<double>> memory;
  runtime::Bases bases;
  for (std::size_t r = 0; r < runtime::roleCount; ++r) {
    memory.emplace_back(static_cast<std::size_t>(module.roleSize[r]));
    bases.base[r] = memory.back().data();
  }
  const double time = 0;
  EXPECT_EQ(tape::interpret(module, f, bases, &time), runtime::NoConvergence);
}

TEST_F(Implicit, AFamilyInsideOfAFamily) {
  // x = coupled(coupled(q + x/10)): an iteration of n vectors whose residual has an iteration of n vectors.
  for (const std::int64_t n : {2, 9}) {
    const Array* q = s.random("q", {n}, Shape::vec(3));
    const Expr m = g.load(s.random("m", {}, Shape::vec(3)));
    const Component c{"z", Shape::vec(3), n, {g.newIndex("i")}};
    Newton newton(s.p, {{c}});
    const Array* shifted = s.temp("shifted", {n}, Shape::vec(3));
    const Expr z = newton.iterate(0)[0];
    s.set(shifted, c.loops(g), c.index, g.add(g.load(q, c.index), g.scale(Number::ratio(1, 10), z)));
    const Array* inner = coupled(n, shifted, m);
    newton.finish({{g.zero(Shape::vec(3))}}, {{{c}, {g.sub(z, g.load(inner, c.index))}}}, {});
    const Array* result = s.temp("result", {n}, Shape::vec(3));
    s.set(result, c.loops(g), c.index, newton.solution(0)[0]);
    Tangent t(s.p);
    const Array* d = seed(t, q);
    expectNear(values(tangentOf(t, result)), difference(result, {{q, d}}), 1e-10, std::to_string(n));
    checkGradient(result, {q}, "nested");
  }
}

TEST_F(Implicit, AMatrixThatDoesNotDependOnTheIterateIsFactoredOnce) {
  // (A + A^T + 40) y = sin(x) over a family, x = q + y/5: the matrix stands before the loop of the iteration.
  constexpr std::int64_t n = 20;
  const Array* a = s.random("a", {n, n}, Shape::scalar());
  const Array* q = s.random("q", {n}, Shape::scalar());
  const Component c{"x", Shape::scalar(), n, {g.newIndex("i")}};
  Newton newton(s.p, {{c}});
  const Array* matrix = s.temp("matrix", {n, n});
  const Loop i = fullLoop(g, "i", n), j = fullLoop(g, "j", n);
  const Expr diagonal = g.select(g.compare(Op::Eq, i.index, j.index), g.number(40), g.number(0));
  s.set(matrix, {i, j}, {i.index, j.index},
        g.add(diagonal, g.add(g.load(a, {i.index, j.index}), g.load(a, {j.index, i.index}))));
  const Array* rhs = s.temp("rhs", {n});
  const Array* y = s.temp("y", {n});
  const Expr x = newton.iterate(0)[0];
  s.set(rhs, c.loops(g), c.index, g.scale(10, g.function(Op::Sin, x)));
  s.p.append({EquationKind::LinearSolve, y, {}, Expr(), {}, Expr(), matrix, rhs});
  const Expr residual = g.sub(x, g.add(g.load(q, c.index), g.load(y, c.index)));
  newton.finish({{g.load(q, c.index)}}, {{{c}, {residual}}}, {});
  const Array* result = s.temp("result", {n});
  s.set(result, c.loops(g), c.index, newton.solution(0)[0]);
  Tangent t(s.p);
  const Array* dq = seed(t, q);
  const Array* da = seed(t, a);
  expectNear(values(tangentOf(t, result)), difference(result, {{q, dq}, {a, da}}), 1e-10);
  checkGradient(result, {q, a}, "with a linear solve");
}

TEST_F(Implicit, LinearSolvesOverFamiliesHaveGradients) {
  constexpr std::int64_t n = 20;
  const Array* q = s.random("q", {n}, Shape::scalar());
  const Array* matrix = s.temp("matrix", {n, n});
  const Loop i = fullLoop(g, "i", n), j = fullLoop(g, "j", n), k = fullLoop(g, "k", n);
  const Expr diagonal = g.select(g.compare(Op::Eq, i.index, j.index), g.number(30), g.number(0));
  const Expr product = g.mul(g.load(q, {i.index}), g.load(q, {j.index}));
  s.set(matrix, {i, j}, {i.index, j.index}, g.add(diagonal, g.function(Op::Cos, product)));
  const Array* rhs = s.temp("rhs", {n});
  s.set(rhs, {k}, {k.index}, g.scale(10, g.function(Op::Sin, g.load(q, {k.index}))));
  const Array* y = s.temp("y", {n});
  s.p.append({EquationKind::LinearSolve, y, {}, Expr(), {}, Expr(), matrix, rhs});
  Tangent t(s.p);
  const Array* dq = seed(t, q);
  const Array* dy = tangentOf(t, y);
  expectNear(values(dy), difference(y, {{q, dq}}), 1e-10);
  checkGradient(y, {q}, "solution");
  checkGradient(dy, {q, dq}, "its tangent");
}
