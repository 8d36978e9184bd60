// Lagrangian or Hamiltonian, dissipation, forces and flows.
#include "sema/model/ModelBuilder.h"

#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;
using syntax::StatementKind;

namespace {

const char* nameOfKinds(unsigned kinds) {
  if ((kinds & OnAccelerations) != 0) return "an acceleration, or another rate that the equations give";
  if ((kinds & OnDerived) != 0) return "the energy, a momentum or a multiplier";
  if ((kinds & OnInputs) != 0) return "an input";
  if ((kinds & OnDiscrete) != 0) return "a discrete variable";
  if ((kinds & OnStates) != 0) return "a state";
  if ((kinds & OnVelocities) != 0) return "a velocity";
  if ((kinds & OnMomenta) != 0) return "a momentum";
  if ((kinds & OnRandom) != 0) return "a random number";
  return "the time";
}

} // namespace

std::optional<Range> ModelBuilder::blame(const syntax::Expr& e, unsigned kinds) {
  if (e.kind == syntax::ExprKind::Name) {
    Symbol* symbol = find(e.text);
    unsigned own = 0;
    if (e.text == "energy" && symbol == nullptr) own = OnDerived;
    if (symbol != nullptr && symbol->stage == Symbol::Stage::Done) {
      for (const sym::Array* a : symbol->storage.arrays) {
        own |= dependence_.of(g_.load(a, indicesOf(memberLoops(g_, a->extents))));
      }
      for (const Expr& p : symbol->value.parts) own |= dependence_.of(p);
    }
    return (own & kinds) != 0 ? std::optional(e.range) : std::nullopt;
  }
  const bool named = e.kind == syntax::ExprKind::Call && e.args[0]->kind == syntax::ExprKind::Name;
  const auto calls = [&](const char* function) { return named && e.args[0]->text == function; };
  if ((calls("momentum") || calls("multiplier") || calls("reaction") || e.kind == syntax::ExprKind::Prime) &&
      (kinds & OnDerived) != 0)
    return e.range;
  const bool rate =
      e.kind == syntax::ExprKind::Prime ||
      (e.kind == syntax::ExprKind::Call && e.args[0]->kind == syntax::ExprKind::Name && e.args[0]->text == "velocity");
  if (rate && (kinds & OnVelocities) != 0) return e.range;
  for (std::size_t k = e.kind == syntax::ExprKind::Call ? 1 : 0; k < e.args.size(); ++k) {
    if (const auto r = blame(*e.args[k], kinds)) return r;
  }
  return std::nullopt;
}

bool ModelBuilder::refuse(Expr e, const syntax::Expr& syntax, unsigned kinds, const std::string& what, Code code) {
  const unsigned wrong = dependence_.of(e) & kinds;
  if (wrong == 0) return false;
  // The first kind in the order of nameOfKinds is the one that is named.
  unsigned one = wrong;
  for (const unsigned k : {OnDerived, OnInputs, OnStates, OnVelocities, OnMomenta, OnRandom, OnTime}) {
    if ((wrong & k) != 0) {
      one = k;
      break;
    }
  }
  const Range where = blame(syntax, one).value_or(syntax.range);
  if (one == OnDerived) one |= dependence_.of(e) & OnAccelerations;
  s_.diagnostics.error(code, where, what + " cannot depend on " + nameOfKinds(one));
  return true;
}

// --- formulations ---------------------------------------------------------------------------------------------

