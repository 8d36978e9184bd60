#include "products/States.h"

#include "products/initial/Initial.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::products {

namespace {
/// Changes up to this part of a number, or of one, are round-off of steps.
constexpr double roundOff = 1e-12;
} // namespace

class StateSettler::Impl {
public:
  explicit Impl(const mechanics::System& system)
      : program(initialProgram(system, layoutOf(*system.model))), evaluator(program) {}
  InitialProgram program;
  InitialEvaluator evaluator;
};

StateSettler::StateSettler(const mechanics::System& system) : impl_(std::make_unique<Impl>(system)) {}
StateSettler::~StateSettler() = default;

std::optional<std::string> StateSettler::settle(const std::vector<double>& params, std::span<double> state) {
  InitialEvaluator& evaluator = impl_->evaluator;
  evaluator.setParameters(params);
  evaluator.settleState(state);
  if (!evaluator.off().empty()) {
    const InitialEvaluator::Off& o = evaluator.off().front();
    const bool point = o.condition == nullptr || o.condition->kind.empty();
    return fmt::format("`{}` {}: off by {:.3g}", o.name(), point ? "is not on its manifold" : "is not horizontal",
                       o.defect);
  }
  const std::span<const double> settled = evaluator.state();
  bool moved = false;
  for (std::size_t k = 0; k < state.size(); ++k)
    moved = moved || std::abs(settled[k] - state[k]) > roundOff * std::max(1.0, std::abs(state[k]));
  if (moved) std::copy_n(settled.begin(), state.size(), state.begin());
  return std::nullopt;
}

} // namespace lmc::products
