// How the state of a reference model is laid out: exactly the columns of a trajectory file, without `t`.
//
// A block is one declaration of a model, a single point or a family. Its points come first, then, for a
// configuration, the velocities of all members. `rates` are the derivatives of the velocities, or for a
// first-order state its flow (an algebra element), in the same order. A configuration may have momenta in place of
// velocities; its model then gives the velocities, too, by `velocities` (in the layout of the rates).
#pragma once

#include "reference/Rotations.h"

#include <random>
#include <string>
#include <vector>

namespace lmc::reference {

enum class Kind { Line, Body, Space, Sphere }; ///< R^n; SO(3) with body or spatial velocity; S^2

struct Block {
  std::string point;
  std::string velocity; ///< empty: a first-order state
  Kind kind = Kind::Line;
  int members = 0;       ///< 0: a single one, not a family
  int dimension = 3;     ///< of R^n; 0: a scalar
  bool momentum = false; ///< `velocity` names the momentum

  [[nodiscard]] bool second() const { return !velocity.empty(); }
  [[nodiscard]] int count() const { return members == 0 ? 1 : members; }
  [[nodiscard]] int algebraSize() const { return kind == Kind::Line ? std::max(dimension, 1) : 3; }
  [[nodiscard]] int pointSize() const { return kind == Kind::Line ? algebraSize() : kind == Kind::Sphere ? 3 : 9; }
};

/// One member of a block, with its places in the state x, the rates and the stacked configuration g.
struct Member {
  Kind kind;
  bool second;
  bool momentum;
  int pointSize, algebraSize;
  int x, v, rate, g; ///< v and g are −1 for a first-order state
};

struct Layout {
  std::vector<Block> blocks;
  std::vector<Member> members;
  int stateSize = 0, rateSize = 0, pointSize = 0;

  explicit Layout(std::vector<Block> list) : blocks(std::move(list)) {
    for (const Block& b : blocks) {
      const int velocities = stateSize + b.count() * b.pointSize();
      for (int i = 0; i < b.count(); ++i) {
        members.push_back({b.kind, b.second(), b.momentum, b.pointSize(), b.algebraSize(),
                           stateSize + i * b.pointSize(), b.second() ? velocities + i * b.algebraSize() : -1,
                           rateSize + i * b.algebraSize(), b.second() ? pointSize + i * b.pointSize() : -1});
      }
      stateSize = velocities + (b.second() ? b.count() * b.algebraSize() : 0);
      rateSize += b.count() * b.algebraSize();
      if (b.second()) pointSize += b.count() * b.pointSize();
    }
  }
};

/// name[i].
inline std::string indexed(std::string name, int i) {
  name.append("[").append(std::to_string(i)).append("]");
  return name;
}

/// `name`, `name[2]`, `R[1][2]`: the components of one value in a file's header.
inline void appendColumns(std::vector<std::string>& out, const std::string& name, int components, bool matrix) {
  if (components == 0) out.push_back(name);
  for (int k = 0; k < components; ++k) {
    out.push_back(matrix ? indexed(indexed(name, k / 3 + 1), k % 3 + 1) : indexed(name, k + 1));
  }
}

/// Columns of the whole block: of its points, or of its velocities (with `suffix`, as in w'[1]).
inline void appendBlock(std::vector<std::string>& out, const Block& b, bool points, const std::string& suffix) {
  const std::string name = (points || !b.second() ? b.point : b.velocity) + suffix;
  const bool matrix = points && (b.kind == Kind::Body || b.kind == Kind::Space);
  const int size = b.kind == Kind::Line ? b.dimension : matrix ? 9 : 3;
  if (b.members == 0) appendColumns(out, name, size, matrix);
  for (int i = 1; i <= b.members; ++i) appendColumns(out, indexed(name, i), size, matrix);
}

inline std::vector<std::string> stateColumns(const Layout& layout) {
  std::vector<std::string> out;
  for (const Block& b : layout.blocks) {
    appendBlock(out, b, true, "");
    if (b.second()) appendBlock(out, b, false, "");
  }
  return out;
}

/// The derivative's prime follows the declared name: w'[1], w'[2][1].
inline std::vector<std::string> rateColumns(const Layout& layout) {
  std::vector<std::string> out;
  for (const Block& b : layout.blocks) appendBlock(out, b, false, "'");
  return out;
}

/// A random state: uniform points, normal velocities of size `speed`, tangent on spheres.
template <class S> Vector<S> randomState(const Layout& layout, std::mt19937_64& generator, double speed = 1) {
  std::normal_distribution<double> normal;
  // One after the other: the order in which arguments are evaluated is the compiler's.
  const auto vec3 = [&] {
    Vec3<S> v;
    for (int k = 2; k >= 0; --k) v[k] = S(normal(generator));
    return v;
  };
  Vector<S> x(layout.stateSize);
  for (const Member& m : layout.members) {
    if (m.kind == Kind::Line) {
      for (int k = 0; k < m.pointSize; ++k) x[m.x + k] = S(normal(generator));
    } else if (m.kind == Kind::Sphere) {
      x.template segment<3>(m.x) = vec3().normalized();
    } else {
      Eigen::Quaternion<S> q;
      for (const int k : {2, 1, 0, 3}) q.coeffs()[k] = S(normal(generator));
      storeRotation<S>(x, m.x, q.normalized().toRotationMatrix());
    }
    if (!m.second) continue;
    for (int k = 0; k < m.algebraSize; ++k) x[m.v + k] = S(speed * normal(generator));
    if (m.kind == Kind::Sphere) {
      const Vec3<S> q = vecAt(x, m.x), w = vecAt(x, m.v);
      x.template segment<3>(m.v) = w - q * q.dot(w);
    }
  }
  return x;
}

/// The largest violation of |q| = 1, q·w = 0, RᵀR = 1 in a state.
template <class S> S manifoldDefect(const Layout& layout, const Vector<S>& x) {
  using std::abs, std::max;
  S worst(0);
  for (const Member& m : layout.members) {
    if (m.kind == Kind::Sphere) {
      const Vec3<S> q = vecAt(x, m.x);
      worst = max(worst, abs(q.squaredNorm() - S(1)));
      if (m.second) worst = max(worst, abs(q.dot(vecAt(x, m.v))));
    } else if (m.kind != Kind::Line) {
      const Mat3<S> R = rotationAt(x, m.x);
      worst = max(worst, (R.transpose() * R - Mat3<S>::Identity()).cwiseAbs().maxCoeff());
    }
  }
  return worst;
}

} // namespace lmc::reference
