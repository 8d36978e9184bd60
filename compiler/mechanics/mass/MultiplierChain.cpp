#include "mechanics/mass/Chain.h"
#include "mechanics/mass/Multipliers.h"
#include "mechanics/mass/Surroundings.h"
#include "mechanics/mass/Tridiagonal.h"
#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"
#include "sym/Inline.h"
#include "sym/Polynomial.h"

#include <algorithm>

namespace lmc::mechanics {

using sym::Expr;
using sym::Graph;

namespace {

class MultiplierChain {
public:
  MultiplierChain(Layer& s, std::size_t k)
      : s_(s), m_(s.model), p_(s.program()), g_(p_.graph()), k_(k), f_(m_.factors[k]), n_(f_.extent) {}

  std::optional<MultiplierSolution> run(const sema::ArrayTuple& unknown) {
    const auto held = heldPoint(s_, f_);
    if (!held || held->normals.size() != 1 || n_ < 3) return {};
    held_ = *held;
    if (!writeLagrangian() || !invert()) return {};
    findForces();
    eliminate();
    accelerate(unknown[0]);
    return MultiplierSolution{n_, false};
  }

private:
  using AtIndex = std::function<Expr(Expr)>;

  [[nodiscard]] Expr index() const { return s_.system.factors[k_].index[0]; }
  Expr next(Expr i) { return g_.add(i, g_.integer(1)); }
  Expr before(Expr i) { return g_.sub(i, g_.integer(1)); }
  Expr at(const sym::Array* a, Expr i) { return g_.load(a, {i}); }

  const sym::Array* family(const std::string& name, const sym::Shape& shape) {
    return g_.newArray(name, {n_}, shape, sym::Role::Temp);
  }

  /// array[i] = value(i) for i in lo…hi
  void set(const sym::Array* array, std::int64_t lo, std::int64_t hi, const AtIndex& value, bool descending = false) {
    const Expr i = lo == hi ? g_.integer(lo) : g_.newIndex("i");
    defineRange(p_, array, i, lo, hi, value(i), descending);
  }

  // ---- the Lagrangian as a function of q and q'

  /// Copies the equations of the Lagrangian with q' instead of T(q) xi. False if other uses of xi are left.
  bool writeLagrangian() {
    rate_ = family(f_.name + "'", held_.rate->shape);
    sema::ArrayTuple velocity; // stands for xi; nothing of it may be left
    sym::Replacement r;
    for (std::size_t part = 0; part < f_.velocity.size(); ++part) {
      velocity.push_back(family("xi", f_.velocity[part]->shape));
      r.arrays[f_.velocity[part]] = r.arrays[f_.usedVelocity[part]] = velocity.back();
    }
    r.knowledge = [&](const sym::Array* a, const std::vector<Expr>& place) {
      std::vector<std::pair<Expr, Expr>> equal;
      if (a == velocity[0])
        equal.emplace_back(sema::generator(p_, *f_.manifold, f_.frame, sema::loads(g_, f_.point, place),
                                           sema::loads(g_, velocity, place))[0],
                           g_.load(rate_, place));
      return equal;
    };
    const sym::Array* own = g_.newArray("L", {}, sym::Shape::scalar(), sym::Role::Temp);
    define(p_, own, 0, {}, m_.lagrangian);
    const sym::Array* root = sym::inlineCopy(p_, {own}, r, "@space")[0];
    for (const std::size_t e : p_.slice({root})) {
      const auto reads = sym::reads(p_.equations()[e]);
      for (const sym::Array* a : velocity) {
        if (reads.contains(a)) return false;
      }
    }
    lagrangian_ = sym::gradient(p_, g_.load(root), {f_.point[0], rate_}, "dL");
    return true;
  }

  // ---- K^-1

