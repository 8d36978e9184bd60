// What the references ask of impacts: impulses of a rod, a wheel and a cradle, the range of Painlevé's rod, and kinetic
// energy that never rises, at random impacts of all kinds.
#include "acceptance/Runs.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A uniform rod that slides on its lower end, which is at the floor.
const char* const slidingRod = R"(model Painleve {
  param mu = 2;
  param a = 1;
  config x : R^2 velocity v;
  config phi : R velocity w;
  lagrangian = 0.5*dot(v, v) + w^2/6 - 9.81*x[2];
  contact tip : x[2] - sin(phi) >= 0 { friction = mu; slip = v[1] + sin(phi)*w; }
  initial phi = a;  initial x = [0, sin(a)];
  initial v = [-1, 0];
  simulate { method = RKMK4; time = 0..1e-9; step = 1e-9; }
}
)";

/// Four of the spokes of a wheel on a plane; the wheel stands on the second of them and falls onto the third.
const char* const wheel = R"(model Wheel {
  param inertia = 0.3;
  param law = 0;
  let alpha = pi/8;
  config x : R^2 velocity v;
  config theta : R velocity w;
  lagrangian = 0.5*dot(v, v) + 0.5*inertia*w^2 - 9.81*x[2];
  let foot[k in 1..4] = x - [sin(theta - 2*(k - 2)*alpha), cos(theta - 2*(k - 2)*alpha)];
  contact ground[k in 1..4] : foot[k][2] >= 0 { friction = 5; slip = foot[k]'[1]; }
  initial theta = alpha - 0.2;
  initial x = [sin(theta), cos(theta)];
  initial w = 1.1;
  initial v = 1.1*[cos(theta), -sin(theta)];
  simulate { method = RKMK6; time = 0..0.25; step = 1e-3; }
}
)";

/// The speeds behind impacts of a row of balls that touch: u = v+ + e v- never falls along the row and is nearest to
/// (1 + e) v- in the kinetic energy (Moreau), which pooling neighbours finds; again while there are some that approach.
std::vector<double> behindImpacts(const std::vector<double>& masses, std::vector<double> v, double e) {
  const auto approaches = [&] {
    for (std::size_t i = 1; i < v.size(); ++i)
      if (v[i] < v[i - 1] - 1e-12) return true;
    return false;
  };
  while (approaches()) {
    struct Pool {
      double speed, mass;
      std::size_t count;
    };
    std::vector<Pool> pools;
    for (std::size_t i = 0; i < v.size(); ++i) {
      pools.push_back({(1 + e) * v[i], masses[i], 1});
      for (std::size_t k = pools.size(); k > 1 && pools[k - 2].speed >= pools[k - 1].speed; k = pools.size()) {
        const Pool b = pools.back();
        pools.pop_back();
        Pool& a = pools.back();
        const double mass = a.mass + b.mass;
        a = {(a.speed * a.mass + b.speed * b.mass) / mass, mass, a.count + b.count};
      }
    }
    std::size_t i = 0;
    for (const Pool& p : pools)
      for (std::size_t k = 0; k < p.count; ++k, ++i) v[i] = p.speed - e * v[i];
  }
  return v;
}

/// Balls in a row, or on each other, with masses over four decades.
const char* const row = R"(model Row {
  param N : int = 30;  param e = 0.7;  param g = 0;  param apart = 0;
  param m[i in 1..N] = 10^(2*sin(3.7*i));
  config x[N] : R velocity v;
  lagrangian = sum(i in 1..N: 0.5*m[i]*v[i]^2 - m[i]*g*x[i]);
  contact pair[i in 2..N] : x[i] - x[i-1] >= 0.1 { restitution = e; }
  contact floor : x[1] >= 0 { restitution = e; }
  initial x[i in 1..N] = 0.1*i + apart*(0.05*i + 0.02*sin(5.1*i));
  initial v[i in 1..N] = (1 - apart)*cos(2.3*i);
  observe push[i in 2..N] = multiplier(pair[i]);
  observe bottom = multiplier(floor);
  simulate { method = RKMK4; time = 0..1e-9; step = 1e-9; }
}
)";

struct ColumnImpact {
  double time;
  std::size_t contact; ///< 0: the floor; k: of the balls k and k + 1, from below
};

