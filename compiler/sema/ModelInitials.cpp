// Initial values: one for every array of the phase point, in an order in which they can be worked out.
#include "sema/ModelBuilder.h"

#include "sema/IndexMath.h"

#include <algorithm>

namespace lmc {

using sym::Expr;

void ModelBuilder::buildInitials() {
  draws_ = true;
  for (const Clause& c : initials_) {
    const std::string& name = c.statement->target.name;
    Symbol* symbol = find(name);
    const bool known =
        symbol != nullptr && (symbol->kind == Symbol::Kind::Factor || symbol->kind == Symbol::Kind::Velocity ||
                              symbol->kind == Symbol::Kind::State);
    if (known) continue;
    auto r = s_.diagnostics.error(
        symbol == nullptr ? Code::LIE0100 : Code::LIE0164, c.statement->target.nameRange,
        symbol == nullptr ? "there is no configuration, velocity or state `" + name + "`"
                          : "`" + name + "` is not a configuration, a velocity or a state: it has no initial value");
    std::vector<std::string> names;
    for (const auto& s : symbols_) {
      if (s->kind == Symbol::Kind::Factor || s->kind == Symbol::Kind::Velocity || s->kind == Symbol::Kind::State)
        names.push_back(s->name);
    }
    const std::string near = nearest(name, names);
    if (symbol == nullptr && !near.empty()) r.suggest(didYouMean(near));
  }
  for (const PhaseVariable& v : model_->order) {
    if (v.isFactor) {
      const Factor f = model_->factors[v.index];
      const std::vector<std::int64_t>& extents = f.point[0]->extents;
      initialsOf(f.name, {f.point, f.manifold->point(), extents, "a point of " + f.manifold->name()}, true,
                 *f.manifold);
      initialsOf(f.velocityName, {f.velocity, f.manifold->algebra(), extents, "a velocity of " + f.manifold->name()},
                 false, *f.manifold);
    } else {
      const StateVariable z = model_->states[v.index];
      initialsOf(z.name, {z.point, z.manifold->point(), z.point[0]->extents, "a point of " + z.manifold->name()}, true,
                 *z.manifold);
    }
  }
  draws_ = false;
  orderInitials();
}

void ModelBuilder::initialsOf(const std::string& name, const Place& place, bool point, const Manifold& manifold) {
  std::vector<Coverage> coverage(place.arrays.size(), Coverage(place.extents));
  const std::vector<const ParsedOverride*> overrides = overridesOf(name);
  bool replaced = false;
  bool broken = false; // what a clause defines is not known
  Range where;
  std::size_t firstPart = 0;
  const Emit emit = [&](std::size_t k, sym::Equation e) {
    const sym::Array* state = place.arrays[firstPart + k];
    e.array = nullptr;
    pending_.push_back({state, std::move(e), where});
  };
  // The parts that a target names: all, or one.
  const auto select = [&](const std::string& part, Range range) -> std::optional<Place> {
    firstPart = 0;
    if (part.empty()) return place;
    for (std::size_t k = 0; k < place.parts.size(); ++k) {
      if (place.parts[k].name != part) continue;
      firstPart = k;
      return Place{{place.arrays[k]}, {place.parts[k]}, place.extents, "part `" + part + "` of " + place.what};
    }
    s_.diagnostics.error(Code::LIE0128, range,
                         place.what + " has no part `" + part + "`; its parts are " + listParts(place.parts));
    return std::nullopt;
  };
  for (const ParsedOverride* o : overrides) {
    where = o->range;
    if (!checkOverrideIndex(*o, place.extents)) continue;
    const auto chosen = select(o->part, o->range);
    if (!chosen) continue;
    if (o->index.empty()) {
      assignWhole(*chosen, *o->value, overriddenMembers(overrides), emit);
      replaced = replaced || o->part.empty();
      for (std::size_t k = 0; k < chosen->parts.size(); ++k) {
        for (const auto& [lo, hi] : Coverage(place.extents).gaps()) {
          for (std::int64_t p = lo; p <= hi; ++p) coverage[firstPart + k].markMember(coverage[0].indexAt(p), o->range);
        }
      }
    } else {
      assignMember(*chosen, *o->value, memberClause(o->index, o->range), {}, emit);
      for (std::size_t k = 0; k < chosen->parts.size(); ++k) coverage[firstPart + k].markMember(o->index, o->range);
    }
  }
  Coverage written(place.extents); // by statements: what is written twice is an error, overridden or not
  std::vector<Coverage> writtenParts(place.arrays.size(), written);
  for (const Clause& c : initials_) {
    const ast::Statement& s = *c.statement;
    if (s.target.name != name) continue;
    const auto chosen = select(s.target.parts.empty() ? "" : s.target.parts[0], s.target.range);
    model_->initialRanges.emplace_back(name, s.value ? s.value->range : s.range);
    where = s.value ? s.value->range : s.range;
    const bool wholeFamily = !place.extents.empty() && s.target.binders.empty() && s.target.indices.empty() &&
                             c.surroundings.loops.loops.empty();
    if (!chosen || !s.value) continue;
    std::vector<std::vector<std::int64_t>> except;
    for (const auto& [lo, hi] : Coverage(place.extents).gaps()) {
      for (std::int64_t p = lo; p <= hi && !overrides.empty(); ++p) {
        const auto index = coverage[0].indexAt(p);
        if (coverage[firstPart].isMarked(index)) except.push_back(index);
      }
    }
    std::optional<MemberClause> clause;
    if (wholeFamily) {
      clause = memberClause({}, s.target.range);
      clause->loops.loops = memberLoops(g_, place.extents);
      clause->index = indicesOf(clause->loops.loops);
    } else {
      clause = open(s, c.surroundings, place.extents, name);
    }
    if (!clause) {
      broken = true;
      continue;
    }
    bool twice = false;
    for (std::size_t k = 0; k < chosen->parts.size() && !twice; ++k) {
      const auto conflict = writtenParts[firstPart + k].mark(*clause);
      if (!conflict) continue;
      twice = true;
      s_.diagnostics
          .error(Code::LIE0140, s.target.range, "the initial value of `" + name + conflict->member + "` is given twice")
          .note("first here", conflict->earlier);
    }
    if (twice) continue;
    if (!replaced) {
      if (wholeFamily)
        assignWhole(*chosen, *s.value, except, emit);
      else
        assignMember(*chosen, *s.value, *clause, except, emit);
    }
    for (std::size_t k = 0; k < chosen->parts.size(); ++k) coverage[firstPart + k].mark(*clause);
  }
  for (std::size_t k = 0; k < place.arrays.size() && !broken; ++k)
    defaultInitials(name, place, k, coverage[k], point, manifold);
}

void ModelBuilder::defaultInitials(const std::string& name, const Place& place, std::size_t part,
                                   const Coverage& coverage, bool point, const Manifold& manifold) {
  const auto gaps = coverage.gaps();
  if (gaps.empty()) return;
  Expr value = g_.zero(place.parts[part].shape);
  if (point) {
    const auto identity = manifold.apply("identity", {});
    if (!identity) {
      const std::string member = name + coverage.shown(gaps[0].first);
      const Symbol* symbol = find(name);
      s_.diagnostics.error(Code::LIE0166, symbol != nullptr ? symbol->range : model_->range,
                           "`" + member + "` needs an initial value: " + manifold.name() +
                               " has no identity to start from");
      return;
    }
    value = (*identity)[part];
  }
  for (const auto& [lo, hi] : gaps) {
    sym::Equation e;
    e.value = value;
    if (place.extents.size() == 1 && hi > lo) {
      e.loops = {{g_.newIndex("i"), g_.integer(lo + 1), g_.integer(hi + 1), false}};
      e.index = indicesOf(e.loops);
    } else {
      for (const std::int64_t i : coverage.indexAt(lo)) e.index.push_back(g_.integer(i));
    }
    pending_.push_back({place.arrays[part], std::move(e), model_->range});
  }
}

// --- the order ------------------------------------------------------------------------------------------------

void ModelBuilder::orderInitials() {
  std::vector<const sym::Array*> states;
  for (const PhaseVariable& v : model_->order) {
    const auto add = [&](const ArrayTuple& arrays) { states.insert(states.end(), arrays.begin(), arrays.end()); };
    if (v.isFactor) {
      add(model_->factors[v.index].point);
      add(model_->factors[v.index].velocity);
    } else {
      add(model_->states[v.index].point);
    }
  }
  for (const sym::Array* a : states) {
    const sym::Array* value = temp(a->name + ".initial", a->extents, a->shape);
    initialOf_[a] = value;
    model_->initials.push_back({a, value});
  }
  // Each value after those that it needs.
  std::unordered_map<const sym::Array*, int> stage; // 1: being placed, 2: placed
  bool failed = false;
  const std::function<void(const sym::Array*)> place = [&](const sym::Array* a) {
    stage[a] = 1;
    for (const PendingInitial& p : pending_) {
      if (p.state != a || failed) continue;
      const unsigned wrong = dependence_.of(p.equation.value) & (OnInputs | OnDerived);
      if (wrong != 0) {
        s_.diagnostics.error(Code::LIE0136, p.range,
                             std::string("an initial value cannot depend on ") +
                                 ((wrong & OnInputs) != 0 ? "an input" : "the energy or a momentum"));
        failed = true;
        return;
      }
      for (const sym::Array* b : dependence_.arrays(p.equation.value)) {
        if (!initialOf_.contains(b) || stage[b] == 2) continue;
        if (stage[b] == 1) {
          s_.diagnostics.error(Code::LIE0108, p.range,
                               a == b
                                   ? "the initial value of `" + a->name + "` is defined by itself"
                                   : "the initial values of `" + a->name + "` and `" + b->name + "` need each other");
          failed = true;
          return;
        }
        place(b);
      }
    }
    stage[a] = 2;
    for (PendingInitial& p : pending_) {
      if (p.state != a || failed) continue;
      sym::Equation e = p.equation;
      e.array = initialOf_.at(a);
      e.value = withInitials(e.value);
      model_->program.append(std::move(e));
    }
  };
  for (const sym::Array* a : states) {
    if (stage[a] == 0 && !failed) place(a);
  }
}

Expr ModelBuilder::withInitials(Expr e) {
  sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>& args) {
    if (n.op != sym::Op::Load) return Expr();
    const sym::Array* a = copyWithInitials(n.array);
    return a == n.array ? Expr() : g_.load(a, args);
  });
  return substitution(e);
}

const sym::Array* ModelBuilder::copyWithInitials(const sym::Array* array) {
  const auto initial = initialOf_.find(array);
  if (initial != initialOf_.end()) return initial->second;
  const auto known = copies_.find(array);
  if (known != copies_.end()) return known->second;
  const auto used = dependence_.arrays(g_.load(array, indicesOf(memberLoops(g_, array->extents))));
  const bool depends =
      std::any_of(used.begin(), used.end(), [&](const sym::Array* a) { return initialOf_.contains(a); });
  if (!depends) return copies_[array] = array;
  const sym::Array* copy =
      g_.newArray(array->name + ".initial", array->extents, array->shape, array->role, array->type);
  copies_[array] = copy;
  const std::vector<std::size_t> writers = model_->program.writers(array);
  for (const std::size_t k : writers) {
    sym::Equation e = model_->program.equations()[k];
    e.array = copy;
    e.value = withInitials(e.value);
    if (e.guard) e.guard = withInitials(e.guard);
    model_->program.append(std::move(e));
  }
  return copy;
}

} // namespace lmc
