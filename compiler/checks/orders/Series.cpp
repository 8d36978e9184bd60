#include "checks/orders/Series.h"

namespace lmc::orders {

namespace {

using Id = Forests::Id;

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

/// B_k/k! of u/(e^u - 1), up to k = highest: sum_{j <= k} b_j/(k + 1 - j)! = 0.
std::vector<Coefficient> bernoulli(int highest) {
  std::vector<Coefficient> b = {1};
  for (int k = 1; k <= highest; ++k) {
    Coefficient sum;
    Coefficient factor = 1; // 1/(k + 1 - j)! from j = k downwards
    for (int j = k - 1; j >= 0; --j) {
      factor *= Coefficient(k + 1 - j).inverse();
      sum += factor * b[at(j)];
    }
    b.push_back(Coefficient(-1) * sum);
  }
  return b;
}

} // namespace

SeriesAlgebra::SeriesAlgebra(const Forests& basis) : basis_(basis), bernoulli_(bernoulli(basis.highest())) {}

Series SeriesAlgebra::start() const {
  Series s = zero();
  s[0] = 1;
  return s;
}

void SeriesAlgebra::add(Series& sum, const Coefficient& c, const Series& a) const {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!a[k].isZero()) sum[k] += c * a[k];
  }
}

Series SeriesAlgebra::product(const Series& a, const Series& b) const {
  Series r = zero();
  for (std::size_t w = 0; w < r.size(); ++w) {
    for (const auto& [left, right] : basis_.splits(static_cast<Id>(w))) {
      const Coefficient& x = a[at(left)];
      const Coefficient& y = b[at(right)];
      if (!x.isZero() && !y.isZero()) r[w] += x * y;
    }
  }
  return r;
}

Series SeriesAlgebra::bracket(const Series& a, const Series& b) const {
  Series r = product(a, b);
  add(r, -1, product(b, a));
  return r;
}

Series SeriesAlgebra::act(const Series& k, const Series& y) const {
  Series sum = y;
  Series term = y;
  for (int n = 1; n <= basis_.highest(); ++n) { // sum k^n/n! Y; k has no term without nodes
    Series next = zero();
    add(next, Coefficient(n).inverse(), product(k, term));
    term = std::move(next);
    add(sum, 1, term);
  }
  return sum;
}

Series SeriesAlgebra::dexpinv(const Series& u, const Series& v, std::optional<int> highest) const {
  Series sum = v;
  Series power = v;
  for (int k = 1; k < basis_.highest() && k <= highest.value_or(k); ++k) {
    power = bracket(u, power);
    if (!bernoulli_[at(k)].isZero()) add(sum, bernoulli_[at(k)], power);
  }
  return sum;
}

Series SeriesAlgebra::field(const Series& y, const Coefficient& c) const {
  Series r = zero();
  Coefficient factor = 1; // c^times/times!
  for (int times = 0; times < (basis_.withTime() ? basis_.highest() : 1); ++times) {
    if (times > 0) factor *= c * Coefficient(times).inverse();
    for (std::size_t w = 0; w < y.size(); ++w) {
      const Id tree = basis_.graft(static_cast<Id>(w), times);
      if (tree >= 0) r[at(tree)] = factor * y[w];
    }
  }
  return r;
}

Series SeriesAlgebra::part(const Series& a, int order) const {
  Series r = zero();
  for (std::size_t w = 0; w < a.size(); ++w) {
    if (basis_.order(static_cast<Id>(w)) == order) r[w] = a[w];
  }
  return r;
}

Series SeriesAlgebra::exact() const {
  Series s = start();
  for (int n = 1; n <= basis_.highest(); ++n) {
    // f(t + h, S*y): its part of order m is known from the parts of S below m.
    const Series rate = field(s, 1);
    Series next = zero();
    for (int m = 1; m <= n; ++m) add(next, Coefficient(n).inverse(), product(part(rate, m), part(s, n - m)));
    add(s, 1, next);
  }
  return s;
}

} // namespace lmc::orders
