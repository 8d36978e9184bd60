// Implicit equations in methods: every kind of unknown, families, tableaux, compositions.
#include "Stepper.h"

using namespace lmc::methods;
using namespace lmc::test;
using namespace lmc;

namespace {

const char* const top = R"(
model T {
  config R : SO(3) velocity w;
  lagrangian = 0.5*dot(w, diag(1, 2, 3)*w) - dot(e3, R*[0.5, 1, 0.3]);
  initial w = [0.4, 1, -0.7];
}
)";

/// Members that attract each other on spheres: a Jacobian over a family.
const char* const swarm = R"(
model S {
  param N : int = 12;
  config q[N] : S^2 velocity w;
  lagrangian = sum(i in 1..N: 0.5*dot(w[i], w[i])) + sum(i in 1..N, j in i+1..N: dot(q[i], q[j])^2/N);
  initial q[i in 1..N] = normalize([1, 0.1*i, 0.02*i^2]);
  initial w[1] = cross([1, 0.1, 0.02], [0.3, 0.2, 0.1]);
}
)";

const char* const midpoints = R"(
method Algebra order 2 {
  solve k from h*f(t, y) : k = h*f(t + h/2, exp(k/2)*y);
  next y = exp(k)*y;
}
method FromZero order 2 {
  solve k tolerance 1e-15 limit 50 : k = h*f(t + h/2, exp(k/2)*y);
  next y = exp(k)*y;
}
method Point order 2 {
  solve Y from y : Y = exp(h/2*f(t + h/2, Y))*y;
  next y = exp(h*f(t + h/2, Y))*y;
}
method Function order 2 {
  fn stage(k) = h*f(t + h/2, exp(k/2)*y);
  solve k from h*f(t, y) : k = stage(k);
  next y = exp(k)*y;
}
method Two order 2 {
  solve k, s from h*f(t, y), 2.0 : k = s*h/2*f(t + h/2, exp(k/2)*y), s^2 = 4 + s - 2;
  next y = exp(k)*y;
}
tableau Gauss1 { a = [[1/2]]; b = [1]; order 2; }
method Gauss = rkmk(Gauss1);
method Unsolvable order 1 {
  solve s from 1.0 : s^2 = -1;
  next y = exp(s*h*f(t, y))*y;
}
)";

} // namespace

TEST(Solve, EveryFormOfTheMidpointRuleIsTheSame) {
  for (const char* model : {top, swarm}) {
    Derived d(std::string(midpoints) + model);
    ASSERT_TRUE(d.good) << d.c.text();
    const auto reference = d.step("Algebra");
    ASSERT_TRUE(reference) << d.c.text();
    const Numbers expected = Stepper(d, *reference).run(0.05, 4);
    for (const char* method : {"FromZero", "Point", "Function", "Two", "Gauss"}) {
      const auto step = d.step(method);
      ASSERT_TRUE(step) << d.c.text();
      EXPECT_LT(distance(Stepper(d, *step).run(0.05, 4), expected), 2e-13) << method << model;
    }
  }
}

TEST(Solve, TheMidpointRuleIsTimeSymmetric) {
  Derived d(std::string(midpoints) + top);
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step("Algebra");
  ASSERT_TRUE(step) << d.c.text();
  Stepper stepper(d, *step);
  EXPECT_LT(distance(stepper.run(-0.1, 3, stepper.run(0.1, 3)), stepper.start()), 1e-14);
}

TEST(Solve, ReportsAnEquationWithoutSolution) {
  Derived d(std::string(midpoints) + top);
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step("Unsolvable");
  ASSERT_TRUE(step) << d.c.text();
  Stepper stepper(d, *step);
  (void)stepper.run(0.1, 1);
  EXPECT_EQ(stepper.status, runtime::NoConvergence);
}

TEST(Solve, CountsTheEvaluationsOfItsTurns) {
  Derived d(std::string(midpoints) + top);
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step("Algebra");
  ASSERT_TRUE(step) << d.c.text();
  EXPECT_EQ(step->evaluations, 1); // the starting value
  Stepper stepper(d, *step);
  (void)stepper.run(0.01, 1);
  EXPECT_GE(stepper.evaluations, 2);
  EXPECT_LE(stepper.evaluations, 4);
}

TEST(Solve, DifferentiatesThroughALinearSolveOverAFamily) {
  // A chain of nine: its mass matrix is dense, of 27 rows. With an exact Jacobian few turns are enough.
  Derived d(std::string(midpoints) + R"(
model Chain {
  param N : int = 9;
  config q[N] : S^2 velocity w;
  let x[1] = q[1];
  let x[i in 2..N] = x[i-1] + q[i];
  lagrangian = sum(i in 1..N: 0.5*dot(x[i]', x[i]') - 9.81*dot(e3, x[i]));
  initial q[i in 1..N] = normalize([1, 0.1*i, -1]);
}
)");
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step("Algebra");
  ASSERT_TRUE(step) << d.c.text();
  Stepper stepper(d, *step);
  const Numbers there = stepper.run(0.02, 1);
  EXPECT_LE(stepper.evaluations, 5);
  EXPECT_LT(distance(stepper.run(-0.02, 1, there), stepper.start()), 1e-12);
}

