// Sums over near pairs: with lists and without them every bit is the same.
#include "products/Pipeline.h"

#include "diagnostics/Diagnostics.h"
#include "mechanics/system/System.h"
#include "runtime/kernels/Team.h"
#include "runtime/run/Workspace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace lmc {
namespace {

/// Soft spheres on a lattice that is shaken; `more` are further statements.
std::string spheres(const std::string& condition, const std::string& more = "") {
  return R"(
model Spheres {
  param N : int = 120;
  param rc = 2.2;
  param size = 1.1;
  param L : vec(3) = [5.5, 5.5, 7];
  param away : vec(3) = [0, 0, 0];
  config q[N] : R^3 momentum p;
  fn V(s) = 4*(s^(-6) - s^(-3));
  hamiltonian = sum(i in 1..N: dot(p[i], p[i])/2)
              + sum(i in 1..N, j in i+1..N where )" +
         condition + R"();
  initial q[i in 1..N] = away + size*[mod(i - 1, 5), mod(div(i - 1, 5), 5), div(i - 1, 25)] + normal(0, 0.04, 3);
  initial p[i in 1..N] = normal(0, 0.5, 3);
  )" + more +
         R"(
  simulate { method = RKMK4; time = 0..1; step = 0.01; seed = 3; }
}
)";
}

const char* const plain = "norm(q[i] - q[j]) < rc: V(dot(q[i] - q[j], q[i] - q[j]))";

struct Change {
  std::int64_t step;
  std::size_t number; ///< of the state
  double value;
};

struct Study {
  std::string model;
  std::vector<sema::Override> set = {};
  std::string method = "RKMK4";
  int steps = 40;
  std::vector<Change> changes = {}; ///< of the state, on the way
  int threads = 1;
};

/// The state after each step, with what is observed, and whether code has lists.
std::vector<double> trajectory(const Study& s, bool lists) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.compilation.overrides = s.set;
  o.codeForAnyParameters = false;
  o.compile.useCache = false;
  o.pairLists = lists;
  o.method = s.method;
  products::Pipeline pipeline(std::move(o));
  EXPECT_TRUE(pipeline.loadText("model.lie", s.model));
  if (s.threads > 1) EXPECT_NE(pipeline.dump("tape").find("loop owned"), std::string::npos);
  const runtime::Team team(s.threads);
  const bool listed = lists && pipeline.dump("tape").find("kernel near_update") != std::string::npos;
  const auto problem = pipeline.build();
  EXPECT_TRUE(problem) << (pipeline.diagnostics().hasErrors() ? pipeline.diagnostics().sorted().front().message : "");
  if (!problem) return {};
  runtime::Workspace w(*problem);
  EXPECT_EQ(w.start(), runtime::Ok);
  std::vector<double> all{listed ? 1.0 : 0.0};
  for (std::int64_t k = 0; k < s.steps; ++k) {
    std::int64_t done = 0;
    for (const Change& c : s.changes)
      if (c.step == k) w.state()[c.number] = c.value;
    (void)w.advance(0, problem->step, k, 1, done);
    (void)w.observe(problem->step * static_cast<double>(k + 1));
    all.insert(all.end(), w.state().begin(), w.state().end());
    all.insert(all.end(), w.output().begin(), w.output().end());
  }
  return all;
}

void expectTheSame(const Study& s, bool listed = true) {
  const std::vector<double> with = trajectory(s, true), without = trajectory(s, false);
  ASSERT_EQ(with.size(), without.size());
  EXPECT_EQ(with[0], listed ? 1 : 0) << "the lists";
  EXPECT_EQ(without[0], 0);
  for (std::size_t k = 1; k < with.size(); ++k)
    ASSERT_EQ(std::memcmp(&with[k], &without[k], sizeof(double)), 0) << k << ": " << with[k] << ", " << without[k];
}

TEST(NearSums, HaveTheBitsOfAllPairs) {
  expectTheSame({spheres(plain)});
  expectTheSame({spheres("dot(q[i] - q[j], q[i] - q[j]) < rc^2: V(dot(q[i] - q[j], q[i] - q[j]))")});
  expectTheSame({spheres("rc > norm(q[j] - q[i]) and i + j > 20: V(dot(q[i] - q[j], q[i] - q[j]))")});
}

