// From a prepared model to a problem: its functions, their code, and what a run is told about them.
#include "base/Integers.h"
#include "jit/Hash.h"
#include "jit/Key.h"
#include "jit/Parts.h"
#include "mechanics/Conservation.h"
#include "products/Impl.h"
#include "products/initial/Restoration.h"
#include "products/initial/RowTapes.h"
#include "sym/Inline.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace lmc::products {

namespace {
/// The values of events, and their rates where they are known, which get their places. Those that need accelerations
/// cost as much as a stage of a method; without them the side to which an event goes that has reset the state would not
/// be known.
unit::UnitBuilder::Outputs eventsWithRates(Product& product) {
  unit::UnitBuilder::Outputs outputs = product.observation.events;
  const std::vector<sema::Event>& events = product.layer.model.events;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const sema::Event& e = events[k];
    if (e.rate == nullptr) continue;
    runtime::Field& rate = product.observation.rules[k].rate;
    rate = product.unit.place(unit::fieldOf(e.name + "'", *e.rate, e.first));
    outputs.push_back({e.rate, rate.role, rate.offset});
  }
  return outputs;
}

/// What is observed, with the multipliers of constraints by the f that steps call, where they call one.
int addObserve(Product& product) {
  unit::UnitBuilder& unit = product.unit;
  unit::UnitBuilder::Outputs outputs = product.observation.outputs;
  const sym::Array* const left = product.steps == Steps::None ? nullptr : StageCode::multipliers(product.step());
  if (left == nullptr) return unit.function("observe", 1, outputs);
  sym::Program& program = product.layer.program();
  const sym::Array* const multiplier = product.layer.system.constraints->multiplier;
  std::vector<const sym::Array*> observed;
  for (const lower::OutputBinding& o : outputs) observed.push_back(o.array);
  const std::vector<std::size_t> slice = program.slice(observed);
  if (std::none_of(slice.begin(), slice.end(), [&](std::size_t k) { return program.equation(k).array == multiplier; }))
    return unit.function("observe", 1, outputs);
  sym::Replacement replacement;
  replacement.arrays[multiplier] = left;
  observed = sym::inlineCopy(program, observed, replacement, "@observed");
  for (std::size_t k = 0; k < observed.size(); ++k) outputs[k].array = observed[k];
  unit.argument(product.step().stepSize, 1);
  return product.stageCode.observe(unit, product.step(), product.layer.model.time, outputs);
}
} // namespace

void Pipeline::Impl::addEvents(Product& product) {
  product.unit.functions.events = product.unit.function("events", 1, eventsWithRates(product));
}

void Pipeline::Impl::addJumps(Product& product) {
  if (!product.observation.events.empty()) addEvents(product);
  addResets(product);
  addContacts(product);
}

runtime::MassLook Pipeline::Impl::addRun(Product& product, Steps steps, const MassSides* sides) {
  const Stopwatch watch(timings, "lower");
  const Place place(steps != Steps::None && model->simulation.method ? model->simulation.method->range : modelPlace());
  unit::UnitBuilder& unit = product.unit;
  const Observation& observation = product.observation;
  product.steps = steps;
  product.bind(inputUse());
  unit.report();
  runtime::MassLook look;
  if (sides != nullptr) {
    look.product = unit.place(runtime::Role::Output, "M xi'", sides->product);
    look.rhs = unit.place(runtime::Role::Output, "r", sides->rhs);
  }
  if (steps == Steps::Adaptive) product.adaptive = adaptiveOutputs(product.layer, product.step(), unit, Trials::HandOn);
  unit.functions.observe = addObserve(product);
  if (!observation.events.empty()) addEvents(product);
  if (sides != nullptr) {
    unit::UnitBuilder::Outputs outputs = unit::UnitBuilder::into(look.product, sides->product);
    const unit::UnitBuilder::Outputs rhs = unit::UnitBuilder::into(look.rhs, sides->rhs);
    outputs.insert(outputs.end(), rhs.begin(), rhs.end());
    look.function = unit.function("mass equation", 1, std::move(outputs));
  }
  if (steps == Steps::None) {
    unit.functions.field = unit.function("field", 1, product.rates);
    return look;
  }
  addResets(product);
  addContacts(product);
  addContactSteps(product);
  unit.argument(product.step().stepSize, 1);
  if (product.adaptive) {
    product.addAdaptiveSteps();
  } else {
    unit.functions.step = product.addStep();
  }
  return look;
}

