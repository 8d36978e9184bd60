#include "products/Impl.h"
#include "products/stages/Equivariance.h"

#include "base/Integers.h"

#include "jit/Ahead.h"
#include "jit/Hash.h"
#include "jit/Key.h"
#include "mechanics/Conservation.h"
#include "methods/Instantiate.h"
#include "methods/checked/Tableau.h"
#include "sym/Print.h"
#include "syntax/Print.h"
#include "syntax/parser/Parser.h"
#include "tape/TapeCost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace lmc {

const std::vector<std::string>& stageNames() {
  static const std::vector<std::string> names = {"ast",  "program", "model", "system",   "scene",
                                                 "step", "tape",    "ir",    "assembly", "nvptx"};
  return names;
}

namespace {

std::string describe(const BudgetSpent& spent, const Limits& limits) {
  switch (spent.limit()) {
  case BudgetSpent::Limit::Seconds:
    return fmt::format("this takes more than {:.15g} seconds of processor time to compile", limits.seconds);
  case BudgetSpent::Limit::Nodes:
    return fmt::format("this makes expressions and code of more than {} operations", limits.nodes);
  case BudgetSpent::Limit::Memory:
    return fmt::format("this takes more memory to compile than there may be, {} MB", limits.megabytes);
  case BudgetSpent::Limit::Cancelled:
    return "the compilation was cancelled here";
  case BudgetSpent::Limit::Depth:
    break;
  }
  return "this leads too deep: definitions that need each other form a chain of many thousands";
}

} // namespace

void Pipeline::Impl::reportSpent(const BudgetSpent& reached) {
  if (std::exchange(spent, true)) return;
  checked = true;
  good = false;
  using Limit = BudgetSpent::Limit;
  const Limit limit = reached.limit();
  const std::vector<Range>& places = reached.places();
  const auto isUsers = [&](const Range& r) {
    const auto& files = compilation->files();
    return std::any_of(files.begin(), files.end(), [&](const ast::File* f) { return f->source == r.source; });
  };
  const auto users = std::find_if(places.begin(), places.end(), isUsers);
  const Range range = users != places.end() ? *users : places.empty() ? modelPlace() : places.front();
  const Code code = limit == Limit::Cancelled ? Code::LIE0025 : limit == Limit::Depth ? Code::LIE0026 : Code::LIE0024;
  auto report = diagnostics().error(code, range, describe(reached, options.limits));
  if (users != places.begin() && users != places.end()) report.note("in the library it is here", places.front());
  if (code != Code::LIE0024) return;
  const char* const option = limit == Limit::Seconds ? "seconds" : limit == Limit::Nodes ? "nodes" : "memory";
  report.suggest(fmt::format("smaller sizes, fewer or shorter definitions; or more of it with --limit-{}", option));
}

Range Pipeline::Impl::modelPlace() const {
  if (model) return model->lagrangian ? model->lagrangianRange : model->range;
  const auto& files = compilation->files();
  if (files.empty()) return {};
  for (const ast::Declaration& d : files.front()->declarations)
    if (d.kind == ast::DeclKind::Model) return d.nameRange;
  return {files.front()->source, 0, 0};
}

bool Pipeline::Impl::check() {
  if (checked) return good;
  checked = true;
  {
    const Stopwatch watch(timings, "check");
    model = compilation->check();
  }
  if (diagnostics().hasErrors() || !model) return good = !diagnostics().hasErrors();
  {
    const Stopwatch watch(timings, "derive");
    const Place place(modelPlace());
    system = deriveSystem(*model, diagnostics());
  }
  return good = !diagnostics().hasErrors();
}

bool Pipeline::Impl::checkAll() {
  if (!check() || spent) return false;
  if (!methodsChecked) checkMethods();
  methodsChecked = true;
  return !diagnostics().hasErrors();
}

void Pipeline::Impl::checkMethods() {
  const Stopwatch watch(timings, "methods");
  for (const ast::File* file : compilation->files()) {
    for (const ast::Declaration& d : file->declarations) {
      const Found found{&d, file->source};
      const Place place(d.nameRange);
      if (d.kind == ast::DeclKind::Tableau) (void)readTableau(*compilation, found);
      if (d.kind != ast::DeclKind::Method && d.kind != ast::DeclKind::Variational) continue;
      const auto method = checkMethod(*compilation, found);
      // What only a model can refuse: groups without a retraction, equations that are more than the unknowns.
      if (method && model && steps(system, *method)) (void)instantiate(*compilation, system, *method);
    }
  }
  if (model) chooseMethod();
  if (model) checkController();
}

