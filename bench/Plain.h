// RKMK4 with two commutators and CF4 for three systems, as a competent user of Eigen would write it by hand: fixed
// sizes, one struct for the state and one for the algebra, one function for each formula.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

namespace lmc::bench::plain {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline Matrix3d hat(const Vector3d& v) {
  Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// Coefficients sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³.
struct Coefficients {
  double a, b, c;
  explicit Coefficients(double theta2) {
    if (theta2 < 1e-8) {
      a = 1 - theta2 / 6;
      b = 0.5 - theta2 / 24;
      c = 1.0 / 6 - theta2 / 120;
      return;
    }
    const double theta = std::sqrt(theta2);
    a = std::sin(theta) / theta;
    b = (1 - std::cos(theta)) / theta2;
    c = (1 - a) / theta2;
  }
};

inline Matrix3d expm(const Vector3d& w) {
  const Coefficients k(w.squaredNorm());
  const Matrix3d W = hat(w);
  return Matrix3d::Identity() + k.a * W + k.b * W * W;
}

/// One step of RKMK4 for any system with `field(y)`, `act(u, y)` and `bracket(u, v)`.
template <class System> typename System::State step(const System& s, const typename System::State& y, double h) {
  using Algebra = typename System::Algebra;
  const Algebra k1 = s.field(y) * h;
  const Algebra k2 = s.field(s.act(k1 * 0.5, y)) * h;
  const Algebra k3 = s.field(s.act(k2 * 0.5 - s.bracket(k1, k2) * 0.125, y)) * h;
  const Algebra k4 = s.field(s.act(k3, y)) * h;
  return s.act((k1 + k2 * 2 + k3 * 2 + k4 - s.bracket(k1, k4) * 0.5) * (1.0 / 6), y);
}

/// One step of CF4, the commutator-free method of order 4; of two exponentials the last one written acts first.
template <class System> typename System::State stepFree(const System& s, const typename System::State& y, double h) {
  using Algebra = typename System::Algebra;
  const Algebra k1 = s.field(y) * h;
  const typename System::State y2 = s.act(k1 * 0.5, y);
  const Algebra k2 = s.field(y2) * h;
  const Algebra k3 = s.field(s.act(k2 * 0.5, y)) * h;
  const Algebra k4 = s.field(s.act(k3 - k1 * 0.5, y2)) * h;
  const Algebra sum = (k2 + k3) * (1.0 / 6);
  return s.act(sum + k4 * 0.25 - k1 * (1.0 / 12), s.act(sum + k1 * 0.25 - k4 * (1.0 / 12), y));
}

/// The heavy top in the body frame: y = (R, Ω), algebra (ξ, a).
struct Top {
  struct State {
    Matrix3d R;
    Vector3d Omega;
  };
  using Algebra = Eigen::Matrix<double, 6, 1>;

  double ml = 30;
  Vector3d J{0.234375, 0.46875, 0.234375}, chi{0, 1, 0}, gravity{0, 0, -9.81};

  [[nodiscard]] Algebra field(const State& y) const {
    const Vector3d JW = J.cwiseProduct(y.Omega);
    const Vector3d torque = JW.cross(y.Omega) + ml * chi.cross(y.R.transpose() * gravity);
    Algebra f;
    f << y.Omega, torque.cwiseQuotient(J);
    return f;
  }
  [[nodiscard]] State act(const Algebra& u, const State& y) const {
    return {y.R * expm(u.head<3>()), y.Omega + u.tail<3>()};
  }
  /// Body frame: the bracket of the opposite group.
  [[nodiscard]] Algebra bracket(const Algebra& u, const Algebra& v) const {
    Algebra w;
    w << v.head<3>().cross(u.head<3>()), Vector3d::Zero();
    return w;
  }
  [[nodiscard]] static State start() { return {Matrix3d::Identity(), {0, 150, -4.61538}}; }
};

/// SE(3) acting on TS²: (A, a)·(q, w) = (Aq, Aw + the part of a horizontal at Aq).
inline void actOnSphere(const Vector3d& xi, const Vector3d& a, Vector3d& q, Vector3d& w) {
  const Coefficients k(xi.squaredNorm());
  const Matrix3d W = hat(xi), W2 = W * W;
  const Matrix3d A = Matrix3d::Identity() + k.a * W + k.b * W2;
  const Vector3d shift = a + k.b * W * a + k.c * W2 * a;
  q = A * q;
  w = A * w + shift - q * q.dot(shift);
}

/// Two spherical pendulums in a chain, all masses and lengths 1: y = (q1, q2, w1, w2).
struct Chain {
  struct State {
    std::array<Vector3d, 2> q, w;
  };
  using Algebra = Eigen::Matrix<double, 12, 1>; ///< ξ1 ξ2 a1 a2
  using Matrix6d = Eigen::Matrix<double, 6, 6>;
  using Vector6d = Eigen::Matrix<double, 6, 1>;

  double g = 9.81;

