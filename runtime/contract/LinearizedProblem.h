// Compiled derivatives of a model in coordinates of its tangent spaces
// (compiler/methods/derivatives/TangentCoordinates.h).
#pragma once

#include "runtime/contract/Problem.h"

namespace lmc::runtime {

/// The maps that are linearized: y' = f(t, y), one step of the method, energy and observables, the equations of
/// constraints with their rates.
enum class LinearizedMap : std::uint8_t { Field, Step, Outputs, Constraints };
inline constexpr std::size_t linearizedMaps = 4;

/// Functions of one map and their results, in Output; what has no place was not asked for. All take t and h, of which
/// only those of a step use h, and leave the state as it is. Every function also leaves the value of the map.
struct LinearizedFunctions {
  int forward = -1, adjoint = -1, matrices = -1;
  Field value;                                     ///< coordinates, the next state, outputs, or c and its rate
  Field image;                                     ///< coordinates, or as `value`
  Field byState, byInputs, byParameters;           ///< covectors
  Field stateMatrix, inputMatrix, parameterMatrix; ///< columns one after the other
  Field fieldImage, fieldStateMatrix;              ///< of Field: the change of f itself
  std::int64_t size = 0;                           ///< numbers of an image
};

/// First-order changes of what makes a state jump, along a direction of state, inputs, parameters and time: of the
/// problem's own functions of events, resets, samplings and contacts, in Output.
struct LinearizedJumps {
  /// Numbers of the state that are no part of a tangent vector: whole ones, truth values, what contacts remember.
  std::vector<std::int64_t> others;
  Computed events; ///< argument t: changes of the values of Problem::events(), in that order
  std::vector<Computed>
      resets;     ///< arguments t and the member, one for each of Functions::resets: of the storage behind
  Computed ticks; ///< argument t: changes of `intervals` and `firsts`
  std::vector<Field> intervals, firsts; ///< of Problem::ticks; a first time that is not given has no place
  Computed contacts;                    ///< argument t: of the fields of ContactRules
  Field rate, jacobian, response;
  /// Of each of ContactRules::list: places in Output of the changes of its laws; -1: it has none.
  std::vector<std::int64_t> restitutions, frictions;
};

/// Functions of one problem and where their data stand. The state is followed by what the functions read.
struct LinearizedProblem {
  Problem problem; ///< of its own functions only `setup` is compiled; with `jumps` those of fixed steps, too

  std::int64_t stateSize = 0;   ///< numbers of the storage of a state
  std::int64_t coordinates = 0; ///< numbers of a tangent vector: 2 dim of the groups, more than the dimension on
                                ///< homogeneous manifolds; with `jumps` also of real discrete variables, behind
  std::int64_t held = 0;        ///< how many of them are of discrete variables
  std::int64_t inputs = 0, parameters = 0, outputs = 0;
  std::vector<std::string> coordinateNames, inputNames, parameterNames, outputNames;
  std::vector<std::int64_t> inputValues, inputGiven; ///< places in Params of each number of the inputs
  std::vector<std::int64_t> parameterPlaces;         ///< places in Params of each number of the parameters

  // In State.
  Field direction, inputDirection, parameterDirection;
  Field timeDirection; ///< changes of the time and of the length of a step; only with `jumps`
  Field covector, fieldCovector, outputCovector;
  Field storageChange;

  // Geometry at the state; arguments t, h.
  Computed moved;  ///< the state moved along `direction`
  Computed lifted; ///< the change of storage of `direction`
  Computed read;   ///< the coordinates of `storageChange`

  std::optional<LinearizedJumps> jumps; ///< of a model whose state jumps, with steps
  std::array<LinearizedFunctions, linearizedMaps> maps;
  [[nodiscard]] const LinearizedFunctions& of(LinearizedMap map) const { return maps[static_cast<std::size_t>(map)]; }
};

} // namespace lmc::runtime
