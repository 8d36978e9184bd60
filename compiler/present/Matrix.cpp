// The form M(q) xi' + c(q, xi) = f: blocks of the mass matrix read off M xi', which is linear in xi'.
#include "present/Forms.h"
#include "present/terms/Shown.h"

#include <algorithm>

namespace lmc::present {

using sym::Expr;

namespace {

TreePtr function(const char* name, std::vector<TreePtr> of, const sym::Shape& shape) {
  return tree(Op::Call, std::move(of), shape, name);
}

} // namespace

MatrixForm::MatrixForm(mechanics::Layer& layer, Shower& show) : FormBase(layer, show), momenta_(layer.program()) {
  seedDirections(momenta_, layer);
}

void MatrixForm::addUnknowns(Engine& engine) {
  unknowns_.clear();
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    for (std::int64_t member = f.extent > 0 ? 1 : 0; member <= f.extent; ++member)
      for (std::size_t part = 0; part < f.velocity.size(); ++part) {
        std::vector<Poly> index;
        std::vector<TreePtr> shown;
        if (member > 0) {
          index.push_back(engine.terms().number(member));
          shown.push_back(numberTree(member));
        }
        Unknown u{k, part, member, nullptr, nullptr, nullptr};
        u.atom = engine.terms().seal(engine.reader().element(s_.direction[k][part], index));
        u.name = engine.show(engine.reader().element(f.velocity[part], index));
        u.rate = engine.show(engine.terms().of(u.atom));
        unknowns_.push_back(std::move(u));
      }
  }
}

/// The matrix A of a term that is A v.
std::optional<Poly> MatrixForm::blockOfTerm(Terms& t, const Monomial& m, Atom v) {
  Monomial scalars{m.powers, nullptr};
  const auto times = [&](const Poly& p) {
    Poly factor;
    factor.terms[scalars] = sym::Number(1);
    return t.mul(factor, p);
  };
  const int n = v->shape.rows;
  if (m.core == v) return times(t.identity(n));
  if (m.core != nullptr && m.core->kind == Kind::Cross) {
    if (m.core->kids[1] == v) return times(t.hat(t.open(m.core->kids[0])));
    if (m.core->kids[0] == v) return t.scaled(-1, times(t.hat(t.open(m.core->kids[1]))));
  }
  if (m.core != nullptr && m.core->kind == Kind::Chain && m.core->kids.back() == v) {
    Poly product = t.of(m.core->kids.front());
    for (std::size_t k = 1; k + 1 < m.core->kids.size(); ++k) product = t.matmul(product, t.of(m.core->kids[k]));
    return times(product);
  }
  for (std::size_t k = 0; k < m.powers.size(); ++k) {
    if (m.powers[k].second != 1) continue;
    const bool self = m.powers[k].first == v;
    const auto g = self ? std::optional<Poly>() : t.gradientOf(m.powers[k].first, v);
    if (!self && !g) continue;
    scalars.powers.erase(scalars.powers.begin() + static_cast<std::ptrdiff_t>(k));
    if (self) return m.core != nullptr ? times(t.of(m.core)) : times(t.number(1)); // a scalar: a column, or a number
    return m.core != nullptr ? times(t.outer(t.of(m.core), *g)) : times(*g);       // a row stands as its vector
  }
  return {};
}

std::optional<Poly> MatrixForm::block(Terms& t, const Poly& row, Atom v) {
  std::optional<Poly> sum;
  Search reads([v](Atom a) { return a == v; });
  for (const auto& [m, c] : row.terms) {
    if (!reads.in(m)) continue;
    const auto part = blockOfTerm(t, m, v);
    if (!part) throw TooLong(); // not seen to be linear
    sum = sum ? t.add(*sum, t.scaled(c, *part)) : t.scaled(c, *part);
  }
  return sum;
}

