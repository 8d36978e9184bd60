#include "acceptance/OrderProblems.h"

#include "reference/Hamiltonian.h"
#include "reference/Steppers.h"

using namespace lmc::reference;

namespace lmc::acceptance {

namespace {

template <class M>
OrderProblem problem(const char* name, const std::string& file, Arguments set, const reference::orders::Range& range,
                     const M& model, const reference::Vector<double>& start) {
  using L = long double;
  return {name,           file,
          std::move(set), range,
          model.layout(), reference::Stepper<L, M>(model).reference(0, L(range.time), 400, start.template cast<L>())};
}

Arguments top(const char* velocity, const char* start = "[2, -3, 1]") {
  return {"--set", "m=1",
          "--set", "l=0.5",
          "--set", "J=diag(0.5, 0.8, 1.1)",
          "--set", "chi=[0, 0.6, 0.8]",
          "--set", std::string(velocity) + "=" + start};
}

} // namespace

const OrderProblem& orderProblem(const std::string& name) {
  static const std::vector<OrderProblem> all{
      problem("TopInBody", example("heavy_top"), top("Omega"), reference::orders::topRange,
              reference::orders::top(false), reference::orders::topStart()),
      problem("TopInSpace", testModel("heavy_top_space"), top("omega"), reference::orders::topRange,
              reference::orders::top(true), reference::orders::topStart()),
      problem("MomentumInBody", testModel("heavy_top_momentum"), top("Pi", "[1, -2.4, 1.1]"),
              reference::orders::topRange, reference::HeavyTopHamiltonian{reference::orders::top(false)},
              reference::orders::momentumStart()),
      problem("MomentumInSpace", example("heavy_top_hamiltonian"), top("p", "[1, -2.4, 1.1]"),
              reference::orders::topRange, reference::HeavyTopHamiltonian{reference::orders::top(true)},
              reference::orders::momentumStart()),
      problem("ChainOutOfPlane", example("pendulum_chain"),
              {"--set", "w[1]=[0.5, 1, -0.5]", "--set", "w[2]=[-1, 0.5, 1]"}, reference::orders::chainRange,
              reference::PendulumChain(2), reference::PendulumChain::initialOutOfPlane<double>()),
      problem("FlowOnSphere", testModel("sphere_flow"), {}, reference::orders::sphereRange, reference::SphereFlow{},
              reference::orders::sphereStart()),
      problem("BriefFlowOnSphere", testModel("sphere_flow"), {}, reference::orders::shortSphereRange,
              reference::SphereFlow{}, reference::orders::sphereStart())};
  for (const OrderProblem& p : all) {
    if (p.name == name) return p;
  }
  throw std::out_of_range(name);
}

} // namespace lmc::acceptance
