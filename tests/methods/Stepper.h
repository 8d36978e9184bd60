// A step of a method as its tape computes it, iterations included.
#pragma once

#include "mechanics/Derived.h"
#include "products/stages/Stages.h"

#include <cmath>

namespace lmc::test {

class Stepper {
public:
  Stepper(Derived& d, const methods::Step& step) {
    const sema::Model& model = *d.c.model;
    const products::Layout layout = products::layoutOf(model);
    unit::UnitBuilder unit(d.program());
    products::readModel(unit, model, layout);
    unit.argument(step.stepSize, 1);
    unit.report();
    step_ = unit.functions.step = unit.function("step", 2, products::nextState(step, layout));
    module_ = unit.build().module;
    const auto data = products::evaluateInitialData(d.layer(), layout, std::nullopt, d.c.compilation->diagnostics());
    EXPECT_TRUE(data.has_value()) << d.c.text();
    if (!data) return;
    params_ = data->params;
    start_ = data->state;
  }

  [[nodiscard]] const Numbers& start() const { return start_; }

  /// The state after n steps of length h from the initial state (or another) at time 0; empty when a step fails, with
  /// its status in `status`.
  Numbers run(double h, int n, Numbers state = {}) {
    if (state.empty()) state = start_;
    std::vector<Numbers> memory;
    runtime::Bases bases;
    for (int r = 0; r < runtime::roleCount; ++r) memory.emplace_back(static_cast<std::size_t>(module_.roleSize[r]) + 1);
    std::copy(params_.begin(), params_.end(), memory[static_cast<int>(runtime::Role::Params)].begin());
    std::copy(state.begin(), state.end(), memory[static_cast<int>(runtime::Role::State)].begin());
    for (int r = 0; r < runtime::roleCount; ++r) bases.base[r] = memory[static_cast<std::size_t>(r)].data();
    status = tape::interpret(module_, 0, bases, nullptr);
    for (int k = 0; k < n && status == runtime::Ok; ++k) {
      const double arguments[] = {k * h, h};
      status = tape::interpret(module_, step_, bases, arguments);
    }
    evaluations = memory[static_cast<int>(runtime::Role::Output)][1];
    const Numbers& y = memory[static_cast<int>(runtime::Role::State)];
    return status == runtime::Ok ? Numbers(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(start_.size()))
                                 : Numbers{};
  }

  std::int32_t status = runtime::Ok;
  double evaluations = 0; ///< of f in iterations

private:
  tape::Module module_;
  int step_ = -1;
  Numbers params_, start_;
};

inline double distance(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size() || a.empty()) return INFINITY;
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, std::abs(a[k] - b[k]));
  return d;
}

} // namespace lmc::test
