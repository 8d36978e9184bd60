// RKMK4 for the three systems of Plain.h as an expert would tune it by hand: plain scalars, no function calls, only
// what the right-hand sides need of each stage, one polynomial for both coefficients of an exponential, forces in the
// rods instead of a mass matrix. The numbers of the models are constants of the program; inertias are diagonal.
#pragma once

#include <cmath>

namespace lmc::bench::tuned {

struct V {
  double x, y, z;
};
inline V operator+(V a, V b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline V operator-(V a, V b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline V operator*(double s, V a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline double dot(V a, V b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline V cross(V a, V b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// sin θ/θ, (1 − cos θ)/θ² and (θ − sin θ)/θ³ of s = θ²: Taylor polynomials up to θ = 1/2, to 1e-17.
inline double sinc(double s) {
  const double s2 = s * s;
  const double even = 1 + s2 * (1.0 / 120 + s2 * (1.0 / 362880 + s2 * (1.0 / 6227020800)));
  const double odd = -1.0 / 6 + s2 * (-1.0 / 5040 + s2 * (-1.0 / 39916800));
  return s < 0.25 ? even + s * odd : std::sin(std::sqrt(s)) / std::sqrt(s);
}
inline double cosc(double s) {
  const double s2 = s * s;
  const double even = 0.5 + s2 * (1.0 / 720 + s2 * (1.0 / 3628800 + s2 * (1.0 / 87178291200)));
  const double odd = -1.0 / 24 + s2 * (-1.0 / 40320 + s2 * (-1.0 / 479001600));
  return s < 0.25 ? even + s * odd : (1 - std::cos(std::sqrt(s))) / s;
}
inline double sincc(double s) {
  const double s2 = s * s;
  const double even = 1.0 / 6 + s2 * (1.0 / 5040 + s2 * (1.0 / 39916800 + s2 * (1.0 / 1307674368000)));
  const double odd = -1.0 / 120 + s2 * (-1.0 / 362880 + s2 * (-1.0 / 6227020800));
  return s < 0.25 ? even + s * odd : (1 - std::sin(std::sqrt(s)) / std::sqrt(s)) / s;
}

/// exp(u) v.
inline V rotate(V u, V v) {
  const double s = dot(u, u);
  const V c = cross(u, v);
  return v + sinc(s) * c + cosc(s) * cross(u, c);
}

struct Rotation {
  V r1, r2, r3; ///< rows
};
/// R exp(u).
inline Rotation times(const Rotation& R, V u) {
  const double s = dot(u, u), a = sinc(s), b = cosc(s);
  const auto row = [&](V r) {
    const V c = cross(r, u); // rᵀ hat(u)
    return r + a * c + b * cross(c, u);
  };
  return {row(R.r1), row(R.r2), row(R.r3)};
}

/// The heavy top: of the rotation the right-hand side needs its third row only.
struct Top {
  struct State {
    Rotation R;
    V Omega;
  };
  static constexpr double ml = 30, g = 9.81, J1 = 0.234375, J2 = 0.46875, J3 = 0.234375;
  static constexpr double c1 = (J2 - J3) / J1, c2 = (J3 - J1) / J2, c3 = (J1 - J2) / J3;

  /// Ω' for a third row and a velocity, χ = e2.
  static V field(V row, V w) {
    return {c1 * w.y * w.z - ml * g / J1 * row.z, c2 * w.z * w.x, c3 * w.x * w.y + ml * g / J3 * row.x};
  }
  static void step(State& y, double h) {
    const V row = y.R.r3, w = y.Omega;
    const V a1 = h * field(row, w);
    const V k1 = h * w;
    const V w2 = w + 0.5 * a1;
    const V a2 = h * field(rotate(-0.5 * k1, row), w2);
    const V k2 = h * w2;
    const V w3 = w + 0.5 * a2;
    const V a3 = h * field(rotate(-0.5 * k2 + 0.125 * cross(k2, k1), row), w3);
    const V k3 = h * w3;
    const V w4 = w + a3;
    const V a4 = h * field(rotate(-1.0 * k3, row), w4);
    const V k4 = h * w4;
    y.R = times(y.R, 1.0 / 6 * (k1 + 2 * (k2 + k3) + k4 - 0.5 * cross(k4, k1)));
    y.Omega = w + 1.0 / 6 * (a1 + 2 * (a2 + a3) + a4);
  }
  static State start() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 150, -4.61538}}; }
};

/// A point of a sphere with its angular velocity, moved by (ξ, a) of SE(3).
struct Link {
  V q, w;
};
inline Link moved(const Link& l, V xi, V a) {
  const double s = dot(xi, xi), A = sinc(s), B = cosc(s), C = sincc(s);
  const V cq = cross(xi, l.q), cw = cross(xi, l.w), ca = cross(xi, a);
  const V q = l.q + A * cq + B * cross(xi, cq);
  const V shift = a + B * ca + C * cross(xi, ca);
  const V w = l.w + A * cw + B * cross(xi, cw) + shift - dot(q, shift) * q;
  return {q, w};
}

/// Algebra elements of SE(3) and their brackets.
struct Twist {
  V xi, a;
};
inline Twist operator+(const Twist& u, const Twist& v) {
  return {u.xi + v.xi, u.a + v.a};
}
inline Twist operator*(double s, const Twist& u) {
  return {s * u.xi, s * u.a};
}
inline Twist bracket(const Twist& u, const Twist& v) {
  return {cross(u.xi, v.xi), cross(u.xi, v.a) - cross(v.xi, u.a)};
}

/// The chain of two pendulums by the forces in its rods: one number a rod.
struct Chain {
  struct State {
    Link l[2];
  };
  static constexpr double g = 9.81;

  static void field(const Link* l, double h, Twist* k) {
    const V q1 = l[0].q, q2 = l[1].q;
    const double c = dot(q1, q2);
    const double s1 = dot(l[0].w, l[0].w) - g * q1.z;
    const double T2 = (dot(l[1].w, l[1].w) + s1 * c) / (2 - c * c);
    const double T1 = s1 + T2 * c;
    // q'' up to multiples of q, which the cross product removes
    k[0] = {h * l[0].w, h * V{T2 * (q1.y * q2.z - q1.z * q2.y) - g * q1.y, T2 * (q1.z * q2.x - q1.x * q2.z) + g * q1.x,
                              T2 * (q1.x * q2.y - q1.y * q2.x)}};
    k[1] = {h * l[1].w, h * T1 * cross(q2, q1)};
  }
  static void step(State& y, double h) {
    Twist k1[2], k2[2], k3[2], k4[2];
    Link l[2];
    field(y.l, h, k1);
    for (int i = 0; i < 2; ++i) l[i] = moved(y.l[i], 0.5 * k1[i].xi, 0.5 * k1[i].a);
    field(l, h, k2);
    for (int i = 0; i < 2; ++i) {
      const Twist u = 0.5 * k2[i] + -0.125 * bracket(k1[i], k2[i]);
      l[i] = moved(y.l[i], u.xi, u.a);
    }
    field(l, h, k3);
    for (int i = 0; i < 2; ++i) l[i] = moved(y.l[i], k3[i].xi, k3[i].a);
    field(l, h, k4);
    for (int i = 0; i < 2; ++i) {
      const Twist u = 1.0 / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i] + -0.5 * bracket(k1[i], k4[i]));
      y.l[i] = moved(y.l[i], u.xi, u.a);
    }
  }
  static State start() {
    const double r = std::sqrt(0.5);
    return {{{{r, 0, r}, {0, 1, 0}}, {{r, 0, r}, {0, 1, 0}}}};
  }
};

/// The quadrotors with their load.
struct Quadrotors {
  struct State {
    V y, v;
    Rotation R[2];
    V Omega[2];
    Link l[2];
  };
  /// Of y the velocity and acceleration; of the attitudes ξ and Ω'; of the links twists. All times h.
  struct Rates {
    V v, dv, xi[2], dOmega[2];
    Twist l[2];
  };
  static constexpr double g = 9.81, my = 0.5, m = 0.755, thrust = (m + my / 2) * g;
  static constexpr double J1 = 0.0820, J2 = 0.0845, J3 = 0.1377;
  static constexpr double c1 = (J2 - J3) / J1, c2 = (J3 - J1) / J2, c3 = (J1 - J2) / J3;

