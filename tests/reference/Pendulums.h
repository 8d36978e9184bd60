// Spherical pendulums on (S²)^N: one, two, and chains of any number. V = Σ m g e3·x: e3 points up.
#pragma once

#include "reference/Layout.h"

namespace lmc::reference {

struct SphericalPendulum {
  double m = 2, l = 2, g = 9.81;

  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere}}); }

  template <class S> Vector<S> rates(S, const Vector<S>& x) const { return -vecAt(x, 0).cross(e3<S>()) * S(g) / S(l); }

  template <class S> S energy(S, const Vector<S>& x) const {
    return S(m) * S(l) * S(l) * vecAt(x, 3).squaredNorm() / S(2) + S(m) * S(g) * S(l) * x[2];
  }

  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    return S(m * l * l / 2) * dc.dot(dc) - S(m * g * l) * c[2];
  }

  template <class S> [[nodiscard]] Vector<S> initial() const {
    using std::sqrt;
    Vector<S> x(6);
    x << S(1), S(1), S(-1), S(1), S(1), S(2);
    x.template head<3>() /= sqrt(S(3));
    return x;
  }
};

/// N pendulums in a chain: L = ½ Σ M_ij q_i'·q_j' − V with M_ij = L_i L_j Σ_{k ≥ max(i,j)} m_k.
struct PendulumChain {
  std::vector<double> m, L;
  double g = 9.81;

  explicit PendulumChain(int n) : m(static_cast<std::size_t>(n), 1.0), L(m) {}
  PendulumChain(std::vector<double> masses, std::vector<double> lengths)
      : m(std::move(masses)), L(std::move(lengths)) {}

  [[nodiscard]] int size() const { return static_cast<int>(m.size()); }
  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere, size()}}); }

  /// The mass that hangs on link i: Σ_{k ≥ i} m_k.
  [[nodiscard]] double carried(int i) const {
    double sum = 0;
    for (int k = i; k < size(); ++k) sum += m[static_cast<std::size_t>(k)];
    return sum;
  }
  [[nodiscard]] double length(int i) const { return L[static_cast<std::size_t>(i)]; }
  [[nodiscard]] double massEntry(int i, int j) const { return carried(std::max(i, j)) * length(i) * length(j); }

  /// Lee, Leok, McClamroch (2009):
  /// M_ii w_i' − Σ_{j≠i} M_ij q_i × (q_j × w_j') = Σ_{j≠i} M_ij |w_j|² q_i × q_j − q_i × ∂V/∂q_i.
  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    const int n = size();
    Matrix<S> A = Matrix<S>::Zero(3 * n, 3 * n);
    Vector<S> b(3 * n);
    for (int i = 0; i < n; ++i) {
      const Vec3<S> qi = vecAt(x, 3 * i);
      A.template block<3, 3>(3 * i, 3 * i) = Mat3<S>::Identity() * S(massEntry(i, i));
      b.template segment<3>(3 * i) = -qi.cross(e3<S>()) * (S(carried(i)) * S(g) * S(length(i)));
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        const Vec3<S> qj = vecAt(x, 3 * j), wj = vecAt(x, 3 * (n + j));
        A.template block<3, 3>(3 * i, 3 * j) = -hat(qi) * hat(qj) * S(massEntry(i, j));
        b.template segment<3>(3 * i) += qi.cross(qj) * (S(massEntry(i, j)) * wj.squaredNorm());
      }
    }
    return A.partialPivLu().solve(b);
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    const int n = size();
    S sum(0);
    for (int i = 0; i < n; ++i) {
      sum += S(carried(i)) * S(g) * S(length(i)) * x[3 * i + 2];
      const Vec3<S> vi = vecAt(x, 3 * (n + i)).cross(vecAt(x, 3 * i));
      for (int j = 0; j < n; ++j) {
        sum += S(massEntry(i, j)) * vi.dot(vecAt(x, 3 * (n + j)).cross(vecAt(x, 3 * j))) / S(2);
      }
    }
    return sum;
  }

  /// From the positions of the masses, without the M_ij.
  template <class S> S lagrangian(const S&, const Vector<S>& c, const Vector<S>& dc) const {
    S sum(0);
    Vec3<S> position = Vec3<S>::Zero(), velocity = Vec3<S>::Zero();
    for (int i = 0; i < size(); ++i) {
      position += vecAt(c, 3 * i) * S(length(i));
      velocity += vecAt(dc, 3 * i) * S(length(i));
      sum += S(m[static_cast<std::size_t>(i)]) * (velocity.squaredNorm() / S(2) - S(g) * position[2]);
    }
    return sum;
  }

  /// q_i = (√2/2, 0, √2/2), w_i = (0, 1, 0).
  template <class S> [[nodiscard]] Vector<S> initial() const {
    using std::sqrt;
    const int n = size();
    Vector<S> x(6 * n);
    for (int i = 0; i < n; ++i) {
      x.template segment<3>(3 * i) = Vec3<S>(sqrt(S(2)) / S(2), S(0), sqrt(S(2)) / S(2));
      x.template segment<3>(3 * (n + i)) = Vec3<S>(S(0), S(1), S(0));
    }
    return x;
  }

  /// The chain of two from a start that is not planar.
  template <class S> [[nodiscard]] static Vector<S> initialOutOfPlane() {
    Vector<S> x = PendulumChain(2).initial<S>();
    x.template segment<3>(6) = Vec3<S>(S(0.5), S(1), S(-0.5));
    x.template segment<3>(9) = Vec3<S>(S(-1), S(0.5), S(1));
    return x;
  }
};

