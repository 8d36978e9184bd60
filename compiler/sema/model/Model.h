// The checked model: what the user declared, as arrays and equations of one program, before any derivation.
//
// Every name is bound and every shape checked. Families, sums, recursions and time derivatives x' are equations of
// `program`; single `let`s are plain expressions. Arrays of role State and Param hold run-time data.
#pragma once

#include "diagnostics/Diagnostics.h"
#include "sema/values/Manifold.h"
#include "sym/Program.h"
#include "syntax/Ast.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lmc::sema {

/// Arrays of a tuple, one per part; all have the same extents: none for a single factor, {N} for a family.
using ArrayTuple = std::vector<const sym::Array*>;

/// What the second phase variable of a factor is: its velocity xi, or its momentum mu.
enum class Fiber : std::uint8_t { Velocity, Momentum };

/// `config q[N] : M velocity w in frame;` or `config q[N] : M momentum p in frame;`. Of the latter, `velocity…` are the
/// names and arrays of the momentum, an element of the dual of the algebra with the same storage.
struct Factor {
  std::string name;
  std::string velocityName;
  Fiber fiber = Fiber::Velocity;
  const Manifold* manifold = nullptr;
  Frame frame = Frame::Body; ///< of a group; Space for a homogeneous manifold
  std::int64_t extent = 0;   ///< number of members; 0: a single factor
  ArrayTuple point;          ///< role State
  ArrayTuple velocity;       ///< role State
  /// What user expressions read as the velocity (or momentum): `velocity` itself on a group; on a homogeneous manifold
  /// a Temp array that `program` defines as its horizontal projection (docs/conventions.md, section 7).
  ArrayTuple usedVelocity;
  /// xi, of which q' is made: `usedVelocity`; of a factor with a momentum Temp arrays that derivation defines as
  /// dH/dmu.
  ArrayTuple rate;
  /// The sum of all `force on`: Temp arrays with Accumulate equations; empty when there is none.
  ArrayTuple force;
  /// momentum(q) of a factor with a velocity: Temp arrays that derivation defines; empty unless the model uses it.
  ArrayTuple momentum;
  /// xi' (mu') as expressions read it: Temp arrays that derivation defines; empty unless the model uses it.
  ArrayTuple acceleration;
  Range range; ///< of the name in the declaration
};

/// `state z[N] : M in frame;` with its flow, or `state mu[N] : dual(G) in frame;`, which its flow moves by the
/// coadjoint action: mu' = ad*_flow mu in body, -ad*_flow mu in space.
struct StateVariable {
  std::string name;
  const Manifold* manifold = nullptr;
  bool dual = false; ///< an element of the dual of the algebra of `manifold`, a group
  Frame frame = Frame::Body;
  std::int64_t extent = 0;
  ArrayTuple point;   ///< role State
  ArrayTuple flow;    ///< Temp: the algebra element, by parts of the group's algebra
  bool given = false; ///< by `flow`; otherwise (of a dual) derivation defines it as dH/dmu
  /// z' as expressions read it, by parts of the storage: Temp arrays, which derivation defines; empty unless used.
  ArrayTuple derivative;
  Range range;
  /// Of the storage.
  [[nodiscard]] const std::vector<Part>& parts() const { return dual ? manifold->algebra() : manifold->point(); }
};

/// One phase variable in the order of declaration: a factor or a state.
struct PhaseVariable {
  bool isFactor = true;
  std::size_t index = 0; ///< into factors or states
};

/// `constraint NAME[…] when CONDITION : left = right;`, a number or a vector for each member; or one of a joint.
struct Constraint {
  std::string name;                       ///< "hinge.at" of the joint `hinge`
  std::string joint;                      ///< the instance that it belongs to; empty: it is one by itself
  std::string part;                       ///< its name within the joint
  const sym::Array* array = nullptr;      ///< left - right; Temp
  std::vector<std::int64_t> first;        ///< of a family: the index of the first member, per extent; empty: 1
  bool velocities = false;                ///< contains velocities, and holds on them; else on positions
  const sym::Array* active = nullptr;     ///< Temp: 1 where a member holds, 0 where not; null: all of them do
  const sym::Array* multiplier = nullptr; ///< Temp, like `array`; derivation defines it
  std::map<std::size_t, ArrayTuple>
      reactions; ///< B^T lambda of a factor, where the model uses it; derivation defines it
  Range range;   ///< of the name
  Range equation;
};

/// `contact NAME : left >= right { … }`: a gap that closes, and what happens then. Its forces are those of two
/// constraints, which hold as long as it is closed: on the gap, and on the slip while it sticks.
struct Contact {
  enum Mode : std::uint8_t { Open = 0, Slides = 1, Sticks = 2 }; ///< `Slides`: closed, of one without friction, too