/// Roots and divisions of a pair are computed first: products that they share with other terms, or with each other, are
/// fused as they are where nothing is divided.
TEST(NearSums, OfTermsThatShareProductsWithTheirRoots) {
  const char* const functions = R"(
  fn a(d) = d[1]*d[2];
  fn W(d) = sqrt(1 + a(d)^2) + a(d)*d[3] + (a(d) + d[3])/(2 + a(d)^2) + d[1]^2*sqrt(2 + sqrt(1 + d[1]^2) + d[2]^2);
  fn U(d) = sqrt(9 + a(d)) + a(d)*d[3] + d[3]^2/2;
  fn cut(s) = (1 - s/rc^2)^3;)";
  const std::string near = "dot(q[i] - q[j], q[i] - q[j]) < rc^2: ", ends = "*cut(dot(q[i] - q[j], q[i] - q[j]))";
  expectTheSame({spheres(near + "W(q[i] - q[j])" + ends, functions)});
  expectTheSame({spheres(near + "U(q[i] - q[j])", functions)});
  expectTheSame({spheres(near + "(3/7 + a(q[i] - q[j])/7)" + ends, functions)}); // no divisor that varies
}

/// The energy after some steps against a sum over all pairs in long double, which asks `counts` of each.
void expectEnergy(const std::string& model, bool (*counts)(const long double* d), const long double* box) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.codeForAnyParameters = false;
  products::Pipeline pipeline(std::move(o));
  ASSERT_TRUE(pipeline.loadText("model.lie", model));
  const auto problem = pipeline.build();
  ASSERT_TRUE(problem);
  runtime::Workspace w(*problem);
  ASSERT_EQ(w.start(), runtime::Ok);
  std::int64_t done = 0;
  ASSERT_EQ(w.advance(0, problem->step, 0, 15, done), runtime::Ok);
  ASSERT_EQ(w.observe(15 * problem->step), runtime::Ok);
  constexpr std::size_t n = 120;
  const std::span<const double> y = w.state();
  long double energy = 0, size = 0;
  for (std::size_t k = 0; k < 3 * n; ++k) energy += 0.5L * y[3 * n + k] * y[3 * n + k];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      long double d[3], s = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        d[k] = static_cast<long double>(y[3 * i + k]) - y[3 * j + k];
        if (box != nullptr) d[k] -= box[k] * std::round(d[k] / box[k]);
        s += d[k] * d[k];
      }
      if (!counts(d)) continue;
      const long double v = 4 * (std::pow(s, -6.0L) - std::pow(s, -3.0L));
      energy += v;
      size += std::abs(v);
    }
  const double found = w.numbers(*problem->field(runtime::FieldKind::Energy))[0];
  EXPECT_NEAR(found, static_cast<double>(energy), 1e-12 * static_cast<double>(size));
}

TEST(NearSums, AreThoseOfAPlainProgram) {
  const auto within = [](const long double* d) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 2.2L * 2.2L; };
  expectEnergy(spheres(plain), within, nullptr);
  const long double box[] = {5.5L, 5.5L, 7.0L};
  expectEnergy(spheres("norm(minimum_image(q[i] - q[j], L)) < rc: "
                       "V(dot(minimum_image(q[i] - q[j], L), minimum_image(q[i] - q[j], L)))"),
               within, box);
  // No bound of a distance: all pairs are asked.
  expectEnergy(
      spheres("q[i][1] > q[j][1] + 0.3: V(dot(q[i] - q[j], q[i] - q[j]))"),
      [](const long double* d) { return d[0] > 0.3L; }, nullptr);
}

