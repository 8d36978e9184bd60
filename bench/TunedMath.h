// What programs tuned by hand have in common: vectors, exponentials whose factors are folded into the coefficients of
// their polynomials, points of spheres.
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
inline V operator-(V a) {
  return {-a.x, -a.y, -a.z};
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
/// c + a x b, each entry two fused operations.
inline V crossPlus(V a, V b, V c) {
  return {a.y * b.z + (c.x - a.z * b.y), a.z * b.x + (c.y - a.x * b.z), a.x * b.y + (c.z - a.y * b.x)};
}

/// A = t c_1, B = t² c_2, C = t³ c_3 of θ² = t² x: exp(t v) = 1 + A V + B V², dexp of t v = t (1 + B V + C V²)/t …
struct Coefficients {
  double A, B, C;
};

/// The coefficients for one factor t, which a run does not change, as functions of x = |v|².
class Exponential {
public:
  explicit Exponential(double t) : t_(t), limit_(1.0 / 16 / (t * t)) {
    // c_k on 0 ≤ θ ≤ 1/4: Taylor polynomials economised to degree 4, relative errors 5e-17, 8e-18, 2e-18.
    constexpr double c1[]{1, -0x1.5555555555016p-3, 0x1.1111110e713efp-7, -0x1.a019e43ae0ce3p-13,
                          0x1.7157d1bad8fd4p-19};
    constexpr double c2[]{0.5, -0x1.5555555555395p-5, 0x1.6c16c16a56cfcp-10, -0x1.a019ee06a77adp-16,
                          0x1.278b5e3b48462p-22};
    constexpr double c3[]{0x1.5555555555555p-3, -0x1.1111111111087p-7, 0x1.a01a019f06513p-13, -0x1.71de2e4573e25p-19,
                          0x1.adf608ff6bca9p-26};
    double power = t;
    for (int j = 0; j < 5; ++j, power *= t * t) {
      a_[j] = c1[j] * power;
      b_[j] = c2[j] * power * t;
      c_[j] = c3[j] * power * t * t;
    }
  }
  /// Whether the polynomials hold.
  [[nodiscard]] bool near(double x) const { return x <= limit_; }
  /// A and B alone.
  template <bool Near> [[nodiscard, gnu::always_inline]] Coefficients two(double x) const {
    if constexpr (Near) return {polynomial(a_, x), polynomial(b_, x), 0};
    return far(x);
  }
  template <bool Near> [[nodiscard, gnu::always_inline]] Coefficients three(double x) const {
    if constexpr (!Near) return far(x);
    const double C = polynomial(c_, x);
    return {t_ - x * C, polynomial(b_, x), C};
  }
  [[nodiscard]] double factor() const { return t_; }

private:
  static double polynomial(const double* c, double x) {
    const double x2 = x * x;
    return c[0] + c[1] * x + x2 * (c[2] + c[3] * x + x2 * c[4]);
  }
  [[nodiscard]] Coefficients far(double x) const {
    const double s = t_ * t_ * x, theta = std::sqrt(s);
    if (near(x)) return three<true>(x);
    const double a = std::sin(theta) / theta, half = std::sin(theta / 2) / theta;
    return {t_ * a, t_ * t_ * 2 * half * half, t_ * t_ * t_ * (1 - a) / s};
  }
  double t_, limit_;
  double a_[5], b_[5], c_[5];
};

struct Rotation {
  V r1, r2, r3; ///< rows
};

/// r exp(u) for a row r, where u = t v and k are its coefficients.
[[gnu::always_inline]] inline V turned(V r, V v, Coefficients k) {
  const V c = cross(r, v), cc = cross(c, v);
  return r + k.A * c + k.B * cc;
}

/// exp(t v) − 1: for a matrix it costs fewer products than its rows one by one.
struct Turn {
  double xx, xy, xz, yx, yy, yz, zx, zy, zz;
  [[gnu::always_inline]] Turn(V v, Coefficients k) {
    const V a = k.A * v, b = k.B * v;
    const double bxx = b.x * v.x, byy = b.y * v.y, bzz = b.z * v.z;
    xx = -(byy + bzz), yy = -(bxx + bzz), zz = -(bxx + byy);
    xy = b.x * v.y - a.z, yx = b.x * v.y + a.z;
    xz = b.x * v.z + a.y, zx = b.x * v.z - a.y;
    yz = b.y * v.z - a.x, zy = b.y * v.z + a.x;
  }
  [[nodiscard, gnu::always_inline]] V row(V r) const {
    return {r.x + r.x * xx + r.y * yx + r.z * zx, r.y + r.x * xy + r.y * yy + r.z * zy,
            r.z + r.x * xz + r.y * yz + r.z * zz};
  }
};

/// A point of a sphere with its angular velocity.
struct Link {
  V q, w;
};
/// An element (ξ, a) of the algebra of SE(3), which moves points of TS².
struct Twist {
  V xi, a;
};
inline Twist bracket(const Twist& u, const Twist& v) {
  return {cross(u.xi, v.xi), cross(u.xi, v.a) - cross(v.xi, u.a)};
}
inline Twist operator+(const Twist& u, const Twist& v) {
  return {u.xi + v.xi, u.a + v.a};
}
inline Twist operator-(const Twist& u, const Twist& v) {
  return {u.xi - v.xi, u.a - v.a};
}
inline Twist operator*(double s, const Twist& u) {
  return {s * u.xi, s * u.a};
}

/// exp(t u) l. With m = A w + B a + V (B w + C a) the velocity is w + t a + V m, made orthogonal to the new point.
[[gnu::always_inline]] inline Link moved(const Link& l, const Twist& u, double t, Coefficients k) {
  const V c = cross(u.xi, l.q), cc = cross(u.xi, c);
  const V q = l.q + k.A * c + k.B * cc;
  const V n = k.B * l.w + k.C * u.a;
  const V m = crossPlus(u.xi, n, k.A * l.w + k.B * u.a);
  const V w = crossPlus(u.xi, m, l.w + t * u.a);
  return {q, w - dot(q, w) * q};
}
/// The same for ξ = w and an a that is orthogonal to q, as in the second stage: q.ξ = 0, ξ x a is along q.
[[gnu::always_inline]] inline Link carried(const Link& l, V a, double t, double x, Coefficients k) {
  const V e = cross(l.w, l.q);
  const V q = (1 - k.B * x) * l.q + k.A * e;
  const double d = k.B * dot(a, e); // ξ x a = −(a.e) q
  const V w = (1 + k.C * dot(l.w, a)) * l.w + (t - k.C * x) * a - d * l.q;
  return {q, w - dot(q, w) * q};
}

/// The same with the coefficients of e; `near` becomes false where its polynomials do not hold.
template <bool Near>
[[gnu::always_inline]] inline Link move(const Link& l, const Twist& u, const Exponential& e, bool& near) {
  const double x = dot(u.xi, u.xi);
  near &= e.near(x);
  return moved(l, u, e.factor(), e.three<Near>(x));
}
template <bool Near> [[gnu::always_inline]] inline Link carry(const Link& l, V a, const Exponential& e, bool& near) {
  const double x = dot(l.w, l.w);
  near &= e.near(x);
  return carried(l, a, e.factor(), x, e.three<Near>(x));
}

} // namespace lmc::bench::tuned
