// The pipeline's own state, for the files that implement its parts.
#pragma once

#include "products/Pipeline.h"
#include "products/scene/SceneOutputs.h"
#include "products/stages/StageCode.h"
#include "products/stages/Stages.h"
#include "runtime/contract/MassLook.h"
#include "unit/Unit.h"

#include <chrono>
#include <functional>
#include <new>
#include <thread>

namespace lmc::products {

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

/// Instructions of a function in code for one trajectory. What LLVM takes for a function grows faster than its length,
/// and a thread makes whole functions; shorter ones hand more numbers on through memory.
inline constexpr std::size_t longestOfRun = 13000;

/// How the steps of a problem are taken; None: it has none.
enum class Steps : std::uint8_t { None, Fixed, Adaptive };

/// What methods make of a system: one layer, with what the methods of the files and the chosen one append.
struct MethodStage {
  explicit MethodStage(const mechanics::System* system) {
    if (system != nullptr) layer.emplace(*system);
  }
  std::optional<mechanics::Layer> layer; ///< nothing without a model
  syntax::ExprPtr reference;             ///< to the chosen method; null without one
  std::optional<methods::Step> step;     ///< of the chosen method; nothing without one
};

/// A model before code is made: where its numbers stand, what they are at the begin, what its mass matrices are. Its
/// layer lies over that of the methods, or over the system where no step is wanted.
struct Prepared {
  Prepared(const mechanics::System& system, const MethodStage* methods)
      : layer(methods != nullptr ? mechanics::Layer::over(*methods->layer) : mechanics::Layer(system)),
        layout(layoutOf(layer.model)), step(methods != nullptr && methods->step ? &*methods->step : nullptr) {}
  mechanics::Layer layer;
  Layout layout;
  const methods::Step* step; ///< of the method; null where no step is wanted
  InitialData data;
  MassKind massKind;
};

/// One product in the making: equations of its own, and the unit that is built of them. Its equations lie over `below`,
/// and end with it: so they are those of a first build, whatever was built before.
struct Product {
  Product(const Prepared& p, const mechanics::Layer& below)
      : prepared(p), layer(mechanics::Layer::over(below)), work(layer.work()), massKind(p.massKind),
        unit(layer.program()) {
    placeModel(unit, p.layout);
    placeKept();
  }
  /// What the method keeps stands behind the state, zero at the begin.
  void placeKept() {
    if (prepared.step == nullptr) return;
    for (const methods::KeptNumbers& k : prepared.step->kept) {
      runtime::Field f = unit::fieldOf(k.now->name, *k.now);
      f.role = runtime::Role::State;
      f.comment = "kept by the method from step to step; zero: nothing yet";
      kept.push_back(unit.place(std::move(f)));
    }
  }
  /// What is observed, with what a picture shows where that is wanted, and the map f, which stand first in Output.
  void defineOutputs(bool scene) {
    observation = observe(layer, unit);
    if (scene) shown = addScene(layer, observation, unit);
    for (const NamedOutput& r : ratesOf(layer.system))
      rates.push_back({r.array, runtime::Role::Output, unit.place(r.field).offset});
  }
  /// What all functions read, and how matrices are factored.
  void bind(InputUse inputs) {
    choosePivots(unit, massKind);
    bindModel(unit, layer.model, prepared.layout, inputs);
    if (inputs == InputUse::Exported) bindGivenValues(unit, layer.program(), layer.model, prepared.layout);
    bindKept();
  }
  void bindKept() {
    for (std::size_t k = 0; k < kept.size(); ++k) unit.reads(prepared.step->kept[k].now, kept[k]);
  }
  /// Of the method; for those who want steps.
  [[nodiscard]] const methods::Step& step() const { return *prepared.step; }

  /// A step writes the state and what is kept.
  [[nodiscard]] unit::UnitBuilder::Outputs next(const methods::Step& step) const {
    unit::UnitBuilder::Outputs outputs = nextState(step, prepared.layout);
    for (std::size_t k = 0; k < kept.size(); ++k)
      outputs.push_back({prepared.step->kept[k].next, runtime::Role::State, kept[k].offset});
    return outputs;
  }

