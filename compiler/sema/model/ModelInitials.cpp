// Initial values: one for every array of the phase point, in an order in which they can be worked out.
#include "sema/model/ModelBuilder.h"

#include "sema/expressions/Noise.h"
#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

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
      initialsOf(f.name, pointOf(f), true, f.manifold);
      initialsOf(f.velocityName, fiberOf(f), false, f.manifold);
    } else {
      const StateVariable z = model_->states[v.index];
      initialsOf(z.name, placeOf(z), !z.dual, z.manifold);
    }
  }
  discreteInitials();
  draws_ = false;
  orderInitials();
}

ModelBuilder::Place ModelBuilder::pointOf(const Factor& f) {
  return {f.point, f.manifold->point(), f.point[0]->extents, "a point of " + f.manifold->name(),
          Expected{ValueKind::Point, f.manifold, {}}};
}

ModelBuilder::Place ModelBuilder::fiberOf(const Factor& f) {
  const bool momentum = f.fiber == Fiber::Momentum;
  return {f.velocity, f.manifold->algebra(), f.velocity[0]->extents,
          (momentum ? "a momentum of " : "a velocity of ") + f.manifold->name(),
          Expected{momentum ? ValueKind::Momentum : ValueKind::Velocity, &f.manifold->group(), f.frame}};
}

ModelBuilder::Place ModelBuilder::placeOf(const StateVariable& z) {
  Place place{z.point, z.parts(), z.point[0]->extents,
              (z.dual ? "a momentum of " : "a point of ") + z.manifold->name()};
  if (z.dual || !evaluator_.isVectorSpace(*z.manifold)) // as for a flow
    place.element = Expected{z.dual ? ValueKind::Momentum : ValueKind::Point, z.manifold,
                             z.dual ? std::optional(z.frame) : std::nullopt};
  return place;
}

/// The initial values of one variable while they are collected.
struct ModelBuilder::InitialSetting {
  InitialSetting(const std::string& variable, const Place& all)
      : name(variable), place(all), coverage(all.arrays.size(), Coverage(all.extents)), set(coverage) {}

  const std::string& name;
  const Place& place;
  std::vector<Coverage> coverage; ///< of each part: what has a value
  std::vector<Coverage> set;      ///< of each part: what an override has given a value
  std::vector<const ParsedOverride*> overrides;
  bool broken = false; ///< what a clause defines is not known

  /// All members of the chosen parts are overridden: what is said elsewhere is not even worked out.
  [[nodiscard]] bool isGiven(const Chosen& chosen) const {
    const auto begin = set.begin() + static_cast<std::ptrdiff_t>(chosen.first);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(chosen.place.parts.size()),
                       [](const Coverage& c) { return c.gaps().empty(); });
  }
  [[nodiscard]] std::vector<std::vector<std::int64_t>> allMembers() const {
    std::vector<std::vector<std::int64_t>> members;
    std::int64_t count = 1;
    for (const std::int64_t n : place.extents) count *= n;
    for (std::int64_t p = 0; p < count; ++p) members.push_back(coverage[0].indexAt(p));
    return members;
  }
};

/// Members of a part that an override has given a value keep it.
ModelBuilder::Emit ModelBuilder::emitInitial(const InitialSetting& setting, std::size_t first, Range where) {
  std::vector<std::vector<std::vector<std::int64_t>>> given;
  std::vector<bool> all;
  for (const Coverage& c : setting.set) {
    all.push_back(!setting.overrides.empty() && c.gaps().empty());
    given.push_back(setting.overrides.empty() || all.back() ? std::vector<std::vector<std::int64_t>>() : c.marked());
  }
  return [this, &setting, where, first, given, all](std::size_t k, sym::Equation e) {
    if (all[first + k]) return;
    e.array = nullptr;
    if (const Expr others = exceptGuard(e.index, given[first + k]))
      e.guard = e.guard ? g_.logic(sym::Op::And, e.guard, others) : others;
    if (e.guard && e.guard->isConst() && e.guard->isZero()) return;
    pending_.push_back({setting.place.arrays[first + k], std::move(e), where});
  };
}

