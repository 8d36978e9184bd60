#include "runtime/ensemble/LaneWorkspace.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

namespace lmc::runtime {

namespace {

constexpr std::size_t lineDoubles = 8;
constexpr std::size_t lineBytes = lineDoubles * sizeof(double);

std::size_t padded(std::size_t n) {
  return (std::max<std::size_t>(n, 1) + lineDoubles - 1) / lineDoubles * lineDoubles;
}

} // namespace

void LaneWorkspace::Free::operator()(double* memory) const {
  std::free(memory);
}

LaneWorkspace::LaneWorkspace(const Problem& problem, int lanes, std::int64_t scratch)
    : LaneMachine(lanes), problem_(&problem), lanes_(static_cast<std::size_t>(lanes)),
      stateSize_(static_cast<std::size_t>(problem.sizes[static_cast<std::size_t>(Role::State)])),
      columns_(problem.columns()) {
  std::array<std::size_t, roleCount> sizes{};
  for (std::size_t r = 0; r < sizes.size(); ++r) sizes[r] = static_cast<std::size_t>(problem.sizes[r]) * lanes_;
  sizes[static_cast<std::size_t>(Role::Work)] += static_cast<std::size_t>(scratch);
  std::size_t total = padded(2 * lanes_);
  for (const std::size_t size : sizes) total += padded(size);
  memory_.reset(static_cast<double*>(std::aligned_alloc(lineBytes, total * sizeof(double))));
  if (!memory_) throw std::bad_alloc();
  std::fill_n(memory_.get(), total, 0.0);
  double* next = memory_.get();
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    bases_[r] = next;
    next += padded(sizes[r]);
  }
  arguments_ = next;
  if (const Field* report = problem.field(FieldKind::Report)) evaluations_ = report->offset + 1;
}

void LaneWorkspace::load(int lane, std::span<const double> params, std::span<const double> state) {
  const auto l = static_cast<std::size_t>(lane);
  double* const p = bases_[static_cast<std::size_t>(Role::Params)];
  std::size_t k = 0;
  for (; k < params.size(); ++k) p[k * lanes_ + l] = params[k];
  if (problem_->control)
    for (const double tolerance : problem_->control->tolerances) p[k++ * lanes_ + l] = tolerance;
  double* const y = bases_[static_cast<std::size_t>(Role::State)];
  for (k = 0; k < stateSize_; ++k) y[k * lanes_ + l] = k < state.size() ? state[k] : 0;
  if (evaluations_ >= 0) // the count begins anew
    bases_[static_cast<std::size_t>(Role::Output)][static_cast<std::size_t>(evaluations_) * lanes_ + l] = 0;
}

void LaneWorkspace::copyLane(int from, int to) {
  for (const Role role : {Role::Params, Role::State}) {
    const auto r = static_cast<std::size_t>(role);
    for (std::size_t k = 0; k < static_cast<std::size_t>(problem_->sizes[r]); ++k)
      bases_[r][k * lanes_ + static_cast<std::size_t>(to)] = bases_[r][k * lanes_ + static_cast<std::size_t>(from)];
  }
}

void LaneWorkspace::setup() {
  if (problem_->functions.setup >= 0)
    problem_->code->laneFunction(problem_->functions.setup)(bases_.data(), arguments_, status.data());
}

void LaneWorkspace::evaluate(int function, std::span<const double> times) {
  if (function < 0) return;
  std::copy(times.begin(), times.end(), arguments_);
  problem_->code->laneFunction(function)(bases_.data(), arguments_, status.data());
}

void LaneMachine::read(Role role, int lane, std::span<double> out) {
  const double* const from = numbers(role, 0, static_cast<std::int64_t>(out.size()));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = from[k * status.size() + static_cast<std::size_t>(lane)];
}

void LaneWorkspace::advance(double t0, double h, std::int64_t first, std::int64_t n) {
  problem_->code->laneAdvance()(bases_.data(), t0, h, first, n, status.data(), done.data());
}

void LaneWorkspace::call(int function, std::span<const double> t, std::span<const double> h) {
  std::copy(t.begin(), t.end(), arguments_);
  std::copy(h.begin(), h.end(), arguments_ + lanes_);
  problem_->code->laneFunction(function)(bases_.data(), arguments_, status.data());
}

void LaneWorkspace::columns(int lane, std::span<double> out) {
  for (std::size_t c = 0; c < out.size(); ++c) {
    const Column& column = columns_[c];
    const double x = bases_[static_cast<std::size_t>(column.role)]
                           [static_cast<std::size_t>(column.offset) * lanes_ + static_cast<std::size_t>(lane)];
    out[c] = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
  }
}

bool LaneWorkspace::finite(int lane) {
  const double* const y = bases_[static_cast<std::size_t>(Role::State)];
  for (std::size_t k = 0; k < stateSize_; ++k)
    if (!std::isfinite(y[k * lanes_ + static_cast<std::size_t>(lane)])) return false;
  return true;
}

void LaneWorkspace::keep(Kept place) {
  const std::span<double> all = states();
  kept_[static_cast<std::size_t>(place)].assign(all.begin(), all.end());
}

void LaneWorkspace::restore(Kept place) {
  const std::vector<double>& kept = kept_[static_cast<std::size_t>(place)];
  std::copy(kept.begin(), kept.end(), states().begin());
}

void LaneWorkspace::restore(Kept place, const std::vector<bool>& wanted) {
  const std::vector<double>& kept = kept_[static_cast<std::size_t>(place)];
  const std::span<double> all = states();
  for (std::size_t l = 0; l < lanes_; ++l)
    for (std::size_t k = l; wanted[l] && k < all.size(); k += lanes_) all[k] = kept[k];
}

} // namespace lmc::runtime
