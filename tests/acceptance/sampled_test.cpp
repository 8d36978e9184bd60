// Controllers that run on a computer beside the plant, against programs of their own: rotation matrices, classical
// Runge-Kutta steps of a hundredth of a block in long double, no group in sight.
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <optional>

using namespace lmc::acceptance;

namespace {

using Real = long double;
using Vector3 = Eigen::Matrix<Real, 3, 1>;
using Matrix3 = Eigen::Matrix<Real, 3, 3>;

Matrix3 hat(const Vector3& w) {
  Matrix3 m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}
Vector3 vee(const Matrix3& m) {
  return {m(2, 1), m(0, 2), m(1, 0)};
}
/// By its series: no closed form is shared.
Matrix3 exponential(const Vector3& w) {
  Matrix3 sum = Matrix3::Identity(), term = sum;
  for (int k = 1; k < 40; ++k) sum += term = term * hat(w) / k;
  return sum;
}

struct Body {
  Vector3 x{0, 0, 0}, v{0, 0, 0}, W{0, 0, 0};
  Matrix3 R = Matrix3::Identity();
  Body operator+(const Body& o) const { return {x + o.x, v + o.v, W + o.W, R + o.R}; }
  friend Body operator*(Real s, const Body& b) { return {s * b.x, s * b.v, s * b.W, s * b.R}; }
};

void advance(Body& y, Real h, int steps, const std::function<Body(const Body&)>& f) {
  const Real s = h / steps;
  for (int k = 0; k < steps; ++k) {
    const Body k1 = f(y), k2 = f(y + s / 2 * k1), k3 = f(y + s / 2 * k2), k4 = f(y + s * k3);
    y = y + s / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
}

/// A regulator of an attitude with a saturation.
const char* const attitude = R"(model Regulator {
  param J : mat(3,3) = diag(1, 2, 2.5);
  param most = 0.8;
  config R : SO(3) velocity W;
  lagrangian = 0.5*dot(W, J*W);
  discrete u : vec(3) = zeros(3);
  let asked = -2*vee(R - transpose(R)) - 1.5*W;
  every 0.05 from 0.02 {
    reset u = [max(-most, min(most, asked[1])), max(-most, min(most, asked[2])), max(-most, min(most, asked[3]))];
  }
  force on R = u;
  initial R = SO(3).exp([1, -0.6, 0.7]);
  initial W = [0.3, 1, -0.5];
  simulate { method = RKMK78; step = 0.01; time = 0..5; }
}
)";

void expectNear(const Trajectory& run, const std::string& name, const Vector3& value, double tolerance) {
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(run.last(name + "[" + std::to_string(k + 1) + "]"), static_cast<double>(value[k]), tolerance) << name;
}

} // namespace

TEST(Sampled, QuadrotorOfTheExampleFlies) {
  const Vector3 J(0.011L, 0.012L, 0.021L), e3(0, 0, 1);
  const Real m = 1.2L, g = 9.81L, kx = 6, kv = 4, kR = 0.9L, kW = 0.16L;
  Body y;
  y.x = {1.3L, -0.2L, 0.1L};
  y.v = {0, 0.8L, 0.4L};
  y.R = exponential({0.2L, -0.1L, 0.3L});
  Real thrust = m * g, nextThrust = m * g;
  Vector3 moment(0, 0, 0), nextMoment(0, 0, 0);
  for (int block = 0; block < 600; ++block) {
    const Real t = block * 0.01L;
    thrust = nextThrust;
    moment = nextMoment;
    const Vector3 goal(std::cos(t), std::sin(t), t / 2), speed(-std::sin(t), std::cos(t), 0.5L),
        turn(-std::cos(t), -std::sin(t), 0);
    const Vector3 wanted = m * (turn + g * e3) - kx * (y.x - goal) - kv * (y.v - speed);
    Matrix3 d;
    d.col(2) = wanted.normalized();
    d.col(1) = d.col(2).cross(Vector3(1, 0, 0)).normalized();
    d.col(0) = d.col(1).cross(d.col(2));
    const Vector3 error = vee(d.transpose() * y.R - y.R.transpose() * d) / 2;
    nextThrust = std::max<Real>(0, std::min<Real>(20, wanted.dot(y.R * e3)));
    nextMoment = -kR * error - kW * y.W + y.W.cross(J.cwiseProduct(y.W));
    advance(y, 0.01L, 100, [&](const Body& b) {
      Body f;
      f.x = b.v;
      f.v = thrust / m * (b.R * e3) - g * e3;
      f.R = b.R * hat(b.W);
      f.W = (moment - b.W.cross(J.cwiseProduct(b.W))).cwiseQuotient(J);
      return f;
    });
  }
  const Workspace w;
  for (const Arguments& more : {Arguments{"--method", "RKMK78", "--tolerance", "none", "--step", "0.01"},
                                {"--step", "0.002", "--method", "CF4"},
                                {"--time", "0..6", "--method", "RKMK54", "--tolerance", "1e-12"}}) {
    const Trajectory run = runModel(w, example("sampled_quadrotor"), more);
    ASSERT_FALSE(run.rows.empty());
    expectNear(run, "x", y.x, 1e-9);
    expectNear(run, "v", y.v, 1e-9);
    expectNear(run, "W", y.W, 1e-9);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(run.last("R[" + std::to_string(i + 1) + "][" + std::to_string(k + 1) + "]"),
                    static_cast<double>(y.R(i, k)), 1e-9);
  }
}

