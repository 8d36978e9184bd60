// Long chains of random links solve their equations of motion to rounding, whatever the links are: against sums that
// are written out in long double, and against dense elimination of these.
#include "mechanics/Derived.h"
#include "mechanics/RandomChains.h"

#include <cmath>

using namespace lmc;
using namespace lmc::test;

namespace {

/// Numbers of the members one after the other, each by rows.
template <class Matrix> void append(Numbers& list, const Matrix& m) {
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) list.push_back(m(i, j));
  }
}

/// Contents of the arrays of a model, by name: parameters, and parts of points and velocities as "q" or "X.x".
using Contents = std::map<std::string, Numbers>;

struct Case {
  ReferenceChain reference;
  Contents contents;
  std::vector<RealMatrix> bases; ///< y = basis^T (the model's accelerations), by member; empty: these are y
};

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

/// Thin rods: an inertia of `J` in all directions, all masses 1, as in docs/studies/rods.lie.
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

/// The same as docs/studies/rods_on_spheres.lie.
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

/// Masses at the ends of rods: the inertia that the links have is that of the masses alone.
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

/// Rotations, and displacements in space, of two families.
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

/// No chain of displacements: neighbours are coupled by forms k |v(i+1) - T v(i)|².
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

/// Angles between links, in a plane: every link turns all that are behind it. M and r are written out.
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

struct Kind {
  const char* name;
  const char* body; ///< with N members
  Case (*make)(RandomState&, int);
  int largest = 100;   ///< members that are solved for densely, too
  bool turned = false; ///< the last member is the first link
  MassStructure structure = MassStructure::Chain;
};

const char* const loaded = "param m[N] = 1; param L[N] = 1; config q[N] : S^2 velocity w; let x[1] = L[1]*q[1];"
                           "let x[i in 2..N] = x[i-1] + L[i]*q[i]; lagrangian = sum(i in 1..N: "
                           "0.5*m[i]*dot(x[i]', x[i]') - 9.81*m[i]*x[i][3]); initial q[i in 1..N] = e3;";

const char* const clamped = "param j[N] = 1; param m[N] = 1; param k[N] = 1; config R[N] : SO(3) velocity w;"
                            "config y[N] : R^3 velocity u; param p : vec(3) = [-0.1, -0.6, -0.2]; param q : vec(3) = "
                            "[0.3, 0.1, 0.2]; lagrangian = "
                            "sum(i in 1..N: 0.5*j[i]*dot(w[i], w[i]) + 0.5*m[i]*dot(u[i], u[i])) + ";

const char* const rotating = "param m[N] = 1; param J[N] : mat(3,3) = eye(3); config R[N] : SO(3) velocity w; "
                             "param a : vec(3) = [0.2, -0.1, -1]; param b : vec(3) = [0.1, 0.2, -0.6];";
const char* const energies = "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.5*dot(w[i], J[i]*w[i]) "
                             "- 9.81*m[i]*c[i][3]);";

