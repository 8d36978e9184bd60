// The rules of the algebra of printed equations: each identity of the table, and normal forms of random expressions,
// at random numbers.
#include "TermValues.h"
#include "present/terms/Identities.h"
#include "present/terms/Terms.h"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace lmc::present;
using Eigen::MatrixXd;
using Eigen::Vector3d;

namespace {

using lmc::test::TermValues;
using Named = std::map<std::string, MatrixXd>;

MatrixXd scalar(double x) {
  return MatrixXd::Constant(1, 1, x);
}

/// What is of three dimensions, and functions of numbers.
MatrixXd valueOfKind(Atom a, const std::vector<MatrixXd>& k) {
  const auto cross = [](const MatrixXd& x, const MatrixXd& y) -> MatrixXd { return Vector3d(x).cross(Vector3d(y)); };
  switch (a->kind) {
  case Kind::Inverse:
    return k[0].inverse();
  case Kind::Cross:
    return cross(k[0], k[1]);
  case Kind::Triple:
    return scalar(Vector3d(k[0]).dot(Vector3d(cross(k[1], k[2]))));
  case Kind::Hat: {
    MatrixXd m(3, 3);
    for (int j = 0; j < 3; ++j) m.col(j) = cross(k[0], MatrixXd::Identity(3, 3).col(j));
    return m;
  }
  default:
    break;
  }
  const double x = k.at(0)(0);
  if (a->name == "sin") return scalar(std::sin(x));
  if (a->name == "cos") return scalar(std::cos(x));
  if (a->name == "sinh") return scalar(std::sinh(x));
  if (a->name == "cosh") return scalar(std::cosh(x));
  if (a->name == "sqrt") return scalar(std::sqrt(x));
  throw std::runtime_error("no value of " + a->name);
}

MatrixXd value(const Poly& p, const Named& names) {
  return TermValues{names, valueOfKind}(p);
}

/// A random expression in normal form beside its number.
struct Both {
  Poly form;
  MatrixXd number;
};

class Random {
public:
  explicit Random(Terms& terms, unsigned seed) : t_(terms), engine_(seed) {
    lmc::sym::Shape v = lmc::sym::Shape::vec(3), m = lmc::sym::Shape::mat(3, 3);
    for (const char* n : {"a", "b", "c"}) add(n, v, MatrixXd::Random(3, 1));
    for (const char* n : {"x", "y"}) add(n, {}, MatrixXd::Random(1, 1));
    add("A", m, MatrixXd::Random(3, 3));
    const Eigen::AngleAxisd turn(1.3, Vector3d::Random().normalized());
    add("R", m, turn.toRotationMatrix());
    const MatrixXd s = MatrixXd::Random(3, 3);
    add("S", m, s + s.transpose());
    t_.traits[&arrays_.at("R")] = {.symmetric = false, .columns = true, .orthogonal = true, .rotation = true};
    t_.traits[&arrays_.at("S")].symmetric = true;
  }
  Named names;

  Both scalar(int depth) {
    switch (pick(depth > 0 ? 6 : 1)) {
    case 0:
      return leaf(pick(2) == 0 ? "x" : "y");
    case 1:
      return sum(scalar(depth - 1), scalar(depth - 1));
    case 2:
      return times(scalar(depth - 1), scalar(depth - 1));
    case 3: {
      const Both x = scalar(depth - 1);
      return {t_.call("sin", {x.form}, {}), MatrixXd::Constant(1, 1, std::sin(x.number(0)))};
    }
    default: {
      const Both a = vector(depth - 1), b = vector(depth - 1);
      return {t_.dot(a.form, b.form), a.number.transpose() * b.number};
    }
    }
  }

  Both vector(int depth) {
    switch (pick(depth > 0 ? 7 : 2)) {
    case 0:
      return leaf(pick(2) == 0 ? "a" : "b");
    case 1: {
      const int i = pick(3);
      if (i == 2) return leaf("c");
      return {t_.basis(3, t_.number(i + 1)), MatrixXd::Identity(3, 3).col(i)};
    }
    case 2:
      return sum(vector(depth - 1), vector(depth - 1));
    case 3:
      return times(scalar(depth - 1), vector(depth - 1));
    case 4: {
      const Both m = matrix(depth - 1), v = vector(depth - 1);
      return {t_.matmul(m.form, v.form), m.number * v.number};
    }
    default: {
      const Both a = vector(depth - 1), b = vector(depth - 1);
      return {t_.cross(a.form, b.form), MatrixXd(Vector3d(a.number).cross(Vector3d(b.number)))};
    }
    }
  }

