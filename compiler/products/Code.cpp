// From a prepared model to a problem: its functions, their code, and what a run is told about them.
#include "base/Integers.h"
#include "jit/Hash.h"
#include "jit/Key.h"
#include "mechanics/Conservation.h"
#include "products/Impl.h"
#include "tape/TapeCost.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lmc {

Lowered Pipeline::Impl::lower(Product& product, Steps steps, const ZeroPattern& zeros, const MassSides* sides) {
  const bool needMethod = steps != Steps::None;
  const Stopwatch watch(timings, "lower");
  const Place place(needMethod && model->simulation.method ? model->simulation.method->range : modelPlace());
  const Layout& layout = product.prepared.layout;
  const Observation& observation = product.observation;
  const FieldOutputs& field = product.field;
  const std::int64_t behindReport = field.size + reportSize;
  Lowered result;
  result.steps = steps;
  if (steps == Steps::Adaptive)
    result.adaptive = adaptiveOutputs(product.layer, *step(), behindReport + (sides != nullptr ? 2 * sides->size : 0),
                                      layout.paramSize);
  Lowering lowering(product.layer.program(), true);
  choosePivots(lowering, product.massKind);
  bindInputs(lowering, *model, layout, zeros, inputUse());
  lowering.bindReport(tape::Role::Output, field.size);
  result.observe = lowering.addFunction("observe", 1, observation.outputs);
  if (!observation.events.empty()) result.events = lowering.addFunction("events", 1, observation.eventOutputs);
  if (sides != nullptr) {
    std::vector<OutputBinding> outputs;
    std::int64_t at = behindReport;
    for (const auto* list : {&sides->product, &sides->rhs})
      for (const sym::Array* a : *list) outputs.push_back({a, tape::Role::Output, std::exchange(at, at + a->size())});
    result.sides = lowering.addFunction("mass equation", 1, outputs);
  }
  int stepFunction = -1;
  if (needMethod) {
    lowering.bindArgument(step()->stepSize, 1);
    std::vector<OutputBinding> next;
    for (std::size_t k = 0; k < step()->next.size(); ++k) {
      next.push_back({step()->next[k], tape::Role::State, layout.state.at(step()->state[k]->id)});
    }
    if (result.adaptive)
      result.adaptiveFunctions = addAdaptive(lowering, *result.adaptive, next);
    else
      stepFunction = lowering.addFunction("step", 2, next);
  } else {
    result.field = lowering.addFunction("field", 1, field.outputs);
  }
  result.module = lowering.finish(stepFunction);
  const std::string defect = tape::verify(result.module);
  if (!defect.empty()) throw std::logic_error("the tape is not well formed: " + defect);
  return result;
}

Steps Pipeline::Impl::stepsOf(bool needMethod) const {
  if (!needMethod || step() == nullptr) return Steps::None;
  const bool adaptive = !options.fixedSteps && !step()->embedded.empty() && !model->simulation.tolerances.empty();
  return adaptive ? Steps::Adaptive : Steps::Fixed;
}

std::string Pipeline::Impl::keyOf(const tape::Module& m) const {
  return jit::hex(jit::cacheKey(m, options.compile));
}

bool Pipeline::Impl::entriesAreGiven() const {
  return std::any_of(options.compilation.overrides.begin(), options.compilation.overrides.end(),
                     [&](const Override& o) {
                       const std::string base = o.name.substr(0, o.name.find_first_of("[."));
                       return std::any_of(model->parameters.begin(), model->parameters.end(), [&](const Parameter& p) {
                         return p.array->shape.rank > 0 && (p.name == base || p.name.starts_with(base + "."));
                       });
                     });
}

ZeroPattern Pipeline::Impl::zerosOfCode(const Layout& layout, const InitialData& data) const {
  if (!options.presentZeros || (options.codeForAnyParameters && entriesAreGiven())) return {};
  return zeroPattern(*model, layout, data.params);
}

CompiledProblem Pipeline::Impl::compileFor(Product& product, Steps steps) {
  const Layout& layout = product.prepared.layout;
  const InitialData& data = product.prepared.data;
  const ZeroPattern zeros = zerosOfCode(layout, data);
  CompiledProblem p{lower(product, steps, zeros), nullptr};
  const auto compiled = [&] {
    p.code = compile(p.lowered.module, options.compile);
    return std::move(p);
  };
  if (!options.codeKey.empty() && keyOf(p.lowered.module) != options.codeKey) {
    // The run that goes on may have been told the same values in another way.
    const ZeroPattern present = options.presentZeros ? zeroPattern(*model, layout, data.params) : ZeroPattern{};
    Lowered other = lower(product, steps, zeros.empty() ? present : ZeroPattern{});
    if (keyOf(other.module) == options.codeKey) p.lowered = std::move(other);
    const Stopwatch watch(timings, "compile");
    return compiled();
  }
  const Stopwatch watch(timings, "compile");
  if ((p.code = findCompiled(p.lowered.module, options.compile))) return p;
  if (zeros.empty() || !options.compile.useCache || !options.codeForAnyParameters) return compiled();
  tape::Module general = lower(product, steps).module;
  if (findCompiled(general, options.compile)) return compiled();
  if (background.joinable()) background.join(); // of an earlier build
  background = std::thread([general = std::move(general), compileOptions = options.compile] {
    try {
      (void)compile(general, compileOptions);
    } catch (const std::exception&) { // found again, and reported, when that code is needed
    }
  });
  return compiled();
}

