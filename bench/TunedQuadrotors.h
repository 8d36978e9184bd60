// The quadrotors with their load, tuned by hand.
#pragma once

#include "bench/TunedMath.h"

namespace lmc::bench::tuned {

/// By the forces in the links; of the attitudes a stage needs seven entries.
class Quadrotors {
public:
  struct State {
    V y, v;
    Rotation R[2];
    V Omega[2];
    Link l[2];
  };
  explicit Quadrotors(double h) : half_(h / 2), whole_(h), sixth_(h / 6), twelfth_(h / 12), h_(h) {}
  static State start() {
    const double c = std::sqrt(3.0) / 2;
    const Rotation I{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const V W{0.1, -0.2, 0.3}, zero{0, 0, 0};
    return {zero, {0.1, 0, 0}, {I, I}, {W, W}, {{{0.5, 0, c}, zero}, {{-0.5, 0, c}, zero}}};
  }
  void rkmk4(State& y) const {
    if (!rkmk4<true>(y)) [[unlikely]]
      rkmk4<false>(y);
  }
  void cf4(State& y) const {
    if (!cf4<true>(y)) [[unlikely]]
      cf4<false>(y);
  }

  /// Of y the velocity and acceleration; of the attitudes ξ and Ω'; of the links twists.
  struct Rates {
    V v, dv, xi[2], dOmega[2];
    Twist l[2];
  };
  template <class S> [[gnu::always_inline]] static Rates field(const S& s) {
    // M v' = r with M = my + m Σ q qᵀ. With v' = g e3 + x: (my + m Σ q qᵀ) x = Σ q (q·u − m |w|²), u = −T R e3, so
    // x = α p + β q: two numbers. n = −u/m.
    constexpr double f = thrust / m;
    const V p = s.l[0].q, q = s.l[1].q;
    const V n1{f * s.R[0].r1.z, f * s.R[0].r2.z, f * s.R[0].r3.z};
    const V n2{f * s.R[1].r1.z, f * s.R[1].r2.z, f * s.R[1].r3.z};
    const double c = dot(p, q);
    const double b1 = dot(p, n1) + dot(s.l[0].w, s.l[0].w), b2 = dot(q, n2) + dot(s.l[1].w, s.l[1].w);
    constexpr double d = (my + m) / m;
    const double det = 1 / (c * c - d * d);
    const double alpha = det * (d * b1 - c * b2), beta = det * (d * b2 - c * b1);
    const V x = alpha * p + beta * q;
    Rates k;
    k.v = s.v;
    k.dv = {x.x, x.y, x.z + g};
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const Rotation& R = s.R[i];
      const V w = s.Omega[i];
      k.xi[i] = w;
      k.dOmega[i] = {c1 * w.y * w.z - (0.6 / J1 * w.x + 1 / J1 * (R.r3.y - R.r2.z)),
                     c2 * w.z * w.x - (0.6 / J2 * w.y + 1 / J2 * (R.r1.z - R.r3.x)),
                     c3 * w.x * w.y - (0.6 / J3 * w.z + 1 / J3 * (R.r2.x - R.r1.y))};
    }
    k.l[0] = {s.l[0].w, cross(p, x + n1)};
    k.l[1] = {s.l[1].w, cross(q, x + n2)};
    return k;
  }

private:
  static constexpr double g = 9.81, my = 0.5, m = 0.755, thrust = (m + my / 2) * g;
  static constexpr double J1 = 0.0820, J2 = 0.0845, J3 = 0.1377;
  static constexpr double c1 = (J2 - J3) / J1, c2 = (J3 - J1) / J2, c3 = (J1 - J2) / J3;

  /// What a stage needs.
  struct Stage {
    V v;
    Rotation R[2];
    V Omega[2];
    Link l[2];
  };

