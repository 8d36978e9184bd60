// Events and what they reset, samplings and discrete variables.
#include "sema/model/ModelBuilder.h"

#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;
using syntax::StatementKind;

// --- events ----------------------------------------------------------------------------------------------------

void ModelBuilder::buildEvents() {
  Declared groups;
  std::map<std::string, int> directions;
  for (Clause& c : events_) {
    const std::string& name = c.statement->target.name;
    const int direction = eventDirection(c);
    std::vector<Clause>& own = named(groups, name);
    if (!own.empty() && directions[name] != direction) {
      s_.diagnostics
          .error(Code::LIE0161, c.statement->target.range, "the members of the event `" + name + "` have one direction")
          .note("first here", own[0].statement->target.range);
      continue;
    }
    directions[name] = direction;
    own.push_back(c);
  }
  for (auto& [name, clauses] : groups) {
    const std::vector<Observable> found = observe(name, clauses, eventWhat());
    if (found.empty()) {
      Event none; // what its block says is looked at all the same
      resetsOfEvent(none, clauses);
      continue;
    }
    if (found.size() > 1 || found[0].array->shape.rank != 0) {
      const syntax::Expr& e = *clauses[0].statement->value;
      evaluator_.report(Code::LIE0133, e.range,
                        "an event is a number that crosses zero, not " + found[0].array->shape.text());
      continue;
    }
    Event event;
    event.name = name;
    event.array = found[0].array;
    event.first = found[0].first;
    event.direction = directions[name];
    event.goesOn = clauses[0].statement->hasBlock;
    rateOf(event);
    resetsOfEvent(event, clauses);
    model_->events.push_back(std::move(event));
  }
}

/// The rate of an event along the motion, where that is known: not of what contains a multiplier, an energy, an input,
/// or the velocity of a factor with a momentum, which derivation defines.
void ModelBuilder::rateOf(Event& event) {
  constexpr unsigned known = OnPoints | OnVelocities | OnMomenta | OnStates | OnTime;
  const std::vector<std::size_t> writers = model_->program.writers(event.array);
  unsigned kinds = 0;
  bool derived = false;
  for (const std::size_t k : writers) {
    const Expr value = model_->program.equations()[k].value;
    kinds |= dependence_.of(value);
    derived = derived || rateOfMomentum({value}) != nullptr;
  }
  if ((kinds & known) == 0 || (kinds & ~(known | OnDiscrete)) != 0 || derived) return;
  const sym::Array* rate = temp(event.name + "'", event.array->extents, event.array->shape);
  for (const std::size_t k : writers) {
    sym::Equation e = model_->program.equations()[k];
    e.array = rate;
    e.value = tangent_.of(e.value);
    model_->program.append(std::move(e));
  }
  event.rate = rate;
}

/// rising(e), falling(e): the direction of the crossing; the clause then has e for its value.
int ModelBuilder::eventDirection(Clause& clause) {
  const syntax::ExprPtr& e = clause.statement->value;
  const bool call = e && e->kind == syntax::ExprKind::Call && e->args.size() == 2 && e->args[0] &&
                    e->args[0]->kind == syntax::ExprKind::Name;
  if (!call) return 0;
  const std::string& word = e->args[0]->text;
  if ((word != "rising" && word != "falling") || functions_.contains(word)) return 0;
  madeStatements_.push_back(*clause.statement);
  madeStatements_.back().value = e->args[1];
  clause.statement = &madeStatements_.back();
  return word == "rising" ? 1 : -1;
}

// --- discrete variables ---------------------------------------------------------------------------------------

void ModelBuilder::buildDiscretes() {
  for (const auto& symbol : symbols_)
    if (symbol->kind == Symbol::Kind::Discrete && symbol->stage == Symbol::Stage::Untouched) elaborate(*symbol);
}

