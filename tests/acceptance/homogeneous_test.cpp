// Homogeneous manifolds with any complement of the isotropy and any basis of the algebra: motions in closed form,
// or by their equations in the coordinates of the storage, in velocities and in momenta, under methods of every kind,
// at their orders.
#include "acceptance/Trajectory.h"

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <unsupported/Eigen/MatrixFunctions>

using namespace lmc::acceptance;

namespace {

using Vec = Eigen::VectorXd;
using Mat = Eigen::MatrixXd;
using Eigen::Vector3d;

/// A number or a vector as lmc reads it.
std::string text(const Vec& v) {
  std::ostringstream s;
  s.precision(17);
  for (Eigen::Index k = 0; k < v.size(); ++k) s << (k > 0 ? ", " : "[") << v[k];
  s << "]";
  return v.size() == 1 ? s.str().substr(1, s.str().size() - 2) : s.str();
}

std::string text(const Mat& m) {
  std::string s;
  for (Eigen::Index k = 0; k < m.rows(); ++k) s += (k > 0 ? ", " : "[") + text(Vec(m.row(k)));
  return s + "]";
}

Vec vec(std::initializer_list<double> v) {
  return Eigen::Map<const Vec>(v.begin(), static_cast<Eigen::Index>(v.size()));
}

/// A model on one manifold, with q for points, w for velocities, p for momenta, and where q is at time 1.
struct Motion {
  const char* name;
  const char* manifold;
  std::string common; ///< statements of both forms
  std::string lagrangian, hamiltonian;
  std::string point, velocity, momentum; ///< initial values
  std::vector<std::string> columns;
  Vec end;
  double step = 0.05;

  friend std::ostream& operator<<(std::ostream& out, const Motion& m) { return out << m.name; }
};

std::vector<std::string> entries(int n) {
  std::vector<std::string> names;
  for (int k = 1; k <= n; ++k) names.push_back("q[" + std::to_string(k) + "]");
  return names;
}

std::vector<std::string> entries(int rows, int columns) {
  std::vector<std::string> names;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j) names.push_back("q[" + std::to_string(i) + "][" + std::to_string(j) + "]");
  return names;
}

