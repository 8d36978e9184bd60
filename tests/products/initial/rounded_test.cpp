// Points and velocities that are written with 9 to 15 digits: accepted on every manifold, and moved by about as much as
// they were rounded. The reference is decimal rounding itself: a point in full, and what printf makes of it.
#include "products/Pipeline.h"
#include "products/initial/Initial.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::mechanics;
using namespace lmc::products;
using namespace lmc::sema;
using namespace lmc;

namespace {

struct Case {
  std::string manifold;
  std::string declarations; ///< of the manifold, where it is not of the library
  std::string point;        ///< a point in full; empty: a random one
  std::string velocity;     ///< one that fits the point X; empty: none
  std::string energy = "dot(V, V)";
};

const std::string Redundant = R"(
manifold Twice {
  point q : vec(3);  group SO(3);
  action(A, q) = A*q;  horizontal(q, w) = dot(q, w);
  random = normalize(normal(0, 1, 3));
  holds dot(q, q) = 1, dot(q, q)^2 = 1, 1e-9*dot(q, q) = 1e-9, norm(q) = 1, dot(q, q)*q[1] = q[1];
}
manifold Speck {
  point q : vec(3);  group SO(3);
  action(A, q) = A*q;  horizontal(q, w) = dot(q, w)*1e6;
  random = 1e-6*normalize(normal(0, 1, 3));
  holds dot(q, q) = 1e-12;
}
manifold Globe {
  point q : vec(3);  group SO(3);
  action(A, q) = A*q;  horizontal(q, w) = dot(q, w);
  random = 6.4e6*normalize(normal(0, 1, 3));
  holds dot(q, q) = 4.096e13;
}
manifold Planes {
  point P : mat(4,4);  group SO(4);
  fn mixed(P, W) = P*W + W*P - 2*P*W*P;
  action(A, P)  = A*P*transpose(A);
  project(P, w) = SO(4).vee(mixed(P, SO(4).hat(w)));
  base = diag(1, 1, 0, 0);
  holds P*P*P = P, transpose(P) = P, P*P = P, trace(P) = 2, trace(P*P) = 2;
}
manifold Ellipsoid {
  point z : vec(3);  group SO(3);
  fn D(k) = if k == 1 then 1 else if k == 2 then 40 else 1e3;
  fn S(z) = [z[1]/D(1), z[2]/D(2), z[3]/D(3)];
  fn L(q) = [D(1)*q[1], D(2)*q[2], D(3)*q[3]];
  action(A, z) = L(A*S(z));
  horizontal(z, w) = dot(S(z), w);
  random = L(normalize(normal(0, 1, 3)));
  holds dot(S(z), S(z)) = 1;
}
group Orthogonal {
  element R : mat(3,3);  algebra w : vec(3);
  identity = eye(3);  product(A, B) = A*B;  inverse(A) = transpose(A);  bracket(u, v) = cross(u, v);
  exp(w) = SO(3).exp(w);
  random = random(SO(3));
  holds transpose(R)*R = eye(3), R*transpose(R) = eye(3), R*transpose(R)*R = R, det(R) = 1, det(R)^2 = 1;
}
)";

