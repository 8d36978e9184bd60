// One time step as equations over those of the model.
#pragma once

#include "sym/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::methods {

/// Numbers that a step hands to the next one. They are zero at the begin of a run.
struct KeptNumbers {
  const sym::Array* now = nullptr;  ///< role State
  const sym::Array* next = nullptr; ///< a Temp array with what the next step is given
  const sym::Array* of = nullptr;   ///< of a copy of the state: that array of it
};

/// One of the steps that a composition is made of: from t + begin h over length h.
struct StepPart {
  std::size_t step = 0; ///< among Step::steps
  double begin = 0, length = 1;
};

/// Multipliers of constraints at the point of an evaluation of f, which those who observe them read.
struct LeftMultipliers {
  const sym::Array* value = nullptr; ///< null: none
  const sym::Array* given = nullptr; ///< role State: the same, as a reader finds it
};

/// The stages of an explicit Runge–Kutta method, where f stands in the code once and is called: k_i = rate at the time
/// t + c_i h and at point = begin + h sum_j a_ij k_j, and then begin + h sum_i b_i k_i for each list of weights b. In
/// storage coordinates these are states; of a Munthe-Kaas method they are elements of the algebra, of which the first
/// is zero, and `rate` is dexpinv_u f(t, exp(u)*y). All arrays are of d numbers, one extent; sums of whole rows of
/// numbers are no equations.
struct SharedStages {
  const sym::Array* begin = nullptr; ///< the state at the begin, or zero
  const sym::Array* point = nullptr; ///< role State: what `rate` reads
  const sym::Array* rate = nullptr;  ///< y' there, at Model::time
  std::vector<std::vector<double>> a;
  std::vector<double> c;
  std::vector<std::vector<double>> weights; ///< of the result, and of those for the error estimate
  std::vector<const sym::Array*> ends;      ///< role State: what `next` and the embedded results read, one for each
  std::vector<std::size_t> own;             ///< the stages that the result needs
  LeftMultipliers multipliers = {};         ///< at `point`
  const sym::Array* left = nullptr;         ///< role State: the rate of the last call, where the end reads it; or null
};

/// A step as calls of functions that stand in the code once, however often the body calls them: f, what an element of
/// the group does to a point, brackets. Each reads its arguments from places in memory of its own and leaves its result
/// in another. What stands between two calls, sums and multiples of rows, is a piece. All arrays are rows of numbers,
/// of one extent (methods/phase/Space.h), but for times, which are single numbers.
struct SharedCalls {
  struct Routine {
    std::string name;
    std::vector<const sym::Array*> arguments; ///< role State; null: the result does not depend on it
    const sym::Array* result = nullptr;
    const sym::Array* given = nullptr; ///< role State: the result, as the piece behind a call reads it
    int evaluations = 0;               ///< of f
    LeftMultipliers multipliers = {};  ///< where it is f at its arguments, a time and a state
  };
  /// What a piece leaves in memory.
  struct Write {
    const sym::Array* value = nullptr;
    const sym::Array* to = nullptr; ///< role State: an argument, or what later pieces or the step's results read
    bool own = false;               ///< the result of the step needs it, else those for the error estimate alone
  };
  /// Equations, and the call behind them.
  struct Piece {
    std::vector<Write> writes;
    std::optional<std::size_t> routine; ///< nothing behind the last piece
    bool own = false;                   ///< the result of the step needs the call
    int evaluations = 0;                ///< of f, that the call is
  };
  std::vector<Routine> routines;
  std::vector<Piece> pieces;
  const sym::Array* begin = nullptr; ///< the state at the begin, as a row
  /// The argument of f that says whether f is asked for, or velocities (Phase::Asked), and a number for which it is f;
  /// null where f is nothing else.
  const sym::Array *forces = nullptr, *ofForces = nullptr;
};

