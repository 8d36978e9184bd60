// A tape of realistic size: one RKMK4 step of the heavy top on SO(3) x R^3 in the body frame.
//
// State: R (9, row-major), W (3). Constants: J (3), 1/J (3), m g l (1), centre of mass direction (3).
#pragma once

#include "Builder.h"

#include <array>

namespace lmc::test {

using V3 = std::array<V, 3>;

inline V3 operator+(const V3& a, const V3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline V3 operator*(V s, const V3& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline V dot(const V3& a, const V3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline V3 cross(const V3& a, const V3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

class HeavyTop {
public:
  /// `tops` independent tops in one state, so that steps of any length can be made.
  explicit HeavyTop(int tops = 1) {
    module.roleSize[0] = 0;
    constants_ = addBuffer(module, "constants", runtime::Role::Constants, 10);
    for (int k = 0; k < tops; ++k) {
      R_ = addBuffer(module, "R" + std::to_string(k), runtime::Role::State, 9);
      W_ = addBuffer(module, "W" + std::to_string(k), runtime::Role::State, 3);
    }
    FunctionBuilder f(module, "step", 2);
    f_ = &f;
    h_ = f.argument(1);
    for (int k = 0; k < 10; ++k) c_[static_cast<std::size_t>(k)] = f.load(constants_, k);
    for (int k = 0; k < tops; ++k) {
      R_ = 1 + 2 * k;
      W_ = 2 + 2 * k;
      step();
    }
    module.step = f.finish();
  }

  static void start(Memory& m) {
    m.of(runtime::Role::Constants) = {1.0, 1.2, 0.4, 1.0, 1 / 1.2, 1 / 0.4, 9.81 * 0.5, 0, 0, 1};
    auto& s = m.of(runtime::Role::State);
    for (std::size_t k = 0; k + 12 <= s.size(); k += 12) {
      const double c = 0.8;
      const double d = 0.6;
      const std::array<double, 12> one = {1, 0, 0, 0, c, -d, 0, d, c, 0.1, 0.2, 12.0};
      std::copy(one.begin(), one.end(), s.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  tape::Module module;

private:
  using V9 = std::array<V, 9>;

  V3 torque(const V3& up, const V3& w) {
    const V3 jw = {c_[0] * w[0], c_[1] * w[1], c_[2] * w[2]};
    const V3 weight = cross(up, {c_[7], c_[8], c_[9]});
    const V3 r = cross(jw, w) + c_[6] * weight;
    return {c_[3] * r[0], c_[4] * r[1], c_[5] * r[2]};
  }

  /// The rows of R exp(theta), the first `rows` of them from the last upwards.
  V9 turn(const V9& r, const V3& theta, V s, int rows) {
    const V c0 = f_->op(tape::Op::Stumpff, {s}, 0);
    const V c1 = f_->op(tape::Op::Stumpff, {s}, 1);
    const V c2 = f_->op(tape::Op::Stumpff, {s}, 2);
    V9 out = r;
    for (int k = 3 - rows; k < 3; ++k) {
      const auto at = static_cast<std::size_t>(3 * k);
      const V3 row = {r[at], r[at + 1], r[at + 2]};
      const V3 side = cross(row, theta);
      const V3 next = c0 * row + c1 * side + (c2 * dot(row, theta)) * theta;
      for (std::size_t j = 0; j < 3; ++j) out[at + j] = next[j];
    }
    return out;
  }

  V3 dexpinv(const V3& theta, V s, const V3& w) {
    const V c2 = f_->op(tape::Op::Stumpff, {s}, 2);
    const V c3 = f_->op(tape::Op::Stumpff, {s}, 3);
    const V c4 = f_->op(tape::Op::Stumpff, {s}, 4);
    const V c = (c3 - f_->real(2) * c4) / (f_->real(2) * c2);
    const V3 first = cross(theta, w);
    const V3 second = cross(theta, first);
    return w + f_->real(0.5) * first + c * second;
  }

  void step() {
    V9 r;
    V3 w;
    for (int k = 0; k < 9; ++k) r[static_cast<std::size_t>(k)] = f_->load(R_, k);
    for (int k = 0; k < 3; ++k) w[static_cast<std::size_t>(k)] = f_->load(W_, k);
    std::array<V3, 4> kr;
    std::array<V3, 4> kw;
    const std::array<double, 4> a = {0, 0.5, 0.5, 1};
    kr[0] = w;
    kw[0] = torque({r[6], r[7], r[8]}, w);
    for (std::size_t i = 1; i < 4; ++i) {
      const V ha = h_ * f_->real(a[i]);
      const V3 theta = ha * kr[i - 1];
      const V3 wi = w + ha * kw[i - 1];
      const V s = dot(theta, theta);
      const V9 ri = turn(r, theta, s, 1);
      kr[i] = dexpinv(theta, s, wi);
      kw[i] = torque({ri[6], ri[7], ri[8]}, wi);
    }
    const V two = f_->real(2);
    const V h6 = h_ / f_->real(6);
    const V3 theta = h6 * (kr[0] + two * (kr[1] + kr[2]) + kr[3]);
    const V3 wNext = w + h6 * (kw[0] + two * (kw[1] + kw[2]) + kw[3]);
    const V9 rNext = turn(r, theta, dot(theta, theta), 3);
    for (int k = 0; k < 9; ++k) f_->store(R_, k, rNext[static_cast<std::size_t>(k)]);
    for (int k = 0; k < 3; ++k) f_->store(W_, k, wNext[static_cast<std::size_t>(k)]);
  }

  FunctionBuilder* f_ = nullptr;
  int constants_ = 0;
  int R_ = 0;
  int W_ = 0;
  V h_;
  std::array<V, 10> c_;
};

} // namespace lmc::test
