// Impacts by Poisson's law, against the cases of compression and expansion gone through in long double.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

using Real = long double;
using Pair = std::array<Real, 2>;
using Square = std::array<Pair, 2>;

Pair times(const Square& a, const Pair& x) {
  return {a[0][0] * x[0] + a[0][1] * x[1], a[1][0] * x[0] + a[1][1] * x[1]};
}
Pair sum(const Pair& a, const Pair& b) {
  return {a[0] + b[0], a[1] + b[1]};
}
Pair solve(const Square& a, const Pair& b) {
  const Real d = a[0][0] * a[1][1] - a[0][1] * a[1][0];
  return {(a[1][1] * b[0] - a[0][1] * b[1]) / d, (a[0][0] * b[1] - a[1][0] * b[0]) / d};
}
Square transposed(const Square& a) {
  return {Pair{a[0][0], a[1][0]}, Pair{a[0][1], a[1][1]}};
}

/// The one impulse (normal, along the slip) with P_N >= least, v_N >= bound, one of both equal, and Coulomb's law of
/// the slip behind it, of all cases.
Pair impulse(const Square& matrix, const Pair& v, Real mu, Real bound, Real least) {
  std::vector<Pair> found;
  for (const bool held : {false, true})
    for (const int slip : {0, 1, -1}) {
      Square a{};
      Pair b{};
      a[0] = held ? matrix[0] : Pair{1, 0};
      b[0] = held ? bound - v[0] : least;
      a[1] = slip == 0 ? matrix[1] : Pair{slip * mu, 1};
      b[1] = slip == 0 ? -v[1] : 0;
      const Pair p = solve(a, b), behind = sum(v, times(matrix, p));
      constexpr Real none = 1e-15L;
      if (p[0] < least - none || behind[0] < bound - none) continue;
      if (slip == 0 ? std::abs(p[1]) > mu * p[0] + none : slip * behind[1] < -none) continue;
      if (found.empty() || std::abs(found[0][0] - p[0]) + std::abs(found[0][1] - p[1]) > 1e-12L) found.push_back(p);
    }
  EXPECT_EQ(found.size(), 1U);
  return found.at(0);
}

struct Impact {
  Pair impulse, behind; ///< rates of the coordinates
  Real energy;          ///< behind, in units of the one before
};

/// By Poisson's law with the mass matrix and the rows of normal and slip.
Impact poisson(const Square& mass, const Square& rows, const Pair& before, Real mu, Real e) {
  Square response{}; // M^-1 B^T, column by column
  for (std::size_t k = 0; k < 2; ++k) response[k] = solve(mass, rows[k]);
  Square matrix{};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) matrix[i][j] = rows[i][0] * response[j][0] + rows[i][1] * response[j][1];
  const Pair v = times(rows, before);
  const Pair compression = impulse(matrix, v, mu, 0, 0);
  const Pair middle = sum(v, times(matrix, compression));
  const Pair expansion = impulse(matrix, middle, mu, 0, e * compression[0]);
  Impact r;
  r.impulse = sum(compression, expansion);
  r.behind = sum(before, times(transposed(response), r.impulse));
  const auto energy = [&](const Pair& x) { return x[0] * times(mass, x)[0] + x[1] * times(mass, x)[1]; };
  r.energy = energy(r.behind) / energy(before);
  return r;
}

/// Two rods of length and mass 1, one below the other, whose end is at the floor (T. R. Kane, D. A. Levinson, 1985).
std::string pendulum(const std::string& settings) {
  return R"(model Rods {
  param a = 20*pi/180;  param b = 30*pi/180;
  param mu = 0.5;  param e = 0.7;
  config p : R velocity u;
  config q : R velocity w;
  lagrangian = 2/3*u^2 + w^2/6 + 0.5*cos(p - q)*u*w;
  contact floor : cos(a) + cos(b) >= cos(p) + cos(q) { restitution = e; friction = mu; slip = cos(p)*u + cos(q)*w; }
  initial p = a;  initial q = b;  initial u = -0.1;  initial w = -0.2;
  simulate { method = RKMK4; time = 0..1e-6; step = 1e-7; )" +
         settings + " }\n}\n";
}

const std::string law = "law = poisson;";

} // namespace

