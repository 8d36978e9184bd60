// Samples look at their mass equations as single runs do: matrices of any signs are solved for, those that pass through
// a singular one are found, and accelerations that do not solve the equation are said.
#include "Ensembles.h"

#include "tests/products/Cancelling.h"

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
  const std::string file = w.write("cancelling.lie", lmc::cancelling);
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
