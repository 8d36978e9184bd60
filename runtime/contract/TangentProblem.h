// A compiled step with its tangent map and the form that a symplectic step keeps.
#pragma once

#include "runtime/contract/Problem.h"

namespace lmc::runtime {

/// Functions of one problem and where their data stand. The state is followed by a change of it and by the numbers that
/// a tangent vector is made of (compiler/methods/derivatives/StepTangent.h, SymplecticForm.h).
struct TangentProblem {
  Problem problem;     ///< its own functions are not compiled, but for `setup`
  bool forced = false; ///< the model has forces or dissipation, which are not symplectic

  int directFunction = -1; ///< the change from the numbers of a direction
  int stepFunction = -1;   ///< arguments t, h: a step of the state and of the change
  int formFunction = -1;   ///< argument t: eta, dp, turned of the change at the state, into Output
  int holdFunction = -1;   ///< of a model with constraints; argument t: what the change does to them, into `held`

  std::int64_t stateSize = 0;
  Field change, shift;   ///< in State: of the state, and the numbers of a direction
  Field eta, dp, turned; ///< in Output; dp has as many numbers as the two others, or none
  Field held;            ///< in Output: changes of the equations of constraints and of their rates
  bool poisson = false;
};

} // namespace lmc::runtime
