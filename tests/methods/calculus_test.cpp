// The calculus of groups against group laws, series of the bracket, finite differences and matrix exponentials.
#include "mechanics/Derived.h"
#include "methods/phase/GroupCalculus.h"

#include <fstream>
#include <sstream>

using namespace lmc::mechanics;
using namespace lmc::methods;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

/// A group with numbers for two algebra elements and two dual ones.
class Sample {
public:
  Sample(const std::string& group, Handed handed)
      : d(import(group) + "model M {\n  config X : " + group + " velocity V;\n  state s : R;\n  flow s = 0;\n" +
          "  lagrangian = 0;\n}\n"),
        program(d.program()), g(program.graph()), manifold(*d.factor().manifold), calculus(program, manifold, handed),
        values(program) {
    u = element("u", 0.7);
    v = element("v", -0.4);
    mu = element("mu", 1.1);
  }

  /// A tuple of fresh arrays with irregular contents of about the given size.
  Tuple element(const std::string& name, double size) {
    const auto arrays = dummies(g, manifold.algebra(), name);
    for (const sym::Array* a : arrays) {
      Numbers n;
      for (int k = 0; k < a->shape.size(); ++k) n.push_back(size * std::sin(3.7 * ++seed_));
      values.set(a, n);
    }
    return loads(g, arrays, {});
  }

  Numbers of(const Tuple& t) {
    Numbers all;
    for (const sym::Expr& e : t) {
      const Numbers n = values.value(e);
      all.insert(all.end(), n.begin(), n.end());
    }
    return all;
  }
  double number(sym::Expr e) { return values.value(e).at(0); }
  Tuple along(const Tuple& a, double t, const Tuple& b) { return add(g, a, lmc::sema::scale(g, decimal(t), b)); }
  Tuple times(double t, const Tuple& a) { return lmc::sema::scale(g, decimal(t), a); }
  static sym::Number decimal(double t) { return sym::Number::real(t); }

  /// e^{ad_u} applied to w, thirty terms.
  Tuple exponentialOfAd(const Tuple& w) {
    Tuple sum = w;
    Tuple term = w;
    for (int k = 1; k <= 30; ++k) {
      term = lmc::sema::scale(g, sym::Number::ratio(1, k), calculus.bracket(u, term));
      const auto held = dummies(g, manifold.algebra(), "term");
      for (std::size_t part = 0; part < held.size(); ++part) values.set(held[part], values.value(term[part]));
      term = loads(g, held, {});
      sum = add(g, sum, term);
    }
    return sum;
  }

  static std::string import(const std::string& group) {
    std::ostringstream text;
    for (const char* file : {"plane_group", "derived_groups"}) {
      const std::string declares =
          "group " + group.substr(0, group.find('(')) + (group.find('(') < group.size() ? "(" : " ");
      std::ifstream in(std::string(LMC_SOURCE_DIR) + "/tests/acceptance/models/" + file + ".lie");
      std::ostringstream own;
      own << in.rdbuf();
      if (own.str().find(declares) != std::string::npos) text << own.str();
    }
    return text.str();
  }

  Derived d;
  sym::Program& program;
  sym::Graph& g;
  const Manifold& manifold;
  GroupCalculus calculus;
  Evaluate values;
  Tuple u, v, mu;

private:
  int seed_ = 0;
};