namespace {
/// The state behind a reset: what it changes, over the state itself.
unit::UnitBuilder::Outputs changed(const std::vector<sema::ResetValue>& resets, const Layout& layout) {
  unit::UnitBuilder::Outputs outputs;
  for (const sema::ResetValue& r : resets)
    outputs.push_back({r.after, runtime::Role::State, layout.of(r.state).offset});
  return outputs;
}

/// An array of zeros, shaped like another one.
const sym::Array* zeros(sym::Program& p, const sym::Array& like) {
  return sym::defineLike(p, like, "nothing of " + like.name,
                         [&](const std::vector<sym::Expr>&) { return p.graph().zero(like.shape); });
}

bool resets(const sema::Model& m) {
  const auto some = [](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& e) { return !e.resets.empty(); });
  };
  return some(m.events) || some(m.samplings);
}
} // namespace

void Pipeline::Impl::addResets(Product& product) {
  unit::UnitBuilder& unit = product.unit;
  const Layout& layout = product.prepared.layout;
  if (model->member != nullptr) unit.argument(model->member, 1);
  const auto add = [&](const std::string& name, const std::vector<sema::ResetValue>& values, bool family) {
    if (values.empty()) return -1;
    unit::UnitBuilder::Outputs outputs = changed(values, layout);
    for (std::size_t k = 0; k < product.kept.size(); ++k) // the next step begins anew
      outputs.push_back(
          {zeros(product.layer.program(), *product.step().kept[k].now), runtime::Role::State, product.kept[k].offset});
    unit.functions.resets.push_back(unit.function("reset of " + name, family ? 2 : 1, std::move(outputs)));
    return static_cast<int>(unit.functions.resets.size()) - 1;
  };
  for (std::size_t k = 0; k < model->events.size(); ++k)
    product.observation.rules[k].reset =
        add(model->events[k].name, model->events[k].resets, !model->events[k].array->extents.empty());
  unit::UnitBuilder::Outputs times;
  for (const sema::Sampling& s : model->samplings) {
    runtime::Tick tick;
    tick.name = s.name;
    tick.reset = add(s.name, s.resets, false);
    const auto place = [&](const sym::Array* a, const char* what) {
      runtime::Field f = unit.place(unit::fieldOf(what, *a));
      times.push_back({a, f.role, f.offset});
      return f;
    };
    tick.interval = place(s.interval, "interval");
    if (s.first != nullptr) tick.first = place(s.first, "first");
    product.ticks.push_back(std::move(tick));
  }
  if (!times.empty()) unit.functions.ticks = unit.function("ticks", 1, std::move(times));
}

namespace {
/// The contacts of a family, their rows and places.
void addContact(runtime::ContactRules& rules, const sema::Contact& c, const mechanics::System& system,
                const Layout& layout, const std::vector<runtime::Entry>& names,
                const std::function<std::int64_t(const sym::Array*)>& place) {
  const auto& rows = system.constraints->firstRow;
  const auto state = [&](const sym::Array* a) { return a == nullptr ? -1 : layout.of(a).offset; };
  const std::int64_t tangents = c.slip ? c.memory->shape.size() : 0;
  runtime::ContactRule first;
  first.normal = rows[c.normal];
  first.slip = c.slip ? rows[*c.slip] : -1;
  first.tangents = tangents;
  first.mode = state(c.mode);
  first.memory = state(c.memory);
  first.speed = state(c.speed);
  first.impulse = state(c.impulse);
  first.friction = state(c.friction);
  first.size = place(c.size);
  first.restitution = place(c.restitution);
  first.coefficient = place(c.coefficient);
  first.rest = place(c.rest);
  for (std::int64_t k = 0; k < c.mode->count(); ++k) {
    runtime::ContactRule own = first;
    own.name = names[static_cast<std::size_t>(k)].name();
    for (std::int64_t* at :
         {&own.normal, &own.mode, &own.speed, &own.impulse, &own.size, &own.restitution, &own.coefficient, &own.rest})
      if (*at >= 0) *at += k;
    for (std::int64_t* at : {&own.slip, &own.memory, &own.friction})
      if (*at >= 0) *at += k * tangents;
    rules.list.push_back(std::move(own));
  }
}
} // namespace