  std::string name;
  Range range;                     ///< of the name
  Range equation;                  ///< of the comparison
  std::size_t normal = 0;          ///< the constraint on the gap, into Model::constraints
  std::optional<std::size_t> slip; ///< that on the slip; nothing: there is no friction
  // Numbers of the state, by members, which change at impacts and where contacts open, stick or slide.
  const sym::Array* mode = nullptr;
  const sym::Array* memory = nullptr;   ///< the direction in which it slides, very short; null without friction
  const sym::Array* speed = nullptr;    ///< the largest speed of its impacts so far
  const sym::Array* impulse = nullptr;  ///< of its last impact, along the normal
  const sym::Array* friction = nullptr; ///< likewise, along the slip; null without friction
  // Temp arrays, by members.
  const sym::Array* size = nullptr; ///< |left| + |right|, of which rounding is a part
  const sym::Array* restitution = nullptr;
  const sym::Array* coefficient = nullptr; ///< of friction; null without
  const sym::Array* rest = nullptr;        ///< the speed below which it stays closed; null: not given
  const sym::Array* scale = nullptr;       ///< of forces at it, for rounding; derivation defines it
  /// By which factor friction takes away from the resistance of the normal: 1 without. Derivation defines it; null
  /// without friction.
  const sym::Array* pivot = nullptr;
};

/// What an event of a contact tells.
enum class ContactCause : std::uint8_t { None, Closes, Opens, Slips, Sticks, Turns, Jams };

/// What may move at the begin until constraints hold: the points of a factor, or its velocities (momenta).
struct AdjustedVariable {
  std::size_t factor = 0;
  bool fiber = false;
};

/// `force F at P;` inside its loops.
struct ForceAt {
  std::vector<sym::Loop> loops;
  sym::Expr guard;
  sym::Expr force, position; ///< of one shape
  Range range;
};

/// `param`, a column of a table that a `param` is, or the run-time side of an `input u`: two arrays, which say whether
/// its value is given, and that value.
struct Parameter {
  enum class Use : std::uint8_t { Parameter, Table, InputGiven, InputValue };
  std::string name;                  ///< of an input "u.given", "u.value", for readers; of a column "road.height"
  const sym::Array* array = nullptr; ///< role Param
  /// Temp array with the value: the override of the command line, else the default. It reads other parameters.
  const sym::Array* value = nullptr;
  Range range;
  Use use = Use::Parameter;
  std::string input;     ///< the input that it belongs to; empty: it is a parameter of its own
  std::size_t other = 0; ///< of an input: the other one of the two, into Model::parameters
};

/// The initial value of one State array (a part of a point or a velocity).
struct InitialValue {
  const sym::Array* state = nullptr;
  const sym::Array* value = nullptr; ///< Temp; reads parameters, random arrays and other initial values, t = start
};

struct Observable {
  std::string name;
  const sym::Array* array = nullptr; ///< Temp
  std::vector<std::int64_t> first;   ///< of a family: the index of the first member, per extent; empty: 1
};

/// `discrete NAME : T = value;`: a part of the state that resets change, and steps leave as it is.
struct DiscreteVariable {
  std::string name;
  ArrayTuple arrays; ///< role State, by `parts`; whole numbers, and truth values as 0 and 1, too
  std::vector<Part> parts;
  const Manifold* manifold = nullptr;   ///< of a point; null: numbers, an element of an algebra or its dual
  Range range;                          ///< of the name
  bool real = false;                    ///< declared, and neither whole numbers nor truth values: it has derivatives
  bool shown = true;                    ///< a run writes it out
  std::vector<std::int64_t> first = {}; ///< as of an observable
};

/// What an array of the state becomes by a reset: read off the state before.
struct ResetValue {
  const sym::Array* state = nullptr;
  const sym::Array* after = nullptr; ///< Temp, of the same extents
};

/// `event name = e;`: a run stops where e crosses zero; `event name = e { reset … }`: there the state changes.
struct Event {
  std::string name;
  const sym::Array* array = nullptr;       ///< Temp; scalars
  std::vector<std::int64_t> first;         ///< as of an observable
  int direction = 0;                       ///< 1: rising only, -1: falling only
  const sym::Array* rate = nullptr;        ///< Temp, like `array`: its rate along the motion, where that costs little
  bool goesOn = false;                     ///< it has a block, perhaps an empty one: the run does not stop
  std::vector<ResetValue> resets;          ///< of a family by the member whose number is Model::member
  ContactCause cause = ContactCause::None; ///< of an event that a contact makes
  std::size_t contact = 0;                 ///< into Model::contacts
};

/// `every interval from first { reset … }`.
struct Sampling {
  std::string name;                     ///< "every 0.01", for messages
  const sym::Array* interval = nullptr; ///< 0-dimensional Temp; reads parameters alone
  const sym::Array* first = nullptr;    ///< the first time, likewise; null: the begin of the run
  std::vector<ResetValue> resets;
  Range range; ///< of the interval
};

