#include "products/Impl.h"
#include "products/stages/Equivariance.h"

#include "base/Integers.h"
#include "base/Pages.h"

#include "jit/Ahead.h"
#include "jit/Hash.h"
#include "jit/Key.h"
#include "mechanics/Conservation.h"
#include "mechanics/Derive.h"
#include "mechanics/system/Regular.h"
#include "methods/Instantiate.h"
#include "methods/checked/Tableau.h"
#include "sema/session/ConfinedReader.h"
#include "sym/Print.h"
#include "syntax/Print.h"
#include "syntax/parser/Parser.h"
#include "tape/TapeCost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace lmc::products {

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
  good = false;
  using Limit = BudgetSpent::Limit;
  const Limit limit = reached.limit();
  const std::vector<Range>& places = reached.places();
  const auto isUsers = [&](const Range& r) {
    const auto& files = compilation->files();
    return std::any_of(files.begin(), files.end(), [&](const syntax::File* f) { return f->source == r.source; });
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
  for (const syntax::Declaration& d : files.front()->declarations)
    if (d.kind == syntax::DeclKind::Model) return d.nameRange;
  return {files.front()->source, 0, 0};
}

bool Pipeline::Impl::check() {
  if (good) return *good;
  good = false; // unless all of it is done
  bringInHeap();
  {
    const Stopwatch watch(timings, "check");
    model = compilation->check();
  }
  if (model && !diagnostics().hasErrors()) {
    const Stopwatch watch(timings, "derive");
    const Place place(modelPlace());
    system = std::make_unique<const mechanics::System>(mechanics::deriveSystem(*model, diagnostics()));
  }
  good = !diagnostics().hasErrors();
  return *good;
}

bool Pipeline::Impl::checkAll() {
  if (!check() || spent) return false;
  if (!methods) {
    beforeMethods = diagnostics().mark();
    methods = checkMethods();
    if (!diagnostics().hasErrors()) {
      checkSteppedContacts();
      lookAtEstimate();
    }
  }
  return !diagnostics().hasErrors();
}

std::unique_ptr<const MethodStage> Pipeline::Impl::checkMethods() {
  const Stopwatch watch(timings, "methods");
  auto stage = std::make_unique<MethodStage>(system.get());
  if (!stage->layer) {
    checkDeclaredMethods(nullptr);
    return stage;
  }
  const sym::Graph::Work work = stage->layer->work();
  checkDeclaredMethods(&*stage->layer);
  checkChoice();
  if (!automatic()) instantiate(*stage, methodReference(), methods::Parts::Shared);
  checkController();
  return stage;
}

std::unique_ptr<const MethodStage> Pipeline::Impl::stageOf(const syntax::ExprPtr& reference, methods::Parts parts) {
  const Stopwatch watch(timings, "methods");
  auto stage = std::make_unique<MethodStage>(system.get());
  const sym::Graph::Work work = stage->layer->work();
  instantiate(*stage, reference, parts);
  return stage;
}

void Pipeline::Impl::instantiate(MethodStage& stage, const syntax::ExprPtr& reference, methods::Parts parts) {
  if (!reference) return;
  const Place place(reference->range);
  stage.reference = reference;
  stage.step = methods::instantiate(*compilation, *stage.layer, *reference, parts);
}

void Pipeline::Impl::checkDeclaredMethods(mechanics::Layer* layer) {
  for (const syntax::File* file : compilation->files()) {
    for (const syntax::Declaration& d : file->declarations) {
      const sema::Found found{&d, file->source};
      const Place place(d.nameRange);
      if (d.kind == syntax::DeclKind::Tableau) (void)methods::readTableau(*compilation, found);
      if (d.kind != syntax::DeclKind::Method && d.kind != syntax::DeclKind::Variational) continue;
      if (d.name == "auto") {
        diagnostics()
            .error(Code::LIE0617, d.nameRange,
                   "`auto` is the word for a method that is chosen: none may have this name")
            .suggest("give the method another name");
        continue;
      }
      const auto method = methods::checkMethod(*compilation, found);
      // What only a model can refuse: groups without a retraction, equations that are more than the unknowns.
      if (method && layer != nullptr && methods::steps(*layer, *method))
        (void)methods::instantiate(*compilation, *layer, *method);
    }
  }
}

void Pipeline::Impl::checkController() {
  const sema::Simulation& run = model->simulation;
  const auto& names = runtime::controllerNames();
  if (run.controller.empty() || std::find(names.begin(), names.end(), run.controller) != names.end()) return;
  diagnostics()
      .error(Code::LIE0612, run.controllerRange, fmt::format("there is no step size controller `{}`", run.controller))
      .note(fmt::format("there are {}", fmt::join(names, ", ")))
      .suggest(nearest(run.controller, names));
}

