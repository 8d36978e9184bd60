// The heavy top, tuned by hand.
#pragma once

#include "bench/TunedMath.h"

namespace lmc::bench::tuned {

/// Of the rotation a right-hand side needs two numbers of the third row; J and what follows from it are constants, the
/// factor h is folded into them and into the polynomials, and one test for large angles serves a whole step.
class Top {
public:
  struct State {
    Rotation R;
    V Omega;
  };
  explicit Top(double h) : half_(h / 2), whole_(h), sixth_(h / 6), twelfth_(h / 12) {
    set(f2_, h / 2);
    set(f4_, h);
    set(f6_, h / 6);
    quarter_ = h / 4;
  }
  static State start() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 150, -4.61538}}; }

  void rkmk4(State& y) const {
    if (!rkmk4<true>(y)) [[unlikely]]
      rkmk4<false>(y);
  }
  void cf4(State& y) const {
    if (!cf4<true>(y)) [[unlikely]]
      cf4<false>(y);
  }

  /// Ω' of a third row and a velocity.
  static V rate(V row, V w) {
    Factors f{};
    set(f, 1);
    return field(f, row, w, {0, 0, 0});
  }

private:
  static constexpr double ml = 30, g = 9.81, J1 = 0.234375, J2 = 0.46875, J3 = 0.234375;
  /// Factors of Ω' times a part of the step.
  struct Factors {
    double c1, c2, c3, x, z;
  };
  static void set(Factors& f, double t) {
    f = {t * (J2 - J3) / J1, t * (J3 - J1) / J2, t * (J1 - J2) / J3, t * ml * g / J1, t * ml * g / J3};
  }
  /// base + t Ω'.
  static V field(const Factors& f, V row, V w, V base) {
    return {f.c1 * w.y * w.z + (base.x - f.x * row.z), f.c2 * w.z * w.x + base.y,
            f.c3 * w.x * w.y + (base.z + f.z * row.x)};
  }
  template <bool Near> bool rkmk4(State& y) const {
    const V row = y.R.r3, w = y.Omega;
    const V w2 = field(f2_, row, w, w);
    const double x2 = dot(w, w);
    const V w3 = field(f2_, turned(row, w, half_.two<Near>(x2)), w2, w);
    const V wq = quarter_ * w;
    const V v3 = crossPlus(wq, w2, w2);
    const double x3 = dot(v3, v3);
    const V w4 = field(f4_, turned(row, v3, half_.two<Near>(x3)), w3, w);
    const double x4 = dot(w3, w3);
    const V t = w2 + w3;
    const V v = w + w4 + 2 * crossPlus(wq, w4, t);
    const double x = dot(v, v);
    if (Near && !(half_.near(x2) & half_.near(x3) & whole_.near(x4) & sixth_.near(x))) [[unlikely]]
      return false;
    const V row4 = turned(row, w3, whole_.two<Near>(x4));
    y.Omega = field(f6_, row4, w4, 1.0 / 3 * (t + w3 + (w4 - w)));
    const Coefficients k = sixth_.two<Near>(x);
    y.R = {turned(y.R.r1, v, k), turned(y.R.r2, v, k), turned(row, v, k)};
    return true;
  }
  template <bool Near> bool cf4(State& y) const {
    const V row = y.R.r3, w = y.Omega;
    const V w2 = field(f2_, row, w, w);
    const double x2 = dot(w, w);
    const V row2 = turned(row, w, half_.two<Near>(x2));
    const V w3 = field(f2_, row2, w2, w);
    const double x3 = dot(w2, w2);
    const V w4 = field(f4_, turned(row, w2, half_.two<Near>(x3)), w3, w);
    const V v4 = w3 + (w3 - w);
    const double x4 = dot(v4, v4);
    const V t = w2 + w3, tt = 2 * t + w + w4, d = w - w4;
    const V b = tt + 2 * d, a = tt - 2 * d; // (3, 2, 2, −1) and (−1, 2, 2, 3)
    const double xb = dot(b, b), xa = dot(a, a);
    if (Near && !(half_.near(x2) & half_.near(x3) & half_.near(x4) & twelfth_.near(xb) & twelfth_.near(xa)))
        [[unlikely]]
      return false;
    const V row4 = turned(row2, v4, half_.two<Near>(x4));
    y.Omega = field(f6_, row4, w4, 1.0 / 3 * (t + w3 + (w4 - w)));
    const Coefficients kb = twelfth_.two<Near>(xb), ka = twelfth_.two<Near>(xa);
    y.R = {turned(turned(y.R.r1, b, kb), a, ka), turned(turned(y.R.r2, b, kb), a, ka),
           turned(turned(row, b, kb), a, ka)};
    return true;
  }

  Exponential half_, whole_, sixth_, twelfth_;
  Factors f2_{}, f4_{}, f6_{};
  double quarter_ = 0;
};

} // namespace lmc::bench::tuned