/// An array whose contents are drawn from the run's seed, in this order, before parameters are evaluated.
struct RandomArray {
  const sym::Array* array = nullptr;
  bool uniform = false; ///< uniform on (0, 1); otherwise standard normal
};

/// An array with the contents of a file, row by row.
struct DataArray {
  const sym::Array* array = nullptr;
  std::vector<double> values;
};

/// A place where data decide which row of a table is read: a run that leaves the table is told so.
struct LookUp {
  std::string text;                     ///< as written: "interpolate(road.height, x)"
  const sym::Array* argument = nullptr; ///< Temp; one number, or one for each turn of the loops around it
  const sym::Array* first = nullptr;    ///< Temp, one number each: the argument goes from here …
  const sym::Array* last = nullptr;     ///< … to here
  const sym::Array* disorder = nullptr; ///< Temp: how many nodes are not above the one before; null: no nodes
};

/// A tolerance of one variable (a configuration, a velocity, a state) or of all that have none of their own.
struct ToleranceSetting {
  std::string variable;                 ///< empty: all
  const sym::Array* absolute = nullptr; ///< null: that of all; of all: the relative one
  const sym::Array* relative = nullptr; ///< likewise
};

/// Values of `simulate`, and of the command line where it overrides them. Scalars are 0-dimensional Temp arrays.
struct Simulation {
  syntax::ExprPtr method; ///< a Name or a Call; null when not given
  const sym::Array* timeFrom = nullptr;
  const sym::Array* timeTo = nullptr;
  const sym::Array* step = nullptr;
  std::vector<ToleranceSetting> tolerances;       ///< empty: not given
  const sym::Array* accuracy = nullptr;           ///< of the whole run, where the method is chosen; null: not given
  Range stepRange, toleranceRange, accuracyRange; ///< of their values, where they are given
  bool sequential = false;                        ///< contacts that close at one time are taken one after the other
  bool poisson = false;                           ///< impacts by Poisson's law
  std::string controller;                         ///< of adaptive steps, as written; empty: not given
  Range controllerRange;
  const sym::Array* safety = nullptr; ///< of the controller
  bool embeddingNorm = false;         ///< errors are differences of states in storage, not elements of the algebra
  const sym::Array* outputEvery = nullptr;
  const sym::Array* outputSteps = nullptr;
  const sym::Array* seed = nullptr;
  Range range; ///< of the clause, or of the model's name when there is none
  bool present = false;
};

struct SceneDescription; // sema/model/Scene.h
struct SteppedContact;   // sema/model/ModelContacts.h

struct Model {
  explicit Model(sym::Graph& graph) : program(graph) {}

  std::string name;
  Range range;
  sym::Program program;
  const sym::Array* time = nullptr; ///< role Time
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, std::int64_t>> constants; ///< parameters of type int or bool
  std::vector<Factor> factors;
  std::vector<StateVariable> states;
  std::vector<PhaseVariable> order;
  sym::Expr lagrangian; ///< scalar; empty when the model has flows only, or a Hamiltonian
  Range lagrangianRange;
  sym::Expr hamiltonian; ///< scalar; empty without one
  std::vector<sym::Expr> dissipations;
  std::vector<ForceAt> forcesAt;
  std::vector<Constraint> constraints;
  std::vector<AdjustedVariable> adjusted;
  std::vector<InitialValue> initials;
  std::vector<Observable> observables;
  std::vector<Contact> contacts;
  /// The contacts of a model whose method steps them itself, by impulses; `contacts` and what they need is empty then.
  std::vector<std::shared_ptr<const SteppedContact>> stepped;
  std::vector<Event> events;
  std::vector<DiscreteVariable> discretes;
  std::vector<Sampling> samplings;
  /// The number of the member whose event has happened, from 1: an argument of the functions of resets. Null where no
  /// family of events has resets.
  const sym::Array* member = nullptr;
  std::vector<RandomArray> randoms;
  std::vector<DataArray> data;
  std::vector<LookUp> lookUps;
  /// `energy` as an expression: a Temp array that derivation defines; null unless the model uses it.
  const sym::Array* energy = nullptr;
  Simulation simulation;
  /// What a picture shows; null unless it was asked for or the model has a `view`.
  std::shared_ptr<const SceneDescription> scene;
  /// Places of `initial` clauses, by the name of the variable, for messages about bad initial values.
  std::vector<std::pair<std::string, Range>> initialRanges;
};

/// The Lagrangian of a model read once more, with x' of an expression of points as the derivative along free rates q'
/// of the points instead of along T(q) xi.
struct AmbientModel {
  /// The configurations, and of all else what the Lagrangian reads, with arrays of its own. What stands for what in the
  /// model is seen by where it is declared.
  std::unique_ptr<const Model> model;
  const sym::Array* lagrangian = nullptr; ///< the Lagrangian as an array of its program
  std::vector<ArrayTuple> rates;          ///< q' of each factor, by parts of its point; no equations
};

} // namespace lmc::sema
