// Mass matrices that are regular but not positive definite: accelerations against eliminations in long double with full
// pivoting and against closed forms, in every class of solver; singular ones, and runs that meet one. Equations on a
// sphere where methods have left it.
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <random>

using namespace lmc::acceptance;

namespace {

using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using Column = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

std::string exactly(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string list(const Column& v) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < v.size(); ++i) text += (i > 0 ? ", " : "") + exactly(static_cast<double>(v(i)));
  return text + "]";
}

std::string list(const Matrix& m) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < m.rows(); ++i) text += (i > 0 ? ", " : "") + list(Column(m.row(i)));
  return text + "]";
}

const std::string simulate = " simulate { method = RKMK4; time = 0..0.01; step = 0.01; } }\n";

/// The accelerations of a model at a state.
struct Rates {
  Outcome outcome;
  Trajectory table;
  double operator()(const std::string& column) const { return table.at(0, column); }
};

/// xi' at the states of a table: `columns` and one row of numbers.
Rates ratesAt(const Workspace& w, const std::string& model, const std::string& columns, const std::string& row) {
  Rates r;
  const std::string file = w.write("model.lie", model).string();
  const std::string output = w.path("rates.csv").string();
  r.outcome =
      w.lmc({"derive", file, "--at", w.write("states.csv", columns + "\n" + row + "\n").string(), "--output", output});
  EXPECT_EQ(r.outcome.status, 0) << r.outcome.err << model.substr(0, 600);
  if (r.outcome.status != 0) return r;
  if (const auto table = parseCsv(readFile(output))) r.table = *table;
  return r;
}

/// A regular indefinite matrix with a diagonal that is zero here and there.
Matrix indefinite(int n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix a(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) a(i, j) = a(j, i) = i == j && i % 3 == 0 ? 0 : normal(random);
  return a;
}

Column someForces(int n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Column b(n);
  for (int i = 0; i < n; ++i) b(i) = normal(random);
  return b;
}

/// Largest error, in units of eps times the condition number times the solution.
double errorInUnits(const Matrix& m, const Column& b, const std::function<double(int)>& got) {
  const Column x = m.fullPivLu().solve(b);
  const Matrix inverse = m.fullPivLu().inverse();
  const long double condition = m.cwiseAbs().rowwise().sum().maxCoeff() * inverse.cwiseAbs().rowwise().sum().maxCoeff();
  long double worst = 0;
  for (int i = 0; i < m.rows(); ++i) worst = std::max(worst, std::abs(x(i) - static_cast<long double>(got(i))));
  return static_cast<double>(worst / (2.2e-16L * condition * x.cwiseAbs().maxCoeff()));
}

std::string zerosRow(int numbers) {
  std::string row = "0";
  for (int k = 0; k < numbers; ++k) row += ",0";
  return row;
}

std::string columnsOf(const std::string& name, int n) {
  std::string text;
  for (int i = 1; i <= n; ++i) text += "," + name + "[" + std::to_string(i) + "]";
  return text;
}

} // namespace

TEST(IndefiniteMass, WrittenOutAndByRoutine) {
  std::mt19937 random(7);
  const Workspace w;
  for (const int n : {2, 3, 4, 7, 13, 24, 25, 33, 40}) {
    SCOPED_TRACE(n);
    const Matrix a = indefinite(n, random);
    const Column b = someForces(n, random);
    const std::string size = std::to_string(n);
    for (const bool varies : {false, true}) { // of parameters only: factored once; of the state: at each evaluation
      if (varies && n % 2 == 1) continue;
      const std::string text = "model M { config x : R^" + size + " velocity v; param A : mat(" + size + "," + size +
                               ") = " + list(a) + "; param b : vec(" + size + ") = " + list(b) + "; lagrangian = 0.5*" +
                               (varies ? "(1 + x[1]^2)*" : "") + "dot(v, A*v) + dot(b, x);" + simulate;
      const Rates r = ratesAt(w, text, "t" + columnsOf("x", n) + columnsOf("v", n), zerosRow(2 * n));
      ASSERT_EQ(r.outcome.status, 0);
      EXPECT_LE(errorInUnits(a, b, [&](int i) { return r("v'[" + std::to_string(i + 1) + "]"); }), 30) << varies;
    }
  }
}

