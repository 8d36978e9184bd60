// The heavy top on SO(3), with body or spatial angular velocity (examples/heavy_top.lie).
#pragma once

#include "reference/Layout.h"

namespace lmc::reference {

struct HeavyTop {
  bool inSpace = false;
  double m = 15, l = 2;
  Eigen::Vector3d inertia{0.234375, 0.46875, 0.234375}; ///< principal moments, body frame, about the fixed point
  Eigen::Vector3d chi{0, 1, 0};                         ///< fixed point → centre of mass, body frame
  Eigen::Vector3d gravity{0, 0, -9.81};                 ///< in space

  [[nodiscard]] Layout layout() const {
    return Layout({{"R", inSpace ? "omega" : "Omega", inSpace ? Kind::Space : Kind::Body}});
  }

  /// Body: JΩ' = JΩ × Ω + m l χ × RᵀG. Space: 𝕁ω' = 𝕁ω × ω + m l Rχ × G with 𝕁 = R J Rᵀ.
  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    const Mat3<S> R = rotationAt(x, 0), J = inertia.cast<S>().asDiagonal();
    const Vec3<S> w = vecAt(x, 9), c = chi.cast<S>() * S(m * l), G = gravity.cast<S>();
    if (!inSpace) {
      const Vec3<S> Jw = J * w, torque = Jw.cross(w) + c.cross(R.transpose() * G);
      return torque.cwiseQuotient(inertia.cast<S>());
    }
    const Mat3<S> Js = R * J * R.transpose();
    const Vec3<S> Jw = Js * w, Rc = R * c;
    return Js.inverse() * (Jw.cross(w) + Rc.cross(G));
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    const Mat3<S> R = rotationAt(x, 0);
    const Vec3<S> w = vecAt(x, 9), W = inSpace ? Vec3<S>(R.transpose() * w) : w;
    return W.dot(inertia.cast<S>().cwiseProduct(W)) / S(2) - S(m * l) * gravity.cast<S>().dot(R * chi.cast<S>());
  }

  template <class S> S lagrangian(const S&, const Vector<S>& g, const Vector<S>& gdot) const {
    const Mat3<S> R = rotationAt(g, 0), dR = rotationAt(gdot, 0);
    const Vec3<S> W = vee<S>(R.transpose() * dR), JW = inertia.cast<S>().cwiseProduct(W);
    const Vec3<S> tip = R * chi.cast<S>();
    return W.dot(JW) / S(2) + S(m * l) * gravity.cast<S>().dot(tip);
  }

  /// The printed start: R = I, Ω = (0, 150, −4.61538), the same in both frames.
  template <class S> [[nodiscard]] Vector<S> initial() const {
    Vector<S> x(12);
    storeRotation<S>(x, 0, Mat3<S>::Identity());
    x.template tail<3>() = Vec3<S>(S(0), S(150), S(-4.61538L));
    return x;
  }
};

} // namespace lmc::reference