/// The more an override says about where it goes, the more it counts: a part of a member before a member or a part,
/// these before the whole. Of two alike the later one counts. So a part that is set changes nothing else.
void ModelBuilder::overrideInitials(InitialSetting& setting) {
  std::vector<const ParsedOverride*> order(setting.overrides.rbegin(), setting.overrides.rend());
  const auto detail = [](const ParsedOverride* o) {
    const auto dots = std::count(o->part.begin(), o->part.end(), '.');
    return static_cast<std::ptrdiff_t>(o->index.size()) + (o->part.empty() ? 0 : 1 + dots);
  };
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return detail(a) > detail(b); });
  for (const ParsedOverride* o : order) {
    if (!checkOverrideIndex(*o, setting.place.extents)) continue;
    const auto chosen = choose(setting.place, o->part, o->nameRange);
    if (!chosen) continue;
    if (setting.isGiven(*chosen)) continue;
    const Emit emit = emitInitial(setting, chosen->first, o->range);
    const bool whole = o->index.empty();
    if (whole)
      assignWhole(chosen->place, *o->value, {}, emit);
    else
      assignMember(chosen->place, *o->value, memberClause(o->index, o->range), {}, emit);
    for (std::size_t k = 0; k < chosen->place.parts.size(); ++k) {
      Coverage& coverage = setting.coverage[chosen->first + k];
      Coverage& set = setting.set[chosen->first + k];
      if (!whole) {
        coverage.markMember(o->index, o->range);
        set.markMember(o->index, o->range);
        continue;
      }
      for (const auto& member : setting.allMembers()) {
        coverage.markMember(member, o->range);
        set.markMember(member, o->range);
      }
    }
  }
}

std::optional<MemberClause> ModelBuilder::initialClause(const Clause& c, const InitialSetting& setting) {
  const syntax::Target& target = c.statement->target;
  const bool whole = target.binders.empty() && target.indices.empty() && c.surroundings.loops.loops.empty();
  if (setting.place.extents.empty() || !whole)
    return open(*c.statement, c.surroundings, setting.place.extents, setting.name);
  MemberClause all = memberClause({}, target.range);
  all.loops.loops = memberLoops(g_, setting.place.extents);
  all.index = indicesOf(all.loops.loops);
  return all;
}

void ModelBuilder::stateInitial(const Clause& c, InitialSetting& setting, std::vector<Coverage>& written) {
  const syntax::Statement& s = *c.statement;
  model_->initialRanges.emplace_back(setting.name, s.value ? s.value->range : s.range);
  const auto chosen = choose(setting.place, joined(s.target.parts), s.target.range);
  if (!chosen || !s.value) return;
  const auto clause = initialClause(c, setting);
  if (!clause) {
    setting.broken = true;
    return;
  }
  for (std::size_t k = 0; k < chosen->place.parts.size(); ++k) {
    const auto conflict = written[chosen->first + k].mark(*clause);
    if (!conflict) continue;
    s_.diagnostics
        .error(Code::LIE0140, s.target.range,
               "the initial value of `" + setting.name + conflict->member + "` is given twice")
        .note("first here", conflict->earlier);
    return;
  }
  if (!setting.isGiven(*chosen)) {
    const bool whole = clause->statement == nullptr && !setting.place.extents.empty();
    const Emit emit = emitInitial(setting, chosen->first, s.value->range);
    if (whole)
      assignWhole(chosen->place, *s.value, {}, emit);
    else
      assignMember(chosen->place, *s.value, *clause, {}, emit);
  }
  for (std::size_t k = 0; k < chosen->place.parts.size(); ++k) setting.coverage[chosen->first + k].mark(*clause);
}

void ModelBuilder::initialsOf(const std::string& name, const Place& place, bool point, const Manifold* manifold) {
  InitialSetting setting(name, place);
  setting.overrides = overridesOf(name);
  const std::vector<const ParsedOverride*> entries = takeEntries(setting);
  overrideInitials(setting);
  // What statements write twice is an error, whether it is overridden or not.
  std::vector<Coverage> written(place.arrays.size(), Coverage(place.extents));
  for (const Clause& c : initials_) {
    if (c.statement->target.name == name) stateInitial(c, setting, written);
  }
  for (std::size_t k = 0; k < place.arrays.size() && !setting.broken; ++k) {
    defaultInitials(name, place, k, setting.coverage[k], point, manifold);
  }
  for (const ParsedOverride* o : entries) {
    const auto last = std::find_if(pending_.rbegin(), pending_.rend(),
                                   [&](const PendingInitial& p) { return p.state == place.arrays[0]; });
    if (last == pending_.rend()) continue; // its own value is wrong
    setEntry(last->equation.value, *o, name);
    last->range = o->range;
  }
  // A value of the command line is what is wrong rather than one of the file.
  for (const auto* const list : {&std::as_const(setting.overrides), &entries})
    for (const ParsedOverride* o : *list) model_->initialRanges.emplace_back(name, o->range);
}

