// A compiled step with its tangent map and the form that a symplectic step keeps.
#pragma once

#include "runtime/contract/Problem.h"

namespace lmc {

/// Functions of one problem and where their data stand. The state is followed by a change of it and by the numbers that
/// a tangent vector is made of (compiler/methods/derivatives/StepTangent.h, SymplecticForm.h).
struct TangentProblem {
  Problem problem;     ///< its own functions are not compiled, but for `setup`
  bool forced = false; ///< the model has forces or dissipation, which are not symplectic

  int directFunction = -1; ///< the change from the numbers of a direction
  int stepFunction = -1;   ///< arguments t, h: a step of the state and of the change
  int formFunction = -1;   ///< argument t: eta, dp, turned of the change at the state, into Output

  std::int64_t stateSize = 0;
  std::int64_t change = 0;                  ///< offset in State, stateSize numbers
  std::int64_t shift = 0, shiftSize = 0;    ///< offset in State, numbers of a direction
  std::int64_t eta = 0, dp = 0, turned = 0; ///< offsets in Output
  std::int64_t formSize = 0;                ///< numbers of eta, and of turned; of dp the same, or none
  bool poisson = false;
};

} // namespace lmc
