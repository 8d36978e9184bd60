#include "sema/manifolds/groups/MatrixFunction.h"

#include "sym/derivatives/Derivative.h"

#include <functional>

namespace lmc::sema {

using sym::Expr;
using sym::Graph;
using sym::Number;

namespace {

Number reciprocalFactorial(int n) {
  Number r(1);
  for (int k = 2; k <= n; ++k) r = r / Number(k);
  return r;
}

/// d f/d s of an expression of s.
Expr slope(Graph& g, const std::function<Expr(Expr)>& f, Expr s) {
  const sym::Array* x = g.newArray("s", {}, sym::Shape::scalar(), sym::Role::Temp);
  sym::Program none(g);
  sym::Tangent tangent(none);
  tangent.seed(x, [&](const std::vector<Expr>&) { return g.number(1); });
  const Expr d = tangent.of(f(g.load(x)));
  return sym::Substitution(g,
                           [&](const sym::Node& n, const std::vector<Expr>&) { return n.array == x ? s : Expr(); })(d);
}

/// Puts the coefficients of one parity of a series into `r`. `head(i)` is the coefficient of y^i, y = A^2, below
/// `zeros`; tail(s) = sum_i (-s)^i times the coefficient of y^(zeros + i).
void interpolate(Graph& g, std::vector<Expr>& r, int parity, int zeros, int pairs, Expr s,
                 const std::function<Number(int)>& head, const std::function<Expr(Expr)>& tail) {
  const auto put = [&](int power, Expr value) {
    const auto place = static_cast<std::size_t>(2 * power + parity);
    if (place < r.size()) r[place] = value;
  };
  for (int i = 0; i < zeros; ++i) put(i, g.number(head(i)));
  if (pairs == 0) return;
  // Taylor's polynomial of the tail at y = -s, sum_i t_i (y + s)^i, by powers of y
  std::vector<Expr> sums(static_cast<std::size_t>(pairs), g.number(0));
  std::function<Expr(Expr)> derivative = tail; // (-1)^i i! t_i, of s
  Number factor(1);
  for (int i = 0; i < pairs; ++i) {
    if (i > 0) {
      derivative = [&g, before = derivative](Expr x) { return slope(g, before, x); };
      factor = factor * Number::ratio(-1, i);
    }
    const Expr t = g.scale(factor, derivative(s));
    Number binomial(1);
    for (int k = i; k >= 0; --k) { // (y + s)^i = sum_k binomial(i, k) y^k s^(i - k)
      Expr& sum = sums[static_cast<std::size_t>(k)];
      sum = g.add(sum, g.mul(g.scale(binomial, g.powInt(s, i - k)), t));
      binomial = binomial * Number::ratio(k, i - k + 1);
    }
  }
  for (int k = 0; k < pairs; ++k) put(zeros + k, sums[static_cast<std::size_t>(k)]);
}

/// B_n/n! of even n.
Number bernoulli(int n) {
  static const Number table[] = {Number(1),
                                 Number::ratio(1, 12),
                                 Number::ratio(-1, 720),
                                 Number::ratio(1, 30240),
                                 Number::ratio(-1, 1209600),
                                 Number::ratio(1, 47900160)};
  return table[n / 2];
}
constexpr int highestBernoulli = 10;

} // namespace

Expr squaredAngle(Graph& g, const Annihilator& a, const std::vector<Expr>& w) {
  if (a.pairs == 0) return g.number(0);
  const auto n = static_cast<int>(w.size());
  const auto at = [&](int i, int j) -> const Number& { return a.form[static_cast<std::size_t>(i * n + j)]; };
  // c |v|^2 where the form is a multiple of the unit matrix on the components of one vector and nothing elsewhere
  std::vector<Expr> used;
  bool round = true;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) round = round && (i == j || at(i, j).isZero());
  }
  Number factor;
  for (int i = 0; round && i < n; ++i) {
    if (at(i, i).isZero()) continue;
    if (factor.isZero()) factor = at(i, i);
    round = at(i, i) == factor;
    used.push_back(w[static_cast<std::size_t>(i)]);
  }
  if (round && used.size() > 1) {
    const Expr v = g.vector(used);
    return g.scale(factor, g.inner(v, v));
  }
  std::vector<Expr> terms;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      if (at(i, j).isZero()) continue;
      const Number c = i == j ? at(i, j) : at(i, j) * Number(2);
      terms.push_back(g.scale(c, g.mul(w[static_cast<std::size_t>(i)], w[static_cast<std::size_t>(j)])));
    }
  }
  return g.sum(terms, sym::Shape::scalar());
}

