// `lmc derive`: the derived accelerations at random states against the independent references, and the printed
// equations.
#include "acceptance/Cases.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::reference;
using lmc::reference::Vector;

namespace {

class Accelerations : public testing::TestWithParam<Case> {};

struct Samples {
  std::vector<double> times;
  std::vector<Vector<double>> states;
};

Samples randomSamples(const Case& c) {
  Samples samples;
  std::mt19937_64 generator(42);
  for (int i = 0; i < c.states; ++i) {
    samples.times.push_back(0.01 * i);
    samples.states.push_back(lmc::reference::randomState<double>(c.layout, generator, 2));
  }
  return samples;
}

} // namespace

TEST_P(Accelerations, AgreeWithTheReference) {
  const Case& c = GetParam();
  const Workspace w;
  const Samples samples = randomSamples(c);
  const std::string states = w.write("states.csv", statesCsv(c.layout, samples.times, samples.states)).string();
  const std::string output = w.path("rates.csv").string();
  Arguments arguments{"derive", c.file, "--at", states, "--output", output};
  arguments.insert(arguments.end(), c.set.begin(), c.set.end());
  const Outcome outcome = w.lmc(arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto rates = parseCsv(readFile(output));
  ASSERT_TRUE(rates);
  const std::vector<std::string> columns = lmc::reference::rateColumns(c.layout);
  std::vector<std::string> header{"t"};
  header.insert(header.end(), columns.begin(), columns.end());
  EXPECT_EQ(rates->columns, header);
  ASSERT_EQ(rates->rows.size(), samples.states.size());
  for (std::size_t i = 0; i < samples.states.size(); ++i) {
    ASSERT_EQ(rates->rows[i][0], samples.times[i]);
    const Vector<double> expected = c.rates(samples.times[i], samples.states[i]), actual = rates->pick(i, columns);
    ASSERT_LE((actual - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff())
        << "state " << i << "\nexpected " << expected.transpose() << "\nactual   " << actual.transpose();
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Accelerations, testing::ValuesIn(cases()), [](const auto& p) { return p.param.name; });

TEST(DeriveAt, IgnoresFurtherColumnsAndTheirOrder) {
  const Workspace w;
  const std::string states = w.write("states.csv", "energy,w[3],w[2],w[1],t,q[1],q[2],q[3],tip[1]\n"
                                                   "7,0,1,0,0.5,1,0,0,3\n")
                                 .string();
  const std::string output = w.path("rates.csv").string();
  const Outcome outcome = w.lmc({"derive", example("spherical_pendulum"), "--at", states, "--output", output});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto rates = parseCsv(readFile(output));
  ASSERT_TRUE(rates);
  EXPECT_EQ(rates->columns, (std::vector<std::string>{"t", "w'[1]", "w'[2]", "w'[3]"}));
  ASSERT_EQ(rates->rows.size(), 1U);
  EXPECT_EQ(rates->at(0, "t"), 0.5);
  EXPECT_NEAR(rates->at(0, "w'[1]"), 0, 1e-15);
  EXPECT_NEAR(rates->at(0, "w'[2]"), 9.81 / 2, 1e-14); // −(g/l) e1 × e3
  EXPECT_NEAR(rates->at(0, "w'[3]"), 0, 1e-15);
}

// States that are rounded are moved onto their manifolds, as initial values are; those that are off are said.
TEST(DeriveAt, StatesAreSettled) {
  const Workspace w;
  const auto derive = [&](const std::string& row) {
    const std::string states = w.write("states.csv", "t,q[1],q[2],q[3],w[1],w[2],w[3]\n0," + row + "\n").string();
    return w.lmc({"derive", example("spherical_pendulum"), "--at", states, "--output", w.path("rates.csv").string()});
  };
  const Outcome rounded = derive("0.6000000004,0,0.8,0,1,0");
  ASSERT_EQ(rounded.status, 0) << rounded.err;
  EXPECT_EQ(rounded.err, "");
  const auto rates = parseCsv(readFile(w.path("rates.csv")));
  ASSERT_TRUE(rates);
  EXPECT_NEAR(rates->at(0, "w'[2]"), 9.81 / 2 * 0.6000000004 / std::hypot(0.6000000004, 0.8), 1e-14);
  const Outcome off = derive("0.7,0,0.8,0,1,0");
  EXPECT_EQ(off.status, 0);
  EXPECT_NE(off.err.find("warning[LIE0402]: in state 1 of 1 `q` is not on its manifold"), std::string::npos) << off.err;
}

TEST(DeriveAt, AStateColumnThatIsMissingIsNamed) {
  const Workspace w;
  const std::string states = w.write("states.csv", "t,q[1],q[2],q[3],w[1],w[2]\n0,1,0,0,0,1\n").string();
  const Outcome outcome =
      w.lmc({"derive", example("spherical_pendulum"), "--at", states, "--output", w.path("rates.csv").string()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("w[3]"), std::string::npos) << outcome.err;
}

class Printed : public testing::TestWithParam<const char*> {};

TEST_P(Printed, InEveryFormat) {
  const Workspace w;
  const std::string file = example(GetParam());
  const Outcome text = w.lmc({"derive", file});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find('='), std::string::npos);
  const Outcome latex = w.lmc({"derive", file, "--format", "latex"});
  ASSERT_EQ(latex.status, 0) << latex.err;
  EXPECT_NE(latex.out.find('\\'), std::string::npos);
  EXPECT_NE(latex.out, text.out);
  const Outcome json = w.lmc({"derive", file, "--format", "json"});
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_TRUE(parseJson(json.out).is_object());
  EXPECT_EQ(w.lmc({"derive", file}).out, text.out) << "not the same twice";
}

INSTANTIATE_TEST_SUITE_P(Examples, Printed,
                         testing::Values("heavy_top", "pendulum_chain", "two_quadrotors", "spherical_pendulum",
                                         "magnetic_dipoles", "humming_top", "energy_test", "heavy_top_hamiltonian",
                                         "heavy_top_lie_poisson", "heavy_top_quadratic", "dipolar_spheres",
                                         "rigid_body_orbits"),
                         [](const auto& p) { return p.param; });
