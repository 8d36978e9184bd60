// The derivatives of f against its differences: what `linearize`, implicit methods and the host interface take of a
// model's equations.
//
// f is differentiated along a motion of the state by a forward pass, and the derivative of a combination of its numbers
// by a reverse pass. Both are compared with central differences of f itself, of which only values are taken; the
// motion, in the coordinates of the storage, is found by differences, too.
#pragma once

#include "checks/states/StateSpace.h"

#include <optional>

namespace lmc::checks {

/// Relative to the change of f along the same motion; infinite where a derivative is not finite.
struct FieldDerivativeErrors {
  double forward = 0, backward = 0;
  [[nodiscard]] bool holds() const;
};

class FieldDerivatives {
public:
  /// Declares its functions; `space` is to be prepared afterwards.
  explicit FieldDerivatives(StateSpace& space);

  /// The median over the given states, each with a time, of the largest errors there: a force may have a kink or jump
  /// at one of them, a wrong derivative is wrong at most. Nothing where the state has too many numbers to be looked at.
  [[nodiscard]] std::optional<FieldDerivativeErrors> run(const std::vector<std::pair<State, double>>& states,
                                                         std::mt19937_64& engine);

private:
  [[nodiscard]] FieldDerivativeErrors at(const State& y, double t, std::mt19937_64& engine);
  void defineForward(const sema::ArrayTuple& stateArrays);
  void defineBackward(const sema::ArrayTuple& stateArrays);

  StateSpace& s_;
  std::size_t stateSize_ = 0;
  products::ModelFunctions::Function forward_, backward_;
};

} // namespace lmc::checks
