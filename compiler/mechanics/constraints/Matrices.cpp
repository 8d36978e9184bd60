#include "mechanics/constraints/Matrices.h"

#include "mechanics/mass/MassEntries.h"

#include <algorithm>

namespace lmc::mechanics {

std::shared_ptr<const sym::Function> matricesAtPoint(const sym::Program& program, const sema::Model& model,
                                                     const ConstraintEquations& constraints) {
  sym::Function f;
  f.name = "matrices of constraints";
  for (const sym::Array* a : {constraints.matrix, constraints.jacobian, constraints.force, constraints.response,
                              constraints.moves, constraints.inactive})
    if (std::find(f.results.begin(), f.results.end(), a) == f.results.end()) f.results.push_back(a);
  std::unordered_set<const sym::Array*> read;
  for (const std::size_t k : program.slice(f.results)) read.insert(program.reads(k).begin(), program.reads(k).end());
  const auto add = [&](const sym::Array* a) {
    if (read.contains(a)) f.inputs.push_back(a);
  };
  for (const sema::Factor& factor : model.factors) {
    for (const sym::Array* a : factor.point) add(a);
    for (const sym::Array* a : factor.velocity) add(a);
  }
  for (const sema::StateVariable& z : model.states)
    for (const sym::Array* a : z.point) add(a);
  add(model.time);
  const auto defined = [&](const sym::Array* a) { return !program.writers(a).empty(); };
  if (std::any_of(f.inputs.begin(), f.inputs.end(), defined)) return nullptr;
  return std::make_shared<const sym::Function>(std::move(f));
}

} // namespace lmc::mechanics
