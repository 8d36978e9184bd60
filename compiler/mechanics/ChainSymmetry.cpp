#include "mechanics/ChainSymmetry.h"

#include "mechanics/Equations.h"
#include "sym/Fingerprint.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lmc {

using sym::Expr;
using sym::Fingerprint;
using sym::Graph;

namespace {

/// Arrays that are handed on and remembered: beyond, their order is not searched for.
constexpr std::size_t largestMatch = 5;

/// A matrix of numbers in the field of fingerprints.
class Numbers {
public:
  Numbers(std::size_t rows, std::size_t cols) : cols_(cols), entries_(rows * cols, 0) {}
  Numbers(Fingerprint& f, Expr matrix) : cols_(static_cast<std::size_t>(matrix->shape.cols)), entries_(f.of(matrix)) {}
  Fingerprint::Value& operator()(std::size_t i, std::size_t j) { return entries_[i * cols_ + j]; }
  Fingerprint::Value operator()(std::size_t i, std::size_t j) const { return entries_[i * cols_ + j]; }
  bool operator==(const Numbers&) const = default;
  [[nodiscard]] bool isZero() const {
    return std::all_of(entries_.begin(), entries_.end(), [](Fingerprint::Value x) { return x == 0; });
  }

private:
  std::size_t cols_ = 0;
  std::vector<Fingerprint::Value> entries_;
};

/// The matrices of one member, as numbers.
struct Sample {
  Numbers A, B, C, E, K;
};

/// Looks for Π with Π A = K^T, Π(i) B(i) = E(i)^T Π(i-1), C(i) = Ĉ(i) Π(i-1), Ĉ symmetric: then what elimination is
/// about, P(i) = C + E P(i+1) B, is (Ĉ + E P' E^T) Π(i-1) with P(i+1) = P' Π(i). Of `up` and `down`, numbers that are
/// velocities of the neighbour take no part in the recursion, and Π = [1, Y] where Y belongs to them.
class Duality {
public:
  explicit Duality(const Chain& chain) : c_(chain) {
    for (const ChainState& s : c_.upStates) (isForgotten(s, false) ? forgotten_ : up_).push_back(s);
    for (const ChainState& s : c_.downStates) {
      if (!isForgotten(s, true)) down_.push_back(s);
    }
  }