  Both matrix(int depth) {
    switch (pick(depth > 0 ? 7 : 3)) {
    case 0:
      return leaf("A");
    case 1:
      return leaf("R");
    case 2:
      return leaf("S");
    case 3: {
      const Both m = matrix(depth - 1);
      return {t_.transpose(m.form), m.number.transpose()};
    }
    case 4: {
      const Both v = vector(depth - 1);
      return {t_.hat(v.form), value(t_.hat(v.form), names)};
    }
    case 5: {
      const Both a = vector(depth - 1), b = vector(depth - 1);
      return {t_.outer(a.form, b.form), a.number * b.number.transpose()};
    }
    default: {
      const Both a = matrix(depth - 1), b = matrix(depth - 1);
      return {t_.matmul(a.form, b.form), a.number * b.number};
    }
    }
  }

private:
  void add(const std::string& name, const lmc::sym::Shape& shape, const MatrixXd& number) {
    lmc::sym::Array& a = arrays_[name];
    a.id = static_cast<std::uint32_t>(arrays_.size());
    a.name = name;
    a.shape = shape;
    names[name] = number;
  }
  Both leaf(const std::string& name) {
    const lmc::sym::Array& a = arrays_.at(name);
    return {t_.of(t_.symbol(&a, name, a.shape, {})), names.at(name)};
  }
  Both sum(const Both& a, const Both& b) { return {t_.sub(a.form, b.form), a.number - b.number}; }
  Both times(const Both& s, const Both& a) { return {t_.mul(s.form, a.form), s.number(0) * a.number}; }
  int pick(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

  Terms& t_;
  std::mt19937 engine_;
  std::map<std::string, lmc::sym::Array> arrays_;
};

} // namespace

TEST(Identities, HoldAtRandomNumbers) {
  Terms t(true, 100'000);
  const auto& rules = t.rules();
  EXPECT_GE(rules.size(), 10U);
  for (const Identity& rule : rules)
    for (int k = 0; k < 5; ++k) {
      Named names;
      for (const char* s : {"$a", "$b"}) names[s] = MatrixXd::Random(1, 1);
      for (const char* s : {"$u", "$v", "$w", "$z"}) names[s] = MatrixXd::Random(3, 1);
      const MatrixXd left = value(rule.left, names), right = value(rule.right, names);
      EXPECT_LE((left - right).cwiseAbs().maxCoeff(), 1e-13) << rule.name;
    }
}

TEST(Identities, AreUsed) {
  Terms t(true, 100'000);
  const auto symbol = [&](const char* name, const lmc::sym::Shape& shape) {
    return t.of(t.symbol(nullptr, name, shape, {}));
  };
  const Poly x = symbol("x", {}), y = symbol("y", {});
  const auto f = [&](const char* name, const Poly& a) { return t.call(name, {a}, {}); };
  Poly one = t.add(t.mul(x, t.power(f("sin", y), 2)), t.mul(x, t.power(f("cos", y), 2)));
  EXPECT_TRUE(useIdentities(t, one));
  EXPECT_TRUE(t.sub(one, x).isZero());
  Poly difference = t.add(t.mul(f("cos", x), f("cos", y)), t.mul(f("sin", x), f("sin", y)));
  EXPECT_TRUE(useIdentities(t, difference));
  EXPECT_TRUE(t.sub(difference, f("cos", t.sub(x, y))).isZero());
  Poly nothing = t.add(t.mul(x, t.power(f("sin", y), 2)), t.mul(y, t.power(f("cos", y), 2)));
  EXPECT_FALSE(useIdentities(t, nothing));
}

TEST(NormalForms, OfRandomExpressionsHaveTheirValues) {
  for (const bool distribute : {true, false})
    for (unsigned seed = 1; seed <= 150; ++seed) {
      Terms t(distribute, 200'000);
      Random random(t, seed);
      try {
        for (const Both& b : {random.vector(4), random.scalar(4), random.matrix(3)}) {
          const double size = std::max(1.0, b.number.cwiseAbs().maxCoeff());
          ASSERT_LE((value(b.form, random.names) - b.number).cwiseAbs().maxCoeff(), 1e-9 * size) << seed;
          Poly shorter = b.form;
          (void)useIdentities(t, shorter);
          ASSERT_LE((value(shorter, random.names) - b.number).cwiseAbs().maxCoeff(), 1e-9 * size) << seed;
        }
      } catch (const TooLong&) {
        continue;
      }
    }
}

// Equal things are the same: what is zero by the laws of vectors has no terms.
TEST(NormalForms, CancelWhatVanishes) {
  Terms t(true, 100'000);
  const auto vec = [&](const char* name) { return t.of(t.symbol(nullptr, name, lmc::sym::Shape::vec(3), {})); };
  const Poly a = vec("a"), b = vec("b"), c = vec("c"), d = vec("d");
  const auto triple = [&](const Poly& x, const Poly& y, const Poly& z) { return t.dot(x, t.cross(y, z)); };
  EXPECT_TRUE(t.cross(a, a).isZero());
  const Poly jacobi = t.add(t.cross(a, t.cross(b, c)), t.add(t.cross(b, t.cross(c, a)), t.cross(c, t.cross(a, b))));
  EXPECT_TRUE(jacobi.isZero());
  EXPECT_TRUE(t.sub(triple(a, b, c), triple(c, a, b)).isZero());
  // four vectors of space depend on each other
  const Poly dependent = t.add(t.sub(t.mul(triple(b, c, d), a), t.mul(triple(a, c, d), b)),
                               t.sub(t.mul(triple(a, b, d), c), t.mul(triple(a, b, c), d)));
  EXPECT_TRUE(dependent.isZero());
}
