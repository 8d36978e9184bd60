#include "driver/Pipeline.h"

#include "driver/PipelineStages.h"
#include "jit/Hash.h"
#include "jit/Key.h"
#include "mechanics/Conservation.h"
#include "sym/Print.h"
#include "syntax/Parser.h"
#include "syntax/Print.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <thread>

namespace lmc {

const std::vector<std::string>& stageNames() {
  static const std::vector<std::string> names = {"ast", "program", "model", "system", "step", "tape", "ir", "assembly"};
  return names;
}

namespace {
/// Adds the time between its construction and destruction to a list.
class Stopwatch {
public:
  Stopwatch(Timings& list, std::string stage) : list_(list), stage_(std::move(stage)) {}
  ~Stopwatch() {
    const std::chrono::duration<double> d = std::chrono::steady_clock::now() - start_;
    list_.emplace_back(stage_, d.count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

private:
  Timings& list_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};
} // namespace

struct Pipeline::Impl {
  explicit Impl(PipelineOptions o) : options(std::move(o)), compilation(makeCompilation(options.compilation)) {}

  Diagnostics& diagnostics() { return compilation->diagnostics(); }

  bool check() {
    if (checked) return good;
    checked = true;
    {
      const Stopwatch watch(timings, "check");
      model = compilation->check();
    }
    if (diagnostics().hasErrors() || !model) return good = !diagnostics().hasErrors();
    {
      const Stopwatch watch(timings, "derive");
      system = deriveSystem(*model, diagnostics());
    }
    return good = !diagnostics().hasErrors();
  }

  /// The methods too: those that the files declare, and the chosen one.
  bool checkAll() {
    if (!check()) return false;
    if (!methodsChecked) checkMethods();
    methodsChecked = true;
    return !diagnostics().hasErrors();
  }

  /// Methods that the user's files declare are looked into whether they are used or not.
  void checkMethods() {
    const Stopwatch watch(timings, "methods");
    // Without a model, or with one that they cannot step, they are looked into on a phase manifold without variables.
    Model nothing(compilation->graph());
    nothing.time = compilation->graph().newArray("t", {}, sym::Shape::scalar(), sym::Role::Time);
    System probe = deriveSystem(nothing, diagnostics());
    for (const ast::File* file : compilation->files()) {
      for (const ast::Declaration& d : file->declarations) {
        if (d.kind != ast::DeclKind::Method && d.kind != ast::DeclKind::Variational) continue;
        const Found method{&d, file->source};
        const bool fits = model && steps(*compilation, system, method);
        (void)instantiate(*compilation, fits ? system : probe, method);
      }
    }
    if (model) chooseMethod();
    if (model) checkController();
  }

  void checkController() {
    const Simulation& run = model->simulation;
    const auto& names = controllerNames();
    if (run.controller.empty() || std::find(names.begin(), names.end(), run.controller) != names.end()) return;
    diagnostics()
        .error(Code::LIE0612, run.controllerRange, fmt::format("there is no step size controller '{}'", run.controller))
        .note(fmt::format("there are {}", fmt::join(names, ", ")))
        .suggest(nearest(run.controller, names));
  }

  void chooseMethod() {
    ast::ExprPtr reference = model->simulation.method;
    if (options.method) {
      const SourceId id = compilation->sources().add("--method", *options.method);
      reference = parseMethodReference(compilation->sources(), id, diagnostics());
    }
    if (!reference) return;
    step = instantiate(*compilation, system, *reference);
  }

  /// The module of all functions; with `zeros`, for parameters that have these zeros.
  tape::Module lower(bool needMethod, const ZeroPattern& zeros = {}) {
    const Stopwatch watch(timings, "lower");
    layout = layoutOf(*model);
    if (observation.size == 0) {
      observation = observe(system);
      field = fieldOutputs(system, observation.size);
    }
    if (needMethod && !adaptive && isAdaptive())
      adaptive = adaptiveOutputs(system, *step, field.size + reportSize, layout.paramSize);
    Lowering lowering(model->program, true);
    bindInputs(lowering, *model, layout, zeros);
    lowering.bindReport(tape::Role::Output, field.size);
    observeFunction = lowering.addFunction("observe", 1, observation.outputs);
    if (!observation.events.empty()) eventFunction = lowering.addFunction("events", 1, observation.eventOutputs);
    int stepFunction = -1;
    fieldFunction = -1;
    if (needMethod) {
      lowering.bindArgument(step->stepSize, 1);
      std::vector<OutputBinding> next;
      for (std::size_t k = 0; k < step->next.size(); ++k) {
        next.push_back({step->next[k], tape::Role::State, layout.state.at(step->state[k]->id)});
      }
      if (adaptive)
        adaptiveFunctions = addAdaptive(lowering, *adaptive, next);
      else
        stepFunction = lowering.addFunction("step", 2, next);
    } else {
      fieldFunction = lowering.addFunction("field", 1, field.outputs);
    }
    tape::Module result = lowering.finish(stepFunction);
    const std::string defect = tape::verify(result);
    if (!defect.empty()) throw std::logic_error("the tape is not well formed: " + defect);
    return result;
  }

