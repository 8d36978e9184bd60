// Steppers have their order on every manifold of the library: a body in a potential without symmetry on each.
#include "acceptance/Tool.h"

#include <cctype>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A model on one manifold: its statements with X the configuration and u its velocity.
struct OnManifold {
  const char* manifold;
  const char* lagrangian;
  const char* initial;

  friend std::ostream& operator<<(std::ostream& out, const OnManifold& m) { return out << m.manifold; }
};

constexpr const char* ofVectors = "0.5*dot(u, [u[1] + 0.2*u[2], 2*u[2] + 0.2*u[1], 1.5*u[3]])";

const OnManifold cases[] = {
    {"R", "0.5*u^2 - cos(X)", "initial X = 0.4; initial u = 0.7;"},
    {"R^3", "K - dot(X, X) - cos(X[1]*X[2] + X[3])", "initial X = [0.4, 0.1, -0.3]; initial u = [0.7, 1, -0.5];"},
    {"T^3", "K + cos(X[1] - X[2]) + cos(X[2] - 2*X[3])", "initial X = [0.4, 0.1, -3]; initial u = [0.7, 1, -0.5];"},
    {"SO(2)", "0.5*u^2 - X[1,1] - 0.3*X[2,1]*X[1,1]", "initial u = 0.7;"},
    {"S^1", "0.5*u^2 - X[1] - 0.3*X[2]*X[1]", "initial X = [0.6, 0.8]; initial u = 0.7;"},
    {"SO(3)", "K - 2*X[1,3] - X[2,1]*X[3,3]", "initial u = [0.7, 1, -0.5];"},
    {"SU(2)", "K - 2*X[1]*X[3] - X[2]^2", "initial u = [0.7, 1, -0.5];"},
    {"S^2", "0.5*dot(u, u) + 0.2*u[1]^2 - X[3] - X[1]*X[2]", "initial X = [0.6, 0.8, 0]; initial u = [0, 0, 1.3];"},
    {"SE(2)", "0.5*(1.5*u.w^2 + dot(u.v, u.v) + 0.4*u.w*u.v[1]) - dot(X.x, X.x) - X.R[1,1]*X.x[1]",
     "initial u = (w = 0.8, v = [0.5, -1]); initial X.x = [0.3, 0.2];"},
    {"SE(3)",
     "0.5*dot(u.w, diag(1, 2, 1.5)*u.w) + 0.5*dot(u.v, u.v) + 0.3*dot(u.w, u.v) - dot(X.x, X.x) - X.R[1,2]*X.x[1]",
     "initial u = (w = [0.7, 1, -0.5], v = [0.5, 0, -1]); initial X.x = [0.3, 0.2, 0.1];"},
    {"SE_2(3)",
     "0.5*dot(u.w, diag(1, 2, 1.5)*u.w) + 0.5*dot(u.v, u.v) + dot(u.a, u.a) + 0.3*dot(u.a, u.v)"
     " - dot(X.x, X.x) - X.R[1,2]*X.x[1] - dot(X.v, X.v) - dot(X.v, X.R*X.x)",
     "initial u = (w = [0.7, 1, -0.5], a = [0.3, 0.6, 0], v = [0.5, 0, -1]); initial X.x = [0.3, 0.2, 0.1];"},
    {"SL(2)", "K - 0.5*trace(transpose(X)*X)", "initial u = [0.4, 1, -0.7];"},
    {"Heisenberg(1)", "0.5*(u.a^2 + 2*u.b^2 + 1.5*u.c^2) - X.x^2 - cos(X.y) - X.z^2 - X.x*X.z",
     "initial u = (a = 0.4, b = 1, c = -0.7);"},
    {"Heisenberg(2)",
     "0.5*(dot(u.a, u.a) + 2*dot(u.b, u.b) + 1.5*u.c^2) - dot(X.x, X.x) - cos(X.y[1] + X.x[2]) - X.z^2",
     "initial u = (a = [0.4, 0.3], b = [1, -1], c = -0.7);"},
    // without closed forms: the exponential of general matrices, dexp and dexpinv of any algebra
    {"SO(4)", "0.5*dot(u, diag(1, 2, 3, 1.5, 2.5, 1.2)*u) - 2*X[1,3] - X[2,1]*X[4,4]",
     "initial u = [0.7, 1, -0.5, 0.3, 0, 0.4];"},
    {"SL(3)", "0.5*dot(u, diag(1, 2, 3, 1.5, 2.5, 1.2, 1, 2)*u) - 0.5*trace(transpose(X)*X)",
     "initial u = [0.3, 0.5, -0.2, 0.3, 0, 0.4, 0.1, -0.3];"},
    {"S^3", "0.5*dot(u, u) + 0.2*u[1]^2 - 2*X[1]*X[2] - X[4]^3 - X[3]", "initial X = [0.6, 0, 0.8, 0];"},
    {"Stiefel(4,2)", "0.5*dot(u, u) + 0.3*u[1]^2 - X[1,1]*X[2,2] - 2*X[3,1] - X[4,2]*X[3,1]", ""},
    {"Grassmann(4,2)", "0.5*dot(u, u) + 0.2*u[2]^2 - X[1,3] - 2*X[2,4]*X[1,1]", ""},
    {"DirectProduct(SO(3),R^2)",
     "0.5*dot(u.u, diag(1, 2, 1.5)*u.u) + 0.5*dot(u.v, u.v) + 0.3*u.u[1]*u.v[2] - X.g[1,3] - X.h[1]*X.g[2,2]"
     " - dot(X.h, X.h)",
     "initial u.u = [0.7, 1, -0.5]; initial X.h = [0.4, 0.2];"},
    {"TangentBundle(SO(3))",
     "0.5*dot(u.u, diag(1, 2, 1.5)*u.u) + 0.5*dot(u.a, u.a) + 0.3*dot(u.u, u.a) - X.g[1,3] - dot(X.x, X.x)"
     " - X.x[1]*X.g[2,2]",
     "initial u = (u = [0.7, 1, -0.5], a = [0.3, 0, 0.2]);"},
    {"CotangentBundle(SE(2))",
     "0.5*(u.u.w^2 + dot(u.u.v, u.u.v) + 1.5*u.a.w^2 + dot(u.a.v, u.a.v)) + 0.2*u.u.w*u.a.v[1] - X.g.R[1,2] - X.m.w^2"
     " - dot(X.m.v, X.m.v) - X.g.x[1]*X.m.v[2]",
     "initial u.u = (w = 0.7, v = [1, -0.5]);"},
};

