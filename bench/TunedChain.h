// The chain of two pendulums, tuned by hand.
#pragma once

#include "bench/TunedMath.h"

namespace lmc::bench::tuned {

/// By the forces in the rods: one number a rod. The two links are independent but for the right-hand side, so that one
/// hides the latency of the other.
class Chain {
public:
  struct State {
    Link l[2];
  };
  explicit Chain(double h) : half_(h / 2), whole_(h), sixth_(h / 6), twelfth_(h / 12), h_(h) {}
  static State start() {
    const double r = std::sqrt(0.5);
    return {{{{r, 0, r}, {0, 1, 0}}, {{r, 0, r}, {0, 1, 0}}}};
  }
  void rkmk4(State& y) const {
    if (!rkmk4<true>(y)) [[unlikely]]
      rkmk4<false>(y);
  }
  void cf4(State& y) const {
    if (!cf4<true>(y)) [[unlikely]]
      cf4<false>(y);
  }

  /// The twists of both links.
  [[gnu::always_inline]] static void field(const Link* l, Twist* k) {
    const V q1 = l[0].q, q2 = l[1].q;
    const double c = dot(q1, q2);
    const double s1 = dot(l[0].w, l[0].w) - g * q1.z;
    const double T2 = (dot(l[1].w, l[1].w) + s1 * c) / (2 - c * c);
    const double T1 = s1 + T2 * c;
    const V p = cross(q1, q2); // q'' up to multiples of q, which the cross product removes
    k[0] = {l[0].w, {T2 * p.x - g * q1.y, T2 * p.y + g * q1.x, T2 * p.z}};
    k[1] = {l[1].w, -T1 * p};
  }

private:
  static constexpr double g = 9.81;
  template <bool Near> bool rkmk4(State& y) const {
    bool near = true;
    Twist k1[2], k2[2], k3[2], k4[2];
    Link l[2];
    field(y.l, k1);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) l[i] = carry<Near>(y.l[i], k1[i].a, half_, near);
    field(l, k2);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) l[i] = move<Near>(y.l[i], k2[i] - h_ / 4 * bracket(k1[i], k2[i]), half_, near);
    field(l, k3);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) l[i] = move<Near>(y.l[i], k3[i], whole_, near);
    field(l, k4);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const Twist u = k1[i] + k4[i] + 2 * (k2[i] + k3[i]) - h_ / 2 * bracket(k1[i], k4[i]);
      l[i] = move<Near>(y.l[i], u, sixth_, near);
    }
    if (Near && !near) [[unlikely]]
      return false;
    y = {{l[0], l[1]}};
    return true;
  }
  template <bool Near> bool cf4(State& y) const {
    bool near = true;
    Twist k1[2], k2[2], k3[2], k4[2];
    Link l[2], l2[2];
    field(y.l, k1);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) l2[i] = carry<Near>(y.l[i], k1[i].a, half_, near);
    field(l2, k2);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) l[i] = move<Near>(y.l[i], k2[i], half_, near);
    field(l, k3);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) l[i] = move<Near>(l2[i], 2 * k3[i] - k1[i], half_, near);
    field(l, k4);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const Twist t = 2 * (k2[i] + k3[i]) + (k1[i] + k4[i]), d = 2 * (k1[i] - k4[i]);
      l[i] = move<Near>(move<Near>(y.l[i], t + d, twelfth_, near), t - d, twelfth_, near);
    }
    if (Near && !near) [[unlikely]]
      return false;
    y = {{l[0], l[1]}};
    return true;
  }

  Exponential half_, whole_, sixth_, twelfth_;
  double h_;
};

} // namespace lmc::bench::tuned
