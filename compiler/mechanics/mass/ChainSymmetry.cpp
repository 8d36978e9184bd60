#include "mechanics/mass/ChainSymmetry.h"

#include "mechanics/system/Equations.h"
#include "sym/Fingerprint.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lmc::mechanics {

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
/// about, P(i) = C + E P(i+1) B, is (Ĉ + E P' E^T) Π(i-1) with P(i+1) = P' Π(i). Numbers that are forgotten after one
/// member (velocities of the neighbour, for example) take no part in the recursion; Π = [1, Y] where Y belongs to them.
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
  [[nodiscard]] std::vector<std::size_t> up() const { return positions(up_); }
  [[nodiscard]] std::vector<std::size_t> down() const { return positions(down_); }

private:
  using Value = Fingerprint::Value;

  [[nodiscard]] static std::vector<std::size_t> positions(const std::vector<ChainState>& states) {
    std::vector<std::size_t> list;
    for (const ChainState& s : states) {
      for (int k = 0; k < s.size; ++k) list.push_back(static_cast<std::size_t>(s.offset + k));
    }
    return list;
  }

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
  const Sample& sample(std::size_t range, Value at) {
    if (const auto it = samples_.find({range, at}); it != samples_.end()) return it->second;
    const ChainLinks& l = c_.links[range];
    Fingerprint f(l.index, at);
    Sample s{{f, l.A}, {f, l.B}, {f, l.C}, {f, l.E}, {f, l.K}};
    return samples_.emplace(std::pair{range, at}, std::move(s)).first->second;
  }

  /// The conditions between the first member of every range and the one before, and at a member with a random index.
  bool holds() {
    plain_ = true;
    const Value back = Fingerprint::of(std::int64_t{-c_.step});
    for (std::size_t r = 1; r < c_.links.size(); ++r) {
      const ChainLinks& l = c_.links[r];
      const Value first = Fingerprint::of(c_.step > 0 ? l.lo : l.hi);
      const bool last = r + 1 == c_.links.size();
      if (!follows(sample(r, first), sample(r - 1, Fingerprint::sum(first, back)), last)) return false;
      const Value other = 0x123456789abcdefU;
      if (l.lo < l.hi && !follows(sample(r, other), sample(r, Fingerprint::sum(other, back)), last)) return false;
    }
    return true;
  }

  /// With Y of the member before: Ĉ = Ĉ^T, Π B = E^T Π(i-1) unless nothing follows, C = Ĉ Π(i-1), and before, Π A =
  /// K^T. What is forgotten has no rows in B, so Π B consists of the other rows.
  bool follows(const Sample& s, const Sample& before, bool last) {
    const std::vector<std::size_t> x = positions(up_), y = positions(down_), d = positions(forgotten_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        if (s.C(y[i], x[j]) != s.C(y[j], x[i])) return false;
        if (!last && s.B(x[i], x[j]) != s.E(y[j], y[i])) return false;
      }
    }
    Numbers rest(x.size(), d.size());
    if (!findRest(s, last, rest)) restOfVelocities(before, rest);
    plain_ = plain_ && rest.isZero();
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = 0; k < d.size(); ++k) {
        Value ofC = 0, ofB = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
          ofC = Fingerprint::sum(ofC, Fingerprint::product(s.C(y[i], x[j]), rest(j, k)));
          ofB = Fingerprint::sum(ofB, Fingerprint::product(s.E(y[j], y[i]), rest(j, k)));
        }
        if (ofC != s.C(y[i], d[k]) || (!last && ofB != s.B(x[i], d[k]))) return false;
      }
      for (std::size_t v = 0; v < static_cast<std::size_t>(c_.own); ++v) {
        Value sum = before.A(x[i], v);
        for (std::size_t k = 0; k < d.size(); ++k)
          sum = Fingerprint::sum(sum, Fingerprint::product(rest(i, k), before.A(d[k], v)));
        if (sum != before.K(v, y[i])) return false;
      }
    }
    return true;
  }

  /// Y from E^T Y = B and Ĉ Y = C in the columns of what is forgotten, by elimination. False if these do not decide it.
  bool findRest(const Sample& s, bool last, Numbers& rest) const {
    const std::vector<std::size_t> x = positions(up_), y = positions(down_), d = positions(forgotten_);
    const std::size_t m = x.size(), width = m + d.size();
    std::vector<std::vector<Value>> rows;
    for (std::size_t i = 0; i < m; ++i) {
      std::vector<Value> ofB(width), ofC(width);
      for (std::size_t j = 0; j < m; ++j) {
        ofB[j] = s.E(y[j], y[i]);
        ofC[j] = s.C(y[i], x[j]);
      }
      for (std::size_t k = 0; k < d.size(); ++k) {
        ofB[m + k] = s.B(x[i], d[k]);
        ofC[m + k] = s.C(y[i], d[k]);
      }
      if (!last) rows.push_back(ofB);
      rows.push_back(ofC);
    }
    for (std::size_t j = 0; j < m; ++j) {
      const auto from = rows.begin() + static_cast<std::ptrdiff_t>(j);
      const auto pivot = std::find_if(from, rows.end(), [&](const auto& row) { return row[j] != 0; });
      if (pivot == rows.end()) return false;
      std::iter_swap(from, pivot);
      const Value scale = Fingerprint::inverse(rows[j][j]);
      for (Value& entry : rows[j]) entry = Fingerprint::product(scale, entry);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Value factor = rows[i][j];
        for (std::size_t k = j; i != j && factor != 0 && k < width; ++k)
          rows[i][k] = difference(rows[i][k], Fingerprint::product(factor, rows[j][k]));
      }
    }
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < d.size(); ++k) rest(j, k) = rows[j][m + k];
    }
    return true;
  }

  /// Y as what `up` lacks of K^T, where velocities are forgotten.
  void restOfVelocities(const Sample& before, Numbers& rest) const {
    const std::vector<std::size_t> x = positions(up_), y = positions(down_);
    std::size_t column = 0;
    for (const ChainState& state : forgotten_) {
      for (int k = 0; k < state.size; ++k, ++column) {
        if (state.velocity < 0) continue;
        const auto v = static_cast<std::size_t>(state.velocity) + k;
        for (std::size_t i = 0; i < x.size(); ++i) rest(i, column) = difference(before.K(v, y[i]), before.A(x[i], v));
      }
    }
  }

  static Value difference(Value a, Value b) {
    return Fingerprint::sum(a, Fingerprint::product(Fingerprint::prime - 1, b));
  }

  const Chain& c_;
  std::vector<ChainState> up_, down_; ///< in orders that fit each other
  std::vector<ChainState> forgotten_; ///< of `up`
  std::map<std::pair<std::size_t, Value>, Sample> samples_;
  bool plain_ = true;
};

class Symmetrizer {
public:
  Symmetrizer(sym::Program& p, const Chain& chain) : p_(p), g_(p.graph()), c_(chain) {}

  SymmetricChain run() {
    Duality duality(c_);
    bool dual = duality.find();
    // Velocities that are handed down would become forces that are handed up, and the answer to a force of size 1 is as
    // large as the inverse of the lightest mass, whatever M is (docs/studies/chains.md).
    const bool velocities =
        std::any_of(c_.downStates.begin(), c_.downStates.end(), [](const ChainState& s) { return s.velocity >= 0; });
    if (velocities) dual = dual && duality.isPlain();
    upward_ = velocities || (dual && !duality.isPlain() ? false : c_.up <= c_.down);
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
    const std::vector<std::size_t> x = duality.up(), y = duality.down();
    const std::vector<std::size_t>& place = upward_ ? x : y;
    const auto width = static_cast<std::size_t>(result_.states);
    std::vector<Expr> list(width * width, g_.number(0));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const Expr entry = g_.entry(C, static_cast<int>(y[i]), static_cast<int>(x[j]));
        list[place[i] * width + place[j]] = list[place[j] * width + place[i]] = entry;
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

} // namespace lmc::mechanics