void Pipeline::Impl::checkController() {
  const Simulation& run = model->simulation;
  const auto& names = controllerNames();
  if (run.controller.empty() || std::find(names.begin(), names.end(), run.controller) != names.end()) return;
  diagnostics()
      .error(Code::LIE0612, run.controllerRange, fmt::format("there is no step size controller '{}'", run.controller))
      .note(fmt::format("there are {}", fmt::join(names, ", ")))
      .suggest(nearest(run.controller, names));
}

void Pipeline::Impl::chooseMethod() {
  ast::ExprPtr reference = model->simulation.method;
  if (options.method) {
    const SourceId id = compilation->sources().add("--method", *options.method);
    reference = parseMethodReference(compilation->sources(), id, diagnostics());
  }
  if (!reference) return;
  const Place place(reference->range);
  step = instantiate(*compilation, system, *reference);
}

void Pipeline::Impl::defineOutputs() {
  if (observation.size != 0) return;
  observation = observe(system);
  if (options.compilation.scene) shown = addScene(system, observation, stateColumns(*model, layoutOf(*model)).size());
  field = fieldOutputs(system, observation.size);
}

Lowered Pipeline::Impl::lower(Steps steps, const ZeroPattern& zeros, const MassSides* sides) {
  const bool needMethod = steps != Steps::None;
  const Stopwatch watch(timings, "lower");
  const Place place(needMethod && model->simulation.method ? model->simulation.method->range : modelPlace());
  layout = layoutOf(*model);
  defineOutputs();
  const std::int64_t behindReport = field.size + reportSize;
  Lowered result;
  result.steps = steps;
  if (steps == Steps::Adaptive) result.adaptive = adaptiveAt(behindReport + (sides != nullptr ? 2 * sides->size : 0));
  Lowering lowering(model->program, true);
  choosePivots(lowering, massKind);
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
    lowering.bindArgument(step->stepSize, 1);
    std::vector<OutputBinding> next;
    for (std::size_t k = 0; k < step->next.size(); ++k) {
      next.push_back({step->next[k], tape::Role::State, layout.state.at(step->state[k]->id)});
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

const AdaptiveOutputs& Pipeline::Impl::adaptiveAt(std::int64_t offset) {
  auto found = adaptiveOutputsAt.find(offset);
  if (found == adaptiveOutputsAt.end())
    found = adaptiveOutputsAt.emplace(offset, adaptiveOutputs(system, *step, offset, layout.paramSize)).first;
  return found->second;
}

Steps Pipeline::Impl::stepsOf(bool needMethod) const {
  if (!needMethod || !step) return Steps::None;
  const bool adaptive = !options.fixedSteps && !step->embedded.empty() && !model->simulation.tolerances.empty();
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

ZeroPattern Pipeline::Impl::zerosOfCode(const InitialData& data) const {
  if (!options.presentZeros || (options.codeForAnyParameters && entriesAreGiven())) return {};
  return zeroPattern(*model, layout, data.params);
}

CompiledProblem Pipeline::Impl::compileFor(const InitialData& data, Steps steps) {
  const ZeroPattern zeros = zerosOfCode(data);
  CompiledProblem p{lower(steps, zeros), nullptr};
  const auto compiled = [&] {
    p.code = compile(p.lowered.module, options.compile);
    return std::move(p);
  };
  if (!options.codeKey.empty() && keyOf(p.lowered.module) != options.codeKey) {
    // The run that goes on may have been told the same values in another way.
    const ZeroPattern present = options.presentZeros ? zeroPattern(*model, layout, data.params) : ZeroPattern{};
    Lowered other = lower(steps, zeros.empty() ? present : ZeroPattern{});
    if (keyOf(other.module) == options.codeKey) p.lowered = std::move(other);
    const Stopwatch watch(timings, "compile");
    return compiled();
  }
  const Stopwatch watch(timings, "compile");
  if ((p.code = findCompiled(p.lowered.module, options.compile))) return p;
  if (zeros.empty() || !options.compile.useCache || !options.codeForAnyParameters) return compiled();
  tape::Module general = lower(steps).module;
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

Pipeline::Impl::~Impl() {
  if (background.joinable()) background.join();
}

bool Pipeline::Impl::requireMethod() {
  if (step) return true;
  if (!diagnostics().hasErrors()) {
    diagnostics()
        .error(Code::LIE0508, model->simulation.range, "no method is chosen")
        .suggest("add `method = …;` to `simulate`, or give --method NAME; `lmc methods` lists them");
  }
  return false;
}

std::optional<InitialData> Pipeline::Impl::prepare(bool needMethod) {
  if (!(needMethod ? checkAll() : check()) || !requireModel()) return std::nullopt;
  if (needMethod && !requireMethod()) return std::nullopt;
  const Stopwatch watch(timings, "initial");
  layout = layoutOf(*model);
  auto data = evaluateInitialData(system, layout, options.seed, diagnostics());
  if (!data || !checkMass(system, layout, *data, massKind, diagnostics())) return std::nullopt;
  if (!checkEquivariance(system, layout, data->state, diagnostics())) return std::nullopt;
  return data;
}

std::unique_ptr<Problem> Pipeline::Impl::build(bool needMethod) {
  const auto data = prepare(needMethod);
  return data ? problemOf(*data, stepsOf(needMethod)) : nullptr;
}

std::unique_ptr<Problem> Pipeline::Impl::problemOf(const InitialData& data, Steps steps) {
  CompiledProblem compiled = compileFor(data, steps);
  auto p = std::make_unique<Problem>();
  p->code = std::move(compiled.code);
  fill(*p, data, compiled.lowered);
  lookAtMass(*p, compiled.lowered);
  return p;
}

bool Pipeline::Impl::solvesForAccelerations() const {
  const std::vector<std::size_t> slice = model->program.slice(step->next);
  return step->evaluations > 0 || std::any_of(slice.begin(), slice.end(), [&](std::size_t k) {
           const auto& newton = model->program.equations()[k].newton;
           return newton && newton->evaluations > 0;
         });
}

void Pipeline::Impl::lookAtMass(Problem& p, const Lowered& lowered) {
  if (lowered.steps == Steps::None) return;
  const Stopwatch watch(timings, "mass");
  if (solvesForAccelerations())
    p.mass = massCheck(system, layout, massKind, tape::cost(lowered.module, lowered.advance()));
}

bool Pipeline::Impl::requireModel() {
  if (spent) return false;
  if (model) return true;
  if (!diagnostics().hasErrors()) {
    diagnostics().error(Code::LIE0509, Range{0, 0, 0}, "the file declares no model, so there is nothing to run");
  }
  return false;
}

void Pipeline::Impl::fill(Problem& p, const InitialData& data, const Lowered& lowered) {
  const bool needMethod = lowered.steps != Steps::None;
  p.model = model->name;
  if (needMethod) p.method = step->method;
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
  p.energyChanges = p.energyOffset >= 0 && !powerSources(system).empty();
  p.defects = observation.defects;
  p.evaluationsPerStep = needMethod ? step->ownEvaluations : 0;
  p.estimatesError = needMethod && !step->embedded.empty();
  if (lowered.adaptive)
    p.control = errorControl(*model, *step, *lowered.adaptive, lowered.adaptiveFunctions, data.settings);
  p.exponentialsPerStep = needMethod ? step->exponentials : 0;
  p.order = needMethod ? step->order : 0;
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

std::string Pipeline::Impl::dump(const std::string& stage) {
  if (stage == "ast") {
    std::string text;
    for (const ast::File* f : compilation->files()) text += print(*f);
    return text;
  }
  if (!check() || !requireModel()) return {};
  if (stage == "program" || stage == "model") return listing({}, stage == "model");
  if (stage == "system") {
    std::vector<const sym::Array*> roots;
    for (const OutputBinding& o : fieldOutputs(system).outputs) roots.push_back(o.array);
    if (system.energy != nullptr) roots.push_back(system.energy);
    return listing(roots, false);
  }
  if (stage == "scene") {
    layout = layoutOf(*model);
    defineOutputs();
    return shown ? printScene(*shown) : std::string();
  }
  if (!checkAll() || !requireMethod()) return {};
  if (stage == "step") return listing(step->next, false);
  if (const auto data = presentData()) {
    Diagnostics ignored;
    (void)checkMass(system, layout, *data, massKind, ignored);
  }
  const tape::Module module = lower(stepsOf(true), presentZeros()).module; // the code that `run` uses
  if (stage == "tape") return tape::print(module);
  if (stage == "nvptx") return deviceListing(module);
  CompileOptions o = options.compile;
  o.keepIr = true;
  const auto code = compile(module, o);
  return stage == "ir" ? code->ir() : code->assembly();
}

std::optional<InitialData> Pipeline::Impl::presentData() {
  Diagnostics ignored;
  layout = layoutOf(*model);
  return evaluateInitialData(system, layout, options.seed, ignored);
}

ZeroPattern Pipeline::Impl::presentZeros() {
  const auto data = presentData();
  return data ? zerosOfCode(*data) : ZeroPattern{};
}

std::vector<const sym::Array*> Pipeline::Impl::symmetricParameters() {
  const auto data = presentData();
  std::vector<const sym::Array*> list;
  if (!data) return list;
  for (const Parameter& p : model->parameters) {
    const int n = p.array->shape.rows;
    if (p.array->shape.rank != 2 || p.array->shape.cols != n) continue;
    const double* values = data->params.data() + layout.params.at(p.array->id);
    bool symmetric = true;
    for (std::int64_t member = 0; member < p.array->count(); ++member) {
      const double* a = values + member * n * n;
      for (int i = 0; i < n * n; ++i) symmetric = symmetric && a[i] == a[i % n * n + i / n];
    }
    if (symmetric) list.push_back(p.array);
  }
  return list;
}

std::string Pipeline::Impl::listing(const std::vector<const sym::Array*>& roots, bool declarations) {
  std::string text;
  if (declarations) {
    for (const Parameter& p : model->parameters) text += fmt::format("param {} : {}\n", p.name, p.array->shape.text());
    for (const Factor& f : model->factors) {
      text += fmt::format("config {}{} : {} {} {}\n", f.name, f.extent > 0 ? fmt::format("[{}]", f.extent) : "",
                          f.manifold->name(), f.fiber == Fiber::Momentum ? "momentum" : "velocity", f.velocityName);
    }
    for (const StateVariable& z : model->states)
      text += fmt::format("state {} : {}{}{}\n", z.name, z.dual ? "dual(" : "", z.manifold->name(), z.dual ? ")" : "");
    if (model->lagrangian) text += fmt::format("lagrangian = {}\n", sym::print(model->lagrangian));
    if (model->hamiltonian) text += fmt::format("hamiltonian = {}\n", sym::print(model->hamiltonian));
  }
  std::vector<const sym::Array*> all = roots;
  if (all.empty()) {
    for (const sym::Equation& e : model->program.equations()) all.push_back(e.array);
  }
  for (const std::size_t k : model->program.slice(all)) text += sym::print(model->program.equations()[k]) + "\n";
  return text;
}

Pipeline::Pipeline(PipelineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Pipeline::~Pipeline() = default;

bool Pipeline::load(const std::filesystem::path& file) {
  const Stopwatch watch(impl_->timings, "parse");
  return impl_->limited([&] { return impl_->compilation->load(file); });
}

bool Pipeline::loadText(const std::string& name, const std::string& text) {
  const Stopwatch watch(impl_->timings, "parse");
  return impl_->limited([&] { return impl_->compilation->loadText(name, text); });
}

bool Pipeline::check() {
  return impl_->limited([&] { return impl_->checkAll(); });
}

bool Pipeline::within(const std::function<void()>& body) {
  return impl_->limited([&] {
    body();
    return true;
  });
}

std::string Pipeline::derive(const std::string& format) {
  return impl_->limited([&]() -> std::string {
    if (!impl_->check() || !impl_->requireModel()) return {};
    const Place place(impl_->modelPlace());
    return printSystem(impl_->system,
                       format == "latex"  ? PrintFormat::Latex
                       : format == "json" ? PrintFormat::Json
                                          : PrintFormat::Text,
                       impl_->symmetricParameters());
  });
}

std::string Pipeline::dump(const std::string& stage) {
  return impl_->limited([&] { return impl_->dump(stage); });
}
std::unique_ptr<Problem> Pipeline::build(bool needMethod) {
  return impl_->limited([&] { return impl_->build(needMethod); });
}
std::unique_ptr<Problem> Pipeline::buildHost(HostSteps steps) {
  return impl_->limited([&] { return impl_->buildHost(steps); });
}
std::unique_ptr<EvaluationProblem> Pipeline::buildEvaluation() {
  return impl_->limited([&] { return impl_->buildEvaluation(); });
}
std::optional<std::vector<double>> Pipeline::initialState(const std::vector<double>& params, Diagnostics& found) {
  return impl_->limited([&] { return impl_->initialState(params, found); });
}
std::unique_ptr<TangentProblem> Pipeline::buildTangent() {
  return impl_->limited([&] { return impl_->buildTangent(); });
}
std::unique_ptr<LinearizedProblem> Pipeline::buildLinearization(const LinearizationRequest& request) {
  return impl_->limited([&] { return impl_->buildLinearization(request); });
}
std::vector<std::string> Pipeline::energyChangedBy() const {
  return powerSources(impl_->system);
}
const Diagnostics& Pipeline::diagnostics() const {
  return impl_->compilation->diagnostics();
}
const Sources& Pipeline::sources() const {
  return impl_->compilation->sources();
}
Compilation& Pipeline::compilation() {
  return *impl_->compilation;
}
const ShownScene* Pipeline::scene() const {
  return impl_->shown ? &*impl_->shown : nullptr;
}
System* Pipeline::system() {
  return impl_->model ? &impl_->system : nullptr;
}
const Timings& Pipeline::timings() const {
  return impl_->timings;
}

} // namespace lmc