void ModelBuilder::elaborateDiscrete(Symbol& symbol) {
  const syntax::Statement& s = *symbol.statements[0];
  symbol.value = Value::error();
  const auto extents = extentsOf(s.target, false);
  DiscreteVariable d;
  d.name = symbol.name;
  d.range = symbol.range;
  d.parts = {{"", sym::Shape::scalar()}};
  sym::Type type = sym::Type::Real;
  ValueKind kind = ValueKind::Tensor;
  const Manifold* manifold = nullptr;
  if (s.type) {
    bool wrong = false;
    const auto declared = evaluator_.tensorType(*s.type, topContext(), wrong);
    if (wrong) return;
    if (declared) {
      d.parts[0].shape = declared->first;
      type = declared->second;
    } else {
      const bool element = s.type->name == "algebra" || s.type->name == "dual";
      const FoundManifold* found = element ? dualOf(*s.type) : evaluator_.manifold(*s.type, topContext());
      if (found == nullptr) return;
      kind = !element ? ValueKind::Point : s.type->name == "dual" ? ValueKind::Momentum : ValueKind::Velocity;
      manifold = found;
      d.parts = element ? found->algebra() : found->point();
    }
  }
  if (!s.target.parts.empty()) {
    s_.diagnostics.error(Code::LIE0164, s.target.range, "a discrete variable is declared by its name alone");
    return;
  }
  if (!extents) return;
  d.arrays = stateArrays(d.name, d.parts, *extents);
  for (const sym::Array* a : d.arrays) dependence_.mark(a, OnDiscrete);
  symbol.storage = {kind, manifold, d.arrays, *extents};
  if (kind == ValueKind::Point) d.manifold = manifold;
  d.real = type == sym::Type::Real;
  if (d.real) {
    symbol.value = valueOf(symbol.storage);
  } else {
    discreteTypes_[d.name] = type;
    const auto number = [g = &g_, a = d.arrays[0], type](const std::vector<Expr>& index) {
      const Expr kept = g->load(a, index);
      return Value::tensor(type == sym::Type::Int ? g->function(sym::Op::Floor, kept)
                                                  : g->compare(sym::Op::Lt, g->number(0), kept));
    };
    if (extents->empty()) {
      symbol.value = number({});
    } else {
      Value family;
      family.kind = ValueKind::Family;
      family.extents = *extents;
      family.member = [number](const std::vector<Expr>& index, Range) { return number(index); };
      symbol.value = family;
    }
  }
  symbol.index = model_->discretes.size();
  model_->discretes.push_back(std::move(d));
}

ModelBuilder::Place ModelBuilder::placeOf(const DiscreteVariable& d) const {
  const auto symbol = byName_.find(d.name);
  const Storage& storage = symbol->second->storage;
  Place place{d.arrays, d.parts, storage.extents, "the discrete variable `" + d.name + "`"};
  if (storage.manifold != nullptr) {
    const bool point = storage.kind == ValueKind::Point;
    place.element = Expected{storage.kind, point ? storage.manifold : &storage.manifold->group(), {}};
  }
  const auto type = discreteTypes_.find(d.name);
  if (type != discreteTypes_.end()) place.type = type->second;
  return place;
}

/// The values of the declarations are initial values like those of `initial`.
void ModelBuilder::discreteInitials() {
  for (std::size_t k = 0; k < model_->discretes.size(); ++k) {
    const DiscreteVariable d = model_->discretes[k];
    const Symbol* const symbol = find(d.name);
    if (symbol == nullptr) continue; // what a contact remembers: it has its zeros already, and no statement
    madeStatements_.push_back(*symbol->statements[0]);
    madeStatements_.back().target.indices.clear(); // the number of members
    initials_.push_back({&madeStatements_.back(), {}});
    initialsOf(d.name, placeOf(d), false, nullptr);
  }
}

// --- resets ---------------------------------------------------------------------------------------------------

/// What a block writes, while it is read.
struct ModelBuilder::ResetBlock {
  struct Write {
    const sym::Array* state = nullptr;
    sym::Equation equation; ///< of the value; `array` is not yet given
    Expr member;            ///< of a family of events: the number of the member that writes it
    Range range;
  };
  std::vector<Write> writes;
  std::map<std::string, std::vector<Coverage>> written; ///< by the name of the variable, of each part
  bool fine = true;
};