std::vector<Expr> exponentialCoefficients(Graph& g, const Annihilator& a, Expr s, int k) {
  std::vector<Expr> r(static_cast<std::size_t>(a.degree()), g.number(0));
  for (const int parity : {0, 1}) {
    const int zeros = parity == 0 ? (a.zeros + 1) / 2 : a.zeros / 2;
    interpolate(
        g, r, parity, zeros, a.pairs, s, [&](int i) { return reciprocalFactorial(2 * i + parity + k); },
        [&](Expr x) { return g.stumpff(2 * zeros + parity + k, x); });
  }
  return r;
}

Tuple polynomial(Graph& g, const std::vector<Expr>& c, const Tuple& v,
                 const std::function<Tuple(const Tuple&)>& apply) {
  Tuple r = scale(g, c[0], v);
  Tuple power = v;
  for (std::size_t k = 1; k < c.size(); ++k) {
    power = apply(power);
    r = add(g, r, scale(g, c[k], power));
  }
  return r;
}

Tuple integratedExponential(Graph& g, const LinearFamily& family, const std::optional<Annihilator>& annihilator,
                            const std::vector<Expr>& w, const std::vector<Part>& space, const Tuple& v,
                            const std::function<Tuple(const Tuple&)>& apply) {
  if (annihilator) {
    const Expr s = squaredAngle(g, *annihilator, w);
    return polynomial(g, exponentialCoefficients(g, *annihilator, s, 1), v, apply);
  }
  const int n = family.rows();
  const Expr a = family.at(g, w);
  const std::vector<Expr> column = entries(g, v);
  std::vector<Expr> block;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j)
      block.push_back(i == n ? g.number(0) : j == n ? column[static_cast<std::size_t>(i)] : g.entry(a, i, j));
  }
  const Expr both = g.exponential(g.matrix(n + 1, n + 1, block));
  std::vector<Expr> list;
  for (int k = 0; k < n; ++k) list.push_back(g.entry(both, k, n));
  return fromEntries(g, space, list);
}

std::vector<Expr> inverseCoefficients(Graph& g, const Annihilator& a, Expr s) {
  const int zeros = (a.zeros + 1) / 2;
  if (a.pairs > 0 && (zeros < 1 || zeros > 2)) return {};
  if (a.pairs == 0 && a.zeros > highestBernoulli) return {};
  std::vector<Expr> r(static_cast<std::size_t>(a.degree()), g.number(0));
  const auto c = [&](int k, Expr x) { return g.stumpff(k, x); };
  // (x/2) coth(x/2) = 1 - s t_1(s), t_1 = (c_3 - 2 c_4)/(2 c_2); t_1 = 1/12 - s t_2, t_2 = (6 c_5 - c_4 - 12 c_6)/(12
  // c_2).
  const auto tail = [&](Expr x) {
    if (zeros == 1) return g.div(g.sub(c(3, x), g.scale(Number(2), c(4, x))), g.scale(Number(2), c(2, x)));
    const Expr top = g.sub(g.scale(Number(6), c(5, x)), g.add(c(4, x), g.scale(Number(12), c(6, x))));
    return g.div(top, g.scale(Number(12), c(2, x)));
  };
  interpolate(
      g, r, 0, zeros, a.pairs, s, [](int i) { return bernoulli(2 * i); }, tail);
  if (r.size() > 1) r[1] = g.number(Number::ratio(-1, 2));
  return r;
}

} // namespace lmc::sema
