#include "mechanics/mass/ChainSymmetry.h"
#include "mechanics/system/Equations.h"

#include <algorithm>

namespace lmc::mechanics {

using sym::Array;
using sym::Expr;
using sym::Graph;

namespace {

/// A pivot below this part of the block's own diagonal entry is rounding: the matrix is singular.
constexpr std::int64_t pivotsAtLeast = 100'000'000'000'000;

/// A matrix of scalar expressions.
class Table {
public:
  Table(Graph& g, int rows, int cols) : cols_(cols), entries_(static_cast<std::size_t>(rows) * cols, g.number(0)) {}
  Expr& operator()(int i, int j) { return entries_[static_cast<std::size_t>(i) * cols_ + j]; }
  const Expr& operator()(int i, int j) const { return entries_[static_cast<std::size_t>(i) * cols_ + j]; }

private:
  int cols_ = 0;
  std::vector<Expr> entries_;
};

/// The two sweeps. With down(i+1) = Q up(i) + s, where Q = Q^T and s come from behind, member i has the symmetric
/// matrix
///
///   S = [D, T; T^T, U] = [N, F; F^T, C] + [A, B]^T Q [A, B],  D v(i) + T up(i-1) = r - A^T s;
///
/// Gaussian elimination of its first rows leaves the next Q in the place of U, and v(i) = x - X up(i-1). Each pivot is
/// a Schur complement of M, and only one triangle is computed, so that Q is symmetric to the last bit.
class ChainSweeps {
public:
  ChainSweeps(sym::Program& p, const Chain& chain, const SymmetricChain& symmetric)
      : p_(p), g_(p.graph()), c_(chain), own_(chain.own), states_(symmetric.states) {
    const std::int64_t n = std::max(chain.links.front().hi, chain.links.back().hi);
    relation_ = g_.newArray("sweep", {n}, sym::Shape::vec(length()), sym::Role::Temp);
    up_ = g_.newArray("handed on", {n}, sym::Shape::vec(states_), sym::Role::Temp);
  }

  void eliminate(const SymmetricLinks& l, bool last, Expr r,
                 const std::function<ChainPivot(Expr index, const ChainPivot& bare)>& complete) {
    Expr Q = g_.zero(sym::Shape::mat(states_, states_));
    Expr s = g_.zero(sym::Shape::vec(states_));
    if (!last) readBehind(l, Q, s);
    const Expr QA = g_.matmul(Q, l.A);
    const Expr QB = g_.matmul(Q, l.B);
    const Expr toOwn = g_.transpose(l.A);
    const Expr toStates = g_.transpose(l.B);
    const ChainPivot pivot =
        complete(l.index, {symmetric(g_.add(l.N, g_.matmul(toOwn, QA))), g_.sub(r, g_.matmul(toOwn, s))});
    const Expr T = g_.add(l.F, g_.matmul(toOwn, QB));
    const Expr U = g_.add(l.C, g_.matmul(toStates, QB));
    const Expr force = g_.matmul(toStates, s);
    Table S(g_, own_ + states_, own_ + states_ + 1); // the lower triangle, and the right-hand sides
    for (int i = 0; i < own_; ++i) {
      for (int j = 0; j <= i; ++j) S(i, j) = g_.entry(pivot.matrix, i, j);
      S(i, own_ + states_) = g_.entry(pivot.rhs, i);
    }
    for (int a = 0; a < states_; ++a) {
      for (int i = 0; i < own_; ++i) S(own_ + a, i) = g_.entry(T, i, a);
      for (int b = 0; b <= a; ++b) S(own_ + a, own_ + b) = g_.entry(U, a, b);
      S(own_ + a, own_ + states_) = g_.entry(force, a);
    }
    store(l, S, reduce(S));
  }

