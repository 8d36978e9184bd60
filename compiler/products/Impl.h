// The pipeline's own state, for the files that implement its parts.
#pragma once

#include "products/Pipeline.h"
#include "products/scene/SceneOutputs.h"
#include "products/stages/Stages.h"
#include "products/variations/Variations.h"
#include "unit/Unit.h"

#include <chrono>
#include <new>
#include <thread>

namespace lmc {

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

/// How the steps of a problem are taken; None: it has none.
enum class Steps : std::uint8_t { None, Fixed, Adaptive };

/// The functions of a problem, and where they stand in their module (-1: there is none).
struct Lowered {
  Steps steps = Steps::None;
  tape::Module module;
  int observe = -1, events = -1, field = -1;
  int sides = -1;                          ///< of the mass equation
  std::optional<AdaptiveOutputs> adaptive; ///< of adaptive steps
  AdaptiveFunctions adaptiveFunctions;
  /// That advances a state: the trial of adaptive steps, or the step.
  [[nodiscard]] int advance() const { return adaptive ? adaptiveFunctions.trial : module.step; }
};
/// With its code.
struct CompiledProblem {
  Lowered lowered;
  std::shared_ptr<const Compiled> code;
};

/// What methods make of a system: one layer, with what the methods of the files and the chosen one append.
struct MethodStage {
  explicit MethodStage(const System* system) {
    if (system != nullptr) layer.emplace(*system);
  }
  std::optional<Layer> layer; ///< nothing without a model
  std::optional<Step> step;   ///< of the chosen method; nothing without one
};

/// A model before code is made: where its numbers stand, what they are at the begin, what its mass matrices are. Its
/// layer lies over that of the methods, or over the system where no step is wanted.
struct Prepared {
  Prepared(const System& system, const Layer* methods)
      : layer(methods != nullptr ? Layer::over(*methods) : Layer(system)), layout(layoutOf(layer.model)) {}
  Layer layer;
  Layout layout;
  InitialData data;
  MassKind massKind;
};

/// One product in the making. Its equations lie over `below`, and end with it: so they are those of a first build,
/// whatever was built before.
struct Product {
  Product(const Prepared& p, const Layer& below)
      : prepared(p), layer(Layer::over(below)), work(layer.work()), massKind(p.massKind) {}
  /// What is observed, with what a picture shows where that is wanted, and the map f, which stand first in Output.
  void defineOutputs(bool scene) {
    observation = observe(layer);
    if (scene) shown = addScene(layer, observation, stateColumns(layer.model, prepared.layout).size());
    field = fieldOutputs(layer.system, observation.size);
  }

  const Prepared& prepared;
  Layer layer;
  sym::Graph::Work work;
  MassKind massKind; ///< as prepared, or of all samples
  Observation observation;
  std::optional<ShownScene> shown; ///< with the option `scene`
  FieldOutputs field;
};

struct Pipeline::Impl {
  explicit Impl(PipelineOptions o)
      : options(std::move(o)), budget(options.limits), compilation(makeCompilation(options.compilation)) {}

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
  /// What derivation and lowering work on, for messages: the Lagrangian, else the model.
  [[nodiscard]] Range modelPlace() const;

  bool check();

  /// The methods too: those that the files declare, and the chosen one.
  bool checkAll();

  std::unique_ptr<const MethodStage> checkMethods();
  /// Methods that the user's files declare are looked into whether they are used or not, on a model if there is one.
  void checkDeclaredMethods(Layer* layer);

  void checkController();

  std::optional<Step> chosenStep(Layer& layer);

  /// All functions of a product whose outputs are defined; with `zeros`, for parameters that have these zeros. `sides`:
  /// of the mass equation, for a function of their own.
  Lowered lower(Product& product, Steps steps, const ZeroPattern& zeros = {}, const MassSides* sides = nullptr);

  /// Of the chosen method: adaptive when there is a tolerance and the method estimates its error.
  [[nodiscard]] Steps stepsOf(bool needMethod) const;

  [[nodiscard]] InputUse inputUse() const { return options.liveInputs ? InputUse::Live : InputUse::Fixed; }

  [[nodiscard]] std::string keyOf(const tape::Module& m) const;

