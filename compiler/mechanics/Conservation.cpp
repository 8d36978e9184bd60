#include "mechanics/Conservation.h"

#include "sema/model/Dependence.h"

#include <algorithm>

namespace lmc {

std::vector<std::string> powerSources(const System& system) {
  const Model& m = *system.model;
  std::vector<std::string> sources;
  if (!m.dissipations.empty()) sources.emplace_back("a dissipation");
  const bool forced = !m.forcesAt.empty() ||
                      std::any_of(m.factors.begin(), m.factors.end(), [](const Factor& f) { return !f.force.empty(); });
  if (forced) sources.emplace_back("forces");
  if (std::any_of(m.states.begin(), m.states.end(), [](const StateVariable& z) { return z.given; }))
    sources.emplace_back("a flow that is not that of the energy");
  if (system.energyExpression && Dependence(*system.program).arrays(system.energyExpression).contains(m.time))
    sources.emplace_back("an explicit dependence on time");
  return sources;
}

} // namespace lmc
