// Bodies whose place and orientation are parts of one element of a group: mass, centre and inertia of each, measured.
#pragma once

#include "products/Pipeline.h"
#include "products/scene/SceneOutputs.h"

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

namespace lmc::tool {

struct MeasuredBody {
  double mass = 0;
  Eigen::Vector3d centre;  ///< of mass, in the frame of the picture
  Eigen::Matrix3d inertia; ///< about it, in that frame
};

/// By the names of shapes that the model does not give, one for each member: where a factor has six velocities, its
/// picture a place and an orientation, and its kinetic energy is that of a body. The energy is a quadratic function of
/// the velocities; how the picture moves with them is a difference at the initial state. What is no constant mass
/// matrix of a rigid body is left out.
[[nodiscard]] std::map<std::string, std::vector<MeasuredBody>> measureBodies(products::Pipeline& pipeline,
                                                                             const runtime::Problem& problem);

} // namespace lmc::tool