TEST(IndefiniteMass, OfMembersAndOfFamilies) {
  std::mt19937 random(9);
  const Workspace w;
  const int n = 3;
  const int members = 12;
  const Matrix a = indefinite(n, random);
  const Column b = someForces(n, random);
  std::string columns = "t";
  for (const char* name : {"x", "v"})
    for (int i = 1; i <= members; ++i)
      for (int c = 1; c <= n; ++c)
        columns += std::string(",") + name + "[" + std::to_string(i) + "][" + std::to_string(c) + "]";
  const std::string head =
      "model M { param N : int = 12; config x[N] : R^3 velocity v; param A : mat(3,3) = " + list(a) +
      "; param b : vec(3) = " + list(b) + ";";
  const Rates own =
      ratesAt(w, head + "lagrangian = sum(i in 1..N: 0.5*(1 + x[i][2]^2)*dot(v[i], A*v[i]) + dot(b, x[i]));" + simulate,
              columns, zerosRow(2 * n * members));
  for (int i = 1; i <= members; i += 5) {
    const std::string member = "v'[" + std::to_string(i) + "]";
    EXPECT_LE(errorInUnits(a, b, [&](int c) { return own(member + "[" + std::to_string(c + 1) + "]"); }), 30) << i;
  }
  // All members with all: sum of v[i] A v[j] and of c v[i].v[i].
  const Rates all = ratesAt(w,
                            head +
                                "lagrangian = sum(i in 1..N, j in 1..N: 0.5*dot(v[i], A*v[j])) - sum(i in 1..N: "
                                "0.35*dot(v[i], v[i]) - i*dot(b, x[i]));" +
                                simulate,
                            columns, zerosRow(2 * n * members));
  Matrix whole(n * members, n * members);
  Column force(n * members);
  for (int i = 0; i < members; ++i) {
    force.segment(n * i, n) = (i + 1) * b;
    for (int j = 0; j < members; ++j) whole.block(n * i, n * j, n, n) = a;
    whole.block(n * i, n * i, n, n) -= 0.7L * Matrix::Identity(n, n);
  }
  EXPECT_LE(errorInUnits(
                whole, force,
                [&](int k) { return all("v'[" + std::to_string(k / n + 1) + "][" + std::to_string(k % n + 1) + "]"); }),
            30);
}

TEST(IndefiniteMass, LightPartsOfAnyMass) {
  const Workspace w;
  for (const char* e : {"1e-8", "1e-12", "1e-14", "1e-16", "1e-40", "1e-200", "1e-300", "-1e-14", "0"}) {
    SCOPED_TRACE(e);
    const std::string text = std::string("model Light { param e = ") + e +
                             "; config a : R velocity va; config b : R velocity vb;"
                             "lagrangian = e*va^2 + va*vb + 0.5*vb^2 - 0.3*a - 0.7*b;" +
                             simulate;
    const Rates r = ratesAt(w, text, "t,a,b,va,vb", "0,0,0,0,0");
    const double mass = std::atof(e);
    // 2 e va' + vb' = -0.3, va' + vb' = -0.7
    EXPECT_NEAR(r("va'"), -0.4 / (1 - 2 * mass), 1e-15);
    EXPECT_NEAR(r("vb'"), -0.7 + 0.4 / (1 - 2 * mass), 1e-15);
  }
}

TEST(IndefiniteMass, TwoVelocitiesByTheirProductAlone) {
  const Workspace w;
  const Rates r =
      ratesAt(w, "model M { config a : R velocity va; config b : R velocity vb; lagrangian = va*vb - a*b;" + simulate,
              "t,a,b,va,vb", "0,0.3,-0.8,1,2");
  EXPECT_EQ(r("va'"), -0.3); // va' = -a, vb' = -b
  EXPECT_EQ(r("vb'"), 0.8);
}

