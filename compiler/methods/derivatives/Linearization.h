// Derivatives of the map f, of a step and of the observables, in coordinates of the tangent spaces
// (TangentCoordinates.h), by the state, by inputs and by parameters.
//
// Each map has up to three forms: forward (a direction in, its image out), adjoint (a covector in, its image under the
// transpose out), and whole matrices, of which all columns are found together with one evaluation of the map. They are
// exact derivatives of its equations, iterations included: those of a step are of the step that is taken, not of the
// flow that it approximates.
#pragma once

#include "methods/Instantiate.h"
#include "methods/derivatives/JumpDerivatives.h"
#include "methods/derivatives/LinearizationRequest.h"
#include "methods/derivatives/TangentCoordinates.h"

#include <optional>

namespace lmc::methods {

/// Arrays of one map. Forward images and rows of matrices are numbers in the order of the map's values: coordinates of
/// a tangent vector, or energy and observables.
struct MapDerivative {
  sema::ArrayTuple change;                          ///< forward: the image
  sema::ArrayTuple byState, byInputs, byParameters; ///< adjoint: covectors of coordinates, inputs and parameters
  const sym::Array* stateMatrix = nullptr;          ///< [directions][values]: the columns one after the other
  const sym::Array* inputMatrix = nullptr;          ///< null if there are none
  const sym::Array* parameterMatrix = nullptr;      ///< null if there are none
  // of f: the change of f itself beside that of the motion (TangentCoordinates::Variation)
  sema::ArrayTuple fieldChange;
  const sym::Array* fieldStateMatrix = nullptr;
};

struct Linearization {
  Space coordinates;     ///< of a tangent vector; numbers of `held` follow in all arrays that are shaped like one
  sema::ArrayTuple held; ///< real discrete variables (LinearizationRequest::held)

  // Inputs of the functions, of role State.
  sema::ArrayTuple direction;                          ///< coordinates
  sema::ArrayTuple inputDirection, parameterDirection; ///< shaped like the model's inputs and parameters
  sema::ArrayTuple covector, fieldCovector;            ///< of coordinates; of a Variation's rate and change
  sema::ArrayTuple outputCovector;                     ///< shaped like the outputs
  sema::ArrayTuple storageChange;                      ///< shaped like the state
  sema::ArrayTuple timeDirection; ///< changes of the time and of the length of the step; empty without jumps

  // Geometry at the state.
  sema::ArrayTuple moved;       ///< the state moved along `direction`
  sema::ArrayTuple lifted;      ///< the change of storage of `direction`
  sema::ArrayTuple read;        ///< the coordinates of `storageChange`
  sema::ArrayTuple rate;        ///< the coordinates of y' = f
  sema::ArrayTuple state, next; ///< the arrays that `moved` and `lifted` are shaped like; those after a step

  sema::ArrayTuple outputs;     ///< energy, then observables
  sema::ArrayTuple constraints; ///< the equations of constraints, then their rates; empty without

  std::optional<MapDerivative> ofField, ofStep, ofOutputs;
  /// Of the constraints, by the state alone: along which directions they hold.
  std::optional<MapDerivative> ofConstraints;
  std::optional<JumpChanges> jumps;
};

/// The arrays of a model that are inputs, and those that are parameters, of role Param, in the order of declaration.
[[nodiscard]] sema::ArrayTuple inputArrays(const sema::Model& model);
[[nodiscard]] sema::ArrayTuple parameterArrays(const sema::Model& model);

/// Numbers of a tangent vector.
[[nodiscard]] std::int64_t coordinateCount(mechanics::Layer& layer);

/// Appends the equations to the program of the system. `step` may be null if none of a step are wanted.
[[nodiscard]] Linearization linearize(mechanics::Layer& layer, const Step* step, const LinearizationRequest& request);

} // namespace lmc::methods
