// Samples look at their mass equations as single runs do: matrices of any signs are solved for, those that pass through
// a singular one are found, and accelerations that do not solve the equation are said.
#include "Ensembles.h"

#include <array>
#include <cmath>

using namespace lmc::acceptance;

namespace {

/// Two coupled oscillators; for m < 0.01 the mass matrix has a negative eigenvalue.
const char* const coupled = R"(model Coupled {
  param m = 1;
  config a : R velocity va;
  config b : R velocity vb;
  lagrangian = 0.5*m*va^2 + 0.1*va*vb + 0.5*vb^2 - 0.5*a^2 - 0.5*b^2;
  initial a = 0.1;
  initial vb = 1;
  simulate { method = RKMK4; step = 0.01; time = 0..2; }
})";

/// The mass of a is m - t, which is lost at t = m.
const char* const melting = R"(model Melting {
  param m = 1;
  config a : R velocity va;
  config b : R velocity vb;
  lagrangian = 0.5*(m - b)*va^2 + 0.5*vb^2;
  initial va = 0;
  initial vb = 1;
  simulate { method = RKMK4; step = 0.3; time = 0..2.4; }
})";

/// Y is lighter by twelve decades than the forces that cancel in its equation, beside a chain.
const char* const cancelling = R"(group Planar {
  element A : mat(3,3);
  algebra w : vec(3);
  basis = [[[0, -1, 0.5], [1, 0, -0.25], [0, 0, 0]],
           [[0, 0, 2], [0, 0, 0.5], [0, 0, 0]],
           [[0, -0.5, 0], [0.5, 0, -1], [0, 0, 0]]];
}
manifold Plane {
  point x : vec(2);
  group SE(2);
  action(A, x) = A.R*x + A.x;
  horizontal(x, u) = u.w;
  random = normal(0, 1, 2);
}
manifold SkewedPlane {
  point x : vec(2);
  group Planar;
  action(A, x) = [A[1,1]*x[1] + A[1,2]*x[2] + A[1,3], A[2,1]*x[1] + A[2,2]*x[2] + A[2,3]];
  fn turn(W) = W[2,1];
  horizontal(x, w) = turn(Planar.hat(w));
  random = normal(0, 1, 2);
}
model Random {
  param N : int = 4;
  param k = 1;
  config X[N] : SkewedPlane velocity u;
  config Y : Plane velocity v;
  let p2[1] = [X[1][1], X[1][2], X[1][2]];
  let p2[i in 2..N] = p2[i-1] + [X[i][1], sin(X[i][1]), X[i][2]];
  lagrangian = (7.7277e-11*(v.w^2) + ((7.7277e-11*dot(v.v, v.v))*(1.5 + sin(log(1.7875 + (dot([X[4][1], X[4][2], X[4][2]], [X[4][1], X[4][2], X[4][2]])^2))))))
    + (sum(i in 1..N: 19.73*k*dot(p2[i]', p2[i]')))
    + (sin(dot(p2[1], p2[1]))*v.w);
  initial X[1] = [0.2194930780143407, -1.6764599719301432];
  initial u[1] = [-1.2108545422537327, 2.5388061545416516, 2.4217090845074654];
  initial X[2] = [0.6471372507320453, 0.8723656063807214];
  initial u[2] = [-0.17812255096846188, 1.242029440973487, 0.35624510193692377];
  initial X[3] = [2.185584567683257, 0.7767014140912116];
  initial u[3] = [-0.7541825800143727, 0.6600767930453233, 1.5083651600287453];
  initial X[4] = [0.3548745119200391, -0.32609255865026693];
  initial u[4] = [-0.6282680313737662, 0.946736551076156, 1.2565360627475324];
  initial Y = [0.18323920186227924, 0.8478509158437028];
  initial v = (w = 0, v = [-0.2760578890172628, -1.3648341256805425]);
  simulate { method = RKMK54; step = 1e-3; time = 0..0.002; }
}
)";

/// (a, b, a', b') of `coupled` at t = 2, by the classical method and Cramer's rule.
std::array<double, 4> reference(double m) {
  using State = std::array<double, 4>;
  const auto field = [m](const State& y) {
    const double det = m - 0.01;
    return State{y[2], y[3], (-y[0] + 0.1 * y[1]) / det, (-m * y[1] + 0.1 * y[0]) / det};
  };
  State y = {0.1, 0, 0, 1};
  for (int step = 0; step < 200; ++step) {
    const auto moved = [&](const State& k, double h) {
      State z = y;
      for (std::size_t i = 0; i < 4; ++i) z[i] += h * k[i];
      return z;
    };
    const State k1 = field(y), k2 = field(moved(k1, 0.005)), k3 = field(moved(k2, 0.005)), k4 = field(moved(k3, 0.01));
    for (std::size_t i = 0; i < 4; ++i) y[i] += 0.01 / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

/// What the tool says of an ensemble with samples that fail.
std::string summary(const Workspace& w, const std::string& file, const Arguments& arguments) {
  Arguments all = {"ensemble", file};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = w.lmc(all);
  return outcome.out + outcome.err;
}

} // namespace

TEST(Masses, OfAnySignAreSolvedFor) {
  const Workspace w;
  const std::string file = w.write("coupled.lie", coupled);
  const Trajectory ends = ensemble(w, file, {"--vary", "m ~ linspace(-1, 1)", "--samples", "40"});
  ASSERT_EQ(ends.rows.size(), 40U);
  for (std::size_t k = 0; k < 40; ++k) {
    const double m = -1 + 2.0 * static_cast<double>(k) / 39;
    EXPECT_NEAR(ends.at(k, "vary_m"), m, 1e-14);
    const auto wanted = reference(m);
    const char* const names[] = {"a", "b", "va", "vb"};
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_NEAR(ends.at(k, names[c]), wanted[c], 1e-11 * std::max(1.0, std::abs(wanted[c]))) << m << names[c];
  }
}

TEST(Masses, ThatVanishOnTheWayEndASample) {
  const Workspace w;
  const std::string file = w.write("melting.lie", melting);
  const Outcome alone = w.lmc({"run", file});
  EXPECT_NE(alone.status, 0);
  EXPECT_NE((alone.out + alone.err).find("singular"), std::string::npos) << alone.out << alone.err;
  for (const char* const method : {"RKMK4", "CF4", "VIMidpoint"}) {
    const std::string text =
        summary(w, file, {"--vary", "m ~ linspace(0.7, 3.1)", "--samples", "9", "--method", method});
    EXPECT_NE(text.find("failed         6 of 9"), std::string::npos) << method << text; // 0.7, 1, … 2.2
  }
}

TEST(Masses, ThatAreNotSolvedForAreSaid) {
  const Workspace w;
  const std::string file = w.write("cancelling.lie", cancelling);
  const Outcome alone = w.lmc({"run", file, "--method", "RKMK4"});
  ASSERT_NE((alone.out + alone.err).find("do not solve the mass equation"), std::string::npos) << alone.err;
  for (const Arguments& method : {Arguments{"--method", "RKMK4"}, Arguments{"--tolerance", "1e-3"}}) {
    Arguments all = {"--vary", "k ~ uniform(0.9, 1.1)", "--samples", "20"};
    all.insert(all.end(), method.begin(), method.end());
    const std::string text = summary(w, file, all);
    EXPECT_NE(text.find("failed         20 of 20"), std::string::npos) << text;
    EXPECT_NE(text.find("do not solve the mass equation"), std::string::npos) << text;
  }
}