using Parameters = std::tuple<const char*, Handed>;
class Calculus : public testing::TestWithParam<Parameters> {
protected:
  Sample s{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

Numbers difference(const Numbers& a, const Numbers& b, double h) {
  Numbers r;
  for (std::size_t k = 0; k < a.size(); ++k) r.push_back((a[k] - b[k]) / h);
  return r;
}

} // namespace

TEST_P(Calculus, ElementsMultiplyAsTheirExponentialsAct) {
  const Tuple a = s.calculus.exp(s.u);
  const Tuple b = s.calculus.exp(s.v);
  const Tuple one = s.calculus.product(a, s.calculus.inverse(a));
  expectNear(s.of(one), s.of(required(s.manifold, "identity", {})), 1e-14, "inverse");
  // Ad is a homomorphism of the group as methods see it.
  const Tuple w = s.element("w", 0.9);
  expectNear(s.of(s.calculus.Ad(s.calculus.product(a, b), w)), s.of(s.calculus.Ad(a, s.calculus.Ad(b, w))), 1e-13,
             "Ad");
}

TEST_P(Calculus, AdOfExpIsTheExponentialOfAd) {
  const Tuple w = s.element("w", 0.9);
  expectNear(s.of(s.calculus.Ad(s.calculus.exp(s.u), w)), s.of(s.exponentialOfAd(w)), 1e-13);
}

TEST_P(Calculus, DexpIsTheDerivativeOfExp) {
  constexpr double h = 1e-5;
  const Tuple back = s.calculus.inverse(s.calculus.exp(s.u));
  const auto moved = [&](double t) { return s.of(s.calculus.product(s.calculus.exp(s.along(s.u, t, s.v)), back)); };
  const auto wanted = [&](double t) { return s.of(s.calculus.exp(s.times(t, s.calculus.dexp(s.u, s.v)))); };
  expectNear(difference(moved(h), moved(-h), 2 * h), difference(wanted(h), wanted(-h), 2 * h), 1e-8);
}

TEST_P(Calculus, DexpinvInvertsDexp) {
  const auto order = DexpinvCut::forOrder(10);
  // the series is cut after ad^8: its error is that of |ad_u| to the tenth power
  const bool exact = s.calculus.exactDexpinv();
  const double tolerance = exact ? 1e-13 : 1e-7;
  const Tuple u = exact ? s.u : s.times(0.3, s.u);
  expectNear(s.of(s.calculus.dexpinv(u, s.calculus.dexp(u, s.v), order)), s.of(s.v), tolerance);
  expectNear(s.of(s.calculus.dexpinvT(u, s.calculus.dexpT(u, s.mu), order)), s.of(s.mu), tolerance);
}

TEST_P(Calculus, StarredMapsAreTransposes) {
  const auto same = [&](const Tuple& dual, const Tuple& primal, const char* what) {
    EXPECT_NEAR(s.number(pairing(s.g, dual, s.v)), s.number(pairing(s.g, s.mu, primal)), 1e-13) << what;
  };
  const GroupCalculus& c = s.calculus;
  const Tuple a = c.exp(s.element("w", 0.8));
  same(c.adstar(s.u, s.mu), c.bracket(s.u, s.v), "adstar");
  same(c.Adstar(a, s.mu), c.Ad(a, s.v), "Adstar");
  same(c.dexpT(s.u, s.mu), c.dexp(s.u, s.v), "dexpT");
  same(c.dexpinvT(s.u, s.mu, DexpinvCut::forOrder(6)), c.dexpinv(s.u, s.v, DexpinvCut::forOrder(6)), "dexpinvT");
}

/// Retractions: d/dt F(u + t v) = (dF_u v) F(u), its inverse and the transposes; of exp, of the Cayley map, and of a
/// function that a declaration gives without derivatives.
TEST_P(Calculus, RetractionsHaveDerivatives) {
  int offered = 0;
  for (const std::string name : {"exp", "cay", "second_kind"}) {
    const GroupCalculus& c = s.calculus;
    if (!c.offers(name)) continue;
    ++offered;
    constexpr double h = 1e-5;
    const Tuple back = c.inverse(c.retract(name, s.u));
    const Tuple slope = c.dretract(name, s.u, s.v);
    const auto moved = [&](double t) { return s.of(c.product(c.retract(name, s.along(s.u, t, s.v)), back)); };
    const auto wanted = [&](double t) { return s.of(c.exp(s.times(t, slope))); };
    expectNear(difference(moved(h), moved(-h), 2 * h), difference(wanted(h), wanted(-h), 2 * h), 1e-8);
    expectNear(s.of(c.dretractinv(name, s.u, slope)), s.of(s.v), 1e-12);
    expectNear(s.of(c.dretractinvT(name, s.u, c.dretractT(name, s.u, s.mu))), s.of(s.mu), 1e-12);
    EXPECT_NEAR(s.number(pairing(s.g, c.dretractT(name, s.u, s.mu), s.v)), s.number(pairing(s.g, s.mu, slope)), 1e-13)
        << name;
  }
  EXPECT_GE(offered, 1);
}

/// -tr(ad_u^2)/2, with ad_u column by column.
TEST_P(Calculus, SquaredAngleIsTheKillingForm) {
  double trace = 0;
  for (int k = 0; k < s.manifold.algebraSize(); ++k) {
    const Tuple e = sema::unit(s.g, s.manifold.algebra(), k);
    trace += s.number(pairing(s.g, e, s.calculus.bracket(s.u, s.calculus.bracket(s.u, e))));
  }
  EXPECT_NEAR(s.number(s.calculus.squaredAngle(s.u)), -trace / 2, 1e-14);
}

/// At zero every formula is a number, and so is its derivative: dexpinv has the derivative -[v, w]/2 there.
TEST_P(Calculus, SmoothAtZero) {
  const Tuple zero = lmc::sema::zero(s.g, s.manifold.algebra());
  expectNear(s.of(s.calculus.exp(zero)), s.of(required(s.manifold, "identity", {})), 0, "exp");
  const auto order = DexpinvCut::forOrder(4);
  const auto arrays = dummies(s.g, s.manifold.algebra(), "at");
  const Tuple at = loads(s.g, arrays, {});
  const auto slope = [&](const Tuple& of) { return s.of(directional(s.program, of, arrays, s.v, zero)); };
  const Tuple bracket = s.calculus.bracket(s.v, s.u);
  expectNear(slope(s.calculus.dexp(at, s.u)), s.of(s.times(0.5, bracket)), 1e-15, "dexp");
  expectNear(slope(s.calculus.dexpinv(at, s.u, order)), s.of(s.times(-0.5, bracket)), 1e-15, "dexpinv");
}

TEST_P(Calculus, LogInvertsExp) {
  if (!s.manifold.gives("log")) GTEST_SKIP();
  for (const double size : {1.0, 1e-8, 0.0}) {
    const Tuple u = s.times(size, s.u);
    const Numbers back = s.of(required(s.manifold, "log", {s.calculus.exp(u)}));
    const Numbers wanted = s.of(u);
    // Storage near the identity is rounded to 1.1e-16.
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(back[k], wanted[k], 1e-14 * size + 3e-16) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Groups, Calculus,
    testing::Combine(testing::Values("SO(3)", "SE(3)", "SO(2)", "SE(2)", "SU(2)", "SE_2(3)", "SL(2)", "Heisenberg(1)",
                                     "Heisenberg(2)", "T^2", "R^3", "SO(4)", "SL(3)", "DirectProduct(SE(2),R^2)",
                                     "TangentBundle(SU(2))", "CotangentBundle(SE(3))", "Rotations", "SkewedRotations",
                                     "Motions", "Shears", "Affine", "Carried(R)", "Plane"),
                     testing::Values(Handed::Group, Handed::Opposite)),
    [](const auto& p) {
      std::string name;
      for (const char c : std::string(std::get<0>(p.param))) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      }
      return name + (std::get<1>(p.param) == Handed::Opposite ? "Opposite" : "");
    });

TEST(Calculus, ValuesOfTheConventionsPage) {
  Sample space("SO(3)", Handed::Group);
  Sample body("SO(3)", Handed::Opposite);
  const auto axis = [](Sample& s, int k) { return Tuple{s.g.basis(3, s.g.integer(k))}; };
  const double c = 0.9152438608562261;
  expectNear(space.of(space.calculus.dexpinv(axis(space, 1), axis(space, 2), DexpinvCut::forOrder(2))), {0, c, -0.5},
             1e-15);
  expectNear(body.of(body.calculus.dexpinv(axis(body, 1), axis(body, 2), DexpinvCut::forOrder(2))), {0, c, 0.5}, 1e-15);
  // ad*_u mu = mu x u
  expectNear(space.of(space.calculus.adstar(axis(space, 1), axis(space, 2))), {0, 0, -1}, 0);
  expectNear(body.of(body.calculus.adstar(axis(body, 1), axis(body, 2))), {0, 0, 1}, 0);
}

namespace {

/// exp of an n x n matrix by its series.
Numbers exponential(const Numbers& a, int n) {
  Numbers sum(a.size(), 0.0);
  for (int i = 0; i < n; ++i) sum[static_cast<std::size_t>(i * (n + 1))] = 1;
  Numbers term = sum;
  for (int k = 1; k < 60; ++k) {
    Numbers next(a.size(), 0.0);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int l = 0; l < n; ++l) next[i * n + j] += term[i * n + l] * a[l * n + j] / k;
      }
    }
    term = next;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += term[i];
  }
  return sum;
}

} // namespace