std::vector<Kind> kinds() {
  static const std::string rotation = rotating;
  static const std::string energy = energies;
  static const std::string before = rotation +
                                    "let j[1] = zeros(3); let j[i in 2..N] = j[i-1] + R[i-1]*a;"
                                    "let c[i in 1..N] = j[i] + R[i]*b;" +
                                    energy;
  static const std::string vectors = rotation +
                                     "let d[i in 1..N] = R[i]*a; let j[1] = zeros(3);"
                                     "let j[i in 2..N] = j[i-1] + d[i-1]; let c[i in 1..N] = j[i] + R[i]*b;" +
                                     energy;
  static const std::string behind = rotation +
                                    "let x[1] = R[1]*a; let x[i in 2..N] = x[i-1] + R[i]*a;"
                                    "let c[i in 1..N] = x[i] + R[i]*(b - a);" +
                                    energy;
  static const std::string turned = rotation +
                                    "let x[1] = R[N]*a; let x[k in 2..N] = x[k-1] + R[N+1-k]*a;"
                                    "let c[i in 1..N] = x[N+1-i] + R[i]*(b - a);" +
                                    energy;
  static const std::string turnedBefore = rotation +
                                          "let j[1] = zeros(3); let j[k in 2..N] = j[k-1] + R[N+2-k]*a;"
                                          "let c[i in 1..N] = j[N+1-i] + R[i]*b;" +
                                          energy;
  static const std::string mixed =
      rotation + "config y[N] : R^3 velocity u; let x[1] = R[1]*a + y[1];"
                 "let x[i in 2..N] = x[i-1] + R[i]*a + y[i]; let c[i in 1..N] = x[i] + R[i]*(b - a) - 0.5*y[i];"
                 "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.5*dot(w[i], J[i]*w[i]) "
                 "+ 0.1*m[i]*dot(u[i], u[i]) - 9.81*m[i]*c[i][3]);";
  static const std::string clampedBehind =
      std::string(clamped) +
      "sum(i in 1..N-1: 0.5*k[i]*dot((R[i+1]*p - y[i] - R[i]*q)', (R[i+1]*p - y[i] - R[i]*q)'));";
  static const std::string clampedBefore =
      std::string(clamped) +
      "sum(i in 1..N-1: 0.5*k[i]*dot((R[i]*p - y[i+1] - R[i+1]*q)', (R[i]*p - y[i+1] - R[i+1]*q)'));";
  return {
      {"ClampsBehind", clampedBehind.c_str(), clampsBehind},
      {"ClampsBefore", clampedBefore.c_str(), clampsBefore},
      {"Rotations", before.c_str(), rotations, 300},
      {"RotationsByVectors", vectors.c_str(), rotations},
      {"RotationsBehind", behind.c_str(), rotations},
      {"RotationsFromTheLast", turned.c_str(), rotations, 40, true},
      {"RotationsFromTheLastBefore", turnedBefore.c_str(), rotations, 40, true},
      {"Spheres",
       "param m[N] = 1; config q[N] : S^2 velocity w; let x[1] = q[1]; let x[i in 2..N] = x[i-1] + q[i];"
       "let c[i in 1..N] = x[i] - 0.7*q[i]; lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') "
       "+ 0.005*m[i]*dot(w[i], w[i]) - 9.81*m[i]*c[i][3]); initial q[i in 1..N] = e3;",
       spheres, 300},
      {"Motions",
       "param m[N] = 1; param J[N] : mat(3,3) = eye(3); config X[N] : SE(3) velocity V;"
       "param a : vec(3) = [0.2, -0.1, -1]; param b : vec(3) = [0.1, 0.2, -0.6];"
       "let j[1] = zeros(3); let j[i in 2..N] = j[i-1] + X[i-1].x + X[i-1].R*a;"
       "let c[i in 1..N] = j[i] + 0.5*X[i].x + X[i].R*b;"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.5*dot(V[i].w, J[i]*V[i].w) "
       "+ 0.1*m[i]*dot(V[i].v, V[i].v) - 9.81*m[i]*c[i][3]);",
       motions},
      {"TwoFamilies", mixed.c_str(), mixture},
      {"Angles",
       "param m[N] = 1; config a[N] : T^1 velocity b; let x[1] = [sin(a[1][1]), 0, -cos(a[1][1])];"
       "let x[i in 2..N] = x[i-1] + [sin(a[i][1]), 0, -cos(a[i][1])];"
       "let c[i in 1..N] = x[i] - 0.5*[sin(a[i][1]), 0, -cos(a[i][1])];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(c[i]', c[i]') + 0.005*m[i]*b[i][1]^2 - 9.81*m[i]*c[i][3]);",
       angles, 300},
      {"Joints",
       "param m[N] = 1; config a[N] : R velocity b; let th[1] = a[1]; let th[i in 2..N] = th[i-1] + a[i];"
       "let x[1] = [sin(th[1]), -cos(th[1])]; let x[i in 2..N] = x[i-1] + [sin(th[i]), -cos(th[i])];"
       "let c[i in 1..N] = x[i] - 0.5*[sin(th[i]), -cos(th[i])];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*(dot(c[i]', c[i]') + 0.01*(th[i]')^2) - 9.81*m[i]*c[i][2]);",
       joints, 300},
      {"Neighbours",
       "param m[N] = 1; param k[N] = 1; param T[N] : mat(3,3) = eye(3); config y[N] : R^3 velocity u;"
       "let d[i in 1..N-1] = u[i+1] - T[i]*u[i];"
       "lagrangian = sum(i in 1..N: 0.5*m[i]*dot(u[i], u[i]) - 9.81*m[i]*y[i][3])"
       "  + sum(i in 1..N-1: 0.5*k[i]*dot(d[i], d[i]));",
       neighbours, 300},
      {"Loads", loaded, loadsAnyhow, 300, false, MassStructure::Multipliers},
      {"LoadsInLine", loaded, loadsInLine, 300, false, MassStructure::Multipliers},
  };
}

/// The arrays of points, velocities and parameters that a case gives, under the names it uses.
std::vector<std::pair<const sym::Array*, Numbers>> assigned(const Derived& d, Contents contents, bool turned) {
  std::vector<std::pair<const sym::Array*, Numbers>> list;
  const auto give = [&](const sym::Array* a, const std::string& name) {
    const auto it = contents.find(name);
    if (it == contents.end()) return;
    Numbers numbers = it->second;
    if (turned) {
      const auto size = static_cast<std::size_t>(a->shape.size());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = it->second[(numbers.size() / size - 1 - i / size) * size + i % size];
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(a->size())) << name;
    list.emplace_back(a, numbers);
  };
  for (const Parameter& p : d.c.model->parameters) give(p.array, p.name);
  for (const Factor& f : d.c.model->factors) {
    for (std::size_t k = 0; k < f.point.size(); ++k)
      give(f.point[k], f.point.size() > 1 ? f.manifold->point()[k].name : f.name);
    for (std::size_t k = 0; k < f.velocity.size(); ++k)
      give(f.velocity[k], f.velocity.size() > 1 ? f.manifold->algebra()[k].name : f.velocityName);
  }
  return list;
}

