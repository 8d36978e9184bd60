#include "mechanics/RandomChainCases.h"

#include <cmath>

namespace lmc::test::chains {

/// Numbers of the members one after the other, each by rows.
template <class Matrix> void append(Numbers& list, const Matrix& m) {
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) list.push_back(m(i, j));
  }
}

Real3 real(const Eigen::Vector3d& v) {
  return v.cast<Real>();
}

ChainLink link(Eigen::Index n, double m) {
  ChainLink l;
  l.m = m;
  l.D = l.B = RealMatrix::Zero(3, n);
  l.O = RealMatrix::Zero(n, n);
  l.o = RealVector::Zero(n);
  return l;
}

const Real3 toEnd(0.2L, -0.1L, -1), toMass(0.1L, 0.2L, -0.6L);

/// A rotation R with an inertia J: displaces by R toEnd, its mass is at R toMass.
void rotate(RandomState& random, Contents& c, ChainLink& l, Eigen::Index at) {
  const Eigen::Matrix3d R = random.rotation();
  const Eigen::Matrix3d J = random.inertia(static_cast<double>(l.m));
  const Eigen::Vector3d w = random.vector();
  append(c["R"], R);
  append(c["J"], J);
  append(c["w"], w);
  const Real33 r = R.cast<Real>(), j = J.cast<Real>(), W = hat(real(w));
  l.D.middleCols(at, 3) -= r * hat(toEnd);
  l.B.middleCols(at, 3) -= r * hat(toMass);
  l.O.block(at, at, 3, 3) += j;
  l.d0 += r * W * W * toEnd;
  l.b0 += r * W * W * toMass;
  l.o.segment(at, 3) -= W * j * real(w);
}

Case rotations(RandomState& random, int members) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(3, random.decades());
    c.contents["m"].push_back(static_cast<double>(l.m));
    rotate(random, c.contents, l, 0);
    c.reference.links.push_back(l);
  }
  return c;
}

/// A random point q of the sphere, with its velocity.
struct SpherePoint {
  SpherePoint(RandomState& random, Contents& c, double spread = 10) {
    const Eigen::Vector3d q = (spread * random.vector() - Eigen::Vector3d::UnitZ()).normalized();
    Eigen::Vector3d w = random.vector();
    w -= q.dot(w) * q;
    append(c["q"], q);
    append(c["w"], w);
    basis.col(0) = real(q.unitOrthogonal());
    basis.col(1) = real(q).cross(Real3(basis.col(0)));
    moves = -hat(real(q)) * basis;
    curve = hat(real(w)) * hat(real(w)) * real(q);
  }
  RealMatrix basis{3, 2}; ///< of the horizontal angular velocities
  RealMatrix moves;       ///< q'' = moves y + curve
  Real3 curve;
};

Case rods(RandomState& random, int members, double J) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(3, 1);
    const Eigen::Matrix3d R = random.rotation();
    const Eigen::Vector3d w = random.vector();
    append(c.contents["R"], R);
    append(c.contents["w"], w);
    const Real33 r = R.cast<Real>(), W = hat(real(w));
    const Real3 e(0, 0, -1);
    l.D = -r * hat(e);
    l.B = l.D / 2;
    l.O = static_cast<Real>(J) * Real33::Identity();
    l.d0 = r * W * W * e;
    l.b0 = l.d0 / 2;
    c.reference.links.push_back(l);
  }
  return c;
}

Case rodsOnSpheres(RandomState& random, int members, double J) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(2, 1);
    const SpherePoint p(random, c.contents);
    l.D = p.moves * -1;
    l.B = l.D / 2;
    l.O = static_cast<Real>(J) * p.basis.transpose() * p.basis;
    l.d0 = -p.curve;
    l.b0 = l.d0 / 2;
    c.bases.push_back(p.basis);
    c.reference.links.push_back(l);
  }
  return c;
}

Case spheres(RandomState& random, int members) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(2, random.decades());
    const SpherePoint p(random, c.contents);
    c.contents["m"].push_back(static_cast<double>(l.m));
    l.D = p.moves;
    l.B = 0.3L * l.D;
    l.O = 0.01L * l.m * p.basis.transpose() * p.basis;
    l.d0 = p.curve;
    l.b0 = 0.3L * l.d0;
    c.bases.push_back(p.basis);
    c.reference.links.push_back(l);
  }
  return c;
}

