// Models with momenta, their canonical equations written by hand.
#pragma once

#include "reference/HeavyTop.h"

namespace lmc::reference {

/// The heavy top on T*SO(3) (examples/heavy_top_hamiltonian.lie in space, models/heavy_top_momentum.lie in body).
struct HeavyTopHamiltonian {
  HeavyTop top;

  [[nodiscard]] Layout layout() const {
    return Layout({{"R", top.inSpace ? "p" : "Pi", top.inSpace ? Kind::Space : Kind::Body, 0, 3, true}});
  }

  /// Body: Ω = J⁻¹Π. Space: ω = R J⁻¹ Rᵀ π.
  template <class S> Vector<S> velocities(S, const Vector<S>& x) const {
    const Mat3<S> R = top.inSpace ? rotationAt(x, 0) : Mat3<S>(Mat3<S>::Identity());
    const Vec3<S> m = R.transpose() * vecAt(x, 9);
    return R * m.cwiseQuotient(top.inertia.cast<S>());
  }

  /// Body: Π' = Π × Ω + m l χ × RᵀG (19). Space: π' = m l Rχ × G (21).
  template <class S> Vector<S> rates(S t, const Vector<S>& x) const {
    const Mat3<S> R = rotationAt(x, 0);
    const Vec3<S> c = top.chi.cast<S>() * S(top.m * top.l), G = top.gravity.cast<S>(), Rc = R * c;
    if (top.inSpace) return Rc.cross(G);
    const Vec3<S> m = vecAt(x, 9), w = velocities(t, x), g = R.transpose() * G;
    return m.cross(w) + c.cross(g);
  }

  template <class S> S energy(S t, const Vector<S>& x) const {
    return vecAt(x, 9).dot(Vec3<S>(velocities(t, x))) / S(2) -
           S(top.m * top.l) * top.gravity.cast<S>().dot(rotationAt(x, 0) * top.chi.cast<S>());
  }
};

/// The same on T*(SO(3) × R³) with a quadratic Hamiltonian (examples/heavy_top_quadratic.lie), equations (25)–(28).
struct HeavyTopQuadratic {
  HeavyTop top;

  [[nodiscard]] Layout layout() const {
    return Layout({{"R", "Pi", Kind::Body, 0, 3, true}, {"q", "p", Kind::Line, 0, 3, true}});
  }
  template <class S> [[nodiscard]] Vec3<S> gamma(const Vector<S>& x) const {
    return rotationAt(x, 0).transpose() * top.gravity.cast<S>();
  }
  template <class S> Vector<S> velocities(S, const Vector<S>& x) const {
    Vector<S> out(6);
    out << vecAt(x, 9).cwiseQuotient(top.inertia.cast<S>()), vecAt(x, 15) - gamma(x);
    return out;
  }
  template <class S> Vector<S> rates(S t, const Vector<S>& x) const {
    const Vec3<S> w = Vector<S>(velocities(t, x)).template head<3>(), m = vecAt(x, 9), p = vecAt(x, 15);
    Vector<S> out(6);
    out << m.cross(w) - gamma(x).cross(p), Vec3<S>::Zero();
    return out;
  }
  template <class S> S energy(S t, const Vector<S>& x) const {
    const Vec3<S> w = Vector<S>(velocities(t, x)).template head<3>(), g = gamma(x);
    return vecAt(x, 9).dot(w) / S(2) + ((vecAt(x, 15) - g).squaredNorm() - g.squaredNorm()) / S(2);
  }
};

/// N dipolar soft spheres (examples/dipolar_spheres.lie): V = 4/r¹² + μ·ν/r³ − 3 (μ·r)(ν·r)/r⁵ for every pair.
struct DipolarSpheres {
  int n = 4;
  Eigen::Vector3d inertia{1, 1.88, 2.88}, dipole{0, 1, 1};

  [[nodiscard]] Layout layout() const {
    return Layout({{"q", "p", Kind::Line, n, 3, true}, {"Q", "Pi", Kind::Body, n, 3, true}});
  }
  [[nodiscard]] int momentum(int i) const { return 3 * n + 3 * i; }
  [[nodiscard]] int rotation(int i) const { return 6 * n + 9 * i; }
  [[nodiscard]] int angular(int i) const { return 15 * n + 3 * i; }
  template <class S> [[nodiscard]] Vec3<S> dipoleOf(const Vector<S>& x, int i) const {
    return rotationAt(x, rotation(i)) * dipole.cast<S>();
  }

