// The three systems of Tuned.h as differential equations in coordinates of the space around their manifolds: what one
// gives to a general integrator. Nothing keeps R on the rotations or q on the sphere.
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
  static constexpr double end = 1;
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

} // namespace lmc::bench::embedded