/// With and without threads; what the lists say is compared with all pairs once.
void expectTheSameOfAnyTeam(Study s, bool plainly = true) {
  const std::vector<double> alone = trajectory(s, true);
  if (plainly) expectTheSame(s);
  for (const int threads : {2, 3, 7, 64}) {
    s.threads = threads;
    const std::vector<double> shared = trajectory(s, true);
    ASSERT_EQ(alone.size(), shared.size());
    for (std::size_t k = 0; k < alone.size(); ++k)
      ASSERT_EQ(std::memcmp(&alone[k], &shared[k], sizeof(double)), 0) << threads << " threads, number " << k;
  }
}

TEST(NearSums, HaveTheBitsOfAllPairsWithAnyNumberOfThreads) {
  expectTheSameOfAnyTeam({spheres(plain), {{"N", "1500"}}, "RKMK4", 4});
  // lists and looks at them in pieces
  expectTheSameOfAnyTeam({spheres(plain), {{"N", "9000"}}, "LSV", 2});
  // more neighbours than lists have room for: rows are made when they are wanted
  expectTheSameOfAnyTeam({spheres(plain), {{"N", "1500"}, {"rc", "40"}}, "LSV", 2});
  // all in one cell, members that leave, and one that is no number
  expectTheSameOfAnyTeam({spheres(plain), {{"N", "1500"}}, "LSV", 6, {{1, 7, 500.0}, {3, 7, 1.3}, {4, 100, NAN}}});
}

TEST(NearSums, OfMembersInAnyPlacesWithAnyNumberOfThreads) {
  // neighbours have numbers that are far from each other, and pairs of most threads belong to two
  expectTheSameOfAnyTeam({R"(
model Mixed {
  param N : int = 1200;
  param K : int = 700;
  param rc = 1.2;
  config x[N] : R^3 momentum p;
  config y[K] : R^3 momentum r;
  hamiltonian = sum(i in 1..N: dot(p[i], p[i])/2) + sum(k in 1..K: dot(r[k], r[k])/3)
              + sum(i in 1..N, j in i+1..N where norm(x[i] - x[j]) < rc: (rc - norm(x[i] - x[j]))^3)
              + sum(i in 1..N, k in 1..K where norm(x[i] - y[k]) < rc: exp(rc - norm(x[i] - y[k])));
  initial x[i in 1..N] = normal(0, 3, 3);
  initial y[k in 1..K] = normal(0, 3, 3);
  simulate { method = RKMK4; time = 0..1; step = 0.01; seed = 3; }
}
)",
                          {},
                          "RKMK4",
                          4});
}

TEST(NearSums, OverAllPairsAreSharedByRows) {
  // one number, a vector, and numbers of the first member alone; none of them is in a step
  const std::string observed = R"(
  observe count = sum(i in 1..N, j in 1..N where j != i and norm(q[i] - q[j]) < rc: 1);
  observe virial = sum(i in 1..N, j in i+1..N where norm(q[i] - q[j]) < rc:
                       (rc - norm(q[i] - q[j]))*(q[i] - q[j]));
  observe own[i in 1..N] = sum(j in 1..N where j != i and norm(q[i] - q[j]) < rc: exp(-norm(q[i] - q[j])));
)";
  Study s{spheres(plain, observed), {{"N", "4000"}}, "LSV", 2};
  {
    products::PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    o.compilation.overrides = s.set;
    o.codeForAnyParameters = false;
    o.pairLists = true;
    products::Pipeline pipeline(std::move(o));
    ASSERT_TRUE(pipeline.loadText("model.lie", s.model));
    const std::string tape = pipeline.dump("tape");
    const std::size_t begin = tape.find("function observe"), end = tape.find("function step");
    ASSERT_LT(begin, end);
    std::size_t owned = 0;
    for (std::size_t at = begin; (at = tape.find("loop owned", at)) < end; ++at) ++owned;
    EXPECT_EQ(owned, 2U); // sums over the same pairs are made together
  }
  expectTheSameOfAnyTeam(s);
}

