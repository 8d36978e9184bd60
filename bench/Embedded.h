// The systems of Tuned.h, and a longer chain, as differential equations in coordinates of the space around their
// manifolds: what one gives to a general integrator. Nothing keeps R on the rotations or q on the sphere.
#pragma once

#include "bench/TunedChain.h"
#include "bench/TunedQuadrotors.h"
#include "bench/TunedTop.h"

#include <array>

namespace lmc::bench::embedded {

using tuned::V;

inline tuned::V read(const double* y) {
  return {y[0], y[1], y[2]};
}
inline void write(double* y, tuned::V v) {
  y[0] = v.x, y[1] = v.y, y[2] = v.z;
}
/// Rows of R' = R hat(Ω).
inline void turn(const double* R, tuned::V w, double* out) {
  for (int r = 0; r < 9; r += 3) write(out + r, tuned::cross(read(R + r), w));
}
inline tuned::Rotation rotation(const double* R) {
  return {read(R), read(R + 3), read(R + 6)};
}

/// R by rows, Ω.
struct Top {
  static constexpr int size = 12;
  static constexpr const char* name = "heavy_top";
  static constexpr double end = 10;
  static void rates(const double* y, double* out) {
    const tuned::V w = read(y + 9);
    turn(y, w, out);
    write(out + 9, tuned::Top::rate(read(y + 6), w));
  }
  static std::array<double, size> start() { return {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 150, -4.61538}; }
};

/// q1, q2, w1, w2.
struct Chain {
  static constexpr int size = 12;
  static constexpr const char* name = "pendulum_chain";
  static constexpr double end = 3;
  static void rates(const double* y, double* out) {
    const tuned::Link l[2] = {{read(y), read(y + 6)}, {read(y + 3), read(y + 9)}};
    tuned::Twist k[2];
    tuned::Chain::field(l, k);
    for (int i = 0; i < 2; ++i) {
      write(out + 3 * i, tuned::cross(l[i].w, l[i].q));
      write(out + 6 + 3 * i, k[i].a);
    }
  }
  static std::array<double, size> start() {
    const double r = std::sqrt(0.5);
    return {r, 0, r, r, 0, r, 0, 1, 0, 0, 1, 0};
  }
};

/// y, v, R1, R2, Ω1, Ω2, q1, q2, w1, w2: the order of the model's state.
struct Quadrotors {
  static constexpr int size = 42;
  static constexpr const char* name = "two_quadrotors";
  static constexpr double end = 5;
  static void rates(const double* y, double* out) {
    tuned::Quadrotors::State s;
    s.y = read(y);
    s.v = read(y + 3);
    for (int i = 0; i < 2; ++i) {
      s.R[i] = rotation(y + 6 + 9 * i);
      s.Omega[i] = read(y + 24 + 3 * i);
      s.l[i] = {read(y + 30 + 3 * i), read(y + 36 + 3 * i)};
    }
    const tuned::Quadrotors::Rates k = tuned::Quadrotors::field(s);
    write(out, k.v);
    write(out + 3, k.dv);
    for (int i = 0; i < 2; ++i) {
      turn(y + 6 + 9 * i, s.Omega[i], out + 6 + 9 * i);
      write(out + 24 + 3 * i, k.dOmega[i]);
      write(out + 30 + 3 * i, tuned::cross(s.l[i].w, s.l[i].q));
      write(out + 36 + 3 * i, k.l[i].a);
    }
  }
  static std::array<double, size> start() {
    const double c = std::sqrt(3.0) / 2;
    return {0, 0, 0, 0.1, 0,    0,   1,   0,    0,   0,   1, 0, 0,    0, 1, 1, 0, 0, 0, 1, 0,
            0, 0, 1, 0.1, -0.2, 0.3, 0.1, -0.2, 0.3, 0.5, 0, c, -0.5, 0, c, 0, 0, 0, 0, 0, 0};
  }
};

/// Twenty pendulums, as an expert has them: x of all q, y of all, z of all, then w in the same way, so that all loops
/// but the elimination of the forces in the rods are made of vectors.
struct LongChain {
  static constexpr int links = 20;
  static constexpr int size = 6 * links;
  static constexpr const char* name = "pendulum_chain";
  static constexpr double end = 3;
  static void rates(const double* y, double* out) {
    constexpr int n = links;
    constexpr double g = 9.81;
    const double *x = y, *u = y + n, *z = y + 2 * n, *a = y + 3 * n, *b = y + 4 * n, *c = y + 5 * n;
    std::array<double, n> side{}, rhs{}, pivot{}, T{};
    std::array<std::array<double, n>, 3> pull{}; // T q
    for (int i = 0; i < n - 1; ++i) side[i] = x[i] * x[i + 1] + u[i] * u[i + 1] + z[i] * z[i + 1];
    for (int i = 0; i < n; ++i) rhs[i] = a[i] * a[i] + b[i] * b[i] + c[i] * c[i];
    rhs[0] -= g * z[0];
    // T_i q_i pulls at both ends of rod i: 2 T_i - (q_i, q_i-1) T_i-1 - (q_i, q_i+1) T_i+1 = |w_i|^2; the first end
    // rests.
    pivot[0] = 1;
    for (int i = 1; i < n; ++i) {
      const double f = side[i - 1] * pivot[i - 1];
      pivot[i] = 1 / (2 - f * side[i - 1]);
      rhs[i] += f * rhs[i - 1];
    }
    T[n - 1] = rhs[n - 1] * pivot[n - 1];
    for (int i = n - 2; i >= 0; --i) T[i] = (rhs[i] + side[i] * T[i + 1]) * pivot[i];
    for (int i = 0; i < n; ++i) pull[0][i] = T[i] * x[i], pull[1][i] = T[i] * u[i], pull[2][i] = T[i] * z[i];
    std::array<std::array<double, n>, 3> f{}; // q'' but for multiples of q, which the product with q removes
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < n; ++i) f[k][i] = (i + 1 < n ? pull[k][i + 1] : 0.0) + (i > 0 ? pull[k][i - 1] : 0.0);
    f[2][0] -= g;
    for (int i = 0; i < n; ++i) {
      out[i] = b[i] * z[i] - c[i] * u[i];
      out[n + i] = c[i] * x[i] - a[i] * z[i];
      out[2 * n + i] = a[i] * u[i] - b[i] * x[i];
      out[3 * n + i] = u[i] * f[2][i] - z[i] * f[1][i];
      out[4 * n + i] = z[i] * f[0][i] - x[i] * f[2][i];
      out[5 * n + i] = x[i] * f[1][i] - u[i] * f[0][i];
    }
  }
  static std::array<double, size> start() {
    std::array<double, size> y{};
    for (std::size_t i = 0; i < links; ++i) y[i] = y[2 * links + i] = std::sqrt(0.5), y[4 * links + i] = 1;
    return y;
  }
  /// Of the model's state, in which members stand one behind the other.
  static std::array<double, size> ofModel(const std::array<double, size>& state) {
    std::array<double, size> y{};
    for (std::size_t i = 0; i < links; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        y[k * links + i] = state[3 * i + k];
        y[(3 + k) * links + i] = state[3 * links + 3 * i + k];
      }
    return y;
  }
};

} // namespace lmc::bench::embedded