std::string modelOf(const OnManifold& m) {
  std::string lagrangian = m.lagrangian;
  if (lagrangian.starts_with("K")) lagrangian = ofVectors + lagrangian.substr(1);
  return std::string("model M {\n  config X : ") + m.manifold + " velocity u;\n  lagrangian = " + lagrangian + ";\n  " +
         m.initial + "\n  simulate { method = RKMK4; time = 0..1; step = 0.01; }\n}\n";
}

class LibraryOrders : public testing::TestWithParam<OnManifold> {};

} // namespace

TEST_P(LibraryOrders, AreTheDeclaredOnes) {
  const Workspace w;
  const Outcome outcome = w.lmc(
      {"order", w.write("model.lie", modelOf(GetParam())).string(), "--methods", "RKMK4,CF4,VIMidpoint,P4", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto results = parseJson(outcome.out).at("results");
  ASSERT_EQ(results.size(), 4U);
  for (const auto& r : results) {
    const double declared = r.at("declared");
    EXPECT_TRUE(r.at("asymptotic")) << r;
    EXPECT_GT(r.at("order").get<double>(), declared - 0.15) << r; // as in orders_test
  }
}

INSTANTIATE_TEST_SUITE_P(Manifolds, LibraryOrders, testing::ValuesIn(cases), [](const auto& p) {
  std::string name;
  for (const char c : std::string(p.param.manifold)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
});