/// Newton's law with friction adds energy here, up to twelve times what there was; Poisson's law takes some away.
TEST(Poisson, KeepsTheEnergyWhereNewtonsLawAddsSome) {
  const Workspace w;
  const std::string model = w.write("p.lie", pendulum(law)).string(), other = w.write("n.lie", pendulum("")).string();
  const Real a = 20 * std::acos(Real(-1)) / 180, b = 30 * std::acos(Real(-1)) / 180;
  const Square mass = {Pair{4 / Real(3), std::cos(a - b) / 2}, Pair{std::cos(a - b) / 2, 1 / Real(3)}};
  const Square rows = {Pair{std::sin(a), std::sin(b)}, Pair{std::cos(a), std::cos(b)}};
  using Texts = std::array<std::string, 2>;
  int gains = 0;
  for (const Texts& speeds :
       {Texts{"-0.1", "-0.2"}, Texts{"0.1", "-0.5"}, Texts{"-0.3", "-0.1"}, Texts{"0.7", "-2.13"}})
    for (const std::string mu : {"0.3", "0.7", "0"})
      for (const std::string e : {"0.5", "0.95", "1", "0"}) {
        SCOPED_TRACE("mu " + mu + " e " + e + " u " + speeds[0]);
        const Arguments set = {"--set", "mu=" + mu,       "--set", "e=" + e,
                               "--set", "u=" + speeds[0], "--set", "w=" + speeds[1]};
        const Impact x = poisson(mass, rows, {std::stod(speeds[0]), std::stod(speeds[1])}, std::stod(mu), std::stod(e));
        EXPECT_LE(x.energy, 1 + 1e-15L);
        const Trajectory run = runModel(w, model, set);
        ASSERT_GT(run.rows.size(), 2U);
        const double size = static_cast<double>(std::abs(x.impulse[0]));
        EXPECT_NEAR(run.at(1, "floor.impulse"), static_cast<double>(x.impulse[0]), 1e-13 * size);
        EXPECT_NEAR(run.at(1, "floor.slip.impulse"), static_cast<double>(x.impulse[1]), 1e-13 * size);
        EXPECT_NEAR(run.at(1, "u"), static_cast<double>(x.behind[0]), 1e-13);
        EXPECT_NEAR(run.at(1, "w"), static_cast<double>(x.behind[1]), 1e-13);
        Arguments newton = {"run", other};
        newton.insert(newton.end(), set.begin(), set.end());
        const Outcome o = w.lmc(newton);
        if (o.status == 0) continue;
        ++gains;
        EXPECT_NE(o.err.find("LIE0534"), std::string::npos) << o.err;
        EXPECT_NE(o.err.find("law = poisson"), std::string::npos) << o.err;
      }
  EXPECT_GT(gains, 12);
}

/// Where friction does not act, and where bodies do not come apart, both laws are one.
TEST(Poisson, IsNewtonsLawWithoutFriction) {
  const Workspace w;
  const auto cradle = [&](const std::string& settings) {
    return runModel(w,
                    w.write("m.lie", R"(model Cradle {
  config x[4] : R velocity v;
  lagrangian = sum(i in 1..4 : 0.5*i*v[i]^2);
  contact pair[i in 2..4] : x[i] - x[i-1] >= 1 { restitution = 0.83; }
  initial x = [0.3, 2, 3, 4.1];
  initial v = [1, 0.1, 0, -0.7];
  simulate { method = RKMK4; time = 0..3; step = 0.1; )" +
                                         settings + " }\n}\n")
                        .string(),
                    {});
  };
  const Trajectory newton = cradle(""), poisson = cradle(law);
  ASSERT_EQ(newton.rows.size(), poisson.rows.size());
  for (int i = 1; i <= 4; ++i) {
    const std::string v = "v[" + std::to_string(i) + "]";
    EXPECT_NEAR(newton.last(v), poisson.last(v), 1e-13);
  }
  const Trajectory inTurn = cradle(law + " simultaneous = sequential;");
  EXPECT_LT(inTurn.last("energy"), inTurn.at(0, "energy"));
}

