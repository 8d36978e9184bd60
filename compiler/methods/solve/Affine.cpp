#include "methods/solve/Affine.h"

#include "methods/solve/Block.h"

#include <algorithm>

namespace lmc::methods {

using sym::Expr;

namespace {

/// Where one number of a space stands.
struct Spot {
  std::size_t part = 0;
  std::int64_t member = 0; ///< from 1; 0 of a single value
  int entry = 0;
};

std::vector<Spot> spotsOf(const Space& space) {
  std::vector<Spot> list;
  for (std::size_t k = 0; k < space.size(); ++k)
    for (std::int64_t m = space[k].extent > 0 ? 1 : 0; m <= space[k].extent; ++m)
      for (int e = 0; e < space[k].shape.size(); ++e) list.push_back({k, m, e});
  return list;
}

class AffineSystem {
public:
  AffineSystem(sym::Program& p, const Newton& system, std::vector<ImplicitEquation> equations,
               const std::vector<bool>& removable)
      : p_(p), g_(p.graph()), system_(system),
        removable_(removable), result_{std::move(equations), std::vector<sema::ArrayTuple>(system.unknowns())} {}

  std::optional<SolvedEquations> run() {
    bool some = false;
    for (std::size_t e = 0; e < result_.equations.size(); ++e)
      for (std::size_t u = 0; u < system_.unknowns(); ++u) {
        const bool fits = removable_[u] && isOpen(result_.equations[e]) &&
                          sizeOf(result_.equations[e].space) == sizeOf(system_.spaceOf(u));
        if (fits && solveFor(e, u)) {
          some = true;
          break;
        }
      }
    if (!some) return std::nullopt;
    return std::move(result_);
  }

private:
  /// It does not say what an unknown is yet.
  [[nodiscard]] bool isOpen(const ImplicitEquation& e) const {
    for (std::size_t u = 0; u < system_.unknowns(); ++u)
      if (!e.left.empty() && (e.left == system_.iterate(u) || e.right == system_.iterate(u))) return false;
    return !e.left.empty();
  }

  /// Whether some array that a value depends on is of a kind.
  template <class Of> [[nodiscard]] bool depends(const sema::Tuple& value, Of of) const {
    std::unordered_set<const sym::Array*> seen;
    for (const Expr& e : value) seen.merge(sym::reads(e));
    for (const std::size_t k : p_.slice({}, value)) seen.merge(sym::reads(p_.equations()[k]));
    return std::any_of(seen.begin(), seen.end(), of);
  }

  [[nodiscard]] bool isIterate(const sym::Array* a, std::size_t u) const {
    const sema::ArrayTuple& own = system_.iterateArrays(u);
    return std::find(own.begin(), own.end(), a) != own.end();
  }

  [[nodiscard]] bool readsIterates(const sema::Tuple& value) const {
    return depends(value, [&](const sym::Array* a) {
      for (std::size_t u = 0; u < system_.unknowns(); ++u)
        if (isIterate(a, u)) return true;
      return false;
    });
  }

  /// An expression at a member.
  Expr at(Expr e, const Component& c, std::int64_t member) {
    if (c.index.empty()) return e;
    sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      return &n == c.index[0].node() ? g_.integer(member) : Expr();
    });
    return substitution(e);
  }

