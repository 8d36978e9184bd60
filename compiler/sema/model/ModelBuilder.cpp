// Collecting the statements of a model, and its names.
#include "sema/model/ModelBuilder.h"

#include "sema/session/DataFile.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;
using syntax::StatementKind;

ModelBuilder::ModelBuilder(Session& session, const syntax::Declaration& declaration, SourceId source,
                           Overrides* overrides)
    : s_(session), g_(session.graph), declaration_(declaration), source_(source), overrides_(overrides),
      model_(std::make_unique<Model>(session.graph)), evaluator_(session, *this, *this), dependence_(model_->program),
      tangent_(model_->program) {}

/// What all else is said of: names, configurations, states.
void ModelBuilder::buildPhase() {
  model_->name = declaration_.name;
  model_->range = declaration_.nameRange;
  sym::Array* time = g_.newArray("t", {}, sym::Shape::scalar(), sym::Role::Time);
  model_->time = time;
  tangent_.seed(time, [this](const std::vector<Expr>&) { return g_.number(1); });
  collect(declaration_.body, Surroundings{&emptyScope_, {}}, false);
  for (const syntax::Statement* s : phase_) {
    if (s->kind == StatementKind::Config)
      makeFactor(*s);
    else
      makeState(*s);
  }
}

std::unique_ptr<Model> ModelBuilder::build(std::vector<JointInstance>* joints) {
  const std::size_t before = s_.diagnostics.errorCount();
  buildPhase();
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    if (symbols_[k]->stage == Symbol::Stage::Untouched) elaborate(*symbols_[k]);
  }
  checkUnusedFunctions();
  buildDiscretes();
  buildFlows();
  if (checkFormulation()) {
    buildLagrangian();
    buildHamiltonian();
  }
  buildDissipations();
  buildForces();
  buildConstraints();
  buildAdjust();
  buildObservables();
  buildEvents();
  for (std::size_t k = 0; k < model_->contacts.size(); ++k) contactEvents(k);
  buildSamplings();
  buildScene();
  buildInitials();
  buildSimulation();
  for (const auto& symbol : symbols_) {
    if (symbol->kind != Symbol::Kind::Input || symbol->used) continue;
    s_.diagnostics
        .warning(Code::LIE0175, symbol->range, "nothing uses the input `" + symbol->name + "`: it has no effect")
        .note("an input acts where an expression names it, as in `force on q = " + symbol->name + ";`");
  }
  checkOverrides();
  if (s_.diagnostics.errorCount() > before) return nullptr;
  if (joints != nullptr) *joints = jointCalls();
  return std::move(model_);
}

AmbientModel ModelBuilder::buildAmbient() {
  ambient_ = true;
  AmbientModel result;
  buildPhase();
  buildLagrangian(); // it asks for the names that it reads
  result.rates = std::move(freeRates_);
  if (!model_->lagrangian) return result;
  sym::Equation e;
  e.array = result.lagrangian = g_.newArray("L", {}, sym::Shape::scalar(), sym::Role::Temp);
  e.value = model_->lagrangian;
  model_->program.append(std::move(e));
  result.model = std::move(model_);
  return result;
}

// --- collecting -----------------------------------------------------------------------------------------------

void ModelBuilder::collect(const std::vector<syntax::StatementPtr>& body, const Surroundings& around, bool inside) {
  for (const syntax::StatementPtr& s : body) collectStatement(*s, around, inside);
}

bool ModelBuilder::once(const syntax::Statement*& slot, const syntax::Statement& s, const std::string& what) {
  if (slot == nullptr) {
    slot = &s;
    return true;
  }
  s_.diagnostics.error(Code::LIE0161, s.keyword, "a model has one `" + what + "`")
      .note("the first is here", slot->keyword);
  return false;
}

void ModelBuilder::unsupported(const syntax::Statement& s, const std::string& what) {
  s_.diagnostics.error(Code::LIE0109, s.keyword.end > s.keyword.begin ? s.keyword : s.range,
                       what + " is not supported yet");
}