Case loads(RandomState& random, int members, double spread) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(2, random.decades());
    const SpherePoint p(random, c.contents, spread);
    const double length = random.uniform(0.5, 1.5);
    c.contents["m"].push_back(static_cast<double>(l.m));
    c.contents["L"].push_back(length);
    l.B = l.D = length * p.moves;
    l.b0 = l.d0 = length * p.curve;
    c.bases.push_back(p.basis);
    c.reference.links.push_back(l);
  }
  return c;
}

Case loadsAnyhow(RandomState& random, int members) {
  return loads(random, members, 10);
}

Case loadsInLine(RandomState& random, int members) {
  return loads(random, members, 1e-3);
}

Case motions(RandomState& random, int members) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(6, random.decades());
    c.contents["m"].push_back(static_cast<double>(l.m));
    rotate(random, c.contents, l, 0);
    const Eigen::Vector3d x = random.vector(), v = random.vector();
    append(c.contents["x"], x);
    append(c.contents["v"], v);
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(&*(c.contents["R"].end() - 9));
    const Eigen::Map<const Eigen::Vector3d> w(&*(c.contents["w"].end() - 3));
    const Real33 r = R.cast<Real>();
    const Real3 change = r * hat(real(w)) * real(v);
    l.D.rightCols(3) += r;
    l.B.rightCols(3) += 0.5L * r;
    l.d0 += change;
    l.b0 += 0.5L * change;
    l.O.bottomRightCorner(3, 3) += 0.2L * l.m * Real33::Identity();
    l.o.tail(3) -= 0.2L * l.m * real(w).cross(real(v));
    c.reference.links.push_back(l);
  }
  return c;
}

Case mixture(RandomState& random, int members) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(6, random.decades());
    c.contents["m"].push_back(static_cast<double>(l.m));
    rotate(random, c.contents, l, 0);
    append(c.contents["y"], random.vector());
    append(c.contents["u"], random.vector());
    l.D.rightCols(3) += Real33::Identity();
    l.B.rightCols(3) += 0.5L * Real33::Identity();
    l.O.bottomRightCorner(3, 3) += 0.2L * l.m * Real33::Identity();
    c.reference.links.push_back(l);
  }
  return c;
}

Case angles(RandomState& random, int members) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(1, random.decades());
    const double a = random.uniform(-3, 3), b = random.normal();
    c.contents["m"].push_back(static_cast<double>(l.m));
    c.contents["a"].push_back(a);
    c.contents["b"].push_back(b);
    l.D << std::cos(static_cast<Real>(a)), 0, std::sin(static_cast<Real>(a));
    l.B = 0.5L * l.D;
    l.O(0, 0) = 0.01L * l.m;
    l.d0 = static_cast<Real>(b) * b * Real3(-l.D(2, 0), 0, l.D(0, 0));
    l.b0 = 0.5L * l.d0;
    c.reference.links.push_back(l);
  }
  return c;
}

Case neighbours(RandomState& random, int members) {
  Case c;
  c.reference.extra = RealMatrix::Zero(3 * members, 3 * members);
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(3, 1);
    const double m = random.decades();
    c.contents["m"].push_back(m);
    l.m = 0;
    l.O = static_cast<Real>(m) * Real33::Identity();
    l.o[2] = -9.81L * m;
    const Eigen::Matrix3d T = random.rotation() * random.uniform(0.5, 2);
    append(c.contents["T"], T);
    append(c.contents["y"], random.vector());
    append(c.contents["u"], random.vector());
    c.contents["k"].push_back(random.decades());
    c.reference.links.push_back(l);
    if (i + 1 == members) continue;
    RealMatrix B(3, 6);
    B << -T.cast<Real>(), Real33::Identity();
    c.reference.extra.block(3 * i, 3 * i, 6, 6) += c.contents["k"].back() * B.transpose() * B;
  }
  return c;
}

