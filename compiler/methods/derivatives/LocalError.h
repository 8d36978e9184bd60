// The local error of a step, measured in the Lie algebra of the phase group and in units of the tolerance.
//
// A method with an estimate gives two results of one step, y ("next") and yhat ("embedded"). The local error of a
// factor is the algebra element u that moves the point of y to that of yhat, to first order:
//   group, body    u = the algebra element of y^-1 yhat - 1
//   group, space   u = the algebra element of yhat y^-1 - 1
//   homogeneous    T(y) u = yhat - y by least squares with the generator T of the action, u horizontal
// and the difference yhat - y where a part of the state is a vector (velocities, momenta). It is measured piece by
// piece: one piece for each part of the algebra and each such vector. The piece's norm |u| (Euclidean, the largest
// of a family's members) is divided by  absolute + relative*size.  The size of a vector is the larger of its norms
// before and after the step. A part of a group's algebra has the size of the storage that it moves at the identity if
// this storage is zero at the identity (a translation), else 1 (a rotation); on a homogeneous manifold it is 1.
//
// Of a step that is a sum of a power series the second result is a shorter sum, and the difference are the last terms,
// of which the sizes at y are added up: they cannot cancel, and no more than the state y is needed, not the step.
//
// With `norm = embedding` the state is one vector in storage, and its one piece is |yhat - y|, over absolute +
// relative*|y|, as in E. Celledoni, E. Cokaj, A. Leone, D. Murari, B. Owren, "Lie group integrators for mechanical
// systems", International Journal of Computer Mathematics 99 (2022), section 4.
#pragma once

#include "methods/Instantiate.h"

#include <string>
#include <vector>

namespace lmc::methods {

/// What is measured on its own.
struct ErrorPiece {
  std::string name;     ///< for a person: "R", "X.w"
  std::string variable; ///< a configuration, its velocity (momentum), or a state, as declared
  std::string factor;   ///< of a velocity: its configuration; else the variable itself
};

/// The tolerances that errors are measured by: run-time data, one entry per piece.
struct ToleranceArrays {
  const sym::Array* absolute = nullptr; ///< role Param, [pieces]
  const sym::Array* relative = nullptr;
};

/// The error of one step, or of one that could be made (Step::series). The arrays are single numbers, one per piece.
struct ErrorEstimate {
  std::vector<ErrorPiece> pieces;
  ToleranceArrays tolerances;
  std::vector<const sym::Array*> squares; ///< (|u| / (absolute + relative*size))^2
  /// Of a step that hands on its last stage: what its first function leaves for the second one.
  struct Left {
    const sym::Array* value = nullptr; ///< Temp
    const sym::Array* given = nullptr; ///< role State
  };
  std::vector<Left> left;
};
/// Requires that the step has an embedded result.
[[nodiscard]] ErrorEstimate errorEstimate(mechanics::Layer& layer, const Step& step);
/// The same as equations at the end of the step, where f is then evaluated. Requires Step::last.
[[nodiscard]] ErrorEstimate estimateAtEnd(mechanics::Layer& layer, const Step& step);

/// How fast the state changes at the start, for the choice of the first step: arrays per piece, squared norms in the
/// same units, at the state y and time t; y1 is one Lie–Euler step of length h further.
struct StartRates {
  std::vector<const sym::Array*> sizes;   ///< of y
  std::vector<const sym::Array*> rates;   ///< of f(t, y)
  std::vector<const sym::Array*> changes; ///< of f(t + h, y1) - f(t, y)
  int evaluations = 2;                    ///< of f
};
[[nodiscard]] StartRates startRates(mechanics::Layer& layer, const Step& step, const ToleranceArrays& tolerances);

} // namespace lmc::methods