/// Velocities belong to a Lagrangian, momenta to a Hamiltonian; a model has one of the two. False after an error.
bool ModelBuilder::checkFormulation() {
  if (lagrangian_ != nullptr && hamiltonian_ != nullptr) {
    s_.diagnostics
        .error(Code::LIE0173, hamiltonian_->keyword, "a model has a `lagrangian` or a `hamiltonian`, not both")
        .note("the Lagrangian is here", lagrangian_->keyword);
    return false;
  }
  bool fine = true;
  for (const syntax::Statement* s : phase_) {
    if (s->kind != StatementKind::Config || s->secondName.empty()) continue;
    if (s->momentum && lagrangian_ != nullptr) {
      s_.diagnostics
          .error(Code::LIE0173, s->secondRange,
                 "`" + s->secondName + "` is a momentum, but the model has a Lagrangian, a function of velocities")
          .suggest("declare `velocity " + s->secondName + "`, or give `hamiltonian = ...;` instead");
      fine = false;
    } else if (!s->momentum && hamiltonian_ != nullptr) {
      s_.diagnostics
          .error(Code::LIE0173, s->secondRange,
                 "`" + s->secondName + "` is a velocity, but the model has a Hamiltonian, a function of momenta")
          .suggest("declare `momentum " + s->secondName + "`, or give `lagrangian = ...;` instead");
      fine = false;
    }
  }
  return fine;
}

void ModelBuilder::buildHamiltonian() {
  if (hamiltonian_ == nullptr || !hamiltonian_->value) return;
  const syntax::Expr& e = *hamiltonian_->value;
  const Expr h = evaluator_.scalar(evaluator_.evaluate(e, topContext()), e);
  if (!h) return;
  const bool momenta = std::any_of(phase_.begin(), phase_.end(), [](const syntax::Statement* s) {
    return s->momentum || (s->type && s->type->name == "dual");
  });
  if (!momenta) {
    s_.diagnostics.error(Code::LIE0171, hamiltonian_->keyword,
                         "a Hamiltonian needs a `config` with a momentum or a `state` in a dual: there is none in this "
                         "model");
    return;
  }
  const std::size_t before = s_.diagnostics.errorCount();
  if (refuse(h, e, OnDerived | OnInputs | OnStates | OnVelocities | OnRandom, "a Hamiltonian", Code::LIE0163)) return;
  for (const StateVariable& z : model_->states) {
    if (!z.dual || !z.given) continue;
    const auto used = dependence_.arrays(h);
    if (std::none_of(z.point.begin(), z.point.end(), [&](const sym::Array* a) { return used.contains(a); })) continue;
    s_.diagnostics
        .error(Code::LIE0174, z.range,
               "the motion of `" + z.name + "` is given twice: by its `flow` and by the Hamiltonian")
        .note("a Hamiltonian that contains `" + z.name + "` moves it", hamiltonian_->keyword);
  }
  if (s_.diagnostics.errorCount() == before) model_->hamiltonian = h;
}

const FoundManifold* ModelBuilder::dualOf(const syntax::Type& type) {
  const std::string& word = type.name;
  std::optional<syntax::Type> of;
  if (type.types.size() == 1) of = *type.types[0];
  if (word == "algebra" && type.args.size() == 1) of = typeOf(*type.args[0]);
  if ((word != "dual" && word != "algebra") || !of || type.exponent) {
    s_.diagnostics.error(Code::LIE0110, type.range,
                         word == "algebra" ? "the Lie algebra of a group G is written `algebra(G)`"
                                           : "the dual of the algebra of a group G is written `dual(G)`");
    return nullptr;
  }
  const FoundManifold* m = evaluator_.manifold(*of, topContext());
  if (m == nullptr || m->isGroup()) return m;
  s_.diagnostics
      .error(Code::LIE0110, of->range,
             "`" + word + "` takes a group; " + m->name() + " is a manifold on which " + m->group().name() + " acts")
      .suggest(didYouMean(word + "(" + m->group().name() + ")"));
  return nullptr;
}

