#include "present/Engine.h"

#include "mechanics/system/Geometry.h"
#include "present/terms/Shown.h"
#include "sym/Print.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::present {

using sym::Array;
using sym::Expr;

namespace {

/// Indices of a family before the last one.
constexpr std::size_t mostIndices = 4;
/// Monomials that one system may take: a page has hundreds.
constexpr std::int64_t budget = 400'000;

std::set<std::string> namesOf(const sema::Model& m) {
  std::set<std::string> names;
  for (const auto& [name, value] : m.constants) names.insert(name);
  for (const sema::Parameter& p : m.parameters) names.insert(p.name);
  for (const sema::Factor& f : m.factors) {
    names.insert(f.name);
    names.insert(f.velocityName);
  }
  for (const sema::StateVariable& z : m.states) names.insert(z.name);
  return names;
}

} // namespace

Engine::Engine(mechanics::Layer& layer, const Presentation& how, Depth depth, Curves* curves, DataNames& names,
               ArrayNames& arrays)
    : layer_(layer), how_(how), terms_(std::make_unique<Terms>(depth == Depth::Expanded, budget)),
      reader_(std::make_unique<Reader>(*terms_, layer.model, layer.program())), fold_(*terms_, namesOf(layer.model)) {
  member_ = terms_->index("i");
  const std::set<std::string> taken = namesOf(layer.model);
  for (const char* name : {"k", "n", "r", "s", "p", "k1", "n1", "r1", "s1", "p1"}) {
    if (taken.contains(name) || outer_.size() == mostIndices) continue;
    outer_.push_back(terms_->index(name));
  }
  reader_->indices(member_, outer_);
  fold_.integer = [this](std::int64_t n) { return integer(n); };
  terms_->asCount = [this](const Poly& p) -> Poly {
    const auto c = Terms::constant(p);
    if (!c) return p;
    for (const auto& [name, value] : how_.sizes)
      if (std::abs(*c - value) <= 2)
        return terms_->add(terms_->of(terms_->symbol(nullptr, name, sym::Shape::scalar(), {})),
                           terms_->number(*c - value));
    return p;
  };
  terms_->isVelocity = [&layer](Atom a) {
    if (a->kind != Kind::Symbol || a->array == nullptr) return false;
    const auto has = [a](const sema::ArrayTuple& t) { return std::find(t.begin(), t.end(), a->array) != t.end(); };
    return std::any_of(layer.model.factors.begin(), layer.model.factors.end(),
                       [&](const sema::Factor& f) { return has(f.velocity); }) ||
           std::any_of(layer.system.direction.begin(), layer.system.direction.end(), has);
  };
  reader_->nameArrays(arrays);
  reader_->nameData(names, [this](const Poly& p) { return show(p); });
  if (curves != nullptr && !curves->searches().empty()) reader_->useCurves(*curves);
  for (const Array* a : how.symmetric) terms_->traits[a].symmetric = true;
  for (const sema::Factor& f : layer.model.factors) learnPlanes(*f.manifold);
  learnSymmetry();
  const mechanics::System& s = layer.system;
  for (std::size_t k = 0; k < layer.model.factors.size(); ++k) {
    const sema::Factor& f = layer.model.factors[k];
    for (std::size_t part = 0; f.velocity.size() > 1 && part < f.velocity.size(); ++part)
      reader_->rename(s.direction[k][part], f.velocityName + "." + f.manifold->algebra()[part].name + "'");
    const std::vector<Expr>& index = s.factors[k].index;
    if (f.fiber == sema::Fiber::Momentum)
      learn(*f.manifold, f.point, {s.direction[k], f.rate}, index);
    else
      learn(*f.manifold, f.point, {f.velocity, s.direction[k]}, index);
  }
  for (const sema::StateVariable& z : layer.model.states) {
    if (z.dual) continue;
    std::vector<Expr> index;
    if (z.extent > 0) index.push_back(layer.program().graph().newIndex("i"));
    learn(*z.manifold, z.point, {}, index);
  }
  if (depth != Depth::Named) return;
  for (const sym::Equation& e : layer.program().equations()) reader_->keep(e.array);
}

Atom Engine::outer(std::size_t k) {
  for (; reserved_ <= k; ++reserved_) fold_.reserve(outer_.at(reserved_), outer_[reserved_]->name);
  return outer_[k];
}