  static Rates field(const State& s, double h) {
    // M v' = r with M = my + m Σ q qᵀ
    const V p = s.l[0].q, q = s.l[1].q;
    const V u1 = -thrust * V{s.R[0].r1.z, s.R[0].r2.z, s.R[0].r3.z};
    const V u2 = -thrust * V{s.R[1].r1.z, s.R[1].r2.z, s.R[1].r3.z};
    // With v' = g e3 + x: (my + m Σ q qᵀ) x = Σ q (q·u − m |w|²), so x = α p + β q: two numbers.
    const double c = dot(p, q);
    const double b1 = dot(p, u1) - m * dot(s.l[0].w, s.l[0].w), b2 = dot(q, u2) - m * dot(s.l[1].w, s.l[1].w);
    const double d = my + m, e = m * c, det = 1 / (d * d - e * e);
    const double alpha = det * (d * b1 - e * b2), beta = det * (d * b2 - e * b1);
    const V x = alpha * p + beta * q;
    Rates k;
    k.v = h * s.v;
    k.dv = h * (x + V{0, 0, g});
    for (int i = 0; i < 2; ++i) {
      const Rotation& R = s.R[i];
      const V w = s.Omega[i];
      k.xi[i] = h * w;
      k.dOmega[i] = h * V{c1 * w.y * w.z - (0.6 * w.x + (R.r3.y - R.r2.z)) / J1,
                          c2 * w.z * w.x - (0.6 * w.y + (R.r1.z - R.r3.x)) / J2,
                          c3 * w.x * w.y - (0.6 * w.z + (R.r2.x - R.r1.y)) / J3};
    }
    k.l[0] = {h * s.l[0].w, h * cross(p, x - (1 / m) * u1)};
    k.l[1] = {h * s.l[1].w, h * cross(q, x - (1 / m) * u2)};
    return k;
  }
  static State act(const State& y, const Rates& u) {
    State s;
    s.y = y.y + u.v;
    s.v = y.v + u.dv;
    for (int i = 0; i < 2; ++i) {
      s.R[i] = times(y.R[i], u.xi[i]);
      s.Omega[i] = y.Omega[i] + u.dOmega[i];
      s.l[i] = moved(y.l[i], u.l[i].xi, u.l[i].a);
    }
    return s;
  }
  /// a u + b v + c [s, t], for the opposite group at the attitudes
  static Rates sum(double a, const Rates& u, double b, const Rates& v, double c, const Rates& s, const Rates& t) {
    Rates r;
    r.v = a * u.v + b * v.v;
    r.dv = a * u.dv + b * v.dv;
    for (int i = 0; i < 2; ++i) {
      r.xi[i] = a * u.xi[i] + b * v.xi[i] + c * cross(t.xi[i], s.xi[i]);
      r.dOmega[i] = a * u.dOmega[i] + b * v.dOmega[i];
      r.l[i] = a * u.l[i] + b * v.l[i] + c * bracket(s.l[i], t.l[i]);
    }
    return r;
  }
  static void step(State& y, double h) {
    const Rates k1 = field(y, h);
    const Rates k2 = field(act(y, sum(0.5, k1, 0, k1, 0, k1, k1)), h);
    const Rates k3 = field(act(y, sum(0.5, k2, 0, k2, -0.125, k1, k2)), h);
    const Rates k4 = field(act(y, k3), h);
    const Rates outer = sum(1.0 / 6, k1, 1.0 / 6, k4, -1.0 / 12, k1, k4);
    y = act(y, sum(1, outer, 1, sum(1.0 / 3, k2, 1.0 / 3, k3, 0, k1, k1), 0, k1, k1));
  }
  static State start() {
    const double c = std::sqrt(3.0) / 2;
    const Rotation I{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const V W{0.1, -0.2, 0.3}, zero{0, 0, 0};
    return {zero, {0.1, 0, 0}, {I, I}, {W, W}, {{{0.5, 0, c}, zero}, {{-0.5, 0, c}, zero}}};
  }
};

} // namespace lmc::bench::tuned
