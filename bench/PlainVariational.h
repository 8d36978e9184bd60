// The variational Lie–Verlet method with the Cayley map on the rigid body of the energy test, as a careful user of
// Eigen would write it by hand: Newton's method for the velocity with the Jacobian of the paper, the torque used twice.
// Formulas: N. Bou-Rabee, J. E. Marsden, Foundations of Computational Mathematics 9 (2009); G. Ortolan, A. Saccon,
// International Journal for Numerical Methods in Engineering 90 (2012).
#pragma once

#include "bench/Plain.h"

namespace lmc::bench::plain {

inline Matrix3d cayley(const Vector3d& u) {
  const Matrix3d U = hat(u);
  return Matrix3d::Identity() + (4 / (4 + u.squaredNorm())) * (U + 0.5 * U * U);
}

struct VariationalState {
  Matrix3d R;
  Vector3d w, torque; ///< in the body
};

/// One step of a body with inertia `J` and `torque`; `turns` is increased by the turns of the iteration.
template <class Body>
VariationalState variationalStep(const Body& body, const VariationalState& y, double h, long& turns) {
  const Vector3d& J = body.J;
  const Matrix3d inertia = J.asDiagonal();
  Vector3d x = y.w;
  for (int k = 0; k < 30; ++k) {
    ++turns;
    const Vector3d Jx = J.cwiseProduct(x);
    const double twice = x.dot(Jx);
    const Vector3d f = y.w - x + 0.5 * h * (Jx.cross(x) - 0.5 * h * twice * x + y.torque).cwiseQuotient(J);
    const Matrix3d inner = hat(Jx) - hat(x) * inertia - h * x * Jx.transpose() - 0.5 * h * twice * Matrix3d::Identity();
    const Matrix3d slope = -Matrix3d::Identity() + 0.5 * h * J.cwiseInverse().asDiagonal() * inner;
    const Vector3d change = slope.inverse() * f;
    x -= change;
    if (change.lpNorm<1>() < 1e-8 * x.lpNorm<1>()) break; // the next change is its square
  }
  VariationalState next;
  next.R = y.R * cayley(h * x);
  next.torque = body.torque(next.R);
  const Vector3d Jx = J.cwiseProduct(x);
  next.w = x + 0.5 * h * (Jx.cross(x) + 0.5 * h * x.dot(Jx) * x + next.torque).cwiseQuotient(J);
  return next;
}

struct VariationalBody {
  using State = VariationalState;
  double alpha = 0.3;
  Vector3d J{2, 2, 4};
  Matrix3d other = expm(Vector3d(2.5, 0, 2.5) / std::sqrt(2)); ///< where the potential has its pole

  [[nodiscard]] State start() const {
    const Matrix3d R = expm({0, 0.7227, 0});
    return {R, {0, 0, 0.625}, torque(R)};
  }

  /// (M32 - M23, M13 - M31, M21 - M12)
  [[nodiscard]] static Vector3d axis(const Matrix3d& m) {
    return {m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)};
  }
  [[nodiscard]] static double distance(const Matrix3d& m) { return std::sqrt(2 * (3 - m.trace())); }

  /// The potential is (d(R, 1) - 1)^2 - alpha/d(R, other), with d(A, B)^2 = 2 tr(1 - A^T B).
  [[nodiscard]] double potential(const Matrix3d& R) const {
    const double first = distance(R) - 1;
    return first * first - alpha / distance(R.transpose() * other);
  }
  [[nodiscard]] Vector3d torque(const Matrix3d& R) const {
    const Matrix3d there = R.transpose() * other;
    const double d = distance(R), e = distance(there);
    return 2 * (d - 1) / d * axis(R.transpose()) + alpha / (e * e * e) * axis(there);
  }
  [[nodiscard]] double energy(const State& y) const { return 0.5 * y.w.dot(J.cwiseProduct(y.w)) + potential(y.R); }

  [[nodiscard]] State step(const State& y, double h, long& turns) const { return variationalStep(*this, y, h, turns); }
};

/// The heavy top.
struct VariationalTop {
  using State = VariationalState;
  double ml = 30;
  Vector3d J{0.234375, 0.46875, 0.234375}, chi{0, 1, 0}, gravity{0, 0, -9.81};

  [[nodiscard]] State start() const {
    const Matrix3d R = Matrix3d::Identity();
    return {R, {0, 150, -4.61538}, torque(R)};
  }
  [[nodiscard]] Vector3d torque(const Matrix3d& R) const { return ml * chi.cross(R.transpose() * gravity); }
  [[nodiscard]] double energy(const State& y) const {
    return 0.5 * y.w.dot(J.cwiseProduct(y.w)) - ml * gravity.dot(y.R * chi);
  }
  [[nodiscard]] State step(const State& y, double h, long& turns) const { return variationalStep(*this, y, h, turns); }
};

} // namespace lmc::bench::plain