  /// Steps are adaptive when there is a tolerance and the method estimates its error.
  [[nodiscard]] bool isAdaptive() const {
    return !options.fixedSteps && step && !step->embedded.empty() && !model->simulation.tolerances.empty();
  }

  [[nodiscard]] std::string keyOf(const tape::Module& m) const { return jit::hex(jit::cacheKey(m, options.compile)); }

  /// The code for the present parameters. Zeros of vectors and matrices (a diagonal inertia, a direction along an axis)
  /// are worth code of their own; code for any values is made in the background the first time, so that changing
  /// a parameter never waits for the compiler.
  std::shared_ptr<const Compiled> compileFor(const InitialData& data, bool needMethod) {
    const ZeroPattern zeros = zeroPattern(*model, layout, data.params);
    module = lower(needMethod, zeros);
    if (!options.codeKey.empty() && !zeros.empty() && keyOf(module) != options.codeKey) {
      tape::Module general = lower(needMethod);
      if (keyOf(general) == options.codeKey) module = std::move(general);
      const Stopwatch watch(timings, "compile");
      return compile(module, options.compile);
    }
    const Stopwatch watch(timings, "compile");
    if (auto found = findCompiled(module, options.compile)) return found;
    if (zeros.empty() || !options.compile.useCache || !options.codeForAnyParameters)
      return compile(module, options.compile);
    tape::Module general = lower(needMethod);
    if (auto found = findCompiled(general, options.compile)) {
      module = std::move(general);
      return found;
    }
    if (background.joinable()) background.join(); // of an earlier build
    background = std::thread([general = std::move(general), compileOptions = options.compile] {
      try {
        (void)compile(general, compileOptions);
      } catch (const std::exception&) { // found again, and reported, when that code is needed
      }
    });
    return compile(module, options.compile);
  }

  ~Impl() {
    if (background.joinable()) background.join();
  }

  bool requireMethod() {
    if (step) return true;
    if (!diagnostics().hasErrors()) {
      diagnostics()
          .error(Code::LIE0508, model->simulation.range, "no method is chosen")
          .suggest("add `method = …;` to `simulate`, or give --method NAME; `lmc methods` lists them");
    }
    return false;
  }

  /// Everything that is needed to compile has been checked; nothing on errors.
  std::optional<InitialData> prepare(bool needMethod) {
    if (!(needMethod ? checkAll() : check()) || !requireModel()) return std::nullopt;
    if (needMethod && !requireMethod()) return std::nullopt;
    const Stopwatch watch(timings, "initial");
    layout = layoutOf(*model);
    auto data = evaluateInitialData(system, layout, options.seed, diagnostics());
    if (!data || !checkMass(system, layout, *data, diagnostics())) return std::nullopt;
    return data;
  }

  std::unique_ptr<TangentProblem> buildTangent() {
    const auto data = prepare(true);
    if (!data) return nullptr;
    const TangentOutputs outputs = tangentOutputs(system, *step);
    if (!outputs.form.refusal.empty()) {
      diagnostics().error(Code::LIE0620, model->range,
                          fmt::format("'{}' has no symplectic form: {}", model->name, outputs.form.refusal));
      return nullptr;
    }
    auto p = std::make_unique<TangentProblem>();
    {
      const Stopwatch watch(timings, "lower");
      Lowering lowering(model->program, true);
      bindInputs(lowering, *model, layout, zeroPattern(*model, layout, data->params));
      lowering.bindReport(tape::Role::Output, 0);
      addTangent(lowering, system, *step, outputs, layout, reportSize, *p);
      module = lowering.finish(-1);
    }
    const std::string defect = tape::verify(module);
    if (!defect.empty()) throw std::logic_error("the tape is not well formed: " + defect);
    {
      const Stopwatch watch(timings, "compile");
      p->problem.code = compile(module, options.compile);
    }
    fill(p->problem, *data, true);
    if (p->forced)
      diagnostics().warning(Code::LIE0621, model->range,
                            fmt::format("'{}' has forces or dissipation, which need not be symplectic: the defect "
                                        "is that of the forced motion too",
                                        model->name));
    return p;
  }

  std::unique_ptr<Problem> build(bool needMethod) {
    const auto data = prepare(needMethod);
    if (!data) return nullptr;
    auto p = std::make_unique<Problem>();
    p->code = compileFor(*data, needMethod);
    fill(*p, *data, needMethod);
    return p;
  }

  bool requireModel() {
    if (model) return true;
    if (!diagnostics().hasErrors()) {
      diagnostics().error(Code::LIE0509, Range{0, 0, 0}, "the file declares no model, so there is nothing to run");
    }
    return false;
  }

