// Closed forms of what loops define: sums over what is left of their indices, and sums for recursions that add.
#include "present/Reader.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace lmc::present {

using sym::Array;

namespace {

using Range = std::pair<Poly, Poly>;

/// c and 1 with p = index + c.
std::optional<std::int64_t> shiftOf(Terms& t, const Poly& p, Atom index) {
  return Terms::constant(t.sub(p, t.of(index)));
}

bool sameRange(Terms& t, const Range& a, const Range& b) {
  return t.sub(a.first, b.first).isZero() && t.sub(a.second, b.second).isZero();
}

/// What a guard demands, one by one.
std::vector<sym::Expr> conditionsOf(sym::Expr guard) {
  if (!guard) return {};
  if (guard->op != sym::Op::And) return {guard};
  std::vector<sym::Expr> all;
  for (const sym::Expr& a : guard->args)
    for (const sym::Expr& c : conditionsOf(a)) all.push_back(c);
  return all;
}

bool samePoly(Terms& t, const Poly& a, const Poly& b) {
  return t.sub(a, b).isZero();
}

} // namespace

/// Takes the loop out of which the index `at` of an equation comes: `value` and the other loops are rewritten in terms
/// of `index`, and `range` is where it lies. False where that is not seen.
bool Reader::solve(std::vector<std::pair<Atom, Range>>& loops, const Poly& at, Atom index, Range& range, Poly& value) {
  if (Terms::constant(at)) {
    range = {at, at};
    return true;
  }
  for (std::size_t k = 0; k < loops.size(); ++k) {
    const auto [j, bounds] = loops[k];
    const auto shift = shiftOf(t_, at, j);
    if (!shift) continue;
    const Poly c = t_.number(*shift), mine = t_.sub(t_.of(index), c); // j = index - c
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(k));
    range = {t_.add(bounds.first, c), t_.add(bounds.second, c)};
    for (auto& [v, r] : loops) { // an outer index in the bounds of this one: lo(v) <= index - c <= hi(v)
      for (const bool low : {true, false}) {
        const Poly& b = low ? bounds.first : bounds.second;
        if (!Terms::mentions(b, v)) continue;
        const auto d = shiftOf(t_, b, v);
        const auto other = Terms::constant(low ? r.first : r.second);
        const auto far = Terms::constant(low ? r.second : r.first);
        if (!d || !other || !far) return false;
        // v <= index - c - d replaces v <= hi where it is the stronger one throughout; and the other way round
        Poly& mineOf = low ? range.first : range.second;
        const Poly limit = t_.sub(mine, t_.number(*d));
        const Poly& opposite = low ? bounds.second : bounds.first;
        const auto reach = Terms::constant(opposite);
        if (!reach) return false;
        const bool stronger = low ? *reach - *d <= *far : *reach - *d >= *far;
        if (!stronger) return false;
        (low ? r.second : r.first) = limit;
        // where the sum over v is just empty the formula still holds
        mineOf = t_.number(low ? *other + *d + *shift - 1 : *other + *d + *shift + 1);
      }
    }
    for (auto& [v, r] : loops) {
      r.first = t_.substitute(r.first, j, mine);
      r.second = t_.substitute(r.second, j, mine);
    }
    value = t_.substitute(value, j, mine);
    return true;
  }
  return false;
}

/// What an input is that nobody has given a value.
Poly Reader::lawOf(const sym::Equation& e) {
  if (e.value->op != sym::Op::Select) return Terms::zero(e.value->shape);
  const Poly all = (*this)(e.value->args[2]);
  Poly law = Terms::zero(all.shape);
  const auto isValue = [this](Atom a) {
    return a != nullptr && a->kind == Kind::Symbol &&
           std::any_of(m_.parameters.begin(), m_.parameters.end(), [&](const sema::Parameter& p) {
             return p.array == a->array && p.use == sema::Parameter::Use::InputValue;
           });
  };
  for (const auto& [m, c] : all.terms)
    if (!isValue(m.core) && !(m.powers.size() == 1 && isValue(m.powers[0].first))) law.terms[m] = c;
  return law;
}