  /// The function of a step, and those that it calls.
  int addStep() {
    const methods::Step& step = *prepared.step;
    if (step.stages) return stageCode.add(unit, *step.stages, "step", step.stages->own, 1, next(step));
    if (step.calls) return stageCode.add(unit, *step.calls, "step", StageCode::Wanted::Own, next(step));
    if (step.parts.empty()) return unit.function("step", 2, next(step));
    std::vector<int> functions;
    for (const methods::Step& s : step.steps) {
      unit.argument(s.stepSize, 1);
      functions.push_back(unit.function("step of " + s.method, 2, next(s)));
    }
    std::vector<lower::PartOfStep> parts;
    for (const methods::StepPart& p : step.parts) parts.push_back({functions[p.step], p.begin, p.length});
    return unit.calls("step", std::move(parts));
  }

  /// The function of a step with an error estimate, for those who call one alone.
  int wholeTrial();
  /// The functions by which a run makes steps and chooses their lengths.
  void addAdaptiveSteps();
  unit::UnitBuilder::Outputs errorOutputs();
  /// The two halves of a step whose error is known before it: `series`, with the errors, and the step, which reads what
  /// the first has left.
  struct SeriesFunctions {
    int series = -1, trial = -1;
  };
  SeriesFunctions addSeries();
  void addHandingTrial();

  const Prepared& prepared;
  mechanics::Layer layer;
  sym::Graph::Work work;
  MassKind massKind; ///< as prepared, or of all samples
  Observation observation;
  std::optional<ShownScene> shown;  ///< with the option `scene`
  unit::UnitBuilder::Outputs rates; ///< the map f
  unit::UnitBuilder unit;
  StageCode stageCode;
  std::vector<runtime::Field> kept; ///< of the method's numbers
  std::vector<runtime::Tick> ticks; ///< of samplings
  runtime::ContactRules contacts;
  std::shared_ptr<const runtime::ContactSteps> contactSteps; ///< null without
  Steps steps = Steps::None;
  std::optional<AdaptiveOutputs> adaptive; ///< of adaptive steps
};

struct Pipeline::Impl {
  explicit Impl(PipelineOptions o)
      : options(withMethod(std::move(o))), budget(options.limits),
        compilation(sema::makeCompilation(options.compilation)) {}

  /// How contacts are read depends on the method.
  static PipelineOptions withMethod(PipelineOptions o) {
    o.compilation.method = o.method;
    return o;
  }
  Diagnostics& diagnostics() { return compilation->diagnostics(); }

  /// The result of `body` within the limits; an empty one, and a report, when one is reached. Inside of work that is
  /// limited already, the limits are those of that work, and it ends, too.
  template <class Body> auto limited(Body body) -> decltype(body()) {
    const bool outermost = !Budget::counts();
    try {
      const Budget::Scope scope(budget);
      return body();
    } catch (const BudgetSpent& reached) {
      reportSpent(reached);
      if (!outermost) throw BudgetSpent(reached.limit(), {});
    } catch (const std::bad_alloc&) {
      reportSpent(BudgetSpent(BudgetSpent::Limit::Memory, {}));
      if (!outermost) throw;
    }
    return decltype(body())();
  }
  void reportSpent(const BudgetSpent& spent);
  /// The function of the values of events and their rates.
  void addEvents(Product& product);
  /// Everything that makes the state jump.
  void addJumps(Product& product);
  /// The functions of resets, and the times of samplings.
  void addResets(Product& product);
  /// What impacts and changes of contacts are computed from.
  void addContacts(Product& product);
  /// How contacts are found that the method steps by impulses; reports those that it cannot.
  void addContactSteps(Product& product);
  /// The same reports, before anything is built.
  void checkSteppedContacts();
  /// True, and reported, for a model with such contacts, of which `what` does not know.
  bool refusesImpulses(const std::string& what);
  /// Pipeline::jumps.
  [[nodiscard]] bool jumps() const;
  /// True, and reported, for a model whose state jumps, of whose jumps `what` (in the singular) does not know.
  bool refusesResets(const std::string& what);
  /// True, and reported, for a model whose resets are followed by a search that has no derivative (`initial adjust`).
  bool refusesJumpDerivatives();
  /// The discrete variables of the model that are real numbers, but for what contacts remember.
  [[nodiscard]] std::vector<std::string> realDiscretes() const;
  /// What derivation and lowering work on, for messages: the Lagrangian, else the model.
  [[nodiscard]] Range modelPlace() const;

  bool check();

  /// The methods too: those that the files declare, and the chosen one.
  bool checkAll();

