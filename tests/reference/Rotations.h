// SO(3) and its algebra for any real scalar, with the Stumpff functions that its exponential needs.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

namespace lmc::reference {

template <class S> using Vec3 = Eigen::Matrix<S, 3, 1>;
template <class S> using Mat3 = Eigen::Matrix<S, 3, 3>;
template <class S> using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S> using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

/// hat(v) x = v × x.
template <class S> Mat3<S> hat(const Vec3<S>& v) {
  Mat3<S> m;
  m << S(0), -v[2], v[1], v[2], S(0), -v[0], -v[1], v[0], S(0);
  return m;
}

/// The inverse of hat, applied to the skew part.
template <class S> Vec3<S> vee(const Mat3<S>& m) {
  return Vec3<S>(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / S(2);
}

/// sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³ of s = θ² (Stumpff functions 1, 2, 3).
template <class S> std::array<S, 3> stumpff(const S& s) {
  if (s < S(0.25)) { // Taylor series: 14 terms reach 1e-25 here
    std::array<S, 3> c{};
    for (int k = 1; k <= 3; ++k) {
      S term(1), sum(0);
      for (int i = 2; i <= k; ++i) term = term / S(i);
      for (int n = 0; n < 14; ++n) {
        sum = sum + term;
        term = -term * s / S((2 * n + k + 1) * (2 * n + k + 2));
      }
      c[static_cast<std::size_t>(k - 1)] = sum;
    }
    return c;
  }
  using std::sqrt, std::sin, std::cos;
  const S theta = sqrt(s);
  return {sin(theta) / theta, (S(1) - cos(theta)) / s, (theta - sin(theta)) / (theta * s)};
}

template <class S> Mat3<S> expSO3(const Vec3<S>& w) {
  const auto c = stumpff<S>(w.squaredNorm());
  const Mat3<S> W = hat(w);
  return Mat3<S>::Identity() + W * c[0] + W * W * c[1];
}

/// Right trivialized derivative of the exponential: d/dt exp(u) = hat(dexp_u u') exp(u).
template <class S> Vec3<S> dexpSO3(const Vec3<S>& u, const Vec3<S>& v) {
  const auto c = stumpff<S>(u.squaredNorm());
  const Vec3<S> uv = u.cross(v);
  return v + uv * c[1] + u.cross(uv) * c[2];
}

/// A rotation stored by rows in nine consecutive components.
template <class S> Mat3<S> rotationAt(const Vector<S>& x, Eigen::Index k) {
  Mat3<S> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = x[k + 3 * i + j];
  return m;
}

template <class S> void storeRotation(Vector<S>& x, Eigen::Index k, const Mat3<S>& m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) x[k + 3 * i + j] = m(i, j);
}

template <class S> Vec3<S> vecAt(const Vector<S>& x, Eigen::Index k) {
  return x.template segment<3>(k);
}

template <class S> Vec3<S> e3() {
  return Vec3<S>(S(0), S(0), S(1));
}

} // namespace lmc::reference