TEST(Solve, CompositionsRaiseTheOrder) {
  Derived d(std::string(midpoints) +
            "method Yoshida order 4 = compose(Algebra; 1/(2 - 2^(1/3)), 1 - 2/(2 - 2^(1/3)), 1/(2 - 2^(1/3)));\n" +
            top);
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step("Yoshida");
  const auto fine = d.step("RKMK4full");
  ASSERT_TRUE(step && fine) << d.c.text();
  const Numbers exact = Stepper(d, *fine).run(1.0 / 800, 400);
  Stepper stepper(d, *step);
  const double coarse = distance(stepper.run(0.05, 10), exact);
  const double finer = distance(stepper.run(0.025, 20), exact);
  EXPECT_NEAR(std::log2(coarse / finer), 4, 0.3);
}

namespace {

/// Numbers that the only iteration of a step finds; 0: there is none.
std::int64_t iterated(const Derived& d, const Step& step) {
  const sym::Program& p = d.program();
  std::int64_t n = 0;
  for (const std::size_t k : p.slice(step.next))
    if (p.equations()[k].kind == sym::EquationKind::Newton) n += p.equations()[k].newton->start->size();
  return n;
}

const char* const eliminations = R"(
method Plain order 2 {
  solve k from h*f(t, y) : k = h*f(t + h/2, exp(k/2)*y);
  next y = exp(k)*y;
}
method Given order 2 {
  solve k, a, b from h*f(t, y), h*f(t, y), 0*h*f(t, y) : k = h*f(t + h/2, exp(a)*y), a = b - k/2, k = b;
  next y = exp(2*a + k - b)*y;
}
method Reversed order 2 {
  solve a, k, s from h*f(t, y), h*f(t, y), 1.0 : k/2 = a, h*f(t + h/2, exp(a)*y) = k, s = 2.0;
  next y = exp(s*k/2)*y;
}
method Cycle order 2 {
  solve a, b from h*f(t, y), h*f(t, y) : a = h*f(t + h/2, exp(b/2)*y), b = h*f(t + h/2, exp(a/2)*y);
  next y = exp((a + b)/2)*y;
}
method Explicit order 1 {
  solve a, b : a = b/2, b = 2*h*f(t, y);
  next y = exp(a)*y;
}
method Euler order 1 {
  next y = exp(h*f(t, y))*y;
}
)";

} // namespace

TEST(Solve, IteratesOnWhatNoEquationGives) {
  for (const char* model : {top, swarm}) {
    Derived d(std::string(eliminations) + model);
    ASSERT_TRUE(d.good) << d.c.text();
    const auto plain = d.step("Plain");
    ASSERT_TRUE(plain) << d.c.text();
    const std::int64_t size = iterated(d, *plain);
    EXPECT_GT(size, 0);
    const Numbers expected = Stepper(d, *plain).run(0.05, 4);
    for (const char* method : {"Given", "Reversed", "Cycle"}) {
      const auto step = d.step(method);
      ASSERT_TRUE(step) << d.c.text();
      EXPECT_EQ(iterated(d, *step), size) << method;
      EXPECT_LT(distance(Stepper(d, *step).run(0.05, 4), expected), 2e-13) << method << model;
    }
  }
}

TEST(Solve, NeedsNoIterationWhereAllIsGiven) {
  for (const char* model : {top, swarm}) {
    Derived d(std::string(eliminations) + model);
    ASSERT_TRUE(d.good) << d.c.text();
    const auto step = d.step("Explicit");
    const auto euler = d.step("Euler");
    ASSERT_TRUE(step && euler) << d.c.text();
    EXPECT_EQ(iterated(d, *step), 0);
    EXPECT_EQ(step->evaluations, 1);
    EXPECT_LT(distance(Stepper(d, *step).run(0.05, 4), Stepper(d, *euler).run(0.05, 4)), 1e-14);
  }
}

TEST(Solve, ConvergesFromFarWithAKeptJacobian) {
  // s^3 = 2 from far away; two numbers of very different size; a root of the derivative near the start.
  Derived d(std::string(R"(
method Far order 1 {
  solve s from 40.0 : s^3 = 2;
  solve a, b from 1.0, 1e9 : a*b = 1, b^2 = 1e12 + a;
  solve c from 0.01 : c^2 = 2;
  next y = exp((s^3 - 1)*a*b*c^2/2*h*f(t, y))*y;
}
method Euler order 1 {
  next y = exp(h*f(t, y))*y;
}
)") + top);
  ASSERT_TRUE(d.good) << d.c.text();
  const auto far = d.step("Far");
  const auto euler = d.step("Euler");
  ASSERT_TRUE(far && euler) << d.c.text();
  Stepper stepper(d, *far);
  EXPECT_LT(distance(stepper.run(0.05, 4), Stepper(d, *euler).run(0.05, 4)), 1e-13);
}