std::optional<ModelBuilder::Place> ModelBuilder::resetPlace(const syntax::Statement& s) {
  const std::string& name = s.target.name;
  const Symbol* symbol = find(name);
  if (symbol != nullptr && symbol->stage == Symbol::Stage::Done) {
    const bool broken = symbol->kind != Symbol::Kind::Let && symbol->kind != Symbol::Kind::Parameter &&
                        symbol->kind != Symbol::Kind::Input && symbol->storage.arrays.empty();
    if (broken) return std::nullopt; // its declaration was reported
    switch (symbol->kind) {
    case Symbol::Kind::Factor:
      return pointOf(model_->factors[symbol->index]);
    case Symbol::Kind::Velocity:
      return fiberOf(model_->factors[symbol->index]);
    case Symbol::Kind::State:
      return placeOf(model_->states[symbol->index]);
    case Symbol::Kind::Discrete:
      return placeOf(model_->discretes[symbol->index]);
    default:
      break;
    }
  }
  auto r = s_.diagnostics.error(symbol == nullptr ? Code::LIE0100 : Code::LIE0188, s.target.nameRange,
                                symbol == nullptr
                                    ? "there is no configuration, velocity, state or discrete variable `" + name + "`"
                                    : "`" + name + "` cannot be reset: it does not keep a value of its own");
  if (symbol != nullptr) {
    const bool input = symbol->kind == Symbol::Kind::Input;
    r.suggest(input ? "reset a discrete variable, and let the input be its value: discrete " + name +
                          "_held = 0; input " + name + " = " + name + "_held;"
                    : "declare it as `discrete " + name + " = …;`");
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const auto& k : symbols_)
    if (k->kind == Symbol::Kind::Factor || k->kind == Symbol::Kind::Velocity || k->kind == Symbol::Kind::State ||
        k->kind == Symbol::Kind::Discrete)
      names.push_back(k->name);
  const std::string near = nearest(name, names);
  if (!near.empty()) r.suggest(didYouMean(near));
  return std::nullopt;
}

void ModelBuilder::resetOf(const syntax::Statement& s, const MemberClause& around, bool family, ResetBlock& block) {
  block.fine = false; // until it is all right
  const auto place = resetPlace(s);
  if (!place || !s.value) return;
  const Surroundings here{around.scope.get(), around.loops};
  const std::string& name = s.target.name;
  const bool whole =
      !place->extents.empty() && s.target.binders.empty() && s.target.indices.empty() && around.loops.loops.empty();
  std::optional<MemberClause> clause;
  if (whole) {
    clause = memberClause({}, s.target.range);
    clause->loops.loops = memberLoops(g_, place->extents);
    clause->index = indicesOf(clause->loops.loops);
  } else {
    clause = open(s, here, place->extents, name);
  }
  if (!clause) return;
  const auto chosen = choose(*place, joined(s.target.parts), s.target.range);
  if (!chosen) return;
  const Place& part = chosen->place;
  const std::size_t first = chosen->first, count = part.parts.size();
  auto& written = block.written.try_emplace(name, place->parts.size(), Coverage(place->extents)).first->second;
  // What each member of a family of events writes is looked at when all is known.
  for (std::size_t k = first; k < first + count && !family; ++k) {
    const auto conflict = written[k].mark(*clause);
    if (!conflict) continue;
    s_.diagnostics.error(Code::LIE0188, s.target.range, "`" + name + conflict->member + "` is reset twice in one block")
        .note("first here", conflict->earlier);
    return;
  }
  const Emit emit = [&](std::size_t k, sym::Equation e) {
    if (refuse(e.value, *s.value, OnRandom, "a reset", Code::LIE0136)) return;
    block.writes.push_back({part.arrays[k], std::move(e), {}, s.target.range});
  };
  block.fine = whole ? assignWhole(part, *s.value, {}, emit) : assignMember(part, *s.value, *clause, {}, emit);
}

