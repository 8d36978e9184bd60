// Variational methods: forces, retractions, Legendre transforms, and what is refused.
#include "Stepper.h"

#include <fstream>
#include <sstream>

using namespace lmc;
using namespace lmc::test;

namespace {

std::optional<Stepper> stepper(Derived& d, const std::string& method) {
  EXPECT_TRUE(d.good) << d.c.text();
  const auto step = d.step(method);
  EXPECT_TRUE(step) << method << "\n" << d.c.text();
  return step ? std::optional<Stepper>(std::in_place, d, *step) : std::nullopt;
}

Numbers run(const std::string& text, const std::string& method, double h, int n) {
  Derived d(text);
  auto s = stepper(d, method);
  return s ? s->run(h, n) : Numbers{};
}

/// Every error of instantiating a method on a model: code and place.
std::vector<std::string> errors(const std::string& text, const std::string& method) {
  Derived d(text);
  EXPECT_TRUE(d.good) << d.c.text();
  const auto step = d.step(method);
  EXPECT_FALSE(step.has_value()) << method;
  return d.c.errors();
}

const char* const damped = R"(
model D {
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - 0.5*dot(x, x) - 0.25*x[1]^2*x[2]^2;
  dissipation = 0.1*v[1]^2 + 0.05*v[2]^2;
  force on x = [sin(t), 0.3];
  initial x = [1, 0.5];  initial v = [0.2, -0.4];
}
)";

const char* const body = R"(
model B {
  config R : SO(3) velocity w;
  lagrangian = 0.5*dot(w, diag(1, 2, 2.5)*w) - dot(e3, R*[0.5, 1, 0.3]);
  initial w = [0.4, -0.7, 1.1];
}
)";

} // namespace

// Midpoint on R^n with forces, written out (Marsden, West 2001, section 3.2): with xm = (x0 + x1)/2, u = (x1 - x0)/h
// and the force F at (xm, u, t + h/2),  p0 = u - h/2 (dV)(-1) ..., that is
//   p0 = u + h/2 dV(xm) - h/2 F,   p1 = u - h/2 dV(xm) + h/2 F.
TEST(Variational, ForcesEnterByTheQuadratureOfL) {
  constexpr double h = 0.1;
  double x[2] = {1, 0.5}, p[2] = {0.2, -0.4};
  for (int n = 0; n < 10; ++n) {
    double u[2] = {p[0], p[1]}, g[2] = {0, 0};
    for (int k = 0; k < 200; ++k) { // a contraction with factor of the order of h
      const double a = x[0] + h / 2 * u[0], b = x[1] + h / 2 * u[1], t = n * h + h / 2;
      g[0] = -a - 0.5 * a * b * b - 0.2 * u[0] + std::sin(t);
      g[1] = -b - 0.5 * a * a * b - 0.1 * u[1] + 0.3;
      for (int i = 0; i < 2; ++i) u[i] = p[i] + h / 2 * g[i];
    }
    for (int i = 0; i < 2; ++i) {
      x[i] += h * u[i];
      p[i] = u[i] + h / 2 * g[i];
    }
  }
  expectNear(run(damped, "VIMidpoint", h, 10), {x[0], x[1], p[0], p[1]}, 1e-13);
}

TEST(Variational, GivenForcesReplaceThoseOfTheQuadrature) {
  const std::string same = std::string(R"(
variational Given order 2 {
  discrete lagrangian(q, xi) = h*L(retract(q, xi/2), xi/h, t + h/2);
  discrete force left(q, xi)  = h/2*F(retract(q, xi/2), xi/h, t + h/2);
  discrete force right(q, xi) = h/2*F(retract(q, xi/2), xi/h, t + h/2);
}
variational NoForce order 2 {
  discrete lagrangian(q, xi) = h*L(retract(q, xi/2), xi/h, t + h/2);
  discrete force left(q, xi)  = 0*F(q, xi/h, t);
}
)") + damped;
  EXPECT_LT(distance(run(same, "Given", 0.1, 10), run(same, "VIMidpoint", 0.1, 10)), 1e-13);
  EXPECT_GT(distance(run(same, "NoForce", 0.1, 10), run(same, "VIMidpoint", 0.1, 10)), 1e-2);
}

// A Lagrangian that is not quadratic in the velocity: the particle of special relativity in a field. Its momentum
// p = v/sqrt(1 - v^2) obeys p' = a, so that Verlet's method is exact in p.
TEST(Variational, LagrangiansNeedNotBeQuadratic) {
  const char* const particle = R"(
model P {
  param a = 0.7;
  config x : R velocity v;
  lagrangian = -sqrt(1 - v^2) + a*x;
  initial v = 0.3;
}
)";
  for (const char* method : {"VITrapezoid", "VIMidpoint", "VIGauss4"}) {
    const Numbers y = run(particle, method, 0.1, 10);
    const double p = 0.3 / std::sqrt(1 - 0.09) + 0.7;
    ASSERT_EQ(y.size(), 2U);
    EXPECT_NEAR(y[1], p / std::sqrt(1 + p * p), 1e-13) << method;
  }
}

