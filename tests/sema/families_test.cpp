// Families: recursions, sums inside of them, time derivatives, clauses, coverage.
#include "sema/Support.h"

#include <gtest/gtest.h>

using namespace lmc;
using namespace lmc::test;

namespace {

/// An observable of a model with a chain of points q[4] in R^3: q[i] = [i, 0, 0], velocities [0, i, 0].
Numbers observed(const std::string& statements, const std::string& name = "result") {
  const Checked c = check("model M {\n"
                          "  param N : int = 4;\n"
                          "  config q[N] : R^3 velocity v;\n"
                          "  lagrangian = sum(i in 1..N: 0.5*dot(v[i], v[i]));\n"
                          "  initial q[i in 1..N] = [i, 0, 0];\n"
                          "  initial v[i in 1..N] = [0, i, 0];\n" +
                          statements + "\n}\n");
  EXPECT_EQ(c.text(), "");
  if (!c.model) return {};
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  return values.array(observable(*c.model, name));
}

} // namespace

TEST(Families, RecursionsAndTheirRates) {
  const std::string scan = "let x[1] = q[1]; let x[i in 2..N] = x[i-1] + i*q[i];";
  EXPECT_EQ(observed(scan + "observe result = x[N];"), (Numbers{1 + 4 + 9 + 16, 0, 0}));
  EXPECT_EQ(observed(scan + "observe result = x[N]';"), (Numbers{0, 1 + 4 + 9 + 16, 0}));
  EXPECT_EQ(observed(scan + "observe result[i in 1..N] = x[i]'[2];"), (Numbers{1, 5, 14, 30}));
  EXPECT_EQ(observed("let x[i in 2..N] = x[i-1] + q[i][1]; let x[1] = 0.5; observe result[i in 1..N] = x[i];"),
            (Numbers{0.5, 2.5, 5.5, 9.5}));
  EXPECT_EQ(observed("let f[1] = 1; let f[2] = 1; let f[i in 3..10] = f[i-1] + f[i-2]; observe result = f[10];"),
            (Numbers{55}));
}

TEST(Families, SumsInsideMembers) {
  EXPECT_EQ(observed("let s[i in 1..N] = sum(j in 1..N where j != i: q[j][1]*i); observe result[i in 1..N] = s[i];"),
            (Numbers{9, 16, 21, 24}));
  EXPECT_EQ(observed("let s[i in 1..N] = sum(j in 1..i: q[j][1]); observe result = sum(i in 1..N: s[i]);"),
            (Numbers{20}));
  EXPECT_EQ(observed("let s[i in 2..N] = sum(j in 1..i-1: q[j][1]); observe result = sum(i in 2..N: s[i]);"),
            (Numbers{10}));
}

TEST(Families, OfIntegersAndOfSeveralIndices) {
  EXPECT_EQ(observed("let a[i in 1..N] = N + 1 - i; observe result[i in 1..N] = q[a[i]][1];"), (Numbers{4, 3, 2, 1}));
  EXPECT_EQ(observed("let d[i in 1..N, j in 1..2] = q[i][1] + 10*j; observe result = d[3,2];"), (Numbers{23}));
  EXPECT_EQ(observed("param b[2, 3] = 1; observe result = sum(i in 1..2, j in 1..3: b[i,j]);"), (Numbers{6}));
}

TEST(Families, MayBeginLater) {
  EXPECT_EQ(observed("let d[i in 2..N] = q[i][1] - q[i-1][1]; observe result[i in 2..N] = d[i]*i;"),
            (Numbers{2, 3, 4}));
}

TEST(Families, FunctionsSumOverTheirCallersIndices) {
  EXPECT_EQ(observed("fn near(k) = sum(j in 1..N where j != k: 1/abs(q[j][1] - q[k][1])); observe result = sum(i in "
                     "1..N: near(i));"),
            (Numbers{2 * (3 * 1.0 + 2 * 0.5 + 1.0 / 3)}));
}