/// q × b.
Column cross(const Column& q, const Column& b) {
  Column c(3);
  for (int k = 0; k < 3; ++k) c(k) = q((k + 1) % 3) * b((k + 2) % 3) - q((k + 2) % 3) * b((k + 1) % 3);
  return c;
}

// The block of a point on a sphere may be of any signs in the tangent plane, with a trace of zero or with nothing on
// its diagonal; and the condition on its velocities may be written at any scale. At rest the accelerations are those of
// an elimination in tangent coordinates.
TEST(IndefiniteMass, OnSpheresWhoseOwnBlocksHaveNoTrace) {
  const Workspace w;
  Matrix opposite(3, 3), mixed(3, 3);
  opposite << 1, 0, 0, 0, -1, 0, 0, 0, 0;
  mixed << 0, 1, 0, 1, 0, 0, 0, 0, 0;
  for (const Matrix& D : {opposite, mixed})
    for (const int n : {1, 2, 11})
      for (const char* const scale : {"1", "1e8", "1e-8"}) {
        Matrix K = Matrix::Zero(n, n); // how members are coupled
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) K(i, j) = i == j ? 2 + 0.1L * i : 0.3L / (1 + i + j);
        const std::string size = std::to_string(n);
        std::string text = "manifold Ball { point q : vec(3); group SO(3); action(A, q) = A*q; horizontal(q, w) = " +
                           std::string(scale) + "*dot(q, w); base = [0, 0, 1]; holds dot(q, q) = 1; }\n" +
                           "model M { param D : mat(3,3) = " + list(D) + "; param K : mat(" + size + "," + size +
                           ") = " + list(K) + "; param N : int = " + size + ";\n" +
                           "config q[N] : Ball velocity w;\nlagrangian = 0.5*sum(i in 1..N: sum(j in 1..N: "
                           "K[i,j]*dot(w[i], D*w[j]))) + sum(i in 1..N: dot([0.3, 0.7, 0.2*i], q[i]));\n";
        Matrix M = Matrix::Zero(2 * n, 2 * n);
        std::vector<Matrix> tangents;
        Column torque(2 * n);
        std::string columns = "t", row = "0";
        for (int i = 0; i < n; ++i) {
          // The third axis, or an axis turned about the third one by angles of Pythagoras.
          Column q(3), b(3);
          q << 0, 0, 1;
          if (i % 2 == 1) q << 0.6L, 0, 0.8L;
          b << 0.3L, 0.7L, 0.2L * (i + 1);
          Matrix T(3, 2);
          T.col(1) << 0, 1, 0;
          T.col(0) = cross(T.col(1), q);
          tangents.push_back(T);
          torque.segment(2 * i, 2) = T.transpose() * cross(q, b);
          const std::string member = "[" + std::to_string(i + 1) + "]";
          text += "initial q" + member + " = " + list(q) + ";\n";
          columns += columnsOf("q" + member, 3) + columnsOf("w" + member, 3);
          for (int k = 0; k < 3; ++k) row += "," + exactly(static_cast<double>(q(k)));
          row += ",0,0,0";
        }
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) M.block(2 * i, 2 * j, 2, 2) = K(i, j) * tangents[i].transpose() * D * tangents[j];
        const Column x = M.fullPivLu().solve(torque);
        const Rates rates = ratesAt(w, text + simulate, columns, row);
        if (rates.outcome.status != 0) continue;
        for (int i = 0; i < n; ++i) {
          const Column a = tangents[i] * x.segment(2 * i, 2);
          for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(rates("w'[" + std::to_string(i + 1) + "][" + std::to_string(k + 1) + "]"),
                        static_cast<double>(a(k)), 1e-12 * static_cast<double>(x.norm()))
                << n << " members, condition times " << scale;
        }
      }
}

