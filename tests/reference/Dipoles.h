// A square array of magnetic needles pinned at their centres, on (S²)^(n·n) (examples/magnetic_dipoles.lie).
#pragma once

#include "reference/Layout.h"

namespace lmc::reference {

struct MagneticDipoles {
  int n = 4;
  double m = 0.05, l = 0.02, nu = 0.1;
  double mu0 = 4e-7 * EIGEN_PI;

  [[nodiscard]] int size() const { return n * n; }
  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere, size()}}); }
  [[nodiscard]] double inertia() const { return m * l * l / 12; }
  [[nodiscard]] Eigen::Vector3d place(int i) const { return 1.2 * l * Eigen::Vector3d(i % n, i / n, 0); }

  /// w_i' = −q_i × ∂V/∂q_i / M, ∂V/∂q_i = Σ_j μ0 ν²/(4π|r|³) (q_j − 3 (q_j·r) r/|r|²).
  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    Vector<S> out(3 * size());
    for (int i = 0; i < size(); ++i) {
      Vec3<S> gradient = Vec3<S>::Zero();
      for (int j = 0; j < size(); ++j) {
        if (j == i) continue;
        const Vec3<S> r = (place(i) - place(j)).cast<S>(), q = vecAt(x, 3 * j);
        const S d = r.norm();
        gradient += (q - r * (S(3) * q.dot(r) / (d * d))) * (S(mu0 * nu * nu / (4 * EIGEN_PI)) / (d * d * d));
      }
      out.template segment<3>(3 * i) = -vecAt(x, 3 * i).cross(gradient) / S(inertia());
    }
    return out;
  }

  template <class S> S potential(const Vector<S>& c) const {
    S sum(0);
    for (int i = 0; i < size(); ++i) {
      for (int j = i + 1; j < size(); ++j) {
        const Vec3<S> d = (place(i) - place(j)).cast<S>(), a = vecAt(c, 3 * i), b = vecAt(c, 3 * j);
        const S r = S((place(i) - place(j)).norm());
        sum += S(mu0 * nu * nu / (4 * EIGEN_PI)) / (r * r * r) * (a.dot(b) - S(3) * a.dot(d) * b.dot(d) / (r * r));
      }
    }
    return sum;
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    return S(inertia() / 2) * x.tail(3 * size()).squaredNorm() + potential<S>(x.head(3 * size()));
  }

  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    return S(inertia() / 2) * dc.dot(dc) - potential<S>(c);
  }

  template <class S> [[nodiscard]] Vector<S> initial() const {
    Vector<S> x = Vector<S>::Zero(6 * size());
    for (int i = 0; i < size(); ++i) x[3 * i] = S(1);
    x.template segment<3>(3 * size() - 3) = Vec3<S>(S(0.3535L), S(0.3536L), S(-0.8660L)).normalized();
    x[3 * size() + 1] = S(0.5);
    return x;
  }
};

} // namespace lmc::reference