/// /// Where q'' = acceleration(q, q') leads from q, q' in the time 1, by small steps of the classical Runge-Kutta
/// method.
Vec integrated(Vec q, Vec v, const std::function<Vec(const Vec&, const Vec&)>& acceleration) {
  constexpr int steps = 4000;
  const double h = 1.0 / steps;
  for (int n = 0; n < steps; ++n) {
    const Vec a = acceleration(q, v), v2 = v + h / 2 * a, b = acceleration(q + h / 2 * v, v2);
    const Vec v3 = v + h / 2 * b, c = acceleration(q + h / 2 * v2, v3), v4 = v + h * c;
    const Vec d = acceleration(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return q;
}

/// The geodesic of unit speed through i in the direction (0.8, 0.6): a turn about i of the vertical line. The momentum
/// is that of the three vector fields (2x, 2y), (1, 0), (-x^2 + y^2, -2xy), and H the Casimir function.
Motion halfPlane() {
  const double c = std::sqrt(0.8), s = -std::sqrt(0.2), e = std::exp(1.0);
  const double d = c * c + s * s * e * e;
  return {"half_plane",
          "HalfPlane",
          "",
          "0.5*dot(q', q')/q[2]^2",
          "0.5*(p[1]^2/4 + p[2]*p[3])",
          "[0, 1]",
          "[0.3, 0.4, 0.4]",
          "[1.2, 0.8, 0.8]",
          entries(2),
          vec({s * c * (1 - e * e) / d, e / d})};
}

/// The same with a potential, and with a kinetic energy that agrees with the Casimir function only for momenta that
/// vanish along the isotropy.
Motion heavyHalfPlane(const char* name, const char* manifold) {
  Motion m = halfPlane();
  m.name = name;
  m.manifold = manifold;
  m.lagrangian += " - 0.6*q[1] - 0.3*q[1]*q[2]";
  m.hamiltonian = "0.5*q[2]^2*p[2]^2 + 0.5*(p[1]/2 - q[1]*p[2])^2 + 0.6*q[1] + 0.3*q[1]*q[2]";
  m.end = integrated(vec({0, 1}), vec({0.8, 0.6}), [](const Vec& q, const Vec& v) {
    const double y = q[1];
    return vec({2 * v[0] * v[1] / y - y * y * (0.6 + 0.3 * y), (v[1] * v[1] - v[0] * v[0]) / y - y * y * 0.3 * q[0]});
  });
  return m;
}

/// A heavy point on q'Gq = -1 with the metric G = diag(1, 1, -1).
Motion hyperboloid() {
  const Vector3d metric(1, 1, -1), q(0.75, 1, std::sqrt(1 + 0.75 * 0.75 + 1));
  const Vector3d a(0.4, -0.7, 0.3), v = a + metric.cwiseProduct(q).dot(a) * q, p = metric.cwiseProduct(v);

  // (K1, K2, J) q = (q3, 0, q1), (0, q3, q2), (-q2, q1, 0).
  const Vector3d mu(p[0] * q[2] + p[2] * q[0], p[1] * q[2] + p[2] * q[1], -p[0] * q[1] + p[1] * q[0]);
  return {"hyperboloid",
          "Hyperboloid",
          "",
          "0.5*(q[1]'^2 + q[2]'^2 - q[3]'^2) - 0.5*q[1] - 0.3*q[1]*q[2]",
          "0.5*(p[1]^2 + p[2]^2 - p[3]^2) + 0.7*(p[1]*q[2] - p[2]*q[1] + p[3]*q[3])"
          " + 0.5*q[1] + 0.3*q[1]*q[2]",
          text(Vec(q)),
          text(Vec(Vector3d(mu[0], mu[1], -mu[2]))), // of the Killing form
          text(Vec(mu)),
          entries(3),
          integrated(q, v, [metric](const Vec& x, const Vec& u) {
            const Vector3d slope(0.5 + 0.3 * x[1], 0.3 * x[0], 0);
            return Vec((metric.cwiseProduct(u).dot(u) - slope.dot(x)) * x - metric.cwiseProduct(slope));
          })};
}

/// A harmonic oscillator of frequency 2 about a point of no importance to the group.
Motion plane(const char* name, const char* manifold) {
  const Vec q = vec({0.7, -0.4}), v = vec({0.5, 1.2}), c = vec({1, 0.5});
  const double w = q[0] * v[1] - q[1] * v[0];
  return {name,
          manifold,
          "let c = [1, 0.5];",
          "0.5*dot(q', q') - 2*dot(q - c, q - c)",
          "0.5*dot(p.v, p.v) + 2*dot(q - c, q - c) + 0.4*(p.w + q[2]*p.v[1] - q[1]*p.v[2])",
          text(q),
          "(w = 0, v = " + text(v) + ")",
          "(w = " + text(vec({w})) + ", v = " + text(v) + ")",
          entries(2),
          Vec(c + std::cos(2.0) * (q - c) + std::sin(2.0) / 2 * v)};
}

Motion space(const char* name, const char* manifold, double pitch) {
  const Vector3d q(0.7, -0.4, 0.2), v(0.5, 1.2, -0.8), c(1, 0.5, -0.3), turn = pitch * v;
  return {name,
          manifold,
          "let c = [1, 0.5, -0.3];",
          "0.5*dot(q', q') - 2*dot(q - c, q - c)",
          "0.5*dot(p.v, p.v) + 2*dot(q - c, q - c) + dot([0.4, 0.1, -0.3], p.w - cross(q, p.v))",
          text(Vec(q)),
          "(w = " + text(Vec(turn)) + ", v = " + text(Vec(v - turn.cross(q))) + ")",
          "(w = " + text(Vec(q.cross(v))) + ", v = " + text(Vec(v)) + ")",
          entries(3),
          Vec(c + std::cos(2.0) * (q - c) + std::sin(2.0) / 2 * v)};
}

/// A heavy point u on the sphere; q is D u, and the algebra's number w_k stands for the turn about column k of B.
Motion heavyPoint(const char* name, const char* manifold, const Vector3d& stretch) {
  Eigen::Matrix3d b;
  b << 1, 0.3, -0.2, 0.5, 2, 0.1, 0, -0.4, 1;
  const Vector3d u(0.48, 0.6, -0.64), a = u.cross(Vector3d(0.9, -0.5, 1.1));
  const std::string start = "param B : mat(3,3) = " + text(Mat(b)) +
                            ";\n  param D : vec(3) = " + text(Vec(stretch.cwiseInverse())) +
                            ";\n  let u = diag(D)*q;\n";
  const Vec end = integrated(u, a.cross(u), [](const Vec& x, const Vec& v) {
    const Vector3d slope(0.5 + 2 * x[1], 2 * x[0], 1);
    return Vec((slope.dot(x) - v.squaredNorm()) * x - slope);
  });
  return {name,
          manifold,
          start,
          "0.5*dot(u', u') - 0.5*u[1] - 2*u[1]*u[2] - u[3]",
          "0.5*dot(inverse(transpose(B))*p, inverse(transpose(B))*p) + 0.7*dot(u, inverse(transpose(B))*p)"
          " + 0.5*u[1] + 2*u[1]*u[2] + u[3]",
          text(Vec(stretch.cwiseProduct(u))),
          text(Vec(b.inverse() * a)),
          text(Vec(b.transpose() * a)),
          entries(3),
          Vec(stretch.cwiseProduct(Vector3d(end)))};
}

/// What rotations of four dimensions are in the order (1,2), (1,3), (1,4), (2,3), (2,4), (3,4).
Mat skew4(const Vec& a) {
  Mat m = Mat::Zero(4, 4);
  int k = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j, ++k) {
      m(j, i) = a[k];
      m(i, j) = -a[k];
    }
  return m;
}

Vec coordinates4(const Mat& m) {
  return vec({m(1, 0), m(2, 0), m(3, 0), m(2, 1), m(3, 1), m(3, 2)});
}

Mat basis4() {
  Mat b = Mat::Identity(6, 6);
  b(0, 1) = 0.4;
  b(3, 2) = -0.3;
  b(0, 3) = 0.2;
  b(5, 4) = 0.5;
  b(1, 5) = 0.3;
  return b;
}

/// Where geodesics of rotations begin.
const Vec startFrame = vec({0.3, -0.5, 0.4, 0.7, 0.2, -0.6});

/// With the metric that the algebra's invariant one gives to horizontal velocities geodesics are the orbits of
/// one-parameter groups; the mass 1/r, r = 1 + 0.8 sin(3 t), makes them run with the speed r. `frame` is the rotation
/// that takes the base point to the start.
Motion geodesic4(const char* name, const char* manifold, const Vec& atBase,
                 const std::function<Mat(const Mat&)>& pointOf, int columns) {
  const Mat b = basis4(), frame = skew4(startFrame).exp();
  const Mat turning = frame * skew4(atBase) * frame.transpose();
  const Vec a = coordinates4(turning);
  const Mat there = ((1 + 0.8 / 3 * (1 - std::cos(3.0))) * turning).exp() * frame;
  const Mat end = pointOf(there);
  Vec list(end.size());
  for (Eigen::Index i = 0; i < end.rows(); ++i)
    for (Eigen::Index j = 0; j < end.cols(); ++j) list[i * end.cols() + j] = end(i, j);
  return {name,
          manifold,
          "param B : mat(6,6) = " + text(b) + ";\n",
          "0.5*dot(B*w, B*w)/(1 + 0.8*sin(3*t))",
          "0.5*dot(inverse(transpose(B))*p, inverse(transpose(B))*p)*(1 + 0.8*sin(3*t))",
          text(pointOf(frame)),
          text(Vec(b.inverse() * a)),
          text(Vec(b.transpose() * a)),
          entries(4, columns),
          list};
}

Motion stiefel() {
  return geodesic4(
      "stiefel", "SkewedStiefel", vec({0.6, -0.3, 0.5, 0.8, 0.4, 0}), [](const Mat& r) { return Mat(r.leftCols(2)); },
      2);
}

Motion grassmann() {
  return geodesic4(
      "grassmann", "SkewedGrassmann", vec({0, -0.3, 0.5, 0.8, 0.4, 0}),
      [](const Mat& r) { return Mat(r.leftCols(2) * r.leftCols(2).transpose()); }, 4);
}

/// With the potential 2 P13 + P24 - P11 in the place of the time. Symmetric projections: P'' is tangent, but for
/// 2 (1 - 2P) P'^2, which keeps P^2 = P; the kinetic energy is |P'|^2/4.
Motion heavyGrassmann() {
  Motion m = grassmann();
  m.name = "heavy_grassmann";
  m.lagrangian = "0.5*dot(B*w, B*w) - 2*q[1,3] - q[2,4] + q[1,1]";
  m.hamiltonian = "0.5*dot(inverse(transpose(B))*p, inverse(transpose(B))*p) + 2*q[1,3] + q[2,4] - q[1,1]";
  const Mat frame = skew4(startFrame).exp(), p = frame.leftCols(2) * frame.leftCols(2).transpose();
  const Mat w = frame * skew4(vec({0, -0.3, 0.5, 0.8, 0.4, 0})) * frame.transpose();
  Mat slope = Mat::Zero(4, 4);
  slope(0, 2) = slope(2, 0) = 1;
  slope(1, 3) = slope(3, 1) = 0.5;
  slope(0, 0) = -1;
  const Vec start = p.reshaped(), speed = (w * p - p * w).reshaped();
  m.end = integrated(start, speed, [slope](const Vec& x, const Vec& v) {
    const Mat q = x.reshaped(4, 4), u = v.reshaped(4, 4), one = Mat::Identity(4, 4);
    const Mat force = q * slope * (one - q) + (one - q) * slope * q;
    return Vec((2 * (one - 2 * q) * u * u - 2 * force).reshaped());
  });
  return m;
}

Motion line() {
  return {"line",
          "Line",
          "",
          "0.5*q'^2 - 2*(q - 1)^2",
          "0.5*p[2]^2 + 2*(q - 1)^2 + 0.4*(p[1] - q*p[2])",
          "0.7",
          "[0, 1.1]",
          "[0.77, 1.1]",
          {"q"},
          vec({1 + std::cos(2.0) * (0.7 - 1) + std::sin(2.0) / 2 * 1.1})};
}

std::vector<Motion> motions() {
  return {halfPlane(),
          heavyHalfPlane("heavy_half_plane", "HalfPlane"),
          heavyHalfPlane("projected_half_plane", "ProjectedHalfPlane"),
          hyperboloid(),
          plane("plane", "Plane"),
          plane("projected_plane", "ProjectedPlane"),
          space("space_of_screws", "Space", 0.3),
          space("space_of_translations", "TranslatedSpace", 0),
          heavyPoint("skewed_sphere", "SkewedSphere", Vector3d(1, 1, 1)),
          heavyPoint("ellipsoid", "Ellipsoid", Vector3d(2, 0.5, 1.5)),
          stiefel(),
          grassmann(),
          heavyGrassmann(),
          line()};
}

std::string modelOf(const Motion& m, bool momentum) {
  const std::string fiber = momentum ? "p" : "w";
  return "import \"" + testModel("homogeneous") + "\";\nmodel M {\n  config q : " + m.manifold +
         (momentum ? " momentum p;\n  " : " velocity w;\n  ") + m.common + "\n  " +
         (momentum ? "hamiltonian = " + m.hamiltonian : "lagrangian = " + m.lagrangian) +
         ";\n  initial q = " + m.point + ";\n  initial " + fiber + " = " + (momentum ? m.momentum : m.velocity) +
         ";\n  simulate { method = RKMK4; time = 0..1; step = 0.05; }\n}\n";
}

double errorOf(const Motion& m, const Workspace& w, const std::string& file, const Arguments& arguments) {
  const Trajectory t = runModel(w, file, arguments);
  if (t.rows.empty()) return INFINITY;
  double worst = 0;
  for (std::size_t k = 0; k < m.columns.size(); ++k)
    worst = std::max(worst, std::abs(t.last(m.columns[k]) - m.end[static_cast<Eigen::Index>(k)]));
  return worst;
}

struct Method {
  const char* name;
  int order; ///< 0: adaptive
  bool momentum;

  friend std::ostream& operator<<(std::ostream& out, const Method& m) { return out << m.name; }
};

const Method methods[] = {{"RKMK4", 4, true},   {"CF4", 4, true},         {"CG3", 3, true},  {"RKMK54", 0, true},
                          {"RKMKGL4", 4, true}, {"VIMidpoint", 2, false}, {"VI4", 4, false}, {"VIGauss4", 4, false},
                          {"ELNh", 2, false},   {"RATTLE", 2, false},     {"SLGI", 2, true}, {"SLGI4", 4, true}};

using Case = std::tuple<Motion, Method, bool>;
class Homogeneous : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Homogeneous, MotionsAreThoseOfThePoints) {
  const auto& [motion, method, momentum] = GetParam();
  const Workspace w;
  const std::string file = w.write("model.lie", modelOf(motion, momentum)).string();
  if (method.order == 0) {
    EXPECT_LT(errorOf(motion, w, file, {"--method", method.name, "--tolerance", "1e-10"}), 2e-8);
    return;
  }
  const double coarse = errorOf(motion, w, file, {"--method", method.name, "--step", "0.025"});
  const double fine = errorOf(motion, w, file, {"--method", method.name, "--step", "0.0125"});
  RecordProperty("coarse", testing::PrintToString(coarse)); // for docs/studies/homogeneous.md
  RecordProperty("fine", testing::PrintToString(fine));
  constexpr double roundOff = 1e-11; // methods that are exact for a motion
  EXPECT_LT(coarse, method.order == 4 ? 1e-4 : 2e-2);
  if (fine > roundOff) {
    EXPECT_GT(std::log2(coarse / fine), method.order - 0.3) << coarse << " " << fine;
  }
}