void Pipeline::Impl::addContacts(Product& product) {
  const mechanics::System& s = *system;
  if (!s.contacts || model->contacts.empty()) return;
  unit::UnitBuilder& unit = product.unit;
  const Layout& layout = product.prepared.layout;
  runtime::ContactRules& rules = product.contacts;
  unit::UnitBuilder::Outputs outputs;
  const auto field = [&](const sym::Array* a) {
    runtime::Field f = unit.place(runtime::Role::Output, a->name, {a});
    for (const lower::OutputBinding& o : unit::UnitBuilder::into(f, {a})) outputs.push_back(o);
    return f;
  };
  rules.rows = s.constraints->rows;
  rules.columns = s.constraints->columns;
  rules.value = field(s.contacts->value);
  rules.rate = field(s.contacts->rate);
  rules.bias = field(s.contacts->bias);
  rules.jacobian = field(s.contacts->jacobian);
  rules.response = field(s.contacts->response);
  rules.free = field(s.contacts->free);
  rules.stateSize = layout.stateSize;
  rules.sequential = model->simulation.sequential;
  rules.poisson = model->simulation.poisson;
  rules.velocities.assign(static_cast<std::size_t>(rules.columns), -1);
  for (std::size_t j = 0; j < model->factors.size(); ++j) {
    const sema::Factor& f = model->factors[j];
    std::int64_t before = 0; // components of the parts so far
    for (const sym::Array* a : f.velocity) {
      const std::int64_t size = a->shape.size();
      for (std::int64_t i = 0; i < a->count(); ++i)
        for (std::int64_t e = 0; e < size; ++e)
          rules.velocities[static_cast<std::size_t>(s.constraints->firstColumn[j] + i * f.manifold->algebraSize() +
                                                    before + e)] = layout.of(a).offset + i * size + e;
      before += size;
    }
  }
  std::vector<int> firstOf;
  for (const sema::Contact& c : model->contacts) {
    firstOf.push_back(static_cast<int>(rules.list.size()));
    addContact(rules, c, s, layout, unit::fieldOf(c.name, *c.mode, model->constraints[c.normal].first).entries(),
               [&](const sym::Array* a) { return a == nullptr ? -1 : field(a).offset; });
  }
  for (std::size_t k = 0; k < model->events.size(); ++k) {
    const sema::Event& e = model->events[k];
    if (e.cause == sema::ContactCause::None) continue;
    product.observation.rules[k].cause = static_cast<runtime::ContactCause>(e.cause); // the same words
    product.observation.rules[k].contact = firstOf[e.contact];
  }
  unit.functions.contacts = unit.function("contacts", 1, std::move(outputs));
}

bool Pipeline::Impl::jumps() const {
  const auto goesOn = [](const sema::Event& e) { return e.goesOn; };
  return !model->samplings.empty() || !model->stepped.empty() ||
         std::any_of(model->events.begin(), model->events.end(), goesOn);
}

bool Pipeline::jumps() const {
  return impl_->jumps();
}

bool Pipeline::Impl::refusesResets(const std::string& what) {
  if (!jumps()) return false;
  diagnostics()
      .error(Code::LIE0652, model->range,
             what + " is that of its smooth motion, and this model has " +
                 (model->contacts.empty() ? "resets" : "contacts") +
                 ": where the state jumps the symplectic form need not be kept")
      .note("gradients, linearized steps and `lmc orbit` go through jumps");
  return true;
}

unit::Unit Pipeline::Impl::unitOf(const Product& product, const unit::ZeroPattern& zeros, std::size_t longest) {
  const Stopwatch watch(timings, "lower");
  const Place place(product.steps != Steps::None && model->simulation.method ? model->simulation.method->range
                                                                             : modelPlace());
  unit::Unit unit = product.unit.build(zeros, longest);
  fill(unit.problem, product);
  unit.problem.operationsPerStep = unit.operationsPerStep();
  unit.problem.codeKey = keyOf(unit.module);
  return unit;
}

void Pipeline::Impl::compileUnit(unit::Unit& unit, const jit::CompileOptions& how,
                                 const std::function<void()>& meanwhile) {
  if (!meanwhile) {
    const Stopwatch watch(timings, "compile");
    unit.problem.code = jit::compile(unit.module, how);
    return;
  }
  std::optional<Stopwatch> waiting; // until the code is there
  jit::atOnce(2, [&](std::size_t k) {
    if (k == 0) {
      meanwhile();
      waiting.emplace(timings, "compile");
    } else {
      unit.problem.code = jit::compile(unit.module, how);
    }
  });
}

runtime::Problem Pipeline::Impl::compiled(const Product& product, const unit::ZeroPattern& zeros) {
  unit::Unit unit = unitOf(product, zeros, longestOfRun);
  compileUnit(unit, options.compile);
  return std::move(unit.problem);
}

