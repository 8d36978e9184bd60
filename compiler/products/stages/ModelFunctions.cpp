#include "products/stages/ModelFunctions.h"

#include "lower/Calculator.h"
#include "products/stages/Stages.h"

#include <algorithm>
#include <limits>

namespace lmc::products {

class ModelFunctions::Machine {
public:
  Machine(const tape::Module& functions, std::vector<std::int64_t> offsets)
      : calculator(functions), results(std::move(offsets)) {}
  lower::Calculator calculator;
  std::vector<std::int64_t> results; ///< where each function writes
};

namespace {
std::int64_t sizeOf(const sema::ArrayTuple& arrays) {
  std::int64_t size = 0;
  for (const sym::Array* a : arrays) size += a->size();
  return size;
}
} // namespace

ModelFunctions::ModelFunctions(const mechanics::Layer& layer, const runtime::Problem& problem)
    : layer_(layer), params_(problem.params), memorySize_(problem.initialState.size()) {}
ModelFunctions::~ModelFunctions() = default;

std::size_t ModelFunctions::input(const sema::ArrayTuple& arrays) {
  const std::size_t first = memorySize_;
  inputs_.insert(inputs_.end(), arrays.begin(), arrays.end());
  memorySize_ += static_cast<std::size_t>(sizeOf(arrays));
  return first;
}

ModelFunctions::Function ModelFunctions::function(const std::string& name, const sema::ArrayTuple& arrays) {
  Function f;
  f.index = static_cast<int>(bodies_.size());
  f.size = static_cast<std::size_t>(sizeOf(arrays));
  bodies_.push_back({name, arrays});
  return f;
}

void ModelFunctions::prepare() {
  const sema::Model& model = layer_.model;
  unit::UnitBuilder unit(layer_.program(), false);
  // Equations of constraints may follow from others: their multipliers are the shortest then, as in a run.
  unit.usePivots(lower::Lowering::Pivots::All,
                 model.constraints.empty() ? lower::Lowering::Rank::Full : lower::Lowering::Rank::Any);
  readModel(unit, model, layoutOf(model));
  for (const sym::Array* a : inputs_) unit.reads(a, unit.place(runtime::Role::State, a->name, {a}));
  std::vector<std::int64_t> results;
  for (const Body& body : bodies_) {
    const runtime::Field result = unit.place(runtime::Role::Output, body.name, body.arrays);
    (void)unit.function(body.name, 1, unit::UnitBuilder::into(result, body.arrays));
    results.push_back(result.offset);
  }
  machine_ = std::make_unique<Machine>(unit.build().module, std::move(results));
  std::vector<double>& params = machine_->calculator.at(runtime::Role::Params);
  std::copy_n(params_.begin(), std::min(params.size(), params_.size()), params.begin());
}

std::vector<double> ModelFunctions::operator()(Function f, std::span<const double> memory, double t) {
  std::vector<double>& state = machine_->calculator.at(runtime::Role::State);
  std::copy_n(memory.begin(), std::min(memory.size(), state.size()), state.begin());
  if (machine_->calculator.run(f.index, t) != 0)
    return std::vector<double>(f.size, std::numeric_limits<double>::quiet_NaN());
  const auto result = machine_->calculator.at(runtime::Role::Output).begin() +
                      static_cast<std::ptrdiff_t>(machine_->results[static_cast<std::size_t>(f.index)]);
  return {result, result + static_cast<std::ptrdiff_t>(f.size)};
}

void ModelFunctions::moveParameters(double part) {
  std::vector<double>& params = machine_->calculator.at(runtime::Role::Params);
  for (std::size_t k = 0; k < std::min(params.size(), params_.size()); ++k) {
    const bool up =
        ((k + 1) * 0x9E3779B97F4A7C15ULL >> 40U & 1U) == 0; // without a pattern: entries of one matrix differ
    params[k] = params_[k] * (1 + (up ? part : -part));
  }
}

std::optional<std::vector<double>> constantNumbers(const sym::Program& program, const sema::ArrayTuple& arrays) {
  unit::UnitBuilder unit(program, false);
  const runtime::Field numbers = unit.place(runtime::Role::Output, "numbers", arrays);
  (void)unit.function("numbers", 1, unit::UnitBuilder::into(numbers, arrays));
  lower::Calculator calculator(unit.build().module);
  if (calculator.run(0, 0) != 0) return std::nullopt;
  const std::vector<double>& output = calculator.at(runtime::Role::Output);
  return std::vector<double>(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(numbers.count()));
}

} // namespace lmc::products
