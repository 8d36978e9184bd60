// One step of two implicit methods as an expert would tune it by hand: plain scalars, no function calls, three
// unknowns, one polynomial a coefficient, a Jacobian that is evaluated and inverted once and kept while convergence is
// fast. The numbers of the models are constants of the program; inertias are diagonal.
#pragma once

#include "bench/TunedMath.h"

#include <cmath>

namespace lmc::bench::tuned {

/// A matrix by rows, and its inverse times a vector by cofactors.
struct Three {
  V r1, r2, r3;
};
inline Three inverse(const Three& a) {
  const V c1 = cross(a.r2, a.r3), c2 = cross(a.r3, a.r1), c3 = cross(a.r1, a.r2); // columns, times the determinant
  const double d = 1 / dot(a.r1, c1);
  return {d * V{c1.x, c2.x, c3.x}, d * V{c1.y, c2.y, c3.y}, d * V{c1.z, c2.z, c3.z}};
}
inline V times(const Three& a, V v) {
  return {dot(a.r1, v), dot(a.r2, v), dot(a.r3, v)};
}

/// When an iteration with a kept Jacobian ends: the next change, by the slower of the two last rates (the first one is
/// the change relative to the size), would not be seen; squares of lengths.
struct Convergence {
  double before, rate = 0;
  explicit Convergence(double size) : before(size) {}
  enum Verdict { Done, Keep, Renew };
  Verdict operator()(double changed, double size, bool kept) {
    const double now = changed / before;
    const double slower = std::fmax(now, rate);
    before = changed;
    rate = now;
    if (changed * slower <= 1e-32 * size) return Done;
    return (kept ? now : slower) > 1e-4 ? Renew : Keep;
  }
};

/// The symplectic method with θ = 1/2 on the heavy top. With η = h Ω of the middle, in the body, the two unknowns of
/// the method (ξ, n) become one:
///     exp(η/2) J η = h S p + h²/2 dexp_{η/2} τ,   S = exp(−η/2) dexp_η,   τ = ml χ × exp(−η/2) γ,
/// where p is the momentum and γ the gravity in the body at the begin. All operators are 1 + a η× + b η×η× with a, b of
/// |η/2|². The next momentum is p + h τ − η × J η / h.
struct SymplecticTop {
  struct State {
    Rotation R;
    V p; ///< in the body
  };
  static constexpr double J1 = 0.234375, J2 = 0.46875, ml = 30, g = 9.81;
  static State start() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, J2 * 150, J1 * -4.61538}}; }

  static V inertia(V v) { return {J1 * v.x, J2 * v.y, J1 * v.z}; }
  static V torque(V row) { return {-ml * g * row.z, 0, ml * g * row.x}; } ///< of the third row of R; χ = e2

  static double energy(const State& y) {
    return 0.5 * (y.p.x * y.p.x / J1 + y.p.y * y.p.y / J2 + y.p.z * y.p.z / J1) + ml * g * y.R.r3.y;
  }

  /// Coefficients of exp(η/2) and S, of x = |η|²/4, and their derivatives by |η|².
  struct Coefficients {
    double a, b, s; ///< sin(θ/2)/θ, (1 − cos(θ/2))/θ², (1 − 2a)/θ²
  };
  static Coefficients coefficients(double x) {
    if (x < 0.25) {
      const double xx = x * x; // Taylor polynomials of (1 − cos)/x and (1 − sin/θ)/x, to 1e-17
      const double c = 0.5 + xx * (1.0 / 720 + xx * (1.0 / 3628800 + xx * (1.0 / 87178291200))) +
                       x * (-1.0 / 24 + xx * (-1.0 / 40320 + xx * (-1.0 / 479001600)));
      const double k = 1.0 / 6 + xx * (1.0 / 5040 + xx * (1.0 / 39916800 + xx * (1.0 / 1307674368000))) +
                       x * (-1.0 / 120 + xx * (-1.0 / 362880 + xx * (-1.0 / 6227020800)));
      return {0.5 - 0.5 * x * k, 0.25 * c, 0.25 * k};
    }
    const double half = std::sqrt(x), a = 0.5 * std::sin(half) / half;
    return {a, 0.25 * (1 - std::cos(half)) / x, 0.25 * (1 - 2 * a) / x};
  }
  static Coefficients slopes(double x, const Coefficients& k) {
    if (x < 0.25) { // to 1e-8: the Jacobian need not be exact
      const double b = 1.0 / 16 * (-1.0 / 24 + x * (2.0 / 720 + x * (-3.0 / 40320 + x * (4.0 / 3628800))));
      const double s = 1.0 / 16 * (-1.0 / 120 + x * (2.0 / 5040 + x * (-3.0 / 362880 + x * (4.0 / 39916800))));
      return {-0.5 * k.s - 2 * x * s, b, s};
    }
    const double r = 0.25 / x, a = r * (0.25 - x * k.b - 0.5 * k.a); // (cos(θ/2)/4 − a/2)/θ²
    return {a, r * (0.25 * k.a - k.b), r * (-2 * a - k.s)};
  }

  /// dF/de, but for terms of the torque that are of third order.
  static Three jacobian(V e, double x, const Coefficients& k, V row, V m, double hh, V hp, V Je, V tau, V v, V z) {
    const Coefficients d = slopes(x, k);
    const double G = hh * ml * g;
    // dτ: its rows 1 and 3 are −G D3 and G D1, D = d(row − e × m)
    const double er = dot(e, row);
    const V D1 = V{k.b * er, -m.z, m.y} - k.b * row.x * e, D3 = V{-m.y, m.x, k.b * er} - k.b * row.z * e;
    const V w = cross(e, 2 * d.a * Je - 2 * d.b * tau + cross(e, 2 * d.b * Je - 2 * d.s * hp));
    // dz = a J − b dτ − v× + b e× J
    const double b1 = k.b * J1, b2 = k.b * J2, c = k.b * G;
    const V Z1 = V{k.a * J1, v.z - b2 * e.z, -v.y + b1 * e.y} + c * D3;
    const V Z2{-v.z + b1 * e.z, k.a * J2, v.x - b1 * e.x};
    const V Z3 = V{v.y - b1 * e.y, -v.x + b2 * e.x, k.a * J1} - c * D1;
    return {V{J1, z.z, -z.y} + 0.5 * G * D3 + e.y * Z3 - e.z * Z2 + w.x * e,
            V{-z.z, J2, z.x} + e.z * Z1 - e.x * Z3 + w.y * e,
            V{z.y, -z.x, J1} - 0.5 * G * D1 + e.x * Z2 - e.y * Z1 + w.z * e};
  }

  static void step(State& y, double h, long& turns) {
    const V p = y.p, row = y.R.r3;
    const V w{p.x * (1 / J1), p.y * (1 / J2), p.z * (1 / J1)};
    const V pull = torque(row), gyro = cross(p, w);
    const double k1 = 0.5 * h / J1, k2 = 0.5 * h / J2;
    V e = h * V{w.x + k1 * (pull.x + gyro.x), w.y + k2 * gyro.y, w.z + k1 * (pull.z + gyro.z)};
    Three inverted{};
    Convergence convergence(dot(e, e));
    bool kept = false;
    const double hh = h * h;
    const V hp = h * p;
    for (int turn = 0; turn < 30; ++turn) {
      ++turns;
      const double x = 0.25 * dot(e, e);
      const Coefficients k = coefficients(x);
      // F = J e − h p − τ/2 + e × z, z = a J e − b τ + e × v, v = b J e − s (h p + τ/2); τ times h²
      const V Je = inertia(e), er = cross(e, row);
      const V m = k.a * row - k.b * er;
      const double tx = -hh * ml * g * (row.z - e.x * m.y + e.y * m.x),
                   tz = hh * ml * g * (row.x - e.y * m.z + e.z * m.y);
      const V fixed{hp.x + 0.5 * tx, hp.y, hp.z + 0.5 * tz};
      const V v = k.b * Je - k.s * fixed;
      const V ev = cross(e, v);
      const V z{k.a * Je.x - k.b * tx + ev.x, k.a * Je.y + ev.y, k.a * Je.z - k.b * tz + ev.z};
      const V residual = Je - fixed + cross(e, z);
      if (!kept) inverted = inverse(jacobian(e, x, k, row, m, hh, hp, Je, V{tx, 0, tz}, v, z));
      const V change = times(inverted, residual);
      e = e - change;
      const auto verdict = convergence(dot(change, change), dot(e, e), kept);
      kept = verdict == Convergence::Keep;
      if (verdict == Convergence::Done) break;
    }
    const double x = 0.25 * dot(e, e);
    const Coefficients k = coefficients(x);
    const V er = cross(e, row), tau = torque(row - k.a * er + k.b * cross(e, er));
    // exp(η) by the half angle: sin θ/θ = 2a (1 − 4xb), (1 − cos θ)/θ² = 2a²
    const double a = 2 * k.a * (1 - 4 * x * k.b), b = 2 * k.a * k.a;
    const auto turned = [&](V r) {
      const V c = cross(r, e);
      return r + a * c + b * cross(c, e);
    };
    y.R = {turned(y.R.r1), turned(y.R.r2), turned(y.R.r3)};
    y.p = p + h * tau - (1 / h) * cross(e, inertia(e));
  }
};