  /// A matrix of the chain as a number times the identity; empty if it is none, or depends on the state.
  Expr number(Expr matrix) {
    const int n = held_.point->shape.size();
    const std::vector<Expr> all = sema::entries(g_, {matrix});
    if (static_cast<int>(all.size()) != n * n) return {};
    std::vector<Expr> list;
    for (const Expr& e : all) {
      const bool entry = e->op == sym::Op::Component && e->args.size() == 2 && e->args[1]->isConst();
      list.push_back(entry ? coordinate(g_, e->args[0], static_cast<int>(sym::constantInt(e->args[1])) - 1) : e);
      if (!list.back()->parametric) return {};
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const Expr e = list[static_cast<std::size_t>(i) * n + j];
        if (i == j ? e != list[0] : !e->isZero()) return {};
      }
    }
    return list[0];
  }

  bool invert() {
    const auto chain =
        chainAlong(p_, {lagrangian_.of(rate_, {index()})}, {rate_}, index(), [this](Expr e) { return s_.simplify(e); });
    const int width = held_.point->shape.size();
    if (!chain || chain->step != 1 || chain->up != width || chain->down != width) return false;
    std::map<std::string, const sym::Array*> all;
    for (const char* name : {"a", "b", "e", "g", "n"})
      all[name] = family(std::string("K.") + name, sym::Shape::scalar());
    for (const ChainLinks& l : chain->links) {
      const Expr a = number(l.A), b = number(l.B), c = number(l.C), e = number(l.E);
      const Expr f = number(l.F), g = number(l.G), k = number(l.K), n = number(l.N);
      for (const Expr& x : {a, b, c, e, f, g, k, n}) {
        if (!x) return false;
      }
      if (a->isZero() || g->isZero() || n->isZero()) return false;
      const auto same = [&](Expr w, Expr x, Expr y, Expr z) { return sym::samePolynomial(g_.mul(w, x), g_.mul(y, z)); };
      if (!same(f, g, n, c) || !same(k, g, n, e) || !same(c, a, g, b)) return false;
      for (const auto& [name, value] : {std::pair{"a", a}, {"b", b}, {"e", e}, {"g", g}, {"n", n}})
        defineRange(p_, all[name], l.index, l.lo, l.hi, value);
    }
    defineInverse(all["a"], all["b"], all["e"], all["g"], all["n"]);
    defineFactors(all["a"], all["b"], all["g"], all["n"]);
    const Expr e = number(chain->links[0].E);
    const bool constant = std::all_of(chain->links.begin(), chain->links.end() - 1,
                                      [&](const ChainLinks& l) { return number(l.E) == e && e->isConst(); });
    handedDown_ =
        constant ? AtIndex([e](Expr) { return e; }) : AtIndex([this, a = all["e"]](Expr i) { return at(a, i); });
    return true;
  }

  /// With p = down = (g/n) K v: up(i) = (a/g)(p(i) - e p(i+1)), v(i) = (up(i) - b up(i-1))/a.
  void defineInverse(const sym::Array* a, const sym::Array* b, const sym::Array* e, const sym::Array* g,
                     const sym::Array* n) {
    diagonal_ = family("K^-1", sym::Shape::scalar());
    besides_ = family("K^-1(i, i+1)", sym::Shape::scalar());
    const Expr one = g_.number(1);
    set(diagonal_, 1, 1, [&](Expr i) { return g_.div(one, at(n, i)); });
    set(diagonal_, 2, n_, [&](Expr i) {
      const Expr h = before(i);
      const Expr up = g_.div(g_.mul(at(a, h), at(e, h)), at(g, h));
      const Expr across = g_.div(g_.mul(g_.mul(at(b, i), at(g, i)), up), g_.mul(at(a, i), at(n, i)));
      return g_.add(g_.div(one, at(n, i)), across);
    });
    set(besides_, 1, n_ - 1,
        [&](Expr i) { return g_.neg(g_.div(g_.mul(at(e, i), at(g, next(i))), g_.mul(at(g, i), at(n, next(i))))); });
  }

