// Rigid bodies: one on a massless link, the body of the long-time energy test, the humming top.
#pragma once

#include "reference/Layout.h"

namespace lmc::reference {

/// Pivot – massless link of length l along q ∈ S² – rigid body. The link's end holds the body point ρ (measured from
/// the centre of mass, body frame) by a ball joint: x = l q − R ρ. Gravity −g e3.
struct BodyOnLink {
  double m = 1.3, l = 0.7, g = 9.81;
  Eigen::Vector3d inertia{0.11, 0.17, 0.23}; ///< about the centre of mass
  Eigen::Vector3d rho{0.2, -0.1, 0.35};

  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere}, {"R", "Omega", Kind::Body}}); }

  /// Newton–Euler. The link is massless between two ball joints, so the joint's force on the body is λ q:
  ///   m x'' = λ q − m g e3,   JΩ' + Ω × JΩ = ρ × Rᵀλq,   x'' = l q'' − R(Ω' × ρ + Ω × (Ω × ρ)).
  /// With q·q'' = −|w|², p = RᵀQ and s = ρ × p, the first equation along q is one linear equation for λ:
  ///   λ/m − g e3·q = −l|w|² − p·(Ω' × ρ + Ω × (Ω × ρ)),   Ω' = J⁻¹(JΩ × Ω + λ s),   p·(J⁻¹s × ρ) = s·J⁻¹s;
  /// and across q it gives w' = q × q'' = (−g q × e3 + q × R(Ω' × ρ + Ω × (Ω × ρ)))/l.
  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    const Vec3<S> q = vecAt(x, 0), w = vecAt(x, 3), W = vecAt(x, 15), r = rho.cast<S>(), J = inertia.cast<S>();
    const Mat3<S> R = rotationAt(x, 6);
    const Vec3<S> p = R.transpose() * q, s = r.cross(p);
    const Vec3<S> JW = J.cwiseProduct(W), free = JW.cross(W).cwiseQuotient(J), centripetal = W.cross(W.cross(r));
    const S known = S(g) * q[2] - S(l) * w.squaredNorm() - p.dot(free.cross(r) + centripetal);
    const S lambda = known / (S(1) / S(m) + s.dot(s.cwiseQuotient(J)));
    const Vec3<S> dW = free + s.cwiseQuotient(J) * lambda;
    Vector<S> out(6);
    out.template head<3>() = (q.cross(R * (dW.cross(r) + centripetal)) - q.cross(e3<S>()) * S(g)) / S(l);
    out.template tail<3>() = dW;
    return out;
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    const Vec3<S> q = vecAt(x, 0), w = vecAt(x, 3), W = vecAt(x, 15), r = rho.cast<S>();
    const Mat3<S> R = rotationAt(x, 6);
    const Vec3<S> velocity = w.cross(q) * S(l) - R * W.cross(r), position = q * S(l) - R * r;
    return S(m) * (velocity.squaredNorm() / S(2) + S(g) * position[2]) +
           W.dot(inertia.cast<S>().cwiseProduct(W)) / S(2);
  }

  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Mat3<S> R = rotationAt(c, 3), dR = rotationAt(dc, 3);
    const Vec3<S> W = vee<S>(R.transpose() * dR), r = rho.cast<S>();
    const Vec3<S> position = vecAt(c, 0) * S(l) - R * r, velocity = vecAt(dc, 0) * S(l) - dR * r;
    return S(m) * (velocity.squaredNorm() / S(2) - S(g) * position[2]) +
           W.dot(inertia.cast<S>().cwiseProduct(W)) / S(2);
  }
};

/// The rigid body of the long-time stability test (Ortolan, Saccon 2012): U = (d(R, I) − 1)² − α/d(R, R_m) with
/// d(A, B) = √(2 tr(I − AᵀB)), R_m = exp((2.5, 0, 2.5)/√2).
struct EnergyTest {
  Eigen::Vector3d inertia{2, 2, 4};
  double alpha = 0.3;

  [[nodiscard]] Layout layout() const { return Layout({{"Q", "Omega", Kind::Body}}); }