  [[nodiscard]] Algebra field(const State& y) const {
    const auto& [q, w] = y;
    Matrix6d M;
    M.topLeftCorner<3, 3>() = 2 * Matrix3d::Identity();
    M.bottomRightCorner<3, 3>() = Matrix3d::Identity();
    M.topRightCorner<3, 3>() = -hat(q[0]) * hat(q[1]);
    M.bottomLeftCorner<3, 3>() = -hat(q[1]) * hat(q[0]);
    Vector6d r;
    r.head<3>() = w[1].squaredNorm() * q[0].cross(q[1]) - 2 * g * q[0].cross(Vector3d::UnitZ());
    r.tail<3>() = w[0].squaredNorm() * q[1].cross(q[0]) - g * q[1].cross(Vector3d::UnitZ());
    Algebra f;
    f << w[0], w[1], M.llt().solve(r);
    return f;
  }
  [[nodiscard]] State act(const Algebra& u, State y) const {
    for (int i = 0; i < 2; ++i) actOnSphere(u.segment<3>(3 * i), u.segment<3>(6 + 3 * i), y.q[i], y.w[i]);
    return y;
  }
  [[nodiscard]] Algebra bracket(const Algebra& u, const Algebra& v) const {
    Algebra w;
    for (int i = 0; i < 2; ++i) {
      const Vector3d x = u.segment<3>(3 * i), z = v.segment<3>(3 * i);
      w.segment<3>(3 * i) = x.cross(z);
      w.segment<3>(6 + 3 * i) = x.cross(Vector3d(v.segment<3>(6 + 3 * i))) - z.cross(Vector3d(u.segment<3>(6 + 3 * i)));
    }
    return w;
  }
  [[nodiscard]] static State start() {
    const Vector3d q(std::sqrt(0.5), 0, std::sqrt(0.5)), w(0, 1, 0);
    return {{q, q}, {w, w}};
  }
};

/// Two quadrotors with a load: y = (y, v, R, Ω, q, w).
struct Quadrotors {
  struct State {
    Vector3d y, v;
    std::array<Matrix3d, 2> R;
    std::array<Vector3d, 2> Omega, q, w;
  };
  using Algebra = Eigen::Matrix<double, 30, 1>; ///< y R1 R2 q1 q2, then their velocity parts

  double g = 9.81, my = 0.5, m = 0.755;
  Vector3d J{0.0820, 0.0845, 0.1377};

  [[nodiscard]] Algebra field(const State& s) const {
    const double thrust = (m + my / 2) * g;
    Matrix3d M = my * Matrix3d::Identity();
    for (const Vector3d& q : s.q) M += m * q * q.transpose();
    Vector3d r = g * M.col(2);
    std::array<Vector3d, 2> u;
    for (int i = 0; i < 2; ++i) {
      u[i] = -thrust * s.R[i].col(2);
      r += s.q[i] * (s.q[i].dot(u[i]) - m * s.w[i].squaredNorm());
    }
    const Vector3d dv = M.llt().solve(r);
    Algebra f;
    f.segment<3>(0) = s.v;
    f.segment<3>(15) = dv;
    for (int i = 0; i < 2; ++i) {
      const Matrix3d S = s.R[i] - s.R[i].transpose();
      const Vector3d moment = -0.6 * s.Omega[i] - Vector3d(S(2, 1), S(0, 2), S(1, 0));
      const Vector3d JW = J.cwiseProduct(s.Omega[i]);
      f.segment<3>(3 + 3 * i) = s.Omega[i];
      f.segment<3>(18 + 3 * i) = (JW.cross(s.Omega[i]) + moment).cwiseQuotient(J);
      f.segment<3>(9 + 3 * i) = s.w[i];
      f.segment<3>(24 + 3 * i) = s.q[i].cross(dv - g * Vector3d::UnitZ() - u[i] / m);
    }
    return f;
  }
  [[nodiscard]] State act(const Algebra& u, State s) const {
    s.y += u.segment<3>(0);
    s.v += u.segment<3>(15);
    for (int i = 0; i < 2; ++i) {
      s.R[i] = s.R[i] * expm(u.segment<3>(3 + 3 * i));
      s.Omega[i] += u.segment<3>(18 + 3 * i);
      actOnSphere(u.segment<3>(9 + 3 * i), u.segment<3>(24 + 3 * i), s.q[i], s.w[i]);
    }
    return s;
  }
  [[nodiscard]] Algebra bracket(const Algebra& u, const Algebra& v) const {
    Algebra w = Algebra::Zero();
    for (int i = 0; i < 2; ++i) {
      w.segment<3>(3 + 3 * i) = Vector3d(v.segment<3>(3 + 3 * i)).cross(Vector3d(u.segment<3>(3 + 3 * i)));
      const Vector3d x = u.segment<3>(9 + 3 * i), z = v.segment<3>(9 + 3 * i);
      w.segment<3>(9 + 3 * i) = x.cross(z);
      w.segment<3>(24 + 3 * i) =
          x.cross(Vector3d(v.segment<3>(24 + 3 * i))) - z.cross(Vector3d(u.segment<3>(24 + 3 * i)));
    }
    return w;
  }
  [[nodiscard]] static State start() {
    const Matrix3d I = Matrix3d::Identity();
    const Vector3d W(0.1, -0.2, 0.3), zero = Vector3d::Zero();
    const double c = std::sqrt(3.0) / 2;
    return {zero, {0.1, 0, 0}, {I, I}, {W, W}, {Vector3d(0.5, 0, c), Vector3d(-0.5, 0, c)}, {zero, zero}};
  }
};

} // namespace lmc::bench::plain