/// The accelerations of all factors, member after member, as those of the reference.
RealVector accelerations(Derived& d, const Case& c, bool turned) {
  Evaluate values = d.at(assigned(d, c.contents, turned));
  const auto members = static_cast<Eigen::Index>(c.reference.links.size());
  RealMatrix all(0, members); // a column for each member
  for (const FactorEquations& e : d.system.factors) {
    for (const sym::Array* a : e.acceleration) {
      const Numbers numbers = values.array(a);
      const Eigen::Index n = a->shape.size();
      all.conservativeResize(all.rows() + n, Eigen::NoChange);
      for (Eigen::Index i = 0; i < members; ++i) {
        const Eigen::Index from = turned ? members - 1 - i : i;
        for (Eigen::Index k = 0; k < n; ++k)
          all(all.rows() - n + k, i) = numbers[static_cast<std::size_t>(from * n + k)];
      }
    }
  }
  const Eigen::Index n = c.reference.width();
  RealVector y(n * members);
  for (Eigen::Index i = 0; i < members; ++i)
    y.segment(i * n, n) = c.bases.empty() ? RealVector(all.col(i))
                                          : RealVector(c.bases[static_cast<std::size_t>(i)].transpose() * all.col(i));
  return y;
}

/// The equations hold to rounding; `dense`: and the accelerations are those of dense elimination.
void expectSolved(Derived& d, const Case& c, bool turned, bool dense) {
  const RealVector y = accelerations(d, c, turned);
  const RealVector r = -c.reference.residual(RealVector::Zero(y.size()));
  const Real norm = c.reference.norm();
  EXPECT_LT(c.reference.residual(y).norm(), 1e-12L * (norm * y.norm() + r.norm()));
  if (!dense) return;
  const Eigen::LLT<RealMatrix> factored(c.reference.mass());
  ASSERT_EQ(factored.info(), Eigen::Success);
  const RealVector wanted = factored.solve(r);
  RealVector x = RealVector::Ones(y.size());
  Real least = 0; // 1/|M^-1|
  for (int k = 0; k < 20; ++k) {
    x = factored.solve(x / x.norm());
    least = 1 / x.norm();
  }
  EXPECT_LT((y - wanted).norm(), 1e-15L * norm / least * wanted.norm()) << "condition " << norm / least;
}

class RandomChains : public testing::TestWithParam<Kind> {
protected:
  static void check(int members, bool dense) {
    const Kind kind = GetParam();
    SCOPED_TRACE(members);
    Derived d("model M { param N : int = " + std::to_string(members) + "; " + kind.body + " }");
    ASSERT_TRUE(d.good) << d.c.text();
    ASSERT_EQ(d.system.groups.size(), 1U);
    ASSERT_EQ(d.system.groups[0].structure, kind.structure);
    RandomState random(static_cast<unsigned>(members));
    expectSolved(d, kind.make(random, members), kind.turned, dense);
  }
};

} // namespace

TEST_P(RandomChains, AgreeWithDenseElimination) {
  for (const int members : {10, 40, 100, 300}) {
    if (members <= GetParam().largest) check(members, true);
  }
}

TEST_P(RandomChains, SolveTheirEquationsForAThousandLinks) {
  check(1000, false);
}

/// Few links in rods are solved for all at once.
TEST(FewLoads, SolveTheirEquations) {
  for (const int members : {2, 3, 4, 5, 6, 7, 8}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(std::to_string(members) + " links, seed " + std::to_string(seed));
      Derived d("model M { param N : int = " + std::to_string(members) + "; " + loaded + " }");
      ASSERT_TRUE(d.good) << d.c.text();
      RandomState random(seed);
      expectSolved(d, loads(random, members, seed % 2 == 0 ? 10 : 0.05), false, false);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomChains, testing::ValuesIn(kinds()), [](const auto& p) { return p.param.name; });

TEST(StudiedChains, AreSolvedForAnyNumberOfLinksAndAnyInertia) {
  struct Study {
    std::string file;
    Case (*make)(RandomState&, int, double);
    int members;
    double J;
  };
  for (const Study& study :
       {Study{"rods", rods, 40, 0.08}, Study{"rods", rods, 100, 0.004}, Study{"rods", rods, 300, 0.08},
        Study{"rods_on_spheres", rodsOnSpheres, 40, 0.08}, Study{"rods_on_spheres", rodsOnSpheres, 100, 0.004}}) {
    SCOPED_TRACE(study.file + ", " + std::to_string(study.members));
    Inputs inputs;
    inputs.set = {{"N", std::to_string(study.members)}};
    Derived d(checkFile(std::string(LMC_SOURCE_DIR) + "/docs/studies/" + study.file + ".lie", inputs));
    ASSERT_TRUE(d.good) << d.c.text();
    RandomState random(7);
    Case c = study.make(random, study.members, study.J);
    c.contents["J"] = {study.J};
    c.contents["W"] = c.contents["w"];
    expectSolved(d, c, false, study.members <= 100);
  }
}