  /// True if a vector or a matrix among the parameters is given on the command line, as a whole or in part.
  [[nodiscard]] bool entriesAreGiven() const;
  /// The zeros that the code is made for. Those of vectors and matrices (a diagonal inertia, a direction along an axis)
  /// are worth code of their own, unless such a parameter is given on the command line: then the code serves any
  /// values.
  [[nodiscard]] ZeroPattern zerosOfCode(const Layout& layout, const InitialData& data) const;
  /// The code for the present parameters, by `zerosOfCode` alone: what happens to be in the cache decides nothing. Code
  /// for any values is made in the background the first time, so that giving a parameter seldom waits for the compiler.
  CompiledProblem compileFor(Product& product, Steps steps);

  ~Impl();

  bool requireMethod();

  /// Everything that is needed to compile has been checked; null on errors.
  const Prepared* prepare(bool needMethod);
  /// What host programs have built from; null before.
  [[nodiscard]] const Prepared* host() const {
    return preparedForSteps ? preparedForSteps.get() : preparedForField.get();
  }
  /// The chosen method's; null without one.
  [[nodiscard]] const Step* step() const { return methods && methods->step ? &*methods->step : nullptr; }

  std::unique_ptr<TangentProblem> buildTangent();
  std::unique_ptr<Problem> buildHost(HostSteps steps);
  std::unique_ptr<EvaluationProblem> buildEvaluation();
  std::optional<std::vector<double>> initialState(const std::vector<double>& params, Diagnostics& found);
  std::unique_ptr<LinearizedProblem> buildLinearization(LinearizationRequest request);
  std::unique_ptr<Problem> build(bool needMethod);
  std::unique_ptr<EnsembleProblem> buildEnsemble(const EnsembleRequest& request);
  Variations variationsOf(const Prepared& prepared, const EnsembleRequest& request);
  /// True if steps solve for accelerations, which some do not.
  [[nodiscard]] bool solvesForAccelerations() const;

  std::optional<ahead::Unit> ahead(const std::string& prefix);
  void lowerAhead(ahead::Unit& unit, const Product& product, const ZeroPattern& zeros,
                  const std::optional<AdaptiveOutputs>& adaptive);

  bool requireModel();

  /// True, and reported, for a model with constraints, of which `what` does not know.
  bool refusesConstraints(const std::string& what);

  /// All but the code: names, sizes, values and settings.
  void fill(Problem& p, const Product& product, const Lowered& lowered);
  /// A problem of its functions and its code, which looks at its mass equation.
  std::unique_ptr<Problem> problemOf(const Prepared& prepared, Steps steps);

  /// By what the run looks at its mass equation.
  void lookAtMass(Problem& p, Product& product, const Lowered& lowered);

  std::string dump(const std::string& stage);

  std::string derive(PrintFormat format);

  /// Parameters and initial values as far as they can be evaluated: what is wrong is reported when the model is run.
  std::optional<InitialData> presentData();

  /// `undefined = …` of `simulate`.
  [[nodiscard]] std::vector<std::string> undefinable() const;

  /// Square matrices among the parameters whose values are symmetric; none without data.
  [[nodiscard]] std::vector<const sym::Array*> symmetricParameters(const InitialData* data) const;

  /// The equations that `roots` need, or all; with the declared variables in front.
  [[nodiscard]] std::string listing(const sym::Program& program, const std::vector<const sym::Array*>& roots,
                                    bool declarations) const;

  const PipelineOptions options;
  Budget budget;
  const std::unique_ptr<Compilation> compilation;
  // Results of the stages, each made once, of those before it, and const then; null: not yet, or not without errors.
  // What stands below in equations and expressions ends last.
  std::unique_ptr<const Model> model;
  std::unique_ptr<const System> system;
  std::unique_ptr<const MethodStage> methods;
  std::unique_ptr<const Prepared> preparedForSteps, preparedForField;
  std::unique_ptr<InitialStates> initialStates;
  std::unique_ptr<const ShownScene> shown; ///< by the problem that was built last; null without the option `scene`
  // Of the work itself.
  std::optional<bool> good; ///< whether model and system could be made; nothing before that was tried
  bool spent = false;       ///< a limit was reached: what there is may be half done
  std::thread background;   ///< compiles the code for any parameters
  Timings timings;
};

/// The numbers that arrays hold together.
[[nodiscard]] inline std::int64_t sizeOf(const ArrayTuple& arrays) {
  std::int64_t size = 0;
  for (const sym::Array* a : arrays) size += a->size();
  return size;
}

} // namespace lmc