/// Of a vector or a matrix that is no family, indices are those of entries: `w[2]` changes that one and nothing else.
std::vector<const ParsedOverride*> ModelBuilder::takeEntries(InitialSetting& setting) {
  const Place& place = setting.place;
  std::vector<const ParsedOverride*> entries;
  if (!place.extents.empty() || place.parts.size() != 1 || place.parts[0].shape.rank == 0) return entries;
  const sym::Shape shape = place.parts[0].shape;
  const std::vector<std::int64_t> sizes =
      shape.rank == 1 ? std::vector<std::int64_t>{shape.rows} : std::vector<std::int64_t>{shape.rows, shape.cols};
  std::erase_if(setting.overrides, [&](const ParsedOverride* o) {
    if (o->index.empty()) return false;
    if (checkOverrideIndex(*o, sizes, "entries") && hasNoParts(*o)) entries.push_back(o);
    return true;
  });
  return entries;
}

void ModelBuilder::defaultInitials(const std::string& name, const Place& place, std::size_t part,
                                   const Coverage& coverage, bool point, const Manifold* manifold) {
  const auto gaps = coverage.gaps();
  if (gaps.empty()) return;
  Expr value = g_.zero(place.parts[part].shape);
  if (point) {
    const auto identity = manifold->apply(manifold->isGroup() ? "identity" : "base", {});
    if (!identity) {
      const std::string member = name + coverage.shown(gaps[0].first);
      const Symbol* symbol = find(name);
      s_.diagnostics.error(Code::LIE0166, symbol != nullptr ? symbol->range : model_->range,
                           "`" + member + "` needs an initial value: " + manifold->name() +
                               " has no identity or `base` to start from");
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
  for (const DiscreteVariable& d : model_->discretes) states.insert(states.end(), d.arrays.begin(), d.arrays.end());
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
                                 ((wrong & OnInputs) != 0 ? "an input" : "the energy, a momentum or a rate"));
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

// --- random numbers of samplings ---------------------------------------------------------------------------------

/// Its state at the begin is made of the run's seed.
void ModelBuilder::addGenerator(Noise& noise) {
  DiscreteVariable d;
  d.name = noise.name;
  d.range = noise.range;
  d.parts = {{"", sym::Shape::vec(6)}};
  d.shown = false;
  d.arrays = stateArrays(d.name, d.parts, {});
  noise.state = d.arrays[0];
  noise.last = g_.load(noise.state);
  dependence_.mark(noise.state, OnDiscrete);
  const sym::Array* seeds = g_.newArray("random", {}, d.parts[0].shape, sym::Role::Random);
  model_->randoms.push_back({seeds, true});
  sym::Equation initial;
  initial.value = noiseSeeds(g_, g_.load(seeds));
  pending_.push_back({noise.state, std::move(initial), noise.range});
  model_->discretes.push_back(std::move(d));
}

/// Members of a family one after the other, of each its numbers, and of each of these one or two uniform ones.
Expr ModelBuilder::drawNoise(bool uniform, const sym::Shape& shape, const std::vector<std::int64_t>& extents,
                             const std::vector<Expr>& index) {
  Noise& noise = *noise_;
  if (noise.state == nullptr) addGenerator(noise);
  const std::int64_t each = uniform ? 1 : 2;
  std::int64_t count = each * shape.size();
  Expr member = g_.integer(0);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    count *= extents[k];
    member = g_.add(g_.mul(member, g_.integer(extents[k])), g_.sub(index[k], g_.integer(1)));
  }
  const sym::Array* states = temp(noise.name + ".states", {count}, sym::Shape::vec(6));
  sym::Equation first;
  first.array = states;
  first.index = {g_.integer(1)};
  first.value = nextNoise(g_, noise.last);
  model_->program.append(std::move(first));
  if (count > 1) {
    const sym::Loop loop = sym::fullLoop(g_, "k", count);
    sym::Equation next;
    next.array = states;
    next.loops = {{loop.index, g_.integer(2), g_.integer(count), false}};
    next.index = {loop.index};
    next.value = nextNoise(g_, g_.load(states, {g_.sub(loop.index, g_.integer(1))}));
    model_->program.append(std::move(next));
  }
  noise.last = g_.load(states, {g_.integer(count)});
  std::vector<Expr> numbers;
  for (std::int64_t k = 0; k < shape.size(); ++k) {
    const auto drawn = [&](std::int64_t which) {
      const Expr at = g_.add(g_.mul(member, g_.integer(each * shape.size())), g_.integer(each * k + which));
      return uniformNoise(g_, g_.load(states, {at}));
    };
    numbers.push_back(uniform ? drawn(1) : normalNoise(g_, drawn(1), drawn(2)));
  }
  return shape.rank == 0 ? numbers[0] : g_.vector(numbers);
}

} // namespace lmc::sema