TreePtr Engine::integer(std::int64_t n) const {
  for (const auto& [name, value] : how_.sizes) {
    const std::int64_t d = n - value;
    if (std::abs(d) > 2) continue;
    TreePtr symbol = tree(Tree::Op::Name, {}, {}, name);
    if (d == 0) return symbol;
    return tree(Tree::Op::Add, {symbol, d > 0 ? numberTree(d) : tree(Tree::Op::Neg, {numberTree(-d)})}, {});
  }
  return numberTree(n);
}

Poly Engine::read(Expr e, const std::vector<Expr>& index) {
  for (std::size_t k = 0; k < index.size(); ++k)
    reader_->bind({index[k]}, k + 1 == index.size() ? member_ : outer(index.size() - 2 - k));
  reader_->findSplines(e);
  return (*reader_)(e);
}

/// Of matrices that parameters alone decide, by what defines them.
void Engine::learnSymmetry() {
  for (const Array* a : reader_->kept()) {
    if (a->shape.rank != 2 || a->shape.rows != a->shape.cols) continue;
    const auto pieces = reader_->pieces(a);
    terms_->traits[a].symmetric = pieces && std::all_of(pieces->begin(), pieces->end(), [&](const Reader::Piece& p) {
                                    return terms_->sub(p.value, terms_->transpose(p.value)).isZero();
                                  });
  }
}

/// Of homogeneous manifolds, whose velocities are projected in coordinates: whether their group has the skew matrices
/// as its algebra, and in which coordinates.
void Engine::learnPlanes(const sema::Manifold& manifold) {
  const sema::Manifold& group = manifold.group();
  const std::vector<sema::Part>& algebra = group.algebra();
  if (manifold.isGroup() || !manifold.gives("project") || algebra.size() != 1) return;
  sym::Graph& g = layer_.program().graph();
  const int d = algebra[0].shape.size();
  Planes planes, negative;
  int size = 0;
  for (int k = 1; k <= d && algebra[0].shape.rank == 1; ++k) {
    const auto matrix = group.apply("hat", {{g.basis(d, g.integer(k))}});
    if (!matrix || matrix->size() != 1 || (*matrix)[0]->shape.rank != 2) return;
    const Poly m = (*reader_)((*matrix)[0]);
    size = m.shape.rows;
    for (int r = 1; r <= size; ++r)
      for (int c = 1; c <= size; ++c) {
        const auto entry =
            Terms::constant(terms_->dot(terms_->unit(size, r), terms_->matmul(m, terms_->unit(size, c))));
        if (!entry || std::abs(*entry) > 1) return;
        if (*entry == 1) planes.emplace_back(r, c);
        if (*entry == -1) negative.emplace_back(c, r);
      }
    if (static_cast<int>(planes.size()) != k) return;
  }
  if (size < 3 || d != size * (size - 1) / 2 || planes != negative) return;
  terms_->knowPlanes(size, planes);
  if (*terms_->planesOfSize(size) != planes) return;
  terms_->recombines = true;
  if (size == 3) terms_->crosses = false;
}

/// With w = project(p, w), A(w) is H, that of the projection: products of A(w) with points, and with A(v) p, that H
/// makes shorter. On a sphere A(w) A(v) q = -(A(w) q . A(v) q) q, on projections P A(w) P = 0.
void Engine::learnProjection(const sema::Manifold& manifold, const Array* point, const sema::ArrayTuple& w,
                             const sema::ArrayTuple& v, const std::vector<Expr>& index) {
  Terms& t = *terms_;
  sym::Graph& g = layer_.program().graph();
  const sema::Tuple p{g.load(point, index)}, u = sema::loads(g, w, index);
  if (u.size() != 1 || t.sizeOfAlgebra(u[0]->shape.rows) == 0 || p[0]->shape.rank == 0) return;
  const auto projected = manifold.apply("project", {p, u});
  if (!projected || projected->size() != 1) return;
  const Poly at = (*reader_)(p[0]), a = t.hat((*reader_)(u[0])), b = t.hat((*reader_)(g.load(v[0], index))),
             h = t.hat((*reader_)((*projected)[0]));
  const auto compare = [&](const Poly& left, const Poly& right) {
    if (left.terms.size() != 1 || right.terms.size() > 1 || t.sub(left, right).isZero()) return;
    const auto& [m, c] = *left.terms.begin();
    if (m.core == nullptr || m.core->kind != Kind::Chain || !m.powers.empty()) return;
    t.know(m.core, index.empty() ? nullptr : member_, t.scaled(sym::Number(1) / c, right));
    if (right.isZero()) t.vanishes(m.core->kids);
  };
  if (at.shape.rows != a.shape.rows) return;
  if (at.shape.rank == 2 && at.shape.cols == at.shape.rows)
    compare(t.matmul(at, t.matmul(a, at)), t.matmul(at, t.matmul(h, at)));
  compare(t.matmul(a, t.matmul(b, at)), t.matmul(h, t.matmul(b, at)));
}