/// Two pendulums by eliminating the second one's acceleration: a 3 × 3 system, no 6 × 6 matrix.
struct DoublePendulum {
  double m1 = 1, m2 = 1, l1 = 1, l2 = 1, g = 9.81;

  [[nodiscard]] Layout layout() const { return Layout({{"q", "w", Kind::Sphere, 2}}); }

  /// With a12 = q1^ q2^: (M11 − M12²/M22 a12 a21) w1' = r1 + (M12/M22) a12 r2 and M22 w2' = r2 + M12 a21 w1'.
  template <class S> Vector<S> rates(S, const Vector<S>& x) const {
    const Vec3<S> q1 = vecAt(x, 0), q2 = vecAt(x, 3), w1 = vecAt(x, 6), w2 = vecAt(x, 9);
    const S M11 = S(m1 + m2) * S(l1) * S(l1), M12 = S(m2) * S(l1) * S(l2), M22 = S(m2) * S(l2) * S(l2);
    const Vec3<S> r1 = q1.cross(q2) * (M12 * w2.squaredNorm()) - q1.cross(e3<S>()) * (S(m1 + m2) * S(g) * S(l1));
    const Vec3<S> r2 = q2.cross(q1) * (M12 * w1.squaredNorm()) - q2.cross(e3<S>()) * (S(m2) * S(g) * S(l2));
    const Mat3<S> a12 = hat(q1) * hat(q2), a21 = hat(q2) * hat(q1);
    const Mat3<S> A = Mat3<S>::Identity() * M11 - a12 * a21 * (M12 * M12 / M22);
    Vector<S> out(6);
    const Vec3<S> dw1 = A.inverse() * (r1 + a12 * r2 * (M12 / M22));
    out.template head<3>() = dw1;
    out.template tail<3>() = (r2 + a21 * dw1 * M12) / M22;
    return out;
  }

  template <class S> S energy(S, const Vector<S>& x) const {
    const Vec3<S> q1 = vecAt(x, 0), q2 = vecAt(x, 3);
    const Vec3<S> v1 = vecAt(x, 6).cross(q1) * S(l1), v2 = v1 + vecAt(x, 9).cross(q2) * S(l2);
    return S(m1) * v1.squaredNorm() / S(2) + S(m2) * v2.squaredNorm() / S(2) +
           S(g) * (S(m1 + m2) * S(l1) * q1[2] + S(m2) * S(l2) * q2[2]);
  }

  template <class S> S lagrangian(const S& t, const Vector<S>& c, const Vector<S>& dc) const {
    PendulumChain chain({m1, m2}, {l1, l2});
    chain.g = g;
    return chain.lagrangian(t, c, dc);
  }
};

} // namespace lmc::reference