/// A column of equal balls that falls, impact by impact: between impacts all fall alike, so that the time of each one
/// solves an equation of first or second degree.
std::vector<ColumnImpact> columnOfBalls(std::size_t count, long double e, std::size_t most) {
  constexpr long double g = 9.81L, height = 0.5L, distance = 0.01L;
  std::vector<long double> gap(count, distance), speed(count, 0); // speed: at which the gap grows
  gap[0] = height;
  std::vector<ColumnImpact> list;
  for (long double t = 0; list.size() < most;) {
    long double least = (speed[0] + std::sqrt(speed[0] * speed[0] + 2 * g * gap[0])) / g;
    std::size_t hit = 0;
    for (std::size_t k = 1; k < count; ++k) {
      if (!(speed[k] < 0) || !(-gap[k] / speed[k] < least)) continue;
      least = -gap[k] / speed[k];
      hit = k;
    }
    for (std::size_t k = 0; k < count; ++k) gap[k] += speed[k] * least;
    gap[0] -= g * least * least / 2;
    speed[0] -= g * least;
    gap[hit] = 0;
    const long double impulse = -(1 + e) * speed[hit] / (hit == 0 ? 1 : 2);
    // What the lower ball of the contact loses, the contact below it feels, and the one above the upper ball.
    speed[hit] += hit == 0 ? impulse : 2 * impulse;
    if (hit > 0) speed[hit - 1] -= impulse;
    if (hit + 1 < count) speed[hit + 1] -= impulse;
    t += least;
    list.push_back({static_cast<double>(t), hit});
  }
  return list;
}

} // namespace

TEST(Impacts, OfManyUnequalBallsAtOneTime) {
  const Workspace w;
  const std::string file = w.write("m.lie", row).string();
  for (const double e : {0.0, 0.3, 0.7, 0.999, 1.0})
    for (const int n : {5, 30, 70}) {
      const Trajectory t = runModel(w, file, {"--set", fmt::format("e={}", e), "--set", fmt::format("N={}", n)});
      std::vector<double> masses, speeds;
      for (int i = 1; i <= n; ++i) {
        masses.push_back(std::pow(10, 2 * std::sin(3.7 * i)));
        speeds.push_back(std::cos(2.3 * i));
      }
      const std::vector<double> expected = behindImpacts(masses, speeds, e);
      for (int i = 1; i <= n; ++i)
        EXPECT_NEAR(t.last(fmt::format("v[{}]", i)), expected[static_cast<std::size_t>(i - 1)], 1e-9)
            << n << " balls, restitution " << e;
    }
}

/// A column comes to rest; each ball carries those above.
TEST(Impacts, AColumnOfUnequalBallsComesToRest) {
  const Workspace w;
  const std::string file = w.write("m.lie", row).string();
  for (const char* e : {"e=0", "e=0.5"}) {
    const Trajectory t =
        runModel(w, file, {"--set", e, "--set", "g=9.81", "--set", "apart=1", "--time", "0..4", "--step", "0.05"});
    double weight = 0;
    for (int i = 30; i >= 1; --i) {
      weight += 9.81 * std::pow(10, 2 * std::sin(3.7 * i));
      const double force = t.last(i > 1 ? fmt::format("push[{}]", i) : "bottom");
      EXPECT_NEAR(force, weight, 1e-9 * weight) << e << ", " << i;
      EXPECT_NEAR(t.last(fmt::format("x[{}]", i)), 0.1 * (i - 1), 1e-12) << e;
    }
  }
}

/// Reference 24: the coefficient of the force of the contact is 1 + 3 cos a (cos a - mu sin a). It vanishes somewhere
/// from mu = 4/3 on, there where tan a = 2, and is negative for mu = 2 between two angles.
TEST(Impacts, PainlevesRodIsRefusedWhereTheCoefficientSaysSo) {
  const Workspace w;
  const std::string file = w.write("m.lie", slidingRod).string();
  const auto refused = [&](double mu, double angle) {
    const Outcome o =
        w.lmc({"run", file, "--set", fmt::format("mu={:.17g}", mu), "--set", fmt::format("a={:.17g}", angle)});
    if (o.status != 0) {
      EXPECT_NE(o.err.find("LIE0535"), std::string::npos) << o.err;
      EXPECT_NE(o.err.find("`tip`"), std::string::npos) << o.err;
      EXPECT_NE(o.err.find("makes the bodies approach even more"), std::string::npos) << o.err;
    }
    return o.status != 0;
  };
  constexpr double near = 1e-7;
  for (const double edge : {0.65235813978436819, 1.3820857960113345}) {
    const double inwards = edge < 1 ? near : -near;
    EXPECT_FALSE(refused(2, edge - inwards)) << edge;
    EXPECT_TRUE(refused(2, edge + inwards)) << edge;
  }
  EXPECT_FALSE(refused(4.0 / 3 - near, std::atan(2.0)));
  EXPECT_TRUE(refused(4.0 / 3 + near, std::atan(2.0)));
  for (const double angle : {0.2, 0.7, 1.0, 1.2, 1.5}) EXPECT_FALSE(refused(1.3, angle)) << angle;
}

