// Groups that are given by a basis alone: matrices that are on them are accepted, others are refused, whatever
// equations follow. Elements are products of Eigen's exponentials and closed forms; what is beside a group is told by
// hand.
#include "products/Pipeline.h"
#include "products/initial/Initial.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <unsupported/Eigen/MatrixFunctions>

using namespace lmc::mechanics;
using namespace lmc::products;
using namespace lmc;

namespace {

using Matrix = Eigen::MatrixXd;

struct Group {
  std::string name;
  int rows;
  std::vector<Matrix> basis;
  bool described = true; ///< by the equations that follow
};

Matrix unit(int n, int i, int j) {
  Matrix m = Matrix::Zero(n, n);
  m(i - 1, j - 1) = 1;
  return m;
}

std::string text(const Matrix& m) {
  std::string all;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    std::string row;
    for (Eigen::Index j = 0; j < m.cols(); ++j) row += fmt::format("{}{:.17g}", j > 0 ? ", " : "", m(i, j));
    all += (i > 0 ? ", [" : "[") + row + "]";
  }
  return "[" + all + "]";
}

Matrix turn(int n, int i, int j) {
  return unit(n, j, i) - unit(n, i, j);
}

Group similarities() {
  return {"Similarities", 3, {unit(3, 1, 1) + unit(3, 2, 2), turn(3, 1, 2), unit(3, 1, 3), unit(3, 2, 3)}};
}
Group motions() {
  return {"Motions", 4, {turn(4, 1, 2), turn(4, 1, 3), turn(4, 2, 3), unit(4, 1, 4), unit(4, 2, 4), unit(4, 3, 4)}};
}
Group lorentz() {
  return {"Lorentz", 3, {unit(3, 1, 2) + unit(3, 2, 1), unit(3, 1, 3) + unit(3, 3, 1), turn(3, 2, 3)}};
}
/// The form is that of q1 p1 + q2 p2 in the order q1, q2, p1, p2.
Group symplectic() {
  Group g{"Symplectic", 4, {}};
  for (int i = 1; i <= 2; ++i)
    for (int j = 1; j <= 2; ++j) g.basis.push_back(unit(4, i, j) - unit(4, j + 2, i + 2));
  for (int i = 1; i <= 2; ++i)
    for (int j = i; j <= 2; ++j) {
      g.basis.push_back(unit(4, i, j + 2) + (i != j ? unit(4, j, i + 2) : Matrix::Zero(4, 4)));
      g.basis.push_back(unit(4, i + 2, j) + (i != j ? unit(4, j + 2, i) : Matrix::Zero(4, 4)));
    }
  return g;
}
Group unitary() {
  return {"Unitary", 4, {turn(4, 1, 2) + turn(4, 3, 4), turn(4, 1, 4) + turn(4, 2, 3), turn(4, 1, 3), turn(4, 2, 4)}};
}
Group conformal() {
  return {"Conformal", 3, {Matrix::Identity(3, 3), turn(3, 1, 2), turn(3, 1, 3), turn(3, 2, 3)}};
}
Group general() {
  return {"General", 2, {unit(2, 1, 1), unit(2, 1, 2), unit(2, 2, 1), unit(2, 2, 2)}};
}
Group triangular() {
  return {"Triangular", 3, {unit(3, 1, 1), unit(3, 2, 2), unit(3, 3, 3), unit(3, 1, 2), unit(3, 1, 3), unit(3, 2, 3)}};
}
Group squares() {
  return {"Squares", 2, {unit(2, 1, 1) + 2 * unit(2, 2, 2)}};
}
Group cubes() {
  return {"Cubes", 2, {unit(2, 1, 1) + 3 * unit(2, 2, 2)}, false};
}
/// A turn by w with a shift by 0.3 w: no polynomial describes it.
Group screw() {
  return {"Screw", 4, {turn(4, 1, 2) + 0.3 * unit(4, 3, 4)}, false};
}

class Start {
public:
  Start(const Group& g, const Matrix& a) : Start(g, text(a)) {}
  Start(const Group& g, const std::string& point) : pipeline(options()) {
    std::string basis;
    for (const Matrix& e : g.basis) basis += (basis.empty() ? "" : ", ") + text(e);
    const auto n = static_cast<int>(g.basis.size());
    const std::string declaration =
        fmt::format("group {} {{\n  element A : mat({},{});\n  algebra w : {};\n  basis = [{}];\n}}\n", g.name, g.rows,
                    g.rows, n == 1 ? "real" : fmt::format("vec({})", n), basis);
    (void)pipeline.loadText("m.lie", declaration + "model M {\n  config A : " + g.name +
                                         " velocity w;\n  lagrangian = " + (n == 1 ? "w^2" : "dot(w, w)") +
                                         ";\n  initial A = " + point + ";\n}\n");
    (void)pipeline.check();
    if (pipeline.system() == nullptr) return;
    Layer layer(*pipeline.system());
    const sym::Graph::Work work = layer.work();
    data = evaluateInitialData(layer, layoutOf(*pipeline.system()->model), 1, pipeline.compilation().diagnostics());
  }
  std::string messages() const {
    std::string all;
    for (const Diagnostic& d : pipeline.diagnostics().sorted()) all += d.message + "\n";
    return all;
  }
  static PipelineOptions options() {
    PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    return o;
  }
  Pipeline pipeline;
  std::optional<InitialData> data;
};

std::vector<Group> all() {
  return {similarities(), motions(),    lorentz(), symplectic(), unitary(), conformal(),
          general(),      triangular(), squares(), cubes(),      screw()};
}

