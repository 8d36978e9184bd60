// Derivatives against central differences of the interpreter.
#pragma once

#include "sym/Sandbox.h"

namespace lmc::test {

/// A direction per input, as further inputs; seeds a Tangent with them.
class Directions {
public:
  Directions(Sandbox& s, const std::vector<const sym::Array*>& inputs) : s_(s) {
    for (const sym::Array* a : inputs) pairs_.emplace_back(a, s.random("d" + a->name, a->extents, a->shape));
  }
  void seed(sym::Tangent& t) const {
    for (const auto& [a, d] : pairs_) {
      t.seed(a, [this, b = d](const std::vector<sym::Expr>& index) { return s_.g.load(b, index); });
    }
  }
  /// (e(x + h d) - e(x - h d))/(2h)
  [[nodiscard]] Numbers difference(sym::Expr e, double h = 1e-5) {
    shift(h);
    const Numbers after = s_.value(e);
    shift(-2 * h);
    Numbers r = s_.value(e);
    shift(h);
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = (after[k] - r[k]) / (2 * h);
    return r;
  }
  [[nodiscard]] const sym::Array* of(const sym::Array* a) const {
    for (const auto& [b, d] : pairs_) {
      if (a == b) return d;
    }
    return nullptr;
  }

private:
  void shift(double h) {
    for (const auto& [a, d] : pairs_) {
      Numbers& x = s_.contents(a);
      const Numbers& dx = s_.contents(d);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += h * dx[k];
    }
  }

  Sandbox& s_;
  std::vector<std::pair<const sym::Array*, const sym::Array*>> pairs_;
};

/// All indices of an array, as expressions.
inline std::vector<std::vector<sym::Expr>> allIndices(Sandbox& s, const sym::Array* a) {
  std::vector<std::vector<sym::Expr>> list{{}};
  for (const std::int64_t extent : a->extents) {
    std::vector<std::vector<sym::Expr>> longer;
    for (const auto& index : list) {
      for (std::int64_t k = 1; k <= extent; ++k) {
        longer.push_back(index);
        longer.back().push_back(s.n(k));
      }
    }
    list = std::move(longer);
  }
  return list;
}

/// The gradient as numbers, in the layout of the array.
inline Numbers gradientNumbers(Sandbox& s, const sym::Gradient& gradient, const sym::Array* a) {
  Numbers all;
  for (const auto& index : allIndices(s, a)) {
    const Numbers part = s.value(gradient.of(a, index));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// The same by central differences, entry by entry.
inline Numbers gradientByDifferences(Sandbox& s, sym::Expr e, const sym::Array* a, double h = 1e-5) {
  Numbers result;
  for (std::size_t k = 0; k < s.contents(a).size(); ++k) {
    const double x = s.contents(a)[k];
    s.contents(a)[k] = x + h;
    const double after = s.number(e);
    s.contents(a)[k] = x - h;
    const double before = s.number(e);
    s.contents(a)[k] = x;
    result.push_back((after - before) / (2 * h));
  }
  return result;
}

/// Forward and reverse derivative of `e` (any shape) in the inputs, against differences.
inline void expectDerivatives(Sandbox& s, sym::Expr e, const std::vector<const sym::Array*>& inputs,
                              const std::string& what, double tolerance = 2e-8) {
  Directions directions(s, inputs);
  sym::Tangent tangent(s.p);
  directions.seed(tangent);
  const sym::Expr forward = tangent.of(e);
  EXPECT_EQ(forward->shape, e->shape) << what;
  expectNear(s.value(forward), directions.difference(e), tolerance, what + ", forward");
  const sym::Expr weight = s.g.load(s.random("weight", {}, e->shape));
  const sym::Expr root = s.g.inner(weight, e);
  const sym::Gradient gradient = sym::gradient(s.p, root, inputs);
  for (const sym::Array* a : inputs) {
    expectNear(gradientNumbers(s, gradient, a), gradientByDifferences(s, root, a), tolerance,
               what + ", reverse in " + a->name);
  }
}

} // namespace lmc::test