TEST(Sampled, RegulatorOfAttitudeHolds) {
  const Vector3 J(1, 2, 2.5L);
  Body y;
  y.R = exponential({1, -0.6L, 0.7L});
  y.W = {0.3L, 1, -0.5L};
  Vector3 u(0, 0, 0);
  const auto flow = [&](Real h) {
    advance(y, h, 200, [&](const Body& b) {
      Body f;
      f.R = b.R * hat(b.W);
      f.W = (u - b.W.cross(J.cwiseProduct(b.W))).cwiseQuotient(J);
      return f;
    });
  };
  flow(0.02L);
  for (int block = 0; block < 100; ++block) {
    u = -2 * vee(y.R - y.R.transpose()) - 1.5L * y.W;
    u = u.cwiseMax(Vector3::Constant(-0.8L)).cwiseMin(Vector3::Constant(0.8L));
    flow(block == 99 ? 0.03L : 0.05L);
  }
  const Workspace w;
  const std::string file = w.write("m.lie", attitude).string();
  for (const Arguments& more : {Arguments{}, {"--step", "0.013"}, {"--method", "P853", "--tolerance", "1e-12"}}) {
    const Trajectory run = runModel(w, file, more);
    ASSERT_FALSE(run.rows.empty());
    expectNear(run, "W", y.W, 1e-9);
    expectNear(run, "u", u, 1e-9);
    EXPECT_NEAR(run.last("R[2][3]"), static_cast<double>(y.R(1, 2)), 1e-9);
  }
}

namespace {

/// When a program calls the block: at `first` + k `interval`, which is step `firstStep` + k `steps` of length `step`.
struct Rate {
  double first, interval, step;
  int firstStep, steps, count;
};

/// What a program in C prints that has the plant with its controller: the columns of `lmc run`, behind each step.
std::optional<Trajectory> exportedRun(const Workspace& w, const std::string& file, const Rate& rate,
                                      const std::string& flags) {
  const Outcome exported = w.lmc({"export", file, "--c", "--prefix", "plant", "-o", w.path("plant.c").string()});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_NE(exported.err.find("LIE0653"), std::string::npos) << exported.err;
  w.write("main.c", fmt::format(R"(#include "plant.h"
#include <stdio.h>
static plant p;
static int row(double t) {{
  if (plant_observables(&p, t) != PLANT_OK) return 1;
  printf("%.17g", t);
  for (int c = 0; c < PLANT_COLUMNS; ++c) printf(",%.17g", ((const double*)&p)[plant_column_places[c]]);
  printf("\n");
  return 0;
}}
int main(void) {{
  if (plant_init(&p) != PLANT_OK) return 1;
  if (plant_samplings(&p, 0) != PLANT_OK || p.output.interval != {1:.17g}) return 1;
  printf("t");
  for (int c = 0; c < PLANT_COLUMNS; ++c) printf(",%s", plant_column_names[c]);
  printf("\n");
  for (int k = 0; k <= {5}; ++k) {{
    const int over = k - {3};
    if (over >= 0 && over % {4} == 0 && plant_every_1(&p, {0:.17g} + over/{4}*{1:.17g}) != PLANT_OK) return 1;
    if (row(k*{2:.17g}) != 0) return 1;
    if (k < {5} && plant_step(&p, k*{2:.17g}, {2:.17g}) != PLANT_OK) return 1;
  }}
  return 0;
}}
)",
                                rate.first, rate.interval, rate.step, rate.firstStep, rate.steps, rate.count));
  const std::string command = "cd '" + w.path("").string() + "' && cc -std=c99 " + flags +
                              " -o plant main.c plant.c -lm && ./plant > plant.csv";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return parseCsv(readFile(w.path("plant.csv")));
}

/// Every number of every row is the same.
void expectBits(const Trajectory& a, const Trajectory& b) {
  ASSERT_EQ(a.columns, b.columns);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t k = 0; k < a.rows.size(); ++k)
    for (std::size_t c = 1; c < a.columns.size(); ++c)
      ASSERT_EQ(a.rows[k][c], b.rows[k][c]) << a.columns[c] << " at t = " << a.rows[k][0];
}

} // namespace

/// A plant with its controller in C: the caller's loop calls the block, then steps to the next one. Its bits are those
/// of `lmc run --portable`, whatever the compiler makes of the source without fusing operations.
TEST(Sampled, ExportedCodeHasTheBitsOfARun) {
  const Workspace w;
  const std::string regulator = w.write("regulator.lie", attitude).string();
  struct Plant {
    std::string file;
    Rate rate;
  };
  for (const Plant& p : {Plant{example("sampled_quadrotor"), {0, 0.01, 2e-3, 0, 5, 3000}},
                         Plant{regulator, {0.02, 0.05, 0.01, 2, 5, 500}}}) {
    SCOPED_TRACE(p.file);
    const Trajectory run = runModel(w, p.file, {"--portable", "--every", fmt::format("{:.17g}", p.rate.step)});
    ASSERT_EQ(run.rows.size(), static_cast<std::size_t>(p.rate.count) + 1);
    for (const char* flags : {"-O0", "-O2", "-O3 -march=native -ffp-contract=off"}) {
      SCOPED_TRACE(flags);
      const auto exported = exportedRun(w, p.file, p.rate, flags);
      ASSERT_TRUE(exported);
      expectBits(run, *exported);
    }
    // Without it operations are fused where the processor can: the motion is the same to rounding.
    const Trajectory fused = runModel(w, p.file, {"--every", fmt::format("{:.17g}", p.rate.step)});
    ASSERT_EQ(fused.rows.size(), run.rows.size());
    for (std::size_t c = 0; c < run.columns.size(); ++c)
      EXPECT_NEAR(fused.rows.back()[c], run.rows.back()[c], 1e-11) << run.columns[c];
  }
}
