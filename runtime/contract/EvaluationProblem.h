// The functions of a model at a state, compiled: the map f, velocities, momenta, the mass matrix by products.
#pragma once

#include "runtime/contract/Problem.h"

namespace lmc {

/// Functions with one argument t, each into its own place in Output. Coordinates of Lie algebras and of their duals
/// stand configuration by configuration in the order of declaration, each by parts, of a family the members of a part
/// one after the other.
struct EvaluationProblem {
  Problem problem; ///< code, sizes, parameters and initial state; no step

  std::int64_t algebraSize = 0; ///< of all configurations
  std::int64_t tangentSize = 0; ///< of all variables

  /// f: of a configuration the velocity in the Lie algebra, then the derivatives of its velocity's or momentum's
  /// coordinates; of a state its flow; of a dual element its derivative.
  int fieldFunction = -1;
  std::int64_t field = 0; ///< tangentSize numbers, by variables in the order of declaration

  int velocityFunction = -1;
  std::int64_t velocities = 0; ///< algebraSize numbers

  int momentumFunction = -1;
  std::int64_t momenta = 0; ///< algebraSize numbers

  int massFunction = -1;      ///< M v; -1: the model has no Lagrangian
  std::int64_t direction = 0; ///< v in Params, behind the parameters
  std::int64_t product = 0;   ///< algebraSize numbers
};

} // namespace lmc
