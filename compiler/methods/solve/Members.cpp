#include "methods/solve/Members.h"

#include <algorithm>
#include <utility>

namespace lmc::methods {

using sym::Expr;

namespace {
constexpr int mostElements = 3000;

Expr unitOf(sym::Graph& g, const sym::Shape& shape, int entry) {
  if (shape.rank == 0) return g.number(1);
  std::vector<Expr> list;
  for (int k = 0; k < shape.size(); ++k) list.push_back(g.number(k == entry ? 1 : 0));
  return shape.rank == 1 ? g.vector(std::move(list)) : g.matrix(shape.rows, shape.cols, std::move(list));
}
} // namespace

MemberForms::MemberForms(const sym::Program& program, const std::vector<const sym::Array*>& directions,
                         std::int64_t extent)
    : p_(program), g_(program.graph()), directions_(directions.begin(), directions.end()), active_(directions_),
      extent_(extent) {
  for (bool more = true; more;) { // recursions of several arrays take turns
    more = false;
    for (std::size_t k = 0; k < p_.size(); ++k) {
      if (active_.contains(p_.equation(k).array)) continue;
      const auto& read = p_.reads(k);
      if (std::none_of(read.begin(), read.end(), [&](const sym::Array* a) { return active_.contains(a); })) continue;
      active_.insert(p_.equation(k).array);
      more = true;
    }
  }
}

/// A sum over a loop, one for all members.
bool MemberForms::isSum(const sym::Array* a) const {
  if (!a->extents.empty()) return false;
  const std::vector<std::size_t>& writers = p_.writers(a);
  return std::any_of(writers.begin(), writers.end(), [&](std::size_t k) {
    const sym::Equation& e = p_.equation(k);
    return e.kind == sym::EquationKind::Accumulate && !e.loops.empty();
  });
}

std::optional<std::int64_t> MemberForms::shift(Expr index, const Members& at) const {
  if (!at.index) return std::nullopt;
  const Expr difference = g_.sub(index, at.index);
  if (!difference->isConst()) return std::nullopt;
  return difference->number.num();
}

/// Whether an element depends on directions of its own member alone, so that it may be written out anywhere.
bool MemberForms::readsItselfAlone(const sym::Array* a) {
  const auto [known, fresh] = alone_.try_emplace(a, false); // one that reads itself does not
  if (!fresh || a->extents.size() != 1) return known->second;
  const sym::Loop i = {g_.newIndex("i"), g_.integer(2), g_.integer(extent_ - 1), false};
  const bool before = std::exchange(good_, true);
  auto open = std::exchange(open_, {});
  const auto form = own(a, Members{i.index, {i}});
  const bool alone = form && std::all_of(form->terms.begin(), form->terms.end(), [](const LinearForm::Term& t) {
                       return t.seat == Seat::Own || t.seat == Seat::Global;
                     });
  good_ = before;
  open_ = std::move(open);
  return alone_[a] = alone;
}

/// The same index without remainders that do nothing at these members.
Expr MemberForms::inRange(Expr index, const Members& at) const {
  if (index->op == sym::Op::IMod && index->args[1]->isConst()) {
    const auto here = sym::bounds(index->args[0], at.loops);
    const std::int64_t n = index->args[1]->number.num();
    if (here && here->lo >= 0 && here->hi < n) return inRange(index->args[0], at);
    if (here && here->lo >= n && here->hi < 2 * n) return g_.sub(inRange(index->args[0], at), index->args[1]);
    if (here && here->lo >= -n && here->hi < 0) return g_.add(inRange(index->args[0], at), index->args[1]);
    return index;
  }
  if (index->op != sym::Op::Add) return index;
  Expr total = g_.integer(0);
  for (const Expr& a : index->args) total = g_.add(total, inRange(a, at));
  return total;
}

Expr MemberForms::written(Expr e, const Members& at) {
  sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>& own) -> Expr {
    if (n.op != sym::Op::Load || !good_) return {};
    std::vector<Expr> index;
    for (const Expr& i : own) index.push_back(inRange(i, at));
    if (!active(n.array) || directions_.contains(n.array) || isSum(n.array))
      return index == own ? Expr() : g_.load(n.array, index);
    if (!index.empty()) {
      const bool family = index.size() == 1 && n.array->extents[0] == extent_;
      const auto by = family ? shift(index[0], at) : std::nullopt;
      if (family && !(by && (*by == 0 || readsItselfAlone(n.array))))
        return index == own ? Expr() : g_.load(n.array, index); // a neighbour, or one that all see
    }
    return definition(n.array, index, at);
  });
  return substitution(e);
}

