// Two quadrotors carrying a point mass by rigid links, on R³ × SO(3)² × (S²)²: the equations (37) of
// Celledoni, Cokaj, Leone, Murari, Owren (2021), section 6; e3 points along gravity. Controls of
// examples/two_quadrotors.lie.
#pragma once

#include "reference/Layout.h"

namespace lmc::reference {

struct TwoQuadrotors {
  double g = 9.81, my = 0.5;
  std::array<double, 2> m{0.755, 0.755}, L{1, 1};
  std::array<Eigen::Vector3d, 2> J{Eigen::Vector3d(0.0820, 0.0845, 0.1377), Eigen::Vector3d(0.0820, 0.0845, 0.1377)};

  [[nodiscard]] Layout layout() const {
    return Layout({{"y", "v", Kind::Line}, {"R", "Omega", Kind::Body, 2}, {"q", "w", Kind::Sphere, 2}});
  }

  /// Places in the state: y 0, v 3, R 6 and 15, Ω 24 and 27, q 30 and 33, w 36 and 39.
  template <class S> struct Parts {
    Vec3<S> y, v;
    std::array<Mat3<S>, 2> R;
    std::array<Vec3<S>, 2> Omega, q, w;
    explicit Parts(const Vector<S>& x) : y(vecAt(x, 0)), v(vecAt(x, 3)) {
      for (unsigned i = 0; i < 2; ++i) {
        R[i] = rotationAt(x, 6 + 9 * i);
        Omega[i] = vecAt(x, 24 + 3 * i);
        q[i] = vecAt(x, 30 + 3 * i);
        w[i] = vecAt(x, 36 + 3 * i);
      }
    }
  };

  /// Thrust u = −T R e3, T = (m + my/2) g.
  template <class S> Vec3<S> thrust(unsigned i, const Mat3<S>& R) const {
    return R.col(2) * (-(S(m[i]) + S(my) / S(2)) * S(g));
  }
  /// The attitude hold M = −0.6 Ω − (R − Rᵀ)^∨.
  template <class S> Vec3<S> moment(const Mat3<S>& R, const Vec3<S>& Omega) const {
    return Omega * S(-3) / S(5) - vee<S>(R - R.transpose());
  }

  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    const Parts<S> p(x);
    Vector<S> out(15);
    Mat3<S> Mq = Mat3<S>::Identity() * S(my);
    for (unsigned i = 0; i < 2; ++i) Mq += p.q[i] * p.q[i].transpose() * S(m[i]);
    Vec3<S> h2 = Mq * e3<S>() * S(g);
    for (unsigned i = 0; i < 2; ++i) {
      h2 -= p.q[i] * (S(m[i]) * S(L[i]) * p.w[i].squaredNorm());
      h2 += p.q[i] * p.q[i].dot(thrust(i, p.R[i]));
    }
    const Vec3<S> dv = Mq.inverse() * h2;
    out.template head<3>() = dv;
    for (unsigned i = 0; i < 2; ++i) {
      const Vec3<S> inertia = J[i].cast<S>(), JO = inertia.cwiseProduct(p.Omega[i]);
      const Vec3<S> h = moment<S>(p.R[i], p.Omega[i]) - p.Omega[i].cross(JO);
      out.template segment<3>(3 + 3 * i) = h.cwiseQuotient(inertia);
      const Vec3<S> u = thrust(i, p.R[i]), perpendicular = u - p.q[i] * p.q[i].dot(u);
      out.template segment<3>(9 + 3 * i) = (p.q[i].cross(dv) - p.q[i].cross(e3<S>()) * S(g)) / S(L[i]) -
                                           p.q[i].cross(perpendicular) / (S(m[i]) * S(L[i]));
    }
    return out;
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    const Parts<S> p(x);
    S sum = S(my) * (p.v.squaredNorm() / S(2) - S(g) * p.y[2]);
    for (unsigned i = 0; i < 2; ++i) {
      const Vec3<S> velocity = p.v - p.w[i].cross(p.q[i]) * S(L[i]);
      sum += S(m[i]) * (velocity.squaredNorm() / S(2) - S(g) * (p.y[2] - S(L[i]) * p.q[i][2]));
      sum += p.Omega[i].dot(J[i].cast<S>().cwiseProduct(p.Omega[i])) / S(2);
    }
    return sum;
  }

  // For the independent derivation. Stacked configuration: y 0, R 3 and 12, q 21 and 24.
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    S sum = S(my) * (vecAt(dc, 0).squaredNorm() / S(2) + S(g) * c[2]);
    for (unsigned i = 0; i < 2; ++i) {
      const Vec3<S> position = vecAt(c, 0) - vecAt(c, 21 + 3 * i) * S(L[i]);
      const Vec3<S> velocity = vecAt(dc, 0) - vecAt(dc, 21 + 3 * i) * S(L[i]);
      const Mat3<S> R = rotationAt(c, 3 + 9 * i), dR = rotationAt(dc, 3 + 9 * i);
      const Vec3<S> W = vee<S>(R.transpose() * dR);
      sum += S(m[i]) * (velocity.squaredNorm() / S(2) + S(g) * position[2]);
      sum += W.dot(J[i].cast<S>().cwiseProduct(W)) / S(2);
    }
    return sum;
  }
  template <class T, class S> S virtualWork(T, const Vector<T>& x, const Vector<S>& c) const {
    const Parts<T> p(x);
    S sum(0);
    for (unsigned i = 0; i < 2; ++i) {
      const Vec3<S> position = vecAt(c, 0) - vecAt(c, 21 + 3 * i) * S(L[i]);
      sum += thrust(i, p.R[i]).template cast<S>().dot(position);
    }
    return sum;
  }
  template <class T> Vector<T> forces(T, const Vector<T>& x) const {
    const Parts<T> p(x);
    Vector<T> f = Vector<T>::Zero(15);
    for (unsigned i = 0; i < 2; ++i) f.template segment<3>(3 + 3 * i) = moment<T>(p.R[i], p.Omega[i]);
    return f;
  }

  template <class S> [[nodiscard]] Vector<S> initial() const {
    using std::sqrt;
    Vector<S> x = Vector<S>::Zero(42);
    x[3] = S(1) / S(10);
    for (int i = 0; i < 2; ++i) {
      storeRotation<S>(x, 6 + 9 * i, Mat3<S>::Identity());
      x.template segment<3>(24 + 3 * i) = Vec3<S>(S(1), S(-2), S(3)) / S(10);
      x.template segment<3>(30 + 3 * i) = Vec3<S>(S(i == 0 ? 1 : -1) / S(2), S(0), sqrt(S(3)) / S(2));
    }
    return x;
  }
};

} // namespace lmc::reference
