#include "runtime/ensemble/LaneMass.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

namespace {
/// Part of the largest term of a factor's equation that a residual may be without a closer look.
constexpr double unsuspicious = 1e-9;
} // namespace

LaneMass::LaneMass(const EnsembleProblem& problem, LaneMachine& work)
    : look_(problem.look), check_(problem.problem.mass.get()), work_(work),
      monitors_(static_cast<std::size_t>(work.lanes())), params_(problem.problem.params.size()),
      state_(problem.problem.initialState.size()) {}

bool LaneMass::suspicious(int lane) const {
  // Whether a matrix of any signs has passed through a singular one, no residual tells.
  if (!check_->definite && check_->varies) return true;
  const auto n = static_cast<std::int64_t>(check_->names.size());
  const auto all = static_cast<std::size_t>(work_.lanes()), mine = static_cast<std::size_t>(lane);
  const double* const products = work_.numbers(Role::Output, look_.product.offset, n);
  const double* const sides = work_.numbers(Role::Output, look_.rhs.offset, n);
  for (std::size_t factor = 0; factor < check_->factors.size(); ++factor) {
    const std::int64_t end = factor + 1 < check_->factors.size() ? check_->factors[factor + 1] : n;
    double size = 0, worst = 0;
    for (std::int64_t k = check_->factors[factor]; k < end; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * all + mine;
      const double product = products[at], wanted = sides[at];
      size = std::max({size, std::abs(product), std::abs(wanted)});
      worst = std::max(worst, std::abs(product - wanted));
    }
    if (worst > unsuspicious * size) return true;
  }
  return false;
}

void LaneMass::look(std::span<const double> times) {
  if (!wanted()) return;
  const std::vector<std::int32_t> before = work_.status;
  work_.evaluate(look_.function, times);
  for (int l = 0; l < work_.lanes(); ++l) {
    const auto lane = static_cast<std::size_t>(l);
    if (before[lane] != Ok) continue;
    if (work_.status[lane] == HandedBack) continue;
    if (work_.status[lane] != Ok) { // the step that follows fails in the same way, and says so
      work_.status[lane] = Ok;
      continue;
    }
    if (!suspicious(l)) continue;
    work_.read(Role::Params, l, params_);
    work_.read(Role::State, l, state_);
    if (!monitors_[lane]) monitors_[lane].emplace(*check_, params_);
    if (monitors_[lane]->look(state_, times[lane])) work_.status[lane] = MassUnsolved;
  }
}

} // namespace lmc::runtime