Expr MemberForms::definition(const sym::Array* a, const std::vector<Expr>& index, const Members& at) {
  const Expr element = g_.load(a, index);
  if (--left_ < 0 || !open_.insert(element.node()).second) { // it depends on itself
    good_ = false;
    return element;
  }
  std::vector<Expr> parts;
  for (const std::size_t k : p_.writers(a)) {
    const Expr value = valueAt(p_.equation(k), index, at);
    if (!good_) break;
    if (value) parts.push_back(value);
  }
  open_.erase(element.node());
  return parts.empty() ? g_.zero(a->shape) : g_.sum(parts, a->shape);
}

/// What an equation sets an element to, or adds to it; empty where it is about others.
Expr MemberForms::valueAt(const sym::Equation& e, const std::vector<Expr>& index, const Members& at) {
  const auto refuse = [&] {
    good_ = false;
    return Expr();
  };
  if (e.kind != sym::EquationKind::Set && e.kind != sym::EquationKind::Accumulate) return refuse();
  if (e.index.size() != index.size()) return refuse();
  std::unordered_map<const sym::Node*, Expr> known;
  for (std::size_t d = 0; d < index.size(); ++d) {
    Expr own = e.index[d], back = index[d]; // array[own] is set for own = k or k + number
    if (own->op == sym::Op::Add && own->args.size() == 2 && own->args[1]->isConst()) {
      back = g_.sub(back, own->args[1]);
      own = own->args[0];
    }
    if (own->op == sym::Op::IMod) { // mod(k + number, n) of k = 1 … n
      Expr k = own->args[0], by = g_.integer(0);
      if (k->op == sym::Op::Add && k->args.size() == 2 && k->args[1]->isConst()) {
        by = k->args[1];
        k = k->args[0];
      }
      const auto loop = std::find_if(e.loops.begin(), e.loops.end(), [&](const sym::Loop& l) { return l.index == k; });
      const Expr n = own->args[1];
      const auto range = sym::bounds(back, at.loops);
      if (loop == e.loops.end() || loop->lo != g_.integer(1) || loop->hi != n || !range) return refuse();
      if (range->lo < 0 || range->hi >= n->number.num()) return refuse();
      back = inRange(g_.add(g_.imod(g_.sub(g_.sub(back, by), g_.integer(1)), n), g_.integer(1)), at);
      own = k;
    }
    const auto here = sym::bounds(back, at.loops);
    if (!here) return refuse();
    if (own->isConst()) {
      const std::int64_t place = own->number.num();
      if (here->hi < place || here->lo > place) return {};
      if (here->lo != here->hi) return refuse();
      continue;
    }
    const auto loop = std::find_if(e.loops.begin(), e.loops.end(), [&](const sym::Loop& l) { return l.index == own; });
    if (loop == e.loops.end() || known.contains(own.node()) || !loop->lo->isConst() || !loop->hi->isConst())
      return refuse();
    const std::int64_t lo = loop->lo->number.num(), hi = loop->hi->number.num();
    if (here->hi < lo || here->lo > hi) return {};
    if (here->lo < lo || here->hi > hi) return refuse();
    known[own.node()] = back;
  }
  if (known.size() != e.loops.size()) return refuse(); // a sum
  sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
    if (n.op != sym::Op::Index) return {};
    const auto found = known.find(&n);
    return found == known.end() ? Expr() : found->second;
  });
  Expr value = substitution(e.value);
  if (e.guard) value = g_.select(substitution(e.guard), value, g_.zero(value->shape));
  return written(value, at);
}

std::optional<LinearForm> MemberForms::of(Expr e, const Members& at) {
  left_ = mostElements;
  good_ = true;
  open_.clear();
  const Expr flat = written(e, at);
  if (!good_) return std::nullopt;
  return columnsOf(flat, at);
}