TEST(Calculus, MotionsOfSpaceAreMatricesOfFour) {
  Sample s("SE(3)", Handed::Group);
  const Numbers u = s.of(s.u);
  const Numbers m = exponential({0, -u[2], u[1], u[3], u[2], 0, -u[0], u[4], -u[1], u[0], 0, u[5], 0, 0, 0, 0}, 4);
  expectNear(s.of(s.calculus.exp(s.u)), {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[3], m[7], m[11]},
             1e-15);
}

TEST(Calculus, ExtendedPosesAreMatricesOfFive) {
  Sample s("SE_2(3)", Handed::Group);
  const Numbers u = s.of(s.u);
  const Numbers m = exponential({0,    -u[2], u[1], u[3], u[6], u[2], 0, -u[0], u[4], u[7], -u[1], u[0], 0,
                                 u[5], u[8],  0,    0,    0,    0,    0, 0,     0,    0,    0,     0},
                                5);
  expectNear(s.of(s.calculus.exp(s.u)),
             {m[0], m[1], m[2], m[5], m[6], m[7], m[10], m[11], m[12], m[3], m[8], m[13], m[4], m[9], m[14]}, 1e-15);
}

TEST(Calculus, HeisenbergElementsAreTriangularMatrices) {
  Sample s("Heisenberg(2)", Handed::Group);
  const Numbers u = s.of(s.u);
  const Numbers m = exponential({0, u[0], u[1], u[4], 0, 0, 0, u[2], 0, 0, 0, u[3], 0, 0, 0, 0}, 4);
  expectNear(s.of(s.calculus.exp(s.u)), {m[1], m[2], m[7], m[11], m[3]}, 1e-15);
}

/// Elliptic, parabolic and hyperbolic elements, large and small.
TEST(Calculus, AreaPreservingMapsOfEveryKind) {
  Sample s("SL(2)", Handed::Group);
  for (const Numbers& u : std::vector<Numbers>{{0.3, 2, -1.5},
                                               {0, 1, -1},
                                               {0, 1e-9, -1e-9},
                                               {0, 2, 0},
                                               {1, 1, -1},
                                               {1.2, 0, 3},
                                               {1e-9, 0, 0},
                                               {-2, 1.5, 0.7}}) {
    Tuple t = s.element("t", 0);
    s.values.set(t[0]->array, u);
    const Tuple m = s.calculus.exp(t);
    const Numbers wanted = exponential({u[0], u[1], u[2], -u[0]}, 2);
    expectNear(s.of(m), wanted, 1e-14);
    const Numbers log = s.of(required(s.manifold, "log", {m}));
    double size = 0;
    for (const double x : u) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(log[k], u[k], 1e-13 * size + 3e-16) << u[0] << " " << u[1] << " " << u[2];
  }
}