  std::unique_ptr<const MethodStage> checkMethods();
  /// What one method makes of the system.
  std::unique_ptr<const MethodStage> stageOf(const syntax::ExprPtr& reference, methods::Parts parts);
  void instantiate(MethodStage& stage, const syntax::ExprPtr& reference, methods::Parts parts);
  /// Methods that the user's files declare are looked into whether they are used or not, on a model if there is one.
  void checkDeclaredMethods(mechanics::Layer* layer);

  void checkController();

  /// Defines all functions of a run of a product whose outputs are defined. `sides`: of the mass equation, for a
  /// function of their own, which is returned.
  runtime::MassLook addRun(Product& product, Steps steps, const MassSides* sides = nullptr);
  /// Lowers, verifies and fills in what is known of a model: the one way to a unit. The code is for parameters with
  /// these zeros; functions longer than `longest` (0: none) are cut.
  unit::Unit unitOf(const Product& product, const unit::ZeroPattern& zeros = {}, std::size_t longest = 0);
  /// Gives the problem of a unit its code. `meanwhile`, if there is any, is done on this thread while another one makes
  /// the code.
  void compileUnit(unit::Unit& unit, const jit::CompileOptions& how, const std::function<void()>& meanwhile = {});
  /// Both: a problem with its code.
  runtime::Problem compiled(const Product& product, const unit::ZeroPattern& zeros = {});

  /// A step of the chosen method, which has been prepared, as one list of equations, for those who differentiate it.
  const Prepared& wholeStep();

  /// Of the chosen method: adaptive when there is a tolerance and the method estimates its error.
  [[nodiscard]] Steps stepsOf(bool needMethod) const;

  /// Runs without fused operations are to have the bits of exported code: they read inputs as that does.
  [[nodiscard]] InputUse inputUse() const {
    if (!options.liveInputs) return InputUse::Fixed;
    return options.compile.contract ? InputUse::Live : InputUse::Exported;
  }

  [[nodiscard]] std::string keyOf(const tape::Module& m) const;

  /// True if a vector or a matrix among the parameters is given on the command line, as a whole or in part.
  [[nodiscard]] bool entriesAreGiven() const;
  /// The zeros that the code is made for. Those of vectors and matrices (a diagonal inertia, a direction along an axis)
  /// are worth code of their own, unless such a parameter is given on the command line: then the code serves any
  /// values.
  [[nodiscard]] unit::ZeroPattern zerosOfCode(const Layout& layout, const InitialData& data) const;
  /// The code for the present parameters, by `zerosOfCode` alone: what happens to be in the cache decides nothing. Code
  /// for any values is made in the background the first time, so that giving a parameter seldom waits for the compiler.
  /// `meanwhile` is called once with the unit, while its code is made where it has to be made.
  unit::Unit compileForData(const Product& product, const std::function<void(unit::Unit&)>& meanwhile);

  ~Impl();

  bool requireMethod();

  // --- a method that is chosen (Methods.cpp) ------------------------------------------------------------------------
  /// The method as it is asked for: on the command line, else in the model; null: nowhere.
  syntax::ExprPtr methodReference();
  syntax::ExprPtr referenceTo(const std::string& where, const std::string& method);
  /// `method = auto`: asked for, whether or not it has been chosen yet.
  [[nodiscard]] bool automatic();
  /// Reports settings that do not go with the method, or with one that is chosen.
  void checkChoice();
  /// Chooses the method and its tolerance for the model. False, and reported, where none fits.
  bool choose();
  /// The problem with a method, for trials; null where it cannot step the model, or takes more operations a step. `why`
  /// then says so.
  std::unique_ptr<runtime::Problem> tryMethod(const std::string& name, double mostOperations, std::string& why);
  /// True, and reported, where a method is to be chosen: of what wants steps of a fixed length.
  bool refusesChoice(const std::string& what);