/// Long because it has one case a kind of statement.
void ModelBuilder::collectStatement(const syntax::Statement& s, const Surroundings& around, bool inside) {
  const bool repeatable =
      s.kind == StatementKind::ForceOn || s.kind == StatementKind::ForceAt || s.kind == StatementKind::Flow ||
      s.kind == StatementKind::Initial || s.kind == StatementKind::Observe || s.kind == StatementKind::Event ||
      s.kind == StatementKind::Constraint || s.kind == StatementKind::Contact || s.kind == StatementKind::Joint ||
      s.kind == StatementKind::For || s.kind == StatementKind::Error;
  if (inside && !repeatable) return; // reported by the parser
  switch (s.kind) {
  case StatementKind::Param:
    declare(Symbol::Kind::Parameter, s, s.target.name, s.target.nameRange);
    break;
  case StatementKind::Let:
    declare(Symbol::Kind::Let, s, s.target.name, s.target.nameRange);
    break;
  case StatementKind::Input:
    declare(Symbol::Kind::Input, s, s.target.name, s.target.nameRange);
    break;
  case StatementKind::Function:
    declareFunction(s);
    break;
  case StatementKind::Config:
  case StatementKind::State:
    collectPhase(s);
    break;
  case StatementKind::Lagrangian:
    if (s.word == "discrete")
      unsupported(s, "a discrete Lagrangian");
    else
      once(lagrangian_, s, "lagrangian");
    break;
  case StatementKind::Hamiltonian:
    once(hamiltonian_, s, "hamiltonian");
    break;
  case StatementKind::Dissipation:
    dissipations_.push_back(&s);
    break;
  case StatementKind::Simulate:
    once(simulate_, s, "simulate");
    break;
  case StatementKind::View:
    once(view_, s, "view");
    break;
  case StatementKind::ForceOn:
    if (!s.word.empty())
      unsupported(s, "a discrete force");
    else
      forces_.push_back({&s, around});
    break;
  case StatementKind::ForceAt:
    forces_.push_back({&s, around});
    break;
  case StatementKind::Flow:
    flows_.push_back({&s, around});
    break;
  case StatementKind::Initial:
    initials_.push_back({&s, around});
    break;
  case StatementKind::Adjust:
    adjusts_.push_back(&s);
    break;
  case StatementKind::Constraint:
    if (s.equations.size() == 1) constraints_.push_back({&s, around});
    break;
  case StatementKind::Contact:
    contacts_.push_back({&s, around});
    break;
  case StatementKind::Joint:
    useJoint(s, around);
    break;
  case StatementKind::Observe:
    observes_.push_back({&s, around});
    break;
  case StatementKind::For:
    collectFor(s, around);
    break;
  case StatementKind::Event:
    events_.push_back({&s, around});
    break;
  case StatementKind::Every:
    samplings_.push_back(&s);
    break;
  case StatementKind::Discrete:
    declare(Symbol::Kind::Discrete, s, s.target.name, s.target.nameRange);
    break;
  case StatementKind::Solve:
    unsupported(s, "`solve` in a model");
    break;
  default:
    break; // reported by the parser
  }
}

void ModelBuilder::collectPhase(const syntax::Statement& s) {
  phase_.push_back(&s);
  if (s.kind == StatementKind::State) {
    declare(Symbol::Kind::State, s, s.target.name, s.target.nameRange);
    return;
  }
  declare(Symbol::Kind::Factor, s, s.target.name, s.target.nameRange);
  if (!s.secondName.empty()) declare(Symbol::Kind::Velocity, s, s.secondName, s.secondRange);
}

void ModelBuilder::collectFor(const syntax::Statement& s, const Surroundings& around) {
  scopes_.push_back(std::make_unique<Scope>(around.scope));
  Surroundings inner{scopes_.back().get(), around.loops};
  if (!evaluator_.openBinders(s.binders, context(around), *scopes_.back(), inner.loops)) {
    for (const syntax::Binder& b : s.binders) scopes_.back()->bind(b.name, Value::error());
    return;
  }
  collect(s.body, inner, true);
}

