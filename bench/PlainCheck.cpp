#include "bench/PlainCheck.h"

#include "bench/Plain.h"
#include "reference/HeavyTop.h"
#include "reference/Pendulums.h"
#include "reference/Quadrotors.h"
#include "reference/Steppers.h"

namespace lmc::bench {

namespace {

using reference::Vector;

Vector<double> flat(const plain::Top::State& y) {
  Vector<double> x(12);
  reference::storeRotation<double>(x, 0, y.R);
  x.tail<3>() = y.Omega;
  return x;
}

Vector<double> flat(const plain::Chain::State& y) {
  Vector<double> x(12);
  x << y.q[0], y.q[1], y.w[0], y.w[1];
  return x;
}

Vector<double> flat(const plain::Quadrotors::State& s) {
  Vector<double> x(42);
  x.head<6>() << s.y, s.v;
  for (int i = 0; i < 2; ++i) {
    reference::storeRotation<double>(x, 6 + 9 * i, s.R[i]);
    x.segment<3>(24 + 3 * i) = s.Omega[i];
    x.segment<3>(30 + 3 * i) = s.q[i];
    x.segment<3>(36 + 3 * i) = s.w[i];
  }
  return x;
}

template <class System, class Model> double difference(const System& system, const Model& model) {
  const reference::Stepper<double, Model> stepper(model);
  typename System::State y = System::start();
  typename System::State z = y;
  Vector<double> x = flat(y);
  Vector<double> u = x;
  constexpr double h = 1e-3;
  for (int i = 0; i < 200; ++i) {
    y = plain::step(system, y, h);
    x = stepper.rkmk4(i * h, x, h);
    z = plain::stepFree(system, z, h);
    u = stepper.commutatorFree(reference::tableaux::cf4, i * h, u, h);
  }
  return std::max((flat(y) - x).cwiseAbs().maxCoeff(), (flat(z) - u).cwiseAbs().maxCoeff());
}

} // namespace

double plainError() {
  return std::max({difference(plain::Top{}, reference::HeavyTop{}),
                   difference(plain::Chain{}, reference::PendulumChain(2)),
                   difference(plain::Quadrotors{}, reference::TwoQuadrotors{})});
}

} // namespace lmc::bench