  /// v(i) of the members of a range.
  Expr own(const SymmetricLinks& l, bool first) {
    const Expr here = g_.load(relation_, {l.index});
    const Expr before = first ? Expr() : g_.load(up_, {g_.sub(l.index, g_.integer(c_.step))});
    std::vector<Expr> v;
    for (int i = 0; i < own_; ++i) {
      Expr sum = g_.entry(here, ofOwn(i, states_));
      for (int a = 0; a < states_ && !first; ++a)
        sum = g_.sub(sum, g_.mul(g_.entry(here, ofOwn(i, a)), g_.entry(before, a)));
      v.push_back(sum);
    }
    return g_.vector(v);
  }

  void handOn(const SymmetricLinks& l, bool first) {
    Expr value = g_.matmul(l.A, own(l, first));
    if (!first) value = g_.add(value, g_.matmul(l.B, g_.load(up_, {g_.sub(l.index, g_.integer(c_.step))})));
    defineRange(p_, up_, l.index, l.lo, l.hi, value, c_.step < 0);
  }

private:
  // ---- what is stored of a member: the lower triangle of Q, s, and by rows [X, x]

  static int packed(int a, int b) { return a * (a + 1) / 2 + b; }
  [[nodiscard]] int ofForce(int a) const { return packed(states_, 0) + a; }
  [[nodiscard]] int ofOwn(int i, int column) const { return ofForce(states_) + i * (states_ + 1) + column; }
  [[nodiscard]] int length() const { return ofOwn(own_, 0); }

  Expr next(Expr index) { return g_.add(index, g_.integer(c_.step)); }

  /// Q and s of the members behind.
  void readBehind(const SymmetricLinks& l, Expr& Q, Expr& s) {
    const Expr behind = g_.load(relation_, {next(l.index)});
    std::vector<Expr> list;
    std::vector<Expr> force;
    for (int a = 0; a < states_; ++a) {
      for (int b = 0; b < states_; ++b) list.push_back(g_.entry(behind, packed(std::max(a, b), std::min(a, b))));
      force.push_back(g_.entry(behind, ofForce(a)));
    }
    Q = g_.matrix(states_, states_, list);
    s = g_.vector(force);
  }

  /// The matrix with the lower triangle of `m`.
  Expr symmetric(Expr m) {
    std::vector<Expr> list;
    for (int i = 0; i < own_; ++i) {
      for (int j = 0; j < own_; ++j) list.push_back(g_.entry(m, std::max(i, j), std::min(i, j)));
    }
    return g_.matrix(own_, own_, list);
  }

  /// A row over its pivot; a run stops where that is zero.
  Expr over(Expr pivot, const std::vector<Expr>& row) {
    return g_.solve(g_.matrix(1, 1, {pivot}), g_.matrix(1, static_cast<int>(row.size()), row), true);
  }

  /// Eliminates the own rows of S; returns [X, x]. The row with the fewest entries comes first.
  Table reduce(Table& S) {
    const int all = own_ + states_;
    const auto at = [&](int i, int j) -> Expr& { return i >= j ? S(i, j) : S(j, i); };
    std::vector<int> rest, order;
    for (int i = 0; i < own_; ++i) rest.push_back(i);
    Table L(g_, own_, all + 1); // rows of S over their pivots
    std::vector<Expr> whole;    // the diagonal before elimination
    whole.reserve(own_);
    for (int i = 0; i < own_; ++i) whole.push_back(S(i, i));
    Expr regular;
    while (!rest.empty()) {
      const auto count = [&](int i) {
        return std::count_if(rest.begin(), rest.end(), [&](int j) { return !at(i, j)->isZero(); });
      };
      const int k = *std::min_element(rest.begin(), rest.end(), [&](int i, int j) { return count(i) < count(j); });
      std::erase(rest, k);
      order.push_back(k);
      regular = both(regular, isRegular(S(k, k), whole[static_cast<std::size_t>(k)]));
      std::vector<int> remaining = rest;
      for (int a = 0; a < states_; ++a) remaining.push_back(own_ + a);
      std::erase_if(remaining, [&](int i) { return at(i, k)->isZero(); });
      std::vector<Expr> row;
      row.reserve(remaining.size());
      for (const int i : remaining) row.push_back(at(i, k));
      row.push_back(S(k, all));
      const Expr quotients = over(S(k, k), row);
      for (std::size_t i = 0; i < remaining.size(); ++i)
        L(k, remaining[i]) = g_.entry(quotients, 0, static_cast<int>(i));
      L(k, all) = g_.entry(quotients, 0, static_cast<int>(remaining.size()));
      for (const int i : remaining) {
        for (const int j : remaining) {
          if (j <= i) S(i, j) = g_.sub(S(i, j), g_.mul(L(k, i), at(j, k)));
        }
        // of the states, s = B^T s + T^T v; of the others, r
        const Expr change = g_.mul(L(k, i), S(k, all));
        S(i, all) = i < own_ ? g_.sub(S(i, all), change) : g_.add(S(i, all), change);
      }
    }
    if (regular) {
      Expr& x = L(order.back(), all);
      x = g_.mul(g_.entry(over(g_.select(regular, g_.number(1), g_.number(0)), {g_.number(1)}), 0, 0), x);
    }
    return substituteBack(L, order);
  }