  template <class S> static Mat3<S> attractor() {
    using std::sqrt;
    const S a = S(2.5) / sqrt(S(2));
    return expSO3<S>(Vec3<S>(a, S(0), a));
  }
  template <class S> static S distance(const Mat3<S>& A, const Mat3<S>& B) {
    using std::sqrt;
    return sqrt(S(2) * (S(3) - (A.transpose() * B).trace()));
  }
  /// (X23 − X32, X31 − X13, X12 − X21).
  template <class S> static Vec3<S> skewPart(const Mat3<S>& X) { return vee<S>(X) * S(-2); }

  /// Spec: τ = 2(d − 1)/d y(R) + α/d_m³ y(R_mᵀR).
  template <class S> Vec3<S> torque(const Mat3<S>& R) const {
    const Mat3<S> Rm = attractor<S>();
    const S d = distance<S>(R, Mat3<S>::Identity()), dm = distance<S>(R, Rm);
    return skewPart<S>(R) * (S(2) * (d - S(1)) / d) + skewPart<S>(Rm.transpose() * R) * (S(alpha) / (dm * dm * dm));
  }
  template <class S> S potential(const Mat3<S>& R) const {
    const S d = distance<S>(R, Mat3<S>::Identity()) - S(1);
    return d * d - S(alpha) / distance<S>(R, attractor<S>());
  }

  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    const Vec3<S> W = vecAt(x, 9), J = inertia.cast<S>(), JW = J.cwiseProduct(W);
    return (JW.cross(W) + torque<S>(rotationAt(x, 0))).cwiseQuotient(J);
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    const Vec3<S> W = vecAt(x, 9);
    return W.dot(inertia.cast<S>().cwiseProduct(W)) / S(2) + potential<S>(rotationAt(x, 0));
  }

  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Mat3<S> R = rotationAt(c, 0), dR = rotationAt(dc, 0);
    const Vec3<S> W = vee<S>(R.transpose() * dR);
    return W.dot(inertia.cast<S>().cwiseProduct(W)) / S(2) - potential<S>(R);
  }

  template <class S> [[nodiscard]] Vector<S> initial() const {
    Vector<S> x(12);
    storeRotation<S>(x, 0, expSO3<S>(Vec3<S>(S(0), S(0.7227L), S(0))));
    x.template tail<3>() = Vec3<S>(S(0), S(0), S(0.625));
    return x;
  }
};

/// The humming top (Engø, Marthinsen 1997) as a first-order system: B' = ŵB, 𝕀w' = m BC × G − w × 𝕀w, 𝕀 = B I0 Bᵀ.
struct HummingTop {
  double m = 1;

  [[nodiscard]] Layout layout() const { return Layout({{"B", "", Kind::Space}, {"w", "", Kind::Line}}); }

  template <class S> static Mat3<S> inertia(const Mat3<S>& B) {
    return B * Vec3<S>(S(0.875), S(0.875), S(0.25)).asDiagonal() * B.transpose();
  }
  template <class S> static Vec3<S> centre(const Mat3<S>& B) {
    using std::sqrt;
    return B.col(2) * (sqrt(S(3)) / S(2));
  }

  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    const Mat3<S> B = rotationAt(x, 0), I = inertia<S>(B);
    const Vec3<S> w = vecAt(x, 9), G = e3<S>() * S(-9.81);
    Vector<S> out(6);
    out.template head<3>() = w;
    out.template tail<3>() = I.inverse() * (centre<S>(B).cross(G) * S(m) - w.cross(I * w));
    return out;
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    const Mat3<S> B = rotationAt(x, 0);
    const Vec3<S> w = vecAt(x, 9);
    return w.dot(inertia<S>(B) * w) / S(2) + S(m) * S(9.81) * centre<S>(B)[2];
  }
  /// The spatial angular momentum about the vertical, and along the top's axis.
  template <class S> static std::array<S, 2> momenta(const Vector<S>& x) {
    const Mat3<S> B = rotationAt(x, 0);
    const Vec3<S> l = inertia<S>(B) * vecAt(x, 9);
    return {l[2], l.dot(B.col(2))};
  }

  template <class S> [[nodiscard]] Vector<S> initial() const {
    using std::acos, std::cos, std::sin;
    const S phi = acos(S(-1)) / S(16);
    Mat3<S> B;
    B << S(1), S(0), S(0), S(0), cos(phi), sin(phi), S(0), -sin(phi), cos(phi);
    Vector<S> x(12);
    storeRotation<S>(x, 0, B);
    x.template tail<3>() = Vec3<S>(S(0), S(0), S(-1));
    return x;
  }
};

} // namespace lmc::reference