// Momenta within a step have parts along the isotropy, whatever the Hamiltonian says of these.
TEST(CotangentOfHomogeneous, StepsAreSymplecticAndThoseOfTheDiscreteLagrangian) {
  const Workspace w;
  for (const Motion& m : motions()) {
    const std::string velocities = w.write("w.lie", modelOf(m, false)).string();
    const std::string momenta = w.write("p.lie", modelOf(m, true)).string();
    for (const std::string& file : {velocities, momenta}) {
      const Outcome o = w.lmc({"symplecticity", file, "--methods", "SLGI,SLGI(theta=0),SLGI(theta=0.3),LSV", "--steps",
                               "0.02,0.01", "--json"});
      ASSERT_EQ(o.status, 0) << m.name << o.err;
      for (const auto& [method, overall] : parseJson(o.out).at("overall").items())
        EXPECT_EQ(overall.at("verdict"), "SYMPLECTIC") << m.name << " " << method << overall;
    }
    // The midpoint of the arc in the discrete Lagrangian: another derivation of the same step.
    const Arguments end{"--step", "0.05", "--every", "1"};
    const auto with = [&](const char* method) {
      Arguments all = end;
      all.insert(all.end(), {"--method", method});
      return all;
    };
    const Trajectory lagrangian = runModel(w, velocities, with("VIMidpoint"));
    for (const std::string& file : {velocities, momenta}) {
      const Trajectory canonical = runModel(w, file, with("SLGI"));
      ASSERT_EQ(canonical.rows.size(), lagrangian.rows.size()) << m.name;
      for (const std::string& c : m.columns)
        EXPECT_NEAR(canonical.last(c), lagrangian.last(c), 1e-10 * (1 + std::abs(lagrangian.last(c)))) << m.name << c;
    }
  }
}