std::vector<Case> cases() {
  const auto projected = [](const std::string& m, int n) {
    std::string w;
    for (int k = 1; k <= n; ++k) w += fmt::format("{}{:.3f}", k > 1 ? ", " : "", 40 * std::sin(2.3 * k));
    return m + ".project(X, [" + w + "])";
  };
  const std::string onSphere = "cross(X, [20, -50, 70])";
  return {
      {"SO(2)", "", "", "", "V^2"},
      {"SO(3)", "", "", ""},
      {"SO(4)", "", "", ""},
      {"SO(6)", "", "", ""},
      {"SU(2)", "", "", ""},
      {"SE(2)", "", "", "", "V.w^2 + dot(V.v, V.v)"},
      {"SE(3)", "", "", "", "dot(V.w, V.w) + dot(V.v, V.v)"},
      {"SE(3)", "", "(R = SO(3).exp([1, 2, -1]), x = [3e5, -2e-4, 7e3])", "", "dot(V.w, V.w) + dot(V.v, V.v)"},
      {"SE_2(3)", "", "", "", "dot(V.w, V.w) + dot(V.a, V.a) + dot(V.v, V.v)"},
      {"SL(2)", "", "", ""},
      {"SL(2)", "", "[[4e3, 3e4], [1e-1, 0.75025]]", ""}, // 3001 - 3000
      {"SL(3)", "", "", ""},
      {"Heisenberg(2)", "", "", "", "dot(V.a, V.a) + dot(V.b, V.b) + V.c^2"},
      {"DirectProduct(SO(3), SL(2))", "", "", "", "dot(V.u, V.u) + dot(V.v, V.v)"},
      {"TangentBundle(SO(3))", "", "", "", "dot(V.u, V.u) + dot(V.a, V.a)"},
      {"S^1", "", "", "", "V^2"},
      {"S^2", "", "", onSphere},
      {"S^3", "", "", projected("(S^3)", 6)},
      {"S^5", "", "", projected("(S^5)", 15)},
      {"Stiefel(3,1)", "", "", projected("Stiefel(3,1)", 3)},
      {"Stiefel(4,2)", "", "", projected("Stiefel(4,2)", 6)},
      {"Stiefel(5,3)", "", "", projected("Stiefel(5,3)", 10)},
      {"Grassmann(3,1)", "", "", projected("Grassmann(3,1)", 3)},
      {"Grassmann(3,2)", "", "", projected("Grassmann(3,2)", 3)},
      {"Grassmann(4,2)", "", "", projected("Grassmann(4,2)", 6)},
      {"Grassmann(5,2)", "", "", projected("Grassmann(5,2)", 10)},
      {"Twice", Redundant, "", onSphere},
      {"Speck", Redundant, "", "1e7*cross(X, [2, -3, 1])"},
      {"Globe", Redundant, "", "1e-7*cross(X, [2, -3, 1])"},
      {"Planes", Redundant, "", projected("Planes", 6)},
      {"Ellipsoid", Redundant, "", "cross(Ellipsoid.S(X), [20, -50, 70])"},
      {"Orthogonal", Redundant, "", ""},
  };
}

/// Initial values of a model with one configuration.
class Initial {
public:
  Initial(const Case& c, const std::string& point, const std::string& velocity, std::uint64_t seed = 1)
      : pipeline(options()) {
    text = c.declarations + "model M {\n  config X : " + c.manifold + " velocity V;\n  lagrangian = " + c.energy +
           ";\n  initial X = " + point + ";\n" + (velocity.empty() ? "" : "  initial V = " + velocity + ";\n") + "}\n";
    if (!pipeline.loadText("model.lie", text)) return;
    (void)pipeline.check();
    system = pipeline.system();
    if (system == nullptr) return;
    const Layout layout = layoutOf(*system->model);
    Layer layer(*system);
    const sym::Graph::Work work = layer.work();
    data = evaluateInitialData(layer, layout, seed, pipeline.compilation().diagnostics());
    const Factor& f = system->model->factors.front();
    if (!data) return;
    for (const sym::Array* a : f.point) place(layout, a, point_);
    for (const sym::Array* a : f.velocity) place(layout, a, velocity_);
    parts = f.manifold->point();
    algebra = f.manifold->algebra();
  }
  std::string complaints() const {
    std::string all;
    for (const Diagnostic& d : pipeline.diagnostics().sorted()) all += d.message + "\n";
    return all.empty() ? all : text.substr(text.find("model M")) + all;
  }

  static PipelineOptions options() {
    PipelineOptions o;
    o.compilation.libraryRoot = LMC_SOURCE_DIR;
    return o;
  }

  Pipeline pipeline;
  std::string text;
  const System* system = nullptr;
  std::optional<InitialData> data;
  std::vector<double> point_, velocity_;
  std::vector<Part> parts, algebra;

private:
  void place(const Layout& layout, const sym::Array* a, std::vector<double>& to) {
    const auto first = data->state.begin() + static_cast<std::ptrdiff_t>(layout.of(a).offset);
    to.insert(to.end(), first, first + a->shape.size());
  }
};

/// Numbers as text with some significant digits, by parts.
std::string written(const std::vector<double>& x, const std::vector<Part>& parts, int digits, bool decimals,
                    std::vector<double>& rounded) {
  std::string text;
  auto next = x.begin();
  const auto number = [&] {
    char buffer[400];
    std::snprintf(buffer, sizeof buffer, decimals ? "%.*f" : "%.*g", digits, *next++);
    rounded.push_back(std::strtod(buffer, nullptr));
    return std::string(buffer);
  };
  for (const Part& p : parts) {
    std::string one;
    if (p.shape.rank == 0) one = number();
    for (int i = 0; p.shape.rank > 0 && i < p.shape.rows; ++i) {
      std::string row;
      for (int j = 0; j < std::max(p.shape.cols, 1); ++j) row += (j > 0 ? ", " : "") + number();
      one += (i > 0 ? ", " : "") + (p.shape.rank == 2 ? "[" + row + "]" : row);
    }
    if (p.shape.rank > 0) one = "[" + one + "]";
    text += (text.empty() ? "" : ", ") + (parts.size() > 1 ? p.name + " = " + one : one);
  }
  return parts.size() > 1 ? "(" + text + ")" : text;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

double largest(const std::vector<double>& a) {
  double m = 0;
  for (const double x : a) m = std::max(m, std::abs(x));
  return m;
}

} // namespace

