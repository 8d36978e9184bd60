// A model as searches for its motions see it: f, one step, outputs and constraints with their exact derivatives at a
// state, as vectors and matrices in coordinates of the tangent space (methods/derivatives/TangentCoordinates.h).
#pragma once

#include "checks/states/StateSpace.h"
#include "runtime/derivatives/JumpTrajectory.h"

#include <Eigen/Core>

#include <chrono>
#include <memory>
#include <string>

namespace lmc::checks {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// f and what holds, to first order.
struct FieldAt {
  Vector rate;                            ///< coordinates of y' = f
  Matrix byState, byInputs, byParameters; ///< A of the variational equation, and its columns by data
  Vector constraints;                     ///< c of all equations, then their rates; empty without
  Matrix constraintsByState;
};

/// A step and its tangent map.
struct StepAt {
  State next;
  Matrix byState; ///< Phi: from coordinates at the state to coordinates at `next`
};

class MotionModel {
public:
  /// The problem must outlive it. `status` tells whether it can be used.
  explicit MotionModel(const runtime::LinearizedProblem& problem);

  [[nodiscard]] const runtime::LinearizedProblem& problem() const { return w_.problem(); }
  /// Of the last call that failed (runtime::Status), else Ok.
  [[nodiscard]] std::int32_t status() const { return status_; }
  /// More about the last call that failed, a sentence without a full stop; empty: nothing.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// The state jumps: steps go through events, resets, samplings and contacts, each as one that follows another.
  [[nodiscard]] bool jumps() const { return problem().jumps.has_value(); }
  /// From now on so many seconds may pass; afterwards all calls return nothing, so that searches end.
  void limit(double seconds);
  [[nodiscard]] bool late() const { return std::chrono::steady_clock::now() > end_; }
  [[nodiscard]] Eigen::Index coordinates() const { return w_.problem().coordinates; }
  [[nodiscard]] const State& initialState() const { return w_.problem().problem.initialState; }

  /// All numbers that stand in Params; the values of inputs hold where their flags are set.
  [[nodiscard]] const std::vector<double>& params() const { return params_; }
  bool setParams(const std::vector<double>& params);

  // All return nothing where f, the step, … is not a number there or an iteration fails; `status` then tells why.
  [[nodiscard]] std::optional<FieldAt> field(const State& y, double t);
  /// The coordinates of y' alone, and constraints.
  [[nodiscard]] std::optional<Vector> rate(const State& y, double t);
  [[nodiscard]] std::optional<Vector> constraints(const State& y, double t);
  [[nodiscard]] std::optional<Matrix> constraintsByState(const State& y, double t);
  [[nodiscard]] std::optional<StepAt> step(const State& y, double t, double h);
  [[nodiscard]] std::optional<State> stepped(const State& y, double t, double h);
  /// What the times of events and the states behind resets are made of, at a state: values of events, and the states.
  [[nodiscard]] std::optional<Vector> jumpsAt(const State& y, double t);
  /// Energy and observables, by the names of the problem; with their derivatives by the state.
  [[nodiscard]] std::optional<Vector> outputs(const State& y, double t);
  [[nodiscard]] std::optional<Matrix> outputsByState(const State& y, double t);

  /// The state moved along a tangent vector, and the tangent vector between two states nearby.
  [[nodiscard]] std::optional<State> moved(const State& y, const Vector& z);
  [[nodiscard]] std::optional<Vector> difference(const State& from, const State& to);
  /// The coordinates of a change of storage.
  [[nodiscard]] std::optional<Vector> coordinatesOf(const State& y, const State& change);
  /// Orthonormal columns that span the tangent space, along which constraints hold.
  [[nodiscard]] std::optional<Matrix> basis(const State& y, double t);

private:
  [[nodiscard]] bool at(const State& y);
  bool good(std::int32_t status);
  [[nodiscard]] bool jumpingStep(const State& y, double t, double h, std::vector<runtime::Passage>* passages);

  runtime::LinearizedWorkspace w_;
  std::unique_ptr<runtime::JumpMotion> motion_; ///< of a model whose state jumps
  std::string why_;
  std::vector<double> params_;
  std::int32_t status_ = 0;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
};

/// Whether f or the constraints depend on time, judged at a state near the initial one.
[[nodiscard]] bool dependsOnTime(MotionModel& model, StateSpace& space, double t);

/// The sizes of coordinates at a state, by which changes are judged: of points 1, of vectors, velocities, momenta and
/// elements of duals their largest entry, 1 where it is 0.
[[nodiscard]] Vector coordinateSizes(const StateSpace& space, const State& y);
/// The same with those of discrete variables, whose coordinates follow the others: 1.
[[nodiscard]] Vector coordinateSizes(const MotionModel& model, const StateSpace& space, const State& y);

} // namespace lmc::checks