/// Two points of spheres with a kinetic energy of the space around that is indefinite: K q'' = F + lambda q, q.q'' =
/// -q'.q'.
TEST(IndefiniteMass, ForcesThatHoldPoints) {
  const Workspace w;
  const Rates r =
      ratesAt(w,
              "model M { config p : S^2 velocity u; config q : S^2 velocity w; param g : vec(3) = [0.3, -1, 0.7];"
              "lagrangian = 0.5*dot(p', p') + 1.7*dot(p', q') + 0.5*dot(q', q') + dot(g, p) - 2*dot(g, q);"
              "initial p = e1; initial q = normalize([0, 3, 4]);" +
                  simulate,
              "t,p[1],p[2],p[3],q[1],q[2],q[3],u[1],u[2],u[3],w[1],w[2],w[3]", "0,1,0,0,0,0.6,0.8,0,0,0,0,0,0");
  const Column g = (Column(3) << 0.3L, -1, 0.7L).finished();
  const Column p = (Column(3) << 1, 0, 0).finished();
  const Column q = (Column(3) << 0, 0.6L, 0.8L).finished();
  Matrix k = Matrix::Zero(8, 8);
  for (int i = 0; i < 3; ++i) {
    k(i, i) = k(3 + i, 3 + i) = 1;
    k(i, 3 + i) = k(3 + i, i) = 1.7L;
    k(i, 6) = k(6, i) = p(i);
    k(3 + i, 7) = k(7, 3 + i) = q(i);
  }
  Column b = Column::Zero(8);
  b.head(3) = g;
  b.segment(3, 3) = -2 * g;
  const Column x = k.fullPivLu().solve(b);
  const auto cross = [](const Column& a, const Column& c) {
    return Eigen::Matrix<long double, 3, 1>(a(1) * c(2) - a(2) * c(1), a(2) * c(0) - a(0) * c(2),
                                            a(0) * c(1) - a(1) * c(0));
  };
  const Column up = cross(p, x.head(3)), wq = cross(q, x.segment(3, 3));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(r("u'[" + std::to_string(i + 1) + "]"), static_cast<double>(up(i)), 1e-13);
    EXPECT_NEAR(r("w'[" + std::to_string(i + 1) + "]"), static_cast<double>(wq(i)), 1e-13);
  }
}

/// M = [0 1; 1 0] and V = k a b: a = cos t, b = sin t.
TEST(IndefiniteMass, MotionsAlsoInLanes) {
  const Workspace w;
  const std::string file = w.write("m.lie", "model M { param k = 1; config a : R velocity va; config b : R velocity vb;"
                                            "lagrangian = va*vb*(1 + 0*a^2) - k*a*b; initial a = 1; initial vb = 1;"
                                            "simulate { method = RKMK4; time = 0..1; step = 0.001; } }")
                               .string();
  const Trajectory run = runModel(w, file, {"--every", "1"});
  ASSERT_FALSE(run.rows.empty());
  EXPECT_NEAR(run.last("a"), std::cos(1.0), 1e-12);
  EXPECT_NEAR(run.last("b"), std::sin(1.0), 1e-12);
  const std::string output = w.path("e.csv").string();
  const Outcome many =
      w.lmc({"ensemble", file, "--samples", "5", "--vary", "k ~ linspace(1, 1)", "--lanes", "4", "--output", output});
  ASSERT_EQ(many.status, 0) << many.err;
  const auto table = parseCsv(readFile(output));
  ASSERT_TRUE(table);
  for (std::size_t s = 0; s < 5; ++s) EXPECT_NEAR(table->at(s, "a"), std::cos(1.0), 1e-12);
}