std::optional<Reader::Piece> Reader::piece(const sym::Equation& e, const std::vector<Atom>& index) {
  if (e.kind != sym::EquationKind::Set && e.kind != sym::EquationKind::Accumulate) return {};
  std::vector<std::pair<Atom, Range>> loops;
  for (const sym::Loop& l : e.loops) {
    const Poly i = (*this)(l.index);
    loops.emplace_back(t_.seal(i), Range{(*this)(l.lo), (*this)(l.hi)});
  }
  if (e.value) findSplines(e.value);
  Piece piece;
  piece.index = index;
  piece.added = e.kind == sym::EquationKind::Accumulate;
  piece.value = inputs_.contains(e.array) ? lawOf(e) : (*this)(e.value);
  std::optional<std::pair<Poly, Poly>> except; // the two sides of index != index
  for (const sym::Expr& c : conditionsOf(e.guard)) {
    if (c->op == sym::Op::Ne && c->args[0]->type == sym::Type::Int && !except)
      except = {(*this)(c->args[0]), (*this)(c->args[1])};
    else // decided by data: the term is zero where it does not hold
      piece.value = t_.select((*this)(c), piece.value, Terms::zero(piece.value.shape));
  }
  for (std::size_t k = 0; k < index.size(); ++k) {
    std::vector<std::pair<Atom, Range>> before = loops;
    Range range;
    const Poly at = (*this)(e.index[k]);
    if (!solve(loops, at, index[k], range, piece.value)) return {};
    if (except)
      for (const auto& [v, r] : before) {
        const auto shift = shiftOf(t_, at, v);
        if (!shift) continue;
        const Poly mine = t_.sub(t_.of(index[k]), t_.number(*shift));
        except->first = t_.substitute(except->first, v, mine);
        except->second = t_.substitute(except->second, v, mine);
      }
    piece.range.push_back(range);
  }
  if (!loops.empty() && !piece.added) return {};
  while (!loops.empty()) {
    const auto [v, r] = loops.back();
    loops.pop_back();
    std::optional<Poly> without;
    if (except) {
      for (const auto& [a, b] : {*except, std::pair(except->second, except->first)}) {
        const auto shift = shiftOf(t_, a, v);
        if (shift && !Terms::mentions(b, v)) without = t_.sub(b, t_.number(*shift));
      }
      if (without) except.reset();
    }
    piece.value = t_.series(v, r.first, r.second, without, piece.value);
  }
  if (except) return {};
  return piece;
}

std::optional<std::vector<Reader::Piece>> Reader::pieces(const Array* array) {
  std::vector<Atom> index;
  const std::size_t count = array->extents.size();
  for (std::size_t k = 0; k < count; ++k)
    index.push_back(k + 1 == count ? last_ : count - 2 - k < outer_.size() ? outer_[count - 2 - k] : t_.fresh());
  std::vector<Piece> list;
  open_.insert(array);
  for (const std::size_t k : p_.writers(array)) {
    auto p = piece(p_.equations()[k], index);
    if (!p) return {};
    list.push_back(std::move(*p));
  }
  open_.erase(array);
  return list;
}

std::vector<Reader::Piece> Reader::apart(std::vector<Piece> pieces) {
  constexpr std::size_t mostParts = 5;
  if (pieces.size() < 2 || pieces.front().index.size() != 1) return pieces;
  std::set<std::int64_t> begins; // of parts, and one behind the last
  for (const Piece& p : pieces) {
    const auto lo = Terms::constant(p.range[0].first), hi = Terms::constant(p.range[0].second);
    if (!lo || !hi) return pieces;
    begins.insert(*lo);
    begins.insert(*hi + 1);
  }
  if (begins.size() > mostParts + 1) return pieces;
  std::vector<Piece> parts;
  for (auto b = begins.begin(); std::next(b) != begins.end(); ++b) {
    const std::int64_t first = *b, last = *std::next(b) - 1;
    std::optional<Piece> part;
    for (const Piece& p : pieces) {
      if (*Terms::constant(p.range[0].first) > first || *Terms::constant(p.range[0].second) < last) continue;
      if (part) {
        part->value = t_.add(part->value, p.value);
        continue;
      }
      part = p;
      part->range[0] = {t_.number(first), t_.number(last)};
      part->added = false;
    }
    if (part) parts.push_back(std::move(*part));
  }
  return parts;
}

/// Pieces over parts of 1…extent as one value for all members, where the formula of one fits the others.
std::optional<Poly> Reader::joined(std::vector<Piece> pieces, Atom index, std::int64_t extent) {
  if (pieces.empty()) return {};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < pieces.size() && !changed; ++a)
      for (std::size_t b = 0; b < pieces.size() && !changed; ++b) {
        if (a == b) continue;
        Range &r = pieces[a].range[0], &s = pieces[b].range[0];
        if (sameRange(t_, r, s) && (pieces[a].added || pieces[b].added)) {
          pieces[a].value = t_.add(pieces[a].value, pieces[b].value);
        } else if (const auto gap = Terms::constant(t_.sub(s.first, r.second)); gap && *gap == 1) {
          const bool one = t_.sub(r.first, r.second).isZero(), two = t_.sub(s.first, s.second).isZero();
          if (samePoly(t_, pieces[a].value, pieces[b].value) ||
              (two && samePoly(t_, t_.substitute(pieces[a].value, index, s.first), pieces[b].value))) {
            r.second = s.second;
          } else if (one && samePoly(t_, t_.substitute(pieces[b].value, index, r.first), pieces[a].value)) {
            r.second = s.second;
            pieces[a].value = pieces[b].value;
          } else {
            continue;
          }
        } else {
          continue;
        }
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(b));
        changed = true;
      }
  }
  // a sum that is nothing at the members that it leaves out
  Poly total = Terms::zero(pieces[0].value.shape);
  bool complete = false;
  for (Piece& p : pieces) {
    Range& r = p.range[0];
    const auto lo = Terms::constant(r.first), hi = Terms::constant(r.second);
    if (!lo || !hi) return {};
    const auto nothing = [&](std::int64_t at) { return t_.substitute(p.value, index, t_.number(at)).isZero(); };
    if (p.added && *lo == 2 && nothing(1)) r.first = t_.number(1);
    if (p.added && *hi == extent - 1 && nothing(extent)) r.second = t_.number(extent);
    if (Terms::constant(r.first).value() > 1 || Terms::constant(r.second).value() < extent) return {};
    if (!p.added && complete) return {};
    complete = complete || !p.added;
    total = t_.add(std::move(total), p.value);
  }
  return total;
}