void Engine::learn(const sema::Manifold& manifold, const sema::ArrayTuple& point,
                   const std::vector<sema::ArrayTuple>& horizontal, const std::vector<Expr>& index) {
  sym::Graph& g = layer_.program().graph();
  reader_->bind(index, member_);
  for (const sema::HeldEquation& h : manifold.holds(sema::loads(g, point, index))) equation(h.left, h.right);
  if (terms_->recombines && manifold.gives("project") && point.size() == 1)
    for (const sema::ArrayTuple& w : horizontal)
      for (const sema::ArrayTuple& v : horizontal) learnProjection(manifold, point[0], w, v, index);
  if (!manifold.gives("horizontal")) return;
  for (const sema::ArrayTuple& w : horizontal) {
    const auto c = manifold.apply("horizontal", {sema::loads(g, point, index), sema::loads(g, w, index)});
    for (const Expr& e : *c)
      if (e->shape.rank == 0) equation(e, g.zero(e->shape));
  }
}

/// An equation that holds on the phase manifold: R^T R = I is a trait of R, others are the value of one atom.
void Engine::equation(Expr left, Expr right) {
  Terms& t = *terms_;
  Poly l = (*reader_)(left), r = (*reader_)(right);
  if (l.terms.size() != 1) return;
  const auto& [m, c] = *l.terms.begin();
  const Atom atom = m.core != nullptr && m.powers.empty()                                  ? m.core
                    : m.core == nullptr && m.powers.size() == 1 && m.powers[0].second == 1 ? m.powers[0].first
                                                                                           : nullptr;
  if (atom == nullptr) return;
  const bool alone = m.powers.empty() && r.terms.size() == 1 && r.terms.begin()->second == c &&
                     r.terms.begin()->first.powers.empty() && r.terms.begin()->first.core != nullptr;
  const Atom other = alone ? r.terms.begin()->first.core : nullptr;
  if (alone && atom->kind == Kind::Transpose && atom->kids[0] == other && other->kind == Kind::Symbol) {
    t.traits[other->array].symmetric = true;
    return;
  }
  if (alone && atom->kind == Kind::Chain && atom->kids == std::vector<Atom>{other, other} &&
      other->kind == Kind::Symbol) {
    t.traits[other->array].idempotent = true;
    return;
  }
  const bool unit = r.terms.size() == 1 && r.terms.begin()->second == c &&
                    ((r.terms.begin()->first.core != nullptr && r.terms.begin()->first.core->kind == Kind::Identity) ||
                     (r.terms.begin()->first.core == nullptr && r.terms.begin()->first.powers.empty()));
  if (unit && atom->kind == Kind::Chain && atom->kids.size() == 2 && atom->kids[0]->kind == Kind::Transpose &&
      atom->kids[0]->kids[0] == atom->kids[1] && atom->kids[1]->kind == Kind::Symbol) {
    Traits& traits = t.traits[atom->kids[1]->array];
    traits.columns = true;
    traits.orthogonal = atom->kids[1]->shape.rows == atom->kids[1]->shape.cols;
    return;
  }
  if (unit && atom->kind == Kind::Call && atom->name == "det" && atom->kids[0]->kind == Kind::Symbol) {
    Traits& traits = t.traits[atom->kids[0]->array];
    traits.rotation = traits.orthogonal && atom->kids[0]->shape.rows == 3;
  }
  t.know(atom, atom->indices.empty() ? nullptr : member_, t.scaled(sym::Number(1) / c, r));
}

// ---- the shortest form

