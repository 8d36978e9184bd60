#include "checks/motions/ValuesAt.h"

#include <algorithm>

namespace lmc::checks {

namespace {

std::vector<double> numbersAt(const mechanics::System& system, const runtime::Problem& problem,
                              const sema::ArrayTuple& arrays, const State& y, double t) {
  mechanics::Layer layer(system);
  const auto work = layer.work();
  products::ModelFunctions functions(layer, problem);
  const auto values = functions.function("values", arrays);
  functions.prepare();
  State memory(y);
  memory.resize(functions.memorySize(), 0.0);
  return functions(values, memory, t);
}

} // namespace

std::vector<NamedMultiplier> multipliersAt(const mechanics::System& system, const runtime::Problem& problem,
                                           const std::vector<double>& params, const State& y, double t) {
  std::vector<NamedMultiplier> list;
  if (!system.constraints || system.constraints->multiplier == nullptr) return list;
  runtime::Problem data = problem;
  data.params = params;
  const std::vector<double> values = numbersAt(system, data, {system.constraints->multiplier}, y, t);
  // Rows of constraints on positions stand first: the constraint of a row is the one that begins last before it.
  const std::vector<std::int64_t>& first = system.constraints->firstRow;
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::size_t own = 0;
    std::int64_t begin = -1;
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (first[k] > static_cast<std::int64_t>(row) || first[k] <= begin) continue;
      begin = first[k];
      own = k;
    }
    list.push_back({system.model->constraints[own].name, row - static_cast<std::size_t>(begin) + 1, values[row]});
  }
  return list;
}

std::vector<double> inputsAt(const mechanics::System& system, const runtime::Problem& problem, const State& y,
                             double t) {
  const sema::Model& m = *system.model;
  sema::ArrayTuple arrays;
  for (const sema::Parameter& p : m.parameters) {
    if (p.use != sema::Parameter::Use::InputValue) continue;
    // The equation that chooses between the value and the law defines the input.
    const auto reads = [&](const sym::Node& n) { return n.op == sym::Op::Load && n.array == p.array; };
    const auto& equations = m.program.equations();
    const auto chosen = std::find_if(equations.begin(), equations.end(), [&](const sym::Equation& e) {
      return e.kind == sym::EquationKind::Set && e.value && sym::contains(e.value, reads);
    });
    if (chosen != equations.end()) arrays.push_back(chosen->array);
  }
  return arrays.empty() ? std::vector<double>() : numbersAt(system, problem, arrays, y, t);
}

} // namespace lmc::checks