class Rounded : public testing::TestWithParam<Case> {};

TEST_P(Rounded, PointsAndVelocitiesAreMovedByAboutTheirRounding) {
  const Case& c = GetParam();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Initial exact(c, c.point.empty() ? "random(" + c.manifold + ")" : c.point, c.velocity, seed);
    ASSERT_TRUE(exact.data) << exact.complaints();
    for (int digits = 9; digits <= 15; ++digits) {
      for (const bool decimals : {false, true}) {
        if (decimals && largest(exact.point_) < 0.1) continue;
        std::vector<double> point, velocity;
        const std::string x = written(exact.point_, exact.parts, digits, decimals, point);
        const std::string v = written(exact.velocity_, exact.algebra, digits, decimals, velocity);
        const Initial from(c, x, c.velocity.empty() ? "" : v);
        ASSERT_TRUE(from.data) << digits << "\n" << from.complaints();
        EXPECT_EQ(from.complaints(), "") << digits;
        const double size = std::max(largest(exact.point_), 1e-300);
        const double off = std::max(distance(point, exact.point_), 1e-15 * size);
        EXPECT_LE(distance(from.point_, point), 3 * off) << x;
        if (c.velocity.empty()) continue;
        const double speed = largest(exact.velocity_);
        const double part = std::max({off / size, distance(velocity, exact.velocity_) / speed, 1e-14});
        EXPECT_LE(distance(from.velocity_, velocity), 10 * part * speed) << v;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Manifolds, Rounded, testing::ValuesIn(cases()), [](const auto& given) {
  std::string name = fmt::format("{}_{}", given.index, given.param.manifold);
  for (char& x : name)
    if (std::isalnum(static_cast<unsigned char>(x)) == 0) x = '_';
  return name;
});

TEST(OffTheManifold, IsRefusedFromAMillionthOn) {
  for (const char* point : {"[1, 0, 1e-3]", "[1.000001, 0, 0]", "[1 + 1e-7, 0, 0]"}) {
    const Initial off({"S^2", "", "", ""}, point, "");
    EXPECT_FALSE(off.data) << point;
  }
  for (const char* point : {"[[1, 0, 0], [0, 1e-6, 0], [0, 0, 0]]", "[[1, 1e-6, 0], [0, 0, 0], [0, 0, 0]]",
                            "[[1, 0, 0], [0, 1, 0], [0, 0, 0]]", "zeros(3, 3)"}) {
    const Initial off({"Grassmann(3,1)", "", "", ""}, point, "");
    EXPECT_FALSE(off.data) << point;
  }
  // A point of a small sphere is not near it because all its numbers are small.
  const Initial small({"Speck", Redundant, "", ""}, "[0, 0, 1.0001e-6]", "");
  EXPECT_FALSE(small.data);
  const Initial nothing({"Speck", Redundant, "", ""}, "[0, 0, 0]", "");
  EXPECT_FALSE(nothing.data);
}

TEST(OffTheManifold, VelocitiesAreJudgedBySpeed) {
  const Case sphere{"S^2", "", "", ""};
  EXPECT_TRUE(Initial(sphere, "e1", "[1e-7, 300, 0]").data);
  EXPECT_FALSE(Initial(sphere, "e1", "[1e-7, 1, 0]").data);
  EXPECT_FALSE(Initial(sphere, "e1", "[1e-4, 300, 0]").data);
}

TEST(OffTheManifold, WhatContradictsItselfIsSaid) {
  const std::string ball = "manifold Ball {\n  point q : vec(3);\n  group SO(3);\n  action(A, q) = A*q;\n"
                           "  horizontal(q, w) = dot(q, w);\n  holds dot(q, q) = 1, 3*dot(q, q) = 2.9999999999;\n}\n";
  const Initial b({"Ball", ball, "", ""}, "e1", "");
  ASSERT_TRUE(b.data);
  ASSERT_EQ(b.pipeline.diagnostics().sorted().size(), 1U);
  EXPECT_EQ(b.pipeline.diagnostics().sorted()[0].code, Code::LIE0584);
}