  /// With single values as expressions of what they depend on: so zeros are seen.
  Expr writtenOut(Expr e) {
    sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      if (n.op != sym::Op::Load || !n.args.empty()) return {};
      const auto& writers = p_.writers(n.array);
      if (writers.size() != 1) return {};
      const sym::Equation& q = p_.equation(writers[0]);
      return q.kind == sym::EquationKind::Set && q.loops.empty() && !q.guard ? writtenOut(q.value) : Expr();
    });
    return substitution(e);
  }

  /// An entry of a value, in which multiples and sums are those of the entry.
  Expr entryOf(Expr e, int entry) {
    if (e->op == sym::Op::Mul && e->shape.rank == 1) return g_.mul(e->args[0], entryOf(e->args[1], entry));
    if (e->op == sym::Op::Add && e->shape.rank == 1) {
      Expr total = g_.number(0);
      for (const Expr& term : e->args) total = g_.add(total, entryOf(term, entry));
      return total;
    }
    return sema::entries(g_, {e})[static_cast<std::size_t>(entry)];
  }

  /// The slope of a value by one number of an unknown.
  sema::Tuple slope(const sema::Tuple& value, std::size_t unknown, const Spot& by) {
    const Component& c = system_.spaceOf(unknown)[by.part];
    const Expr direction = sema::unit(g_, {{c.name, c.shape}}, by.entry)[0];
    sym::Tangent tangent(p_);
    tangent.seed(system_.iterateArrays(unknown)[by.part], [&](const std::vector<Expr>& index) {
      if (index.empty()) return direction;
      return g_.select(g_.compare(sym::Op::Eq, index[0], g_.integer(by.member)), direction, g_.zero(c.shape));
    });
    sema::Tuple r;
    for (const Expr& e : value) r.push_back(tangent.of(e));
    return r;
  }

  /// Whether the slopes by all numbers are the same wherever the iteration is. One direction tells for all.
  bool isAffineIn(const sema::Tuple& value, std::size_t unknown) {
    sym::Tangent tangent(p_);
    const Space& space = system_.spaceOf(unknown);
    for (std::size_t k = 0; k < space.size(); ++k) {
      const sym::Array* d = g_.newArray("direction", space[k].extents(), space[k].shape, sym::Role::Unknown);
      tangent.seed(system_.iterateArrays(unknown)[k],
                   [this, d](const std::vector<Expr>& index) { return g_.load(d, index); });
    }
    sema::Tuple all;
    for (const Expr& e : value) all.push_back(tangent.of(e));
    return !readsIterates(all);
  }

  /// The derivative of all numbers of a value by all of an unknown; written out where it depends on parameters alone.
  Block jacobian(const Space& space, const sema::Tuple& value, std::size_t unknown) {
    const auto ofStep = [](const sym::Array* a) { return a->role != sym::Role::Temp && a->role != sym::Role::Param; };
    const std::vector<Spot> rows = spotsOf(space), columns = spotsOf(system_.spaceOf(unknown));
    Block b(g_, static_cast<int>(rows.size()), static_cast<int>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const sema::Tuple column = slope(value, unknown, columns[j]);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Spot& r = rows[i];
        const Expr here = at(column[r.part], space[r.part], r.member);
        b.at(static_cast<int>(i), static_cast<int>(j)) =
            entryOf(depends({here}, ofStep) ? here : writtenOut(here), r.entry);
      }
    }
    return b;
  }

  /// Numbers as arrays of a space.
  sema::ArrayTuple stored(const Space& space, const std::vector<Expr>& numbers, const std::string& name) {
    sema::ArrayTuple arrays;
    std::size_t next = 0;
    for (const Component& c : space) {
      const sym::Array* a = g_.newArray(name + "." + c.name, c.extents(), c.shape, sym::Role::Temp);
      for (std::int64_t m = c.extent > 0 ? 1 : 0; m <= c.extent; ++m) {
        const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(next);
        sym::Equation q;
        q.array = a;
        if (m > 0) q.index = {g_.integer(m)};
        q.value = sema::fromEntries(g_, {{c.name, c.shape}}, {first, first + c.shape.size()})[0];
        p_.append(std::move(q));
        next += static_cast<std::size_t>(c.shape.size());
      }
      arrays.push_back(a);
    }
    return arrays;
  }

  /// A^-1 b: a division for each number, or the inverse with a step of refinement, since errors of an inverse are the
  /// same in every step.
  std::vector<Expr> quotient(const Block& a, const std::vector<Expr>& b) {
    bool diagonal = true;
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < a.columns; ++j) diagonal = diagonal && (i == j || a.at(i, j)->isZero());
    if (diagonal) {
      std::vector<Expr> x;
      for (int i = 0; i < a.rows; ++i) x.push_back(g_.div(b[static_cast<std::size_t>(i)], a.at(i, i)));
      return x;
    }
    if (!inverse_) inverse_ = g_.load(matrix(g_.inverse(g_.matrix(a.rows, a.columns, a.entries))));
    const Expr whole = g_.load(matrix(g_.matrix(a.rows, a.columns, a.entries))), right = g_.vector(b);
    const Expr first = g_.load(matrix(g_.matmul(inverse_, right)));
    const Expr x = g_.add(first, g_.matmul(inverse_, g_.sub(right, g_.matmul(whole, first))));
    std::vector<Expr> list;
    for (int i = 0; i < a.rows; ++i) list.push_back(g_.entry(x, i));
    return list;
  }

  /// A value that is used several times.
  const sym::Array* matrix(Expr value) {
    const sym::Array* a = g_.newArray("slope", {}, value->shape, sym::Role::Temp);
    sym::Equation q;
    q.array = a;
    q.value = value;
    p_.append(std::move(q));
    return a;
  }

  bool solveFor(std::size_t e, std::size_t u) {
    const ImplicitEquation before = result_.equations[e];
    for (std::size_t v = 0; v < system_.unknowns(); ++v)
      if (removable_[v] && !isAffineIn(before.residual, v)) return false;
    const Block a = jacobian(before.space, before.residual, u);
    const auto ofState = [](const sym::Array* x) { return x->role == sym::Role::State || x->role == sym::Role::Time; };
    if (vanishes(a) || depends(a.entries, ofState)) return false;
    inverse_ = Expr();
    sym::Replacement atZero;
    for (std::size_t k = 0; k < system_.spaceOf(u).size(); ++k) {
      const Component& c = system_.spaceOf(u)[k];
      const sym::Array* iterate = system_.iterateArrays(u)[k];
      if (c.extent == 0)
        atZero.scalars[iterate] = g_.zero(c.shape);
      else
        atZero.arrays[iterate] = store(p_, {c}, {g_.zero(c.shape)}, "zero")[0];
    }
    for (std::size_t v = 0; v < system_.unknowns(); ++v)
      if (v != u && removable_[v]) scaleOf(before, a, v, atZero);
    const sema::ArrayTuple plain = store(p_, before.space, before.residual, "equation");
    const sema::ArrayTuple rest = sym::inlineCopy(p_, plain, atZero, "0");
    std::vector<Expr> numbers;
    for (const Spot& r : spotsOf(before.space)) {
      const Expr load = r.member > 0 ? g_.load(rest[r.part], {g_.integer(r.member)}) : g_.load(rest[r.part]);
      numbers.push_back(g_.neg(sema::entries(g_, {load})[static_cast<std::size_t>(r.entry)]));
    }
    const Space& space = system_.spaceOf(u);
    const sema::Tuple value = load(g_, space, stored(space, quotient(a, numbers), "affine"));
    const sema::Tuple iterate = system_.iterate(u);
    result_.equations[e] = {space, iterate, value, sema::sub(g_, iterate, value)};
    return true;
  }

  /// Multiplies the iterate of another unknown, in all equations, by one over the sizes of the changes that it makes.
  void scaleOf(const ImplicitEquation& e, const Block& a, std::size_t v, sym::Replacement& replaced) {
    if (!result_.scale[v].empty()) return;
    const Space& space = system_.spaceOf(v);
    const Block b = jacobian(e.space, e.residual, v);
    if (vanishes(b)) return;
    std::vector<Expr> factors, scaled;
    const std::vector<Spot> spots = spotsOf(space);
    for (int j = 0; j < b.columns; ++j) {
      std::vector<Expr> column, sizes;
      for (int i = 0; i < b.rows; ++i) column.push_back(b.at(i, j));
      for (const Expr& x : quotient(a, column)) sizes.push_back(g_.function(sym::Op::Abs, x));
      factors.push_back(g_.div(g_.number(1), g_.sum(sizes, sym::Shape::scalar())));
    }
    result_.scale[v] = stored(space, factors, "scale");
    for (std::size_t j = 0; j < spots.size(); ++j) {
      const Spot& r = spots[j];
      const auto entry = [&](const sym::Array* array) {
        const Expr load = r.member > 0 ? g_.load(array, {g_.integer(r.member)}) : g_.load(array);
        return sema::entries(g_, {load})[static_cast<std::size_t>(r.entry)];
      };
      scaled.push_back(g_.mul(entry(result_.scale[v][r.part]), entry(system_.iterateArrays(v)[r.part])));
    }
    const sema::ArrayTuple arrays = stored(space, scaled, "scaled");
    sym::Replacement own;
    for (std::size_t k = 0; k < arrays.size(); ++k) own.arrays[system_.iterateArrays(v)[k]] = arrays[k];
    for (std::size_t k = 0; k < arrays.size(); ++k) replaced.arrays[system_.iterateArrays(v)[k]] = arrays[k];
    for (ImplicitEquation& q : result_.equations)
      for (sema::Tuple* side : {&q.left, &q.right, &q.residual}) {
        if (!depends(*side, [&](const sym::Array* x) { return isIterate(x, v); })) continue;
        const sema::ArrayTuple plain = store(p_, q.space, *side, "equation");
        *side = load(g_, q.space, sym::inlineCopy(p_, plain, own, "*"));
      }
  }

  sym::Program& p_;
  sym::Graph& g_;
  const Newton& system_;
  const std::vector<bool>& removable_; ///< by unknown: linear values of the method
  SolvedEquations result_;
  Expr inverse_; ///< of the slope at hand
};

} // namespace

std::optional<SolvedEquations> solvedForAffine(sym::Program& p, const Newton& system,
                                               const std::vector<ImplicitEquation>& equations,
                                               const std::vector<bool>& removable) {
  return AffineSystem(p, system, equations, removable).run();
}

} // namespace lmc::methods
