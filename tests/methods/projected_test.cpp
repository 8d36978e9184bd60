// Methods in storage coordinates that put their results back onto the manifold: against plain programs, and what holds
// at the end of every step.
#include "methods/Stepper.h"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <functional>

using namespace lmc;
using namespace lmc::test;

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d hat(const Vector3d& w) {
  Matrix3d m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}

/// The rotation next to a matrix.
Matrix3d nearest(const Matrix3d& m) {
  const Eigen::JacobiSVD<Matrix3d> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

/// The classical method of order 4 for matrices, then `onto`.
template <class Y>
Y rungeKutta(Y y, double h, int n, const std::function<Y(double, const Y&)>& f, Y (*onto)(const Y&)) {
  for (int k = 0; k < n; ++k) {
    const double t = k * h;
    const Y k1 = f(t, y), k2 = f(t + h / 2, y + h / 2 * k1), k3 = f(t + h / 2, y + h / 2 * k2),
            k4 = f(t + h, y + h * k3);
    y = onto(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4));
  }
  return y;
}

double defectOfRotation(const double* r) {
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> m(r);
  return (m.transpose() * m - Matrix3d::Identity()).cwiseAbs().maxCoeff();
}

/// Steps of a method from the initial state of a model.
Numbers run(const std::string& text, const std::string& method, double h, int n, std::int32_t status = runtime::Ok) {
  Derived d(text);
  EXPECT_TRUE(d.good) << d.c.text();
  const auto step = d.step(method);
  EXPECT_TRUE(step) << d.c.text();
  if (!step) return {};
  Stepper stepper(d, *step);
  Numbers y = stepper.run(h, n);
  EXPECT_EQ(stepper.status, status);
  return y;
}

const std::string chain =
    "model C {\n  config q[3] : S^2 velocity w;\n"
    "  lagrangian = 0.5*sum(i in 1..3: dot(w[i], w[i])) + 0.3*dot(cross(w[1], q[1]), cross(w[2], q[2]))"
    " - sum(i in 1..3: dot(e3, q[i])) - dot(q[2], q[3])^2;\n"
    "  for i in 1..3 { initial q[i] = normalize([1, i, 0.5]); initial w[i] = cross(normalize([1, i, 0.5]), [0.3, "
    "-0.2*i, 0.5]); }\n}\n";

/// A top with everything that has a direction in space turned by a matrix.
std::string turnedTop(const Matrix3d& a) {
  const auto vector = [](const Vector3d& v) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v[0], v[1], v[2]); };
  std::string rows;
  for (int i = 0; i < 3; ++i) rows += (i == 0 ? "" : ", ") + vector(a.row(i).transpose());
  return fmt::format(
      "model T {{\n  param g : vec(3) = {};\n  param A : mat(3,3) = [{}];\n  config R : SO(3) velocity w;\n"
      "  lagrangian = 0.5*dot(w, diag(1, 2, 3)*w) - dot(g, R*[0.5, 1, 0.3]);\n"
      "  initial R = A;\n  initial w = [0.4, 1, -0.7];\n}}\n",
      vector(a.col(2)), rows);
}

} // namespace

TEST(Projected, IsTheClassicalMethodAndTheNearestRotation) {
  const Numbers y =
      run("model F {\n  state R : SO(3) in space;\n  flow R = [R[1,2], 0.3*t, R[3,3] - 1.2];\n}\n", "P4", 0.1, 20);
  ASSERT_EQ(y.size(), 9U);
  const std::function<Matrix3d(double, const Matrix3d&)> f = [](double t, const Matrix3d& r) -> Matrix3d {
    return hat({r(0, 1), 0.3 * t, r(2, 2) - 1.2}) * r;
  };
  const Matrix3d plain = rungeKutta<Matrix3d>(Matrix3d::Identity(), 0.1, 20, f, nearest);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(y[static_cast<std::size_t>(3 * i + j)], plain(i, j), 4e-15);
}

TEST(Projected, IsTheClassicalMethodAndTheNearestUnitVector) {
  const Numbers y =
      run("model F {\n  state q : S^2;\n  flow q = [q[2], 0.5 + t, -q[1]];\n  initial q = [0.6, 0, 0.8];\n}\n", "P4",
          0.1, 20);
  ASSERT_EQ(y.size(), 3U);
  const std::function<Vector3d(double, const Vector3d&)> f = [](double t, const Vector3d& q) -> Vector3d {
    return Vector3d(q[1], 0.5 + t, -q[0]).cross(q);
  };
  const Vector3d plain =
      rungeKutta<Vector3d>({0.6, 0, 0.8}, 0.1, 20, f, [](const Vector3d& v) -> Vector3d { return v.normalized(); });
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(y[static_cast<std::size_t>(i)], plain[i], 4e-15);
}