  /// The same as a product: with p = (g/n) K v, v(i) = (p(i) - e p(i+1))/g - b a(i-1)/(a g(i-1)) (p(i-1) - e p(i)).
  void defineFactors(const sym::Array* a, const sym::Array* b, const sym::Array* g, const sym::Array* n) {
    scale_ = family("p/K v", sym::Shape::scalar());
    inverse_ = family("1/g", sym::Shape::scalar());
    transfer_ = family("b a(i-1)/(a g(i-1))", sym::Shape::scalar());
    const Expr one = g_.number(1);
    set(scale_, 1, n_, [&](Expr i) { return g_.div(at(g, i), at(n, i)); });
    set(inverse_, 1, n_, [&](Expr i) { return g_.div(one, at(g, i)); });
    set(transfer_, 2, n_,
        [&](Expr i) { return g_.div(g_.mul(at(b, i), at(a, before(i))), g_.mul(at(a, i), at(g, before(i)))); });
  }

  // ---- forces, multipliers, accelerations

  void findForces() {
    sym::Tangent flow(p_); // along the motion, at q'' = 0
    flow.seed(f_.point[0], [this](const std::vector<Expr>& place) { return g_.load(rate_, place); });
    seedMotion(s_, flow, {k_});
    const Expr momentum = lagrangian_.of(rate_, {index()});
    const Expr own = g_.sub(lagrangian_.of(f_.point[0], {index()}), flow.of(momentum));
    const sym::Array* root = family("F@space", held_.point->shape);
    define(p_, root, n_, {index()}, s_.simplify(own));
    const sym::Array* rates = family(f_.name + "'", held_.point->shape);
    define(p_, rates, n_, {index()}, rateOf(s_, k_, {index()})[0]);
    sym::Replacement r;
    r.arrays[rate_] = rates;
    const sym::Array* ofState = sym::inlineCopy(p_, {root}, r, "@state")[0];
    const ExternalForces external(s_);
    force_ = family("F", held_.point->shape);
    define(p_, force_, n_, {index()},
           g_.mul(at(scale_, index()), g_.add(at(ofState, index()), surroundingForce(s_, external, k_))));
  }

  Expr ofState(Expr e, Expr i) {
    const sema::Tuple values{g_.load(f_.point[0], {i}), rateOf(s_, k_, {i})[0]};
    return s_.simplify(sema::replaceArrays(g_, {e}, {held_.point, held_.rate}, values)[0]);
  }
  Expr normal(Expr i) { return ofState(held_.normals[0], i); }
  Expr product(Expr a, Expr b) { return s_.simplify(g_.inner(a, b)); }

  /// p(i) - e p(i+1): what is handed down by member i alone.
  Expr ownForce(Expr i, bool last) {
    return last ? at(force_, i) : g_.sub(at(force_, i), g_.mul(handedDown_(i), at(force_, next(i))));
  }

  /// K^-1 F. Forces are sums over all members behind, which may be heavy: only the differences of such sums are
  /// multiplied, and a member and the next one round them alike.
  Expr freeAcceleration(Expr i, bool first, bool last) {
    const Expr own = g_.mul(at(inverse_, i), ownForce(i, last));
    return first ? own : g_.sub(own, g_.mul(at(transfer_, i), ownForce(before(i), false)));
  }

  /// The same for the first, the inner and the last members.
  void forEachPlace(const sym::Array* array, const std::function<Expr(Expr i, bool first, bool last)>& value) {
    set(array, 1, 1, [&](Expr i) { return value(i, true, false); });
    set(array, 2, n_ - 1, [&](Expr i) { return value(i, false, false); });
    set(array, n_, n_, [&](Expr i) { return value(i, false, true); });
  }