Steps Pipeline::Impl::stepsOf(bool needMethod) const {
  if (!needMethod || step() == nullptr) return Steps::None;
  const bool wanted = chosen || !model->simulation.tolerances.empty();
  const bool adaptive = !options.fixedSteps && !step()->embedded.empty() && wanted;
  return adaptive ? Steps::Adaptive : Steps::Fixed;
}

std::string Pipeline::Impl::keyOf(const tape::Module& m) const {
  return jit::hex(jit::cacheKey(m, options.compile));
}

bool Pipeline::Impl::entriesAreGiven() const {
  return std::any_of(
      options.compilation.overrides.begin(), options.compilation.overrides.end(), [&](const sema::Override& o) {
        const std::string base = o.name.substr(0, o.name.find_first_of("[."));
        return std::any_of(model->parameters.begin(), model->parameters.end(), [&](const sema::Parameter& p) {
          return p.array->shape.rank > 0 && (p.input.empty() ? p.name : p.input) == base;
        });
      });
}

unit::ZeroPattern Pipeline::Impl::zerosOfCode(const Layout& layout, const InitialData& data) const {
  if (!options.presentZeros || (options.codeForAnyParameters && entriesAreGiven())) return {};
  return zeroPattern(*model, layout, data.params);
}

unit::Unit Pipeline::Impl::compileForData(const Product& product, const std::function<void(unit::Unit&)>& meanwhile) {
  const Layout& layout = product.prepared.layout;
  const InitialData& data = product.prepared.data;
  const unit::ZeroPattern zeros = zerosOfCode(layout, data);
  unit::Unit unit = unitOf(product, zeros, longestOfRun);
  if (!options.codeKey.empty() && unit.problem.codeKey != options.codeKey) {
    // The run that goes on may have been told the same values in another way.
    const unit::ZeroPattern present =
        options.presentZeros ? zeroPattern(*model, layout, data.params) : unit::ZeroPattern{};
    unit::Unit other = unitOf(product, zeros.empty() ? present : unit::ZeroPattern{}, longestOfRun);
    if (other.problem.codeKey == options.codeKey) unit = std::move(other);
    compileUnit(unit, options.compile, [&] { meanwhile(unit); });
    return unit;
  }
  {
    const Stopwatch watch(timings, "compile");
    unit.problem.code = jit::findCompiled(unit.module, options.compile);
  }
  if (unit.problem.code) {
    meanwhile(unit);
    return unit;
  }
  std::optional<tape::Module> general;
  compileUnit(unit, options.compile, [&] {
    if (!zeros.empty() && options.compile.useCache && options.codeForAnyParameters) {
      const Stopwatch watch(timings, "lower");
      general = product.unit.build({}, longestOfRun).module;
      if (jit::findCompiled(*general, options.compile)) general.reset();
    }
    meanwhile(unit);
  });
  if (!general) return unit;
  if (background.joinable()) background.join(); // of an earlier build
  background = std::thread([general = *std::move(general), how = options.compile]() mutable {
    how.tiers = jit::Tiers::Optimised;
    try {
      (void)jit::compile(general, how);
    } catch (const std::exception&) { // found again, and reported, when that code is needed
    }
  });
  return unit;
}

std::unique_ptr<runtime::Problem> Pipeline::Impl::build(bool needMethod) {
  const Prepared* const prepared = prepare(needMethod);
  return prepared != nullptr ? problemOf(*prepared, stepsOf(needMethod)) : nullptr;
}

std::unique_ptr<runtime::Problem> Pipeline::Impl::problemOf(const Prepared& prepared, Steps steps, MassLooks looks) {
  Product product(prepared, prepared.layer);
  product.defineOutputs(options.compilation.scene);
  if (options.pairLists) product.unit.useLists();
  std::optional<MassSides> sides;
  if (looks == MassLooks::Compiled && steps != Steps::None && !system->groups.empty() &&
      solvesForAccelerations(product))
    sides = massSides(product.layer);
  const runtime::MassLook look = addRun(product, steps, sides ? &*sides : nullptr);
  if (!model->stepped.empty() && diagnostics().hasErrors()) return nullptr;
  unit::Unit unit = compileForData(product, [&](unit::Unit& made) { lookAtMass(made.problem, product, made, look); });
  if (steps != Steps::None) lookAtCutoffs(unit.problem, prepared);
  shown = product.shown ? std::make_unique<const ShownScene>(std::move(*product.shown)) : nullptr;
  return std::make_unique<runtime::Problem>(std::move(unit.problem));
}

