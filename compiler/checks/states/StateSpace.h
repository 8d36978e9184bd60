// The states of a model as numbers: directions at a state, states near it, the map f.
//
// A direction has, for each phase variable in the order of declaration, an algebra element u for its point and an
// element a for its velocity, momentum or element of a dual; each by parts, of a family the members of a part one after
// the other. u is in the declared frame, and a is the change of the coordinates: a direction is what f returns, with
// the whole mu' of a momentum.
#pragma once

#include "methods/phase/PhaseGroup.h"
#include "products/stages/ModelFunctions.h"

#include <optional>
#include <random>

namespace lmc::checks {

/// By this part of themselves numbers are moved where it is asked what their rounding changes.
inline constexpr double rounding = 4e-16;

using State = std::vector<double>;
using Direction = std::vector<double>;

/// One phase variable and its place in a direction.
struct Variable {
  std::string name;
  methods::PhaseKind kind = methods::PhaseKind::State;
  std::size_t index = 0; ///< into Model::factors or Model::states
  const sema::Manifold* manifold = nullptr;
  sema::Frame frame = sema::Frame::Body; ///< of a group; Space for a homogeneous manifold
  std::int64_t extent = 0;               ///< 0: no family
  bool vector = false;                   ///< its group is a vector space: exp(u)*q = q + u
  std::size_t size = 0;                  ///< of an algebra element, all members together
  std::size_t points = 0; ///< where u stands; of an element of a dual there is none, and this is `fibers`
  std::size_t fibers = 0; ///< where a stands; of a state on a manifold there is none
  std::size_t pointState = 0, pointSize = 0; ///< where the point stands in the state
  std::size_t fiberState = 0;                ///< where velocity, momentum or element of a dual stand in the state
  [[nodiscard]] bool hasPoint() const { return kind != methods::PhaseKind::Dual; }
  [[nodiscard]] bool hasFiber() const { return kind != methods::PhaseKind::State; }
  [[nodiscard]] bool isFactor() const {
    return kind == methods::PhaseKind::Velocity || kind == methods::PhaseKind::Momentum;
  }
  [[nodiscard]] std::int64_t members() const { return extent > 0 ? extent : 1; }
};

/// A number that is 0 where a law holds, relative to the size of what it is made of, and what rounding the state
/// changes of it.
struct Deviation {
  double value = 0, doubt = 0;
  void include(double otherValue, double otherDoubt);
  /// Nothing where rounding hides whether it is 0.
  [[nodiscard]] std::optional<bool> vanishes() const;
  /// Up to this a number may be 0, times 1 or the size of what is compared.
  [[nodiscard]] static double tolerance(double doubt);
};
/// A tolerance above this says nothing.
inline constexpr double coarsest = 1e-5;

class StateSpace {
public:
  /// Adds equations of its own to the system's, which ends after it: work on expressions belongs to it as long as it
  /// lives. `problem` gives parameters and the initial state.
  StateSpace(const mechanics::System& system, const runtime::Problem& problem);

  /// For functions of a check; each may read the state, `direction(v)` and `frozen`. All are declared before `prepare`.
  [[nodiscard]] products::ModelFunctions& functions() { return functions_; }
  [[nodiscard]] const mechanics::System& system() const { return system_; }
  /// To which checks add equations.
  [[nodiscard]] mechanics::Layer& layer() { return layer_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] std::size_t directionSize() const { return directionSize_; }
  /// The arrays of u and of a of a variable in the given direction.
  [[nodiscard]] const sema::ArrayTuple& pointDirection(std::size_t variable) const { return points_[variable]; }
  [[nodiscard]] const sema::ArrayTuple& fiberDirection(std::size_t variable) const { return fibers_[variable]; }
  /// A second state, by the state's arrays: what is held fixed while the state is moved.
  [[nodiscard]] const std::unordered_map<const sym::Array*, const sym::Array*>& frozen() const { return frozen_; }
  /// Arrays of f: of each variable those that go with `pointDirection`, then those that go with `fiberDirection`.
  [[nodiscard]] const sema::ArrayTuple& fieldArrays() const { return fieldArrays_; }
  void prepare() { functions_.prepare(); }