/// One that turns into the range while it slides stops at its edge.
TEST(Impacts, PainlevesRodStopsWhereTheCoefficientVanishes) {
  const Workspace w;
  const Outcome o =
      w.lmc({"run", w.write("m.lie", slidingRod).string(), "--set", "a=0.64", "--set", "v=[-20, 0.2*cos(0.64)]",
             "--set", "w=0.2", "--time", "0..1", "--step", "1e-3", "--output", w.path("o.csv").string()});
  EXPECT_NE(o.status, 0);
  EXPECT_NE(o.err.find("LIE0535"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("takes all resistance"), std::string::npos) << o.err;
  const auto run = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->last("phi"), 0.65235813978436819, 1e-7);
}

/// Newton's cradle (reference 21): the impulses, together and in turn, of equal and of unequal balls.
TEST(Impacts, OfACradleHaveTheImpulsesOfTheirLaws) {
  const Workspace w;
  const auto cradle = [&](const std::string& settings, const std::string& masses, const std::string& e) {
    return runModel(w,
                    w.write("m.lie", "model Cradle {\n  param m[3] = " + masses + ";\n  param e = " + e +
                                         ";\n  config x[3] : R velocity v;\n"
                                         "  lagrangian = sum(i in 1..3 : 0.5*m[i]*v[i]^2);\n"
                                         "  contact pair[i in 2..3] : x[i] - x[i-1] >= 1 { restitution = e; }\n"
                                         "  initial x = [0.5, 2, 3];\n  initial v = [1, 0, 0];\n"
                                         "  simulate { method = RKMK4; time = 0..0.75; step = 0.1; " +
                                         settings + " }\n}\n")
                        .string(),
                    {});
  };
  const Trajectory together = cradle("", "[1, 1, 1]", "1");
  ASSERT_FALSE(together.rows.empty());
  EXPECT_NEAR(together.last("pair.impulse[2]"), 4.0 / 3, 1e-12);
  EXPECT_NEAR(together.last("pair.impulse[3]"), 2.0 / 3, 1e-12);
  const Trajectory inTurn = cradle("simultaneous = sequential;", "[1, 1, 1]", "1");
  ASSERT_FALSE(inTurn.rows.empty());
  EXPECT_NEAR(inTurn.last("pair.impulse[2]"), 1, 1e-12);
  EXPECT_NEAR(inTurn.last("pair.impulse[3]"), 1, 1e-12);
  // Of unequal balls: the matrix of both contacts is [[1/m1 + 1/m2, -1/m2], [-1/m2, 1/m2 + 1/m3]], the speeds of
  // approach are 1 and 0, and -e times them are left.
  const double a = 1 / 2.0 + 1 / 0.7, b = -1 / 0.7, c = 1 / 0.7 + 1 / 1.3, e = 0.6, det = a * c - b * b;
  const Trajectory unequal = cradle("", "[2, 0.7, 1.3]", "0.6");
  ASSERT_FALSE(unequal.rows.empty());
  EXPECT_NEAR(unequal.last("pair.impulse[2]"), (1 + e) * c / det, 1e-12);
  EXPECT_NEAR(unequal.last("pair.impulse[3]"), -(1 + e) * b / det, 1e-12);
}

