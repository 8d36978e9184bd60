// Dipolar soft spheres as a careful user of Eigen would write them: RKMK4 on (R³ × SO(3) × R³ × R³)^N with body
// momenta, each pair visited once, one root and one division a pair. Formulas: examples/dipolar_spheres.lie.
#pragma once

#include "bench/Plain.h"

#include <vector>

namespace lmc::bench::plain {

struct DipolarSpheres {
  using Vectors = Eigen::Matrix3Xd; ///< one column a sphere
  struct State {
    Vectors q, p;
    std::vector<Matrix3d> Q;
    Vectors Pi;
  };
  struct Algebra {
    Vectors q, p, Q, Pi;
    friend Algebra operator+(Algebra a, const Algebra& b) {
      a.q += b.q, a.p += b.p, a.Q += b.Q, a.Pi += b.Pi;
      return a;
    }
    friend Algebra operator*(Algebra a, double c) {
      a.q *= c, a.p *= c, a.Q *= c, a.Pi *= c;
      return a;
    }
    friend Algebra operator-(const Algebra& a, const Algebra& b) { return a + b * -1.0; }
  };

  Vector3d J{1, 1.88, 2.88}, mu0{0, 1, 1};

  /// dV/dq and dV/dmu of all pairs.
  void gradients(const Vectors& q, const Vectors& mu, Vectors& dq, Vectors& dmu) const {
    dq.setZero(3, q.cols());
    dmu.setZero(3, q.cols());
    for (Eigen::Index i = 0; i < q.cols(); ++i) {
      const Vector3d a = mu.col(i);
      for (Eigen::Index j = i + 1; j < q.cols(); ++j) {
        const Vector3d d = q.col(i) - q.col(j), b = mu.col(j);
        const double r = 1 / d.norm(), r2 = r * r, r3 = r * r2, r5 = r3 * r2, r6 = r3 * r3;
        const double ad = a.dot(d), bd = b.dot(d);
        const double radial = (15 * ad * bd * r5 - 48 * r6 * r6 - 3 * a.dot(b) * r3) * r2;
        const Vector3d force = radial * d - (3 * r5) * (ad * b + bd * a);
        dq.col(i) += force;
        dq.col(j) -= force;
        dmu.col(i) += r3 * b - (3 * r5 * bd) * d;
        dmu.col(j) += r3 * a - (3 * r5 * ad) * d;
      }
    }
  }

  [[nodiscard]] Algebra field(const State& y) const {
    const Eigen::Index n = y.q.cols();
    Vectors mu(3, n), dq, dmu;
    for (Eigen::Index i = 0; i < n; ++i) mu.col(i) = y.Q[static_cast<std::size_t>(i)] * mu0;
    gradients(y.q, mu, dq, dmu);
    Algebra f{y.p, -dq, Vectors(3, n), Vectors(3, n)};
    for (Eigen::Index i = 0; i < n; ++i) {
      const Vector3d Pi = y.Pi.col(i), Omega = Pi.cwiseQuotient(J);
      f.Q.col(i) = Omega;
      f.Pi.col(i) = Pi.cross(Omega) + Vector3d(y.Q[static_cast<std::size_t>(i)].transpose() * dmu.col(i)).cross(mu0);
    }
    return f;
  }
  [[nodiscard]] State act(const Algebra& u, State y) const {
    y.q += u.q;
    y.p += u.p;
    y.Pi += u.Pi;
    for (Eigen::Index i = 0; i < y.q.cols(); ++i) y.Q[static_cast<std::size_t>(i)] *= expm(u.Q.col(i));
    return y;
  }
  [[nodiscard]] Algebra bracket(const Algebra& u, const Algebra& v) const {
    const Vectors zero = Vectors::Zero(3, u.q.cols());
    Algebra w{zero, zero, zero, zero};
    for (Eigen::Index i = 0; i < u.q.cols(); ++i) w.Q.col(i) = Vector3d(v.Q.col(i)).cross(Vector3d(u.Q.col(i)));
    return w;
  }
};

/// An array of magnetic needles on (S²)^(n·n): examples/magnetic_dipoles.lie.
struct Needles {
  using Vectors = Eigen::Matrix3Xd;
  struct State {
    Vectors q, w;
  };
  struct Algebra {
    Vectors xi, a;
    friend Algebra operator+(Algebra u, const Algebra& v) {
      u.xi += v.xi, u.a += v.a;
      return u;
    }
    friend Algebra operator*(Algebra u, double c) {
      u.xi *= c, u.a *= c;
      return u;
    }
    friend Algebra operator-(const Algebra& u, const Algebra& v) { return u + v * -1.0; }
  };

  Vectors place; ///< of the centres
  double inertia = 0.05 * 0.02 * 0.02 / 12;
  double strength = 1e-7 * 0.1 * 0.1;

  explicit Needles(int n) : place(3, static_cast<Eigen::Index>(n) * n) {
    for (int i = 0; i < n * n; ++i) place.col(i) = 0.024 * Vector3d(i % n, i / n, 0);
  }

  [[nodiscard]] Algebra field(const State& y) const {
    const Eigen::Index n = y.q.cols();
    Vectors slope = Vectors::Zero(3, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Vector3d a = y.q.col(i);
      for (Eigen::Index j = i + 1; j < n; ++j) {
        const Vector3d d = place.col(i) - place.col(j), b = y.q.col(j);
        const double r2 = 1 / d.squaredNorm(), c = strength * r2 * std::sqrt(r2), s = 3 * c * r2;
        slope.col(i) += c * b - (s * b.dot(d)) * d;
        slope.col(j) += c * a - (s * a.dot(d)) * d;
      }
    }
    Algebra f{y.w, Vectors(3, n)};
    for (Eigen::Index i = 0; i < n; ++i) f.a.col(i) = Vector3d(slope.col(i)).cross(Vector3d(y.q.col(i))) / inertia;
    return f;
  }
  [[nodiscard]] State act(const Algebra& u, State y) const {
    for (Eigen::Index i = 0; i < y.q.cols(); ++i) {
      Vector3d q = y.q.col(i), w = y.w.col(i);
      actOnSphere(u.xi.col(i), u.a.col(i), q, w);
      y.q.col(i) = q;
      y.w.col(i) = w;
    }
    return y;
  }
  [[nodiscard]] Algebra bracket(const Algebra& u, const Algebra& v) const {
    Algebra w{u.xi, u.a};
    for (Eigen::Index i = 0; i < u.xi.cols(); ++i) {
      const Vector3d x = u.xi.col(i), z = v.xi.col(i);
      w.xi.col(i) = x.cross(z);
      w.a.col(i) = x.cross(Vector3d(v.a.col(i))) - z.cross(Vector3d(u.a.col(i)));
    }
    return w;
  }
};

} // namespace lmc::bench::plain