TEST(NearSums, ThroughFamiliesOfTwoIndices) {
  const auto familyOf = [](const std::string& lets, const std::string& condition) {
    return trajectory({spheres(condition, lets)}, true);
  };
  const std::vector<double> direct = trajectory({spheres(plain)}, true);
  for (const auto& [lets, condition] :
       {std::pair{"let d[i in 1..N, j in 1..N] = q[i] - q[j];", "norm(d[i, j]) < rc: V(dot(d[i, j], d[i, j]))"},
        {"let d[i in 1..N, j in 1..N] = q[i] - q[j];\n  let r[i in 1..N, j in 1..N] = norm(d[i, j]);",
         "r[i, j] < rc: V(dot(d[i, j], d[i, j]))"},
        {"let d[i in 1..N, j in 2..N] = q[i] - q[j];", "norm(d[i, j]) < rc: V(dot(d[i, j], d[i, j]))"}}) {
    const std::vector<double> found = familyOf(lets, condition);
    ASSERT_EQ(found.size(), direct.size()) << lets;
    EXPECT_EQ(found[0], 1) << "a list: " << lets;
    EXPECT_EQ(std::memcmp(found.data(), direct.data(), found.size() * sizeof(double)), 0) << lets;
  }
  // of data alone a family stays one: it is worked out once
  const std::vector<double> chosen =
      familyOf("param a : mat(2,2) = eye(2);\n  let w[i in 1..N, j in 1..N] = a[1, 1]*(i + j);",
               "w[i, j] < 40: V(dot(q[i] - q[j], q[i] - q[j]))");
  ASSERT_FALSE(chosen.empty());
  EXPECT_EQ(chosen[0], 0);
}

TEST(NearSums, FewMembersNeedNoList) {
  for (const char* n : {"1", "2", "3", "20"}) expectTheSame({spheres(plain), {{"N", n}}, "RKMK4", 5}, false);
}

TEST(NearSums, DenseSparseAndFarAway) {
  expectTheSame({spheres(plain), {{"rc", "100"}}, "RKMK4", 3}); // all in one cell
  expectTheSame({spheres(plain), {{"size", "30"}}, "RKMK4", 5});
  expectTheSame({spheres(plain), {{"away", "[1e6, -2e7, 3]"}}, "RKMK4", 20});
  expectTheSame({spheres(plain), {{"away", "[0, 1e15, 0]"}}, "RKMK4", 3}); // rounding is larger than the limit
}

TEST(NearSums, MembersThatLeaveAndThatAreNotNumbers) {
  expectTheSame({spheres(plain), {}, "RKMK4", 12, {{3, 7, 500.0}, {6, 7, 1.3}, {8, 100, -1e13}}});
  expectTheSame({spheres(plain), {}, "RKMK4", 8, {{3, 7, NAN}, {5, 30, INFINITY}}});
}

TEST(NearSums, InBoxes) {
  const std::string box = "norm(minimum_image(q[i] - q[j], L)) < rc: "
                          "V(dot(minimum_image(q[i] - q[j], L), minimum_image(q[i] - q[j], L)))";
  expectTheSame({spheres(box)});
  expectTheSame({spheres(box), {{"L", "[12, 9, 40]"}}});
  expectTheSame({spheres(box), {{"rc", "4.2"}}, "RKMK4", 10}); // beyond half of the box
}

TEST(NearSums, InThePlane) {
  const auto disks = [](const std::string& difference) {
    return R"(
model Disks {
  param N : int = 100;
  param rc = 2.2;
  param L : vec(2) = [12, 13.5];
  config q[i in 1..N] : R^2 momentum p;
  hamiltonian = sum(i in 1..N: dot(p[i], p[i])/2)
              + sum(i in 1..N, j in i+1..N where norm()" +
           difference + R"() < rc: (rc - norm()" + difference + R"())^3);
  initial q[i in 1..N] = 1.2*[mod(i - 1, 10), div(i - 1, 10)] + normal(0, 0.1, 2);
  initial p[i in 1..N] = normal(0, 0.5, 2);
  simulate { method = RKMK4; time = 0..1; step = 0.02; seed = 5; }
}
)";
  };
  expectTheSame({disks("q[i] - q[j]")});
  expectTheSame({disks("plane_minimum_image(q[i] - q[j], L)")});
  // A strip that repeats along one axis alone.
  expectTheSame({disks("[nearest_period(q[i][1] - q[j][1], L[1]), q[i][2] - q[j][2]]")});
}