TEST(Projected, IsWhatABodyWithOntoSays) {
  const std::string mine =
      "method Mine order 4 on embedding {\n  k1 = h*ydot(t, y);\n  k2 = h*ydot(t + h/2, y + k1/2);\n"
      "  k3 = h*ydot(t + h/2, y + k2/2);\n  k4 = h*ydot(t + h, y + k3);\n"
      "  next y = onto(y + (k1 + 2*k2 + 2*k3 + k4)/6);\n  embedded y = y + k2;\n}\n";
  for (const std::string& model : {chain, turnedTop(Matrix3d::Identity())}) {
    const Numbers own = run(mine + model, "Mine", 0.05, 10), shipped = run(model, "P4", 0.05, 10);
    EXPECT_LT(distance(own, shipped), 4e-15);
  }
}

TEST(Projected, HoldsPointsAndVelocitiesOfAFamily) {
  const Numbers y = run(chain, "P853", 0.1, 30);
  ASSERT_EQ(y.size(), 18U);
  for (std::size_t i = 0; i < 3; ++i) { // q of all members, then w
    const Vector3d q(y[3 * i], y[3 * i + 1], y[3 * i + 2]), w(y[9 + 3 * i], y[10 + 3 * i], y[11 + 3 * i]);
    EXPECT_NEAR(q.squaredNorm(), 1, 9e-16);
    EXPECT_NEAR(q.dot(w), 0, 9e-16 * std::max(1.0, w.norm()));
  }
}

TEST(Projected, TurnsWithTheModel) {
  const Matrix3d a = nearest((Matrix3d() << 0.3, -1, 0.2, 0.8, 0.5, 0.1, -0.4, 0.2, 1).finished());
  const Numbers still = run(turnedTop(Matrix3d::Identity()), "P853", 0.1, 50),
                turned = run(turnedTop(a), "P853", 0.1, 50);
  ASSERT_EQ(still.size(), 12U);
  ASSERT_EQ(turned.size(), 12U);
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> r(still.data()), s(turned.data());
  EXPECT_LT((a * r - s).cwiseAbs().maxCoeff(), 1e-13);
  for (std::size_t k = 9; k < 12; ++k) EXPECT_NEAR(still[k], turned[k], 1e-13);
}

TEST(Projected, KeepsMomentaOfAHomogeneousManifoldInTheirSpace) {
  const Numbers y = run("model H {\n  config q : S^2 momentum p;\n  hamiltonian = 0.5*dot(p, p) + q[3] + q[1]*q[2];\n"
                        "  initial q = [0.6, 0.8, 0];\n  initial p = [0, 0, 1.3];\n}\n",
                        "P853", 0.1, 30);
  ASSERT_EQ(y.size(), 6U);
  EXPECT_NEAR(y[0] * y[0] + y[1] * y[1] + y[2] * y[2], 1, 9e-16);
  EXPECT_NEAR(y[0] * y[3] + y[1] * y[4] + y[2] * y[5], 0, 2e-15);
}

/// Both evaluate f off the constraints within a step, and end on them.
TEST(Projected, HoldsConstraints) {
  const std::string model =
      "model P {\n  config x : R^3 velocity v;\n  config R : SO(3) velocity w;\n"
      "  lagrangian = 0.5*dot(v, v) + 0.5*dot(w, diag(1, 2, 3)*w) - x[3];\n"
      "  constraint pin : x - R*[0.5, 0, 0] = [0, 0, 0];\n"
      "  initial x = [0.5, 0, 0];\n  initial w = [0.2, 1, 0.4];\n  initial v = [0, 0.2, -0.5];\n}\n";
  const Numbers y = run(model, "P853", 0.05, 40), other = run(model, "RKMK78", 0.05, 40);
  ASSERT_EQ(y.size(), 18U);
  EXPECT_LT(distance(y, other), 1e-10);
  const auto at = [&](const Numbers& n, std::size_t k) { return n[k]; };
  std::size_t point = 0, rotation = 6; // x, v, R, w
  EXPECT_LT(defectOfRotation(&y[rotation]), 9e-16);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(at(y, point + i), 0.5 * at(y, rotation + 3 * i), 2e-15);
}

TEST(Projected, StepsThatAreTooLongFail) {
  (void)run("model F {\n  state q : S^2;\n  flow q = [0, 0, 9];\n  initial q = e1;\n}\n", "P4", 0.3, 1,
            runtime::FarFromManifold);
}