void ModelBuilder::buildLagrangian() {
  if (lagrangian_ == nullptr || !lagrangian_->value) {
    if (lagrangian_ != nullptr || hamiltonian_ != nullptr) return;
    // A statement that could not be read may have been the Lagrangian.
    for (const syntax::StatementPtr& statement : declaration_.body) {
      if (statement->kind == StatementKind::Error || statement->kind == StatementKind::Definition) return;
    }
    for (const syntax::Statement* s : phase_) {
      if (s->kind != StatementKind::Config) continue;
      s_.diagnostics.error(Code::LIE0162, s->target.nameRange,
                           "the motion of `" + s->target.name + "` needs `" +
                               (s->momentum ? "hamiltonian" : "lagrangian") + " = ...;`");
      return;
    }
    if (phase_.empty() && !s_.diagnostics.hasErrors()) {
      s_.diagnostics.error(Code::LIE0172, declaration_.nameRange,
                           "the model has no `config` and no `state`: nothing moves");
    }
    return;
  }
  const syntax::Expr& e = *lagrangian_->value;
  model_->lagrangianRange = e.range;
  const Expr l = evaluator_.scalar(evaluator_.evaluate(e, topContext()), e);
  if (!l || reportsKinks(l, false, e.range, "the Lagrangian")) return;
  const bool configs = std::any_of(phase_.begin(), phase_.end(),
                                   [](const syntax::Statement* s) { return s->kind == StatementKind::Config; });
  if (!configs) {
    s_.diagnostics.error(Code::LIE0171, lagrangian_->keyword,
                         "a Lagrangian needs a `config`: there is none in this model");
    return;
  }
  if (refuse(l, e, OnDerived | OnInputs | OnStates | OnMomenta | OnRandom, "a Lagrangian", Code::LIE0163)) return;
  model_->lagrangian = l;
}

void ModelBuilder::buildDissipations() {
  for (const syntax::Statement* s : dissipations_) {
    if (!s->value) continue;
    const syntax::Expr& e = *s->value;
    const Expr d = evaluator_.scalar(evaluator_.evaluate(e, topContext()), e);
    if (!d || refuse(d, e, OnDerived | OnInputs | OnMomenta | OnRandom, "a dissipation", Code::LIE0163)) continue;
    if ((dependence_.of(d) & OnVelocities) == 0) {
      s_.diagnostics.error(Code::LIE0163, e.range, "a dissipation is a function of velocities; this one contains none");
      continue;
    }
    model_->dissipations.push_back(d);
  }
}

// --- forces ---------------------------------------------------------------------------------------------------

void ModelBuilder::buildForces() {
  for (const Clause& c : forces_) {
    if (c.statement->kind == StatementKind::ForceOn)
      forceOn(c);
    else
      forceAt(c);
  }
  // A force on one part of a velocity says nothing of the others: they have none.
  for (const Factor& f : model_->factors)
    for (const sym::Array* a : f.force) {
      if (!model_->program.writers(a).empty()) continue;
      sym::Equation none;
      none.kind = sym::EquationKind::Accumulate;
      none.array = a;
      none.value = g_.zero(a->shape);
      if (f.extent > 0) {
        none.loops = {sym::fullLoop(g_, "i", f.extent)};
        none.index = {none.loops[0].index};
      }
      model_->program.append(std::move(none));
    }
}

