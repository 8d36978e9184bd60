#include "acceptance/Cases.h"

#include "reference/Dipoles.h"
#include "reference/Hamiltonian.h"
#include "reference/HeavyTop.h"
#include "reference/Pendulums.h"
#include "reference/Quadrotors.h"
#include "reference/RigidBodies.h"
#include "reference/Steppers.h"
#include "reference/TestModels.h"

namespace lmc::acceptance {

using namespace reference;

namespace {

struct Options {
  Arguments set = {};
  int states = 1000;
  double time = 1;
  double steps = 50; ///< of the exact motion, per unit of time: fewer where rates are slow and the motion is
};

template <class M> Case make(const std::string& name, const std::string& file, const M& model, Options options = {}) {
  Case c;
  c.name = name;
  c.file = file;
  for (const std::string& s : options.set) {
    c.set.push_back("--set");
    c.set.push_back(s);
  }
  c.states = options.states;
  c.time = options.time;
  c.layout = model.layout();
  c.rates = [model](double t, const reference::Vector<double>& x) { return model.rates(t, x); };
  if constexpr (requires(const reference::Vector<double>& x) { model.energy(0.0, x); }) {
    c.energy = [model](double t, const reference::Vector<double>& x) { return model.energy(t, x); };
  } else {
    c.hasEnergy = false;
  }
  const double time = options.time;
  const int steps = std::max(1, static_cast<int>(options.steps * time));
  c.exact = [model, time, steps](const reference::Vector<double>& x) {
    using L = Case::Real;
    return reference::Stepper<L, M>(model).reference(0, L(time), steps, x.template cast<L>());
  };
  c.rkmk4 = [model, time](const reference::Vector<double>& x, int n) {
    const reference::Stepper<double, M> s(model);
    return s.run([&](double t, const reference::Vector<double>& y, double h) { return s.rkmk4(t, y, h); }, 0, time, n,
                 x);
  };
  return c;
}

void addRigidBodies(std::vector<Case>& list) {
  list.push_back(make("heavy_top", example("heavy_top"), reference::HeavyTop{}, {.time = 0.1}));
  reference::HeavyTop top;
  top.m = 1;
  top.l = 0.5;
  top.inertia = {0.5, 0.8, 1.1};
  top.chi = {0, 0.6, 0.8};
  const Arguments set{"m=1", "l=0.5", "J=diag(0.5, 0.8, 1.1)", "chi=[0, 0.6, 0.8]"};
  Arguments body = set, space = set;
  body.emplace_back("Omega=[2,-3,1]");
  space.emplace_back("omega=[2,-3,1]");
  list.push_back(make("heavy_top_asymmetric", example("heavy_top"), top, {.set = body}));
  top.inSpace = true;
  list.push_back(make("heavy_top_space", testModel("heavy_top_space"), top, {.set = space}));
  list.push_back(make("body_on_link", testModel("body_on_link"), reference::BodyOnLink{}));
  list.push_back(make("energy_test", example("energy_test"), reference::EnergyTest{}, {.time = 10}));
  Case humming = make("humming_top", example("humming_top"), reference::HummingTop{});
  humming.hasEnergy = false; // flows only
  list.push_back(humming);
}

void addSpheres(std::vector<Case>& list) {
  list.push_back(make("spherical_pendulum", example("spherical_pendulum"), reference::SphericalPendulum{}));
  list.push_back(make("double_pendulum", example("pendulum_chain"), reference::DoublePendulum{0.7, 1.9, 1.2, 0.6, 9.81},
                      {.set = {"m=[0.7, 1.9]", "L=[1.2, 0.6]", "w[1]=[0.5, 1, -0.5]"}}));
  list.push_back(make("chain_3", example("pendulum_chain"), reference::PendulumChain({1, 2, 0.5}, {1, 0.7, 1.4}),
                      {.set = {"N=3", "m[2]=2", "m[3]=0.5", "L[2]=0.7", "L[3]=1.4", "w[2]=[-1, 0.5, 1]"}}));
  list.push_back(make("chain_9", example("pendulum_chain"), reference::PendulumChain(9),
                      {.set = {"N=9", "w[2]=[-1, 0.5, 1]"}, .states = 200}));
  list.push_back(make("chain_40", example("pendulum_chain"), reference::PendulumChain(40),
                      {.set = {"N=40", "w[40]=[-1, 0.5, 1]"}, .states = 20, .time = 0.1}));
  reference::MagneticDipoles four;
  four.n = 2;
  list.push_back(make("dipoles_2", example("magnetic_dipoles"), four, {.set = {"n=2"}}));
  list.push_back(make("dipoles_4", example("magnetic_dipoles"), reference::MagneticDipoles{}));
  list.push_back(make("sphere_flow", testModel("sphere_flow"), reference::SphereFlow{}));
  list.push_back(make("moving_pivot", testModel("moving_pivot"), reference::Derived<reference::MovingPivot>{}));
  list.push_back(
      make("spin_chain_5", testModel("spin_chain"), reference::Derived<reference::SpinChain>{}, {.steps = 16}));
  list.push_back(make("spin_chain_24", testModel("spin_chain"), reference::Derived<reference::SpinChain>{{.n = 24}},
                      {.set = {"N=24"}, .states = 20, .time = 0}));
}

void addProducts(std::vector<Case>& list) {
  list.push_back(make("two_quadrotors", example("two_quadrotors"), reference::TwoQuadrotors{}));
  list.push_back(make("coupled_all", testModel("coupled_all"), reference::Derived<reference::CoupledAll>{}));
  list.push_back(
      make("gyroscopic", testModel("gyroscopic"), reference::Derived<reference::Gyroscopic>{}, {.steps = 16}));
  list.push_back(make("damped", testModel("damped"), reference::Derived<reference::Damped>{}));
  list.push_back(make("forced", testModel("forced"), reference::Derived<reference::Forced>{}, {.steps = 16}));
  list.push_back(make("actuator", testModel("actuator"), reference::Derived<reference::Actuator>{}));
  list.push_back(make("rotor_chain_2", testModel("rotor_chain"), reference::Derived<reference::RotorChain>{{.n = 2}},
                      {.set = {"N=2"}, .steps = 16}));
  list.push_back(make("rotor_chain_4", testModel("rotor_chain"), reference::Derived<reference::RotorChain>{},
                      {.states = 100, .time = 0}));
  list.push_back(make("rotor_chain_12", testModel("rotor_chain"), reference::Derived<reference::RotorChain>{{.n = 12}},
                      {.set = {"N=12"}, .states = 5, .time = 0}));
}

void addMomenta(std::vector<Case>& list) {
  reference::HeavyTop top;
  list.push_back(
      make("heavy_top_momentum", testModel("heavy_top_momentum"), reference::HeavyTopHamiltonian{top}, {.time = 0.1}));
  list.push_back(
      make("heavy_top_quadratic", example("heavy_top_quadratic"), reference::HeavyTopQuadratic{top}, {.time = 0.1}));
  top.inSpace = true;
  list.push_back(make("heavy_top_hamiltonian", example("heavy_top_hamiltonian"), reference::HeavyTopHamiltonian{top},
                      {.time = 0.05, .steps = 100}));
  list.push_back(make("dipolar_spheres_4", example("dipolar_spheres"), reference::DipolarSpheres{},
                      {.set = {"N=4", "q[1]=[1,0,0]", "q[2]=[0,1.2,0]", "q[3]=[0,0,-1.1]", "q[4]=[1,1,1]"}}));
  list.push_back(make("dipolar_spheres_12", example("dipolar_spheres"), reference::DipolarSpheres{.n = 12},
                      {.set = {"N=12"}, .states = 100, .time = 0}));
  list.push_back(make("sphere_momentum", testModel("sphere_momentum"), reference::SphereMomentum{}));
  list.push_back(make("momentum_forces", testModel("momentum_forces"), reference::MomentumForces{}));
}

} // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    addRigidBodies(list);
    addSpheres(list);
    addProducts(list);
    addMomenta(list);
    return list;
  }();
  return all;
}

} // namespace lmc::acceptance
