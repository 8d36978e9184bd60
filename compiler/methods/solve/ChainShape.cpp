#include "methods/solve/ChainShape.h"

#include <algorithm>

namespace lmc::methods {

using sym::Expr;

namespace {
/// Most unknowns of a member, states in one direction, and unknowns that all members see.
constexpr int mostUnknowns = 24, mostStates = 24, mostGlobal = 12;
/// Most operations of all coefficients: beyond, their code takes longer to make than products do to run.
constexpr std::size_t mostOperations = 45'000;
/// Loops over at most so many members are written out, where products are few, too: they count four times.
constexpr std::int64_t shortLoop = 8;

std::vector<const sym::Array*> directions(const std::vector<NewtonPart>& unknowns) {
  std::vector<const sym::Array*> list;
  for (const NewtonPart& u : unknowns) list.push_back(u.direction);
  return list;
}
} // namespace

ChainShape::ChainShape(sym::Program& p, const std::vector<NewtonPart>& unknowns,
                       const std::vector<NewtonPart>& equations, std::int64_t extent, bool up)
    : g_(p.graph()), unknowns_(unknowns), equations_(equations), before_(up ? Seat::Below : Seat::Above),
      behind_(up ? Seat::Above : Seat::Below), up_(up), forms_(p, directions(unknowns), extent) {
  const sym::Loop i = {g_.newIndex("i"), g_.integer(2), g_.integer(extent - 1), false};
  places[0].members = {g_.integer(up ? extent : 1), {}};
  places[1].members = {i.index, {i}};
  places[2].members = {g_.integer(up ? 1 : extent), {}};
}

std::size_t ChainShape::operations() const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (joined[k]) continue;
    std::vector<Expr> all;
    for (const Row* row : {&places[k].equations, &places[k].before, &places[k].behind})
      for (const Block* b : {&row->own, &row->before, &row->behind})
        all.insert(all.end(), b->entries.begin(), b->entries.end());
    std::size_t here = 0;
    sym::visitPostOrder(all, [&](const sym::Node& n) {
      if (n.op != sym::Op::Load) here += static_cast<std::size_t>(n.shape.size());
    });
    std::int64_t copies = 1;
    for (const sym::Loop& l : places[k].members.loops) copies = sym::constantInt(l.hi) - sym::constantInt(l.lo) + 1;
    count += here * static_cast<std::size_t>(copies <= shortLoop ? 4 * copies : 1);
  }
  return count;
}

bool ChainShape::find() {
  return layOut() && collect() && operations() <= mostOperations && own <= mostUnknowns && global <= mostGlobal &&
         beforeSize() <= mostStates && behind.size() <= mostStates;
}

/// Places of unknowns in d and among the global ones.
bool ChainShape::layOut() {
  int rows = 0, beside = 0;
  for (const NewtonPart& u : unknowns_) {
    int& count = u.component.extent > 0 ? own : global;
    if (u.component.extent > 0)
      ownPlace_[u.direction] = count;
    else
      globalPlace_[{u.direction, Seat::Global}] = count;
    count += u.component.shape.size();
  }
  for (const NewtonPart& e : equations_) (e.component.extent > 0 ? rows : beside) += e.component.shape.size();
  return rows == own && beside == global;
}

/// The place of a sum over all members, or of an element of the first or last one that others read, among the global
/// unknowns.
int ChainShape::globalOf(const LinearForm::Term& t) {
  if (const auto known = globalPlace_.find({t.array, t.seat}); known != globalPlace_.end()) return known->second;
  const State::Kind kind = t.seat == Seat::Global ? State::Sum : stateAt(t.seat);
  copies_.push_back({kind, t.array, global});
  global += t.array->shape.size();
  return globalPlace_[{t.array, t.seat}] = copies_.back().first;
}

/// The derivative of an equation of a member, with its own index in the place of the family's.
Expr ChainShape::atMember(const NewtonPart& e, Expr index) {
  sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
    return n.op == sym::Op::Index && &n == e.component.index[0].node() ? index : Expr();
  });
  return substitution(e.value);
}

/// Finds all states: what is read of neighbours has to be handed on, which may read more.
bool ChainShape::collect() {
  std::array<std::vector<Found>, 3> rows, beforeForms, behindForms;
  std::vector<Found> beside;
  int row = 0, besideRow = 0;
  for (const NewtonPart& e : equations_) {
    if (e.component.extent == 0) {
      auto form = forms_.beside(e.value);
      if (!form || !note(*form, true)) return false;
      beside.push_back({std::move(*form), besideRow});
      besideRow += e.component.shape.size();
      continue;
    }
    for (std::size_t k = 0; k < places.size(); ++k) {
      auto form = forms_.of(atMember(e, places[k].members.index), places[k].members);
      if (!form || !note(*form, false)) return false;
      rows[k].push_back({std::move(*form), row});
    }
    row += e.component.shape.size();
  }
  std::size_t doneBefore = 0, doneBehind = 0, doneCopies = 0;
  while (doneBefore < before.all().size() || doneBehind < behind.all().size() || doneCopies < copies_.size()) {
    if (before.size() > mostStates || behind.size() > mostStates) return false;
    if (doneCopies < copies_.size()) {
      behind.place(copies_[doneCopies].kind, copies_[doneCopies].array);
      ++doneCopies;
      continue;
    }
    const bool first = doneBefore < before.all().size();
    const State s = first ? before.all()[doneBefore++] : behind.all()[doneBehind++];
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (s.kind == State::End && k != 0) continue;
      auto form =
          s.kind == State::Sum ? forms_.part(s.array, places[k].members) : forms_.own(s.array, places[k].members);
      if (!form || !note(*form, false)) return false;
      (first ? beforeForms : behindForms)[k].push_back({std::move(*form), s.first});
    }
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    Place& p = places[k];
    fill(p.equations, own, rows[k]);
    fill(p.before, beforeSize(), beforeForms[k]);
    fill(p.behind, behind.size(), behindForms[k]);
    for (int e = before.size(); e < beforeSize(); ++e) p.before.before.at(e, e) = g_.number(1);
    if (k != 0)
      for (const State& s : behind.all())
        for (int e = s.first; s.kind != State::Element && e < s.first + s.array->shape.size(); ++e)
          p.behind.behind.at(e, e) = g_.number(1);
    if (!vanishes(p.before.behind)) return false; // states F that read what comes behind
  }
  join(0);
  join(2);
  if (global > 0) fillBeside(beside);
  return true;
}

