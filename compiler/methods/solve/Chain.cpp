#include "methods/solve/Chain.h"

#include <algorithm>
#include <array>

namespace lmc::methods {

using sym::Expr;

namespace {

/// Most unknowns of a member, states in one direction, and unknowns that all members see.
constexpr int mostUnknowns = 24, mostStates = 24, mostGlobal = 12;

/// A matrix of expressions; those that are zero take no part.
struct Block {
  int rows = 0, columns = 0;
  std::vector<Expr> entries;

  Block() = default;
  Block(sym::Graph& g, int m, int n) : rows(m), columns(n), entries(static_cast<std::size_t>(m * n), g.number(0)) {}
  Expr& at(int i, int j) { return entries[static_cast<std::size_t>(i * columns + j)]; }
  [[nodiscard]] Expr at(int i, int j) const { return entries[static_cast<std::size_t>(i * columns + j)]; }
};

Block product(sym::Graph& g, const Block& a, const Block& b) {
  Block r(g, a.rows, b.columns);
  for (int i = 0; i < r.rows; ++i)
    for (int j = 0; j < r.columns; ++j) {
      std::vector<Expr> terms;
      for (int k = 0; k < a.columns; ++k)
        if (!a.at(i, k)->isZero() && !b.at(k, j)->isZero()) terms.push_back(g.mul(a.at(i, k), b.at(k, j)));
      if (!terms.empty()) r.at(i, j) = g.sum(terms, sym::Shape::scalar());
    }
  return r;
}

Block sum(sym::Graph& g, Block a, const Block& b) {
  for (std::size_t k = 0; k < a.entries.size(); ++k) a.entries[k] = g.add(a.entries[k], b.entries[k]);
  return a;
}

Block negative(sym::Graph& g, Block a) {
  for (Expr& e : a.entries) e = g.neg(e);
  return a;
}

Block inverse(sym::Graph& g, const Block& a) {
  Block r(g, a.rows, a.rows);
  if (a.rows == 1) {
    r.at(0, 0) = g.div(g.number(1), a.at(0, 0));
    return r;
  }
  const Expr m = g.inverse(g.matrix(a.rows, a.rows, a.entries));
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.rows; ++j) r.at(i, j) = g.entry(m, i, j);
  return r;
}

bool vanishes(const Block& a) {
  return std::all_of(a.entries.begin(), a.entries.end(), [](Expr e) { return e->isZero(); });
}

/// What members hand on to the next one.
struct State {
  enum Kind : std::uint8_t { Element, Sum, End } kind = Element;
  const sym::Array* array = nullptr;
  int first = 0; ///< place of its entries
};

class States {
public:
  /// The place of a state's entries; a new state is put at the end.
  int place(State::Kind kind, const sym::Array* a) {
    if (const auto known = find(kind, a)) return *known;
    list_.push_back({kind, a, size_});
    size_ += a->shape.size();
    return list_.back().first;
  }
  [[nodiscard]] std::optional<int> find(State::Kind kind, const sym::Array* a) const {
    for (const State& s : list_)
      if (s.kind == kind && s.array == a) return s.first;
    return std::nullopt;
  }
  [[nodiscard]] const std::vector<State>& all() const { return list_; }
  [[nodiscard]] int size() const { return size_; }

private:
  std::vector<State> list_;
  int size_ = 0;
};

/// Coefficients of a linear form, by what it reads.
struct Row {
  Block own, before, behind;
};

/// The coefficients at the last member of a sweep, at those between, and at the first one.
struct Place {
  Members members;
  Row equations, before, behind; ///< of the residual, of the states F_i and B_i
};

class Sweep {
public:
  Sweep(sym::Program& p, const std::vector<NewtonPart>& unknowns, const std::vector<NewtonPart>& equations,
        const sym::Array* residual, std::int64_t extent, bool up)
      : p_(p), g_(p.graph()), unknowns_(unknowns), equations_(equations), residual_(residual), extent_(extent),
        before_(up ? Seat::Below : Seat::Above), behind_(up ? Seat::Above : Seat::Below), up_(up),
        forms_(p, directions(unknowns), extent) {
    const sym::Loop i = {g_.newIndex("i"), g_.integer(2), g_.integer(extent - 1), false};
    places_[0].members = {g_.integer(up ? extent : 1), {}};
    places_[1].members = {i.index, {i}};
    places_[2].members = {g_.integer(up ? 1 : extent), {}};
  }