/// The bouncing ball comes to rest at the time of the closed form, and a block with friction on its corners too, with
/// an energy that never rises at an impact; with any steps.
TEST(Poisson, LetsBodiesComeToRest) {
  const Workspace w;
  std::string ball = readFile(example("bouncing_ball"));
  ball.replace(ball.find("simulate {"), 10, "simulate { law = poisson;");
  const nlohmann::json run = runOf(w, ball, {"--time", "0..5"});
  EXPECT_LE(run["events"].size(), 100U);
  EXPECT_GT(run["events"].size(), 40U);
  const std::string block = R"(model Block {
  param h = 0.5;  param b = 0.7;  param mu = 0.6;
  config x : R^2 velocity v;
  config phi : R velocity w;
  let corner[k in 1..2] = x + [(2*k - 3)*b*cos(phi) + h*sin(phi), (2*k-3)*b*sin(phi) - h*cos(phi)];
  lagrangian = 0.5*dot(v, v) + 0.5*(h^2 + b^2)/3*w^2 - 9.81*x[2];
  contact ground[k in 1..2] : corner[k][2] >= 0 { restitution = 0.7; friction = mu; slip = corner[k]'[1]; }
  initial x = [0, 1.3];  initial phi = 0.3;  initial v = [1.7, 0];
  simulate { law = poisson; time = 0..9; )";
  for (const std::string& steps :
       {std::string("method = RKMK4; step = 0.01;"), std::string("method = RKMK54; tolerance = 1e-9;")}) {
    SCOPED_TRACE(steps);
    const std::string text = block + steps + " }\n}\n";
    const nlohmann::json told = runOf(w, text, {"--output", w.path("o.csv").string()});
    EXPECT_GT(told["events"].size(), 20U);
    const auto o = parseCsv(readFile(w.path("o.csv")));
    ASSERT_TRUE(o);
    for (std::size_t k = 1; k < o->rows.size(); ++k) {
      if (o->at(k, "t") != o->at(k - 1, "t")) continue;
      EXPECT_LE(o->at(k, "energy"), o->at(k - 1, "energy") + 1e-12);
    }
    EXPECT_NEAR(o->last("x[2]"), 0.5, 1e-9);
    EXPECT_NEAR(o->last("phi"), 0, 1e-9);
    EXPECT_NEAR(o->last("v[1]"), 0, 1e-9);
  }
}

/// Samples of an ensemble are single runs, and a run that goes on repeats the bits.
TEST(Poisson, VariesAndGoesOn) {
  const Workspace w;
  std::string text = pendulum(law);
  text.replace(text.find("0..1e-6"), 7, "0..1");
  text.replace(text.find("1e-7"), 4, "1e-2");
  const std::string file = w.write("m.lie", text).string();
  const Trajectory whole = runModel(w, file, {});
  (void)runModel(w, file, {"--time", "0..0.4", "--checkpoint", "c.json"});
  const Trajectory rest = runModel(w, file, {"--resume", "c.json"});
  ASSERT_FALSE(rest.rows.empty());
  EXPECT_EQ(rest.rows.back(), whole.rows.back());
  const Outcome ensemble =
      w.lmc({"ensemble", file, "--vary", "e ~ linspace(0.1, 0.9)", "--samples", "5", "--output", "e.csv"});
  ASSERT_EQ(ensemble.status, 0) << ensemble.err;
  const auto table = parseCsv(readFile(w.path("e.csv")));
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    const Trajectory one = runModel(w, file, {"--set", fmt::format("e={:.17g}", table->at(k, "vary_e"))});
    for (const char* name : {"p", "q", "u", "w", "floor.impulse"})
      EXPECT_EQ(table->at(k, name), one.last(name)) << name;
  }
}

TEST(Poisson, TellsWhatIsWrong) {
  const Workspace w;
  EXPECT_NE(failure(w, pendulum("law = poison;")).find("poisson"), std::string::npos);
  EXPECT_NE(failure(w, pendulum("law = 3;")).find("LIE0169"), std::string::npos);
  // Contacts of unequal restitution with friction may add energy by this law, too: then there is no motion.
  const std::string unequal = failure(w, R"(model Two {
  config q : R^4 velocity v;
  lagrangian = 0.5*dot(v, v);
  contact a : dot([0.35, 1.13, 0.57, -1.71], q) >= 0 {
    restitution = 1;  friction = 0.6;  slip = dot([0.25, 1.18, 1.07, 1.19], v);
  }
  contact b : dot([-0.81, 0.56, -1.08, -0.48], q) >= 0 { friction = 0.92;  slip = dot([0.70, -0.91, 1.10, 1.98], v); }
  initial q = zeros(4);
  initial v = [0.82, -3.28, 0.97, -0.26];
  simulate { method = RKMK4; time = 0..1; step = 0.1; law = poisson; }
}
)");
  EXPECT_NE(unequal.find("LIE0534"), std::string::npos) << unequal;
  EXPECT_NE(unequal.find("unequal restitution"), std::string::npos) << unequal;
  const std::string heap = failure(w, R"(model Heap {
  config x[2] : R^3 velocity v;
  lagrangian = sum(i in 1..2 : 0.5*dot(v[i], v[i]) - 9.81*x[i][3]);
  contact floor[i in 1..2] : x[i][3] >= 0.1;
  initial x[i in 1..2] = [i, 0, 1];
  simulate { method = MoreauJean; time = 0..1; step = 0.01; law = poisson; }
}
)");
  EXPECT_NE(heap.find("LIE0512"), std::string::npos) << heap;
  EXPECT_NE(heap.find("Poisson"), std::string::npos) << heap;
}
