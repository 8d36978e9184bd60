// Derivatives of whole trajectories: forward sensitivities, and the discrete adjoint for the gradient of a cost.
//
// They are exact derivatives of the trajectory that the method computes. With steps x_{k+1} = S_k(x_k, u_k, p) and a
// cost J = sum_k c_k(x_k, u_k, p), k = 0 … n, the adjoint runs backwards,
//
//   lambda_n = dc_n/dx,    lambda_k = dc_k/dx + (dS_k/dx)^T lambda_{k+1},
//   dJ/du_k = dc_k/du + (dS_k/du)^T lambda_{k+1},    dJ/dp = sum_k dc_k/dp + (dS_k/dp)^T lambda_{k+1},
//
// and dJ/dx_0 = lambda_0, all in the coordinates of the tangent spaces. Of a model whose state jumps they go through
// the jumps (JumpTrajectory.h), and throw NoDerivative where there is none.
#pragma once

#include "runtime/derivatives/LinearizedWorkspace.h"

#include <functional>

namespace lmc::runtime {

/// Steps of one size; step k begins at t + k h.
struct TrajectorySteps {
  double t = 0, h = 0;
  std::int64_t count = 0;
  std::span<const double> inputs; ///< count × inputs, those of a step one after the other, held during the step; empty:
                                  ///< inputs are as they are
  bool goesOn = false; ///< the state is the last one of steps before: samplings that are due have been carried out
};

/// Takes the steps and carries k tangent vectors along. `directions`: k vectors of coordinates, one after the other, of
/// the first state on entry, of the last one on return. Directions of inputs (the same in each step) and of parameters:
/// k vectors each, or empty. The state of the workspace is the last one on return.
[[nodiscard]] std::int32_t propagate(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                     std::span<double> directions, std::span<const double> inputs = {},
                                     std::span<const double> parameters = {});

/// Covectors, to be added to.
struct CostCovectors {
  std::span<double> state, inputs, parameters;
};
/// Adds the derivatives of c_k at the state of the workspace, which it may not change. k = 0 … count; the inputs of
/// k = count do not exist.
using CostDerivative =
    std::function<std::int32_t(LinearizedWorkspace& workspace, std::int64_t k, double t, const CostCovectors& add)>;

/// The derivative of a cost that is a function of the outputs: `weights` gives dc_k/dy of all outputs (energy and
/// observables) at the outputs y; an empty result means that the cost does not depend on x_k.
[[nodiscard]] CostDerivative
costOfOutputs(std::function<std::vector<double>(std::int64_t k, std::span<const double> y)> weights);

struct TrajectoryGradient {
  std::vector<double> state;      ///< dJ/dx_0, a covector of coordinates
  std::vector<double> inputs;     ///< count × inputs
  std::vector<double> parameters; ///< with the first state held fixed
};

/// Takes the steps and runs the adjoint backwards. States are stored at the begin of sections of `section` steps (0:
/// about the square root of the number of steps), and computed again within them. On return the workspace has the first
/// state.
[[nodiscard]] std::int32_t trajectoryGradient(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                              const CostDerivative& cost, TrajectoryGradient& gradient,
                                              std::int64_t section = 0);

} // namespace lmc::runtime
