// The models of tests/acceptance/models that have no equations in the literature: their rates come from the
// Lagrangian by EulerLagrange.h (exact derivatives in local coordinates).
#pragma once

#include "reference/EulerLagrange.h"

namespace lmc::reference {

/// Gives a model with a Lagrangian its rates and energy.
template <class M> struct Derived : M {
  template <class S> Vector<S> rates(S t, const Vector<S>& x) const {
    return eulerLagrangeRates(static_cast<const M&>(*this), t, x);
  }
  template <class S> S energy(S t, const Vector<S>& x) const {
    return lagrangianEnergy(static_cast<const M&>(*this), t, x);
  }
};

/// coupled_all.lie: a free body with a link on it, the whole on a spring; masses that depend on position.
struct CoupledAll {
  [[nodiscard]] Layout layout() const {
    return Layout({{"x", "v", Kind::Line}, {"R", "Omega", Kind::Body}, {"q", "w", Kind::Sphere}});
  }
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Vec3<S> x = vecAt(c, 0), v = vecAt(dc, 0), q = vecAt(c, 12), dq = vecAt(dc, 12);
    const Mat3<S> R = rotationAt(c, 3), dR = rotationAt(dc, 3);
    const Vec3<S> W = vee<S>(R.transpose() * dR), J(S(0.4), S(0.7), S(0.9));
    const Vec3<S> arm(S(0.3), S(-0.2), S(0.5)), d(S(0.1), S(0.8), S(-0.4));
    const Vec3<S> tip = x + R * arm + q * S(0.6), dtip = v + dR * arm + dq * S(0.6);
    const Vec3<S> field = R * d;
    return v.squaredNorm() * S(0.75) + W.dot(J.cwiseProduct(W)) / S(2) + dtip.squaredNorm() * S(0.4) +
           x.squaredNorm() * dq.squaredNorm() * S(0.05) - x.squaredNorm() * S(1.25) - tip[2] * S(0.8 * 9.81) -
           q.dot(field) * S(1.5);
  }
};

/// moving_pivot.lie: a spherical pendulum whose pivot moves in a given way.
struct MovingPivot {
  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere}}); }
  template <class S> S lagrangian(const S& t, const Vector<S>& c, const Vector<S>& dc) const {
    using std::cos, std::sin;
    const Vec3<S> pivot(sin(S(2) * t) * S(0.3), S(0), cos(S(3) * t) * S(0.1));
    const Vec3<S> dpivot(cos(S(2) * t) * S(0.6), S(0), sin(S(3) * t) * S(-0.3));
    const Vec3<S> position = pivot + vecAt(c, 0) * S(0.8), velocity = dpivot + vecAt(dc, 0) * S(0.8);
    return velocity.squaredNorm() * S(0.6) - position[2] * S(1.2 * 9.81);
  }
};

/// gyroscopic.lie: terms linear in the velocities on every kind of factor.
struct Gyroscopic {
  [[nodiscard]] Layout layout() const {
    return Layout(
        {{"x", "v", Kind::Line}, {"R", "omega", Kind::Space}, {"Q", "Omega", Kind::Body}, {"q", "w", Kind::Sphere}});
  }
  template <class S> S lagrangian(const S& t, const Vector<S>& c, const Vector<S>& dc) const {
    using std::sin;
    const Vec3<S> x = vecAt(c, 0), v = vecAt(dc, 0), q = vecAt(c, 21), w = q.cross(vecAt(dc, 21));
    const Mat3<S> R = rotationAt(c, 3), dR = rotationAt(dc, 3), Q = rotationAt(c, 12), dQ = rotationAt(dc, 12);
    const Vec3<S> omega = vee<S>(dR * R.transpose()), Omega = vee<S>(Q.transpose() * dQ);
    const Vec3<S> body = R.transpose() * omega, J(S(0.5), S(0.8), S(1.1));
    const S strength = S(0.7) + sin(t) * S(0.2) + x[2] * x[2] * S(0.3);
    const Vec3<S> a(S(0.3), S(-0.6), S(0.9)), rotor(S(0.2), S(0.5), S(-0.3));
    return v.squaredNorm() / S(2) + strength * (x[0] * v[1] - x[1] * v[0]) + body.dot(J.cwiseProduct(body)) / S(2) +
           rotor.dot(omega) * S(0.4) + Omega.dot(J.cwiseProduct(Omega)) / S(2) + rotor.dot(Omega) +
           w.squaredNorm() / S(2) + a.dot(w) + x.dot(Q * rotor) * q[0];
  }
};