/// A wheel without a rim that stands on a spoke, rolls over it and falls onto the next one, which sticks. Energy gives
/// the rate before; angular momentum about the new foot the rate behind, and both velocities of the hub the impulse.
TEST(Impacts, OfAWheelHaveTheImpulseOfItsHub) {
  const Workspace w;
  const nlohmann::json run = runOf(w, wheel, {"--output", w.path("o.csv").string()});
  const auto o = parseCsv(readFile(w.path("o.csv")));
  ASSERT_TRUE(o);
  std::size_t hit = 0;
  for (std::size_t k = 1; k < o->rows.size() && hit == 0; ++k)
    if (o->at(k, "t") > 0 && o->at(k, "ground.impulse[3]") > 0) hit = k;
  ASSERT_GT(hit, 0U) << run["events"];
  const double alpha = std::acos(-1.0) / 8, inertia = 0.3, about = inertia + 1;
  const double c = std::cos(alpha), s = std::sin(alpha);
  // about/2 w^2 + g cos(theta) is kept; the next spoke touches at theta = alpha.
  const double before = std::sqrt(1.21 + 2 * 9.81 * (std::cos(alpha - 0.2) - c) / about);
  const double behind = before * (inertia + std::cos(2 * alpha)) / about;
  EXPECT_NEAR(o->at(hit - 1, "w"), before, 1e-12);
  EXPECT_NEAR(o->at(hit, "w"), behind, 1e-12);
  // The hub moves with w (cos alpha, -sin alpha) before and w (cos alpha, sin alpha) behind.
  EXPECT_NEAR(o->at(hit, "ground.impulse[3]"), s * (before + behind), 1e-12);
  EXPECT_NEAR(o->at(hit, "ground.slip.impulse[3]"), c * (behind - before), 1e-12);
  EXPECT_NEAR(o->at(hit, "v[1]"), c * behind, 1e-12);
  EXPECT_NEAR(o->at(hit, "v[2]"), s * behind, 1e-12);
  // It stands on the new foot alone.
  EXPECT_EQ(o->at(hit, "ground.mode[2]"), 0);
  EXPECT_EQ(o->at(hit, "ground.mode[3]"), 2);
}

/// Impacts of a block with one or two corners at a floor, with random masses, places, velocities, restitutions and
/// coefficients of friction: the energy does not rise, or the run says that there is no such motion (Newton's law).
TEST(Impacts, NeverRaiseTheKineticEnergy) {
  const Workspace w;
  for (const std::string law : {"newton", "poisson"}) {
    const std::string file = w.write("m.lie", R"(model Block {
  param e = 0.5;  param mu = 0.3;  param inertia = 0.2;  param depth = 0.4;
  config x : R^2 velocity v;
  config phi : R velocity w;
  lagrangian = 0.5*dot(v, v) + 0.5*inertia*w^2;
  let corner[k in 1..2] = [(2*k - 3)*cos(phi) + depth*sin(phi), (2*k - 3)*sin(phi) - depth*cos(phi)];
  contact floor[k in 1..2] : x[2] + corner[k][2] >= 0 {
    restitution = e;  friction = mu;  slip = v[1] - w*corner[k][2];
  }
  initial x = [0, -min(corner[1][2], corner[2][2])];
  observe kinetic = 0.5*dot(v, v) + 0.5*inertia*w^2;
  simulate { method = RKMK4; time = 0..1e-9; step = 1e-9; law = )" +
                                                  law + "; }\n}\n")
                                 .string();
    for (const bool tilted : {false, true}) {
      SCOPED_TRACE(law + (tilted ? ", tilted" : ", flat"));
      Arguments call = {"ensemble",  file,
                        "--samples", "2000",
                        "--vary",    "e ~ uniform(0, 1)",
                        "--vary",    "mu ~ uniform(0, 1.5)",
                        "--vary",    "inertia ~ uniform(0.02, 0.6)",
                        "--vary",    "depth ~ uniform(0.1, 1)",
                        "--vary",    "v ~ normal(1)",
                        "--vary",    "w ~ normal(0, 1)",
                        "--seed",    "3",
                        "--output",  "e.csv"};
      if (tilted) call.insert(call.end(), {"--vary", "phi ~ normal(0, 0.7)"});
      const Outcome o = w.lmc(call);
      ASSERT_LE(o.status, 2) << o.err; // some samples may fail
      const auto table = parseCsv(readFile(w.path("e.csv")));
      ASSERT_TRUE(table);
      int impacts = 0, gains = 0, undecided = 0;
      for (std::size_t k = 0; k < table->rows.size(); ++k) {
        const double status = table->at(k, "status"), rate = table->at(k, "vary_w");
        gains += status == 8 ? 1 : 0;
        undecided += status == 9 ? 1 : 0;
        if (status != 0) continue;
        if (table->at(k, "floor.impulse[1]") + table->at(k, "floor.impulse[2]") > 0) ++impacts;
        const double before = (std::pow(table->at(k, "vary_v[1]"), 2) + std::pow(table->at(k, "vary_v[2]"), 2) +
                               table->at(k, "vary_inertia") * rate * rate) /
                              2;
        ASSERT_LE(table->at(k, "kinetic"), before * (1 + 1e-14)) << "sample " << k;
      }
      EXPECT_EQ(table->rows.size(), 2000U);
      EXPECT_GT(impacts, 900);
      EXPECT_LT(gains, law == "newton" ? 100 : 1);
      EXPECT_LT(undecided, 20);
    }
  }
}