/// `number`: of a family of events the number of the member; else empty.
void ModelBuilder::resetsOf(const syntax::Statement& block, const MemberClause& around, Expr number,
                            ResetBlock& resets) {
  const Expr selected = number ? g_.compare(sym::Op::Eq, g_.toReal(number), g_.load(model_->member)) : number;
  for (const syntax::StatementPtr& s : block.body) {
    if (s->kind != StatementKind::Reset) continue;
    const std::size_t before = resets.writes.size();
    const bool fine = resets.fine;
    resetOf(*s, around, static_cast<bool>(number), resets);
    resets.fine = resets.fine && fine;
    if (!number) continue;
    // A member that has not happened writes nothing: what it would write is not even looked at.
    for (std::size_t k = before; k < resets.writes.size(); ++k) {
      resets.writes[k].member = number;
      sym::Equation& e = resets.writes[k].equation;
      e.guard = e.guard ? g_.logic(sym::Op::And, e.guard, selected) : selected;
    }
  }
}

/// All members of a family of events go on, or all of them stop the run.
bool ModelBuilder::checkBlocks(const std::vector<Clause>& clauses) {
  for (const Clause& c : clauses) {
    if (c.statement->hasBlock == clauses[0].statement->hasBlock) continue;
    s_.diagnostics
        .error(Code::LIE0188, c.statement->target.range,
               "some members of the event `" + c.statement->target.name + "` have a block, and some stop the run")
        .note("first here", clauses[0].statement->target.range)
        .suggest("give all of them a block, or make two events");
    return false;
  }
  return true;
}

void ModelBuilder::resetsOfEvent(Event& event, const std::vector<Clause>& clauses) {
  if (!checkBlocks(clauses) || !clauses[0].statement->hasBlock) return;
  ResetBlock block;
  for (const Clause& c : clauses) {
    const syntax::Target& target = c.statement->target;
    const bool family = !target.binders.empty() || !target.indices.empty();
    const auto own = open(*c.statement, c.surroundings,
                          family ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{}, event.name);
    if (!own) return;
    Expr number;
    if (family && event.array != nullptr) {
      if (model_->member == nullptr)
        model_->member = g_.newArray("member", {}, sym::Shape::scalar(), sym::Role::StepSize);
      number = g_.integer(0);
      const std::vector<Expr> at = shifted(g_, own->index, event.first);
      for (std::size_t k = 0; k < at.size(); ++k)
        number = g_.add(g_.mul(number, g_.integer(event.array->extents[k])), g_.sub(at[k], g_.integer(1)));
      number = g_.add(number, g_.integer(1));
    }
    resetsOf(*c.statement, *own, number, block);
  }
  if (block.fine && membersWriteApart(block)) event.resets = finish(block);
}

/// One member of a family of events writes each member of a variable once.
bool ModelBuilder::membersWriteApart(const ResetBlock& block) {
  constexpr std::size_t most = 2'000'000;
  std::map<const sym::Array*, std::set<std::vector<std::int64_t>>> written;
  for (const ResetBlock::Write& w : block.writes) {
    if (!w.member) continue;
    bool apart = true;
    const bool known = enumerate(w.equation.loops, most, [&](const IndexValues& values) {
      std::vector<std::int64_t> key;
      for (const Expr& e : w.equation.index) key.push_back(valueAt(e, values)->num());
      key.push_back(valueAt(w.member, values)->num());
      apart = written[w.state].insert(std::move(key)).second;
      return apart;
    });
    if (apart && known) continue;
    s_.diagnostics.error(Code::LIE0188, w.range,
                         "one member of the event resets a member of `" + w.state->name + "` twice");
    return false;
  }
  return true;
}