TEST(NearSums, OfTwoFamiliesAndInBothOrders) {
  Study s{R"(
model Two {
  param N : int = 90;
  param rc = 2;
  config q[N] : R^3 velocity v;
  config s[70] : S^2 velocity w;
  lagrangian = sum(i in 1..N: dot(v[i], v[i])/2) + sum(j in 1..70: dot(w[j], w[j])/2)
             - sum(i in 1..N, j in 1..70 where norm(q[i] - 3*s[j]) <= rc: (norm(q[i] - 3*s[j]) - rc)^2)
             - sum(i in 1..N, j in 1..N where j != i and norm(q[i] - q[j]) < rc: 0.1*(norm(q[i] - q[j]) - rc)^2);
  initial q[i in 1..N] = normal(0, 2, 3);
  initial s[j in 1..70] = random(S^2);
  observe near[i in 1..N] = sum(j in 1..N where j != i and norm(q[i] - q[j]) < 1.5: 1);
  simulate { method = RKMK4; time = 0..1; step = 0.01; seed = 3; }
}
)"};
  expectTheSame(s);
}

TEST(NearSums, OfBodiesWithSitesInImplicitSteps) {
  const std::string model = R"(
model Bodies {
  param N : int = 70;
  param rc = 1.6;
  param a : vec(3) = [0.2, 0, 0.1];
  config q[N] : R^3 momentum p;
  config R[N] : SO(3) momentum m;
  fn V(d) = (dot(d, d) - rc^2)^2;
  hamiltonian = sum(i in 1..N: dot(p[i], p[i])/2 + dot(m[i], m[i])/2)
    + sum(i in 1..N, j in i+1..N where norm(q[i] + R[i]*a - q[j] - R[j]*a) < rc: V(q[i] + R[i]*a - q[j] - R[j]*a))
    + sum(i in 1..N, j in i+1..N: 0.01*dot(q[i] - q[j], q[i] - q[j]));
  initial q[i in 1..N] = normal(0, 1.5, 3);
  initial R[i in 1..N] = random(SO(3));
  simulate { method = LSV; time = 0..1; step = 0.01; seed = 5; }
}
)";
  expectTheSame({model, {}, "RKMK4", 15});
  expectTheSame({model, {}, "LSV", 10});
}

/// The codes of what a run of a model is told, with the messages.
std::string told(const std::string& model, const std::vector<sema::Override>& set = {}) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = LMC_SOURCE_DIR;
  o.compilation.overrides = set;
  o.codeForAnyParameters = false;
  products::Pipeline pipeline(std::move(o));
  EXPECT_TRUE(pipeline.loadText("model.lie", model));
  EXPECT_TRUE(pipeline.build());
  std::string text;
  for (const Diagnostic& d : pipeline.diagnostics().sorted()) {
    text += std::string(info(d.code).name) + " ";
    text += model.substr(d.range.begin, d.range.end - d.range.begin) + ": " + d.message + "\n";
  }
  return text;
}

TEST(NearSums, TellOfEnergiesAndForcesThatJump) {
  // 4 (s^-6 - s^-3) at s = 2.2^2: -0.0350; its slope there, 24 r^-7 - 48 r^-13, 0.0945
  const std::string jump = told(spheres(plain));
  EXPECT_EQ(jump.find("LIE0590 norm(q[i] - q[j]) < rc: a summand is -0.0349"), 0U) << jump;
  EXPECT_EQ(jump.find("LIE", 3), std::string::npos) << jump;
  const std::string bend = told(spheres("norm(q[i] - q[j]) < rc: 3*(rc - norm(q[j] - q[i]))"));
  EXPECT_NE(bend.find("the slope of a summand is -3 at the limit 2.2"), std::string::npos) << bend;
  EXPECT_EQ(told(spheres("norm(q[i] - q[j]) < rc: (rc - norm(q[i] - q[j]))^2")), "");
  EXPECT_EQ(told(spheres("dot(q[i] - q[j], q[i] - q[j]) < rc^2: (rc^2 - dot(q[i] - q[j], q[i] - q[j]))^2")), "");
  const std::string squared = told(spheres("dot(q[i] - q[j], q[i] - q[j]) <= rc: V(dot(q[i] - q[j], q[i] - q[j]))"));
  EXPECT_NE(squared.find("at the limit 1.48324"), std::string::npos) << squared;
  // What is only observed may jump.
  EXPECT_EQ(told(spheres("norm(q[i] - q[j]) < rc: (rc - norm(q[i] - q[j]))^2",
                         "observe n = sum(i in 1..N, j in i+1..N where norm(q[i] - q[j]) < rc: 1);")),
            "");
}

