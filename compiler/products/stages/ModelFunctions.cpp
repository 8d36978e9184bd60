#include "products/stages/ModelFunctions.h"

#include "lower/Calculator.h"
#include "products/stages/Stages.h"

#include <algorithm>
#include <limits>

namespace lmc {

class ModelFunctions::Machine {
public:
  explicit Machine(const tape::Module& module) : calculator(module) {}
  Calculator calculator;
};

ModelFunctions::ModelFunctions(const Layer& layer, const Problem& problem)
    : layer_(layer), params_(problem.params), memorySize_(problem.initialState.size()) {}
ModelFunctions::~ModelFunctions() = default;

std::size_t ModelFunctions::input(const ArrayTuple& arrays) {
  const std::size_t first = memorySize_;
  for (const sym::Array* a : arrays) {
    inputs_.push_back({a, static_cast<std::int64_t>(memorySize_)});
    memorySize_ += static_cast<std::size_t>(a->size());
  }
  return first;
}

ModelFunctions::Function ModelFunctions::function(const std::string& name, const ArrayTuple& arrays) {
  Function f;
  f.index = static_cast<int>(bodies_.size());
  for (const sym::Array* a : arrays) f.size += static_cast<std::size_t>(a->size());
  bodies_.push_back({name, arrays});
  return f;
}

void ModelFunctions::prepare() {
  const Model& model = layer_.model;
  Lowering lowering(layer_.program(), false);
  lowering.usePivots(Lowering::Pivots::All);
  bindInputs(lowering, model, layoutOf(model));
  for (const Input& i : inputs_) lowering.bindInput(i.array, tape::Role::State, i.offset);
  for (const Body& body : bodies_) {
    std::vector<OutputBinding> outputs;
    std::int64_t offset = 0;
    for (const sym::Array* a : body.arrays) {
      outputs.push_back({a, tape::Role::Output, offset});
      offset += a->size();
    }
    (void)lowering.addFunction(body.name, 1, outputs);
  }
  machine_ = std::make_unique<Machine>(lowering.finish());
  std::vector<double>& params = machine_->calculator.at(tape::Role::Params);
  std::copy_n(params_.begin(), std::min(params.size(), params_.size()), params.begin());
}

std::vector<double> ModelFunctions::operator()(Function f, std::span<const double> memory, double t) {
  std::vector<double>& state = machine_->calculator.at(tape::Role::State);
  std::copy_n(memory.begin(), std::min(memory.size(), state.size()), state.begin());
  if (machine_->calculator.run(f.index, t) != 0)
    return std::vector<double>(f.size, std::numeric_limits<double>::quiet_NaN());
  const std::vector<double>& output = machine_->calculator.at(tape::Role::Output);
  return {output.begin(), output.begin() + static_cast<std::ptrdiff_t>(f.size)};
}

void ModelFunctions::moveParameters(double part) {
  std::vector<double>& params = machine_->calculator.at(tape::Role::Params);
  for (std::size_t k = 0; k < std::min(params.size(), params_.size()); ++k) {
    const bool up =
        ((k + 1) * 0x9E3779B97F4A7C15ULL >> 40U & 1U) == 0; // without a pattern: entries of one matrix differ
    params[k] = params_[k] * (1 + (up ? part : -part));
  }
}

std::optional<std::vector<double>> constantNumbers(const sym::Program& program, const ArrayTuple& arrays) {
  Lowering lowering(program, false);
  std::vector<OutputBinding> outputs;
  std::int64_t size = 0;
  for (const sym::Array* a : arrays) {
    outputs.push_back({a, tape::Role::Output, size});
    size += a->size();
  }
  (void)lowering.addFunction("numbers", 1, outputs);
  Calculator calculator(lowering.finish());
  if (calculator.run(0, 0) != 0) return std::nullopt;
  const std::vector<double>& output = calculator.at(tape::Role::Output);
  return std::vector<double>(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(size));
}

} // namespace lmc