  ChainSolution run() {
    if (!layOut() || !collect()) return {};
    if (own_ > mostUnknowns || global_ > mostGlobal || before().size() + global_ > mostStates ||
        behindStates_.size() > mostStates)
      return {};
    factor();
    solve();
    return {factors_, change_};
  }

private:
  static std::vector<const sym::Array*> directions(const std::vector<NewtonPart>& unknowns) {
    std::vector<const sym::Array*> list;
    for (const NewtonPart& u : unknowns) list.push_back(u.direction);
    return list;
  }
  [[nodiscard]] const States& before() const { return beforeStates_; }
  [[nodiscard]] int beforeSize() const { return beforeStates_.size() + global_; }

  /// Places of unknowns in d and among the global ones.
  bool layOut() {
    int rows = 0, beside = 0;
    for (const NewtonPart& u : unknowns_) {
      int& count = u.component.extent > 0 ? own_ : global_;
      if (u.component.extent > 0)
        ownPlace_[u.direction] = count;
      else
        globalPlace_[u.direction] = count;
      count += u.component.shape.size();
    }
    for (const NewtonPart& e : equations_) (e.component.extent > 0 ? rows : beside) += e.component.shape.size();
    return rows == own_ && beside == global_;
  }

  int globalOf(const sym::Array* a) {
    if (const auto known = globalPlace_.find(a); known != globalPlace_.end()) return known->second;
    sums_.push_back(a);
    globalPlace_[a] = global_;
    global_ += a->shape.size();
    return globalPlace_[a];
  }