/// damped.lie: Rayleigh functions on a chain of two and on a body in space.
struct Damped {
  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere, 2}, {"R", "omega", Kind::Space}}); }
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Vec3<S> x2 = vecAt(c, 0) + vecAt(c, 3), v1 = vecAt(dc, 0), v2 = v1 + vecAt(dc, 3);
    const Mat3<S> R = rotationAt(c, 6), dR = rotationAt(dc, 6);
    const Vec3<S> W = vee<S>(R.transpose() * dR), J(S(0.4), S(0.7), S(0.9));
    return v1.squaredNorm() / S(2) + v2.squaredNorm() / S(2) - (c[2] + x2[2]) * S(9.81) +
           W.dot(J.cwiseProduct(W)) / S(2) - R(0, 1) * S(2);
  }
  template <class S> S dissipation(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Vec3<S> v2 = vecAt(dc, 0) + vecAt(dc, 3), w1 = vecAt(c, 0).cross(vecAt(dc, 0)), d(S(0.5), S(-1), S(2));
    const Mat3<S> R = rotationAt(c, 6), dR = rotationAt(dc, 6);
    const Vec3<S> omega = vee<S>(dR * R.transpose());
    const S along = d.dot(w1);
    return v2.squaredNorm() * S(0.1) + along * along * S(0.05) + omega.squaredNorm() * S(0.15) +
           omega.squaredNorm() * omega.squaredNorm() * S(0.01);
  }
};

/// forced.lie: `force on` and `force … at …` on every kind of factor.
struct Forced {
  [[nodiscard]] Layout layout() const {
    return Layout(
        {{"x", "v", Kind::Line}, {"R", "Omega", Kind::Body}, {"P", "omega", Kind::Space}, {"q", "w", Kind::Sphere}});
  }
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Mat3<S> R = rotationAt(c, 3), dR = rotationAt(dc, 3), P = rotationAt(c, 12), dP = rotationAt(dc, 12);
    const Vec3<S> W = vee<S>(R.transpose() * dR), V = vee<S>(P.transpose() * dP), J(S(0.4), S(0.7), S(0.9));
    return vecAt(dc, 0).squaredNorm() + W.dot(J.cwiseProduct(W)) / S(2) + V.dot(J.cwiseProduct(V)) / S(2) +
           vecAt(dc, 21).squaredNorm() * S(0.35) - c[2] * S(2 * 9.81);
  }
  template <class T, class S> S virtualWork(T t, const Vector<T>& x, const Vector<S>& c) const {
    using std::sin;
    const Mat3<S> R = rotationAt(c, 3), P = rotationAt(c, 12);
    const Vec3<S> a(S(0.2), S(0.1), S(-0.3)), b(S(-0.1), S(0.4), S(0.2));
    const Vec3<S> first = vecAt(c, 0) + R * a, second = vecAt(c, 0) + P * b + vecAt(c, 21) * S(0.5);
    const Vec3<T> thrust = rotationAt(x, 6).col(2) * (T(5) + sin(t));
    const Vec3<T> spring = -vecAt(x, 0) * T(3) + vecAt(x, 3).cross(e3<T>());
    return thrust.template cast<S>().dot(first) + spring.template cast<S>().dot(second);
  }
  template <class T> Vector<T> forces(T t, const Vector<T>& x) const {
    using std::cos;
    Vector<T> f(12);
    f.template segment<3>(0) = Vec3<T>(cos(t), T(0), T(1));
    f.template segment<3>(3) = -vecAt(x, 15) * T(0.3);
    f.template segment<3>(6) = Vec3<T>(T(0.1), T(0.2), cos(T(2) * t));
    f.template segment<3>(9) = Vec3<T>(T(0.4), T(-0.5), T(0.6));
    return f;
  }
};