/// The variational Lie–Verlet method with the Cayley map on a body of inertia diag(A, B, C), torque by `torque(R)`,
/// which serves twice: the state carries it. The unknown is the velocity of the step.
template <class Body> struct VariationalBody {
  struct State {
    Rotation R;
    V w, torque; ///< in the body
  };
  static State start() {
    const Rotation R = Body::attitude();
    return {R, Body::velocity(), Body::torque(R)};
  }
  static V inertia(V v) { return {Body::A * v.x, Body::B * v.y, Body::C * v.z}; }
  static double energy(const State& y) { return 0.5 * dot(y.w, inertia(y.w)) + Body::potential(y.R); }

  /// x × J x
  static V gyroscopic(V x) {
    return {(Body::C - Body::B) * x.y * x.z, (Body::A - Body::C) * x.z * x.x, (Body::B - Body::A) * x.x * x.y};
  }
  static Three jacobian(V x, V Jx, double h, double twice) {
    constexpr double a = Body::C - Body::B, b = Body::A - Body::C, c = Body::B - Body::A;
    const double k = 0.5 * h, q = k * k * twice;
    const V y = 2 * k * k * Jx, z = k * x;
    return {V{Body::A + q, a * z.z, a * z.y} + x.x * y, V{b * z.z, Body::B + q, b * z.x} + x.y * y,
            V{c * z.y, c * z.x, Body::C + q} + x.z * y};
  }
  static void step(State& y, double h, long& turns) {
    const double k = 0.5 * h;
    const V p = inertia(y.w) + k * y.torque, first = p - k * gyroscopic(y.w);
    V x{first.x * (1 / Body::A), first.y * (1 / Body::B), first.z * (1 / Body::C)};
    Three inverted{};
    Convergence convergence(dot(x, x));
    bool kept = false;
    for (int turn = 0; turn < 30; ++turn) {
      ++turns;
      const V Jx = inertia(x);
      const double twice = dot(x, Jx);
      const V residual = Jx - p + k * (gyroscopic(x) + (k * twice) * x);
      if (!kept) inverted = inverse(jacobian(x, Jx, h, twice));
      const V change = times(inverted, residual);
      x = x - change;
      const auto verdict = convergence(dot(change, change), dot(x, x), kept);
      kept = verdict == Convergence::Keep;
      if (verdict == Convergence::Done) break;
    }
    const V u = h * x;
    const double c = 4 / (4 + dot(u, u));
    const auto turned = [&](V r) {
      const V t = cross(r, u);
      return r + c * (t + 0.5 * cross(t, u));
    };
    y.R = {turned(y.R.r1), turned(y.R.r2), turned(y.R.r3)};
    y.torque = Body::torque(y.R);
    const V m = k * (y.torque - gyroscopic(x) + (k * dot(x, inertia(x))) * x);
    y.w = x + V{m.x * (1 / Body::A), m.y * (1 / Body::B), m.z * (1 / Body::C)};
  }
};