std::unique_ptr<Problem> Pipeline::Impl::build(bool needMethod) {
  const Prepared* const prepared = prepare(needMethod);
  return prepared != nullptr ? problemOf(*prepared, stepsOf(needMethod)) : nullptr;
}

std::unique_ptr<Problem> Pipeline::Impl::problemOf(const Prepared& prepared, Steps steps) {
  Product product(prepared, prepared.layer);
  product.defineOutputs();
  CompiledProblem compiled = compileFor(product, steps);
  auto p = std::make_unique<Problem>();
  p->code = std::move(compiled.code);
  fill(*p, product, compiled.lowered);
  lookAtMass(*p, product, compiled.lowered);
  return p;
}

bool Pipeline::Impl::solvesForAccelerations() const {
  const sym::Program& program = methods->layer->program();
  const std::vector<std::size_t> slice = program.slice(step()->next);
  return step()->evaluations > 0 || std::any_of(slice.begin(), slice.end(), [&](std::size_t k) {
           const auto& newton = program.equation(k).newton;
           return newton && newton->evaluations > 0;
         });
}

void Pipeline::Impl::lookAtMass(Problem& p, Product& product, const Lowered& lowered) {
  if (lowered.steps == Steps::None) return;
  const Stopwatch watch(timings, "mass");
  if (solvesForAccelerations())
    p.mass = massCheck(product.layer, product.prepared.layout, product.massKind,
                       tape::cost(lowered.module, lowered.advance()));
}

void Pipeline::Impl::fill(Problem& p, const Product& product, const Lowered& lowered) {
  const InitialData& data = product.prepared.data;
  const Layout& layout = product.prepared.layout;
  const Observation& observation = product.observation;
  const FieldOutputs& field = product.field;
  const bool needMethod = lowered.steps != Steps::None;
  p.model = model->name;
  if (needMethod) p.method = step()->method;
  for (int r = 0; r < tape::roleCount; ++r) p.sizes[r] = lowered.module.roleSize[r];
  p.params = data.params;
  p.initialState = data.state;
  p.parameters = parameterValues(*model, layout, data.params);
  p.codeKey = keyOf(lowered.module);
  p.setupFunction = 0;
  p.observeFunction = lowered.observe;
  p.fieldFunction = lowered.field;
  p.eventFunction = lowered.events;
  p.events = observation.events;
  p.reportOffset = field.size;
  p.columns = stateColumns(*model, layout);
  p.columns.insert(p.columns.end(), observation.columns.begin(), observation.columns.end());
  p.fieldColumns = field.columns;
  p.energyOffset = observation.energyOffset;
  p.energyChanges = p.energyOffset >= 0 && !powerSources(*system).empty();
  p.defects = observation.defects;
  p.evaluationsPerStep = needMethod ? step()->ownEvaluations : 0;
  p.estimatesError = needMethod && !step()->embedded.empty();
  if (lowered.adaptive)
    p.control = errorControl(*model, *step(), *lowered.adaptive, lowered.adaptiveFunctions, data.settings);
  p.exponentialsPerStep = needMethod ? step()->exponentials : 0;
  p.order = needMethod ? step()->order : 0;
  const auto setting = [&](const char* key) {
    const auto it = data.settings.find(key);
    return it == data.settings.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
  };
  p.timeFrom = setting("time.from");
  p.timeTo = setting("time.to");
  p.step = setting("step");
  p.outputEvery = setting("output.every");
  const double steps = setting("output.steps");
  p.outputSteps = wholeNumber(steps).value_or(0);
  p.seed = data.seed;
  p.undefinable = undefinable();
}

std::vector<std::string> Pipeline::Impl::undefinable() const {
  std::vector<std::string> names;
  for (const ast::File* f : compilation->files())
    for (const ast::Declaration& d : f->declarations)
      if (d.kind == ast::DeclKind::Model && d.name == model->name)
        for (const ast::StatementPtr& statement : d.body)
          if (statement && statement->kind == ast::StatementKind::Simulate)
            for (const ast::Setting& s : statement->settings) {
              if (s.key != "undefined" || !s.value) continue;
              if (s.value->kind == ast::ExprKind::Name) names.push_back(s.value->text);
              for (const ast::ExprPtr& e : s.value->args) names.push_back(e->text);
            }
  return names;
}

} // namespace lmc
