// The symplectic method with theta = 1/2 on the heavy top (canonical, right trivialized), as a careful user of Eigen
// would write it by hand: Newton's method for (xi, n) with the Jacobian worked out on paper and a 6×6 LU.
#pragma once

#include "bench/Plain.h"

namespace lmc::bench::plain {

/// c_2, c_3 of dexp and their derivatives by a^2.
struct DexpCoefficients {
  double b, c, db, dc;
  explicit DexpCoefficients(double s) {
    if (s < 1e-4) {
      b = 0.5 - s / 24 + s * s / 720;
      c = 1.0 / 6 - s / 120 + s * s / 5040;
      db = -1.0 / 24 + s / 360;
      dc = -1.0 / 120 + s / 2520;
      return;
    }
    const double a = std::sqrt(s);
    const double sine = std::sin(a) / a;
    const double cosine = std::cos(a);
    b = (1 - cosine) / s;
    c = (1 - sine) / s;
    db = (sine / 2 - b) / s;
    dc = (-(cosine - sine) / (2 * s) - c) / s;
  }
};

inline Matrix3d dexpMatrix(const Vector3d& u) {
  const DexpCoefficients k(u.squaredNorm());
  const Matrix3d U = hat(u);
  return Matrix3d::Identity() + k.b * U + k.c * U * U;
}

/// d/du of dexp_u v.
inline Matrix3d dexpSlope(const Vector3d& u, const Vector3d& v) {
  const DexpCoefficients k(u.squaredNorm());
  const Vector3d w = u.cross(v);
  const Vector3d x = u.cross(w);
  return 2 * (k.db * w + k.dc * x) * u.transpose() - k.b * hat(v) - k.c * (hat(w) + hat(u) * hat(v));
}

struct SymplecticTop {
  struct State {
    Matrix3d R;
    Vector3d p; ///< in space
  };
  double ml = 30;
  Vector3d J{0.234375, 0.46875, 0.234375}, chi{0, 1, 0}, gravity{0, 0, -9.81};

  [[nodiscard]] static State start() { return {Matrix3d::Identity(), {0, 0.46875 * 150, 0.234375 * -4.61538}}; }

  [[nodiscard]] double energy(const State& y) const {
    const Vector3d body = y.R.transpose() * y.p;
    return 0.5 * body.dot(body.cwiseQuotient(J)) - ml * gravity.dot(y.R * chi);
  }

  /// One step; `turns` is increased by the turns of the iteration.
  [[nodiscard]] State step(const State& y, double h, long& turns) const {
    using Six = Eigen::Matrix<double, 6, 1>;
    Vector3d xi;
    Vector3d n;
    {
      const Vector3d omega = y.R * (y.R.transpose() * y.p).cwiseQuotient(J);
      xi = h * omega;
      n = h * (ml * (y.R * chi).cross(gravity) - omega.cross(y.p));
    }
    for (int k = 0; k < 30; ++k) {
      ++turns;
      const Vector3d half = 0.5 * xi;
      const Matrix3d back = expm(-half);
      const Vector3d a = back * n;
      const Vector3d sum = y.p + a;
      const Matrix3d whole = dexpMatrix(xi);
      const Matrix3d part = dexpMatrix(half);
      const Vector3d M = whole * sum - 0.5 * (part * a);
      const Matrix3d R = expm(half) * y.R;
      const Matrix3d A = R * J.cwiseInverse().asDiagonal() * R.transpose();
      const Vector3d omega = A * M;
      const Vector3d arm = R * chi;
      const Vector3d force = ml * arm.cross(gravity) - omega.cross(M);
      Six residual;
      residual << xi - h * omega, n - h * force;

      const Matrix3d aXi = 0.5 * hat(a) * dexpMatrix(-half);
      const Matrix3d shift = 0.5 * part; // exp(half) moves by hat(shift dxi)
      const Matrix3d mXi = dexpSlope(xi, sum) + whole * aXi - 0.25 * dexpSlope(half, a) - 0.5 * (part * aXi);
      const Matrix3d mN = (whole - 0.5 * part) * back;
      const Matrix3d omegaXi = A * mXi + (A * hat(M) - hat(omega)) * shift;
      const Matrix3d omegaN = A * mN;
      const Matrix3d forceXi = ml * hat(gravity) * hat(arm) * shift + hat(M) * omegaXi - hat(omega) * mXi;
      const Matrix3d forceN = hat(M) * omegaN - hat(omega) * mN;
      Eigen::Matrix<double, 6, 6> jacobian;
      jacobian << Matrix3d::Identity() - h * omegaXi, -h * omegaN, -h * forceXi, Matrix3d::Identity() - h * forceN;
      const Six change = jacobian.partialPivLu().solve(residual);
      xi -= change.head<3>();
      n -= change.tail<3>();
      if (change.lpNorm<1>() < 1e-8 * (xi.lpNorm<1>() + n.lpNorm<1>())) break; // the next change is its square
    }
    return {expm(xi) * y.R, expm(0.5 * xi) * n + expm(xi) * y.p};
  }
};

} // namespace lmc::bench::plain