std::optional<LinearForm> MemberForms::own(const sym::Array* a, const Members& at) {
  if (directions_.contains(a)) return of(g_.load(a, {at.index}), at);
  good_ = true;
  left_ = mostElements;
  open_.clear();
  const Expr flat = definition(a, {at.index}, at);
  if (!good_) return std::nullopt;
  return columnsOf(flat, at);
}

std::optional<LinearForm> MemberForms::part(const sym::Array* sum, const Members& at) {
  good_ = true;
  left_ = mostElements;
  open_.clear();
  std::vector<Expr> parts;
  for (const std::size_t k : p_.writers(sum)) {
    const sym::Equation& e = p_.equation(k);
    if (e.kind != sym::EquationKind::Accumulate || e.loops.size() != 1) return std::nullopt;
    if (!e.loops[0].lo->isConst() || !e.loops[0].hi->isConst()) return std::nullopt;
    const std::int64_t lo = e.loops[0].lo->number.num(), hi = e.loops[0].hi->number.num();
    const auto here = sym::bounds(at.index, at.loops);
    if (!here || hi > extent_) return std::nullopt;
    if (here->hi < lo || here->lo > hi) continue;
    if (here->lo < lo || here->hi > hi) return std::nullopt;
    sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
      return &n == e.loops[0].index.node() ? at.index : Expr();
    });
    Expr value = substitution(e.value);
    if (e.guard) value = g_.select(substitution(e.guard), value, g_.zero(value->shape));
    parts.push_back(written(value, at));
  }
  if (!good_) return std::nullopt;
  return columnsOf(parts.empty() ? g_.zero(sum->shape) : g_.sum(parts, sum->shape), at);
}

/// The coefficients of a linear expression: its values at unit elements.
std::optional<LinearForm> MemberForms::columnsOf(Expr flat, const Members& at) {
  struct Read {
    Seat seat;
    Expr load;
  };
  std::vector<Read> all;
  bool fits = true;
  sym::visitPostOrder({flat}, [&](const sym::Node& n) {
    if (n.op != sym::Op::Load || !active(n.array)) return;
    const Expr load(&n);
    if (n.args.empty()) {
      all.push_back({Seat::Global, load});
      return;
    }
    const bool family = n.args.size() == 1 && n.array->extents[0] == extent_;
    if (!at.index) { // beside the family
      const auto constant = family && n.args[0]->isConst() ? n.args[0]->number.num() : 0;
      fits = fits && (constant == 1 || constant == extent_);
      all.push_back({constant == 1 ? Seat::First : Seat::Last, load});
      return;
    }
    if (family && n.args[0]->isConst()) { // as an end, where it is no neighbour
      const std::int64_t place = n.args[0]->number.num();
      const auto by = shift(n.args[0], at);
      if ((place == 1 || place == extent_) && (!by || *by < -1 || *by > 1)) {
        all.push_back({place == 1 ? Seat::First : Seat::Last, load});
        return;
      }
    }
    const auto by = family ? shift(n.args[0], at) : std::nullopt;
    const auto range = family ? sym::bounds(n.args[0], at.loops) : std::nullopt;
    if (!by || *by < -1 || *by > 1 || !range || range->lo < 1 || range->hi > extent_) {
      fits = false;
      return;
    }
    all.push_back({*by == 0 ? Seat::Own : *by < 0 ? Seat::Below : Seat::Above, load});
  });
  if (!fits) return std::nullopt;
  LinearForm form;
  for (const Read& r : all) {
    LinearForm::Term term{r.seat, r.load->array, {}};
    for (int c = 0; c < r.load->shape.size(); ++c) {
      sym::Substitution unit(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
        if (n.op != sym::Op::Load || !active(n.array)) return {};
        return &n == r.load.node() ? unitOf(g_, n.shape, c) : g_.zero(n.shape);
      });
      const Expr value = unit(flat);
      std::vector<Expr> column;
      for (int row = 0; row < value->shape.rows; ++row)
        for (int k = 0; k < value->shape.cols; ++k)
          column.push_back(value->shape.rank == 0 ? value : g_.entry(value, row, k));
      term.columns.push_back(std::move(column));
    }
    form.terms.push_back(std::move(term));
  }
  return form;
}

} // namespace lmc::methods
