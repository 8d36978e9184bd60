#include "bench/Tuned.h"

#include "bench/Plain.h"
#include "bench/TunedChain.h"
#include "bench/TunedQuadrotors.h"
#include "bench/TunedTop.h"

#include <algorithm>
#include <chrono>

namespace lmc::bench::tuned {

namespace {

/// Keeps a value alive without storing it.
template <class T> void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

template <class S> double timed(Method method, int steps, double h) {
  const S system(h);
  typename S::State y = S::start();
  const auto start = std::chrono::steady_clock::now();
  if (method == Method::RKMK4)
    for (int i = 0; i < steps; ++i) system.rkmk4(y);
  else
    for (int i = 0; i < steps; ++i) system.cf4(y);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  keep(y);
  return elapsed;
}

double difference(const Eigen::Vector3d& a, const V& b) {
  return (a - Eigen::Vector3d(b.x, b.y, b.z)).cwiseAbs().maxCoeff();
}
double difference(const Eigen::Matrix3d& a, const Rotation& b) {
  return std::max({difference(a.row(0), b.r1), difference(a.row(1), b.r2), difference(a.row(2), b.r3)});
}
double difference(const plain::Top::State& a, const Top::State& b) {
  return std::max(difference(a.R, b.R), difference(a.Omega, b.Omega));
}
double difference(const plain::Chain::State& a, const Chain::State& b) {
  double d = 0;
  for (int i = 0; i < 2; ++i) d = std::max({d, difference(a.q[i], b.l[i].q), difference(a.w[i], b.l[i].w)});
  return d;
}
double difference(const plain::Quadrotors::State& a, const Quadrotors::State& b) {
  double d = std::max(difference(a.y, b.y), difference(a.v, b.v));
  for (int i = 0; i < 2; ++i)
    d = std::max({d, difference(a.R[i], b.R[i]), difference(a.Omega[i], b.Omega[i]), difference(a.q[i], b.l[i].q),
                  difference(a.w[i], b.l[i].w)});
  return d;
}

template <class Plain, class Tuned> double difference(const Plain& plain, int steps, double h) {
  const Tuned tuned(h);
  auto a = Plain::start(), c = a;
  auto b = Tuned::start(), d = b;
  for (int i = 0; i < steps; ++i) {
    a = plain::step(plain, a, h);
    tuned.rkmk4(b);
    c = plain::stepFree(plain, c, h);
    tuned.cf4(d);
  }
  return std::max(difference(a, b), difference(c, d));
}

} // namespace

double run(System system, Method method, int steps, double h) {
  switch (system) {
  case System::Top:
    return timed<Top>(method, steps, h);
  case System::Chain:
    return timed<Chain>(method, steps, h);
  default:
    return timed<Quadrotors>(method, steps, h);
  }
}

double error() {
  // The large steps turn by more than the quarter of a radian for which the polynomials hold.
  return std::max({difference<plain::Top, Top>({}, 200, 1e-3), difference<plain::Top, Top>({}, 20, 5e-3),
                   difference<plain::Chain, Chain>({}, 200, 1e-3), difference<plain::Chain, Chain>({}, 20, 0.1),
                   difference<plain::Quadrotors, Quadrotors>({}, 200, 1e-3),
                   difference<plain::Quadrotors, Quadrotors>({}, 20, 0.3)});
}

} // namespace lmc::bench::tuned