void ModelBuilder::warnShadow(const std::string& name, Range range) {
  const auto& predefined = predefinedNames();
  const auto& special = specialFunctions();
  const bool taken = std::find(predefined.begin(), predefined.end(), name) != predefined.end() ||
                     std::find(special.begin(), special.end(), name) != special.end() || findBuiltin(name) != nullptr;
  if (taken) s_.diagnostics.warning(Code::LIE0106, range, "`" + name + "` hides the built-in name");
}

void ModelBuilder::declare(Symbol::Kind kind, const syntax::Statement& s, const std::string& name, Range range,
                           std::size_t index) {
  if (name.empty()) return;
  const auto known = byName_.find(name);
  if (known != byName_.end()) {
    Symbol& first = *known->second;
    const bool member = !s.target.binders.empty() || !s.target.indices.empty();
    const bool family = kind == Symbol::Kind::Let && first.kind == Symbol::Kind::Let && member &&
                        (!first.statements[0]->target.binders.empty() || !first.statements[0]->target.indices.empty());
    if (family) {
      first.statements.push_back(&s);
      return;
    }
    s_.diagnostics.error(Code::LIE0103, range, "`" + name + "` is declared twice").note("first here", first.range);
    return;
  }
  const auto f = functions_.find(name);
  if (f != functions_.end()) {
    s_.diagnostics.error(Code::LIE0103, range, "`" + name + "` is declared twice")
        .note("first here", f->second->target.nameRange);
    return;
  }
  warnShadow(name, range);
  auto symbol = std::make_unique<Symbol>();
  symbol->kind = kind;
  symbol->name = name;
  symbol->range = range;
  symbol->statements.push_back(&s);
  symbol->index = index;
  byName_[name] = symbol.get();
  symbols_.push_back(std::move(symbol));
}

void ModelBuilder::declareFunction(const syntax::Statement& s) {
  const std::string& name = s.target.name;
  const auto known = byName_.find(name);
  const auto f = functions_.find(name);
  if (known != byName_.end() || f != functions_.end()) {
    s_.diagnostics.error(Code::LIE0103, s.target.nameRange, "`" + name + "` is declared twice")
        .note("first here", f != functions_.end() ? f->second->target.nameRange : known->second->range);
    return;
  }
  warnShadow(name, s.target.nameRange);
  functions_.emplace(name, &s);
}

// --- names ----------------------------------------------------------------------------------------------------

std::vector<ModelBuilder::Clause>& ModelBuilder::named(Declared& all, const std::string& name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& g) { return g.first == name; });
  return it != all.end() ? it->second : all.emplace_back(name, std::vector<Clause>()).second;
}

Symbol* ModelBuilder::find(const std::string& name) {
  const auto it = byName_.find(name);
  return it == byName_.end() ? nullptr : it->second;
}

std::optional<Value> ModelBuilder::variable(const std::string& name, Range where) {
  Symbol* symbol = find(name);
  if (symbol == nullptr) return std::nullopt;
  symbol->used = true;
  if (symbol->stage == Symbol::Stage::Done) return symbol->value;
  if (symbol->stage == Symbol::Stage::Active) {
    if (symbol->clause != nullptr && active_.back() == symbol) return symbol->value;
    return cycle(*symbol, where);
  }
  if (symbol->kind == Symbol::Kind::Parameter) {
    for (const Symbol* outer : active_) {
      if (outer->kind != Symbol::Kind::Parameter || outer->range.begin > symbol->range.begin) continue;
      s_.diagnostics.error(Code::LIE0167, where, "`" + name + "` is declared later: parameters are worked out in order")
          .note("declared here", symbol->range);
      return Value::error();
    }
  }
  // Factors and states are made first: one that is needed before is needed for itself or for another one.
  if (symbol->kind == Symbol::Kind::Factor || symbol->kind == Symbol::Kind::Velocity ||
      symbol->kind == Symbol::Kind::State) {
    s_.diagnostics.error(Code::LIE0143, where,
                         "`" + name + "` moves: sizes and manifolds are made of whole numbers and of parameters");
    return Value::error();
  }
  elaborate(*symbol);
  return symbol->value;
}

