#include "runtime/run/StepPieces.h"

#include <algorithm>

namespace lmc::runtime {

std::int32_t StepPieces::steps(double t, double h, std::int64_t first, std::int64_t n, std::int64_t& done,
                               bool counts) {
  if (contacts_ == nullptr) return workspace_.advance(t, h, first, n, done);
  done = 0;
  for (std::int64_t k = first; k < first + n; ++k) {
    std::int64_t one = 0;
    std::int32_t status = contacts_->prepare(t + static_cast<double>(k) * h, h, counts);
    if (status == Ok) status = workspace_.advance(t, h, k, 1, one);
    if (status != Ok) return status;
    ++done;
  }
  return Ok;
}

void StepPieces::remember() {
  const std::span<double> state = workspace_.state();
  saved_.assign(state.begin(), state.end());
}

void StepPieces::putBack() {
  std::copy(saved_.begin(), saved_.end(), workspace_.state().begin());
}

std::int32_t StepPieces::part(double t, double h, double grid, std::int64_t& taken, bool counts) {
  constexpr double shortPart = 1e-2;
  std::int64_t done = 0;
  taken = 1;
  const std::int32_t status = steps(t, h, 0, 1, done, counts);
  if (status != NoConvergence || h > shortPart * grid) return status;
  putBack();
  taken = 3;
  const double there = h + grid;
  if (workspace_.advance(t, there, 0, 1, done) == Ok && workspace_.advance(t + there, -grid, 0, 1, done) == Ok &&
      workspace_.finite())
    return Ok;
  putBack();
  return status;
}

} // namespace lmc::runtime