void ModelBuilder::forceOn(const Clause& c) {
  const syntax::Statement& s = *c.statement;
  const std::string& name = s.target.name;
  Factor* f = factorNamed(name);
  if (f == nullptr) {
    const Symbol* symbol = find(name);
    const bool broken = symbol != nullptr && symbol->kind == Symbol::Kind::Factor;
    if (broken) return; // its declaration was reported
    auto r = s_.diagnostics.error(symbol == nullptr ? Code::LIE0100 : Code::LIE0164, s.target.nameRange,
                                  symbol == nullptr ? "there is no configuration `" + name + "`"
                                                    : "`" + name + "` is not a configuration: a force acts on one");
    std::vector<std::string> names;
    for (const Factor& k : model_->factors) names.push_back(k.name);
    const std::string near = nearest(name, names);
    if (symbol == nullptr && !near.empty()) r.suggest(didYouMean(near));
    if (symbol != nullptr && symbol->kind == Symbol::Kind::Velocity)
      if (!model_->factors.empty()) r.suggest(didYouMean(model_->factors[symbol->index].name));
    return;
  }
  const auto clause = open(s, c.surroundings, f->velocity[0]->extents, name);
  if (!clause || !s.value) return;
  const Context at{this, clause->scope.get(), &clause->loops};
  Value v = evaluator_.evaluate(*s.value, at);
  std::vector<Part> parts = f->manifold->algebra();
  const auto chosen =
      choose({{}, std::move(parts), {}, "the velocity of `" + name + "`"}, joined(s.target.parts), s.target.range);
  if (!chosen) return;
  const std::size_t first = chosen->first;
  parts = chosen->place.parts;
  const Expected force{ValueKind::Momentum, &f->manifold->group(), f->frame, true};
  const bool whole = s.target.parts.empty();
  const auto tuple = evaluator_.parts(v, parts, "the force on `" + name + "`", *s.value, Code::LIE0133,
                                      whole ? std::optional(force) : std::nullopt);
  if (!tuple) return;
  for (const Expr& p : *tuple) {
    if (refuse(p, *s.value, OnDerived | OnRandom, "a force", Code::LIE0136)) return;
  }
  if (f->force.empty()) {
    for (const sym::Array* a : f->velocity) f->force.push_back(temp("force on " + name, a->extents, a->shape));
  }
  for (std::size_t k = 0; k < tuple->size(); ++k) {
    model_->program.append({sym::EquationKind::Accumulate, f->force[first + k], clause->loops.loops,
                            clause->loops.guard, clause->index, (*tuple)[k], nullptr, nullptr});
  }
}

void ModelBuilder::forceAt(const Clause& c) {
  const syntax::Statement& s = *c.statement;
  if (!s.value || !s.second) return;
  const Context at = context(c.surroundings);
  const Expr force = evaluator_.tensor(evaluator_.evaluate(*s.value, at), *s.value);
  const Expr position = evaluator_.tensor(evaluator_.evaluate(*s.second, at), *s.second);
  if (!force || !position) return;
  const Expr f = asReal(force);
  const Expr p = asReal(position);
  if (f->shape != p->shape) {
    evaluator_.report(Code::LIE0120, s.value->range,
                      "the force is " + describe(force) + ", the point at which it acts is " + describe(position) +
                          ": both must have one shape");
    return;
  }
  bool wrong = refuse(f, *s.value, OnDerived | OnRandom, "a force", Code::LIE0136);
  wrong = refuse(p, *s.second, OnDerived | OnRandom | OnVelocities | OnMomenta | OnStates | OnInputs,
                 "the point at which a force acts", Code::LIE0136) ||
          wrong;
  if (wrong) return;
  if ((dependence_.of(p) & OnPoints) == 0) {
    s_.diagnostics.error(Code::LIE0136, s.second->range,
                         "the point at which a force acts must move with a configuration; this one contains none");
    return;
  }
  model_->forcesAt.push_back({c.surroundings.loops.loops, c.surroundings.loops.guard, f, p, s.range});
}

// --- flows ----------------------------------------------------------------------------------------------------

void ModelBuilder::buildFlows() {
  for (const Clause& c : flows_) {
    const std::string& name = c.statement->target.name;
    const Symbol* symbol = find(name);
    if (symbol != nullptr && symbol->kind == Symbol::Kind::State) continue;
    auto r =
        s_.diagnostics.error(symbol == nullptr ? Code::LIE0100 : Code::LIE0164, c.statement->target.nameRange,
                             symbol == nullptr ? "there is no state `" + name + "`"
                                               : "`" + name + "` is not a state: `flow` gives the motion of states");
    std::vector<std::string> names;
    for (const StateVariable& v : model_->states) names.push_back(v.name);
    const std::string near = nearest(name, names);
    if (symbol == nullptr && !near.empty()) r.suggest(didYouMean(near));
  }
  for (StateVariable& v : model_->states) flowOf(v);
}