/// The power series of the motion, of which a step is a partial sum, put back onto the manifold, and whose last terms
/// are its error. So the error is known before the step is made, for any length.
struct StepSeries {
  const sym::Array* coefficients = nullptr;          ///< what `next` reads of the series
  int first = 0, last = 0;                           ///< the powers of the step size in the error
  std::vector<std::vector<const sym::Array*>> terms; ///< of each power, over the step size; shaped like the state
};

/// Of a pair that evaluates f at the end of a step, for its estimate alone: the next step begins there, with the same
/// f. So a trial is given f at its begin, and finds the one at its end: where f is known, it is evaluated one time
/// less. Such a trial is two functions, one from the begin to the new state, one from that to the errors and to f. All
/// of `first` and `change` are equations at the model's state and time, which for the second function are the new ones.
struct LastStage {
  std::vector<const sym::Array*> first;      ///< f; of SharedStages what the last call of the stage has left
  std::vector<const sym::Array*> difference; ///< Temp: by what the results differ, but for the last stage
  std::vector<const sym::Array*> given;      ///< role State: the same, as the second function finds it
  std::vector<const sym::Array*> change;     ///< Temp: what takes `next` to `embedded`, to first order
  bool inStorage = false;                    ///< a difference of states; else an element of the algebra
};

/// One time step y -> next, over the time `Model::time` with the step size `stepSize`.
struct Step {
  std::string method;                      ///< as the user wrote it
  int order = 0;                           ///< declared
  int embeddedOrder = 0;                   ///< declared for the embedded result: q of `order p(q)`
  const sym::Array* stepSize = nullptr;    ///< role StepSize
  std::vector<const sym::Array*> state;    ///< the phase point's arrays, slot by slot
  std::vector<const sym::Array*> next;     ///< Temp arrays with their values after the step
  std::vector<const sym::Array*> embedded; ///< a second result, for the error estimate; empty: the method has none
  /// A third one, of a lower order, with which the estimate is combined; empty: the method has none.
  std::vector<const sym::Array*> embedded2;
  /// A fourth one, of stages that are turns of an iteration: that of the turn before the last one. What it differs by
  /// is added to the estimate. Empty of other methods.
  std::vector<const sym::Array*> turnBefore;
  /// f depends on the time, and the two results do not differ by what depends on it alone (methods/Quadrature.h).
  bool blindToTime = false;
  /// What the error estimate compares these with, where that is not `next`: the end of a step before it is moved onto
  /// the manifold. It is known earlier, and differs by what the comparison leaves out.
  std::vector<const sym::Array*> compared;
  /// Of a step whose error, the difference to `embedded`, is known before it is made.
  std::optional<StepSeries> series = {};
  std::vector<KeptNumbers> kept; ///< of `keep`, and by what a step knows whether they still hold
  bool independent = false;      ///< equations of constraints must not depend on each other
  /// Of a method that steps contacts: the velocities of all factors, part by part, before the impulses of the step,
  /// what these change (role State), and the tolerance of their equations; empty and null of others.
  std::vector<const sym::Array*> free, change;
  const sym::Array* tolerance = nullptr;
  /// Multipliers of constraints at the last evaluation of f; null: none.
  const sym::Array* multipliers = nullptr;
  int evaluations = 0;    ///< of f per step, those for the embedded result included
  int ownEvaluations = 0; ///< of f per step that `next` needs
  int exponentials = 0;   ///< of the phase group per step
  /// Of a composition whose parts share code: its different steps, and what it makes of them, one after the other, each
  /// from the state that the one before left. Then `next` is empty.
  std::vector<Step> steps;
  std::vector<StepPart> parts;
  /// Of a method whose stages share code; then `next` and the embedded results are what becomes of their `ends`.
  std::optional<SharedStages> stages = {};
  std::optional<LastStage> last = {}; ///< of a pair that hands on its last stage
  /// Of a method whose body calls functions; then `next` and the embedded results are what becomes of what its pieces
  /// leave in memory.
  std::optional<SharedCalls> calls = {};
  /// Several functions that call each other.
  [[nodiscard]] bool sharesCode() const { return !parts.empty() || stages || calls; }
};

} // namespace lmc::methods