/// The heavy top.
struct TopBody {
  static constexpr double A = 0.234375, B = 0.46875, C = 0.234375, mlg = 30 * 9.81;
  static Rotation attitude() { return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }
  static V velocity() { return {0, 150, -4.61538}; }
  static V torque(const Rotation& R) { return {-mlg * R.r3.z, 0, mlg * R.r3.x}; }
  static double potential(const Rotation& R) { return mlg * R.r3.y; }
};

/// The body of the energy test. The other pole of its potential is a turn about (1, 0, 1)/√2.
struct TestBody {
  static constexpr double A = 2, B = 2, C = 4, alpha = 0.3;
  static Rotation attitude() {
    const double a = 0.7227;
    return {{std::cos(a), 0, std::sin(a)}, {0, 1, 0}, {-std::sin(a), 0, std::cos(a)}};
  }
  static V velocity() { return {0, 0, 0.625}; }
  static Rotation turnAboutDiagonal(double angle) {
    const double c = std::cos(angle), s = std::sin(angle) / std::sqrt(2.0), d = (1 - c) / 2;
    return {{1 - d, -s, d}, {s, c, -s}, {d, s, 1 - d}};
  }
  static inline const Rotation Q = turnAboutDiagonal(2.5);
  static V torque(const Rotation& R) {
    // M = Rᵀ Q: its trace and axis
    const auto at = [&](int i, int j) { // columns of R and Q
      const auto column = [](const Rotation& m, int k) {
        return k == 0 ? V{m.r1.x, m.r2.x, m.r3.x} : k == 1 ? V{m.r1.y, m.r2.y, m.r3.y} : V{m.r1.z, m.r2.z, m.r3.z};
      };
      return dot(column(R, i), column(Q, j));
    };
    const double d2 = 6 - 2 * (R.r1.x + R.r2.y + R.r3.z), e2 = 6 - 2 * (at(0, 0) + at(1, 1) + at(2, 2));
    const double first = 2 - 2 / std::sqrt(d2), second = alpha / (e2 * std::sqrt(e2));
    return first * V{R.r2.z - R.r3.y, R.r3.x - R.r1.z, R.r1.y - R.r2.x} +
           second * V{at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)};
  }
  static double potential(const Rotation& R) {
    const double d = std::sqrt(6 - 2 * (R.r1.x + R.r2.y + R.r3.z));
    const double e = std::sqrt(6 - 2 * (dot(R.r1, Q.r1) + dot(R.r2, Q.r2) + dot(R.r3, Q.r3)));
    return (d - 1) * (d - 1) - alpha / e;
  }
};

} // namespace lmc::bench::tuned
