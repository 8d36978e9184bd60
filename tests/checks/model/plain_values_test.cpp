// The plain reading of equations against closed forms, and derivatives of f against what is known of them.
#include "checks/model/FieldDerivatives.h"
#include "checks/model/PlainNodes.h"
#include "checks/model/PlainValues.h"
#include "products/Pipeline.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::checks;
using namespace lmc::products;
using namespace lmc::sym;
using namespace lmc;
using sym::Equation;
using sym::EquationKind;
using sym::Expr;
using sym::Graph;
using sym::Op;
using sym::Role;
using sym::Shape;

namespace {

/// Of an expression of constants.
Plain value(Expr e) {
  std::unordered_map<const sym::Node*, Plain> values;
  sym::visitPostOrder({e}, [&](const sym::Node& n) {
    std::vector<const Plain*> args;
    for (const Expr& a : n.args) args.push_back(&values.at(a.node()));
    values[&n] = plainNode(n, args);
  });
  return values.at(e.node());
}

struct Programs : ::testing::Test {
  Graph g;
  sym::Program p{g};

  const sym::Array* array(const std::string& name, std::vector<std::int64_t> extents, Shape shape = Shape::scalar(),
                          Role role = Role::Temp) {
    return g.newArray(name, std::move(extents), shape, role);
  }
  void append(EquationKind kind, const sym::Array* a, std::vector<sym::Loop> loops, std::vector<Expr> index, Expr value,
              Expr guard = {}) {
    Equation e;
    e.kind = kind;
    e.array = a;
    e.loops = std::move(loops);
    e.guard = guard;
    e.index = std::move(index);
    e.value = value;
    p.append(std::move(e));
  }
};

/// Errors of the derivatives of f of a model, at its initial state and at states near it.
std::optional<FieldDerivativeErrors> derivatives(const std::string& model) {
  PipelineOptions options;
  options.compilation.libraryRoot = libraryRoot();
  Pipeline pipeline(options);
  EXPECT_TRUE(pipeline.loadText("model.lie", model));
  const auto problem = pipeline.build(false);
  if (!problem) return std::nullopt;
  StateSpace space(*pipeline.system(), *problem);
  FieldDerivatives field(space);
  space.prepare();
  std::mt19937_64 engine(3);
  std::vector<std::pair<State, double>> states = {{problem->initialState, 0.0}};
  for (int k = 0; k < 4; ++k) states.emplace_back(space.near(problem->initialState, 0.2, engine), 0.2);
  return field.run(states, engine);
}

} // namespace

TEST_F(Programs, StumpffFunctionsAreThoseOfTheAngle) {
  for (const double s : {1e-9, 0.3, 2.5, 19.9, 20.1, 47.0, 900.0}) {
    const long double x = std::sqrt(static_cast<long double>(s));
    const auto c = [&](std::int64_t k, double at) {
      sym::Node n;
      n.op = Op::Stumpff;
      n.imm = k;
      const Plain argument = {static_cast<long double>(at)};
      n.args = {g.number(1)};
      return plainNode(n, {&argument})[0];
    };
    const long double half = std::sin(x / 2) / (x / 2), halfh = std::sinh(x / 2) / (x / 2);
    EXPECT_NEAR(c(0, s), std::cos(x), 1e-17);
    EXPECT_NEAR(c(1, s), std::sin(x) / x, 1e-17);
    EXPECT_NEAR(c(2, s), half * half / 2, 1e-17);
    EXPECT_NEAR(c(0, -s) / std::cosh(x), 1, 1e-17);
    EXPECT_NEAR(c(2, -s) / (halfh * halfh / 2), 1, 1e-17);
    for (const std::int64_t k : {0, 1, 2, 3, 5}) // c_k = 1/k! - s c_(k+2)
      for (const double at : {s, -s}) {
        const long double left = 1 / std::tgamma(static_cast<long double>(k) + 1) - at * c(k + 2, at);
        EXPECT_NEAR(left, c(k, at), 1e-16 * (1 + std::abs(c(k, at)))) << k << " " << at;
      }
  }
}

TEST_F(Programs, OperationsOfMatricesAreTheirDefinitions) {
  const auto number = [&](double x) { return g.number(sym::Number::real(x)); };
  const Expr a = g.matrix(
      3, 3,
      {number(0.3), number(-2), number(1), number(4), number(0.1), number(0.7), number(-1), number(5), number(2)});
  const Expr b = g.vector({number(1), number(-0.5), number(0.25)});
  const Plain x = value(g.solve(a, b, false)), back = value(g.matmul(a, g.solve(a, b, false)));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(back[k], value(b)[k], 1e-17);
  const Plain one = value(g.matmul(g.inverse(a), a));
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(one[k], k % 4 == 0 ? 1 : 0, 1e-16);
  EXPECT_NEAR(value(g.det(a))[0], 0.3L * (0.1L * 2 - 0.7L * 5) + 2 * (4 * 2 + 0.7L) + (4 * 5 + 0.1L), 1e-14);
  // exp of hat(b) turns about b by |b|
  const Plain turn = value(g.exponential(g.hat(b)));
  const long double angle = std::sqrt(1 + 0.25L + 0.0625L);
  EXPECT_NEAR(turn[0] + turn[4] + turn[8], 1 + 2 * std::cos(angle), 1e-17);
  const Plain fixed = value(g.matmul(g.exponential(g.hat(b)), b));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(fixed[k], value(b)[k], 1e-17);
  EXPECT_NEAR(x[0] * 0.3L - 2 * x[1] + x[2], 1, 1e-17);
}

