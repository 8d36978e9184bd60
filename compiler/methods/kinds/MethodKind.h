// What a kind of method makes of a model: the state that a method reads and advances, the meaning of the words of its
// row in the table of kinds (methods/checked/kinds.def), the spaces of its values.
#pragma once

#include "methods/checked/Replay.h"
#include "methods/checked/Tableau.h"
#include "methods/kinds/Needs.h"
#include "methods/phase/Phase.h"
#include "methods/phase/Space.h"
#include "methods/phase/Step.h"
#include "methods/solve/Defined.h"
#include "methods/solve/Newton.h"
#include "sema/Compilation.h"

#include <functional>
#include <memory>

namespace lmc::methods {

/// Words and operators come with arguments that the table allows; a word that this model cannot have is reported.
class MethodKind : public Meanings {
public:
  /// Values of the state's variables at the begin of a step, in the order of the table.
  [[nodiscard]] virtual std::vector<sema::Value> state() = 0;
  /// What iterations start from beside the state, carried from step to step of a composition. A step within an
  /// iteration must not leave its own behind.
  [[nodiscard]] virtual sema::Tuple guess() const { return {}; }
  virtual void setGuess(const sema::Tuple&) {}
  /// What `retract` is from now on: exp, cay, or a function that the groups declare.
  virtual void useRetraction(const std::string&) {}
  /// Sets `state` and `next` of the step from the values after it.
  virtual void finish(const std::vector<sema::Value>& next) = 0;
  /// Results of a step for its error estimate (Step::embedded, embedded2, turnBefore); the others may be empty.
  struct ForEstimate {
    std::vector<sema::Value> second, third, turnBefore, edges;
  };
  /// Sets them in the step, after `finish`. Of kinds that have error estimates.
  virtual void embed(const ForEstimate& /*results*/) {}

  /// What an unknown of equations on positions counts against beside its own size in a step of length h: such equations
  /// hold to the round-off of the positions, whatever the motion, which may be none. Empty where nothing is added.
  [[nodiscard]] virtual sym::Expr positionSize(sym::Expr h) { return (void)h, sym::Expr(); }
  /// The arrays of the model that f is made of; none of kinds without f.
  [[nodiscard]] virtual sema::ArrayTuple rateArrays() const { return {}; }
  /// Of kinds whose steps may be calls (StepCalls): the space of values of one kind, else an empty one.
  [[nodiscard]] virtual Space rowSpace(sema::ValueKind /*kind*/) const { return {}; }
  /// Of such a kind: whether f, asked for something else, gives the velocities that constraints permit (Phase::Asked),
  /// and what is asked for from here on. Then the end of a step is put on constraints by calls: of what moves its
  /// positions at a time, and of f there.
  [[nodiscard]] virtual bool projectsByRates() { return false; }
  virtual void ask(sym::Expr /*forces*/) {}
  virtual sema::Value onPositions(sym::Expr /*time*/, const sema::Value& state) { return state; }
  /// A state with the velocities that f has given.
  [[nodiscard]] virtual sema::Value withVelocities(const sema::Value& state, const sema::Value& /*given*/) const {
    return state;
  }
  /// Values of words so far that the model's equations find by a linear system.
  [[nodiscard]] virtual std::vector<DefinedValues> defined() { return {}; }
  /// Whether slopes of momenta by velocities that do not depend on the state are regular matrices.
  [[nodiscard]] virtual bool hasRegularMass() const { return false; }
  /// The space of a linear value (an algebra element, a momentum); nothing for points.
  [[nodiscard]] virtual std::optional<Space> space(const sema::Value& v) const = 0;
  /// What an unknown of `solve` is and starts from when nothing is said.
  [[nodiscard]] virtual sema::Value defaultStart() = 0;
  /// Points as unknowns: point = exp(shift)*start, equal points as equal numbers.
  [[nodiscard]] virtual Space shiftSpace() const = 0;
  [[nodiscard]] virtual sema::Tuple shifted(const sema::Tuple& point, const sema::Tuple& shift) = 0;
  /// As many numbers as a shift has, which vanish exactly when a = b near `start`; `shift` is free along the isotropy
  /// and is fixed there.
  [[nodiscard]] virtual sema::Tuple difference(const sema::Tuple& a, const sema::Tuple& b,
                                               const sema::Tuple& shift) = 0;
};

/// Shared by the kinds: the step in work and what counts its cost.
struct KindContext {
  sema::Compilation& compilation;
  mechanics::Layer& layer; ///< that the step is added to
  const mechanics::System& system;
  Step& step;
  bool sharesStages = false; ///< stages of a long step may call one f
  /// Counts the operations of the step written out, by a trial (methods/Parts.h); of steps that may share code.
  std::function<std::size_t()> writtenOut = {};
  JoinedSystems* joined = nullptr; ///< where stages that are equations are solved with a system around the step
};

/// Evaluations of f that serve the other results of a step alone are not carried out where no estimate is wanted: they
/// are none of its own. `fields`: what each evaluation gives.
void countOwn(const sym::Program& program, Step& step, const std::vector<sema::Tuple>& fields);

/// The weights of a tableau that it has, in the order of their declarations: those of the result come first.
using ListsOfWeights = std::vector<const std::vector<sym::Number>*>;
[[nodiscard]] ListsOfWeights weightsOf(const Tableau& tableau);

/// The stages of an explicit tableau that call one f, on rows of so many numbers, with an end for each of some of its
/// weights: all of it but `begin` and `rate`.
[[nodiscard]] SharedStages sharedStages(sym::Graph& g, const Tableau& tableau, const ListsOfWeights& lists,
                                        std::int64_t row);

/// What a trial hands on (Step.h): `difference`, of the results but for the last stage, and what that adds.
[[nodiscard]] LastStage lastStage(sym::Program& program, const Space& space, const sema::Tuple& difference,
                                  const sema::Tuple& added);

/// The arrays that hold what f has of its own: what is a part of the state, as velocities are, needs not be handed on.
/// Nothing where f is no list of arrays.
[[nodiscard]] std::optional<sema::ArrayTuple> ownArrays(const sym::Program& program, const sema::Tuple& f);

/// The multipliers of the last evaluation of f, which a function with it leaves; taken from the step.
[[nodiscard]] LeftMultipliers leftMultipliers(sym::Graph& g, Step& step);

/// The class of a row, for a model that has what the row needs.
[[nodiscard]] std::unique_ptr<MethodKind> makeKind(const KindContext& context, const KindOfMethod& row,
                                                   const ModelParts& parts);

} // namespace lmc::methods