  /// The derivative of an equation of a member, with its own index in the place of the family's.
  Expr atMember(const NewtonPart& e, Expr index) {
    sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      return n.op == sym::Op::Index && &n == e.component.index[0].node() ? index : Expr();
    });
    return substitution(e.value);
  }

  struct Found {
    LinearForm form;
    int row;
  };

  /// Finds all states: what is read of neighbours has to be handed on, which may read more.
  bool collect() {
    std::array<std::vector<Found>, 3> rows, beforeForms, behindForms;
    std::vector<Found> beside;
    int row = 0, besideRow = 0;
    for (const NewtonPart& e : equations_) {
      if (e.component.extent == 0) {
        auto form = forms_.beside(e.value);
        if (!form || !note(*form)) return false;
        beside.push_back({std::move(*form), besideRow});
        besideRow += e.component.shape.size();
        continue;
      }
      for (std::size_t k = 0; k < places_.size(); ++k) {
        auto form = forms_.of(atMember(e, places_[k].members.index), places_[k].members);
        if (!form || !note(*form)) return false;
        rows[k].push_back({std::move(*form), row});
      }
      row += e.component.shape.size();
    }
    std::size_t doneBefore = 0, doneBehind = 0, doneSums = 0;
    while (doneBefore < beforeStates_.all().size() || doneBehind < behindStates_.all().size() ||
           doneSums < sums_.size()) {
      if (beforeStates_.size() > mostStates || behindStates_.size() > mostStates) return false;
      if (doneSums < sums_.size()) {
        behindStates_.place(State::Sum, sums_[doneSums++]);
        continue;
      }
      const bool first = doneBefore < beforeStates_.all().size();
      const State s = first ? beforeStates_.all()[doneBefore++] : behindStates_.all()[doneBehind++];
      for (std::size_t k = 0; k < places_.size(); ++k) {
        if (s.kind == State::End && k != 0) continue;
        auto form =
            s.kind == State::Sum ? forms_.part(s.array, places_[k].members) : forms_.own(s.array, places_[k].members);
        if (!form || !note(*form)) return false;
        (first ? beforeForms : behindForms)[k].push_back({std::move(*form), s.first});
      }
    }
    for (std::size_t k = 0; k < places_.size(); ++k) {
      Place& p = places_[k];
      fill(p.equations, own_, rows[k]);
      fill(p.before, beforeSize(), beforeForms[k]);
      fill(p.behind, behindStates_.size(), behindForms[k]);
      for (int e = beforeStates_.size(); e < beforeSize(); ++e) p.before.before.at(e, e) = g_.number(1);
      if (k != 0)
        for (const State& s : behindStates_.all())
          for (int e = s.first; s.kind != State::Element && e < s.first + s.array->shape.size(); ++e)
            p.behind.behind.at(e, e) = g_.number(1);
      if (!vanishes(p.before.behind)) return false; // states F that read what comes behind
    }
    join(0);
    join(2);
    return global_ == 0 || fillBeside(beside);
  }

  /// Whether expressions of the members between, at an end, are those of the end.
  bool alike(const Block& between, const Block& end, int columns, Expr index) {
    sym::Substitution there(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      return &n == places_[1].members.index.node() ? index : Expr();
    });
    for (int i = 0; i < end.rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (there(between.at(i, j)) != end.at(i, j)) return false;
    return true;
  }

  /// Whether the expressions read elements that exist, at an end, too.
  bool exists(const Block& between, Expr index) {
    sym::Substitution there(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      return &n == places_[1].members.index.node() ? index : Expr();
    });
    return std::none_of(between.entries.begin(), between.entries.end(), [&](Expr e) {
      return sym::contains(there(e), [](const sym::Node& n) {
        if (n.op != sym::Op::Load) return false;
        for (std::size_t d = 0; d < n.args.size(); ++d)
          if (n.args[d]->isConst() && (n.args[d]->number.num() < 1 || n.args[d]->number.num() > n.array->extents[d]))
            return true;
        return false;
      });
    });
  }

  /// An end that differs from the members between by what it does not read alone is one of them: beyond it, S and F are
  /// zero.
  void join(std::size_t end) {
    const Expr index = places_[end].members.index;
    for (Row Place::*row : {&Place::equations, &Place::before, &Place::behind}) {
      const Row &between = places_[1].*row, &there = places_[end].*row;
      const bool last = end == 0;
      if (!alike(between.own, there.own, own_, index)) return;
      const bool beforeFits = last ? alike(between.before, there.before, beforeSize(), index)
                                   : global_ == 0 && vanishes(there.before) && exists(between.before, index);
      const bool behindFits = last ? vanishes(there.behind) && exists(between.behind, index)
                                   : alike(between.behind, there.behind, behindStates_.size(), index);
      if (!beforeFits || !behindFits) return;
    }
    joined_[end] = true;
    sym::Loop& loop = places_[1].members.loops[0];
    (index == g_.integer(1) ? loop.lo : loop.hi) = index;
  }

  /// Notes the states that a form reads.
  bool note(const LinearForm& form) {
    for (const LinearForm::Term& t : form.terms) {
      if (t.seat == Seat::Global) {
        globalOf(t.array);
      } else if (t.seat == Seat::First || t.seat == Seat::Last) {
        behindStates_.place((t.seat == Seat::First) == up_ ? State::Element : State::End, t.array);
      } else if (t.seat == before_) {
        beforeStates_.place(State::Element, t.array);
      } else if (t.seat == behind_) {
        behindStates_.place(State::Element, t.array);
      } else if (!ownPlace_.contains(t.array)) {
        return false;
      }
    }
    return true;
  }

  void fill(Row& r, int rows, const std::vector<Found>& forms) {
    r.own = Block(g_, rows, own_);
    r.before = Block(g_, rows, beforeSize());
    r.behind = Block(g_, rows, behindStates_.size());
    for (const Found& f : forms)
      for (const LinearForm::Term& t : f.form.terms) {
        if (t.seat == Seat::Own) add(r.own, f.row, ownPlace_.at(t.array), t);
        if (t.seat == before_) add(r.before, f.row, *beforeStates_.find(State::Element, t.array), t);
        if (t.seat == Seat::Global) add(r.before, f.row, beforeStates_.size() + globalPlace_.at(t.array), t);
        if (t.seat == behind_) add(r.behind, f.row, *behindStates_.find(State::Element, t.array), t);
      }
  }

  void add(Block& block, int row, int column, const LinearForm::Term& t) {
    for (std::size_t c = 0; c < t.columns.size(); ++c)
      for (std::size_t k = 0; k < t.columns[c].size(); ++k) {
        Expr& e = block.at(row + static_cast<int>(k), column + static_cast<int>(c));
        e = g_.add(e, t.columns[c][k]);
      }
  }

  /// The equations beside the family and of sums, by the global unknowns and the states B of the first member.
  bool fillBeside(const std::vector<Found>& beside) {
    besideGlobal_ = Block(g_, global_, global_);
    besideBehind_ = Block(g_, global_, behindStates_.size());
    for (const Found& f : beside)
      for (const LinearForm::Term& t : f.form.terms) {
        if (t.seat == Seat::Global) {
          add(besideGlobal_, f.row, globalPlace_.at(t.array), t);
          continue;
        }
        const bool begin = (t.seat == Seat::First) == up_;
        add(besideBehind_, f.row, *behindStates_.find(begin ? State::Element : State::End, t.array), t);
      }
    for (const sym::Array* s : sums_)
      for (int e = 0; e < s->shape.size(); ++e) {
        const int row = globalPlace_.at(s) + e;
        besideGlobal_.at(row, row) = g_.number(1);
        besideBehind_.at(row, *behindStates_.find(State::Sum, s) + e) = g_.number(-1);
      }
    return true;
  }

  // --- equations ---

  void set(const sym::Array* a, const Members& at, std::vector<Expr> index, Expr value, bool descending) {
    sym::Equation e;
    e.array = a;
    e.loops = at.loops;
    for (sym::Loop& l : e.loops) l.descending = descending;
    e.index = std::move(index);
    e.value = value;
    p_.append(std::move(e));
  }

  /// An element for each member, and one at each end.
  [[nodiscard]] const sym::Array* perMember(const std::string& name, int size) {
    return g_.newArray(name, {extent_ + 2}, size == 1 ? sym::Shape::scalar() : sym::Shape::vec(size), sym::Role::Temp);
  }

  Expr gathered(const std::vector<Expr>& list) { return list.size() == 1 ? list[0] : g_.vector(list); }

  [[nodiscard]] Expr placed(Expr index) { return g_.add(index, g_.integer(1)); }

  std::vector<Expr> loads(const sym::Array* a, Expr index) {
    const Expr all = g_.load(a, {placed(index)});
    std::vector<Expr> list;
    for (int k = 0; k < a->shape.size(); ++k) list.push_back(g_.entry(all, k));
    return list;
  }

  /// Where a sweep begins.
  void beyond(const sym::Array* a, bool high) {
    set(a, {}, {g_.integer(high ? extent_ + 2 : 1)}, g_.zero(a->shape), false);
  }

  /// The same block with numbers that stand in memory.
  Block hold(Block b, const std::string& name, const Members& at) {
    std::vector<Expr> list;
    for (const Expr& e : b.entries)
      if (!e->isConst()) list.push_back(e);
    if (list.empty()) return b;
    const bool loop = !at.loops.empty();
    const sym::Array* a =
        loop ? perMember(name, static_cast<int>(list.size()))
             : g_.newArray(name, {},
                           list.size() == 1 ? sym::Shape::scalar() : sym::Shape::vec(static_cast<int>(list.size())),
                           sym::Role::Temp);
    set(a, at, loop ? std::vector<Expr>{placed(at.index)} : std::vector<Expr>{}, gathered(list), up_);
    factors_.push_back(a);
    const Expr all = loop ? g_.load(a, {placed(at.index)}) : g_.load(a);
    int next = 0;
    for (Expr& e : b.entries)
      if (!e->isConst()) e = list.size() == 1 ? all : g_.entry(all, next++);
    return b;
  }

  Expr behindOf(const Members& m) { return g_.add(m.index, g_.integer(up_ ? 1 : -1)); }
  Expr beforeOf(const Members& m) { return g_.add(m.index, g_.integer(up_ ? -1 : 1)); }

  /// Entries of S, and of K, that are not zero at some member.
  std::vector<bool> pattern() const {
    const int m = behindStates_.size(), n = beforeSize();
    std::vector<bool> s(static_cast<std::size_t>(m * n), false);
    const auto some = [](const Block& b, int i, int j) { return !b.at(i, j)->isZero(); };
    for (bool more = true; more;) {
      more = false;
      for (const Place& p : places_) {
        for (int j = 0; j < n; ++j) {
          std::vector<bool> q(static_cast<std::size_t>(m), false); // S A
          for (int i = 0; i < m; ++i)
            for (int k = 0; k < n; ++k) q[i] = q[i] || (s[i * n + k] && some(p.before.before, k, j));
          bool any = false; // of K, all rows of which may be
          for (int r = 0; r < own_; ++r) {
            any = any || some(p.equations.before, r, j);
            for (int i = 0; i < m; ++i) any = any || (q[i] && some(p.equations.behind, r, i));
          }
          for (int i = 0; i < m; ++i) {
            bool here = some(p.behind.before, i, j);
            for (int k = 0; k < m; ++k) here = here || (q[k] && some(p.behind.behind, i, k));
            bool throughOwn = false;
            for (int r = 0; r < own_; ++r) throughOwn = throughOwn || some(p.behind.own, i, r);
            for (int k = 0; k < m && !throughOwn; ++k) throughOwn = some(p.behind.behind, i, k);
            if (s[i * n + j] || !(here || (any && throughOwn))) continue;
            s[i * n + j] = more = true;
          }
        }
      }
    }
    return s;
  }

  void factor() {
    const std::vector<bool> some = pattern();
    const int m = behindStates_.size(), n = beforeSize();
    const int count = static_cast<int>(std::count(some.begin(), some.end(), true));
    // A recursion is one equation: what it makes of a member stands in one element.
    const sym::Array* all = perMember("chain.factors", count + own_ * (own_ + n + m));
    factors_.push_back(all);
    beyond(all, up_);
    const auto load = [&](Expr index) {
      Block b(g_, m, n);
      const std::vector<Expr> list = loads(all, index);
      for (std::size_t k = 0, next = 0; k < some.size(); ++k)
        if (some[k]) b.entries[k] = list[next++];
      return b;
    };
    for (std::size_t k = 0; k < places_.size(); ++k) {
      if (joined_[k]) continue;
      const Place& p = places_[k];
      const Members& at = p.members;
      const Row &e = p.equations, &f = p.before, &b = p.behind;
      Solved& r = solved_[k];
      r.behind = hold(e.behind, "chain.R", at);
      r.carried = hold(b.behind, "chain.C", at);
      r.on = hold(f.before, "chain.A", at);
      r.moved = hold(f.own, "chain.G", at);
      Block d = hold(e.own, "chain.D", at), q = hold(e.before, "chain.Q", at), t = hold(b.own, "chain.H", at),
            h = hold(b.before, "chain.HF", at);
      if (k != 0 && m > 0) {
        const Block next = load(behindOf(at));
        const Block sg = product(g_, next, r.moved), sa = product(g_, next, r.on);
        d = sum(g_, d, product(g_, r.behind, sg));
        q = sum(g_, q, product(g_, r.behind, sa));
        t = sum(g_, t, product(g_, r.carried, sg));
        h = sum(g_, h, product(g_, r.carried, sa));
      }
      r.inverse = inverse(g_, d);
      r.gain = negative(g_, product(g_, r.inverse, q));
      r.back = t;
      const Block own = sum(g_, h, product(g_, t, r.gain));
      std::vector<Expr> list;
      for (std::size_t i = 0; i < some.size(); ++i)
        if (some[i]) list.push_back(own.entries[i]);
      for (const Block* block : {&r.inverse, &r.gain, &r.back})
        list.insert(list.end(), block->entries.begin(), block->entries.end());
      set(all, at, {placed(at.index)}, gathered(list), up_);
      const std::vector<Expr> kept = loads(all, at.index);
      auto next = kept.begin() + count;
      for (Block* block : {&r.inverse, &r.gain, &r.back})
        for (Expr& x : block->entries) {
          if (!x->isConst()) x = *next;
          ++next;
        }
    }
    if (global_ == 0) return;
    // The global unknowns: their own equations, with B_1 = S_1 F_0 + s_1.
    const Block first = load(places_[2].members.index);
    Block matrix = besideGlobal_;
    for (int i = 0; i < global_; ++i)
      for (int j = 0; j < global_; ++j)
        for (int k = 0; k < m; ++k)
          matrix.at(i, j) = g_.add(matrix.at(i, j), g_.mul(besideBehind_.at(i, k), first.at(k, n - global_ + j)));
    const Members beside{};
    besideInverse_ = hold(inverse(g_, hold(matrix, "beside", beside)), "beside.inverse", beside);
    besideBehind_ = hold(besideBehind_, "beside.R", beside);
  }

  Expr position(const NewtonPart& part, Expr member, int entry) {
    const Expr base = g_.integer(part.first + entry + 1);
    if (part.component.extent == 0) return base;
    return g_.add(base, g_.mul(g_.integer(part.component.shape.size()), g_.sub(member, g_.integer(1))));
  }

  Block residualAt(Expr member) {
    Block r(g_, member ? own_ : global_, 1);
    int row = 0;
    for (const NewtonPart& e : equations_) {
      if ((e.component.extent > 0) != static_cast<bool>(member)) continue;
      for (int k = 0; k < e.component.shape.size(); ++k) r.at(row++, 0) = g_.load(residual_, {position(e, member, k)});
    }
    return r;
  }

  Block columnOf(const std::vector<Expr>& list) {
    Block b(g_, static_cast<int>(list.size()), 1);
    b.entries = list;
    return b;
  }

  void solve() {
    const int m = behindStates_.size(), n = beforeStates_.size();
    const sym::Array* sk = perMember("chain.s", m + own_);
    const auto partOf = [&](const sym::Array* a, Expr index, int first, int count) {
      const std::vector<Expr> list = loads(a, index);
      return columnOf({list.begin() + first, list.begin() + first + count});
    };
    beyond(sk, up_);
    for (std::size_t j = 0; j < places_.size(); ++j) {
      if (joined_[j]) continue;
      const Members& at = places_[j].members;
      const Solved& r = solved_[j];
      Block rhs = residualAt(at.index), carried(g_, m, 1);
      if (j != 0 && m > 0) {
        const Block next = partOf(sk, behindOf(at), 0, m);
        rhs = sum(g_, rhs, negative(g_, product(g_, r.behind, next)));
        carried = product(g_, r.carried, next);
      }
      const Block found = product(g_, r.inverse, rhs);
      std::vector<Expr> list = sum(g_, carried, product(g_, r.back, found)).entries;
      list.insert(list.end(), found.entries.begin(), found.entries.end());
      set(sk, at, {placed(at.index)}, gathered(list), up_);
    }
    change_ = g_.newArray("change", {residual_->size()}, sym::Shape::scalar(), sym::Role::Temp);
    std::vector<Expr> global;
    if (global_ > 0) global = solveBeside(m > 0 ? partOf(sk, places_[2].members.index, 0, m) : Block(g_, 0, 1));
    const sym::Array* fd = perMember("chain.d", n + own_);
    beyond(fd, !up_);
    for (std::size_t j = places_.size(); j > 0; --j) {
      if (joined_[j - 1]) continue;
      const Members& at = places_[j - 1].members;
      const Solved& r = solved_[j - 1];
      Block before(g_, beforeSize(), 1);
      if (j != places_.size() && n > 0) {
        const Block known = partOf(fd, beforeOf(at), 0, n);
        std::copy(known.entries.begin(), known.entries.end(), before.entries.begin());
      }
      std::copy(global.begin(), global.end(), before.entries.begin() + n);
      const Block own = sum(g_, partOf(sk, at.index, m, own_), product(g_, r.gain, before));
      std::vector<Expr> list = sum(g_, product(g_, r.on, before), product(g_, r.moved, own)).entries;
      list.resize(static_cast<std::size_t>(n));
      list.insert(list.end(), own.entries.begin(), own.entries.end());
      set(fd, at, {placed(at.index)}, gathered(list), !up_);
      const Block found = partOf(fd, at.index, n, own_);
      std::size_t entry = 0;
      for (const NewtonPart& u : unknowns_)
        for (int e = 0; u.component.extent > 0 && e < u.component.shape.size(); ++e)
          set(change_, at, {position(u, at.index, e)}, found.entries[entry++], !up_);
    }
  }

  std::vector<Expr> solveBeside(const Block& first) {
    Block rhs(g_, global_, 1);
    const Block own = residualAt({});
    std::copy(own.entries.begin(), own.entries.end(), rhs.entries.begin());
    rhs = sum(g_, rhs, negative(g_, product(g_, besideBehind_, first)));
    const Block found = product(g_, besideInverse_, rhs);
    const sym::Array* a = g_.newArray("beside.d", {}, sym::Shape::vec(std::max(global_, 2)), sym::Role::Temp);
    std::vector<Expr> list = found.entries;
    if (list.size() == 1) list.push_back(g_.number(0));
    set(a, {}, {}, g_.vector(list), false);
    std::vector<Expr> global;
    for (int k = 0; k < global_; ++k) global.push_back(g_.entry(g_.load(a), k));
    std::size_t entry = 0;
    for (const NewtonPart& u : unknowns_)
      for (int e = 0; u.component.extent == 0 && e < u.component.shape.size(); ++e)
        set(change_, {}, {position(u, {}, e)}, global[entry++], false);
    return global;
  }

  struct Solved {
    Block inverse, gain, back, behind, carried, on, moved;
  };

  sym::Program& p_;
  sym::Graph& g_;
  const std::vector<NewtonPart>&unknowns_, &equations_;
  const sym::Array* residual_;
  std::int64_t extent_;
  Seat before_, behind_;
  bool up_; ///< F goes from the first member to the last one
  MemberForms forms_;
  std::array<Place, 3> places_;
  std::array<Solved, 3> solved_;
  std::array<bool, 3> joined_{}; ///< ends that are like the members between
  States beforeStates_, behindStates_;
  std::unordered_map<const sym::Array*, int> ownPlace_, globalPlace_;
  std::vector<const sym::Array*> sums_;
  int own_ = 0, global_ = 0;
  Block besideGlobal_, besideBehind_, besideInverse_;
  std::vector<const sym::Array*> factors_;
  const sym::Array* change_ = nullptr;
};

} // namespace

ChainSolution solveAlongFamily(sym::Program& program, const std::vector<NewtonPart>& unknowns,
                               const std::vector<NewtonPart>& equations, const sym::Array* residual) {
  std::int64_t extent = 0;
  for (const auto* list : {&unknowns, &equations})
    for (const NewtonPart& part : *list) {
      if (part.component.extent == 0) continue;
      if (extent != 0 && part.component.extent != extent) return {};
      extent = part.component.extent;
    }
  if (extent < 4) return {};
  for (const bool up : {true, false}) {
    const ChainSolution s = Sweep(program, unknowns, equations, residual, extent, up).run();
    if (s.change != nullptr) return s;
  }
  return {};
}

} // namespace lmc::methods
