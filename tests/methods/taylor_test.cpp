// Methods on `jets`: against a plain program in long double, against other methods, and what holds at the end of every
// step. The rules of series have tests of their own (tests/lower/series_test.cpp).
#include "methods/Stepper.h"

#include <Eigen/Dense>
#include <fmt/format.h>

using namespace lmc;
using namespace lmc::test;

namespace {

using Matrix = Eigen::Matrix<long double, 3, 3>;
using Vector = Eigen::Matrix<long double, 3, 1>;

Matrix hat(const Vector& w) {
  Matrix m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}

/// The rotation next to a matrix.
Matrix nearest(const Matrix& m) {
  const Eigen::JacobiSVD<Matrix> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

/// R' = R hat(w), J w' = Jw x w - m g (c x R^T e3): order by order, the recursion written by hand.
void topStep(Matrix& r, Vector& w, long double h, int p, const Vector& inertia, const Vector& c, long double g) {
  std::vector<Matrix> rs = {r};
  std::vector<Vector> ws = {w};
  for (int n = 0; n < p; ++n) {
    Matrix dr = Matrix::Zero();
    Vector dw = Vector::Zero();
    for (int k = 0; k <= n; ++k) {
      dr += rs[k] * hat(ws[n - k]);
      dw += Vector(inertia.cwiseProduct(ws[k])).cross(ws[n - k]);
    }
    dw -= g * c.cross(Vector(rs[n].row(2).transpose()));
    rs.push_back(dr / (n + 1));
    ws.push_back(dw.cwiseQuotient(inertia) / (n + 1));
  }
  r.setZero();
  w.setZero();
  for (int n = p; n >= 0; --n) {
    r = h * r + rs[n];
    w = h * w + ws[n];
  }
  r = nearest(r);
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

std::string taylor(int p) {
  return fmt::format("Taylor(p = {})", p);
}

const std::string top = "model T {\n  config R : SO(3) velocity w;\n"
                        "  lagrangian = 0.5*dot(w, diag(1, 2, 3)*w) - 1.3*dot(e3, R*[0.5, 1, 0.3]);\n"
                        "  initial w = [0.4, 1, -0.7];\n}\n";

const std::string chain =
    "model C {\n  config q[3] : S^2 velocity w;\n"
    "  lagrangian = 0.5*sum(i in 1..3: dot(w[i], w[i])) + 0.3*dot(cross(w[1], q[1]), cross(w[2], q[2]))"
    " - sum(i in 1..3: dot(e3, q[i])) - dot(q[2], q[3])^2;\n"
    "  for i in 1..3 { initial q[i] = normalize([1, i, 0.5]); initial w[i] = cross(normalize([1, i, 0.5]), [0.3, "
    "-0.2*i, 0.5]); }\n}\n";

/// Members of a family that is too long to be written out, coupled in a sum over pairs, with masses that depend on
/// where they are.
const std::string pairs =
    "model P {\n  param m[i in 1..11] = 1 + 0.1*i;\n  config q[11] : S^2 velocity w;\n"
    "  lagrangian = 0.5*sum(i in 1..11: m[i]*(1 + 0.2*q[i][3]^2)*dot(w[i], w[i]))"
    " - sum(i in 1..11, j in i+1..11: 1/(2.2 - dot(q[i], q[j])));\n"
    "  for i in 1..11 { initial q[i] = normalize([cos(i), sin(2*i), 0.3*i - 1]);\n"
    "    initial w[i] = cross(normalize([cos(i), sin(2*i), 0.3*i - 1]), [0.3, -0.2, 0.1*i]); }\n}\n";

const std::string forced = "model F {\n  input u = 0.3*sin(2*t);\n  config x : R^2 velocity v;\n  state z : R;\n"
                           "  lagrangian = 0.5*dot(v, v) - 0.25*dot(x, x)^2 - sqrt(1 + t)*x[1];\n"
                           "  force on x = [u - 0.1*v[1], -z*v[2]];\n  flow z = exp(-z) - atan2(x[1], 2 + x[2]);\n"
                           "  initial x = [0.5, 0.2];  initial v = [0.1, 0.4];  initial z = 0.2;\n}\n";

const std::string hamiltonian =
    "model H {\n  config q : S^2 momentum p;\n  hamiltonian = 0.5*dot(p, p) + q[3] + q[1]*q[2];\n"
    "  initial q = [0.6, 0.8, 0];\n  initial p = [0, 0, 1.3];\n}\n";

const std::string stumpff = // cosines and sines of lengths, which the compiler takes for Stumpff functions
    "model E {\n  state R : SO(3) in space;\n  state k : R^3;\n"
    "  flow R = [cos(norm(k)), k[1]*sin(norm(k))/norm(k), cosh(norm(k)/2)];\n"
    "  flow k = [0.2 - k[2], k[1], 0.1*t];\n  initial k = [0.4, 0.1, -0.3];\n}\n";

double error(const Numbers& a, const Numbers& b) {
  return distance(a, b);
}

} // namespace

TEST(Taylor, IsTheSeriesOfAPlainProgram) {
  for (const int p : {3, 7, 15}) {
    const Numbers y = run(top, taylor(p), 0.15, 12);
    ASSERT_EQ(y.size(), 12U);
    Matrix r = Matrix::Identity();
    Vector w(0.4L, 1, -0.7L);
    // A step of a low degree is put back by turns of Newton's method, which find the nearest rotation.
    for (int k = 0; k < 12; ++k) topStep(r, w, 0.15L, p, {1, 2, 3}, {0.5L, 1, 0.3L}, 1.3L);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(y[static_cast<std::size_t>(3 * i + j)], double(r(i, j)), 1e-14) << p;
      EXPECT_NEAR(y[static_cast<std::size_t>(9 + i)], double(w[i]), 1e-14) << p;
    }
  }
}

TEST(Taylor, FindsTheMotionsOfOtherMethods) {
  for (const std::string& model : {top, chain, pairs, forced, hamiltonian, stumpff}) {
    const Numbers own = run(model, taylor(14), 0.05, 20), other = run(model, "P853", 0.0125, 80);
    EXPECT_LT(error(own, other), 2e-11) << model;
  }
}

/// The order is the degree: errors against a method of another kind, with steps at which they are far above rounding.
TEST(Taylor, HasTheOrderOfItsDegree) {
  for (const std::string& model : {top, chain}) {
    const Numbers reference = run(model, "P853", 1.6 / 800, 800);
    for (const int p : {4, 6, 8, 12, 16, 20}) {
      double h = 0.8, coarse = 1;
      for (int n = 2; n < 4000; n *= 2, h /= 2) {
        // Only where the step is allowed at all, and the coarse error small enough to be that of the last term.
        Derived d(model);
        const auto step = d.step(taylor(p));
        ASSERT_TRUE(step);
        Stepper stepper(d, *step);
        const Numbers y = stepper.run(h, n);
        if (stepper.status != runtime::Ok) continue;
        coarse = error(y, reference);
        if (coarse < 3e-4) break;
      }
      const double fine = error(run(model, taylor(p), h / 2, static_cast<int>(std::lround(1.6 / (h / 2)))), reference);
      ASSERT_LT(coarse, 3e-4);
      if (fine > 1e-11)
        EXPECT_GT(std::log2(coarse / fine), 0.85 * p) << p << ": " << coarse << ", " << fine;
      else
        EXPECT_LT(fine, coarse * std::exp2(-0.85 * p) + 1e-11) << p << ": " << coarse << ", " << fine;
    }
  }
}

TEST(Taylor, HoldsPointsAndVelocitiesOfAFamily) {
  const Numbers y = run(pairs, taylor(10), 0.05, 30);
  ASSERT_EQ(y.size(), 66U);
  for (std::size_t i = 0; i < 11; ++i) { // q of all members, then w
    const Eigen::Vector3d q(y[3 * i], y[3 * i + 1], y[3 * i + 2]), w(y[33 + 3 * i], y[34 + 3 * i], y[35 + 3 * i]);
    EXPECT_NEAR(q.squaredNorm(), 1, 9e-16);
    EXPECT_NEAR(q.dot(w), 0, 9e-16 * std::max(1.0, w.norm()));
  }
}

TEST(Taylor, StepsThatAreTooLongFail) {
  (void)run(top, taylor(8), 3, 1, runtime::FarFromManifold);
}

TEST(Taylor, DegreesShareOneSeries) {
  const std::string mine = "method Mine order 5(4) on jets {\n  Y = taylor(t, y, h, 5);\n  next y = onto(Y);\n"
                           "  embedded y = taylor(t, y, h, 4);\n}\n";
  Derived d(mine + top);
  const auto step = d.step("Mine");
  ASSERT_TRUE(step) << d.c.text();
  EXPECT_EQ(step->evaluations, 1);
  EXPECT_LT(error(run(mine + top, "Mine", 0.1, 10), run(top, taylor(5), 0.1, 10)), 4e-15);
}

TEST(Taylor, IsRefusedWithTheReason) {
  const auto refused = [](const std::string& text, const std::string& method, const std::string& code,
                          const std::string& reason) {
    Derived d(text);
    EXPECT_FALSE(d.good && d.step(method)) << text;
    ASSERT_EQ(d.c.errors().size(), 1U) << d.c.text();
    EXPECT_EQ(d.c.errors()[0].substr(0, 7), code) << d.c.text();
    EXPECT_NE(d.c.text().find(reason), std::string::npos) << d.c.text();
  };
  refused("model P {\n  config x : R^3 velocity v;\n  lagrangian = 0.5*dot(v, v) - x[3];\n"
          "  constraint round : dot(x, x) = 1;\n  initial x = e1;\n}\n",
          "Taylor", "LIE0512", "constraint `round`");
  refused("method Back = adjoint(Taylor);\nmodel F {\n  state z : R;\n  flow z = -z;\n  initial z = 1;\n}\n", "Back",
          "LIE0512", "series");
  refused("method Twice = compose(Taylor, Taylor; 1/2, 1/2);\nmethod Back = adjoint(Twice);\n"
          "model F {\n  state z : R;\n  flow z = -z;\n  initial z = 1;\n}\n",
          "Back", "LIE0512", "series");
  const std::string line = "model F {\n  state z : R;\n  flow z = -z;\n  initial z = 1;\n}\n";
  refused("method M order 1 on jets {\n  solve k : k = taylor(t, y + k, h, 2);\n  next y = k;\n}\n" + line, "M",
          "LIE0501", "`solve`");
  refused("method M order 1 on jets {\n  next y = taylor(t, y, h, 2.5);\n}\n" + line, "M", "LIE0505", "whole number");
  refused(line, "Taylor(p = 61)", "LIE0505", "whole number");
}

TEST(Taylor, ComposesWithItself) {
  const std::string twice = "method Twice = compose(Taylor, Taylor; 1/3, 2/3);\n";
  const Numbers y = run(twice + top, "Twice", 0.15, 1);
  Numbers z = run(top, taylor(12), 0.05, 1);
  Derived d(top);
  const auto step = d.step(taylor(12));
  ASSERT_TRUE(step);
  Stepper stepper(d, *step);
  EXPECT_LT(error(y, stepper.run(0.1, 1, z)), 4e-15);
}

TEST(Taylor, TakesItsDegreeFromTheTolerance) {
  const auto degree = [](const std::string& simulate) {
    const std::string text =
        top.substr(0, top.rfind('}')) + "  simulate { method = Taylor; time = 0..1; " + simulate + " }\n}\n";
    Derived d(text);
    EXPECT_TRUE(d.good) << d.c.text();
    const auto step = d.step("Taylor");
    EXPECT_TRUE(step) << d.c.text();
    return step ? step->order : 0;
  };
  EXPECT_EQ(degree("step = 0.1;"), 12);
  EXPECT_EQ(degree("tolerance = 1e-3;"), 8);
  EXPECT_EQ(degree("tolerance = 1e-8;"), 12);
  EXPECT_EQ(degree("tolerance = 1e-10;"), 16);
  EXPECT_EQ(degree("tolerance = 1e-15;"), 20);
}

/// What the error of a step is known to be before it: the last terms, found here as differences of steps of one degree
/// and the next, without `onto`.
TEST(Taylor, KnowsTheSizeOfItsLastTerms) {
  const auto sum = [](int degree) {
    return fmt::format("method S{0} order {0} on jets {{\n  next y = taylor(t, y, h, {0});\n}}\n", degree);
  };
  const std::string text = sum(3) + sum(4) + sum(5) +
                           "method Mine order 5(3) on jets {\n  Y = taylor(t, y, h, 5);\n  next y = onto(Y);\n"
                           "  embedded y = taylor(t, y, h, 3);\n}\n" +
                           top;
  constexpr double h = 0.02;
  Derived d(text);
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step("Mine");
  ASSERT_TRUE(step && step->series) << d.c.text();
  EXPECT_EQ(step->series->first, 4);
  EXPECT_EQ(step->series->last, 5);
  const methods::ErrorEstimate estimate = methods::errorEstimate(d.layer(), *step);
  ASSERT_EQ(estimate.pieces.size(), 2U);
  const sema::Model& model = *d.c.model;
  const products::Layout layout = products::layoutOf(model);
  unit::UnitBuilder unit(d.program());
  products::readModel(unit, model, layout);
  unit.argument(step->stepSize, 1);
  const auto tolerances = [&](const char* name, const sym::Array* array) {
    const runtime::Field f = unit.place(unit::numbersField(runtime::Role::Params, name, 2));
    unit.reads(array, f);
    return static_cast<std::size_t>(f.offset);
  };
  const std::size_t absolute = tolerances("absolute", estimate.tolerances.absolute);
  const std::size_t relative = tolerances("relative", estimate.tolerances.relative);
  const runtime::Field errors = unit.place(unit::numbersField(runtime::Role::Output, "errors", 2));
  const int function = unit.function("errors", 2, unit::UnitBuilder::into(errors, estimate.squares));
  const tape::Module module = unit.build().module;
  const auto data = products::evaluateInitialData(d.layer(), layout, std::nullopt, d.c.compilation->diagnostics());
  ASSERT_TRUE(data) << d.c.text();
  std::vector<Numbers> memory;
  runtime::Bases bases;
  for (int r = 0; r < runtime::roleCount; ++r) memory.emplace_back(static_cast<std::size_t>(module.roleSize[r]) + 1);
  Numbers& params = memory[static_cast<int>(runtime::Role::Params)];
  std::copy(data->params.begin(), data->params.end(), params.begin());
  params[absolute] = 1e-3; // of R
  params[relative] = 2e-3;
  params[absolute + 1] = 4e-3; // of w
  std::copy(data->state.begin(), data->state.end(), memory[static_cast<int>(runtime::Role::State)].begin());
  for (int r = 0; r < runtime::roleCount; ++r) bases.base[r] = memory[static_cast<std::size_t>(r)].data();
  ASSERT_EQ(tape::interpret(module, 0, bases, nullptr), runtime::Ok);
  const double arguments[] = {0, h};
  ASSERT_EQ(tape::interpret(module, function, bases, arguments), runtime::Ok);
  const Numbers& squares = memory[static_cast<int>(runtime::Role::Output)];

  const Numbers s[] = {run(text, "S3", h, 1), run(text, "S4", h, 1), run(text, "S5", h, 1)};
  const Numbers& y = data->state;
  double ofR = 0, ofW = 0;
  for (int k = 0; k < 2; ++k) {
    Eigen::Matrix3d r, term;
    Eigen::Vector3d w;
    for (int i = 0; i < 3; ++i) {
      w[i] = s[k + 1][9 + i] - s[k][9 + i];
      for (int j = 0; j < 3; ++j) {
        r(i, j) = y[3 * i + j];
        term(i, j) = s[k + 1][3 * i + j] - s[k][3 * i + j];
      }
    }
    const Eigen::Matrix3d u = r.transpose() * term;
    ofR += 0.5 * Eigen::Vector3d(u(2, 1) - u(1, 2), u(0, 2) - u(2, 0), u(1, 0) - u(0, 1)).norm();
    ofW += w.norm();
  }
  const auto at = static_cast<std::size_t>(errors.offset);
  EXPECT_NEAR(std::sqrt(squares[at]), ofR / 3e-3, 1e-7 * ofR / 3e-3);
  EXPECT_NEAR(std::sqrt(squares[at + 1]), ofW / 4e-3, 1e-7 * ofW / 4e-3);
}

TEST(Taylor, KnowsNoErrorOfAnotherPair) {
  for (const char* embedded :
       {"onto(taylor(t, y, h, 3))", "taylor(t, y, h/2, 3)", "taylor(t, y, h, 5)", "taylor(t + h, y, h, 3)", "y"}) {
    Derived d(std::string("method Mine order 5(3) on jets {\n  next y = onto(taylor(t, y, h, 5));\n  embedded y = ") +
              embedded + ";\n}\n" + top);
    const auto step = d.step("Mine");
    ASSERT_TRUE(step) << embedded << d.c.text();
    EXPECT_FALSE(step->series) << embedded;
    EXPECT_FALSE(step->embedded.empty()) << embedded;
  }
}

/// Where the state or the time decides which formula holds; sizes and parameters that decide are no matter.
TEST(Taylor, KnowsNoErrorWhereEquationsHaveBranches) {
  const auto known = [](const std::string& force) {
    Derived d("model M {\n  param n : int = 3;\n  param a = 2;\n  param s[n] = 1;\n"
              "  config q[n] : S^2 velocity w;\n  config x : R velocity v;\n  let size = max(a, abs(s[1]));\n"
              "  lagrangian = sum(i in 1..n: 0.5*dot(q[i]', q[i]')) + 0.5*v^2;\n  force on x = " +
              force + ";\n  initial q[i in 1..n] = e1;\n  simulate { method = Taylor; tolerance = 1e-6; }\n}\n");
    const auto step = d.step("Taylor");
    EXPECT_TRUE(step) << force << d.c.text();
    return step && step->series;
  };
  for (const char* force : {"size*x", "sum(i in 1..n: if i > 2 then x*s[i] else q[i][1])", "if a > 1 then x else 0",
                            "floor(a)*sin(x)", "sinc(x)*norm(q[1] - 2*e2)"})
    EXPECT_TRUE(known(force)) << force;
  for (const char* force : {"abs(x)", "if t > 1 then 1 else 0", "min(v, a)", "floor(t)", "s[floor(t) + 1]",
                            "sum(i in 1..n: if q[i][1] > 0 then 1 else 2)", "max(0, x)^2"})
    EXPECT_FALSE(known(force)) << force;
}
