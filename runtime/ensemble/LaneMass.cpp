#include "runtime/ensemble/LaneMass.h"

namespace lmc::runtime {

LaneMass::LaneMass(const EnsembleProblem& problem, LaneMachine& work)
    : look_(problem.look), check_(problem.problem.mass.get()), work_(work),
      monitors_(static_cast<std::size_t>(work.lanes())), params_(problem.problem.params.size()),
      state_(problem.problem.initialState.size()) {}

bool LaneMass::suspicious(int lane) const {
  const auto n = static_cast<std::int64_t>(check_->names.size());
  return isSuspicious(*check_, work_.numbers(Role::Output, look_.product.offset, n) + lane,
                      work_.numbers(Role::Output, look_.rhs.offset, n) + lane, static_cast<std::size_t>(work_.lanes()));
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
