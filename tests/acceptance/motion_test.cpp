// Motions of every model against tight integrations of the references, and steps against reference steppers.
#include "acceptance/Cases.h"
#include "acceptance/Trajectory.h"
#include "reference/HeavyTop.h"
#include "reference/Orders.h"
#include "reference/RigidBodies.h"
#include "reference/Steppers.h"
#include "reference/TestModels.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::reference;

namespace {

std::vector<Case> moving() {
  std::vector<Case> list;
  for (const Case& c : cases()) {
    if (c.time > 0) list.push_back(c);
  }
  return list;
}

class Motion : public testing::TestWithParam<Case> {};

/// A time with all its digits.
std::string text(double value) {
  return nlohmann::json(value).dump();
}

} // namespace

TEST_P(Motion, IsThatOfTheReference) {
  const Case& c = GetParam();
  constexpr int steps = 100;
  const Workspace w;
  Arguments arguments{
      "--method",          "RKMK4", "--time", "0.." + text(c.time), "--step", text(c.time / steps), "--every",
      text(c.time / steps)};
  arguments.insert(arguments.end(), c.set.begin(), c.set.end());
  const Trajectory run = runModel(w, c.file, arguments);
  ASSERT_FALSE(run.rows.empty());
  ASSERT_EQ(run.rows.size(), steps + 1U);
  EXPECT_EQ(run.last("t"), c.time);
  EXPECT_EQ(run.find("energy") >= 0, c.hasEnergy);
  const Vector<double> start = run.state(c.layout, 0), end = run.lastState(c.layout);
  const Vector<Case::Real> exact = c.exact(start);
  const auto distance = [&](const Vector<double>& x) {
    return double((x.cast<Case::Real>() - exact).cwiseAbs().maxCoeff());
  };
  // As near as the same method of the reference comes; on a sphere its action may be another one.
  const double reference = distance(c.rkmk4(start, steps));
  EXPECT_LE(distance(end), 10 * reference + 1e-11);
  EXPECT_LE(reference, 1e-2) << "a step too coarse to compare";
  EXPECT_LE(manifoldDefect(c.layout, end), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Models, Motion, testing::ValuesIn(moving()), [](const auto& p) { return p.param.name; });

namespace {

/// The methods whose formulas leave nothing open, as one step of a reference stepper.
template <class M>
using StepOf = std::function<Vector<double>(const Stepper<double, M>&, double, const Vector<double>&, double)>;

template <class M> std::vector<std::pair<std::string, StepOf<M>>> formulas() {
  using V = Vector<double>;
  using St = Stepper<double, M>;
  const auto cf = [](const CommutatorFree& T) -> StepOf<M> {
    return [&T](const St& s, double t, const V& y, double h) { return s.commutatorFree(T, t, y, h); };
  };
  const auto cg = [](const Tableau& T) -> StepOf<M> {
    return [&T](const St& s, double t, const V& y, double h) { return s.crouchGrossman(T, t, y, h); };
  };
  const auto rkmk = [](const Tableau& T) -> StepOf<M> {
    return [&T](const St& s, double t, const V& y, double h) { return s.rkmk(T, t, y, h); };
  };
  return {{"LieEuler", rkmk(lmc::reference::tableaux::lieEuler)},
          {"RKMK4", [](const St& s, double t, const V& y, double h) { return s.rkmk4(t, y, h); }},
          {"RKMK4full", rkmk(lmc::reference::tableaux::rk4)},
          {"CF2", cf(lmc::reference::tableaux::cf2)},
          {"CF3", cf(lmc::reference::tableaux::cf3)},
          {"CF3b", cf(lmc::reference::tableaux::cf3b)},
          {"CF4", cf(lmc::reference::tableaux::cf4)},
          {"CG3", cg(lmc::reference::tableaux::cg3)},
          {"CG4", cg(lmc::reference::tableaux::cg4)}};
}

/// Ten coarse steps of every formula agree to round-off with the reference stepper: the method is the one of the
/// paper, not another of the same order.
template <class M>
void expectSameSteps(const M& model, const std::string& file, const Arguments& set, double step, double tolerance) {
  const Stepper<double, M> s(model);
  const Workspace w;
  for (const auto& [name, formula] : formulas<M>()) {
    Arguments arguments{"--method", name, "--time", "0.." + text(10 * step), "--step", text(step)};
    arguments.insert(arguments.end(), set.begin(), set.end());
    const Trajectory run = runModel(w, file, arguments);
    ASSERT_EQ(run.rows.size(), 11U) << name;
    Vector<double> x = run.state(model.layout(), 0);
    for (int i = 0; i < 10; ++i) x = formula(s, i * step, x, step);
    const Vector<double> actual = run.lastState(model.layout());
    EXPECT_LE((actual - x).cwiseAbs().maxCoeff(), tolerance)
        << name << "\nexpected " << x.transpose() << "\nactual   " << actual.transpose();
  }
}

Arguments topSettings(const char* velocity) {
  return {"--set", "m=1",
          "--set", "l=0.5",
          "--set", "J=diag(0.5, 0.8, 1.1)",
          "--set", "chi=[0, 0.6, 0.8]",
          "--set", std::string(velocity) + "=[2, -3, 1]"};
}

} // namespace

TEST(Steps, HeavyTopInBody) {
  expectSameSteps(lmc::reference::orders::top(false), example("heavy_top"), topSettings("Omega"), 0.0625, 1e-11);
}

TEST(Steps, HeavyTopInSpace) {
  expectSameSteps(lmc::reference::orders::top(true), testModel("heavy_top_space"), topSettings("omega"), 0.0625, 1e-11);
}

TEST(Steps, FlowsInSpace) {
  expectSameSteps(HummingTop{}, example("humming_top"), {}, 0.0625, 1e-11);
}

TEST(Steps, FlowOnTheSphere) {
  expectSameSteps(SphereFlow{}, testModel("sphere_flow"), {}, 0.0625, 1e-12);
}