Value ModelBuilder::cycle(Symbol& symbol, Range where) {
  std::string chain;
  for (auto it = std::find(active_.begin(), active_.end(), &symbol); it != active_.end(); ++it)
    chain += (*it)->name + " -> ";
  const bool itself = active_.back() == &symbol;
  s_.diagnostics
      .error(Code::LIE0108, where,
             itself ? "`" + symbol.name + "` is defined by itself"
                    : "definitions go round in a circle: " + chain + symbol.name)
      .note("`" + symbol.name + "` is declared here", symbol.range);
  return Value::error();
}

std::optional<FunctionRef> ModelBuilder::function(const std::string& name) {
  const auto it = functions_.find(name);
  if (it != functions_.end()) return FunctionRef{it->second, this};
  return s_.file(source_).function(name);
}

void ModelBuilder::addVariables(std::vector<std::string>& names) const {
  for (const auto& s : symbols_) names.push_back(s->name);
}

void ModelBuilder::addFunctions(std::vector<std::string>& names) const {
  for (const auto& [name, s] : functions_) names.push_back(name);
  s_.file(source_).addFunctions(names);
}

void ModelBuilder::elaborate(Symbol& symbol) {
  symbol.stage = Symbol::Stage::Active;
  active_.push_back(&symbol);
  ExpressionEvaluator::Position none;
  evaluator_.exchangePosition(none);
  const bool drew = draws_;
  Noise* const noise = std::exchange(noise_, nullptr);
  draws_ = false;
  switch (symbol.kind) {
  case Symbol::Kind::Parameter:
    elaborateParameter(symbol);
    break;
  case Symbol::Kind::Let:
    elaborateLet(symbol);
    break;
  case Symbol::Kind::Input:
    elaborateInput(symbol);
    break;
  case Symbol::Kind::Discrete:
    elaborateDiscrete(symbol);
    break;
  default:
    break; // factors and states have their values when they are made
  }
  draws_ = drew;
  noise_ = noise;
  evaluator_.exchangePosition(none);
  active_.pop_back();
  symbol.stage = Symbol::Stage::Done;
}

// --- what expressions find ------------------------------------------------------------------------------------

std::optional<Value> ModelBuilder::predefined(const std::string& name, Range) {
  if (name == "t") return Value::tensor(g_.load(model_->time));
  if (name != "energy") return std::nullopt;
  if (model_->energy == nullptr) {
    model_->energy = g_.newArray("energy", {}, sym::Shape::scalar(), sym::Role::Temp);
    dependence_.mark(model_->energy, OnDerived);
  }
  return Value::tensor(g_.load(model_->energy));
}

/// The factor with a momentum whose velocity, which derivation defines, the value contains.
const Factor* ModelBuilder::rateOfMomentum(const Tuple& parts) const {
  for (const Factor& f : model_->factors) {
    if (f.fiber == Fiber::Velocity) continue;
    for (const Expr& p : parts) {
      const auto arrays = dependence_.arrays(p);
      if (std::any_of(f.rate.begin(), f.rate.end(), [&](const sym::Array* a) { return arrays.contains(a); })) return &f;
    }
  }
  return nullptr;
}