/// Twenty blocks of masses over four decades, each with its own friction, on one slope; the passes that make the code
/// have remarks on it, which nobody sees.
TEST(Impacts, BlocksSlideAndStickOnASlope) {
  const Workspace w;
  const std::string file = w.write("m.lie", R"(model Slope {
  param N : int = 20;  param alpha = 0.5;  param g = 9.81;
  param m[i in 1..N] = 10^(2*sin(3.7*i));
  config x[N] : R^2 velocity v;
  lagrangian = sum(i in 1..N: 0.5*m[i]*dot(v[i], v[i]) - m[i]*g*(cos(alpha)*x[i][2] - sin(alpha)*x[i][1]));
  contact ground[i in 1..N] : x[i][2] >= 0 { restitution = 0.4;  friction = 0.05*i;  slip = v[i][1]; }
  initial v[i in 1..N] = [3*cos(2.3*i), 0];
  simulate { method = RKMK4; time = 2..3.5; step = 0.05; output every 0.5; }
}
)")
                               .string();
  EXPECT_EQ(w.lmc({"run", file, "--quiet", "--no-cache"}).err, "");
  const Trajectory t = runModel(w, file, {});
  constexpr double gravity = 9.81, alpha = 0.5, span = 1.5;
  for (int i = 1; i <= 20; ++i) {
    const double mu = 0.05 * i, v0 = 3 * std::cos(2.3 * i), down = gravity * std::sin(alpha),
                 rub = gravity * mu * std::cos(alpha);
    const double a = v0 < 0 ? down + rub : down - rub; // until it stops, if it does
    const double stop = v0 * a < 0 ? std::min(span, -v0 / a) : span, left = span - stop;
    const double behind = std::max(down - rub, 0.0); // from rest
    const double x = v0 * stop + a * stop * stop / 2 + behind * left * left / 2;
    EXPECT_NEAR(t.last(fmt::format("x[{}][1]", i)), x, 1e-12) << i;
    EXPECT_NEAR(t.last(fmt::format("v[{}][1]", i)), left > 0 ? behind * left : v0 + a * span, 1e-12) << i;
  }
}

/// Of thirty contacts that all close within one step, the first one is looked for first, and the others are seen not to
/// have closed then: what an impact costs does not grow with their number.
TEST(Impacts, AColumnOfBallsTakesAFewPartsOfStepsForEachOfManyImpacts) {
  const Workspace w;
  constexpr std::size_t most = 300; // what rounding makes of them grows from impact to impact
  const nlohmann::json run = runOf(w, R"(model Column {
  config z[30] : R velocity v;
  lagrangian = sum(i in 1..30: 0.5*v[i]^2 - 9.81*z[i]);
  contact floor : z[1] >= 0.1 { restitution = 0.9; }
  contact pair[i in 2..30] : z[i] - z[i-1] >= 0.2 { restitution = 0.9; }
  initial z[i in 1..30] = 0.6 + 0.21*(i - 1);
  simulate { method = RKMK4; time = 0..0.4; step = 1e-2; }
})");
  const std::vector<ColumnImpact> reference = columnOfBalls(30, 0.9L, most);
  ASSERT_GT(run["events"].size(), most);
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t contact = reference[k].contact;
    ASSERT_EQ(run["events"][k]["name"], contact == 0 ? "floor" : fmt::format("pair[{}]", contact + 1)) << k;
    ASSERT_NEAR(run["events"][k]["time"].get<double>(), reference[k].time, 1e-12) << k;
  }
  double impacts = 0;
  for (const auto& jump : run["jumps"]) impacts += jump["count"].get<double>();
  constexpr double stages = 4;
  EXPECT_LT(run["evaluations"].get<double>(), 20 * stages * impacts); // a contact after the other: 31
}