TEST(IndefiniteMass, IsAWarningThatNamesVelocities) {
  const Workspace w;
  const auto said = [&](const std::string& model) {
    const Outcome o = w.lmc({"run", w.write("m.lie", "model M { " + model + simulate).string()});
    EXPECT_EQ(o.status, 0) << o.err;
    return o.err;
  };
  const auto body = [](const std::string& J) {
    return "param J : mat(2,2) = " + J +
           "; config x : R^2 velocity v; config y : R velocity w;"
           "lagrangian = 0.5*dot(v, J*v) + 0.5*w^2 - 0.5*dot(x, x);";
  };
  const std::string negative = "the kinetic energy is negative for some velocities at the initial state: of ";
  EXPECT_NE(said(body("[[1, 2], [2, 1]]")).find(negative + "v[1], v[2] together"), std::string::npos);
  EXPECT_NE(said(body("[[1, 0], [0, -3]]")).find(negative + "v[2] alone"), std::string::npos);
  EXPECT_EQ(said(body("[[1e8, 0.999], [0.999, 1e-8]]")), ""); // eigenvalues 1e8 and 2e-11
  EXPECT_NE(said(body("[[1e8, 1.001], [1.001, 1e-8]]")).find(negative), std::string::npos);
  EXPECT_NE(said("param m[i in 1..5] = 3.5 - i; config z[5] : R velocity u;"
                 "lagrangian = sum(i in 1..5: 0.5*m[i]*u[i]^2);")
                .find(negative + "u[4] alone"),
            std::string::npos);
  EXPECT_EQ(said("config q : S^2 velocity w; initial q = e1; lagrangian = 0.5*dot(w, w);"), "");
}

// --- singular and nearly singular -----------------------------------------------------------------------------------

TEST(SingularMass, OnlyWhereItIs) {
  const Workspace w;
  const auto run = [&](const std::string& e) {
    return w.lmc({"run", w.write("m.lie", "model M { param e = " + e +
                                              "; config x : R velocity v; config y : R velocity w;"
                                              "lagrangian = 0.5*(v + w)^2 + 0.5*e*w^2 - y^2;" +
                                              simulate)
                             .string()});
  };
  EXPECT_EQ(run("1e-3").err, "");
  const Outcome near = run("1e-13");
  EXPECT_EQ(near.status, 0) << near.err;
  EXPECT_NE(near.err.find("nearly singular at the initial state: its condition number is 4e+13, because of v, w"),
            std::string::npos)
      << near.err;
  const Outcome singular = run("0");
  EXPECT_NE(singular.status, 0);
  EXPECT_NE(singular.err.find("singular at the initial state: v, w together have no kinetic energy"), std::string::npos)
      << singular.err;
  EXPECT_NE(singular.err.find("help: give "), std::string::npos) << singular.err;
}

TEST(SingularMass, OfACommonMotionOfAFamily) {
  const Workspace w;
  const Outcome o =
      w.lmc({"check", w.write("m.lie", "model M { param N : int = 4; config z[N] : R^2 velocity v;"
                                       "lagrangian = sum(i in 1..N-1: 0.5*dot(v[i+1] - v[i], v[i+1] - v[i])); }")
                          .string()});
  EXPECT_NE(o.status, 0);
  EXPECT_NE(o.err.find("does not change when the same v[1], v[2] is added to all members of `z`"), std::string::npos)
      << o.err;
}

TEST(SingularMass, NamesComponentsLikeColumns) {
  const Workspace w;
  const Outcome o =
      w.lmc({"run", w.write("m.lie", "model M { config X : SE(3) velocity V; param m : vec(3) = [0, 1, 1];"
                                     "lagrangian = 0.5*dot(V.w, V.w) + 0.5*dot(V.v, diag(m)*V.v);" +
                                         simulate)
                        .string()});
  EXPECT_NE(o.status, 0);
  EXPECT_NE(o.err.find("V.v[1] has no kinetic energy"), std::string::npos) << o.err;
}