  Table substituteBack(const Table& L, const std::vector<int>& order) {
    Table x(g_, own_, states_ + 1);
    for (auto k = order.rbegin(); k != order.rend(); ++k) {
      for (int c = 0; c <= states_; ++c) {
        x(*k, c) = L(*k, own_ + c);
        for (auto j = order.rbegin(); j != k; ++j) x(*k, c) = g_.sub(x(*k, c), g_.mul(L(*k, *j), x(*j, c)));
      }
    }
    return x;
  }

  /// Empty where the pivot is the diagonal entry itself.
  Expr isRegular(Expr pivot, Expr whole) {
    if (pivot == whole) return {};
    const Expr least = g_.scale(sym::Number::ratio(1, pivotsAtLeast), g_.function(sym::Op::Abs, whole));
    return g_.compare(sym::Op::Lt, least, g_.function(sym::Op::Abs, pivot));
  }

  Expr both(Expr a, Expr b) { return !a ? b : !b ? a : g_.logic(sym::Op::And, a, b); }

  void store(const SymmetricLinks& l, const Table& S, const Table& x) {
    std::vector<Expr> list;
    for (int a = 0; a < states_; ++a) {
      for (int b = 0; b <= a; ++b) list.push_back(S(own_ + a, own_ + b));
    }
    for (int a = 0; a < states_; ++a) list.push_back(S(own_ + a, own_ + states_));
    for (int i = 0; i < own_; ++i) {
      for (int c = 0; c <= states_; ++c) list.push_back(x(i, c));
    }
    defineRange(p_, relation_, l.index, l.lo, l.hi, g_.vector(list), c_.step > 0);
  }

  sym::Program& p_;
  Graph& g_;
  const Chain& c_;
  int own_ = 0, states_ = 0;
  const Array* relation_ = nullptr;
  const Array* up_ = nullptr;
};

} // namespace

void solveChain(sym::Program& program, const Chain& chain, const std::function<Expr(Expr index)>& rhs,
                const std::function<ChainPivot(Expr index, const ChainPivot& bare)>& complete,
                const std::function<void(const ChainLinks& range, Expr value)>& set) {
  const SymmetricChain symmetric = symmetricChain(program, chain);
  ChainSweeps sweeps(program, chain, symmetric);
  const std::size_t count = symmetric.links.size();
  for (std::size_t r = count; r-- > 0;) {
    const SymmetricLinks& l = symmetric.links[r];
    sweeps.eliminate(l, r + 1 == count, rhs(l.index), complete);
  }
  for (std::size_t r = 0; r + 1 < count; ++r) sweeps.handOn(symmetric.links[r], r == 0); // nothing follows the last
  for (std::size_t r = 0; r < count; ++r) set(chain.links[r], sweeps.own(symmetric.links[r], r == 0));
}

} // namespace lmc::mechanics