  /// (N K^-1 N^T) lam = -curvature - N K^-1 F, tridiagonal and positive definite.
  void eliminate() {
    free_ = family("K^-1 F", held_.point->shape);
    forEachPlace(free_, [this](Expr i, bool first, bool last) { return freeAcceleration(i, first, last); });
    const auto withRoom = [&](const char* name) {
      return g_.newArray(name, {tridiagonalRoom(n_)}, sym::Shape::scalar(), sym::Role::Temp);
    };
    own_ = withRoom("coupling");
    before_ = withRoom("coupling(i-1, i)");
    rhs_ = withRoom("rhs");
    set(own_, 1, n_, [&](Expr i) { return g_.mul(at(diagonal_, i), product(normal(i), normal(i))); });
    set(before_, 2, n_, [&](Expr i) { return g_.mul(at(besides_, before(i)), product(normal(before(i)), normal(i))); });
    set(rhs_, 1, n_,
        [&](Expr i) { return g_.neg(g_.add(ofState(held_.curvatures[0], i), g_.inner(normal(i), at(free_, i)))); });
    const TridiagonalSolution lam = solveTridiagonal(p_, {n_, own_, before_, rhs_}, "lam");
    multiplier_ = lam.x;
    // What parameters decide of a member's push on the next and on the previous one: their product is made once.
    const auto scaled = [&](Expr factor, Expr i) {
      return lam.scale == nullptr ? factor : g_.mul(factor, at(lam.scale, i));
    };
    onNext_ = family("K^-1(i, i+1) of lam(i)", sym::Shape::scalar());
    onPrevious_ = family("K^-1(i-1, i) of lam(i)", sym::Shape::scalar());
    set(onNext_, 1, n_ - 1, [&](Expr i) { return scaled(at(besides_, i), i); });
    set(onPrevious_, 2, n_, [&](Expr i) { return scaled(at(besides_, before(i)), i); });
  }

  /// What the multipliers of its neighbours contribute to K^-1 F at member i. Its own pushes along its normal, which T
  /// does not see.
  Expr pushed(Expr i, bool first, bool last) {
    const auto by = [&](const sym::Array* factor, Expr j) {
      return g_.mul(g_.mul(at(factor, j), at(multiplier_, j)), normal(j));
    };
    Expr sum = g_.zero(held_.point->shape);
    if (!first) sum = g_.add(sum, by(onNext_, before(i)));
    if (!last) sum = g_.add(sum, by(onPrevious_, next(i)));
    return sum;
  }

  void accelerate(const sym::Array* unknown) {
    forEachPlace(unknown, [&](Expr i, bool first, bool last) {
      return accelerationOf(s_, k_, {i}, {g_.add(at(free_, i), pushed(i, first, last))})[0];
    });
  }

  Layer& s_;
  const sema::Model& m_;
  sym::Program& p_;
  Graph& g_;
  std::size_t k_;
  const sema::Factor& f_;
  std::int64_t n_;
  HeldPoint held_;
  const sym::Array* rate_ = nullptr; ///< stands for q'
  sym::Gradient lagrangian_;
  const sym::Array* diagonal_ = nullptr; ///< of K^-1
  const sym::Array* besides_ = nullptr;  ///< of K^-1: entries (i, i+1)
  const sym::Array* scale_ = nullptr;    ///< p = scale K v
  const sym::Array* inverse_ = nullptr;  ///< factors of K^-1, see defineFactors
  const sym::Array* transfer_ = nullptr;
  AtIndex handedDown_;                     ///< e
  const sym::Array* force_ = nullptr;      ///< F in terms of p
  const sym::Array* free_ = nullptr;       ///< K^-1 F
  const sym::Array* own_ = nullptr;        ///< N K^-1 N^T: the diagonal
  const sym::Array* before_ = nullptr;     ///< the same: entries (i-1, i)
  const sym::Array* rhs_ = nullptr;        ///< -curvature - N K^-1 F
  const sym::Array* multiplier_ = nullptr; ///< lam, but for a factor of each member
  const sym::Array* onNext_ = nullptr;     ///< entries of K^-1 beside the diagonal times that factor
  const sym::Array* onPrevious_ = nullptr;
};

} // namespace

std::optional<MultiplierSolution> solveByMultiplierChain(Layer& layer, std::size_t factor,
                                                         const sema::ArrayTuple& unknown) {
  return MultiplierChain(layer, factor).run(unknown);
}

} // namespace lmc::mechanics