Shower::Shower(mechanics::Layer& layer, const Presentation& how)
    : layer_(layer), how_(how), curves_(layer.model, layer.program()), names_(namesOf(layer.model)) {
  const sema::Model& m = layer.model;
  const auto reserve = [&](const sema::ArrayTuple& arrays) {
    for (const Array* a : arrays) arrayNames_.reserve(a);
  };
  for (const sema::Parameter& p : m.parameters) arrayNames_.reserve(p.array);
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    reserve(m.factors[k].point);
    reserve(m.factors[k].velocity);
    reserve(layer.system.direction[k]);
  }
  for (const sema::StateVariable& z : m.states) reserve(z.point);
  for (const sema::DiscreteVariable& d : m.discretes) reserve(d.arrays);
  for (const sema::Constraint& c : m.constraints) arrayNames_.reserve(c.array);
}

bool Shower::withoutCurves() {
  if (!namesTables_ || curves_.searches().empty()) return false;
  namesTables_ = false;
  engines_.clear();
  return true;
}

Engine& Shower::engine(Depth depth) {
  auto& e = engines_[depth];
  if (!e) e = std::make_unique<Engine>(layer_, how_, depth, namesTables_ ? &curves_ : nullptr, names_, arrayNames_);
  return *e;
}

TreePtr Shower::operator()(Expr e, const std::vector<Expr>& index, std::int64_t member) {
  TreePtr best;
  std::set<const Array*> names;
  Depth depth = Depth::Named;
  std::size_t least = 0;
  for (const Depth d : {Depth::Expanded, Depth::Plain, Depth::Named}) {
    if (best && (d == Depth::Named || engine(Depth::Expanded).terms().recombines)) break;
    try {
      Engine& with = engine(d);
      Poly p = with.read(e, index);
      if (member > 0) p = with.terms().substitute(p, with.member(), with.terms().number(member));
      if (how_.expand) p = with.terms().writtenOut(p, mostWrittenOut);
      if (namesTables_ && Reader::readsRow(p)) continue;
      const TreePtr t = with.show(p);
      std::set<const Array*> found;
      Reader::namesIn(p, found);
      const std::size_t cost = costOf(t) + 10 * found.size();
      if (best && cost >= least) continue;
      best = t;
      least = cost;
      names = std::move(found);
      depth = d;
    } catch (const TooLong&) {
      engines_.erase(d); // half done
    }
  }
  if (!best && withoutCurves()) return (*this)(e, index, member);
  if (!best) return tree(Tree::Op::Name, {}, e->shape, sym::print(e));
  for (const Array* a : names) named_.try_emplace(a->id, a, depth);
  return best;
}

void Shower::explain(const Poly& p, Depth depth) {
  std::set<const Array*> found;
  Reader::namesIn(p, found);
  for (const Array* a : found) named_.try_emplace(a->id, a, depth);
}

namespace {

/// Of sums that reach some members alone: those of the others are zero.
std::vector<Line> zeroElsewhere(const Array* array, const std::string& name, const std::vector<Reader::Piece>& pieces) {
  std::vector<Line> lines;
  if (array->extents.size() != 1 || pieces.empty()) return lines;
  std::vector<bool> reached(static_cast<std::size_t>(array->extents[0]) + 1, false);
  for (const Reader::Piece& p : pieces) {
    const auto lo = Terms::constant(p.range[0].first), hi = Terms::constant(p.range[0].second);
    if (!p.added || !lo || !hi) return lines;
    for (std::int64_t k = std::max<std::int64_t>(1, *lo); k <= std::min(*hi, array->extents[0]); ++k)
      reached[static_cast<std::size_t>(k)] = true;
  }
  const TreePtr zero = array->shape.rank == 0 ? numberTree(0) : tree(Op::Zero, {}, array->shape);
  for (std::int64_t k = 1, end = 1; k <= array->extents[0]; k = end + 1) {
    for (end = k; end < array->extents[0] && !reached[static_cast<std::size_t>(end) + 1]; ++end) {
    }
    if (reached[static_cast<std::size_t>(k)]) {
      end = k;
      continue;
    }
    const bool one = k == end;
    const TreePtr at = one ? numberTree(k) : tree(Op::Name, {}, {}, "i");
    lines.push_back({tree(Op::Name, {at}, array->shape, name), zero, one ? "" : "i", numberTree(k), numberTree(end)});
  }
  return lines;
}

} // namespace

