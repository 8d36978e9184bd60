// The equations that hold a manifold in its storage: how many, that they are independent, and their derivatives.
#include "mechanics/Derived.h"
#include "methods/kinds/Constraints.h"

using namespace lmc::methods;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

/// A manifold as a model uses it, with a point and a rate of storage coordinates.
class Held {
public:
  explicit Held(const std::string& manifold, const std::string& declarations = "")
      : d(declarations + "model M {\n  config X : " + manifold + " velocity V;\n  lagrangian = 0;\n" +
          "  initial X = random(" + manifold + ");\n}\n"),
        program(d.program()), g(program.graph()), m(*d.factor().manifold), constraints(program, m) {}

  /// A tuple of arrays with irregular contents.
  Tuple coordinates(Evaluate& values, const std::string& name) {
    const auto arrays = dummies(g, m.point(), name);
    for (const sym::Array* a : arrays) {
      Numbers n;
      for (int k = 0; k < a->shape.size(); ++k) n.push_back(std::sin(3.7 * ++seed_));
      values.set(a, n);
    }
    return loads(g, arrays, {});
  }

  Derived d;
  sym::Program& program;
  sym::Graph& g;
  const Manifold& m;
  Constraints constraints;

private:
  int seed_ = 0;
};

} // namespace

TEST(Constraints, AreAsManyAsTheStorageHasTooManyNumbers) {
  for (const auto& [manifold, count] : {std::pair{"R^3", 0},
                                        {"R", 0},
                                        {"S^2", 1},
                                        {"SO(2)", 3},
                                        {"SO(3)", 6},
                                        {"SE(3)", 6},
                                        {"SE(2)", 3},
                                        {"SU(2)", 1}}) {
    Held held(manifold);
    EXPECT_EQ(held.constraints.refusal(), "") << manifold;
    EXPECT_EQ(held.constraints.count(), count) << manifold;
  }
}

TEST(Constraints, DerivativesFitTogether) {
  for (const char* manifold : {"S^2", "SO(2)", "SO(3)", "SE(3)", "SE(2)", "SU(2)"}) {
    Held held(manifold);
    sym::Graph& g = held.g;
    Evaluate values(held.program);
    const Tuple q = held.coordinates(values, "q");
    const Tuple v = held.coordinates(values, "v");
    const int n = held.constraints.count();
    const sym::Array* lam = g.newArray("lam", {}, held.constraints.shape(), sym::Role::Temp);
    Numbers multipliers;
    for (int k = 0; k < n; ++k) multipliers.push_back(0.3 + k);
    values.set(lam, multipliers);
    // <holdsT(q, lam), v> = <lam, holdsdot(q, v)>
    const double left = values.scalar(pairing(g, held.constraints.transposed(q, g.load(lam)), v));
    const double right = values.scalar(g.inner(g.load(lam), held.constraints.rate(q, v)));
    EXPECT_NEAR(left, right, 1e-13 * std::max(1.0, std::abs(right))) << manifold;
    // Differences of holds: the equations are quadratic, so that central differences are exact up to round-off.
    const sym::Number half = sym::Number::ratio(1, 2);
    const Numbers ahead = values.value(held.constraints.value(add(g, q, lmc::sema::scale(g, half, v))));
    const Numbers behind = values.value(held.constraints.value(sub(g, q, lmc::sema::scale(g, half, v))));
    const Numbers rate = values.value(held.constraints.rate(q, v));
    for (int k = 0; k < n; ++k) EXPECT_NEAR(ahead[k] - behind[k], rate[k], 1e-13) << manifold << " " << k;
  }
}

TEST(Constraints, OfAManifoldThatSaysTooLittleAreRefused) {
  const char* const open = "manifold Circle3 {\n  point q : vec(3);\n  group SO(3);\n  action(A, q) = A*q;\n"
                           "  horizontal(q, w) = dot(q, w);\n  random = normalize(normal(0, 1, 3));\n}\n";
  Held held("Circle3", open);
  EXPECT_EQ(held.constraints.refusal(),
            "Circle3 has 1 more coordinates than dimensions, and no `holds` that says how they depend on each other");
  const char* const twice = "manifold Twice {\n  point q : vec(3);  point p : vec(3);\n  group SO(3);\n"
                            "  action(A, y) = (q = A*y.q, p = A*y.p);\n  horizontal(y, w) = dot(y.q, w);\n"
                            "  random = (q = normalize(normal(0, 1, 3)), p = normal(0, 1, 3));\n"
                            "  holds dot(q, q) = 1, 2*dot(q, q) = 2;\n}\n";
  Held weak("Twice", twice);
  EXPECT_NE(weak.constraints.refusal().find("its `holds` has 1 independent equation"), std::string::npos)
      << weak.constraints.refusal() << weak.d.c.text();
}