/// Values in arrays of their own: what is not written stays. Where several equations may write one member, they add to
/// zero, and a count of them tells which members were written.
std::vector<ResetValue> ModelBuilder::finish(const ResetBlock& block) {
  std::vector<ResetValue> list;
  std::vector<const sym::Array*> states;
  for (const ResetBlock::Write& w : block.writes)
    if (std::find(states.begin(), states.end(), w.state) == states.end()) states.push_back(w.state);
  for (const sym::Array* state : states) {
    const sym::Array* after = temp(state->name + ".after", state->extents, state->shape);
    list.push_back({state, after});
    const sym::Array* sum = temp(state->name + ".reset", state->extents, state->shape);
    const sym::Array* count = temp(state->name + ".resets", state->extents, sym::Shape::scalar());
    for (const ResetBlock::Write& w : block.writes) {
      if (w.state != state) continue;
      sym::Equation e = w.equation;
      if (state->extents.empty() && !e.guard) { // one number, vector or matrix, written once
        e.array = after;
        model_->program.append(std::move(e));
        sum = nullptr;
        break;
      }
      e.kind = sym::EquationKind::Accumulate;
      e.array = sum;
      model_->program.append(e);
      e.array = count;
      e.value = g_.number(1);
      model_->program.append(std::move(e));
    }
    if (sum == nullptr) continue;
    sym::Equation e;
    e.array = after;
    e.loops = memberLoops(g_, state->extents);
    e.index = indicesOf(e.loops);
    e.value = g_.select(g_.compare(sym::Op::Lt, g_.number(0), g_.load(count, e.index)), g_.load(sum, e.index),
                        g_.load(state, e.index));
    model_->program.append(std::move(e));
  }
  return list;
}

// --- samplings ------------------------------------------------------------------------------------------------

/// A number of parameters, as an array of its own; null and reported if it is none.
const sym::Array* ModelBuilder::timeSetting(const syntax::Expr& e, const std::string& what) {
  const Expr value = evaluator_.scalar(evaluator_.evaluate(e, topContext()), e);
  if (!value) return nullptr;
  const unsigned kinds = dependence_.of(value);
  if (kinds != 0) {
    s_.diagnostics.error(Code::LIE0189, blame(e, kinds).value_or(e.range),
                         what + " is made of parameters and numbers: it does not change during a run");
    return nullptr;
  }
  const sym::Array* array = temp(what, {}, sym::Shape::scalar());
  sym::Equation equation;
  equation.array = array;
  equation.value = asReal(value);
  model_->program.append(std::move(equation));
  return array;
}

void ModelBuilder::buildSamplings() {
  int generators = 0;
  for (const syntax::Statement* s : samplings_) {
    if (!s->value) continue;
    const std::string name = "every " + evaluator_.text(*s->value);
    Sampling sampling;
    sampling.name = name;
    sampling.range = s->value->range;
    sampling.interval = timeSetting(*s->value, "the interval of `every`");
    if (s->second) sampling.first = timeSetting(*s->second, "the first time of `every`");
    ResetBlock block;
    Noise noise;
    noise.name = generators == 0 ? "every.noise" : "every" + std::to_string(generators + 1) + ".noise";
    noise.range = s->range;
    noise_ = &noise;
    draws_ = true;
    resetsOf(*s, memberClause({}, s->range), {}, block);
    noise_ = nullptr;
    draws_ = false;
    if (noise.state != nullptr) {
      ++generators;
      sym::Equation kept;
      kept.value = noise.last;
      block.writes.push_back({noise.state, std::move(kept), {}, s->range});
    }
    if (sampling.interval == nullptr || (s->second && sampling.first == nullptr) || !block.fine) continue;
    const Expr interval = model_->program.equations()[model_->program.writers(sampling.interval)[0]].value;
    if (interval->isConst() && !(interval->number.value() > 0)) {
      s_.diagnostics
          .error(Code::LIE0189, s->value->range,
                 "the interval of `every` is " + evaluator_.text(*s->value) + ": it is a time above zero")
          .suggest("write every 0.01 { … }");
      continue;
    }
    sampling.resets = finish(block);
    model_->samplings.push_back(std::move(sampling));
  }
}

} // namespace lmc::sema
