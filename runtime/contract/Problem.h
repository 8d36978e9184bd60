// What a run needs: compiled functions, their memory and initial data, and the names of what they compute.
#pragma once

#include "runtime/contract/Column.h"
#include "runtime/contract/Compiled.h"
#include "runtime/contract/Controller.h"
#include "runtime/contract/Memory.h"
#include "runtime/output/Output.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lmc::runtime {

struct ContactSteps;
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
  /// Arguments t, h: what `trial` needs of the motion through the state, and the squared errors of a step of length h,
  /// into Output. Of methods whose error is known before a step.
  int series = -1;
  /// Arguments t, h: a step, over the state; squared errors into Output, but where `series` gives them. Then it is a
  /// step from the state that `series` was called for last, of any length.
  int trial = -1;
  /// Arguments t, h: f at the state and t, behind the state, from which trials begin, and where they leave f at their
  /// ends, with the same bits. Of methods whose trials evaluate f at their begins: -1.
  int begin = -1;
  int start = -1; ///< arguments t, h: squared sizes, rates and changes into Output (methods/derivatives/LocalError.h)
  int ticks = -1; ///< argument t: intervals and first times of samplings
  int contacts = -1; ///< argument t: what ContactRules reads of the current state
  /// Arguments t and the number of a member, from 1: the state becomes that behind a reset. Those of events, then those
  /// of samplings (EventRule::reset, Tick::reset).
  std::vector<int> resets = {};

  [[nodiscard]] int last() const; ///< the largest number
};

/// What an event of a contact tells; None: it is none.
enum class ContactCause : std::uint8_t { None, Closes, Opens, Slips, Sticks, Turns, Jams };

/// What happens where the numbers of a field of events cross zero.
struct EventRule {
  int direction = 0;   ///< 1: from negative to positive, -1: the other way, 0: both
  Field rate = {};     ///< of the numbers, along the motion; without a place: it is not known
  bool goesOn = false; ///< the run does not stop
  int reset = -1;      ///< into Functions::resets; -1: nothing changes
  ContactCause cause = ContactCause::None;
  int contact = -1; ///< of its first member, into ContactRules::list
};

/// An expression that crosses zero; of a family one per member.
struct EventOutput {
  Entry entry;             ///< entry [2] of "hit"
  std::int64_t offset = 0; ///< in Output
  int direction = 0;       ///< as that of the rule
  std::int64_t rate = -1;  ///< in Output; -1: it is not known
  bool goesOn = false;
  int reset = -1; ///< as that of the rule
  int member = 1; ///< the number of the member, from 1
  ContactCause cause = ContactCause::None;
  int contact = -1; ///< into ContactRules::list
};

/// A contact, one member of a family. Rows are those of ContactRules.
struct ContactRule {
  std::string name;          ///< "pair[2]"
  std::int64_t normal = 0;   ///< the row of its gap
  std::int64_t slip = -1;    ///< the first row of its slip; -1: there is no friction
  std::int64_t tangents = 0; ///< numbers of the slip
  // In State; those of the slip -1 without friction.
  std::int64_t mode = -1;     ///< 0 open, 1 slides (closed, of one without friction), 2 sticks
  std::int64_t memory = -1;   ///< the direction in which it slides, very short
  std::int64_t speed = -1;    ///< the largest speed of its impacts
  std::int64_t impulse = -1;  ///< of its last impact
  std::int64_t friction = -1; ///< likewise, along the slip
  // In Output; -1: not given.
  std::int64_t size = -1;        ///< |left| + |right| of the gap
  std::int64_t restitution = -1; ///< without: 0
  std::int64_t coefficient = -1; ///< of friction
  std::int64_t rest = -1;        ///< the speed below which it stays closed; below zero: not given
};

/// What impacts and the modes of contacts are computed from: M xi' = r + B^T lambda, B xi' = -gamma, with all rows of
/// constraints and of contacts as if they were closed and stuck. The fields are written by Functions::contacts.
struct ContactRules {
  std::vector<ContactRule> list;
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> velocities; ///< the place of each column in State
  Field value, rate, bias;              ///< rows: c, its rate, gamma
  Field jacobian, response;             ///< rows by columns: B, B M^-1
  Field free;                           ///< columns: xi' without forces of constraints and contacts
  std::int64_t stateSize = 0;           ///< of the model's state; what a method keeps stands behind it
  bool sequential = false;              ///< impacts at one time, one after the other
  bool poisson = false;                 ///< restitution of impulses, by Poisson's law, not of speeds
};