Pipeline::Impl::~Impl() {
  if (background.joinable()) background.join();
}

bool Pipeline::Impl::requireMethod() {
  if (step() != nullptr) return true;
  if (!diagnostics().hasErrors()) {
    diagnostics()
        .error(Code::LIE0508, model->simulation.range, "no method is chosen")
        .suggest("add `method = …;` to `simulate`, or give --method NAME; `lmc methods` lists them");
  }
  return false;
}

const Prepared* Pipeline::Impl::prepare(bool needMethod) {
  if (!(needMethod ? checkAll() : check()) || !requireModel()) return nullptr;
  if (needMethod && automatic() && !chosen && !choose()) return nullptr;
  if (needMethod && !requireMethod()) return nullptr;
  std::unique_ptr<const Prepared>& result = needMethod ? preparedForSteps : preparedForField;
  if (!result) result = preparedOver(needMethod ? stage() : nullptr);
  if (!result && std::exchange(wantsHeld, false)) return deriveHeld() ? prepare(needMethod) : nullptr;
  return result.get();
}

bool Pipeline::Impl::deriveHeld() {
  const Stopwatch watch(timings, "derive");
  const Place place(modelPlace());
  preparedForWhole.reset();
  preparedForSteps.reset();
  preparedForField.reset();
  initialStates.reset();
  chosenMethods.reset();
  if (methods) (void)diagnostics().takeBack(beforeMethods); // it is found again
  methods.reset();
  system = std::make_unique<const mechanics::System>(mechanics::deriveHeld(*model, diagnostics()));
  good = !diagnostics().hasErrors();
  return *good;
}

const Prepared& Pipeline::Impl::wholeStep() {
  if (!step()->sharesCode()) return *preparedForSteps;
  if (!preparedForWhole) {
    const std::size_t mark = diagnostics().mark();
    wholeMethods = stageOf(stage()->reference, methods::Parts::WrittenOut);
    preparedForWhole = preparedOver(wholeMethods.get());
    (void)diagnostics().takeBack(mark); // it has been said of the step that shares code
  }
  return *preparedForWhole;
}

std::unique_ptr<const Prepared> Pipeline::Impl::preparedOver(const MethodStage* stage) {
  const Stopwatch watch(timings, "initial");
  auto p = std::make_unique<Prepared>(*system, stage);
  const sym::Graph::Work work = p->layer.work();
  auto data = evaluateInitialData(p->layer, p->layout, options.seed, diagnostics());
  if (!data) return nullptr;
  const std::size_t mark = diagnostics().mark();
  if (!checkMass(p->layer, p->layout, *data, p->massKind, diagnostics())) {
    wantsHeld = mechanics::canBeHeld(*model) && !mechanics::isHeld(*system);
    if (wantsHeld) (void)diagnostics().takeBack(mark);
    return nullptr;
  }
  p->massKind.redundant = data->redundant;
  p->massKind.dependent = data->dependent;
  if (p->step != nullptr && data->redundant && p->step->independent) {
    diagnostics()
        .error(Code::LIE0436, model->simulation.method ? model->simulation.method->range : modelPlace(),
               fmt::format("{} cannot step this model: its equations of constraints depend on each other, and the "
                           "multipliers are unknowns of the method",
                           p->step->method))
        .suggest("leave out the equations that the warning names, or choose a method on `manifold`, or on "
                 "`lagrangian` with "
                 "`idle` in its equations");
    return nullptr;
  }
  if (!checkEquivariance(*system, p->layout, data->state, diagnostics())) return nullptr;
  p->data = std::move(*data);
  return p;
}

bool Pipeline::Impl::requireModel() {
  if (spent) return false;
  if (system) return true;
  if (!diagnostics().hasErrors()) {
    diagnostics().error(Code::LIE0509, Range{0, 0, 0}, "the file declares no model, so there is nothing to run");
  }
  return false;
}

