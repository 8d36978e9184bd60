#include "mechanics/mass/Chain.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace lmc::mechanics {

using sym::Array;
using sym::Expr;
using sym::Graph;
using sym::Node;

namespace {

/// Numbers in v(i) and in the smaller one of up(i) and down(i) together: beyond, a dense routine is as good.
constexpr int largestLink = 24;

/// An equation, or the part of a loop, as a term of the elements of its array that belong to members lo…hi.
struct Term {
  std::int64_t lo = 0, hi = 0;
  Expr value;
  Expr loopIndex;         ///< empty: one element
  int slope = 1;          ///< 1 or -1
  std::int64_t shift = 0; ///< element = slope*loopIndex + shift
};

/// An array that is handed on, at the member before (-1) or behind (+1).
using State = std::pair<const Array*, int>;

class ChainSearch {
public:
  ChainSearch(sym::Program& p, std::int64_t members, const sema::ArrayTuple& direction,
              const std::function<Expr(Expr)>& simplify)
      : p_(p), g_(p.graph()), n_(members), direction_(direction), simplify_(simplify) {}

  std::optional<Chain> run(const sema::Tuple& product, Expr index) {
    if (!collect(product)) return std::nullopt;
    for (const std::int64_t lo : cuts_) {
      if (lo > n_) break;
      ranges_.emplace_back();
      Range& range = ranges_.back();
      range.lo = lo;
      range.hi = *cuts_.upper_bound(lo) - 1;
      range.index = range.lo == range.hi ? g_.integer(lo) : g_.newIndex("i");
    }
    for (Range& range : ranges_) {
      for (const Expr& e : product) range.product.push_back(located(range, e, index, range.index));
    }
    for (std::size_t k = 0; k < states_.size() && good_; ++k) { // grows: what is handed on may need more
      for (Range& range : ranges_) (void)local(range, states_[k].first);
    }
    if (!good_) return std::nullopt;
    for (const auto& [a, side] : states_) (side < 0 ? up_ : down_).push_back(a);
    return assemble();
  }

private:
  struct Range {
    std::int64_t lo = 0, hi = 0;
    Expr index;
    sema::Tuple product;
    std::map<const Array*, Expr> values; ///< of arrays at `index`
  };

  std::optional<Chain> assemble() {
    Chain chain;
    chain.own = size(direction_);
    chain.up = size(up_);
    chain.down = size(down_);
    if (chain.up == 0 || chain.down == 0 || chain.own + std::min(chain.up, chain.down) > largestLink) return {};
    chain.upStates = states(up_);
    chain.downStates = states(down_);
    bool forward = true;  // up(i) does not depend on down(i+1)
    bool backward = true; // down(i) does not depend on up(i-1)
    for (Range& range : ranges_) {
      chain.links.push_back(links(range, forward));
      if (!good_) return {};
      backward = backward && chain.links.back().C->isZero();
    }
    if (!forward && !backward) return {};
    // Neighbours that are coupled directly may be eliminated in either direction: with the fewer velocities handed on.
    const auto isVelocity = [](const ChainState& s) { return s.velocity >= 0; };
    const bool fewer =
        backward && chain.down < chain.up && std::all_of(chain.downStates.begin(), chain.downStates.end(), isVelocity);
    return forward && !fewer ? chain : turned(std::move(chain));
  }

  /// The chain from the last member to the first: what was handed down is handed up.
  Chain turned(Chain chain) {
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      ChainLinks& l = chain.links[k];
      l.C = matrix(ranges_[k], valuesOf(ranges_[k], up_), down_, 1);
      std::swap(l.A, l.G);
      std::swap(l.B, l.E);
      std::swap(l.F, l.K);
    }
    std::reverse(chain.links.begin(), chain.links.end());
    std::swap(chain.up, chain.down);
    std::swap(chain.upStates, chain.downStates);
    chain.step = -1;
    return chain;
  }

  [[nodiscard]] std::vector<ChainState> states(const sema::ArrayTuple& arrays) const {
    std::vector<ChainState> list;
    int offset = 0;
    for (const Array* a : arrays) {
      ChainState state{offset, a->shape.size(), -1};
      int place = 0;
      for (const Array* v : direction_) {
        if (v == a) state.velocity = place;
        place += v->shape.size();
      }
      list.push_back(state);
      offset += state.size;
    }
    return list;
  }

  static int size(const sema::ArrayTuple& arrays) {
    int n = 0;
    for (const Array* a : arrays) n += a->shape.size();
    return n;
  }

  [[nodiscard]] bool isDirection(const Array* a) const {
    return std::find(direction_.begin(), direction_.end(), a) != direction_.end();
  }

