// The constraints of a model and their forces, in the form M xi' = r + B^T lambda.
#include "mechanics/constraints/Shown.h"
#include "present/Forms.h"

#include <fmt/format.h>

namespace lmc::present::present {

void ConstraintSections::addTo(Document& document) {
  const mechanics::ShownConstraints shownOnes = mechanics::shownConstraints(layer_);
  Section equations{"Constraints (each is zero)", {}};
  Section forces{"Forces of the constraints, to be added to the right-hand sides", {}};
  for (std::size_t k = 0; k < shownOnes.list.size(); ++k) {
    const sema::Constraint& c = m_.constraints[k];
    const mechanics::ShownConstraint& s = shownOnes.list[k];
    const std::int64_t extent = s.index.empty() ? 0 : c.array->extents.front();
    const auto add = [&](const std::function<TreePtr()>& left, sym::Expr e) {
      put(equations.lines, left, e, s.index, extent);
    };
    if (!c.velocities) add([&] { return named(c.name, extent); }, s.value);
    add([&] { return named(c.velocities ? c.name : c.name + "'", extent); }, s.rate);
    add([&] { return tree(Op::Call, {named(c.name, extent)}, {}, "gamma"); }, s.bias);
  }
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    for (std::size_t part = 0; part < shownOnes.forces[k].size(); ++part)
      if (!shownOnes.forces[k][part]->isZero())
        put(
            forces.lines, [&] { return partOf("force", named(f.name, f.extent), f.manifold->algebra(), part); },
            shownOnes.forces[k][part], s_.factors[k].index, f.extent);
  }
  document.sections.push_back(std::move(equations));
  document.sections.push_back(std::move(forces));
}

/// By what system the forces are found.
std::string constraintRemark(const mechanics::System& s) {
  const mechanics::ConstraintEquations& c = *s.constraints;
  const std::string size =
      fmt::format("constraints: {} equation{} between {} velocities", c.rows, c.rows == 1 ? "" : "s", c.columns);
  if (c.blocks)
    return fmt::format("{}, with M xi' = r as one sparse system of {} blocks between members and constraints: each "
                       "equation names few members; its factors have {:.0f} numbers for each unknown",
                       size, c.blocks->matrix->blockCount, c.blocks->fill);
  const std::string dense = c.rows <= 24 ? "written out" : "factored by a routine, since " + c.why;
  return fmt::format("{}, by S = {}, {}", size, s.model->hamiltonian ? "dd/dp B^T" : "B M^-1 B^T", dense);
}

} // namespace lmc::present::present