  bool find() {
    if (up_.size() != down_.size() || up_.size() > largestMatch) return false;
    std::vector<std::size_t> order(up_.size());
    std::iota(order.begin(), order.end(), 0);
    const std::vector<ChainState> down = down_;
    do {
      bool fits = true;
      for (std::size_t k = 0; k < order.size(); ++k) {
        down_[k] = down[order[k]];
        fits = fits && down_[k].size == up_[k].size;
      }
      if (fits && holds()) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

  /// Y = 0: `up` itself is dual to `down`.
  [[nodiscard]] bool isPlain() const { return plain_; }
  /// Positions in `up` and in `down` that belong together.
  [[nodiscard]] static std::vector<int> positions(const std::vector<ChainState>& states) {
    std::vector<int> list;
    for (const ChainState& s : states) {
      for (int k = 0; k < s.size; ++k) list.push_back(s.offset + k);
    }
    return list;
  }
  [[nodiscard]] std::vector<int> up() const { return positions(up_); }
  [[nodiscard]] std::vector<int> down() const { return positions(down_); }

private:
  /// What is handed on does not depend on what was handed on before.
  [[nodiscard]] bool isForgotten(const ChainState& s, bool down) const {
    const auto zero = [&](Expr m) {
      for (int i = 0; i < s.size; ++i) {
        for (int j = 0; j < m->shape.cols; ++j) {
          if (!m->graph->entry(m, s.offset + i, j)->isZero()) return false;
        }
      }
      return true;
    };
    return std::all_of(c_.links.begin(), c_.links.end(),
                       [&](const ChainLinks& l) { return down ? zero(l.C) && zero(l.E) : zero(l.B); });
  }

  /// The matrices of a range with its index at `at`, a number of the field.
  const Sample& sample(std::size_t range, Fingerprint::Value at) {
    if (const auto it = samples_.find({range, at}); it != samples_.end()) return it->second;
    const ChainLinks& l = c_.links[range];
    Fingerprint f(l.index, at);
    Sample s{{f, l.A}, {f, l.B}, {f, l.C}, {f, l.E}, {f, l.K}};
    return samples_.emplace(std::pair{range, at}, std::move(s)).first->second;
  }

  /// The conditions at the first member of every range, and at a member with a random index.
  bool holds() {
    plain_ = true;
    for (std::size_t r = 0; r < c_.links.size(); ++r) {
      const ChainLinks& l = c_.links[r];
      const Fingerprint::Value first = Fingerprint::of(c_.step > 0 ? l.lo : l.hi);
      const Fingerprint::Value back = Fingerprint::of(std::int64_t{-c_.step});
      const bool last = r + 1 == c_.links.size();
      if (!last && !handsOn(sample(r, first))) return false;
      if (r > 0 && !follows(sample(r, first), sample(r - 1, Fingerprint::sum(first, back)), last)) return false;
      if (l.lo == l.hi) continue;
      const Fingerprint::Value other = 0x123456789abcdefU;
      if (!handsOn(sample(r, other))) return false;
      if (!follows(sample(r, other), sample(r, Fingerprint::sum(other, back)), last)) return false;
    }
    return true;
  }

  /// Y: what `up` lacks of K^T, in terms of the velocities among the forgotten numbers.
  Numbers rest(const Sample& s) {
    const std::vector<int> x = up(), y = down(), d = positions(forgotten_);
    Numbers r(x.size(), d.size());
    std::size_t column = 0;
    for (const ChainState& state : forgotten_) {
      for (int k = 0; k < state.size; ++k, ++column) {
        if (state.velocity < 0) continue;
        const auto v = static_cast<std::size_t>(state.velocity + k);
        for (std::size_t i = 0; i < x.size(); ++i)
          r(i, column) = difference(s.K(v, static_cast<std::size_t>(y[i])), s.A(static_cast<std::size_t>(x[i]), v));
      }
    }
    plain_ = plain_ && r.isZero();
    return r;
  }

  /// Π A = K^T
  bool handsOn(const Sample& s) {
    const std::vector<int> x = up(), y = down(), d = positions(forgotten_);
    const Numbers rest = this->rest(s);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t v = 0; v < static_cast<std::size_t>(c_.own); ++v) {
        Fingerprint::Value sum = s.A(static_cast<std::size_t>(x[i]), v);
        for (std::size_t k = 0; k < d.size(); ++k)
          sum = Fingerprint::sum(sum, Fingerprint::product(rest(i, k), s.A(static_cast<std::size_t>(d[k]), v)));
        if (sum != s.K(v, static_cast<std::size_t>(y[i]))) return false;
      }
    }
    return true;
  }

  /// Π B = E^T Π(i-1) unless nothing follows, C = Ĉ Π(i-1), Ĉ = Ĉ^T
  bool follows(const Sample& s, const Sample& before, bool last) {
    const std::vector<int> x = up(), y = down(), d = positions(forgotten_);
    const Numbers rest = this->rest(before);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto xi = static_cast<std::size_t>(x[i]), yi = static_cast<std::size_t>(y[i]);
      for (std::size_t j = 0; j < x.size(); ++j) {
        const auto xj = static_cast<std::size_t>(x[j]), yj = static_cast<std::size_t>(y[j]);
        if (s.C(yi, xj) != s.C(yj, static_cast<std::size_t>(x[i]))) return false;
        if (!last && s.B(xi, xj) != s.E(yj, yi)) return false;
      }
      for (std::size_t k = 0; k < d.size(); ++k) {
        const auto dk = static_cast<std::size_t>(d[k]);
        Fingerprint::Value ofC = 0, ofB = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
          const auto xj = static_cast<std::size_t>(x[j]), yj = static_cast<std::size_t>(y[j]);
          ofC = Fingerprint::sum(ofC, Fingerprint::product(s.C(yi, xj), rest(j, k)));
          ofB = Fingerprint::sum(ofB, Fingerprint::product(s.E(yj, yi), rest(j, k)));
        }
        if (ofC != s.C(yi, dk) || (!last && ofB != s.B(xi, dk))) return false;
      }
    }
    return true;
  }

  static Fingerprint::Value difference(Fingerprint::Value a, Fingerprint::Value b) {
    return Fingerprint::sum(a, Fingerprint::product(Fingerprint::prime - 1, b));
  }

  const Chain& c_;
  std::vector<ChainState> up_, down_; ///< in orders that fit each other
  std::vector<ChainState> forgotten_; ///< of `up`
  std::map<std::pair<std::size_t, Fingerprint::Value>, Sample> samples_;
  bool plain_ = true;
};