  /// The terms of all arrays that depend on the direction.
  bool collect(const sema::Tuple& product) {
    dependent_.insert(direction_.begin(), direction_.end());
    cuts_ = {1, 2, n_, n_ + 1}; // nothing comes before the first member and after the last
    for (const std::size_t k : p_.slice({}, product)) {
      const sym::Equation& e = p_.equations()[k];
      const auto reads = sym::reads(e);
      if (std::any_of(reads.begin(), reads.end(), [&](const Array* a) { return dependent_.contains(a); }))
        dependent_.insert(e.array);
      if (dependent_.contains(e.array) && !addTerm(e)) return false;
    }
    return true;
  }

  bool addTerm(const sym::Equation& e) {
    if (e.kind != sym::EquationKind::Set && e.kind != sym::EquationKind::Accumulate) return false;
    if (e.guard || e.loops.size() > 1 || e.array->extents.size() != 1 || e.array->extents[0] > n_) return false;
    Term term;
    term.value = e.value;
    std::int64_t from = 0;
    std::int64_t to = 0;
    if (e.loops.empty()) {
      if (!e.index[0]->isConst()) return false;
      from = to = e.index[0]->number.num();
    } else {
      const sym::Loop& l = e.loops[0];
      term.loopIndex = l.index;
      term.slope = slope(e.index[0], l.index);
      if (term.slope == 0 || !l.lo->isConst() || !l.hi->isConst()) return false;
      if (l.lo->number.num() > l.hi->number.num()) return true; // an empty loop
      term.shift = g_.sub(e.index[0], times(term.slope, l.index))->number.num();
      from = term.slope * l.lo->number.num() + term.shift;
      to = term.slope * l.hi->number.num() + term.shift;
      if (!orient(e, term.slope)) return false;
    }
    if (turned_.contains(e.array)) {
      from = n_ + 1 - from;
      to = n_ + 1 - to;
    }
    term.lo = std::min(from, to);
    term.hi = std::max(from, to);
    terms_[e.array].push_back(term);
    cuts_.insert({term.lo, term.hi + 1});
    return true;
  }

  Expr times(int sign, Expr e) { return sign < 0 ? g_.neg(e) : e; }

  /// 1 or -1 where an index is a loop index, or its negative, plus a constant; otherwise 0.
  int slope(Expr index, Expr loop) {
    if (g_.sub(index, loop)->isConst()) return 1;
    return g_.add(index, loop)->isConst() ? -1 : 0;
  }

  /// Element i of an array belongs to member i, or to member N + 1 - i if its equations read members backwards. Whether
  /// all equations agree is seen when their terms are taken.
  bool orient(const sym::Equation& e, int written) {
    if (terms_.contains(e.array) && oriented_.contains(e.array)) return true;
    bool turned = false;
    bool found = false;
    sym::visitPostOrder({e.value}, [&](const Node& n) {
      if (found || n.op != sym::Op::Load || n.array == e.array || !dependent_.contains(n.array)) return;
      const int read = slope(n.args[0], e.loops[0].index);
      found = read != 0;
      turned = (read != written) != turned_.contains(n.array);
    });
    if (!found) return true;
    oriented_.insert(e.array);
    if (!turned) return true;
    if (terms_.contains(e.array) && !turnTerms(e.array)) return false;
    turned_.insert(e.array);
    return true;
  }

  /// Terms of single elements that were found before.
  bool turnTerms(const Array* a) {
    for (Term& t : terms_[a]) {
      if (t.loopIndex) return false;
      t.lo = t.hi = n_ + 1 - t.lo;
      cuts_.insert({t.lo, t.lo + 1});
    }
    return true;
  }

  /// The element of an array that belongs to a member, and the member that an element belongs to.
  Expr element(const Array* a, Expr member) {
    return turned_.contains(a) ? g_.sub(g_.integer(n_ + 1), member) : member;
  }

  /// The element of an array at a range's index, in terms of the direction there and of what is handed on.
  Expr local(Range& range, const Array* a) {
    if (isDirection(a)) return g_.load(a, {element(a, range.index)});
    if (const auto it = range.values.find(a); it != range.values.end()) {
      good_ = good_ && it->second; // an empty one: the array needs itself
      return it->second ? it->second : g_.zero(a->shape);
    }
    range.values[a] = Expr();
    Expr sum = g_.zero(a->shape);
    for (const Term& t : terms_[a]) {
      if (t.lo > range.lo || range.hi > t.hi) continue;
      const Expr index = g_.sub(element(a, range.index), g_.integer(t.shift));
      sum = g_.add(sum, located(range, t.value, t.loopIndex, times(t.slope, index)));
    }
    return range.values[a] = sum;
  }

  /// An expression with `to` for the index `from`.
  Expr located(Range& range, Expr value, Expr from, Expr to) {
    sym::Substitution s(g_, [&](const Node& n, const std::vector<Expr>& index) -> Expr {
      if (from && from.node() == &n) return to;
      if (n.op != sym::Op::Load || !dependent_.contains(n.array)) return {};
      const Expr distance = g_.sub(element(n.array, index[0]), range.index);
      if (!distance->isConst() || std::abs(distance->number.num()) > 1) {
        good_ = false;
        return g_.zero(n.shape);
      }
      const auto side = static_cast<int>(distance->number.num());
      if (side == 0) return local(range, n.array);
      const State state{n.array, side};
      if (std::find(states_.begin(), states_.end(), state) == states_.end()) states_.push_back(state);
      return g_.load(n.array, index);
    });
    return s(value);
  }