std::optional<ModelBuilder::Chosen> ModelBuilder::choose(const Place& place, const std::string& part, Range range) {
  if (part.empty()) return Chosen{place};
  const auto belongs = [&](const Part& p) { return p.name == part || p.name.starts_with(part + "."); };
  const auto begin = place.parts.begin();
  const auto first = std::find_if(begin, place.parts.end(), belongs);
  const auto last = std::find_if_not(first, place.parts.end(), belongs);
  if (first == last) {
    s_.diagnostics.error(Code::LIE0128, range,
                         place.what + " has no part `" + part + "`; its parts are " + listParts(place.parts));
    return std::nullopt;
  }
  Chosen c{place, static_cast<std::size_t>(first - begin), first == begin && last == place.parts.end()};
  c.place.parts.assign(first, last);
  if (!place.arrays.empty())
    c.place.arrays.assign(place.arrays.begin() + (first - begin), place.arrays.begin() + (last - begin));
  if (c.whole) return c;
  c.place.what = "part `" + part + "` of " + place.what;
  c.place.element.reset();
  for (Part& p : c.place.parts) // a part with parts of its own
    if (p.name.size() > part.size()) p.name.erase(0, part.size() + 1);
  return c;
}

void ModelBuilder::flowOf(StateVariable& v) {
  const std::vector<std::int64_t>& extents = v.flow[0]->extents;
  const std::vector<Part> all = v.manifold->algebra();
  const std::string what = "the flow of `" + v.name + "`";
  std::vector<Coverage> coverage(all.size(), Coverage(extents)); // of each part
  bool fine = true;
  for (const Clause& c : flows_) {
    const syntax::Statement& s = *c.statement;
    if (s.target.name != v.name) continue;
    v.given = true;
    auto chosen = choose({v.flow, all, extents, what}, joined(s.target.parts), s.target.range);
    const auto clause = chosen ? open(s, c.surroundings, extents, v.name) : std::nullopt;
    if (!clause || !s.value) {
      fine = false;
      continue;
    }
    Place& place = chosen->place;
    const std::size_t first = chosen->first, count = place.parts.size();
    std::optional<Coverage::Conflict> conflict;
    for (std::size_t k = first; k < first + count; ++k)
      if (auto found = coverage[k].mark(*clause); found && !conflict) conflict = std::move(found);
    if (conflict) {
      s_.diagnostics.error(Code::LIE0140, s.target.range, what + conflict->member + " is given twice")
          .note("first here", conflict->earlier);
      fine = false;
      continue;
    }
    if (chosen->whole) place.what = what + ", an algebra element of " + v.manifold->group().name() + ",";
    // A state on R^n holds anything: a filtered momentum, an integrated error.
    if (chosen->whole && !evaluator_.isVectorSpace(*v.manifold))
      place.element = Expected{ValueKind::Velocity, &v.manifold->group(), v.frame};
    const Emit emit = [&](std::size_t, sym::Equation e) {
      if (!refuse(e.value, *s.value, OnDerived | OnRandom, "a flow", Code::LIE0136))
        model_->program.append(std::move(e));
    };
    fine = assignMember(place, *s.value, *clause, {}, emit) && fine;
  }
  if (!fine || (v.dual && !v.given && hamiltonian_ != nullptr)) return;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto gaps = coverage[k].gaps();
    if (gaps.empty()) continue;
    const std::string part = all.size() > 1 ? "." + all[k].name : "";
    s_.diagnostics.error(Code::LIE0165, v.range,
                         v.given ? "the flow of `" + v.name + coverage[k].shown(gaps[0].first) + part + "` is not given"
                                 : "the state `" + v.name + "` needs " + (v.dual ? "`hamiltonian = ...;` or " : "") +
                                       "its `flow " + v.name + " = ...;`");
    return;
  }
}

} // namespace lmc::sema