  template <class S> Vector<S> velocities(S, const Vector<S>& x) const {
    Vector<S> out(6 * n);
    for (int i = 0; i < n; ++i) {
      out.template segment<3>(3 * i) = vecAt(x, momentum(i));
      out.template segment<3>(3 * n + 3 * i) = vecAt(x, angular(i)).cwiseQuotient(inertia.cast<S>());
    }
    return out;
  }

  /// p' = −∂V/∂q, Π' = Π × Ω + (Qᵀ ∂V/∂μ) × μ̄.
  template <class S> Vector<S> rates(S t, const Vector<S>& x) const {
    const Vector<S> xi = velocities(t, x);
    Vector<S> out(6 * n);
    for (int i = 0; i < n; ++i) {
      Vec3<S> force = Vec3<S>::Zero(), slope = Vec3<S>::Zero();
      const Vec3<S> a = dipoleOf(x, i);
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        const Vec3<S> d = vecAt(x, 3 * i) - vecAt(x, 3 * j), b = dipoleOf(x, j);
        using std::pow;
        const S r = d.norm(), r5 = pow(r, 5), ad = a.dot(d), bd = b.dot(d);
        force -= d * (S(-48) / pow(r, 14) - S(3) * a.dot(b) / r5 + S(15) * ad * bd / pow(r, 7)) -
                 (a * bd + b * ad) * (S(3) / r5);
        slope += b / pow(r, 3) - d * (S(3) * bd / r5);
      }
      const Vec3<S> m = vecAt(x, angular(i)), w = vecAt(xi, 3 * n + 3 * i);
      const Vec3<S> inBody = rotationAt(x, rotation(i)).transpose() * slope;
      out.template segment<3>(3 * i) = force;
      out.template segment<3>(3 * n + 3 * i) = m.cross(w) + inBody.cross(dipole.cast<S>());
    }
    return out;
  }

  template <class S> S energy(S t, const Vector<S>& x) const {
    const Vector<S> xi = velocities(t, x);
    S sum(0);
    for (int i = 0; i < n; ++i) {
      sum += (vecAt(x, momentum(i)).squaredNorm() + vecAt(x, angular(i)).dot(vecAt(xi, 3 * n + 3 * i))) / S(2);
      for (int j = i + 1; j < n; ++j) {
        using std::pow;
        const Vec3<S> d = vecAt(x, 3 * i) - vecAt(x, 3 * j), a = dipoleOf(x, i), b = dipoleOf(x, j);
        const S r = d.norm();
        sum += S(4) / pow(r, 12) + a.dot(b) / pow(r, 3) - S(3) * a.dot(d) * b.dot(d) / pow(r, 5);
      }
    }
    return sum;
  }
};

/// models/sphere_momentum.lie: two points of S² with H = Σ (|pᵢ|²/(2m) + b·pᵢ) + g e₃·q₁ + k q₁·q₂, damped and pushed.
/// The term b·p has a component along the isotropy, which must not matter.
struct SphereMomentum {
  double mass = 2, damping = 0.3, stiffness = 1.5, weight = 0.8;
  Eigen::Vector3d b{0.4, -0.7, 0.2};

  [[nodiscard]] Layout layout() const { return Layout({{"q", "p", Kind::Sphere, 2, 3, true}}); }

