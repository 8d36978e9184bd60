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
#include <utility>
#include <vector>

namespace lmc::runtime {

struct MassCheck;
struct RangeCheck;

/// Functions of compiled code by what they do; -1: there is none.
struct Functions {
  int setup = -1;   ///< no arguments: constants from parameters
  int observe = -1; ///< argument t: energy, observables, defects of the current state
  int events = -1;  ///< argument t: the values of the events at the current state
  int field = -1;   ///< argument t: the map f at the current state
  int energy = -1;  ///< argument t: the energy alone
  int step = -1;    ///< arguments t, h: of code that is loaded, Compiled::advance is the loop over it
  int trial = -1;   ///< arguments t, h: a step, over the state; squared errors into Output
  int start = -1;   ///< arguments t, h: squared sizes, rates and changes into Output (methods/derivatives/LocalError.h)

  [[nodiscard]] int last() const; ///< the largest number
};

/// An expression at whose zero crossing the run stops; of a family one per member.
struct EventOutput {
  Entry entry;             ///< entry [2] of "hit"
  std::int64_t offset = 0; ///< in Output
  int direction = 0;       ///< 1: from negative to positive, -1: the other way, 0: both
};

/// What adaptive steps need: functions of the compiled code, and how the next step is chosen.
struct ErrorControl {
  std::vector<std::string> pieces; ///< of the state whose errors are measured, for messages
  Field errors;                    ///< one number per piece, as of the next three
  Field sizes, rates, changes;     ///< of the start function
  int order = 1;                   ///< the lower order of the pair
  ControllerKind controller = ControllerKind::PI;
  double safety = 0;                    ///< of the controller; 0: its own
  std::vector<double> tolerances;       ///< absolute ones, then relative ones, one per piece; they follow `params`
  std::int64_t evaluationsPerTrial = 0; ///< of f
  std::int64_t evaluationsOfStart = 0;  ///< of f
};

/// A function of one argument t, or of t and h, and what it writes; -1: there is none.
struct Computed {
  int function = -1;
  Field result;
};

/// A compiled model with a method and its data. Copies share the code and have their own data.
struct Problem {
  std::string model;
  std::string method; ///< as given, with its arguments
  std::shared_ptr<const Compiled> code;
  std::string codeKey;                         ///< equal for equal machine code
  std::array<std::int64_t, roleCount> sizes{}; ///< doubles behind each base
  std::vector<double> params;
  std::vector<double> initialState;
  std::vector<Field> fields;        ///< all memory that has a name, of each role in the order of memory
  std::vector<int> eventDirections; ///< of the fields that are events, one each (EventOutput::direction)
  std::vector<std::pair<std::string, std::int64_t>> constants; ///< parameters that the code depends on: `int`, `bool`
  Functions functions;

  bool energyChanges = false;           ///< by forces, dissipation, inputs or time: the equations do not keep it
  std::int64_t evaluationsPerStep = 0;  ///< of f, outside of iterations, with a fixed step
  bool estimatesError = false;          ///< the method has an error estimate
  std::int64_t exponentialsPerStep = 0; ///< of the group that acts on the phase manifold
  int order = 0;                        ///< that the method declares

  std::optional<ErrorControl> control;   ///< adaptive steps
  std::shared_ptr<const MassCheck> mass; ///< of a run that solves for accelerations; else null
  /// Of a model that looks up tables: tells which one a run has left; else null.
  std::shared_ptr<const RangeCheck> ranges;

  // Settings, resolved from the model and the command line. NaN: not given.
  double timeFrom = 0, timeTo = 0, step = 0, outputEvery = 0;
  std::int64_t outputSteps = 0; ///< 0: not given
  /// Samples at these times, increasing, inside (timeFrom, timeTo]; the begin and the end are sampled anyway. Empty: by
  /// the two settings above.
  std::vector<double> outputTimes;
  std::uint64_t seed = 0;
  /// The energy, observables and events that need not be numbers always: the model says so.
  std::vector<std::string> undefinable;

  // What is read off the fields.
  /// The first field of a kind; null: there is none.
  [[nodiscard]] const Field* field(FieldKind kind) const;
  /// All fields of a kind.
  [[nodiscard]] std::vector<const Field*> all(FieldKind kind) const;
  /// What a run writes out, without t, in the order of docs/tool.md, section 3.
  [[nodiscard]] std::vector<Column> columns() const;
  [[nodiscard]] std::size_t columnCount() const;
  /// The numbers of all fields of a kind: of State the state, of Rate "w'[1]" ….
  [[nodiscard]] std::vector<Column> numbers(FieldKind kind) const;
  /// Of a family of events one per member; none where no function finds their values.
  [[nodiscard]] std::vector<EventOutput> events() const;
  /// A run goes on whatever happens.
  void ignoreEvents() { functions.events = -1; }
  /// Parameters, inputs and constants with their present values.
  [[nodiscard]] std::vector<NamedArray> parameters() const;
};

} // namespace lmc::runtime
