// Derivatives of a model at states: calls of the functions of a LinearizedProblem.
#pragma once

#include "runtime/contract/LinearizedProblem.h"
#include "runtime/run/Workspace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lmc::runtime {

/// A count or an offset as an index of the standard library.
[[nodiscard]] inline std::size_t at(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

/// Memory of one thread and calls on it. The problem must outlive it. Calls return a tape::Status; results are valid
/// until the next call of the same function.
class LinearizedWorkspace {
public:
  using In = std::span<const double>;

  explicit LinearizedWorkspace(const LinearizedProblem& problem) : p_(&problem), w_(problem.problem) {}

  /// Loads parameters and the initial state of the problem, computes what depends on parameters alone.
  [[nodiscard]] std::int32_t start() { return w_.start(); }
  [[nodiscard]] const LinearizedProblem& problem() const { return *p_; }

  /// The storage of the state at which derivatives are taken.
  [[nodiscard]] std::span<double> state() { return w_.state().first(static_cast<std::size_t>(p_->stateSize)); }
  /// Values of all inputs, from now on, in place of their laws; in the order of `inputNames`.
  void setInputs(In values);
  /// Inputs follow their laws again.
  void releaseInputs();
  /// All that stands in Params, in the layout of the model.
  [[nodiscard]] std::int32_t load(In params);
  /// Values of all parameters, in the order of `parameterNames`.
  [[nodiscard]] std::int32_t setParameters(In values);

  /// Image of a direction: coordinates of the change of the state, changes of inputs and of parameters. Any may be
  /// empty: zero. `time`: changes of the time and of h, of a problem with `jumps`.
  [[nodiscard]] std::int32_t forward(LinearizedMap map, double t, double h, In direction, In inputs = {},
                                     In parameters = {}, In time = {});
  /// A function of LinearizedJumps along such a direction.
  [[nodiscard]] std::int32_t change(int function, double t, double member, In direction, In inputs, In parameters,
                                    double time);
  /// Covectors of state, inputs and parameters for a covector of the image. `field`: of Field, a covector of the change
  /// of f itself, whose image is added.
  [[nodiscard]] std::int32_t adjoint(LinearizedMap map, double t, double h, In covector, In field = {});
  /// All matrices. Where they were not compiled as a whole (large systems), column by column.
  [[nodiscard]] std::int32_t matrices(LinearizedMap map, double t, double h);

  // Results. A matrix has its columns one after the other: entry (i, j) is at i + j*rows.
  [[nodiscard]] In value(LinearizedMap map) const { return w_.numbers(of(map).value); }
  [[nodiscard]] In image(LinearizedMap map) const { return w_.numbers(of(map).image); }
  [[nodiscard]] In byState(LinearizedMap map) const { return w_.numbers(of(map).byState); }
  [[nodiscard]] In byInputs(LinearizedMap map) const { return w_.numbers(of(map).byInputs); }
  [[nodiscard]] In byParameters(LinearizedMap map) const { return w_.numbers(of(map).byParameters); }
  /// A, Φ or C: rows are values, columns are coordinates.
  [[nodiscard]] In stateMatrix(LinearizedMap map) const;
  /// B, Γ or D: columns are numbers of the inputs.
  [[nodiscard]] In inputMatrix(LinearizedMap map) const;
  [[nodiscard]] In parameterMatrix(LinearizedMap map) const;
  /// Of Field: the change of f itself (forward), and its matrix.
  [[nodiscard]] In fieldImage() const { return w_.numbers(of(LinearizedMap::Field).fieldImage); }
  [[nodiscard]] In fieldMatrix() const;

  /// The state moved along a tangent vector, of which only the horizontal part counts.
  [[nodiscard]] std::int32_t moved(In direction, std::span<double> state);
  /// The change of storage that a tangent vector stands for, and back.
  [[nodiscard]] std::int32_t lift(In direction, std::span<double> change);
  [[nodiscard]] std::int32_t coordinates(In change, std::span<double> direction);
  /// The tangent vector that moves the state to another one nearby: the inverse of `moved`, by iteration. Status
  /// NoConvergence where they are too far apart, as opposite points of a sphere are.
  [[nodiscard]] std::int32_t difference(In other, std::span<double> direction);
  /// An orthonormal basis of the tangent space in coordinates: unit vectors on groups, a basis of the horizontal ones
  /// on homogeneous manifolds; of a model with constraints, of the vectors along which these and their rates hold at
  /// time t. `basis` gets the vectors one after the other; the number of vectors is their dimension.
  [[nodiscard]] std::int32_t basis(double t, std::vector<double>& basis);

  /// The memory, for who steps the state and lets it jump.
  [[nodiscard]] Workspace& memory() { return w_; }

private:
  [[nodiscard]] bool reached(In from, In state, In other) const;
  void putDirection(In direction, In inputs, In parameters, In time);
  [[nodiscard]] const LinearizedFunctions& of(LinearizedMap map) const { return p_->of(map); }
  /// Writes a field; what `values` do not have is 0.
  void put(const Field& field, In values);
  [[nodiscard]] std::int32_t column(LinearizedMap map, double t, double h, const Field& directions, std::size_t j);
  [[nodiscard]] std::int32_t columns(LinearizedMap map, double t, double h);
  [[nodiscard]] std::int32_t keepConstraints(double t, std::vector<double>& basis);

  const LinearizedProblem* p_;
  Workspace w_;
  struct Assembled {
    std::vector<double> state, inputs, parameters, field;
  };
  std::array<Assembled, linearizedMaps> assembled_; ///< matrices that were assembled column by column
};

/// Puts the state of a workspace back at its end, also behind an exception.
class KeptState {
public:
  explicit KeptState(LinearizedWorkspace& workspace)
      : w_(workspace), state_(workspace.state().begin(), workspace.state().end()) {}
  ~KeptState() { std::copy(state_.begin(), state_.end(), w_.state().begin()); }
  KeptState(const KeptState&) = delete;
  KeptState& operator=(const KeptState&) = delete;

private:
  LinearizedWorkspace& w_;
  std::vector<double> state_;
};

} // namespace lmc::runtime
