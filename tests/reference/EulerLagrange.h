// Euler–Lagrange equations from a Lagrangian in ambient coordinates, by exact derivatives in local coordinates.
//
// Around the state, g(θ) = g0 exp(θ) or exp(θ) g0 (on a sphere θ in the two tangent directions). There the
// trivialized velocity and its derivative are θ' and θ'', so that the classical equations
//   (∂²L/∂θ'²) θ'' = ∂L/∂θ − (∂²L/∂θ'∂θ) θ' − ∂²L/∂θ'∂t + Q
// give the trivialized acceleration, with no bracket, no gauge and no trivialization in sight. g(θ) is needed
// to second order only: L contains g', and one derivative with respect to θ is taken.
//
// A model M has `layout()` and
//   S lagrangian<S>(S t, Vector<S> g, Vector<S> gdot)           in storage coordinates, stacked by declaration
// and may have
//   T virtualWork<S>(t, x, Vector<S> g)       Σ F·P(g), with the forces F of the state (t, x) frozen
//   S dissipation<S>(S t, Vector<S> g, Vector<S> gdot)           a Rayleigh function
//   Vector<T> forces(T t, Vector<T> x)        generalized forces, dual to the velocities (like the rates)
//   Vector<T> flows(T t, Vector<T> x)         the rates of first-order states (other entries unused)
#pragma once

#include "reference/HyperDual.h"
#include "reference/Layout.h"