/// Whether expressions of the members between, at an end, are those of the end.
bool ChainShape::alike(const Block& between, const Block& end, int columns, Expr index) {
  sym::Substitution there(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
    return &n == places[1].members.index.node() ? index : Expr();
  });
  for (int i = 0; i < end.rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (there(between.at(i, j)) != end.at(i, j)) return false;
  return true;
}

/// Whether the expressions read elements that exist, at an end, too.
bool ChainShape::exists(const Block& between, Expr index) {
  sym::Substitution there(g_, [&](const sym::Node& n, const std::vector<Expr>&) -> Expr {
    return &n == places[1].members.index.node() ? index : Expr();
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
void ChainShape::join(std::size_t end) {
  const Expr index = places[end].members.index;
  for (Row Place::*row : {&Place::equations, &Place::before, &Place::behind}) {
    const Row &between = places[1].*row, &there = places[end].*row;
    const bool last = end == 0;
    if (!alike(between.own, there.own, own, index)) return;
    const bool beforeFits = last ? alike(between.before, there.before, beforeSize(), index)
                                 : global == 0 && vanishes(there.before) && exists(between.before, index);
    const bool behindFits = last ? vanishes(there.behind) && exists(between.behind, index)
                                 : alike(between.behind, there.behind, behind.size(), index);
    if (!beforeFits || !behindFits) return;
  }
  joined[end] = true;
  sym::Loop& loop = places[1].members.loops[0];
  (index == g_.integer(1) ? loop.lo : loop.hi) = index;
}

/// Notes the states that a form reads.
bool ChainShape::note(const LinearForm& form, bool beside) {
  for (const LinearForm::Term& t : form.terms) {
    const bool end = t.seat == Seat::First || t.seat == Seat::Last;
    if (end && beside) {
      behind.place(stateAt(t.seat), t.array);
    } else if (end || t.seat == Seat::Global) {
      globalOf(t);
    } else if (t.seat == before_) {
      before.place(State::Element, t.array);
    } else if (t.seat == behind_) {
      behind.place(State::Element, t.array);
    } else if (!ownPlace_.contains(t.array)) {
      return false;
    }
  }
  return true;
}

void ChainShape::fill(Row& r, int rows, const std::vector<Found>& forms) {
  r.own = Block(g_, rows, own);
  r.before = Block(g_, rows, beforeSize());
  r.behind = Block(g_, rows, behind.size());
  for (const Found& f : forms)
    for (const LinearForm::Term& t : f.form.terms) {
      if (t.seat == Seat::Own) add(r.own, f.row, ownPlace_.at(t.array), t);
      if (t.seat == before_) add(r.before, f.row, *before.find(State::Element, t.array), t);
      if (const auto all = globalPlace_.find({t.array, t.seat}); all != globalPlace_.end())
        add(r.before, f.row, before.size() + all->second, t);
      if (t.seat == behind_) add(r.behind, f.row, *behind.find(State::Element, t.array), t);
    }
}

void ChainShape::add(Block& block, int row, int column, const LinearForm::Term& t) {
  for (std::size_t c = 0; c < t.columns.size(); ++c)
    for (std::size_t k = 0; k < t.columns[c].size(); ++k) {
      Expr& e = block.at(row + static_cast<int>(k), column + static_cast<int>(c));
      e = g_.add(e, t.columns[c][k]);
    }
}

/// The equations beside the family and of sums, by the global unknowns and the states B of the first member.
void ChainShape::fillBeside(const std::vector<Found>& list) {
  besideGlobal = Block(g_, global, global);
  besideBehind = Block(g_, global, behind.size());
  for (const Found& f : list)
    for (const LinearForm::Term& t : f.form.terms) {
      if (t.seat == Seat::Global) {
        add(besideGlobal, f.row, globalPlace_.at({t.array, t.seat}), t);
        continue;
      }
      add(besideBehind, f.row, *behind.find(stateAt(t.seat), t.array), t);
    }
  for (const State& s : copies_)
    for (int e = 0; e < s.array->shape.size(); ++e) {
      const int row = s.first + e;
      besideGlobal.at(row, row) = g_.number(1);
      besideBehind.at(row, *behind.find(s.kind, s.array) + e) = g_.number(-1);
    }
}

} // namespace lmc::methods
