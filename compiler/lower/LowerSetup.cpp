#include "lower/LowerSetup.h"

#include <algorithm>

namespace lmc::lower {

void SetupSpill::operator()(const std::vector<std::size_t>& equations) {
  std::unordered_set<const sym::Array*> looped;
  for (const std::size_t k : equations) {
    const sym::Equation& e = p_.equations()[k];
    const bool routine = e.kind == sym::EquationKind::LinearSolve || (e.newton && e.newton->sparse);
    for (const sym::Array* a : p_.choices(k)) looped.insert(a);
    if (!routine && tripCount(e) <= unrollLimit) continue; // Newton reads any other storage
    for (const sym::Array* a : p_.reads(k)) looped.insert(a);
  }
  std::vector<const sym::Array*> order;
  for (const sym::Array* a : looped) {
    const auto it = x_.places.find(a);
    if (it == x_.places.end() || !it->second.setup || it->second.storage != ArrayStorage::Registers) continue;
    order.push_back(a);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  if (order.empty()) return;
  s_.enterSetup();
  for (const sym::Array* a : order) {
    Place& p = x_.places[a];
    p.buffer = x_.scratch(a->name, a->size());
    for (std::size_t k = 0; k < p.registers.size(); ++k)
      setup_.store(p.buffer, setup_.integer(static_cast<std::int64_t>(k)), p.registers[k].id);
    p.storage = ArrayStorage::Memory; // with what is known of it
  }
  s_.leaveSetup();
}

} // namespace lmc::lower
