// Chains of rigid links in plain arithmetic, to check accelerations by: no formula is the compiler's.
//
// Link i begins where the links before it end. It displaces the next link by d(i) and has its mass at b(i) from its
// beginning: j(i) = sum of d(k) for k < i, c(i) = j(i) + b(i). With d'' = D y + d0 and b'' = B y + b0 for its own
// accelerations y, the motion is that of the masses m(i) at c(i), with gravity 9.81 along -z, and of a kinetic energy
// of its own, whose equation is O y = o. All sums are written out, in long double.
#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

namespace lmc::test {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Real3 = Eigen::Matrix<Real, 3, 1>;
using Real33 = Eigen::Matrix<Real, 3, 3>;

inline Real33 hat(const Real3& w) {
  Real33 m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}

struct ChainLink {
  Real m = 1;
  RealMatrix D, B, O; ///< 3 x n, 3 x n, n x n for n accelerations
  Real3 d0 = Real3::Zero(), b0 = Real3::Zero();
  RealVector o;
};

class ReferenceChain {
public:
  std::vector<ChainLink> links;      ///< from the fixed end on
  RealMatrix extra;                  ///< added to M, as it is; or empty
  std::vector<RealMatrix> couplings; ///< added to M in the rows and columns of two links, the k-th and the next one

  [[nodiscard]] Eigen::Index width() const { return links[0].D.cols(); }
  [[nodiscard]] Eigen::Index size() const { return width() * static_cast<Eigen::Index>(links.size()); }

  /// M y
  [[nodiscard]] RealVector times(const RealVector& y) const { return balance(y, false); }
  /// M y - r
  [[nodiscard]] RealVector residual(const RealVector& y) const { return balance(y, true); }

  [[nodiscard]] RealMatrix mass() const {
    const Eigen::Index n = width();
    RealMatrix M = RealMatrix::Zero(size(), size());
    for (std::size_t j = 0; j < links.size(); ++j) {
      Real behind = 0;
      for (std::size_t k = j + 1; k < links.size(); ++k) behind += links[k].m;
      const auto at = [&](std::size_t i) { return static_cast<Eigen::Index>(i) * n; };
      const ChainLink& l = links[j];
      M.block(at(j), at(j), n, n) = l.O + l.m * l.B.transpose() * l.B + behind * l.D.transpose() * l.D;
      for (std::size_t i = 0; i < j; ++i) {
        M.block(at(i), at(j), n, n) = links[i].D.transpose() * (l.m * l.B + behind * l.D);
        M.block(at(j), at(i), n, n) = M.block(at(i), at(j), n, n).transpose();
      }
    }
    if (extra.size() > 0) M += extra;
    for (std::size_t k = 0; k < couplings.size(); ++k)
      M.block(static_cast<Eigen::Index>(k) * n, static_cast<Eigen::Index>(k) * n, 2 * n, 2 * n) += couplings[k];
    return M;
  }

  /// The largest eigenvalue of M, by some steps of the power method: a lower bound, and close.
  [[nodiscard]] Real norm() const {
    RealVector x = RealVector::Ones(size());
    Real value = 0;
    for (int k = 0; k < 20; ++k) {
      x /= x.norm();
      x = times(x);
      value = x.norm();
    }
    return value;
  }

private:
  /// The momentum balance of every link at accelerations y; with `loads`, forces and what y = 0 leaves are in it.
  [[nodiscard]] RealVector balance(const RealVector& y, bool loads) const {
    const Eigen::Index n = width();
    RealVector result = RealVector::Zero(size());
    std::vector<Real3> force;
    Real3 joint = Real3::Zero();
    for (std::size_t k = 0; k < links.size(); ++k) {
      const ChainLink& l = links[k];
      const RealVector own = y.segment(static_cast<Eigen::Index>(k) * n, n);
      Real3 c = joint + l.B * own;
      if (loads) c += l.b0 + Real3(0, 0, 9.81L);
      force.emplace_back(l.m * c);
      joint += l.D * own;
      if (loads) joint += l.d0;
    }
    Real3 behind = Real3::Zero();
    for (std::size_t k = links.size(); k-- > 0;) {
      const ChainLink& l = links[k];
      const Eigen::Index at = static_cast<Eigen::Index>(k) * n;
      result.segment(at, n) = l.B.transpose() * force[k] + l.D.transpose() * behind + l.O * y.segment(at, n);
      if (loads) result.segment(at, n) -= l.o;
      behind += force[k];
    }
    if (extra.size() > 0) result += extra * y;
    for (std::size_t k = 0; k < couplings.size(); ++k)
      result.segment(static_cast<Eigen::Index>(k) * n, 2 * n) +=
          couplings[k] * y.segment(static_cast<Eigen::Index>(k) * n, 2 * n);
    return result;
  }
};

/// Random states and parameters, rounded to double.
class RandomState {
public:
  explicit RandomState(unsigned seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine_); }
  /// Over four decades.
  double decades() { return std::pow(10.0, uniform(-2, 2)); }
  Eigen::Vector3d vector() { return {normal(), normal(), normal()}; }
  Eigen::Vector3d direction() { return vector().normalized(); }
  Eigen::Matrix3d rotation() {
    return Eigen::Quaterniond(normal(), normal(), normal(), normal()).normalized().toRotationMatrix();
  }
  /// Symmetric with eigenvalues between a tenth of `size` and `size`.
  Eigen::Matrix3d inertia(double size) {
    const Eigen::Matrix3d R = rotation();
    const Eigen::Vector3d e(uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1));
    const Eigen::Matrix3d J = size * R * e.asDiagonal() * R.transpose();
    return (J + J.transpose()) / 2;
  }

private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

} // namespace lmc::test