TEST(Projected, LowOrdersMayLeaveTheManifoldFurther) {
  const Numbers y = run("tableau E {\n  a = [[0]];\n  b = [1];\n  order 1;\n}\nmethod Euler = projected(E);\n"
                        "model F {\n  state q : S^2;\n  flow q = [0, 0, 1];\n  initial q = e1;\n}\n",
                        "Euler", 0.3, 3);
  ASSERT_EQ(y.size(), 3U);
  EXPECT_NEAR(y[0], std::cos(3 * std::atan(0.3)), 4e-16) << "each step turns by the angle whose tangent is h";
  EXPECT_NEAR(y[1], std::sin(3 * std::atan(0.3)), 4e-16);
}

/// Of Gauss–Legendre collocation of order 4 a turn adds a term to the series of the stages; of the weights' moments
/// those up to the order are 1/k!.
TEST(Projected, IteratesImplicitTableaux) {
  const std::string model = "model F {\n  state z : R;\n  flow z = 2*z;\n  initial z = 1;\n}\n";
  for (const int turns : {2, 3}) {
    const std::string method = fmt::format("method M = projected(GaussLegendre4, turns = {});\n", turns);
    const Numbers y = run(method + model, "M", 0.3, 1);
    ASSERT_EQ(y.size(), 1U);
    double sum = 0, term = 1;
    for (int k = 0; k <= turns + 1; term *= 0.6 / ++k) sum += term;
    EXPECT_NEAR(y[0], sum, 3e-16) << turns;
  }
}

/// The tableau of the library against exp(t), whose error with 13 turns is that of its series, (h lambda)^15/15!.
TEST(Projected, IteratesUpToTheOrderOfTheTableau) {
  const Numbers y = run("model F {\n  state z : R;\n  flow z = 3*z + cos(t);\n  initial z = 1;\n}\n", "PL14", 0.25, 4);
  ASSERT_EQ(y.size(), 1U);
  EXPECT_NEAR(y[0], 1.3 * std::exp(3) - 0.3 * std::cos(1) + 0.1 * std::sin(1), 1e-12);
}

/// 16 turns of the same tableau: of exp(6) all terms up to the 17th power, but for what that of the diagonal Padé
/// approximation is off, (8!)^2/(16! 17!) (Hairer, Wanner, "Solving ODEs II", theorem IV.3.11), and none behind it, of
/// which the first is 6^18/18! = 0.016.
TEST(Projected, IteratesBeyondTheOrderOfTheTableau) {
  const Numbers y = run("model F {\n  state z : R;\n  flow z = 2*z;\n  initial z = 1;\n}\n", "PL16", 3, 1);
  ASSERT_EQ(y.size(), 1U);
  double sum = 0, term = 1;
  for (int k = 0; k <= 17; term *= 6.0 / ++k) sum += term;
  EXPECT_NEAR(y[0], sum - std::pow(std::tgamma(9), 2) / (std::tgamma(17) * std::tgamma(18)) * std::pow(6, 17), 1e-9);
}

TEST(Projected, SaysWhichTableauxHaveTurns) {
  const std::string model = "model F {\n  state z : R;\n  flow z = -z;\n  initial z = 1;\n}\n";
  for (const auto& [method, error] : {std::pair("projected(ClassicalRK4, turns = 3)", "LIE0506 1:22-33"),
                                      std::pair("projected(GaussLegendre4, turns = 1)", "LIE0506 1:46-46"),
                                      std::pair("projected(GaussLegendre4, turns = 31)", "LIE0506 1:46-47"),
                                      std::pair("projected(GaussLegendre4, turns = 2.5)", "LIE0506 1:46-48"),
                                      std::pair("projected(GaussLegendre4, truncate = 2)", "LIE0506 1:38-45"),
                                      std::pair("projected(GaussLegendre4)", "LIE0530 1:22-35")}) {
    Derived d(std::string("method M = ") + method + ";\n" + model);
    EXPECT_FALSE(d.step("M"));
    EXPECT_EQ(d.c.errors(), std::vector<std::string>{error}) << method << d.c.text();
  }
}

TEST(Projected, HasNoAdjointWherePointsAreHeld) {
  const std::string methods = "method Back = adjoint(P4);\n";
  Derived sphere(methods + "model F {\n  state q : S^2;\n  flow q = e3;\n  initial q = e1;\n}\n");
  EXPECT_FALSE(sphere.step("Back"));
  EXPECT_EQ(sphere.c.errors(), std::vector<std::string>{"LIE0512 1:1-4"}) << sphere.c.text();
  const Numbers y = run(methods + "model F {\n  state z : R;\n  flow z = -z;\n  initial z = 1;\n}\n", "Back", 0.1, 1);
  ASSERT_EQ(y.size(), 1U);
  EXPECT_NEAR(y[0], 1 / (1 + 0.1 * (1 + 0.05 * (1 + 0.1 / 3 * (1 + 0.025)))), 1e-14) << "the inverse of a step back";
}