  void fill(Problem& p, const InitialData& data, bool needMethod) {
    p.model = model->name;
    if (needMethod) p.method = step->method;
    for (int r = 0; r < tape::roleCount; ++r) p.sizes[r] = module.roleSize[r];
    p.params = data.params;
    p.initialState = data.state;
    p.parameters = parameterValues(*model, layout, data.params);
    p.codeKey = keyOf(module);
    p.setupFunction = 0;
    p.observeFunction = observeFunction;
    p.fieldFunction = fieldFunction;
    p.eventFunction = eventFunction;
    p.events = observation.events;
    p.reportOffset = field.size;
    p.columns = stateColumns(*model, layout);
    p.columns.insert(p.columns.end(), observation.columns.begin(), observation.columns.end());
    p.fieldColumns = field.columns;
    p.energyOffset = observation.energyOffset;
    p.defects = observation.defects;
    p.evaluationsPerStep = needMethod ? step->ownEvaluations : 0;
    p.estimatesError = needMethod && !step->embedded.empty();
    if (needMethod && adaptive) p.control = errorControl(*model, *step, *adaptive, adaptiveFunctions, data.settings);
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
    p.outputSteps = std::isnan(steps) ? 0 : static_cast<std::int64_t>(steps);
    p.seed = data.seed;
  }

  std::string dump(const std::string& stage) {
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
    if (!checkAll() || !requireMethod()) return {};
    if (stage == "step") return listing(step->next, false);
    module = lower(true, presentZeros()); // the code that `run` uses
    if (stage == "tape") return tape::print(module);
    CompileOptions o = options.compile;
    o.keepIr = true;
    const auto code = compile(module, o);
    return stage == "ir" ? code->ir() : code->assembly();
  }

  /// Parameters and initial values as far as they can be evaluated: what is wrong is reported when the model is run.
  std::optional<InitialData> presentData() {
    Diagnostics ignored;
    layout = layoutOf(*model);
    return evaluateInitialData(system, layout, options.seed, ignored);
  }

  ZeroPattern presentZeros() {
    const auto data = presentData();
    return data ? zeroPattern(*model, layout, data->params) : ZeroPattern{};
  }

  /// Square matrices among the parameters whose values are symmetric.
  std::vector<const sym::Array*> symmetricParameters() {
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

  /// The equations that `roots` need, or all; with the declared variables in front.
  std::string listing(const std::vector<const sym::Array*>& roots, bool declarations) {
    std::string text;
    if (declarations) {
      for (const Parameter& p : model->parameters)
        text += fmt::format("param {} : {}\n", p.name, p.array->shape.text());
      for (const Factor& f : model->factors) {
        text += fmt::format("config {}{} : {} {} {}\n", f.name, f.extent > 0 ? fmt::format("[{}]", f.extent) : "",
                            f.manifold->name(), f.fiber == Fiber::Momentum ? "momentum" : "velocity", f.velocityName);
      }
      for (const StateVariable& z : model->states)
        text +=
            fmt::format("state {} : {}{}{}\n", z.name, z.dual ? "dual(" : "", z.manifold->name(), z.dual ? ")" : "");
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

  PipelineOptions options;
  std::unique_ptr<Compilation> compilation;
  std::unique_ptr<Model> model;
  System system;
  std::optional<Step> step;
  Layout layout;
  Observation observation;
  FieldOutputs field;
  std::optional<AdaptiveOutputs> adaptive; ///< of adaptive steps
  AdaptiveFunctions adaptiveFunctions;
  tape::Module module;
  std::thread background; ///< compiles the code for any parameters
  int observeFunction = -1;
  int eventFunction = -1;
  int fieldFunction = -1;
  Timings timings;
  bool checked = false;
  bool good = false;
  bool methodsChecked = false;
};

Pipeline::Pipeline(PipelineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Pipeline::~Pipeline() = default;

bool Pipeline::load(const std::filesystem::path& file) {
  const Stopwatch watch(impl_->timings, "parse");
  return impl_->compilation->load(file);
}

bool Pipeline::loadText(const std::string& name, const std::string& text) {
  const Stopwatch watch(impl_->timings, "parse");
  return impl_->compilation->loadText(name, text);
}

bool Pipeline::check() {
  return impl_->checkAll();
}

std::string Pipeline::derive(const std::string& format) {
  if (!impl_->check() || !impl_->requireModel()) return {};
  return printSystem(impl_->system,
                     format == "latex"  ? PrintFormat::Latex
                     : format == "json" ? PrintFormat::Json
                                        : PrintFormat::Text,
                     impl_->symmetricParameters());
}

std::string Pipeline::dump(const std::string& stage) {
  return impl_->dump(stage);
}
std::unique_ptr<Problem> Pipeline::build(bool needMethod) {
  return impl_->build(needMethod);
}
std::unique_ptr<TangentProblem> Pipeline::buildTangent() {
  return impl_->buildTangent();
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
System* Pipeline::system() {
  return impl_->model ? &impl_->system : nullptr;
}
const Timings& Pipeline::timings() const {
  return impl_->timings;
}

std::filesystem::path libraryRoot() {
  namespace fs = std::filesystem;
  if (const char* home = std::getenv("LMC_HOME"); home != nullptr && *home != '\0') return home;
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = executable.parent_path().parent_path() / "share" / "lmc";
  if (!executable.empty() && fs::exists(installed / "stdlib", ignored)) return installed;
  return LMC_SOURCE_DIR;
}

} // namespace lmc
