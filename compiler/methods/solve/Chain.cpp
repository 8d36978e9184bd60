#include "methods/solve/Chain.h"

#include "methods/solve/ChainShape.h"

#include <algorithm>

namespace lmc::methods {

using sym::Expr;

namespace {

/// The equations of an elimination from the end.
class Sweep {
public:
  Sweep(sym::Program& p, const std::vector<NewtonPart>& unknowns, const std::vector<NewtonPart>& equations,
        const sym::Array* residual, std::int64_t extent, bool up)
      : p_(p), g_(p.graph()), unknowns_(unknowns), equations_(equations), residual_(residual), extent_(extent), up_(up),
        c_(p, unknowns, equations, extent, up) {}

  ChainSolution run() {
    if (!c_.find()) return {};
    factor();
    solve();
    return {factors_, change_};
  }

private:
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
    const int m = c_.behind.size(), n = c_.beforeSize();
    std::vector<bool> s(static_cast<std::size_t>(m * n), false);
    const auto some = [](const Block& b, int i, int j) { return !b.at(i, j)->isZero(); };
    for (bool more = true; more;) {
      more = false;
      for (const Place& p : c_.places) {
        for (int j = 0; j < n; ++j) {
          std::vector<bool> q(static_cast<std::size_t>(m), false); // S A
          for (int i = 0; i < m; ++i)
            for (int k = 0; k < n; ++k) q[i] = q[i] || (s[i * n + k] && some(p.before.before, k, j));
          bool any = false; // of K, all rows of which may be
          for (int r = 0; r < c_.own; ++r) {
            any = any || some(p.equations.before, r, j);
            for (int i = 0; i < m; ++i) any = any || (q[i] && some(p.equations.behind, r, i));
          }
          for (int i = 0; i < m; ++i) {
            bool here = some(p.behind.before, i, j);
            for (int k = 0; k < m; ++k) here = here || (q[k] && some(p.behind.behind, i, k));
            bool throughOwn = false;
            for (int r = 0; r < c_.own; ++r) throughOwn = throughOwn || some(p.behind.own, i, r);
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
    const int m = c_.behind.size(), n = c_.beforeSize();
    const int count = static_cast<int>(std::count(some.begin(), some.end(), true));
    // A recursion is one equation: what it makes of a member stands in one element.
    const sym::Array* all = perMember("chain.factors", count + c_.own * (c_.own + n + m));
    factors_.push_back(all);
    beyond(all, up_);
    const auto load = [&](Expr index) {
      Block b(g_, m, n);
      const std::vector<Expr> list = loads(all, index);
      for (std::size_t k = 0, next = 0; k < some.size(); ++k)
        if (some[k]) b.entries[k] = list[next++];
      return b;
    };
    for (std::size_t k = 0; k < c_.places.size(); ++k) {
      if (c_.joined[k]) continue;
      const Place& p = c_.places[k];
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
    if (c_.global == 0) return;
    // The global unknowns: their own equations, with B_1 = S_1 F_0 + s_1.
    const Block first = load(c_.places[2].members.index);
    Block matrix = c_.besideGlobal;
    for (int i = 0; i < c_.global; ++i)
      for (int j = 0; j < c_.global; ++j)
        for (int k = 0; k < m; ++k)
          matrix.at(i, j) = g_.add(matrix.at(i, j), g_.mul(c_.besideBehind.at(i, k), first.at(k, n - c_.global + j)));
    const Members beside{};
    besideInverse_ = hold(inverse(g_, hold(matrix, "beside", beside)), "beside.inverse", beside);
    besideBehind_ = hold(c_.besideBehind, "beside.R", beside);
  }

  Expr position(const NewtonPart& part, Expr member, int entry) {
    const Expr base = g_.integer(part.first + entry + 1);
    if (part.component.extent == 0) return base;
    return g_.add(base, g_.mul(g_.integer(part.component.shape.size()), g_.sub(member, g_.integer(1))));
  }

  Block residualAt(Expr member) {
    Block r(g_, member ? c_.own : c_.global, 1);
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
    const int m = c_.behind.size(), n = c_.before.size();
    const sym::Array* sk = perMember("chain.s", m + c_.own);
    const auto partOf = [&](const sym::Array* a, Expr index, int first, int count) {
      const std::vector<Expr> list = loads(a, index);
      return columnOf({list.begin() + first, list.begin() + first + count});
    };
    beyond(sk, up_);
    for (std::size_t j = 0; j < c_.places.size(); ++j) {
      if (c_.joined[j]) continue;
      const Members& at = c_.places[j].members;
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
    if (c_.global > 0) global = solveBeside(m > 0 ? partOf(sk, c_.places[2].members.index, 0, m) : Block(g_, 0, 1));
    const sym::Array* fd = perMember("chain.d", n + c_.own);
    beyond(fd, !up_);
    for (std::size_t j = c_.places.size(); j > 0; --j) {
      if (c_.joined[j - 1]) continue;
      const Members& at = c_.places[j - 1].members;
      const Solved& r = solved_[j - 1];
      Block before(g_, c_.beforeSize(), 1);
      if (j != c_.places.size() && n > 0) {
        const Block known = partOf(fd, beforeOf(at), 0, n);
        std::copy(known.entries.begin(), known.entries.end(), before.entries.begin());
      }
      std::copy(global.begin(), global.end(), before.entries.begin() + n);
      const Block own = sum(g_, partOf(sk, at.index, m, c_.own), product(g_, r.gain, before));
      std::vector<Expr> list = sum(g_, product(g_, r.on, before), product(g_, r.moved, own)).entries;
      list.resize(static_cast<std::size_t>(n));
      list.insert(list.end(), own.entries.begin(), own.entries.end());
      set(fd, at, {placed(at.index)}, gathered(list), !up_);
      const Block found = partOf(fd, at.index, n, c_.own);
      std::size_t entry = 0;
      for (const NewtonPart& u : unknowns_)
        for (int e = 0; u.component.extent > 0 && e < u.component.shape.size(); ++e)
          set(change_, at, {position(u, at.index, e)}, found.entries[entry++], !up_);
    }
  }

  std::vector<Expr> solveBeside(const Block& first) {
    Block rhs(g_, c_.global, 1);
    const Block own = residualAt({});
    std::copy(own.entries.begin(), own.entries.end(), rhs.entries.begin());
    rhs = sum(g_, rhs, negative(g_, product(g_, besideBehind_, first)));
    const Block found = product(g_, besideInverse_, rhs);
    const sym::Array* a = g_.newArray("beside.d", {}, sym::Shape::vec(std::max(c_.global, 2)), sym::Role::Temp);
    std::vector<Expr> list = found.entries;
    if (list.size() == 1) list.push_back(g_.number(0));
    set(a, {}, {}, g_.vector(list), false);
    std::vector<Expr> global;
    for (int k = 0; k < c_.global; ++k) global.push_back(g_.entry(g_.load(a), k));
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
  bool up_;
  ChainShape c_;
  std::array<Solved, 3> solved_;
  Block besideInverse_, besideBehind_;
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