/// Bodies that are far lighter than what couples them: an arm of link i+1 moves with link i, so that the one is
/// known by three velocities, and the other one by six; or, `before`, the other way round.
Case clamps(RandomState& random, int members, bool before) {
  Case c;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(6, 1);
    l.m = 0;
    const double j = 1e-4 * random.decades(), m = 1e-4 * random.decades();
    append(c.contents["R"], random.rotation());
    append(c.contents["w"], random.vector());
    append(c.contents["y"], random.vector());
    append(c.contents["u"], random.vector());
    c.contents["j"].push_back(j);
    c.contents["m"].push_back(m);
    c.contents["k"].push_back(100 * random.decades());
    l.O.topLeftCorner(3, 3) = static_cast<Real>(j) * Real33::Identity();
    l.O.bottomRightCorner(3, 3) = static_cast<Real>(m) * Real33::Identity();
    c.reference.links.push_back(l);
  }
  const Real3 arm(-0.1L, -0.6L, -0.2L), other(0.3L, 0.1L, 0.2L);
  const auto body = [&c](int i, const Real3& at, RealMatrix& moves) { // R at: its rows in B, and its curve
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(
        &c.contents["R"][9 * static_cast<std::size_t>(i)]);
    const Eigen::Map<const Eigen::Vector3d> w(&c.contents["w"][3 * static_cast<std::size_t>(i)]);
    const Real33 r = R.cast<Real>(), W = hat(real(w));
    moves = -r * hat(at);
    return Real3(r * W * W * at);
  };
  for (int i = 0; i + 1 < members; ++i) {
    const int turns = before ? i : i + 1, moves = before ? i + 1 : i;
    RealMatrix own, others;
    const Real3 curve = body(turns, arm, own) - body(moves, other, others);
    RealMatrix B = RealMatrix::Zero(3, 12);
    B.middleCols(6 * (turns - i), 3) = own;
    B.middleCols(6 * (moves - i), 3) = -others;
    B.middleCols(6 * (moves - i) + 3, 3) = -Real33::Identity();
    const Real k = c.contents["k"][static_cast<std::size_t>(i)];
    c.reference.couplings.emplace_back(k * B.transpose() * B);
    const RealVector load = k * B.transpose() * curve;
    for (const int at : {0, 1}) c.reference.links[static_cast<std::size_t>(i + at)].o -= load.segment(6 * at, 6);
  }
  return c;
}

Case clampsBehind(RandomState& random, int members) {
  return clamps(random, members, false);
}

Case clampsBefore(RandomState& random, int members) {
  return clamps(random, members, true);
}

Case joints(RandomState& random, int members) {
  using Real2 = Eigen::Matrix<Real, 2, 1>;
  Case c;
  std::vector<Real2> joint, mass, bias;
  std::vector<Real> m;
  Real2 end(0, 0), endBias(0, 0);
  Real angle = 0, rate = 0;
  for (int i = 0; i < members; ++i) {
    ChainLink l = link(1, 1);
    m.push_back(static_cast<Real>(random.decades()));
    const double a = random.uniform(-1, 1), b = random.normal();
    c.contents["m"].push_back(static_cast<double>(m.back()));
    c.contents["a"].push_back(a);
    c.contents["b"].push_back(b);
    angle += a;
    rate += b;
    const Real2 d(std::sin(angle), -std::cos(angle));
    joint.push_back(end);
    mass.emplace_back(end + 0.5L * d);
    bias.emplace_back(endBias - 0.5L * rate * rate * d);
    end += d;
    endBias -= rate * rate * d;
    l.m = 0;
    c.reference.links.push_back(l);
  }
  c.reference.extra = RealMatrix::Zero(members, members);
  for (int i = 0; i < members; ++i) {
    for (int j = 0; j <= i; ++j) {
      Real sum = 0;
      for (int k = i; k < members; ++k) sum += m[k] * ((mass[k] - joint[i]).dot(mass[k] - joint[j]) + 0.01L);
      c.reference.extra(i, j) = c.reference.extra(j, i) = sum;
    }
    for (int k = i; k < members; ++k) {
      const Real2 force = -m[k] * (bias[k] + Real2(0, 9.81L)), arm = mass[k] - joint[i];
      c.reference.links[i].o[0] += arm[0] * force[1] - arm[1] * force[0];
    }
  }
  return c;
}

} // namespace lmc::test::chains