TEST(Variational, EveryRetractionWillDo) {
  std::ifstream group(std::string(LMC_SOURCE_DIR) + "/tests/acceptance/models/plane_group.lie");
  std::ostringstream rolling;
  rolling << group.rdbuf() << R"(
model M {
  config X : Plane velocity V;
  lagrangian = 0.5*V[1]^2 + 0.8*V[2]^2 + 0.4*V[3]^2 - 0.3*X[2] - 0.2*X[1]^2 - sin(X[3]);
  initial V = [0.3, 0.2, 0.9];
}
)";
  // Two methods of order 2 differ by O(h^2).
  for (const char* retraction : {"cay", "second_kind"}) {
    const bool onBody = std::string(retraction) == "cay";
    const std::string text = onBody ? std::string(body) : rolling.str();
    const std::string method = std::string("VIMidpoint(retract = ") + retraction + ")";
    const double coarse = distance(run(text, method, 0.02, 20), run(text, "VIMidpoint", 0.02, 20));
    const double fine = distance(run(text, method, 0.01, 40), run(text, "VIMidpoint", 0.01, 40));
    EXPECT_GT(fine, 1e-9) << retraction;
    const double power = onBody ? 4 : 2; // a map that is not symmetric in u leaves order 1
    EXPECT_NEAR(coarse / fine, power, 0.3) << retraction;
  }
}

// The trapezoidal method is its own adjoint, wherever it stands.
TEST(Variational, AdjointsMayStandAnywhereInAComposition) {
  const std::string text = std::string(R"(
method First order 2 = compose(adjoint(VITrapezoid), VITrapezoid; 1/2, 1/2);
method Nested order 2 = compose(adjoint(First), adjoint(adjoint(VITrapezoid)); 1/2, 1/2);
method Plain order 2 = compose(VITrapezoid; 1/2, 1/2);
method Quarters order 2 = compose(VITrapezoid; 1/4, 1/4, 1/2);
)") + body;
  EXPECT_LT(distance(run(text, "First", 0.1, 4), run(text, "Plain", 0.1, 4)), 1e-13);
  EXPECT_LT(distance(run(text, "Nested", 0.1, 4), run(text, "Quarters", 0.1, 4)), 1e-13);
}

TEST(Variational, SpaceAndBodyAgreeOnTheSphericalTop) {
  const auto text = [](const std::string& frame) {
    return "model S {\n  config R : SO(3) velocity w in " + frame +
           ";\n  lagrangian = 0.8*dot(w, w) - dot(e3, R*[0.5, 1, 0.3]);\n  initial w = [0.4, -0.7, 1.1];\n}\n";
  };
  for (const char* method : {"VIMidpoint", "VITrapezoid", "VIGauss4", "DMV"}) { // R begins at the identity
    const Numbers a = run(text("body"), method, 0.1, 10);
    const Numbers b = run(text("space"), method, 0.1, 10);
    ASSERT_EQ(a.size(), 12U);
    EXPECT_LT(distance({a.begin(), a.begin() + 9}, {b.begin(), b.begin() + 9}), 1e-13) << method;
  }
}

TEST(Variational, RefusesWhatItCannotStep) {
  const std::string hamiltonian =
      "model H {\n  config R : SO(3) momentum p;\n  hamiltonian = 0.5*dot(p, p);\n  initial p = e1;\n}\n";
  const std::string flow = "model F {\n  state q : S^2;\n  flow q = e3;\n  initial q = e1;\n}\n";
  const std::string sphere =
      "model S {\n  config q : S^2 velocity w;\n  lagrangian = 0.5*dot(w, w);\n  initial q = e1;\n}\n";
  const std::string varying =
      "model V {\n  config R : SO(3) velocity w;\n  lagrangian = (1 + dot(e1, R*e2)^2)*dot(w, w);\n}\n";
  for (const char* method : {"VIMidpoint", "VLV", "ELNh"}) {
    for (const std::string& model : {hamiltonian, flow}) {
      const auto list = errors(model, method);
      ASSERT_EQ(list.size(), 1U) << method << model;
      EXPECT_TRUE(list[0].starts_with("LIE0512")) << list[0];
    }
  }
  for (const std::string& model : {sphere, varying}) EXPECT_TRUE(errors(model, "VLV").at(0).starts_with("LIE0512"));
  EXPECT_TRUE(errors(body, "VLV(retract = nothing)").at(0).starts_with("LIE0505"));
  EXPECT_TRUE(errors(damped, "VIMidpoint(retract = nothing)").at(0).starts_with("LIE0505"));
}

TEST(Variational, IncompleteMethodsAreReportedAtTheirPlace) {
  const struct {
    const char* body;
    const char* error;
  } cases[] = {
      {"let a = 1/2;", "LIE0513 1:13-13"},
      {"discrete lagrangian(q) = h;", "LIE0513 1:17-24"},
      {"discrete lagrangian(q, xi) = xi;", "LIE0513 1:46-47"},
      {"discrete lagrangian(q, xi) = h*L(q, xi/h, t); discrete lagrangian(q, xi) = h*L(q, xi/h, t);",
       "LIE0513 1:63-70"},
      {"discrete lagrangian(q, xi) = h*L(q, xi/h, t); discrete force left(q, xi) = xi;", "LIE0513 1:92-93"},
      {"discrete lagrangian(q, xi) = h*L(q, xi/h); ", "LIE0505 1:48-57"},
      {"discrete lagrangian(q, xi) = h*L(q + q, xi/h, t); ", "LIE0505 1:50-54"},
  };
  for (const auto& c : cases) {
    const std::string text = std::string("variational M { ") + c.body + " }\n" + body;
    const auto list = errors(text, "M");
    ASSERT_FALSE(list.empty()) << c.body;
    EXPECT_EQ(list[0], c.error) << c.body;
    EXPECT_EQ(list.size(), 1U) << c.body;
  }
}