// Fibonacci's numbers upwards, sums from the end downwards, a guard, and a load that no branch takes.
TEST_F(Programs, RecursionsRunAsTheyAreWritten) {
  const sym::Array *f = array("f", {10}), *s = array("s", {10}), *n = array("n", {});
  append(EquationKind::Set, f, {}, {g.integer(1)}, g.number(1));
  append(EquationKind::Set, f, {}, {g.integer(2)}, g.number(1));
  const Expr i = g.newIndex("i"), j = g.newIndex("j"), k = g.newIndex("k");
  append(EquationKind::Set, f, {{i, g.integer(3), g.integer(10), false}}, {i},
         g.add(g.load(f, {g.sub(i, g.integer(1))}), g.load(f, {g.sub(i, g.integer(2))})));
  append(EquationKind::Set, s, {{j, g.integer(1), g.integer(10), true}}, {j},
         g.add(g.load(f, {j}),
               g.select(g.compare(Op::Lt, j, g.integer(10)), g.load(s, {g.add(j, g.integer(1))}), g.number(0))));
  append(EquationKind::Accumulate, n, {{k, g.integer(1), g.integer(10), false}}, {}, g.load(s, {k}),
         g.compare(Op::Le, k, g.integer(2)));
  PlainValues plain(p);
  const auto values = plain.of({f, s, n});
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[9], 55);
  EXPECT_EQ((*values)[10], 143); // f_12 - 1
  EXPECT_EQ((*values)[19], 55);
  EXPECT_EQ((*values)[20], 143 + 142);
}

TEST_F(Programs, LinearSystemsAreSolvedAndIterationsAreLeftOut) {
  const sym::Array *m = array("m", {2, 2}, Shape::scalar(), Role::Param),
                   *r = array("r", {2}, Shape::scalar(), Role::Param), *x = array("x", {2});
  Equation e;
  e.kind = EquationKind::LinearSolve;
  e.array = x;
  e.matrix = m;
  e.rhs = r;
  p.append(e);
  PlainValues plain(p);
  EXPECT_FALSE(plain.of({x}));                                   // nothing is known of m
  const std::vector<double> matrix = {4, 0, 1, 3}, rhs = {1, 2}; // the lower part counts
  plain.set(m, matrix);
  plain.set(r, rhs);
  const auto values = plain.of({x});
  ASSERT_TRUE(values);
  EXPECT_NEAR((*values)[0], 1.0 / 11, 1e-16);
  EXPECT_NEAR((*values)[1], 7.0 / 11, 1e-16);
}

TEST(FieldDerivatives, AgreeOnEveryKindOfVariable) {
  const auto errors = derivatives(R"(model M {
  config R : SO(3) velocity W;
  config q[2] : S^2 velocity w;
  config X : SE(2) velocity u in space;
  state z : R;
  lagrangian = 0.5*dot(W, diag(1, 2, 3)*W) + sum(i in 1..2: 0.5*(1 + 0.2*i)*dot(q[i]', q[i]')) + 0.3*dot(q[1]', q[2]')
             + 0.5*(1 + X.x[1]^2)*u.w^2 + 0.5*dot(u.v, u.v) - q[1][3] - dot(R*e1, q[2]) - 0.4*dot(X.x, X.x);
  flow z = sin(t) - z^3 + W[2]*q[1][1];
  force on R = [z, 0, -0.1*W[3]];
  initial q[i in 1..2] = normalize([0.3*i, 0.2, 1]);
  initial w[i in 1..2] = cross(normalize([0.3*i, 0.2, 1]), [0.3, 0.5, 0.1*i]);
  initial W = [0.2, 0.5, 1];
  initial z = 0.4;
})");
  ASSERT_TRUE(errors);
  EXPECT_LT(errors->forward, 1e-9);
  EXPECT_LT(errors->backward, 1e-9);
}

// The derivative of floor is 0 everywhere, that of its differences is not. A kink at one state says nothing.
TEST(FieldDerivatives, SeeDerivativesThatAreNotThoseOfTheValues) {
  const std::string head = "model M { config x : R velocity v; lagrangian = 0.5*v^2; force on x = ",
                    tail = "; initial x = 1; initial v = 0.3; }";
  const auto wrong = derivatives(head + "-x - floor(1e7*x)/1e7" + tail);
  ASSERT_TRUE(wrong);
  EXPECT_GT(wrong->forward, 0.1);
  EXPECT_GT(wrong->backward, 0.1);
  EXPECT_FALSE(wrong->holds());
  const auto kink = derivatives(head + "-x - abs(x - 1)" + tail);
  ASSERT_TRUE(kink);
  EXPECT_TRUE(kink->holds()) << kink->forward << " " << kink->backward;
  const auto rest = derivatives("model M { config x : R velocity v; lagrangian = 0.5*v^2 - 1e6*x^2; }");
  ASSERT_TRUE(rest);
  EXPECT_TRUE(rest->holds()) << rest->forward << " " << rest->backward;
}
