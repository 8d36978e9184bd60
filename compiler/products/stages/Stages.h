// Parts of Pipeline: memory layout and column names, initial data, the functions that are compiled.
#pragma once

#include "lower/Lower.h"
#include "mechanics/system/Layer.h"
#include "methods/Instantiate.h"
#include "methods/derivatives/LocalError.h"
#include "methods/derivatives/SymplecticForm.h"
#include "runtime/contract/Problem.h"
#include "runtime/contract/TangentProblem.h"
#include "runtime/mass/MassCheck.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc {

/// Where each parameter and each part of the state stands in memory, in doubles.
struct Layout {
  std::map<std::uint32_t, std::int64_t> params; ///< by array id
  std::map<std::uint32_t, std::int64_t> state;
  std::int64_t paramSize = 0, stateSize = 0;
  std::vector<const sym::Array*> stateArrays; ///< in the order of memory
};
[[nodiscard]] Layout layoutOf(const Model& model);
/// The parameters with their values, in the order of declaration; constants last.
[[nodiscard]] std::vector<NamedArray> parameterValues(const Model& model, const Layout& layout,
                                                      const std::vector<double>& params);
/// Entries of vector and matrix parameters that are zero in all members, by the parameter's array id.
using ZeroPattern = std::map<std::uint32_t, std::vector<bool>>;
[[nodiscard]] ZeroPattern zeroPattern(const Model& model, const Layout& layout, const std::vector<double>& params);
/// Inputs of a run keep their values or laws; those of a host program may be set at any time.
enum class InputUse : std::uint8_t { Fixed, Live };
/// Binds parameters, state and time of a lowering. Zeros of live inputs are not taken for granted.
void bindInputs(Lowering& lowering, const Model& model, const Layout& layout, const ZeroPattern& zeros = {},
                InputUse inputs = InputUse::Fixed);

/// The name of one part of a variable: "X.R"; of a variable with one part its own.
[[nodiscard]] std::string partName(const std::string& name, const std::vector<Part>& parts, std::size_t k);

/// An array as a field: the members of a family, then rows and columns. `first`: the index of the first member per
/// extent (1 where absent).
[[nodiscard]] Field fieldOf(std::string name, const sym::Array& array, std::vector<std::int64_t> first = {});
/// Its entries as columns; they stand from `offset` on.
void addColumns(std::vector<Column>& columns, const Field& field, tape::Role role, std::int64_t offset);
/// Columns of the state in the order of declaration.
[[nodiscard]] std::vector<Column> stateColumns(const Model& model, const Layout& layout);

/// Arrays that observe a state: energy, observables, the largest defect of every manifold's `holds`.
struct Observation {
  std::vector<OutputBinding> outputs;
  std::vector<Column> columns; ///< energy and observables
  std::vector<DefectOutput> defects;
  std::int64_t energyOffset = -1;
  std::vector<OutputBinding> eventOutputs; ///< of a function of their own
  std::vector<EventOutput> events;
  std::int64_t size = 0; ///< of all
};
[[nodiscard]] Observation observe(Layer& layer);

/// Arrays of the map f at a state, with their column names (w'[1], …).
struct FieldOutputs {
  std::vector<OutputBinding> outputs;
  std::vector<Column> columns;
  std::int64_t size = 0;
};
/// `base`: the first free offset in Output.
[[nodiscard]] FieldOutputs fieldOutputs(const System& system, std::int64_t base = 0);

/// Numbers in Output that Lowering::bindReport takes.
inline constexpr std::int64_t reportSize = 3;

/// What adaptive steps need of the compiled code: error estimate and rates at the start, and where they stand.
struct AdaptiveOutputs {
  ErrorEstimate estimate;
  StartRates start;
  std::int64_t errors = 0, sizes = 0, rates = 0, changes = 0; ///< offsets in Output
  std::int64_t tolerances = 0;                                ///< offset in Params
};
/// `outputs`, `params`: the first free offsets in Output and Params.
[[nodiscard]] AdaptiveOutputs adaptiveOutputs(Layer& layer, const Step& step, std::int64_t outputs,
                                              std::int64_t params);