  /// Everything that is needed to compile has been checked; null on errors.
  const Prepared* prepare(bool needMethod);
  /// Over the methods, or over the system (null).
  std::unique_ptr<const Prepared> preparedOver(const MethodStage* stage);
  /// Where the mass matrix is singular at the initial state: derives the system once more, with one that constraints
  /// make regular, and what was made of the first is made again.
  bool deriveHeld();
  /// What host programs have built from; null before.
  [[nodiscard]] const Prepared* host() const {
    return preparedForSteps ? preparedForSteps.get() : preparedForField.get();
  }
  /// What the chosen method makes of the system; null before the methods were looked into.
  [[nodiscard]] const MethodStage* stage() const { return chosenMethods ? chosenMethods.get() : methods.get(); }
  /// The chosen method's; null without one.
  [[nodiscard]] const methods::Step* step() const { return stage() && stage()->step ? &*stage()->step : nullptr; }

  std::unique_ptr<runtime::TangentProblem> buildTangent();
  std::unique_ptr<runtime::Problem> buildHost(HostSteps steps);
  std::unique_ptr<runtime::EvaluationProblem> buildEvaluation();
  std::optional<std::vector<double>> initialState(const std::vector<double>& params, Diagnostics& found);
  std::unique_ptr<runtime::LinearizedProblem> buildLinearization(methods::LinearizationRequest request);
  std::unique_ptr<runtime::Problem> build(bool needMethod);
  /// True if steps solve for accelerations, which some do not.
  static bool solvesForAccelerations(const Product& product);

  /// Warns of an estimate that cannot see errors which the model can have.
  void lookAtEstimate();
  /// Warns of energies and forces that jump where sums end, and of limits beyond half of a box.
  void lookAtCutoffs(const runtime::Problem& p, const Prepared& prepared);
  [[nodiscard]] std::vector<Range> conditionsOfSums(std::size_t count) const;

  bool requireModel();

  /// True, and reported, for a method that keeps numbers, of which `what` does not know.
  bool refusesDerivatives(const std::string& what);

  /// All but memory, functions and code: values and settings.
  void fill(runtime::Problem& p, const Product& product);
  /// How a run looks at its mass equation: the interpreter does, or code of the run's own does where it need not.
  /// Code costs each start a little, and spares the interpreter at the begin and the end of each run.
  enum class MassLooks : std::uint8_t { Interpreted, Compiled };
  /// A problem of its functions and its code, which looks at its mass equation.
  std::unique_ptr<runtime::Problem> problemOf(const Prepared& prepared, Steps steps,
                                              MassLooks looks = MassLooks::Interpreted);

  /// By what the run looks at its mass equation, and finds out why it has failed. `own`: a function of its code.
  void lookAtMass(runtime::Problem& p, Product& product, const unit::Unit& unit, const runtime::MassLook& own = {});

  std::string dump(const std::string& stage);
  std::string stepListing() const;

  /// Reads the model's files once more.
  std::function<bool(sema::Compilation&)> reload;

  /// `undefined = …` of `simulate`.
  [[nodiscard]] std::vector<std::string> undefinable() const;

  /// The equations that `roots` need, or all; with the declared variables in front.
  [[nodiscard]] std::string listing(const sym::Program& program, const std::vector<const sym::Array*>& roots,
                                    bool declarations) const;

  const PipelineOptions options;
  Budget budget;
  const std::unique_ptr<sema::Compilation> compilation;
  // Results of the stages, each made once, of those before it, and const then; null: not yet, or not without errors.
  // What stands below in equations and expressions ends last.
  std::unique_ptr<const sema::Model> model;
  std::unique_ptr<const mechanics::System> system;
  std::unique_ptr<const MethodStage> methods;
  std::unique_ptr<const MethodStage> chosenMethods; ///< of what `method = auto` has chosen
  std::optional<runtime::ChosenMethod> chosen;      ///< how; nothing: not yet, or the method is given
  std::unique_ptr<const Prepared> preparedForSteps, preparedForField;
  // Of a step that shares code, written out; null before it was asked for.
  std::unique_ptr<const MethodStage> wholeMethods;
  std::unique_ptr<const Prepared> preparedForWhole;
  std::unique_ptr<InitialStates> initialStates;
  std::unique_ptr<const ShownScene> shown; ///< by the problem that was built last; null without the option `scene`
  // Of the work itself.
  std::optional<bool> good;      ///< whether model and system could be made; nothing before that was tried
  bool wantsHeld = false;        ///< the mass matrix turned out to be singular, and there are constraints
  std::size_t beforeMethods = 0; ///< mark of the diagnostics
  bool spent = false;            ///< a limit was reached: what there is may be half done
  std::thread background;        ///< compiles the code for any parameters
  Timings timings;
};

} // namespace lmc::products
