// The functions of a model at a state, compiled: the map f, velocities, momenta, the mass matrix by products.
#pragma once

#include "runtime/contract/Problem.h"

namespace lmc::runtime {

/// Functions with one argument t, each into its own place in Output. Coordinates of Lie algebras and of their duals
/// stand configuration by configuration in the order of declaration, each by parts, of a family the members of a part
/// one after the other.
struct EvaluationProblem {
  Problem problem; ///< code, sizes, parameters and initial state; no step

  /// f: of a configuration the velocity in the Lie algebra, then the derivatives of its velocity's or momentum's
  /// coordinates; of a state its flow; of a dual element its derivative. By variables in the order of declaration.
  Computed field;
  Computed velocities, momenta; ///< of all configurations
  Computed product;             ///< M v; without a function: the model has no Lagrangian
  Field direction;              ///< v, in Params, behind the parameters
};

} // namespace lmc::runtime