/// Adds the trial function (over the bindings `next` of the new state) and the start function.
struct AdaptiveFunctions {
  int trial = -1, start = -1;
};
[[nodiscard]] AdaptiveFunctions addAdaptive(Lowering& lowering, const AdaptiveOutputs& adaptive,
                                            const std::vector<OutputBinding>& next);
/// Adds the trial function alone.
[[nodiscard]] int addTrial(Lowering& lowering, const AdaptiveOutputs& adaptive, const std::vector<OutputBinding>& next);
/// What the driver is told. `settings`: values of InitialData.
[[nodiscard]] ErrorControl errorControl(const Model& model, const Step& step, const AdaptiveOutputs& adaptive,
                                        const AdaptiveFunctions& functions,
                                        const std::map<std::string, double>& settings);

/// The equations behind a TangentProblem.
struct TangentOutputs {
  StepTangent tangent;
  SymplecticForm form;
};
[[nodiscard]] TangentOutputs tangentOutputs(Layer& layer, const Step& step);
/// Adds their functions. `outputs`: the first free offset in Output.
void addTangent(Lowering& lowering, const System& system, const Step& step, const TangentOutputs& tangent,
                const Layout& layout, std::int64_t outputs, TangentProblem& problem);

/// Parameters, settings of `simulate` and the initial state, evaluated without compiling.
struct InitialData {
  std::vector<double> params;
  std::vector<double> state;
  std::map<std::string, double> settings; ///< "time.from", "step", …; absent when not given
  std::uint64_t seed = 0;
  bool redundant = false;     ///< equations of constraints follow from others there
  std::int64_t freedoms = -1; ///< of a model with constraints: velocities that are free there
};
/// Reports initial points off their manifold and velocities that are not horizontal (by more than 1e-8); smaller
/// defects are projected away. Nothing on errors.
[[nodiscard]] std::optional<InitialData>
evaluateInitialData(Layer& layer, const Layout& layout, std::optional<std::uint64_t> seed, Diagnostics& diagnostics);

/// Initial states for other values of the parameters than those of the text.
class InitialStates {
public:
  /// The system must outlive it.
  InitialStates(const System& system, const Layout& layout);
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
};

/// The mass equation for a run whose steps cost so many operations (tape::cost), to be looked at now and then; null
/// without one.
[[nodiscard]] std::shared_ptr<const MassCheck> massCheck(Layer& layer, const Layout& layout, const MassKind& kind,
                                                         double stepCost);

/// The two sides of the mass equation M xi' = r as arrays, for code that compares them.
struct MassSides {
  std::vector<const sym::Array*> product, rhs;
  std::int64_t size = 0; ///< numbers of each
};
[[nodiscard]] MassSides massSides(Layer& layer);
/// Does the elimination that `kind` and the structure lead to leave a doubt whether the equation is solved? Where every
/// matrix is definite and its pivots are tested, it does not: Cholesky's method is backward stable (Higham, "Accuracy
/// and Stability of Numerical Algorithms", 2nd ed., theorem 10.4). Chains and the detour by constraint forces are more
/// than one factorization, and a matrix of any signs may pass through a singular one between two steps.
[[nodiscard]] bool massIsInDoubt(const System& system, const MassKind& kind);

/// Code for what checkMass has found.
void choosePivots(Lowering& lowering, const MassKind& kind);

/// Components of a factor's velocity, member after member, named like columns.
[[nodiscard]] std::vector<std::string> velocityComponents(const Factor& factor);

/// Finds, for any number of data, what mass matrices are; nothing is reported.
class MassProbe {
public:
  /// The equations of the matrices are added to the layer; the system and the layout must outlive it.
  MassProbe(Layer& layer, const Layout& layout);
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
[[nodiscard]] bool checkMass(Layer& layer, const Layout& layout, const InitialData& data, MassKind& kind,
                             Diagnostics& diagnostics);

} // namespace lmc