namespace lmc::reference {

/// Local coordinates around one state: which entry of θ belongs to which algebra direction of which member.
template <class T> class LocalChart {
public:
  using H = HyperDual<T>;

  LocalChart(const Layout& layout, const Vector<T>& x) : layout_(layout), x_(x) {
    for (const Member& m : layout.members) {
      if (!m.second) continue;
      if (m.kind == Kind::Sphere) {
        const Vec3<T> q = vecAt(x, m.x);
        const Vec3<T> u = q.unitOrthogonal();
        add(m, u);
        add(m, q.cross(u));
      } else {
        for (int k = 0; k < m.algebraSize; ++k) add(m, Vector<T>::Unit(m.algebraSize, k));
      }
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(directions_.size()); }

  /// Components of velocity-like data (the state's velocities) along the coordinates.
  [[nodiscard]] Vector<T> velocity() const {
    Vector<T> v(size());
    for (int i = 0; i < size(); ++i) v[i] = directions_[i].dot(x_.segment(members_[i].v, members_[i].algebraSize));
    return v;
  }

  /// Components of a covector stacked like the rates.
  [[nodiscard]] Vector<T> restrict(const Vector<T>& rates) const {
    Vector<T> v(size());
    for (int i = 0; i < size(); ++i) {
      v[i] = directions_[i].dot(rates.segment(members_[i].rate, members_[i].algebraSize));
    }
    return v;
  }

  /// θ'' back to the rates.
  void extend(const Vector<T>& local, Vector<T>& rates) const {
    for (const Member& m : members_) rates.segment(m.rate, m.algebraSize).setZero();
    for (int i = 0; i < size(); ++i) {
      rates.segment(members_[i].rate, members_[i].algebraSize) += directions_[i] * local[i];
    }
  }

  /// g(θ) and its time derivative, up to second order in θ.
  void embed(const Vector<H>& theta, const Vector<H>& thetaDot, Vector<H>& g, Vector<H>& gdot) const {
    g.resize(layout_.pointSize);
    gdot.resize(layout_.pointSize);
    int i = 0;
    for (const Member& m : layout_.members) {
      if (!m.second) continue;
      Vector<H> u = Vector<H>::Zero(m.algebraSize), du = Vector<H>::Zero(m.algebraSize);
      for (; i < size() && members_[i].x == m.x; ++i) {
        u += directions_[i].template cast<H>() * theta[i];
        du += directions_[i].template cast<H>() * thetaDot[i];
      }
      embedMember(m, u, du, g, gdot);
    }
  }

private:
  void add(const Member& m, const Vector<T>& direction) {
    members_.push_back(m);
    directions_.push_back(direction);
  }

  void embedMember(const Member& m, const Vector<H>& u, const Vector<H>& du, Vector<H>& g, Vector<H>& gdot) const {
    const Vector<H> x = x_.template cast<H>();
    if (m.kind == Kind::Line) {
      g.segment(m.g, m.pointSize) = x.segment(m.x, m.pointSize) + u;
      gdot.segment(m.g, m.pointSize) = du;
      return;
    }
    const Mat3<H> U = hat<H>(u), dU = hat<H>(du);
    const Mat3<H> E = Mat3<H>::Identity() + U + U * U / H(2);
    const Mat3<H> dE = dU + (U * dU + dU * U) / H(2);
    if (m.kind == Kind::Sphere) {
      const Vec3<H> q = vecAt(x, m.x);
      g.template segment<3>(m.g) = E * q;
      gdot.template segment<3>(m.g) = dE * q;
      return;
    }
    const Mat3<H> R = rotationAt(x, m.x);
    storeRotation<H>(g, m.g, m.kind == Kind::Body ? Mat3<H>(R * E) : Mat3<H>(E * R));
    storeRotation<H>(gdot, m.g, m.kind == Kind::Body ? Mat3<H>(R * dE) : Mat3<H>(dE * R));
  }

  const Layout& layout_;
  const Vector<T>& x_;
  std::vector<Member> members_;
  std::vector<Vector<T>> directions_;
};

/// Seeds of one evaluation: first-order perturbations of (t, θ, θ') along the two infinitesimals.
template <class T> struct Seeds {
  Vector<T> thetaA, thetaDotA, thetaB, thetaDotB;
  T timeB{0};
  explicit Seeds(int n)
      : thetaA(Vector<T>::Zero(n)), thetaDotA(Vector<T>::Zero(n)), thetaB(Vector<T>::Zero(n)),
        thetaDotB(Vector<T>::Zero(n)) {}
};

/// Calls f(t, g, gdot) with the chart's point perturbed by the seeds.
template <class T, class F> HyperDual<T> evaluate(const LocalChart<T>& chart, T t, const Seeds<T>& s, const F& f) {
  using H = HyperDual<T>;
  const int n = chart.size();
  const Vector<T> velocity = chart.velocity();
  Vector<H> theta(n), thetaDot(n), g, gdot;
  for (int i = 0; i < n; ++i) {
    theta[i] = H(T(0), s.thetaA[i], s.thetaB[i], T(0));
    thetaDot[i] = H(velocity[i], s.thetaDotA[i], s.thetaDotB[i], T(0));
  }
  chart.embed(theta, thetaDot, g, gdot);
  return f(H(t, T(0), s.timeB, T(0)), g, gdot);
}

/// The generalized forces of a model besides its Lagrangian, in local coordinates.
template <class M, class T> Vector<T> localForces(const M& model, const LocalChart<T>& chart, T t, const Vector<T>& x) {
  const int n = chart.size();
  Vector<T> q = Vector<T>::Zero(n);
  if constexpr (requires { model.forces(t, x); }) q += chart.restrict(model.forces(t, x));
  for (int i = 0; i < n; ++i) {
    Seeds<T> s(n);
    if constexpr (requires(Vector<HyperDual<T>> g) { model.virtualWork(t, x, g); }) {
      s.thetaA[i] = T(1);
      q[i] +=
          evaluate(chart, t, s, [&](const auto&, const auto& g, const auto&) { return model.virtualWork(t, x, g); }).a;
    }
    if constexpr (requires(HyperDual<T> h, Vector<HyperDual<T>> g) { model.dissipation(h, g, g); }) {
      s = Seeds<T>(n);
      s.thetaDotA[i] = T(1);
      q[i] -= evaluate(chart, t, s, [&](const auto& time, const auto& g, const auto& gdot) {
                return model.dissipation(time, g, gdot);
              }).a;
    }
  }
  return q;
}

/// The trivialized accelerations (and flows) of a model from its Lagrangian.
template <class M, class T> Vector<T> eulerLagrangeRates(const M& model, T t, const Vector<T>& x) {
  const Layout layout = model.layout();
  const LocalChart<T> chart(layout, x);
  const int n = chart.size();
  const Vector<T> velocity = chart.velocity();
  const auto L = [&](const auto& time, const auto& g, const auto& gdot) { return model.lagrangian(time, g, gdot); };
  Matrix<T> mass(n, n);
  Vector<T> right = localForces(model, chart, t, x);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      Seeds<T> s(n);
      s.thetaDotA[i] = T(1);
      s.thetaDotB[j] = T(1);
      mass(i, j) = mass(j, i) = evaluate(chart, t, s, L).ab;
    }
    Seeds<T> s(n);
    s.thetaA[i] = T(1);
    right[i] += evaluate(chart, t, s, L).a;
    s = Seeds<T>(n);
    s.thetaDotA[i] = T(1);
    s.thetaB = velocity;
    s.timeB = T(1);
    right[i] -= evaluate(chart, t, s, L).ab;
  }
  Vector<T> rates = Vector<T>::Zero(layout.rateSize);
  if constexpr (requires { model.flows(t, x); }) rates = model.flows(t, x);
  chart.extend(mass.fullPivLu().solve(right), rates);
  return rates;
}

/// E = ⟨∂L/∂ξ, ξ⟩ − L.
template <class M, class T> T lagrangianEnergy(const M& model, T t, const Vector<T>& x) {
  const Layout layout = model.layout();
  const LocalChart<T> chart(layout, x);
  Seeds<T> s(chart.size());
  s.thetaDotA = chart.velocity();
  const auto value = evaluate(
      chart, t, s, [&](const auto& time, const auto& g, const auto& gdot) { return model.lagrangian(time, g, gdot); });
  return value.a - value.v;
}

} // namespace lmc::reference