class Symmetrizer {
public:
  Symmetrizer(sym::Program& p, const Chain& chain) : p_(p), g_(p.graph()), c_(chain) {}

  SymmetricChain run() {
    Duality duality(c_);
    const bool dual = duality.find();
    upward_ = dual && !duality.isPlain() ? false : c_.up <= c_.down;
    result_.states = upward_ ? c_.up : c_.down;
    if (!dual) sum();
    for (std::size_t r = 0; r < c_.links.size(); ++r) {
      const ChainLinks& l = c_.links[r];
      SymmetricLinks s{l.index, l.lo, l.hi, {}, {}, {}, {}, {}};
      const bool first = r == 0;
      s.A = upward_ ? l.A : transposed(l.K);
      s.B = first ? square() : upward_ ? l.B : transposed(l.E);
      s.C = first || !dual ? square() : inertia(l.C, duality);
      s.N = l.N;
      s.F = upward_ ? l.F : transposed(l.G);
      if (first) s.F = g_.zero(sym::Shape::mat(c_.own, result_.states));
      if (sums_ != nullptr && r + 1 < c_.links.size()) addSums(l, first, s);
      result_.links.push_back(s);
    }
    return std::move(result_);
  }

private:
  Expr square() { return g_.zero(sym::Shape::mat(result_.states, result_.states)); }

  Expr transposed(Expr m) {
    if (m->isZero()) return g_.zero(sym::Shape::mat(m->shape.cols, m->shape.rows));
    std::vector<Expr> list;
    for (int j = 0; j < m->shape.cols; ++j) {
      for (int i = 0; i < m->shape.rows; ++i) list.push_back(g_.entry(m, i, j));
    }
    return g_.matrix(m->shape.cols, m->shape.rows, list);
  }

  /// Ĉ, at its place among the numbers that are kept.
  Expr inertia(Expr C, const Duality& duality) {
    if (C->isZero()) return square();
    const std::vector<int> x = duality.up(), y = duality.down();
    const std::vector<int>& place = upward_ ? x : y;
    std::vector<Expr> list(static_cast<std::size_t>(result_.states * result_.states), g_.number(0));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const Expr entry = g_.entry(C, y[i], x[j]);
        list[static_cast<std::size_t>(place[i] * result_.states + place[j])] = entry;
        list[static_cast<std::size_t>(place[j] * result_.states + place[i])] = entry;
      }
    }
    return g_.matrix(result_.states, result_.states, list);
  }

  Expr sumsBehind(const ChainLinks& l) { return g_.load(sums_, {g_.add(l.index, g_.integer(c_.step))}); }

  /// P(i) = C + E P(i+1) B, from the last member on.
  void sum() {
    const bool none = std::all_of(c_.links.begin(), c_.links.end(), [](const ChainLinks& l) { return l.C->isZero(); });
    if (none) return;
    sums_ = g_.newArray("sums", {std::max(c_.links.front().hi, c_.links.back().hi)}, sym::Shape::mat(c_.down, c_.up),
                        sym::Role::Temp);
    for (std::size_t r = c_.links.size(); r-- > 1;) {
      const ChainLinks& l = c_.links[r];
      const bool last = r + 1 == c_.links.size();
      const Expr P = last ? l.C : g_.add(l.C, g_.matmul(l.E, g_.matmul(sumsBehind(l), l.B)));
      defineRange(p_, sums_, l.index, l.lo, l.hi, P, c_.step > 0);
    }
  }

  /// Diagonal and neighbouring blocks of M itself.
  void addSums(const ChainLinks& l, bool first, SymmetricLinks& s) {
    const Expr PA = g_.matmul(sumsBehind(l), l.A);
    s.N = g_.add(l.N, g_.matmul(l.K, PA));
    if (first) return;
    s.F = upward_ ? g_.add(l.F, g_.matmul(l.K, g_.matmul(sumsBehind(l), l.B)))
                  : transposed(g_.add(l.G, g_.matmul(l.E, PA)));
  }

  sym::Program& p_;
  Graph& g_;
  const Chain& c_;
  bool upward_ = true; ///< `up` is kept
  const sym::Array* sums_ = nullptr;
  SymmetricChain result_;
};

} // namespace

SymmetricChain symmetricChain(sym::Program& program, const Chain& chain) {
  return Symmetrizer(program, chain).run();
}

} // namespace lmc
