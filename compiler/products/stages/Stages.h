// Parts of Pipeline: the fields of a model, what is observed, initial data, the functions that are compiled.
#pragma once

#include "mechanics/system/Layer.h"
#include "methods/Instantiate.h"
#include "methods/derivatives/LocalError.h"
#include "methods/derivatives/SymplecticForm.h"
#include "runtime/contract/Problem.h"
#include "runtime/contract/TangentProblem.h"
#include "runtime/mass/MassCheck.h"
#include "runtime/ranges/RangeCheck.h"
#include "unit/builder/UnitBuilder.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::products {

/// The fields of a model's parameters and state, in the order of memory, which is that of declaration.
struct Layout {
  std::vector<runtime::Field> params, state;
  std::vector<const sym::Array*> stateArrays; ///< of the fields of the state
  std::int64_t paramSize = 0, stateSize = 0;
  std::map<std::uint32_t, runtime::Field> byArray; ///< by the id of a parameter's array, of an array of the state

  [[nodiscard]] const runtime::Field& of(const sym::Array* array) const { return byArray.at(array->id); }
};
[[nodiscard]] Layout layoutOf(const sema::Model& model);
[[nodiscard]] unit::ZeroPattern zeroPattern(const sema::Model& model, const Layout& layout,
                                            const std::vector<double>& params);
/// Inputs of a run keep their values or laws; those of a host program may be set at any time. Of exported code, and of
/// runs that have its bits, the values are read while they are given (bindGivenValues).
enum class InputUse : std::uint8_t { Fixed, Live, Exported };
/// Parameters, state and time are what functions of the unit read, and the fields of its memory that come first. Zeros
/// of live inputs are not taken for granted.
void readModel(unit::UnitBuilder& unit, const sema::Model& model, const Layout& layout,
               InputUse inputs = InputUse::Fixed);
/// The two halves of it: the memory, and what is read.
void placeModel(unit::UnitBuilder& unit, const Layout& layout);
void bindModel(unit::UnitBuilder& unit, const sema::Model& model, const Layout& layout,
               InputUse inputs = InputUse::Fixed);
/// What functions read of inputs with InputUse::Exported, by equations of `p`. Elsewhere the value of an input that is
/// not given is zero, and is added to the law, so that there are derivatives by it. Here it is whatever the caller has
/// left there, and counts only while it is given.
void bindGivenValues(unit::UnitBuilder& unit, sym::Program& p, const sema::Model& model, const Layout& layout);

/// The name of one part of a variable: "X.R"; of a variable with one part its own.
[[nodiscard]] std::string partName(const std::string& name, const std::vector<sema::Part>& parts, std::size_t k);

/// What observes a state, with its fields in a unit: energy, observables, the largest defect of every manifold's
/// `holds`, and events.
struct Observation {
  unit::UnitBuilder::Outputs outputs;    ///< all but events
  unit::UnitBuilder::Outputs events;     ///< of a function of their own
  std::vector<runtime::EventRule> rules; ///< of the events' fields
};
[[nodiscard]] Observation observe(mechanics::Layer& layer, unit::UnitBuilder& unit);

/// An array and its field.
struct NamedOutput {
  const sym::Array* array = nullptr;
  runtime::Field field;
};
/// The map f at a state, w'[1] …, as fields without places.
[[nodiscard]] std::vector<NamedOutput> ratesOf(const mechanics::System& system);

/// Whether trials hand f at their ends on to the next ones, or evaluate it at their begins.
enum class Trials : std::uint8_t { HandOn, Alone };

/// What adaptive steps need of the compiled code: error estimate and rates at the start, and their fields.
struct AdaptiveOutputs {
  bool handsOn = false; ///< its method has a last stage to hand on (methods::LastStage), and is asked to
  methods::ErrorEstimate estimate;
  methods::StartRates start;
  runtime::Field absolute, relative;            ///< tolerances, in Params
  runtime::Field errors, sizes, rates, changes; ///< squares, in Output
};
/// Defines them behind what has its place.
[[nodiscard]] AdaptiveOutputs adaptiveOutputs(mechanics::Layer& layer, const methods::Step& step,
                                              unit::UnitBuilder& unit, Trials trials);
/// Places what the start function writes, and adds it.
void addStart(unit::UnitBuilder& unit, AdaptiveOutputs& adaptive);
/// What the driver is told. `settings`: values of InitialData.
[[nodiscard]] runtime::ErrorControl errorControl(const sema::Model& model, const methods::Step& step,
                                                 const AdaptiveOutputs& adaptive,
                                                 const std::map<std::string, double>& settings);

/// The equations behind a TangentProblem.
struct TangentOutputs {
  methods::StepTangent tangent;
  methods::SymplecticForm form;
};
[[nodiscard]] TangentOutputs tangentOutputs(mechanics::Layer& layer, const methods::Step& step);
/// Adds their functions.
void addTangent(unit::UnitBuilder& unit, const mechanics::System& system, const methods::Step& step,
                const TangentOutputs& tangent, const Layout& layout, runtime::TangentProblem& problem);