// About the vertical, of a pendulum and of a chain of them.
TEST(CotangentOfHomogeneous, MomentaOfSymmetriesStay) {
  const Workspace w;
  for (const char* method : {"SLGI", "SLGI(theta = 0)", "SLGI(theta = 0.3)", "LSV", "SLGI4"}) {
    const Trajectory one =
        runModel(w, example("spherical_pendulum"), {"--method", method, "--time", "0..20", "--step", "0.02"});
    ASSERT_EQ(one.rows.size(), 201U) << method;
    for (std::size_t k = 0; k < one.rows.size(); ++k) EXPECT_NEAR(one.at(k, "Lz"), one.at(0, "Lz"), 1e-11) << method;
  }
}

namespace {
std::vector<Case> all() {
  std::vector<Case> list;
  for (const Motion& m : motions()) {
    for (const Method& method : methods) {
      list.emplace_back(m, method, false);
      if (method.momentum) list.emplace_back(m, method, true);
    }
  }
  return list;
}
} // namespace

INSTANTIATE_TEST_SUITE_P(Manifolds, Homogeneous, testing::ValuesIn(all()), [](const auto& p) {
  return std::string(std::get<0>(p.param).name) + "_" + std::get<1>(p.param).name +
         (std::get<2>(p.param) ? "_momentum" : "");
});