  template <class S> [[nodiscard]] Vec3<S> velocity(const Vector<S>& x, int i) const {
    const Vec3<S> q = vecAt(x, 3 * i), whole = vecAt(x, 6 + 3 * i) / S(mass) + b.cast<S>();
    return whole - q * q.dot(whole);
  }
  template <class S> Vector<S> velocities(S, const Vector<S>& x) const {
    Vector<S> out(6);
    out << velocity(x, 0), velocity(x, 1);
    return out;
  }
  /// p' = ξ̃ × p − q × ∂U/∂q + F with any ξ̃ that generates q', here p/m + b; F = −c ξ + the horizontal part of (sin t,
  /// 0, 0) on the first, and of the force (0, 1, 0) at q on the second.
  template <class S> Vector<S> rates(S t, const Vector<S>& x) const {
    using std::sin;
    Vector<S> out(6);
    for (int i = 0; i < 2; ++i) {
      const Vec3<S> q = vecAt(x, 3 * i), p = vecAt(x, 6 + 3 * i), other = vecAt(x, 3 - 3 * i);
      Vec3<S> slope = other * S(stiffness);
      if (i == 0) slope[2] += S(weight);
      Vec3<S> force = -velocity(x, i) * S(damping);
      if (i == 0) {
        const Vec3<S> push(sin(t), S(0), S(0));
        force += push - q * q.dot(push);
      } else {
        force += q.cross(Vec3<S>(S(0), S(1), S(0)));
      }
      out.template segment<3>(3 * i) = b.cast<S>().cross(p) - q.cross(slope) + force;
    }
    return out;
  }
  template <class S> S energy(S, const Vector<S>& x) const {
    S sum(0);
    for (int i = 0; i < 2; ++i) {
      const Vec3<S> p = vecAt(x, 6 + 3 * i);
      sum += p.squaredNorm() / S(2 * mass) + b.cast<S>().dot(p);
    }
    return sum + S(weight) * x[2] + S(stiffness) * vecAt(x, 0).dot(vecAt(x, 3));
  }
};

/// models/momentum_forces.lie: a body and a particle in space, H depending on time, every kind of force, and a filter.
struct MomentumForces {
  Eigen::Vector3d inertia{1, 2, 3}, arm{0.3, -0.2, 0.5};

  [[nodiscard]] Layout layout() const {
    return Layout(
        {{"R", "m", Kind::Body, 0, 3, true}, {"x", "p", Kind::Line, 0, 3, true}, {"z", "", Kind::Line, 0, 0}});
  }
  template <class S> Vector<S> velocities(S t, const Vector<S>& x) const {
    const Vec3<S> q = vecAt(x, 12);
    Vector<S> out(7);
    out << vecAt(x, 9).cwiseQuotient(inertia.cast<S>()), vecAt(x, 15) * (S(1) + q.squaredNorm()), rate(t, x);
    return out;
  }
  template <class S> S rate(S, const Vector<S>& x) const { return vecAt(x, 15)[0] - S(2) * x[18]; }
  /// H = m·J⁻¹m/2 + (1 + |x|²) |p|²/2 + cos(t) e₁·R arm + x·R e₂.
  template <class S> Vector<S> rates(S t, const Vector<S>& x) const {
    using std::cos;
    const Mat3<S> R = rotationAt(x, 0);
    const Vec3<S> m = vecAt(x, 9), q = vecAt(x, 12), p = vecAt(x, 15), a = arm.cast<S>();
    const Vector<S> xi = velocities(t, x);
    const Vec3<S> w = vecAt(xi, 0), v = vecAt(xi, 3), e1 = Vec3<S>::UnitX(), e2 = Vec3<S>::UnitY();
    // Body torque of a force f at R y is y × Rᵀ f.
    const auto torque = [&](const Vec3<S>& y, const Vec3<S>& f) { return Vec3<S>(y.cross(R.transpose() * f)); };
    const Vec3<S> Ra = R * a, push = v + Ra;
    Vector<S> out(7);
    // potential, force -push at x + R arm, force on R = -z e3, dissipation 0.1 |v|² + 0.2 |w|²
    out.template head<3>() =
        m.cross(w) - torque(a, e1 * cos(t)) - torque(e2, q) - torque(a, push) - Vec3<S>::UnitZ() * x[18] - w * S(0.4);
    out.template segment<3>(3) = -q * p.squaredNorm() - R * e2 - push - v * S(0.2);
    out[6] = rate(t, x);
    return out;
  }
  template <class S> S energy(S t, const Vector<S>& x) const {
    using std::cos;
    const Mat3<S> R = rotationAt(x, 0);
    const Vec3<S> m = vecAt(x, 9), q = vecAt(x, 12), p = vecAt(x, 15);
    return m.dot(m.cwiseQuotient(inertia.cast<S>())) / S(2) + (S(1) + q.squaredNorm()) * p.squaredNorm() / S(2) +
           cos(t) * (R * arm.cast<S>())[0] + q.dot(R * Vec3<S>::UnitY());
  }
};

} // namespace lmc::reference
