// The measured order of every method equals the declared one, on both frames of SO(3), on a coupled tangent bundle
// and on a sphere with isotropy.
#include "acceptance/Trajectory.h"
#include "reference/Orders.h"
#include "reference/Steppers.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::reference;

namespace {

struct Method {
  const char* name;
  int order;
  bool users; ///< declared in user_methods.lie

  friend std::ostream& operator<<(std::ostream& out, const Method& m) { return out << m.name; }
};

constexpr std::array<Method, 24> methods{{{"LieEuler", 1, false},      {"RKMK2", 2, false},
                                          {"RKMK3", 3, false},         {"RKMK4", 4, false},
                                          {"RKMK4full", 4, false},     {"RKMK5", 5, false},
                                          {"RKMK6", 6, false},         {"CF3N", 3, false},
                                          {"CF4N", 4, false},          {"CF5", 5, false},
                                          {"CF6", 6, false},           {"CF2", 2, false},
                                          {"CF3", 3, false},           {"CF3b", 3, false},
                                          {"CF4", 4, false},           {"CG3", 3, false},
                                          {"CG4", 4, false},           {"UserHeun", 2, true},
                                          {"UserKutta3", 3, true},     {"UserDormandPrince", 5, true},
                                          {"UserCG3", 3, true},        {"UserTwoBrackets", 4, true},
                                          {"UserOneBracket", 3, true}, {"UserCF4", 4, true}}};

/// A model on which orders are measured: its file, its settings, and the exact state at the end.
struct Problem {
  std::string name, file;
  Arguments set;
  orders::Range range;
  Layout layout;
  Vector<long double> exact;
};

template <class M>
Problem problem(const char* name, const std::string& file, Arguments set, const orders::Range& range, const M& model,
                const Vector<double>& start) {
  using L = long double;
  return {name,  file,           std::move(set),
          range, model.layout(), Stepper<L, M>(model).reference(0, L(range.time), 400, start.template cast<L>())};
}

Arguments top(const char* velocity) {
  return {"--set", "m=1",
          "--set", "l=0.5",
          "--set", "J=diag(0.5, 0.8, 1.1)",
          "--set", "chi=[0, 0.6, 0.8]",
          "--set", std::string(velocity) + "=[2, -3, 1]"};
}

const Problem& problemOf(const std::string& name) {
  static const std::vector<Problem> all{
      problem("TopInBody", example("heavy_top"), top("Omega"), orders::topRange, orders::top(false),
              orders::topStart()),
      problem("TopInSpace", testModel("heavy_top_space"), top("omega"), orders::topRange, orders::top(true),
              orders::topStart()),
      problem("ChainOutOfPlane", example("pendulum_chain"),
              {"--set", "w[1]=[0.5, 1, -0.5]", "--set", "w[2]=[-1, 0.5, 1]"}, orders::chainRange, PendulumChain(2),
              PendulumChain::initialOutOfPlane<double>()),
      problem("FlowOnSphere", testModel("sphere_flow"), {}, orders::sphereRange, SphereFlow{}, orders::sphereStart())};
  for (const Problem& p : all) {
    if (p.name == name) return p;
  }
  throw std::out_of_range(name);
}

using Pair = std::tuple<const char*, Method>;
class Order : public testing::TestWithParam<Pair> {};

std::string number(double value) {
  return nlohmann::json(value).dump();
}

/// The model's file; with a user's methods, a copy that imports them.
std::string modelFile(const Workspace& w, const Problem& p, bool users) {
  if (!users) return p.file;
  w.write("user_methods.lie", readFile(testModel("user_methods")));
  return w.write("model.lie", "import \"user_methods.lie\";\n" + readFile(p.file)).string();
}

} // namespace

TEST_P(Order, IsTheDeclaredOne) {
  const auto& [problemName, method] = GetParam();
  const Problem& p = problemOf(problemName);
  const Workspace w;
  const std::string file = modelFile(w, p, method.users);
  std::vector<double> steps, errors;
  for (int n = p.range.coarsest(method.order), level = 0; level < orders::levels; ++level, n *= 2) {
    const double h = p.range.time / n;
    Arguments arguments{"--method", method.name, "--time",  "0.." + number(p.range.time),
                        "--step",   number(h),   "--every", number(p.range.time)};
    arguments.insert(arguments.end(), p.set.begin(), p.set.end());
    const Trajectory run = runModel(w, file, arguments);
    ASSERT_EQ(run.rows.size(), 2U);
    ASSERT_EQ(run.last("t"), p.range.time);
    steps.push_back(h);
    errors.push_back(double((run.lastState(p.layout).cast<long double>() - p.exact).cwiseAbs().maxCoeff()));
  }
  EXPECT_NEAR(orders::slope(steps, errors), method.order, method.order < 6 ? 0.15 : 0.3)
      << testing::PrintToString(errors);
  EXPECT_LE(errors.back(), method.order == 1 ? 1e-1 : 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Methods, Order,
                         testing::Combine(testing::Values("TopInBody", "TopInSpace", "ChainOutOfPlane", "FlowOnSphere"),
                                          testing::ValuesIn(methods)),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param)) + "_" + std::get<1>(p.param).name;
                         });