/// Determinants 1 - 4 b^2, and (b - 1/2)^2 - 1, which pass zero between two steps.
TEST(SingularMass, ADeterminantThatChangesSignBetweenStepsStopsTheRun) {
  const Workspace w;
  const auto run = [&](const std::string& mass, const std::string& b) {
    return w.lmc(
        {"run", w.write("m.lie", "model M { config a : R velocity va; config b : R velocity vb; lagrangian = " + mass +
                                     "; initial b = " + b +
                                     "; initial vb = 1; simulate { method = RKMK4; time = 0..1; step = 0.0237; } }")
                    .string()});
  };
  const Outcome definite = run("0.5*va^2 + 0.5*vb^2 + 2*b*va*vb", "0.2");
  EXPECT_NE(definite.status, 0);
  EXPECT_NE(definite.err.find("the mass matrix"), std::string::npos) << definite.err;
  EXPECT_NE(definite.err.find("condition number"), std::string::npos) << definite.err;
  const Outcome open = run("va*vb + 0.5*(b - 0.5)*va^2 + 0.5*(b - 0.5)*vb^2", "1.2"); // determinant (b - 1/2)^2 - 1
  EXPECT_NE(open.status, 0);
  EXPECT_NE(open.err.find("the mass matrix"), std::string::npos) << open.err;
}

TEST(SingularMass, AnOverflowIsCalledOne) {
  const Workspace w;
  const Outcome o =
      w.lmc({"run",
             w.write("m.lie", "model M { config a : R velocity va; config b : R velocity vb;"
                              "lagrangian = 0.5*(1 + a^2)*va^2 + 0.3*va*vb + 0.5*(1 + a^2)*vb^2 + a^8;"
                              "initial a = 1; initial va = 2; simulate { method = RKMK4; time = 0..50; step = 0.1; } }")
                 .string()});
  EXPECT_NE(o.status, 0);
  EXPECT_NE(o.err.find("the accelerations overflow"), std::string::npos) << o.err;
  EXPECT_EQ(o.err.find("singular"), std::string::npos) << o.err;
}

// --- beside the manifold ------------------------------------------------------------------------------------------

/// A point on the sphere in the potential x + 2 y z, as q'' = F - (F.q + q'.q') q in long double.
std::array<long double, 3> pointOnASphere(long double end) {
  using Point = std::array<long double, 6>;
  const auto f = [](const Point& y) {
    const long double force[3] = {-1, -2 * y[2], -2 * y[1]};
    long double along = 0;
    for (std::size_t k = 0; k < 3; ++k) along += force[k] * y[k] + y[k + 3] * y[k + 3];
    Point rate{};
    for (std::size_t k = 0; k < 3; ++k) {
      rate[k] = y[k + 3];
      rate[k + 3] = force[k] - along * y[k];
    }
    return rate;
  };
  const auto plus = [](Point a, long double c, const Point& b) {
    for (std::size_t k = 0; k < 6; ++k) a[k] += c * b[k];
    return a;
  };
  Point y{0, 0.6L, 0.8L, 0, 0, 0};
  constexpr int steps = 20'000;
  const long double h = end / steps;
  for (int n = 0; n < steps; ++n) {
    const Point k1 = f(y), k2 = f(plus(y, h / 2, k1)), k3 = f(plus(y, h / 2, k2)), k4 = f(plus(y, h, k3));
    y = plus(plus(plus(plus(y, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return {y[0], y[1], y[2]};
}

/// Classical methods leave the sphere, beside which the equation need not hold: their accelerations are no defect.
TEST(MassBesideTheManifold, ClassicalMethodsAreNotStopped) {
  const Workspace w;
  const std::string file = w.write("sphere.lie", "model Sphere { config q : S^2 velocity w;"
                                                 "lagrangian = 0.5*dot(q', q') - q[1] - 2*q[2]*q[3];"
                                                 "initial q = [0, 0.6, 0.8];"
                                                 "simulate { method = RK4; time = 0..20; step = 0.05; } }")
                               .string();
  const auto q = pointOnASphere(20);
  for (const auto& [method, error] : {std::pair{"RK4", 1e-4}, {"RK32", 2e-2}, {"RK54", 5e-6}, {"Newmark", 0.2}}) {
    SCOPED_TRACE(method);
    const Trajectory run = runModel(w, file, {"--method", method, "--tolerance", "none"});
    ASSERT_FALSE(run.rows.empty());
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(run.last("q[" + std::to_string(k + 1) + "]"), static_cast<double>(q[k]), error) << k;
  }
}