/// What becomes of the state in a step.
[[nodiscard]] unit::UnitBuilder::Outputs nextState(const methods::Step& step, const Layout& layout);

/// Parameters, settings of `simulate` and the initial state, evaluated without compiling.
struct InitialData {
  std::vector<double> params;
  std::vector<double> state;
  std::map<std::string, double> settings; ///< "time.from", "step", …; absent when not given
  std::uint64_t seed = 0;
  bool redundant = false;                         ///< equations of constraints follow from others there
  std::map<std::int64_t, std::int64_t> dependent; ///< see Consistency::Result
  std::int64_t freedoms = -1;                     ///< of a model with constraints: velocities that are free there
};
/// Reports initial points off their manifold and velocities that are not horizontal (by more than 1e-8); smaller
/// defects are projected away. Nothing on errors.
[[nodiscard]] std::optional<InitialData> evaluateInitialData(mechanics::Layer& layer, const Layout& layout,
                                                             std::optional<std::uint64_t> seed,
                                                             Diagnostics& diagnostics);

/// Initial states for other values of the parameters than those of the text.
class InitialStates {
public:
  /// The system must outlive it.
  InitialStates(const mechanics::System& system, const Layout& layout);
  ~InitialStates();
  InitialStates(const InitialStates&) = delete;
  InitialStates& operator=(const InitialStates&) = delete;

  /// The initial state at time `start` for `params`, by the layout, and the random numbers of `seed`; reports, and
  /// moves onto manifolds, as `evaluateInitialData`. Nothing on errors.
  [[nodiscard]] std::optional<std::vector<double>> operator()(const std::vector<double>& params, std::uint64_t seed,
                                                              double start, Diagnostics& diagnostics);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What the mass matrices are at the initial state, and by continuity all along a motion that meets no singular one.
struct MassKind {
  bool definite = true;   ///< every matrix that is factored is positive definite: code for them needs no pivots
  bool inspected = true;  ///< all of them were looked into
  bool redundant = false; ///< equations of constraints follow from others: of their multipliers the shortest are wanted
  std::map<std::int64_t, std::int64_t> dependent; ///< see Consistency::Result
};

/// The mass equation for a run whose steps cost so many operations (tape::cost), to be looked at now and then; null
/// without one.
[[nodiscard]] std::shared_ptr<runtime::MassCheck> massCheck(mechanics::Layer& layer, const Layout& layout,
                                                            const MassKind& kind, double stepCost);

/// What tells of a run which look-up of a table it has left; null where the model looks nothing up.
[[nodiscard]] std::shared_ptr<const runtime::RangeCheck> rangeCheck(mechanics::Layer& layer, const Layout& layout,
                                                                    const MassKind& kind);

/// The two sides of the mass equation M xi' = r as arrays, for code that compares them.
struct MassSides {
  std::vector<const sym::Array*> product, rhs;
};
[[nodiscard]] MassSides massSides(mechanics::Layer& layer);
/// Does the elimination that `kind` and the structure lead to leave a doubt whether the equation is solved? Where every
/// matrix is definite and its pivots are tested, it does not: Cholesky's method is backward stable (Higham, "Accuracy
/// and Stability of Numerical Algorithms", 2nd ed., theorem 10.4). Chains and the detour by constraint forces are more
/// than one factorization, and a matrix of any signs may pass through a singular one between two steps.
[[nodiscard]] bool massIsInDoubt(const mechanics::System& system, const MassKind& kind);

/// Code for what checkMass has found.
void choosePivots(unit::UnitBuilder& unit, const MassKind& kind);

/// Components of a factor's velocity, member after member, named like columns.
[[nodiscard]] std::vector<std::string> velocityComponents(const sema::Factor& factor);

/// Finds, for any number of data, what mass matrices are; nothing is reported.
class MassProbe {
public:
  /// The equations of the matrices are added to the layer; the system and the layout must outlive it.
  MassProbe(mechanics::Layer& layer, const Layout& layout);
  ~MassProbe();
  MassProbe(const MassProbe&) = delete;
  MassProbe& operator=(const MassProbe&) = delete;
  /// Params and state by the layout, at a time.
  [[nodiscard]] MassKind operator()(std::span<const double> params, std::span<const double> state, double t);

  class Impl;

private:
  std::unique_ptr<Impl> impl_;
};

/// Reports a mass matrix that is singular, or nearly, at the initial state, with the coordinates at fault; sets
/// `kind`. False on errors.
[[nodiscard]] bool checkMass(mechanics::Layer& layer, const Layout& layout, const InitialData& data, MassKind& kind,
                             Diagnostics& diagnostics);

} // namespace lmc::products