TEST(Families, OfParameters) {
  EXPECT_EQ(observed("param a[3] = 2; observe result = a[1] + a[2] + a[3];"), (Numbers{6}));
  EXPECT_EQ(observed("param a[3] = [1, 2, 3]; observe result = a[1] + 10*a[2] + 100*a[3];"), (Numbers{321}));
  EXPECT_EQ(observed("param a[i in 1..3] = i^2; observe result = a[1] + 10*a[2] + 100*a[3];"), (Numbers{941}));
  EXPECT_EQ(observed("param a[2] : vec(2) = [3, 4]; observe result = a[1] + 10*a[2];"), (Numbers{33, 44}));
  EXPECT_EQ(observed("param a[2] : vec(2) = [[1, 2], [3, 4]]; observe result = a[1] + 10*a[2];"), (Numbers{31, 42}));
  EXPECT_EQ(observed("param a[2] : mat(2,2) = [eye(2), 2*eye(2)]; observe result = a[1] + 10*a[2];"),
            (Numbers{21, 0, 0, 21}));
}

TEST(Families, InitialValuesByMembersAndParts) {
  const Checked c = check("model M {\n"
                          "  config q[4] : R velocity v;\n"
                          "  lagrangian = sum(i in 1..4: 0.5*v[i]^2);\n"
                          "  initial q[2] = 5;\n"
                          "  for i in 3..4 { initial q[i] = 10*i; }\n"
                          "  initial v[i in 1..4] = q[i] + 1;\n"
                          "}\n");
  ASSERT_TRUE(c.model) << c.text();
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  EXPECT_EQ(values.array(c.model->factors[0].point[0]), (Numbers{0, 5, 30, 40}));
  EXPECT_EQ(values.array(c.model->factors[0].velocity[0]), (Numbers{1, 6, 31, 41}));
}

TEST(Families, InitialValuesThroughFamiliesOfLets) {
  const Checked c = check("model M {\n"
                          "  config q[3] : R velocity v;\n"
                          "  let x[1] = q[1];\n"
                          "  let x[i in 2..3] = x[i-1] + q[i];\n"
                          "  lagrangian = sum(i in 1..3: 0.5*v[i]^2);\n"
                          "  initial v[i in 1..3] = x[i];\n"
                          "  initial q[i in 1..3] = i;\n"
                          "}\n");
  ASSERT_TRUE(c.model) << c.text();
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  EXPECT_EQ(values.array(c.model->factors[0].velocity[0]), (Numbers{1, 3, 6}));
}

TEST(Families, RandomNumbersHaveTheExtentsOfTheirLoops) {
  const Checked c = check("model M {\n"
                          "  config q[5] : R^3 velocity v;\n"
                          "  config R[5] : SO(3) velocity w;\n"
                          "  param a = uniform(2, 4);\n"
                          "  lagrangian = sum(i in 1..5: 0.5*dot(v[i], v[i]) + 0.5*dot(w[i], w[i]));\n"
                          "  initial q[i in 1..5] = normal(1, 2, 3);\n"
                          "  initial R[i in 1..5] = random(SO(3));\n"
                          "}\n");
  ASSERT_TRUE(c.model) << c.text();
  ASSERT_EQ(c.model->randoms.size(), 3U);
  EXPECT_TRUE(c.model->randoms[0].uniform);
  EXPECT_TRUE(c.model->randoms[0].array->extents.empty());
  EXPECT_EQ(c.model->randoms[1].array->extents, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(c.model->randoms[1].array->shape, sym::Shape::vec(3));
  EXPECT_EQ(c.model->randoms[2].array->shape, sym::Shape::vec(4));
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  EXPECT_EQ(values.array(c.model->factors[0].point[0])[0], 2); // 1 + 2*0.5
  EXPECT_EQ(values.array(c.model->parameters[0].array)[0], 3); // 2 + 2*0.5
  const Numbers R = values.array(c.model->factors[1].point[0]);
  EXPECT_NEAR(R[0] * R[0] + R[3] * R[3] + R[6] * R[6], 1, 1e-14);
}
