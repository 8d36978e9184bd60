#include "mechanics/constraints/Refusals.h"

#include "mechanics/constraints/Contacts.h"

#include <fmt/format.h>

namespace lmc::mechanics {

bool isTooLarge(const sema::Model& model, const std::vector<std::size_t>& order, const ConstraintEquations& equations,
                Diagnostics& diagnostics) {
  if (hasTooManyContacts(model, diagnostics)) return true;
  if (equations.rows <= mostConstraintRows && equations.columns <= mostConstrainedVelocities) return false;
  const sema::Constraint& c = model.constraints[order.front()];
  diagnostics
      .error(Code::LIE0422, c.range,
             fmt::format("the model has {} equations of constraints between {} velocities; up to {} between {} are "
                         "solved for",
                         equations.rows, equations.columns, mostConstraintRows, mostConstrainedVelocities))
      .note(fmt::format("all of them are one system of equations, whose solution takes the cube of its size, since {}",
                        equations.why))
      .suggest(
          "describe a part of the motion by coordinates or manifolds that satisfy their constraints, as a sphere for "
          "a rod");
  return true;
}

void reportNonlinearSlip(const std::string& contact, Range range, Diagnostics& diagnostics) {
  diagnostics
      .error(Code::LIE0421, range, fmt::format("the slip of the contact `{}` is not affine in the velocities", contact))
      .suggest("the velocity of a point along the surface is: slip = along_ground(velocity_there(X, c), n);");
}

void reportNonlinear(const sema::Constraint& constraint, Diagnostics& diagnostics) {
  const std::string slip = ".slip"; // of a contact; names of constraints without a joint have no point
  if (constraint.joint.empty() && constraint.name.ends_with(slip))
    return reportNonlinearSlip(constraint.name.substr(0, constraint.name.size() - slip.size()), constraint.equation,
                               diagnostics);
  diagnostics
      .error(Code::LIE0421, constraint.equation,
             fmt::format("the constraint `{}` is not affine in the velocities", constraint.name))
      .note("what holds a system to such an equation is not determined by it: no work of forces is left out")
      .suggest("write an equation of the form a(q)·v = b(q, t), or a force");
}

} // namespace lmc::mechanics
