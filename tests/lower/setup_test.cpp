// What parameters alone decide is computed once, by `setup`; a step overwrites its state after having read it.
#include "lower/Agreement.h"

#include <gtest/gtest.h>

using namespace lmc::lower;
using namespace lmc::sym;
using namespace lmc::test;
using namespace lmc;
using lmc::test::expectAgreement;
using lmc::test::Lowered;
using lmc::test::Sandbox;

namespace {

std::size_t count(const tape::Module& m, std::size_t function, tape::Op op) {
  std::size_t n = 0;
  for (const auto& block : m.functions[function].blocks) {
    for (const auto& i : block.code) n += i.op == op ? 1 : 0;
  }
  return n;
}

} // namespace

TEST(Setup, TakesScalarsOfParameters) {
  Sandbox s;
  Graph& g = s.g;
  const Expr m = g.load(s.array("m", {}, {}, {2}, Role::Param));
  const Expr x = s.scalar("x", 0.5);
  const Array* out = s.temp("out");
  s.set(out, {}, {}, g.mul(g.function(Op::Exp, m), g.add(x, g.function(Op::Sqrt, m))));
  expectAgreement(s, {out}, "scalars");
  const Lowered with(s, {out}, true);
  EXPECT_EQ(count(with.module, 0, tape::Op::Exp), 1U);
  EXPECT_EQ(count(with.module, 1, tape::Op::Exp), 0U);
  EXPECT_EQ(count(with.module, 1, tape::Op::Sqrt), 0U);
  const Lowered without(s, {out}, false);
  EXPECT_EQ(count(without.module, 0, tape::Op::Exp), 1U);
}

TEST(Setup, TakesArraysOfParametersAndTheirConditions) {
  for (const std::int64_t N : {2, 50}) {
    Sandbox s;
    Graph& g = s.g;
    const Array* m = s.random("m", {N}, Shape::scalar(), Role::Param);
    const Array* q = s.random("q", {N}, Shape::scalar());
    const Array* sum = s.temp("sum", {N}); // a recursion of parameters
    s.set(sum, {}, {s.n(1)}, g.load(m, {s.n(1)}));
    const Loop l{g.newIndex("i"), s.n(2), s.n(N), false};
    s.set(sum, {l}, {l.index}, g.add(g.load(sum, {g.sub(l.index, s.n(1))}), g.function(Op::Exp, g.load(m, {l.index}))));
    const Array* out = s.temp("out", {N});
    const Loop k = fullLoop(g, "k", N);
    const Expr heavy = g.compare(Op::Lt, s.real(0.6), g.load(m, {s.n(2)}));
    const Expr steps = g.floorToInt(g.scale(7, g.load(m, {s.n(1)})));
    s.set(out, {k}, {k.index},
          g.mul(g.load(q, {k.index}),
                g.add(g.select(heavy, g.load(sum, {k.index}), g.load(sum, {s.n(1)})), g.toReal(steps))));
    expectAgreement(s, {out}, "N = " + std::to_string(N));
    const Lowered lowered(s, {out}, true);
    EXPECT_EQ(count(lowered.module, 1, tape::Op::Exp), 0U);
    EXPECT_GE(count(lowered.module, 0, tape::Op::Exp), 1U);
  }
}

TEST(Setup, AnOutputOfParametersOnlyIsCopied) {
  for (const std::int64_t N : {2, 50}) {
    Sandbox s;
    Graph& g = s.g;
    const Array* m = s.random("m", {N}, Shape::vec(3), Role::Param);
    const Array* out = s.temp("out", {N}, Shape::vec(3));
    const Loop k = fullLoop(g, "k", N);
    s.set(out, {k}, {k.index}, g.cross(g.load(m, {k.index}), g.load(m, {s.n(1)})));
    const Array* untouched = s.temp("untouched", {}, Shape::vec(2)); // no equation: zero
    expectAgreement(s, {out, untouched}, "N = " + std::to_string(N));
  }
}

TEST(Step, OverwritesItsStateAfterReadingIt) {
  for (const std::int64_t N : {2, 50}) {
    Sandbox s;
    Graph& g = s.g;
    const Array* a = s.random("a", {N}, Shape::scalar());
    const Array* b = s.random("b", {N}, Shape::scalar());
    const Array* nextA = s.temp("a+", {N});
    const Array* nextB = s.temp("b+", {N});
    const Loop i = fullLoop(g, "i", N);
    const Loop j = fullLoop(g, "j", N);
    s.set(nextA, {i}, {i.index}, g.load(b, {g.sub(s.n(N + 1), i.index)})); // exchanged and reversed
    s.set(nextB, {j}, {j.index}, g.add(g.load(a, {j.index}), g.load(b, {s.n(1)})));
    Lowering lowering(s.p, true);
    lowering.bindInput(a, runtime::Role::State, 0);
    lowering.bindInput(b, runtime::Role::State, N);
    const int step =
        lowering.addFunction("step", 2, {{nextA, runtime::Role::State, 0}, {nextB, runtime::Role::State, N}});
    const tape::Module m = lowering.finish(step);
    EXPECT_EQ(m.step, step);
    ASSERT_EQ(tape::verify(m), "");
    test::Numbers wanted = s.evaluator().array(nextA);
    const test::Numbers second = s.evaluator().array(nextB);
    wanted.insert(wanted.end(), second.begin(), second.end());
    test::Numbers state = s.contents(a);
    state.insert(state.end(), s.contents(b).begin(), s.contents(b).end());
    test::Numbers work(static_cast<std::size_t>(m.roleSize[static_cast<int>(runtime::Role::Work)]));
    runtime::Bases bases;
    bases.base[static_cast<int>(runtime::Role::State)] = state.data();
    bases.base[static_cast<int>(runtime::Role::Work)] = work.data();
    const double arguments[] = {0, 0.1};
    ASSERT_EQ(tape::interpret(m, step, bases, arguments), runtime::Ok);
    test::expectNear(state, wanted, 1e-15, "N = " + std::to_string(N));
  }
}

TEST(Failure, OfASingularSystemIsAStatus) {
  Sandbox s;
  Graph& g = s.g;
  const Expr A = g.load(s.array("A", {}, Shape::mat(6, 6), test::Numbers(36, 1.0)));
  const Array* out = s.temp("out", {}, Shape::mat(6, 6));
  s.set(out, {}, {}, g.inverse(A));
  Lowered lowered(s, {out}, false);
  test::Numbers state(36, 1.0);
  test::Numbers work(static_cast<std::size_t>(lowered.module.roleSize[static_cast<int>(runtime::Role::Work)]));
  test::Numbers output(36);
  runtime::Bases bases;
  bases.base[static_cast<int>(runtime::Role::State)] = state.data();
  bases.base[static_cast<int>(runtime::Role::Work)] = work.data();
  bases.base[static_cast<int>(runtime::Role::Output)] = output.data();
  const double t = 0;
  EXPECT_EQ(tape::interpret(lowered.module, 0, bases, &t), runtime::SingularMatrix);
}