  template <bool Near>
  [[gnu::always_inline]] static Rotation turn(const Rotation& R, V u, const Exponential& e, bool& near) {
    const double x = dot(u, u);
    near &= e.near(x);
    const Turn D(u, e.two<Near>(x));
    return {D.row(R.r1), D.row(R.r2), D.row(R.r3)};
  }
  template <bool Near> bool rkmk4(State& y) const {
    bool near = true;
    const Rates k1 = field(y);
    Stage s2, s3, s4;
    s2.v = y.v + h_ / 2 * k1.dv;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      s2.R[i] = turn<Near>(y.R[i], k1.xi[i], half_, near);
      s2.Omega[i] = y.Omega[i] + h_ / 2 * k1.dOmega[i];
      s2.l[i] = carry<Near>(y.l[i], k1.l[i].a, half_, near);
    }
    const Rates k2 = field(s2);
    s3.v = y.v + h_ / 2 * k2.dv;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      s3.R[i] = turn<Near>(y.R[i], k2.xi[i] + h_ / 4 * cross(k1.xi[i], k2.xi[i]), half_, near);
      s3.Omega[i] = y.Omega[i] + h_ / 2 * k2.dOmega[i];
      s3.l[i] = move<Near>(y.l[i], k2.l[i] - h_ / 4 * bracket(k1.l[i], k2.l[i]), half_, near);
    }
    const Rates k3 = field(s3);
    s4.v = y.v + h_ * k3.dv;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      s4.R[i] = turn<Near>(y.R[i], k3.xi[i], whole_, near);
      s4.Omega[i] = y.Omega[i] + h_ * k3.dOmega[i];
      s4.l[i] = move<Near>(y.l[i], k3.l[i], whole_, near);
    }
    const Rates k4 = field(s4);
    State z;
    ends(y, k1, k2, k3, k4, z);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const V u = k1.xi[i] + k4.xi[i] + 2 * (k2.xi[i] + k3.xi[i]) + h_ / 2 * cross(k1.xi[i], k4.xi[i]);
      z.R[i] = turn<Near>(y.R[i], u, sixth_, near);
      const Twist t = k1.l[i] + k4.l[i] + 2 * (k2.l[i] + k3.l[i]) - h_ / 2 * bracket(k1.l[i], k4.l[i]);
      z.l[i] = move<Near>(y.l[i], t, sixth_, near);
    }
    if (Near && !near) [[unlikely]]
      return false;
    y = z;
    return true;
  }
  template <bool Near> bool cf4(State& y) const {
    bool near = true;
    const Rates k1 = field(y);
    Stage s2, s3, s4;
    s2.v = y.v + h_ / 2 * k1.dv;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      s2.R[i] = turn<Near>(y.R[i], k1.xi[i], half_, near);
      s2.Omega[i] = y.Omega[i] + h_ / 2 * k1.dOmega[i];
      s2.l[i] = carry<Near>(y.l[i], k1.l[i].a, half_, near);
    }
    const Rates k2 = field(s2);
    s3.v = y.v + h_ / 2 * k2.dv;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      s3.R[i] = turn<Near>(y.R[i], k2.xi[i], half_, near);
      s3.Omega[i] = y.Omega[i] + h_ / 2 * k2.dOmega[i];
      s3.l[i] = move<Near>(y.l[i], k2.l[i], half_, near);
    }
    const Rates k3 = field(s3);
    s4.v = y.v + h_ * k3.dv;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      s4.R[i] = turn<Near>(s2.R[i], 2 * k3.xi[i] - k1.xi[i], half_, near);
      s4.Omega[i] = y.Omega[i] + h_ * k3.dOmega[i];
      s4.l[i] = move<Near>(s2.l[i], 2 * k3.l[i] - k1.l[i], half_, near);
    }
    const Rates k4 = field(s4);
    State z;
    ends(y, k1, k2, k3, k4, z);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const V s = 2 * (k2.xi[i] + k3.xi[i]) + (k1.xi[i] + k4.xi[i]), e = 2 * (k1.xi[i] - k4.xi[i]);
      z.R[i] = turn<Near>(turn<Near>(y.R[i], s + e, twelfth_, near), s - e, twelfth_, near);
      const Twist t = 2 * (k2.l[i] + k3.l[i]) + (k1.l[i] + k4.l[i]), d = 2 * (k1.l[i] - k4.l[i]);
      z.l[i] = move<Near>(move<Near>(y.l[i], t + d, twelfth_, near), t - d, twelfth_, near);
    }
    if (Near && !near) [[unlikely]]
      return false;
    y = z;
    return true;
  }
  /// What adds up alike in both methods.
  [[gnu::always_inline]] void ends(const State& y, const Rates& k1, const Rates& k2, const Rates& k3, const Rates& k4,
                                   State& z) const {
    z.y = y.y + h_ / 6 * (k1.v + k4.v + 2 * (k2.v + k3.v));
    z.v = y.v + h_ / 6 * (k1.dv + k4.dv + 2 * (k2.dv + k3.dv));
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i)
      z.Omega[i] = y.Omega[i] + h_ / 6 * (k1.dOmega[i] + k4.dOmega[i] + 2 * (k2.dOmega[i] + k3.dOmega[i]));
  }

  Exponential half_, whole_, sixth_, twelfth_;
  double h_;
};

} // namespace lmc::bench::tuned