bool Pipeline::Impl::refusesDerivatives(const std::string& what) {
  if (step() == nullptr) return false;
  const auto hasSeries = [&](const methods::Step& s) {
    const sym::Program& program = stage()->layer->program();
    const std::vector<std::size_t> slice = program.slice(s.next);
    return std::any_of(slice.begin(), slice.end(),
                       [&](std::size_t k) { return program.equation(k).kind == sym::EquationKind::Series; });
  };
  if (hasSeries(*step()) || std::any_of(step()->steps.begin(), step()->steps.end(), hasSeries)) {
    diagnostics()
        .error(Code::LIE0437, model->simulation.method ? model->simulation.method->range : modelPlace(),
               fmt::format("{} of a step of {} is not supported yet: it is the sum of a power series", what,
                           step()->method))
        .suggest("choose a method on `manifold`, or one that is `projected`");
    return true;
  }
  if (step()->kept.empty()) return false;
  diagnostics()
      .error(Code::LIE0437, model->simulation.method ? model->simulation.method->range : modelPlace(),
             fmt::format("{} of a step of {} is not one of the state alone", what, step()->method))
      .note("the method keeps numbers from step to step, on which the next state depends, too")
      .suggest("choose a method without `keep`");
  return true;
}

Pipeline::Pipeline(PipelineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Pipeline::~Pipeline() = default;
Pipeline::Impl& Pipeline::impl() {
  return *impl_;
}

bool Pipeline::load(const std::filesystem::path& file) {
  const Stopwatch watch(impl_->timings, "parse");
  impl_->reload = [file](sema::Compilation& c) { return c.load(file); };
  return impl_->limited([&] { return impl_->compilation->load(file); });
}

bool Pipeline::loadText(const std::string& name, const std::string& text) {
  const Stopwatch watch(impl_->timings, "parse");
  impl_->reload = [name, text](sema::Compilation& c) { return c.loadText(name, text); };
  return impl_->limited([&] { return impl_->compilation->loadText(name, text); });
}

bool Pipeline::check() {
  return impl_->limited([&] { return impl_->checkAll(); });
}

bool Pipeline::within(const std::function<void()>& body) {
  return impl_->limited([&] {
    if (!impl_->system) {
      body();
      return true;
    }
    // What it makes of the methods and the model ends with it.
    sym::Graph& graph = impl_->compilation->graph();
    sym::GraphLayer layer(graph.layer());
    const sym::Graph::Work work(graph, layer);
    body();
    return true;
  });
}

std::string Pipeline::dump(const std::string& stage) {
  return impl_->limited([&] { return impl_->dump(stage); });
}
std::unique_ptr<runtime::Problem> Pipeline::build(bool needMethod) {
  return impl_->limited([&] { return impl_->build(needMethod); });
}
std::unique_ptr<runtime::Problem> Pipeline::buildHost(HostSteps steps) {
  return impl_->limited([&] { return impl_->buildHost(steps); });
}
std::unique_ptr<runtime::EvaluationProblem> Pipeline::buildEvaluation() {
  return impl_->limited([&] { return impl_->buildEvaluation(); });
}
std::optional<std::vector<double>> Pipeline::initialState(const std::vector<double>& params, Diagnostics& found) {
  return impl_->limited([&] { return impl_->initialState(params, found); });
}
std::unique_ptr<runtime::TangentProblem> Pipeline::buildTangent() {
  return impl_->limited([&] { return impl_->buildTangent(); });
}
std::unique_ptr<runtime::LinearizedProblem> Pipeline::buildLinearization(const methods::LinearizationRequest& request) {
  return impl_->limited([&] { return impl_->buildLinearization(request); });
}
const ShownScene* Pipeline::scene() const {
  return impl_->shown.get();
}

std::vector<std::string> Pipeline::energyChangedBy() const {
  return mechanics::powerSources(*impl_->system);
}
const Diagnostics& Pipeline::diagnostics() const {
  return impl_->compilation->diagnostics();
}
const Sources& Pipeline::sources() const {
  return impl_->compilation->sources();
}
sema::Compilation& Pipeline::compilation() {
  return *impl_->compilation;
}
const mechanics::System* Pipeline::system() const {
  return impl_->system.get();
}
std::optional<std::int64_t> Pipeline::freedoms() {
  if (!impl_->system || !impl_->system->constraints) return std::nullopt;
  return impl_->limited([&]() -> std::optional<std::int64_t> {
    const Prepared* const prepared = impl_->prepare(false);
    return prepared != nullptr ? std::optional(prepared->data.freedoms) : std::nullopt;
  });
}
const Timings& Pipeline::timings() const {
  return impl_->timings;
}

void distrustModel(PipelineOptions& options, const std::filesystem::path& folder) {
  auto& read = options.compilation.readFile;
  read = sema::ConfinedReader(folder, std::exchange(read, {}));
  options.compile.useCache = false;
  // A limit of 0 is none.
  const Limits usual;
  Limits& limits = options.limits;
  if (limits.seconds == 0) limits.seconds = usual.seconds;
  if (limits.nodes == 0) limits.nodes = usual.nodes;
  if (limits.megabytes == 0) limits.megabytes = usual.megabytes;
}

} // namespace lmc::products