TEST(NearSums, TellOfBoxesThatAreTooSmall) {
  const std::string smooth = spheres("norm(minimum_image(q[i] - q[j], L)) < rc: "
                                     "(rc - norm(minimum_image(q[i] - q[j], L)))^2");
  EXPECT_EQ(told(smooth), "");
  const std::string beyond = told(smooth, {{"rc", "2.8"}});
  EXPECT_EQ(beyond.find("LIE0591"), 0U) << beyond;
  EXPECT_NE(beyond.find("the limit 2.8 is more than half of the period 5.5"), std::string::npos) << beyond;
}

/// Dipolar spheres in a periodic box whose forces and torques end at zero at the cut-off.
const char* const dipoles = R"(
model Dipoles {
  param N : int = 2000;
  param rc = 2.25;
  param L : vec(3) = [13.8, 13.8, 13.8];
  param mu0 : vec(3) = [0, 0, 1];
  config q[N] : R^3 momentum p;
  config Q[N] : SO(3) momentum Pi;
  let mu[i in 1..N] = Q[i]*mu0;
  fn LJ(s) = 4*(s^(-6) - s^(-3) + (6*rc^(-12) - 3*rc^(-6))*s/rc^2 - 7*rc^(-12) + 4*rc^(-6));
  fn DD(d, s, a, b) = (1 - 4*(sqrt(s)/rc)^3 + 3*(sqrt(s)/rc)^4)*(dot(a, b) - 3*dot(a, d)*dot(b, d)/s)/(s*sqrt(s));
  fn V(d, a, b) = LJ(dot(d, d)) + DD(d, dot(d, d), a, b);
  fn near(d) = dot(d, d) < rc^2;
  hamiltonian = sum(i in 1..N: dot(p[i], p[i])/2 + 5*dot(Pi[i], Pi[i]))
              + sum(i in 1..N, j in i+1..N where near(minimum_image(q[i] - q[j], L)):
                    V(minimum_image(q[i] - q[j], L), mu[i], mu[j]));
  initial q[i in 1..N] = 1.06*[mod(i - 1, 13), mod(div(i - 1, 13), 13), div(i - 1, 169)] + normal(0, 0.02, 3);
  initial Q[i in 1..N] = random(SO(3));
  initial p[i in 1..N] = normal(0, 1, 3);
  simulate { method = RKMK4; time = 0..1; step = 0.001; seed = 3; }
}
)";

TEST(NearSums, OfDipolesInABox) {
  // nothing jumps at the cut-off
  EXPECT_EQ(told(dipoles), "");
  expectTheSameOfAnyTeam({dipoles, {}, "RKMK4", 3});
}

/// By hand: LMC_NEAR_STEPS=1000 products_test --gtest_filter=NearSums.Long*
TEST(NearSums, LongRuns) {
  const char* const steps = std::getenv("LMC_NEAR_STEPS");
  Study s{spheres(plain), {{"N", "2000"}}, "LSV", steps != nullptr ? std::atoi(steps) : 8};
  expectTheSame(s);
}

TEST(NearSums, LongRunsOfDipoles) {
  const char* const steps = std::getenv("LMC_NEAR_STEPS");
  expectTheSame({dipoles, {}, "LSV", steps != nullptr ? std::atoi(steps) : 2});
}

} // namespace
} // namespace lmc