  /// The derivative of linear values with respect to arrays at a distance from the range's index.
  Expr matrix(const Range& range, const sema::Tuple& values, const sema::ArrayTuple& arrays, int side) {
    std::vector<std::vector<Expr>> columns;
    for (const Array* a : arrays) {
      const Expr at = element(a, g_.add(range.index, g_.integer(side)));
      for (int c = 0; c < a->shape.size(); ++c) columns.push_back(column(values, a, at, c));
    }
    std::vector<Expr> list;
    const auto rows = static_cast<int>(columns[0].size());
    for (int i = 0; i < rows; ++i) {
      for (const auto& entriesOfColumn : columns) list.push_back(entriesOfColumn[static_cast<std::size_t>(i)]);
    }
    return g_.matrix(rows, static_cast<int>(columns.size()), list);
  }

  /// The values for entry c of a[at] = 1 and all else that they are linear in = 0; with no array the rest, which is 0.
  std::vector<Expr> column(const sema::Tuple& values, const Array* a, Expr at, int c) {
    sym::Substitution s(g_, [&](const Node& n, const std::vector<Expr>& index) -> Expr {
      if (n.op != sym::Op::Load || !dependent_.contains(n.array)) return {};
      if (n.array == a && g_.sub(index[0], at)->isZero()) return sema::unit(g_, {sema::Part{"", n.shape}}, c)[0];
      return g_.zero(n.shape);
    });
    sema::Tuple result;
    for (const Expr& e : values) result.push_back(simplify_(s(e)));
    return sema::entries(g_, result);
  }

  sema::Tuple valuesOf(Range& range, const sema::ArrayTuple& arrays) {
    sema::Tuple t;
    for (const Array* a : arrays) t.push_back(local(range, a));
    return t;
  }

  ChainLinks links(Range& range, bool& forward) {
    const sema::Tuple up = valuesOf(range, up_);
    const sema::Tuple down = valuesOf(range, down_);
    for (const sema::Tuple* values : {&up, &down, static_cast<const sema::Tuple*>(&range.product)}) {
      for (const Expr& rest : column(*values, nullptr, Expr(), 0)) good_ = good_ && rest->isZero();
    }
    forward = forward && matrix(range, up, down_, 1)->isZero();
    ChainLinks l;
    l.index = range.index;
    l.lo = range.lo;
    l.hi = range.hi;
    l.A = matrix(range, up, direction_, 0);
    l.B = matrix(range, up, up_, -1);
    l.C = matrix(range, down, up_, -1);
    l.E = matrix(range, down, down_, 1);
    l.G = matrix(range, down, direction_, 0);
    l.F = matrix(range, range.product, up_, -1);
    l.K = matrix(range, range.product, down_, 1);
    l.N = matrix(range, range.product, direction_, 0);
    return l;
  }

  sym::Program& p_;
  Graph& g_;
  std::int64_t n_;
  const sema::ArrayTuple& direction_;
  const std::function<Expr(Expr)>& simplify_;
  std::unordered_set<const Array*> dependent_;
  std::unordered_map<const Array*, std::vector<Term>> terms_;
  std::unordered_set<const Array*> oriented_, turned_; ///< arrays of which it is known how; those from the last member
  std::set<std::int64_t> cuts_; ///< first members of ranges in which every array is one expression
  std::vector<Range> ranges_;
  std::vector<State> states_;
  sema::ArrayTuple up_, down_;
  bool good_ = true;
};

} // namespace

std::optional<Chain> findChain(sym::Program& program, const sema::Tuple& product, Expr index, std::int64_t members,
                               const sema::ArrayTuple& direction, const std::function<Expr(Expr)>& simplify) {
  return ChainSearch(program, members, direction, simplify).run(product, index);
}

std::optional<Chain> chainAlong(sym::Program& program, const sema::Tuple& momentum, const sema::ArrayTuple& velocity,
                                Expr index, const std::function<Expr(Expr)>& simplify) {
  Graph& g = program.graph();
  sema::ArrayTuple direction;
  sym::Tangent t(program);
  for (const Array* v : velocity) {
    direction.push_back(g.newArray("v", v->extents, v->shape, sym::Role::Temp));
    t.seed(v, [&g, a = direction.back()](const std::vector<Expr>& place) { return g.load(a, place); });
  }
  sema::Tuple product;
  for (const Expr& mu : momentum) product.push_back(t.of(mu));
  return findChain(program, product, index, velocity[0]->extents[0], direction, simplify);
}

} // namespace lmc::mechanics