std::optional<Value> ModelBuilder::rateOf(const Value& v, const syntax::Expr& e) {
  if (v.isError()) return v;
  const bool element = v.kind == ValueKind::Point || v.kind == ValueKind::Velocity || v.kind == ValueKind::Momentum ||
                       v.kind == ValueKind::Parts || v.kind == ValueKind::Tensor;
  if (!element) {
    s_.diagnostics.error(Code::LIE0135, e.range, describe(v) + " has no time derivative");
    return Value::error();
  }
  unsigned kinds = 0;
  for (const Expr& p : v.parts) kinds |= dependence_.of(p);
  const std::string shown = "`" + evaluator_.text(e) + "`";
  std::string reason;
  if ((kinds & OnAccelerations) != 0)
    reason = " contains an acceleration, whose rate is not known";
  else if ((kinds & OnDerived) != 0)
    reason = " contains the energy, a momentum or a multiplier";
  else if ((kinds & OnInputs) != 0)
    reason = " contains an input, whose rate is not known";
  else if (const Factor* f = rateOfMomentum(v.parts))
    reason = " contains the velocity of `" + f->name + "`, which is dH/d" + f->velocityName +
             ": of a configuration with a momentum the rates of points and momenta are known";
  else if ((kinds & (OnPoints | OnVelocities | OnMomenta | OnStates | OnTime)) == 0)
    reason = " does not change in time: it contains parameters and constants only";
  if (!reason.empty()) {
    s_.diagnostics.error(Code::LIE0135, e.range, shown + reason);
    return Value::error();
  }
  for (const Symbol* symbol : active_) {
    if (symbol->clause == nullptr) continue;
    for (const sym::Array* a : symbol->storage.arrays) {
      for (const Expr& p : v.parts) {
        if (!dependence_.arrays(p).contains(a)) continue;
        s_.diagnostics.error(Code::LIE0109, e.range,
                             "the time derivative of a family inside its own definition is not supported yet");
        return Value::error();
      }
    }
  }
  Value d = Value::tensor({});
  d.parts.clear();
  for (const Expr& p : v.parts) d.parts.push_back(tangent_.of(asReal(p)));
  if (d.parts.size() > 1) {
    d.kind = ValueKind::Parts;
    d.names = partNames(v);
  }
  return d;
}

Expr ModelBuilder::draw(bool uniform, const sym::Shape& shape, const LoopContext& loops) {
  std::vector<std::int64_t> extents;
  std::vector<Expr> index;
  for (const sym::Loop& l : loops.loops) {
    const auto range = sym::bounds(l.index, loops.loops);
    if (!range) return {};
    extents.push_back(std::max<std::int64_t>(range->hi - range->lo + 1, 1));
    index.push_back(range->lo == 1 ? l.index : g_.add(l.index, g_.integer(1 - range->lo)));
  }
  if (noise_ != nullptr) return drawNoise(uniform, shape, extents, index);
  const sym::Array* a = g_.newArray("random", extents, shape, sym::Role::Random);
  model_->randoms.push_back({a, uniform});
  return g_.load(a, index);
}

std::optional<Value> ModelBuilder::read(const std::string& file, Range where) {
  auto data = readData(s_, file, where);
  if (!data) return Value::error();
  sym::Shape shape = sym::Shape::mat(data->rows, data->columns);
  if (data->rows == 1 || data->columns == 1) shape = sym::Shape::vec(data->rows * data->columns);
  const sym::Array* a = g_.newArray(file, {}, shape, sym::Role::Data);
  model_->data.push_back({a, std::move(data->values)});
  return Value::tensor(g_.load(a));
}

Factor* ModelBuilder::factorNamed(const std::string& name) {
  for (Factor& f : model_->factors) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

std::optional<Value> ModelBuilder::momentum(const std::string& name, Range) {
  Factor* f = factorNamed(name);
  if (f == nullptr) return std::nullopt;
  const auto& extents = f->velocity[0]->extents;
  if (f->fiber == Fiber::Momentum)
    return valueOf({ValueKind::Momentum, &f->manifold->group(), f->usedVelocity, extents, {}, f->frame});
  if (f->momentum.empty()) {
    for (const sym::Array* v : f->velocity) {
      f->momentum.push_back(g_.newArray("momentum(" + name + ")", v->extents, v->shape, sym::Role::Temp));
      dependence_.mark(f->momentum.back(), OnDerived);
    }
  }
  return valueOf({ValueKind::Momentum, &f->manifold->group(), f->momentum, extents, {}, f->frame});
}

std::optional<Value> ModelBuilder::velocity(const std::string& name, Range) {
  const Factor* f = factorNamed(name);
  if (f == nullptr) return std::nullopt;
  return valueOf({ValueKind::Velocity, &f->manifold->group(), f->rate, f->velocity[0]->extents, {}, f->frame});
}

} // namespace lmc::sema