Matrix random(const Group& g, std::mt19937& engine, int factors) {
  std::normal_distribution<double> normal;
  Matrix a = Matrix::Identity(g.rows, g.rows);
  for (int k = 0; k < factors; ++k) {
    Matrix w = Matrix::Zero(g.rows, g.rows);
    for (const Matrix& e : g.basis) w += normal(engine) * e;
    a = a * w.exp();
  }
  return a;
}

} // namespace

TEST(GroupsByBasis, AcceptTheirElements) {
  std::mt19937 engine(7);
  for (const Group& g : all()) {
    for (int k = 0; k < 6; ++k) {
      const Matrix a = random(g, engine, 1 + k % 3);
      const Start s(g, a);
      ASSERT_TRUE(s.data) << g.name << "\n" << text(a) << "\n" << s.messages();
      EXPECT_EQ(s.messages().empty(), g.described) << g.name << s.messages();
      double moved = 0;
      for (Eigen::Index e = 0; e < a.size(); ++e)
        moved = std::max(moved, std::abs(s.data->state[static_cast<std::size_t>(e)] - a(e / g.rows, e % g.rows)));
      EXPECT_LE(moved, 1e-11 * std::max(1.0, a.cwiseAbs().maxCoeff())) << g.name;
    }
  }
}

// An element and something beside the group: a product with a matrix that moves it off in a random direction.
TEST(GroupsByBasis, RefuseOtherMatrices) {
  std::mt19937 engine(11);
  std::normal_distribution<double> normal;
  for (const Group& g : all()) {
    if (static_cast<int>(g.basis.size()) == g.rows * g.rows) continue;
    for (const double size : {1e-5, 0.3}) {
      Matrix off = Matrix::Identity(g.rows, g.rows);
      for (double& x : off.reshaped()) x += size * normal(engine);
      const Matrix a = random(g, engine, 1) * off;
      EXPECT_FALSE(Start(g, a).data) << g.name << " " << text(a);
    }
  }
}

TEST(GroupsByBasis, RefuseWhatIsSaidToBeBesideThem) {
  const std::vector<std::pair<Group, std::string>> cases = {
      {similarities(), "[[1, 5, 0], [0, -7, 0], [0, 0, 1]]"},
      {similarities(), "[[0, 0, 1], [0, 0, 2], [0, 0, 1]]"},
      {similarities(), "[[2, 1, 0], [1, -2, 0], [0, 0, 1]]"},
      {similarities(), "[[2, -1, 0], [1, 2, 0], [0, 0, 2]]"},
      {motions(), "[[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"},
      {motions(), "diag(2, 0.5, 1, 1)"},
      {lorentz(), "[[1, 1, 0], [0, 1, 0], [0, 0, 1]]"},
      {symplectic(), "diag(2, 0.5, 3, 1/3)"},
      {unitary(), "[[0, 0, -1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]"},
      {conformal(), "diag(1, 2, 3)"},
      {conformal(), "-2*eye(3)"},
      {general(), "[[0, 1], [1, 0]]"},
      {general(), "[[1, 2], [2, 4]]"},
      {triangular(), "[[1, 2, 3], [0, 0, 1], [0, 0, 2]]"},
      {squares(), "diag(3, 8)"},
      {cubes(), "diag(2, 7)"},
      {cubes(), "diag(-2, -8)"},
      {screw(), "[[cos(1), -sin(1), 0, 0], [sin(1), cos(1), 0, 0], [0, 0, 1, 0.31], [0, 0, 0, 1]]"}};
  for (const auto& [group, point] : cases) {
    const Start s(group, point);
    EXPECT_FALSE(s.data) << group.name << " " << point;
    EXPECT_NE(s.messages().find("initial value of `A`"), std::string::npos) << s.messages();
  }
  for (const auto& [group, point] :
       {std::pair{cubes(), "diag(2, 8)"},
        {symplectic(), "diag(2, 3, 0.5, 1/3)"},
        {general(), "-eye(2)"},
        {conformal(), "2*SO(3).exp([1, 2, 3])"},
        {screw(), "[[cos(1), -sin(1), 0, 0], [sin(1), cos(1), 0, 0], [0, 0, 1, 0.3], [0, 0, 0, 1]]"}}) {
    const Start s(group, point);
    EXPECT_TRUE(s.data) << group.name << " " << point << s.messages();
  }
}

TEST(GroupsByBasis, SayWhereEquationsAreTooWeak) {
  for (const Group& g : all()) {
    const Start s(g, "eye(" + std::to_string(g.rows) + ")");
    ASSERT_TRUE(s.data) << g.name << s.messages();
    EXPECT_EQ(s.messages().find("no equations were found") != std::string::npos, !g.described)
        << g.name << s.messages();
  }
}

TEST(GroupsByBasis, AreTestedInsideOfProducts) {
  Pipeline p(Start::options());
  (void)p.loadText("m.lie", "group Sim {\n  element A : mat(2,2);\n  algebra w : vec(2);\n"
                            "  basis = [eye(2), [[0, -1], [1, 0]]];\n}\n"
                            "group Pair {\n  element S : Sim velocity s;\n  element x : R^2 velocity v;\n}\n"
                            "model M {\n  config X : Pair velocity V;\n  lagrangian = dot(V.s, V.s) + dot(V.v, V.v);\n"
                            "  initial X = (S = [[0, 0], [0, 0]], x = [1, 2]);\n}\n");
  (void)p.check();
  ASSERT_NE(p.system(), nullptr) << p.diagnostics().sorted().front().message;
  Layer layer(*p.system());
  const sym::Graph::Work work = layer.work();
  EXPECT_FALSE(evaluateInitialData(layer, layoutOf(*p.system()->model), 1, p.compilation().diagnostics()));
}