Poly MatrixForm::rowOf(Engine& engine, Expr e, const Unknown& u) {
  const Poly p = engine.read(layer_.simplify(e), s_.factors[u.factor].index);
  if (Reader::readsRow(p)) throw TooLong();
  const Poly own = u.member > 0 ? engine.terms().substitute(p, engine.member(), engine.terms().number(u.member)) : p;
  return engine.terms().writtenOut(own, mostWrittenOut);
}

std::optional<Document> MatrixForm::tryDocument(Engine& engine) {
  Terms& t = engine.terms();
  addUnknowns(engine);
  Section equations{"Equations of motion", {}}, mass{"Mass matrix M", {}}, velocity{"Velocity terms c = C xi", {}},
      forces{"Forces", {}};
  const auto isRate = [&](Atom a) {
    return a->kind == Kind::Symbol && t.isVelocity(a) &&
           std::any_of(m_.factors.begin(), m_.factors.end(), [&](const sema::Factor& f) {
             return std::find(f.velocity.begin(), f.velocity.end(), a->array) != f.velocity.end();
           });
  };
  Search moves(isRate);
  for (const Unknown& u : unknowns_) {
    const mechanics::FactorEquations& e = s_.factors[u.factor];
    const Poly row = rowOf(engine, momenta_.of(e.momentum[u.part]), u), r = rowOf(engine, e.rhs[u.part], u);
    for (const auto& [m, x] : row.terms) { // a part that keeps its name may hide them
      Poly one = Terms::zero(row.shape);
      one.terms[m] = x;
      if (std::none_of(unknowns_.begin(), unknowns_.end(),
                       [&](const Unknown& v) { return block(t, one, v.atom).has_value(); }))
        throw TooLong();
    }
    std::vector<TreePtr> left;
    for (const Unknown& v : unknowns_) {
      const auto b = block(t, row, v.atom);
      if (!b || b->isZero()) continue;
      const TreePtr value = engine.show(*b), name = function("M", {u.name, v.name}, value->shape);
      mass.lines.push_back({name, value, {}, nullptr, nullptr});
      const bool rowVector = u.atom->shape.rank == 0 && v.atom->shape.rank == 1;
      left.push_back(rowVector                ? tree(Op::Dot, {name, v.rate}, {})
                     : value->shape.rank == 2 ? tree(Op::MatMul, {name, v.rate}, u.atom->shape)
                                              : tree(Op::Mul, {name, v.rate}, u.atom->shape));
    }
    Poly c = Terms::zero(r.shape), f = Terms::zero(r.shape);
    for (const auto& [m, x] : r.terms) {
      const bool moving = moves.in(m);
      (moving ? c : f).terms[m] = moving ? -x : x;
    }
    const auto side = [&](const char* name, const Poly& p, Section& section) {
      TreePtr of = function(name, {u.name}, u.atom->shape);
      section.lines.push_back({of, engine.show(p), {}, nullptr, nullptr});
      return of;
    };
    if (!c.isZero()) left.push_back(side("c", c, velocity));
    TreePtr right = u.atom->shape.rank == 0 ? numberTree(0) : tree(Op::Zero, {}, u.atom->shape);
    if (!f.isZero()) right = side("force", f, forces);
    equations.lines.push_back({addTree(std::move(left), u.atom->shape),
                               right,
                               {},
                               nullptr,
                               nullptr,
                               static_cast<int>(u.factor),
                               u.part,
                               u.member});
    show_.explain(c, Depth::Expanded);
    show_.explain(f, Depth::Expanded);
    show_.explain(row, Depth::Expanded);
  }
  Document d;
  d.model = m_.name;
  d.form = "matrix";
  d.sections.push_back({"Motion (the map f, reconstructed)", motion()});
  for (Section* s : {&equations, &mass, &velocity, &forces})
    if (!s->lines.empty()) d.sections.push_back(std::move(*s));
  return d;
}

std::optional<Document> MatrixForm::document() {
  if (!m_.lagrangian) return {};
  try {
    return tryDocument(show_.engine(Depth::Expanded));
  } catch (const TooLong&) {
    return {};
  }
}

} // namespace lmc::present