/// actuator.lie: a body turned by a motor that follows its command with a lag, and an integral term.
struct Actuator {
  [[nodiscard]] Layout layout() const {
    return Layout({{"R", "Omega", Kind::Body}, {"u", "", Kind::Line}, {"s", "", Kind::Line, 0, 0}});
  }
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    const Mat3<S> R = rotationAt(c, 0), dR = rotationAt(dc, 0);
    const Vec3<S> W = vee<S>(R.transpose() * dR), J(S(0.4), S(0.7), S(0.9));
    return W.dot(J.cwiseProduct(W)) / S(2);
  }
  template <class T> Vector<T> forces(T, const Vector<T>& x) const {
    Vector<T> f = Vector<T>::Zero(7);
    f.template head<3>() = vecAt(x, 12);
    return f;
  }
  template <class T> Vector<T> flows(T t, const Vector<T>& x) const {
    using std::sin;
    const Vec3<T> command = -vecAt(x, 9) * T(2) - vee<T>(rotationAt(x, 0) - rotationAt(x, 0).transpose()) * T(3) -
                            Vec3<T>(T(0), T(0), x[15]);
    Vector<T> f = Vector<T>::Zero(7);
    f.template segment<3>(3) = (command - vecAt(x, 12)) / T(0.2);
    f[6] = rotationAt(x, 0)(1, 0) - sin(t) / T(2);
    return f;
  }
};

/// sphere_flow.lie: q' = f(t, q) × q with a part of f along q.
struct SphereFlow {
  [[nodiscard]] Layout layout() const { return Layout({{"q", "", Kind::Sphere}}); }
  template <class S> Vector<S> rates(S t, const Vector<S>& q) const {
    using std::cos, std::sin;
    return Vec3<S>(sin(q[1] + t), q[0] * q[2] + S(0.5), cos(S(2) * q[0]) - t);
  }
};

/// spin_chain.lie: N points on S² with neighbour springs, all pairs coupled, one end tied to a drifting point.
struct SpinChain {
  int n = 5;
  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere, n}}); }
  template <class S> S lagrangian(const S& t, const Vector<S>& c, const Vector<S>& dc) const {
    using std::sin;
    S sum = c[0] * sin(t);
    for (int i = 0; i < n; ++i) {
      const Vec3<S> q = vecAt(c, 3 * i);
      sum += vecAt(dc, 3 * i).squaredNorm() * S(0.5 + 0.1 * (i + 1));
      if (i + 1 < n) sum -= (vecAt(c, 3 * i + 3) - q).squaredNorm();
      for (int j = 0; j < n; ++j) {
        if (j != i) sum -= q.dot(vecAt(c, 3 * j)) * S(0.25 / (i + j + 2)); // i, j count from 1 in the model
      }
    }
    return sum;
  }
};

/// rotor_chain.lie: N bodies, neighbours coupled through their attitudes; odd ones also pushed by dissipation.
struct RotorChain {
  int n = 4;
  [[nodiscard]] Layout layout() const { return Layout({{"x", "v", Kind::Line, n}, {"R", "Omega", Kind::Body, n}}); }
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    S sum(0);
    for (int i = 0; i < n; ++i) {
      const Mat3<S> R = rotationAt(c, 3 * n + 9 * i), dR = rotationAt(dc, 3 * n + 9 * i);
      const Vec3<S> W = vee<S>(R.transpose() * dR), J(S(0.4), S(0.7), S(0.9));
      const Vec3<S> arm(S(0.2), S(0), S(0.1)), velocity = vecAt(dc, 3 * i) + dR * arm;
      sum += velocity.squaredNorm() / S(2) + W.dot(J.cwiseProduct(W)) / S(2);
      if (i == 0) continue;
      const Mat3<S> previous = rotationAt(c, 3 * n + 9 * (i - 1));
      sum += (previous.transpose() * R).trace() * S(0.8);
      sum -= (vecAt(c, 3 * i) - vecAt(c, 3 * i - 3)).squaredNorm() * S(1.5);
    }
    return sum;
  }
  template <class S> S dissipation(const S&, const Vector<S>&, const Vector<S>& dc) const {
    S sum(0);
    for (int i = 0; i < n; ++i) sum += vecAt(dc, 3 * i).squaredNorm() * S(0.1 * (i + 1));
    return sum;
  }
};

} // namespace lmc::reference
