// Compiled derivatives of a model in coordinates of its tangent spaces
// (compiler/methods/derivatives/TangentCoordinates.h).
#pragma once

#include "runtime/contract/Problem.h"

namespace lmc {

/// The maps that are linearized: y' = f(t, y), one step of the method, energy and observables.
enum class LinearizedMap : std::uint8_t { Field, Step, Outputs };
inline constexpr std::size_t linearizedMaps = 3;

/// Functions of one map and where their results stand in Output; -1: not asked for. All take t and h, of which only
/// those of a step use h, and leave the state as it is. Every function also leaves the value of the map.
struct LinearizedFunctions {
  int forward = -1, adjoint = -1, matrices = -1;
  std::int64_t size = 0;   ///< numbers of an image: coordinates, or outputs
  std::int64_t values = 0; ///< numbers of a value: coordinates, the next state, or outputs
  std::int64_t value = -1;
  std::int64_t image = -1;
  std::int64_t byState = -1, byInputs = -1, byParameters = -1;           ///< covectors
  std::int64_t stateMatrix = -1, inputMatrix = -1, parameterMatrix = -1; ///< columns one after the other
  std::int64_t fieldImage = -1, fieldStateMatrix = -1;                   ///< of Field: the change of f itself
};

/// Functions of one problem and where their data stand. The state is followed by what the functions read.
struct LinearizedProblem {
  Problem problem; ///< its own functions are not compiled, but for `setup`

  std::int64_t stateSize = 0;   ///< numbers of the storage of a state
  std::int64_t coordinates = 0; ///< numbers of a tangent vector: 2 dim of the groups, more than the dimension on
                                ///< homogeneous manifolds
  std::int64_t inputs = 0, parameters = 0, outputs = 0;
  std::vector<std::string> coordinateNames, inputNames, parameterNames, outputNames;
  std::vector<std::int64_t> inputValues, inputGiven; ///< places in Params of each number of the inputs
  std::vector<std::int64_t> parameterPlaces;         ///< places in Params of each number of the parameters

  // Offsets in State.
  std::int64_t direction = 0, inputDirection = 0, parameterDirection = 0;
  std::int64_t covector = 0, fieldCovector = 0, outputCovector = 0;
  std::int64_t storageChange = 0;

  // Geometry at the state; arguments t, h.
  int movedFunction = -1;                     ///< the state moved along `direction`
  int liftedFunction = -1, readFunction = -1; ///< the change of storage of `direction`; coordinates of `storageChange`
  std::int64_t moved = 0, lifted = 0, read = 0;

  std::array<LinearizedFunctions, linearizedMaps> maps;
  [[nodiscard]] const LinearizedFunctions& of(LinearizedMap map) const { return maps[static_cast<std::size_t>(map)]; }
};

} // namespace lmc