/// Points leave their manifold by a rounding a step. Where velocities and momenta are projected there again and again,
/// the energy must not feel it more than the points do: it would change with the square of the number of steps. Steps
/// are so short that the methods have no error of their own.
TEST(ProjectedVelocities, StayWhatTheyAreOverManySteps) {
  struct Case {
    const char* manifold;
    std::string lagrangian, hamiltonian, initial, methods;
  };
  const std::string potential = "q[1] + q[2]*q[3]";
  const std::vector<Case> cases = {
      {"S^3", "0.5*dot(q', q') - " + potential, "0.5*dot(w, w) + " + potential,
       "initial q = [0, 0, 0.6, 0.8]; initial w = [0, 0.576, 0.768, 0.288, 0.384, 0];", "RKMK4 CF6 ELNh SLGI"},
      {"Stiefel(3,2)", "0.5*trace(transpose(q')*q') + 0.3*q[1,1] - q[2,2]*q[3,1]", "", "initial w = [0.1, 0.2, 0.3];",
       "RKMK4 VIMidpoint"},
      {"Grassmann(3,1)", "0.5*trace(transpose(q')*q') + trace(q*[[0, 1, 2], [1, 2, 0], [2, 0, 3]])", "",
       "initial q = outer(e1, e1); initial w = [0, 1, 0.5];", "CF6 P4"},
  };
  const Workspace w;
  for (const Case& c : cases)
    for (const bool momenta : {false, true}) {
      if (momenta && c.hamiltonian.empty()) continue;
      const std::string body = std::string("model M {\n  config q : ") + c.manifold +
                               (momenta ? " momentum w;\n  hamiltonian = " + c.hamiltonian
                                        : " velocity w;\n  lagrangian = " + c.lagrangian) +
                               ";\n  " + c.initial +
                               "\n  simulate { method = RKMK4; time = 0..0.005; step = 1e-6; }\n}\n";
      const std::string file = w.write("many.lie", body).string();
      std::istringstream names(c.methods);
      for (std::string method; names >> method;) {
        if (momenta && method == "ELNh") continue; // for velocities alone
        const nlohmann::json run = parseJson(w.lmc({"run", file, "--method", method, "--json"}).out);
        EXPECT_EQ(run["steps"], 5000) << method;
        EXPECT_LT(run["energy_error"].get<double>(), 1e-11) << c.manifold << " " << method << momenta;
      }
    }
}