bool Pipeline::Impl::solvesForAccelerations(const Product& product) {
  const sym::Program& program = product.layer.program();
  const auto evaluates = [&](const methods::Step& s) {
    const std::vector<std::size_t> slice = program.slice(s.next);
    return s.evaluations > 0 || std::any_of(slice.begin(), slice.end(), [&](std::size_t k) {
             const auto& newton = program.equation(k).newton;
             return newton && newton->evaluations > 0;
           });
  };
  const std::vector<methods::Step>& steps = product.step().steps;
  return evaluates(product.step()) || std::any_of(steps.begin(), steps.end(), evaluates);
}

void Pipeline::Impl::lookAtMass(runtime::Problem& p, Product& product, const unit::Unit& unit,
                                const runtime::MassLook& own) {
  if (product.steps == Steps::None) return;
  const Stopwatch watch(timings, "mass");
  std::shared_ptr<runtime::MassCheck> check;
  if (solvesForAccelerations(product))
    check = massCheck(product.layer, product.prepared.layout, product.massKind, unit.operationsPerStep());
  if (check) check->compiled = own;
  if (auto rows = constraintRows(product.layer, product.prepared.layout)) {
    if (!check) check = std::make_shared<runtime::MassCheck>();
    check->rows = std::move(rows);
  }
  p.mass = std::move(check);
  p.ranges = rangeCheck(product.layer, product.prepared.layout, product.massKind);
  if (!p.ranges) return;
  // A table that is too short for the time of the run is known before it.
  for (const double t : {p.timeFrom, p.timeTo}) {
    if (!std::isfinite(t)) continue;
    const auto outside = runtime::whatIsOutside(*p.ranges, p.params, p.initialState, t);
    if (!outside) continue;
    diagnostics().warning(Code::LIE0660, model->simulation.range,
                          fmt::format("at t = {:.10g}, with the initial state, {}", t, *outside));
    return;
  }
}

void Pipeline::Impl::fill(runtime::Problem& p, const Product& product) {
  const InitialData& data = product.prepared.data;
  const methods::Step* const step = product.steps != Steps::None ? product.prepared.step : nullptr;
  p.model = model->name;
  if (step != nullptr) p.method = step->method;
  p.params = data.params;
  p.initialState = data.state;
  p.constants = model->constants;
  p.eventRules = product.observation.rules;
  p.ticks = product.ticks;
  p.contacts = product.contacts;
  p.contactSteps = product.contactSteps;
  if (step != nullptr && resets(*model)) p.restoration = restoration(*system, product.prepared.layout);
  p.energyChanges = p.field(runtime::FieldKind::Energy) != nullptr &&
                    (resets(*model) || !model->contacts.empty() || !model->stepped.empty() ||
                     !mechanics::powerSources(*system).empty());
  p.evaluationsPerStep = step != nullptr ? step->ownEvaluations : 0;
  p.estimatesError = step != nullptr && !step->embedded.empty();
  if (product.adaptive) p.control = errorControl(*model, *step, *product.adaptive, data.settings);
  p.chosen = chosen;
  if (chosen && p.control) std::fill(p.control->tolerances.begin(), p.control->tolerances.end(), chosen->tolerance);
  p.exponentialsPerStep = step != nullptr ? step->exponentials : 0;
  p.order = step != nullptr ? step->order : 0;
  const auto setting = [&](const char* key) {
    const auto it = data.settings.find(key);
    return it == data.settings.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
  };
  p.timeFrom = setting("time.from");
  p.timeTo = setting("time.to");
  p.step = automatic() ? std::numeric_limits<double>::quiet_NaN() : setting("step"); // that of the method before
  p.outputEvery = setting("output.every");
  const double steps = setting("output.steps");
  p.outputSteps = wholeNumber(steps).value_or(0);
  p.seed = data.seed;
  p.undefinable = undefinable();
}

std::vector<std::string> Pipeline::Impl::undefinable() const {
  std::vector<std::string> names;
  for (const syntax::File* f : compilation->files())
    for (const syntax::Declaration& d : f->declarations)
      if (d.kind == syntax::DeclKind::Model && d.name == model->name)
        for (const syntax::StatementPtr& statement : d.body)
          if (statement && statement->kind == syntax::StatementKind::Simulate)
            for (const syntax::Setting& s : statement->settings) {
              if (s.key != "undefined" || !s.value) continue;
              if (s.value->kind == syntax::ExprKind::Name) names.push_back(s.value->text);
              for (const syntax::ExprPtr& e : s.value->args) names.push_back(e->text);
            }
  return names;
}

} // namespace lmc::products