  [[nodiscard]] std::vector<double> call(products::ModelFunctions::Function f, const State& y, double t,
                                         const Direction& d = {}, const State& frozen = {});
  /// A state near y: exp(s u) acts on points, s a is added to what follows them and made horizontal.
  [[nodiscard]] State moved(const State& y, const Direction& d, double s = 1);
  /// f(t, y) as a direction. The last result is kept: with a dense mass matrix it is expensive.
  [[nodiscard]] const Direction& field(const State& y, double t);
  /// A state near y in a random direction, where f is finite and constraints hold; y itself if there is none.
  [[nodiscard]] State near(const State& y, double t, std::mt19937_64& engine);

  /// c of all constraints, then their rates; empty without.
  [[nodiscard]] std::vector<double> constraints(const State& y, double t);
  /// y moved until constraints hold, its points first, then velocities or momenta: by Newton's method with the smallest
  /// changes and derivatives by differences. Nothing where it does not get there.
  [[nodiscard]] std::optional<State> onConstraints(const State& y, double t);

  /// f where state, parameters and time are moved by about their rounding (`sign` 1 or -1).
  [[nodiscard]] Direction roundedField(const State& y, double t, int sign);
  /// The state with its numbers moved by about their rounding, one up and the next one down (`sign` 1) or the other
  /// way: what a function changes by is what rounding may have made of it.
  [[nodiscard]] static State rounded(const State& y, int sign);

  /// The size by which changes of a point are judged: the largest entry of a vector (1 if it is 0), otherwise 1.
  [[nodiscard]] double pointScale(const Variable& v, const State& y) const;
  /// The largest entry of a velocity, momentum or element of a dual; 1 if it is 0.
  [[nodiscard]] double fiberScale(const Variable& v, const State& y) const;
  /// How fast the state changes in a direction, per unit of time, by these scales. A velocity near 0 is no reason for a
  /// fast rate: it counts at least as what its change makes of it while the point moves by its scale.
  [[nodiscard]] double rate(const State& y, const Direction& f) const;
  /// The rates of the motion at states, each with a time. Where it rests, its rate is round-off: no rate is less than a
  /// small part (`smallPart`) of the largest.
  [[nodiscard]] std::vector<double> rates(const std::vector<std::pair<State, double>>& states);
  /// The size of a velocity that belongs to a motion of this rate, at least its own.
  [[nodiscard]] double velocityScale(const Variable& v, const State& y, double rate) const;

private:
  [[nodiscard]] double ownRate(const State& y, const Direction& f) const; ///< 0 where all of f is 0
  void addVariables();
  void addDirections();
  void addMotion();
  void addField();
  [[nodiscard]] std::optional<State> satisfied(State y, double t, bool points);

  const mechanics::System& system_;
  mechanics::Layer layer_;
  sym::Graph::Work work_;
  sym::Program& p_;
  products::ModelFunctions functions_;
  std::size_t stateSize_ = 0, directionSize_ = 0;
  std::vector<Variable> variables_;
  std::vector<sema::ArrayTuple> points_, fibers_;
  sema::ArrayTuple fieldArrays_;
  std::unordered_map<const sym::Array*, const sym::Array*> frozen_;
  products::ModelFunctions::Function moved_, field_;
  std::optional<products::ModelFunctions::Function> constraints_;
  struct {
    State y;
    double t = 0;
    Direction f;
  } last_;
};

/// What is less than this part of its size at states nearby may be round-off, as in an equilibrium.
inline constexpr double smallPart = 1e-3;

/// Whether all numbers are finite.
[[nodiscard]] bool finite(const std::vector<double>& numbers);

} // namespace lmc::checks