/// x[i] = x[i-1] + f(i) and x[i] = x[i+1] + f(i) as sums.
std::optional<Poly> Reader::resolved(const Array* array, std::vector<Piece> pieces, Atom index) {
  const std::int64_t extent = array->extents[0];
  std::optional<std::int64_t> direction;
  Range where;
  std::vector<Piece> own;
  Search reads([&](Atom a) { return a->kind == Kind::Symbol && a->array == array; });
  for (Piece& p : pieces) {
    Poly rest = Terms::zero(p.value.shape);
    std::optional<std::int64_t> shift;
    for (const auto& [m, c] : p.value.terms) {
      Poly term = Terms::zero(p.value.shape);
      term.terms[m] = c;
      const Atom whole = m.core != nullptr ? m.core : m.powers.size() == 1 ? m.powers[0].first : nullptr;
      if (whole != nullptr && whole->kind == Kind::Symbol && whole->array == array) {
        const bool alone = c.isOne() && (m.core != nullptr ? m.powers.empty() : m.powers[0].second == 1);
        const auto s = shiftOf(t_, t_.open(whole->kids[0]), index);
        if (!alone || !s || std::abs(*s) != 1 || shift) return {};
        shift = s;
        continue;
      }
      if (reads.in(m)) return {};
      rest = t_.add(std::move(rest), term);
    }
    if (shift) {
      if (direction) return {};
      direction = shift;
      where = p.range[0];
    }
    if (!shift || !p.added) { // of a piece that only adds the neighbour nothing is left
      p.value = rest;
      own.push_back(p);
    } else if (!rest.isZero()) {
      return {};
    }
  }
  if (!direction) return joined(std::move(own), index, extent);
  const auto lo = Terms::constant(where.first), hi = Terms::constant(where.second);
  const bool up = *direction == -1;
  if (!lo || !hi || *lo != (up ? 2 : 1) || *hi != (up ? extent : extent - 1)) return {};
  const Atom k = t_.fresh();
  const Poly one = t_.number(1), last = t_.number(extent), i = t_.of(index);
  const auto sumOf = [&](const Poly& f, const Poly& from, const Poly& to) {
    return t_.series(k, from, to, {}, t_.substitute(f, index, t_.of(k)));
  };
  if (const auto f = joined(own, index, extent)) return up ? sumOf(*f, one, i) : sumOf(*f, i, last);
  // a first member of its own: x_1 + sum over the others
  const Piece *base = nullptr, *step = nullptr;
  for (const Piece& p : own) {
    if (p.added) return {};
    (sameRange(t_, p.range[0], where) ? step : base) = &p;
  }
  if (own.size() != 2 || base == nullptr || step == nullptr) return {};
  const Poly start = t_.substitute(base->value, index, base->range[0].first);
  return t_.add(start, up ? sumOf(step->value, t_.number(2), i) : sumOf(step->value, i, t_.number(extent - 1)));
}

std::optional<Reader::Closed> Reader::close(const Array* array) {
  Closed form;
  for (std::size_t k = 0; k < array->extents.size(); ++k) form.index.push_back(t_.fresh());
  std::vector<Piece> list;
  for (const std::size_t k : p_.writers(array)) {
    auto p = piece(p_.equations()[k], form.index);
    if (!p) return {};
    list.push_back(std::move(*p));
  }
  if (list.empty()) return {};
  if (array->extents.size() == 1) {
    const auto value = resolved(array, std::move(list), form.index[0]);
    if (!value) return {};
    form.value = t_.withHalvesJoined(*value);
    return form;
  }
  form.value = Terms::zero(array->shape);
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (!list[n].added && list.size() > 1 && (array->extents.empty() ? n > 0 : true)) return {};
    for (std::size_t k = 0; k < array->extents.size(); ++k) {
      const auto lo = Terms::constant(list[n].range[k].first), hi = Terms::constant(list[n].range[k].second);
      if (!lo || !hi || *lo != 1 || *hi != array->extents[k]) return {};
    }
    form.value = t_.add(form.value, list[n].value);
  }
  const Atom self = form.value.terms.empty() ? nullptr : form.value.terms.begin()->first.core;
  if (self != nullptr && self->array == array) return {};
  return form;
}

} // namespace lmc::present