std::vector<Line> Shower::definition(const Array* array) {
  std::vector<Line> best;
  std::set<const Array*> names;
  std::size_t least = 0;
  bool rows = false;
  Depth depth = Depth::Named;
  for (const Depth d : {Depth::Expanded, Depth::Plain, Depth::Named}) {
    if (d == Depth::Named && !best.empty()) break;
    try {
      Engine& with = engine(d);
      if (array->extents.size() > 1) (void)with.outer(array->extents.size() - 2);
      const auto all = with.reader().pieces(array);
      if (!all) continue;
      const std::vector<Reader::Piece> pieces = with.reader().apart(*all);
      rows = rows || std::any_of(pieces.begin(), pieces.end(),
                                 [](const Reader::Piece& p) { return Reader::readsRow(p.value); });
      if (rows) continue;
      std::vector<Line> lines;
      std::set<const Array*> found;
      std::size_t cost = 0;
      for (const Reader::Piece& p : pieces) {
        Poly value = p.value;
        std::vector<TreePtr> at;
        Line line;
        for (std::size_t k = 0; k < p.index.size(); ++k) {
          const auto& [lo, hi] = p.range[k];
          if (with.terms().sub(lo, hi).isZero()) {
            value = with.terms().substitute(value, p.index[k], lo);
            at.push_back(with.show(lo));
          } else {
            at.push_back(with.show(with.terms().of(p.index[k])));
            if (!line.index.empty()) line.outer.push_back({line.index, line.from, line.to});
            line.index = at.back()->text;
            line.from = with.show(lo);
            line.to = with.show(hi);
          }
        }
        line.left = tree(Tree::Op::Name, at, array->shape, with.reader().nameOf(array));
        line.right = with.show(value);
        cost += costOf(line.right);
        Reader::namesIn(value, found);
        if (p.added && pieces.size() > 1) line.right = addTree({line.left, line.right}, array->shape);
        lines.push_back(std::move(line));
      }
      for (Line& rest : zeroElsewhere(array, with.reader().nameOf(array), *all)) lines.push_back(std::move(rest));
      cost += 10 * found.size();
      if (!best.empty() && cost >= least) continue;
      best = std::move(lines);
      least = cost;
      names = std::move(found);
      depth = d;
    } catch (const TooLong&) {
      engines_.erase(d);
    }
  }
  if (best.empty() && rows && withoutCurves()) return definition(array);
  for (const Array* a : names)
    if (a != array) named_.try_emplace(a->id, a, depth);
  return best;
}

std::vector<Line> Shower::dataIn(const std::vector<const std::vector<Line>*>& lines) {
  std::set<std::string> read;
  const std::function<void(const TreePtr&)> visit = [&](const TreePtr& t) {
    if (t->op == Op::Name) read.insert(t->text);
    for (const TreePtr& k : t->kids) visit(k);
  };
  for (const auto* list : lines)
    for (const Line& l : *list) {
      if (l.left) visit(l.left);
      visit(l.right);
    }
  std::vector<Line> found;
  const auto& all = names_.list();
  for (auto it = all.rbegin(); it != all.rend(); ++it) { // a name may stand in that of a later one
    if (!read.contains(it->first)) continue;
    const auto& [value, extent] = it->second;
    visit(value);
    Line line;
    std::vector<TreePtr> at;
    if (extent > 0) {
      line.index = "i";
      line.from = numberTree(1);
      line.to = integer(extent);
      at.push_back(tree(Op::Name, {}, {}, "i"));
    }
    line.left = tree(Op::Name, std::move(at), value->shape, it->first);
    line.right = value;
    found.insert(found.begin(), std::move(line));
  }
  return found;
}

std::vector<Line> Shower::definitions() {
  std::map<std::uint32_t, std::vector<Line>> done;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [id, named] : std::map(named_)) {
      if (done.contains(id)) continue;
      done[id] = layer_.program().writers(named.first).empty() ? std::vector<Line>() : definition(named.first);
      more = true;
    }
  }
  std::vector<Line> lines;
  for (auto& [id, of] : done) lines.insert(lines.end(), of.begin(), of.end());
  return lines;
}

} // namespace lmc::present