/// A block of resets at the times first + k interval, k = 0, 1, …, of which those before the run do not count.
struct Tick {
  std::string name; ///< "every 0.01"
  int reset = -1;   ///< into Functions::resets; -1: nothing changes
  Field interval;   ///< written by Functions::ticks
  Field first = {}; ///< likewise; without a place: the begin of the run
};

/// Brings the state behind a reset back to what manifolds and constraints hold, as at the begin of a run. For one
/// thread.
class Restorer {
public:
  virtual ~Restorer() = default;
  /// Whether a number that has changed is one that something has to hold for: else the state is left as it is.
  [[nodiscard]] virtual bool concerns(std::span<const double> before, std::span<const double> after) const = 0;
  /// Empty, or why that cannot be done: a sentence without a full stop.
  [[nodiscard]] virtual std::string restore(std::span<const double> params, std::span<double> state, double t) = 0;
};

/// What adaptive steps need: functions of the compiled code, and how the next step is chosen.
struct ErrorControl {
  std::vector<std::string> pieces; ///< of the state whose errors are measured, for messages
  Field errors;                    ///< one number per piece, as of the next three
  Field sizes, rates, changes;     ///< of the start function
  int order = 1;                   ///< the lower order of the pair
  /// Where the error is known before a step (Functions::series) the highest power of its length in it; order + 1 is the
  /// lowest. Else 0.
  int highestPower = 0;
  ControllerKind controller = ControllerKind::PI;
  double safety = 0;                    ///< of the controller; 0: its own
  std::vector<double> tolerances;       ///< absolute ones, then relative ones, one per piece; they follow `params`
  std::int64_t evaluationsPerTrial = 0; ///< of f
  std::int64_t evaluationsOfBegin = 0;  ///< of f, by Functions::begin
  std::int64_t evaluationsOfStart = 0;  ///< of f
};

/// What was found of a method while one was chosen for a model.
struct TriedMethod {
  std::string name;
  double operations = 0; ///< that a whole run with the accuracy takes, by count; infinite: it did not come that far
  std::string why;       ///< it was not chosen, as a sentence has it; empty of the one that was
};

/// How the method and the tolerance of a problem were chosen (runtime/choice/Choice.h).
struct ChosenMethod {
  double accuracy = 0;  ///< that was asked for
  double tolerance = 0; ///< absolute and relative, of all variables
  double expected = 0;  ///< the error of the run in the units of `accuracy`
  double until = 0;     ///< the time up to which errors were measured; behind it they are extrapolated
  std::string growth;   ///< by which law, as a sentence has it; empty: nothing is extrapolated
  std::string doubt;    ///< why the run may be farther from the motion all the same; empty: no reason is known
  std::vector<TriedMethod> tried;
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
  std::vector<Field> fields;         ///< all memory that has a name, of each role in the order of memory
  std::vector<EventRule> eventRules; ///< of the fields that are events, one each
  std::vector<Tick> ticks;           ///< in the order of declaration
  ContactRules contacts;
  std::function<std::unique_ptr<Restorer>()> restoration =
      {}; ///< may be called in any thread; empty: nothing to restore
  std::vector<std::pair<std::string, std::int64_t>> constants; ///< parameters that the code depends on: `int`, `bool`
  Functions functions;

  bool energyChanges = false;           ///< by forces, dissipation, inputs or time: the equations do not keep it
  std::int64_t evaluationsPerStep = 0;  ///< of f, outside of iterations, with a fixed step
  bool estimatesError = false;          ///< the method has an error estimate
  std::int64_t exponentialsPerStep = 0; ///< of the group that acts on the phase manifold
  int order = 0;                        ///< that the method declares
  double operationsPerStep = 0;         ///< of one call of the step or the trial, by tape::cost; 0: not counted

  std::optional<ErrorControl> control;   ///< adaptive steps
  std::optional<ChosenMethod> chosen;    ///< nothing: the method was given
  std::shared_ptr<const MassCheck> mass; ///< of a run that solves for accelerations; else null
  /// Of a model that looks up tables: tells which one a run has left; else null.
  std::shared_ptr<const RangeCheck> ranges;
  /// Of a method that steps contacts by impulses: how they are found (runtime/contacts/ContactSteps.h); else null.
  std::shared_ptr<const ContactSteps> contactSteps;

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
  /// A run goes on, whatever happens, as the equations of motion say alone: nothing is reset either.
  void ignoreEvents() {
    functions.events = functions.contacts = -1;
    ticks.clear();
    contactSteps = nullptr;
  }
  /// It has events that reset the state, or samplings.
  [[nodiscard]] bool jumps() const;
  /// Parameters, inputs and constants with their present values.
  [[nodiscard]] std::vector<NamedArray> parameters() const;
};

} // namespace lmc::runtime
