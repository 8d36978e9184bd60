#include "mechanics/Conservation.h"

#include "sema/values/Dependence.h"

#include <algorithm>

namespace lmc::mechanics {

std::vector<std::string> powerSources(const System& system) {
  const sema::Model& m = *system.model;
  std::vector<std::string> sources;
  if (!m.dissipations.empty()) sources.emplace_back("a dissipation");
  const bool forced = !m.forcesAt.empty() || std::any_of(m.factors.begin(), m.factors.end(),
                                                         [](const sema::Factor& f) { return !f.force.empty(); });
  if (forced) sources.emplace_back("forces");
  if (std::any_of(m.states.begin(), m.states.end(), [](const sema::StateVariable& z) { return z.given; }))
    sources.emplace_back("a flow that is not that of the energy");
  const auto moves = [&](const sema::Constraint& c) {
    const sema::Dependence dependence(*system.program);
    for (const std::size_t k : system.program->writers(c.array)) {
      const sym::Expr value = system.program->equation(k).value;
      if (value && dependence.arrays(value).contains(m.time)) return true;
    }
    return false;
  };
  if (std::any_of(m.constraints.begin(), m.constraints.end(), moves))
    sources.emplace_back("a constraint that depends on time");
  if (system.energyExpression && sema::Dependence(*system.program).arrays(system.energyExpression).contains(m.time))
    sources.emplace_back("an explicit dependence on time");
  return sources;
}

} // namespace lmc::mechanics
