// What a run needs: compiled functions, their memory and initial data, and the names of what they compute.
#pragma once

#include "runtime/contract/Column.h"
#include "runtime/contract/Compiled.h"
#include "runtime/contract/Controller.h"
#include "runtime/contract/Memory.h"
#include "runtime/output/Output.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lmc {

struct MassCheck;

/// The largest defect of a manifold's `holds`, computed by the observe function.
struct DefectOutput {
  std::string name;        ///< of the variable: "R", "q"
  std::int64_t offset = 0; ///< in Output
};

/// An expression at whose zero crossing the run stops; of a family one per member.
struct EventOutput {
  Entry entry;             ///< entry [2] of "hit"
  std::int64_t offset = 0; ///< in Output
  int direction = 0;       ///< 1: from negative to positive, -1: the other way, 0: both
};

/// What adaptive steps need: functions of the compiled code, and how the next step is chosen.
struct ErrorControl {
  int trialFunction = -1; ///< arguments t, h: a step, over the state; squared errors into Output
  int startFunction =
      -1; ///< arguments t, h: squared sizes, rates and changes into Output (methods/derivatives/LocalError.h)
  std::vector<std::string> pieces;                ///< of the state whose errors are measured, for messages
  std::int64_t errors = 0;                        ///< offset in Output, one number per piece, as the next three
  std::int64_t sizes = 0, rates = 0, changes = 0; ///< of the start function
  int order = 1;                                  ///< the lower order of the pair
  ControllerKind controller = ControllerKind::PI;
  double safety = 0;                    ///< of the controller; 0: its own
  std::vector<double> tolerances;       ///< absolute ones, then relative ones, one per piece; they follow `params`
  std::int64_t evaluationsPerTrial = 0; ///< of f
  std::int64_t evaluationsOfStart = 0;  ///< of f
};

/// A compiled model with a method and its data. Copies share the code and have their own data.
struct Problem {
  std::string model;
  std::string method; ///< as given, with its arguments
  std::shared_ptr<const Compiled> code;
  std::string codeKey;                               ///< equal for equal machine code
  std::array<std::int64_t, tape::roleCount> sizes{}; ///< doubles behind each base
  std::vector<double> params;
  std::vector<double> initialState;
  std::vector<NamedArray> parameters; ///< as they were when the problem was built, `int` sizes included

  int setupFunction = -1;           ///< no arguments: constants from parameters
  int observeFunction = -1;         ///< argument t: outputs (energy, observables, defects) of the current state
  int fieldFunction = -1;           ///< argument t: the map f at the current state, into Output (`lmc derive --at`)
  std::vector<Column> columns;      ///< without t, in the order of docs/tool.md, section 3
  std::vector<Column> fieldColumns; ///< velocities' derivatives and flows: "w'[1]" …, in Output
  std::int64_t energyOffset = -1;   ///< in Output; -1: the model has no energy
  bool energyChanges = false;       ///< by forces, dissipation, inputs or time: the equations do not keep it
  std::vector<DefectOutput> defects;
  int eventFunction = -1; ///< argument t: the values of the events at the current state
  std::vector<EventOutput> events;
  std::int64_t evaluationsPerStep = 0;  ///< of f, outside of iterations, with a fixed step
  bool estimatesError = false;          ///< the method has an error estimate
  std::int64_t exponentialsPerStep = 0; ///< of the group that acts on the phase manifold
  int order = 0;                        ///< that the method declares
  /// In Output: the residual of an iteration that did not converge, and so far the evaluations of f in iterations and
  /// their turns.
  std::int64_t reportOffset = -1;

  std::optional<ErrorControl> control;   ///< adaptive steps
  std::shared_ptr<const MassCheck> mass; ///< of a run that solves for accelerations; else null

  // Settings, resolved from the model and the command line. NaN: not given.
  double timeFrom = 0, timeTo = 0, step = 0, outputEvery = 0;
  std::int64_t outputSteps = 0; ///< 0: not given
  /// Samples at these times, increasing, inside (timeFrom, timeTo]; the begin and the end are sampled anyway. Empty: by
  /// the two settings above.
  std::vector<double> outputTimes;
  std::uint64_t seed = 0;
  /// The energy, observables and events that need not be numbers always: the model says so.
  std::vector<std::string> undefinable;
};

} // namespace lmc
