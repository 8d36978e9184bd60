#include "runtime/run/Workspace.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace lmc::runtime {

namespace {

/// Doubles per line of the processor's cache: each role begins on a line of its own.
constexpr std::size_t lineDoubles = 8;
constexpr std::size_t lineBytes = lineDoubles * sizeof(double);

std::size_t padded(std::int64_t size) {
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
  return (n + lineDoubles - 1) / lineDoubles * lineDoubles;
}

/// Memory of so many numbers; a lot of it in large pages, where the system has them: a loop over members reads and
/// writes more places than the processor knows small pages.
double* memoryFor(std::size_t numbers) {
  constexpr std::size_t largePage = std::size_t{1} << 21U;
  const std::size_t bytes = numbers * sizeof(double);
  if (bytes < 4 * largePage) return static_cast<double*>(std::aligned_alloc(lineBytes, bytes));
  const std::size_t pages = (bytes + largePage - 1) / largePage * largePage;
  void* const memory = std::aligned_alloc(largePage, pages);
#ifdef MADV_HUGEPAGE
  if (memory != nullptr) (void)madvise(memory, pages, MADV_HUGEPAGE); // small pages do as well
#endif
  return static_cast<double*>(memory);
}

} // namespace

void Workspace::Free::operator()(double* memory) const {
  std::free(memory);
}

Workspace::Workspace(const Problem& problem) : problem_(&problem) {
  std::size_t total = 0;
  for (const std::int64_t size : problem.sizes) total += padded(size);
  memory_.reset(memoryFor(total));
  if (!memory_) throw std::bad_alloc();
  std::fill_n(memory_.get(), total, 0.0);
  double* next = memory_.get();
  for (std::size_t role = 0; role < bases_.size(); ++role) {
    bases_[role] = next;
    next += padded(problem.sizes[role]);
  }
  if (const Field* report = problem.field(FieldKind::Report)) report_ = numbers(*report).data();
}

Workspace::Workspace(const Problem& problem, double* state) : Workspace(problem) {
  bases_[static_cast<std::size_t>(Role::State)] = state;
}

std::span<double> Workspace::span(Role role) const {
  const auto index = static_cast<std::size_t>(role);
  return {bases_[index], static_cast<std::size_t>(problem_->sizes[index])};
}

std::int32_t Workspace::start() {
  const std::span<double> params = span(Role::Params);
  std::copy_n(problem_->params.begin(), std::min(params.size(), problem_->params.size()), params.begin());
  if (problem_->control) {
    const std::vector<double>& tolerances = problem_->control->tolerances;
    std::copy(tolerances.begin(), tolerances.end(),
              params.begin() + static_cast<std::ptrdiff_t>(problem_->params.size()));
  }
  const std::span<double> y = state();
  std::copy_n(problem_->initialState.begin(), std::min(y.size(), problem_->initialState.size()), y.begin());
  return setUp();
}

std::int32_t Workspace::setUp() {
  if (problem_->functions.setup < 0) return Ok;
  return problem_->code->function(problem_->functions.setup)(bases_.data(), nullptr);
}

std::int32_t Workspace::call(int function, double t) {
  if (function < 0) return Ok;
  return problem_->code->function(function)(bases_.data(), &t);
}

std::int32_t Workspace::call(int function, double t, double h) {
  if (function < 0) return Ok;
  const std::array<double, 2> arguments{t, h};
  return problem_->code->function(function)(bases_.data(), arguments.data());
}

std::int32_t Workspace::beginTrials(double t) {
  return call(problem_->functions.begin, t, 0);
}

std::int32_t Workspace::trial(double t, double h) {
  if (problem_->functions.series >= 0)
    if (const std::int32_t status = series(t, h); status != Ok) return status;
  return alongSeries(t, h);
}

std::int32_t Workspace::series(double t, double h) {
  return call(problem_->functions.series, t, h);
}

std::int32_t Workspace::alongSeries(double t, double h) {
  return call(problem_->functions.trial, t, h);
}

std::int32_t Workspace::startRates(double t, double h) {
  return call(problem_->functions.start, t, h);
}

std::int32_t Workspace::observe(double t) {
  return call(problem_->functions.observe, t);
}

std::int32_t Workspace::events(double t) {
  return call(problem_->functions.events, t);
}

std::int32_t Workspace::field(double t) {
  return call(problem_->functions.field, t);
}

std::int32_t Workspace::advance(double t, double h, std::int64_t first, std::int64_t n, std::int64_t& done) {
  done = first;
  return problem_->code->advance()(bases_.data(), &t, h, n, &done);
}

std::int64_t Workspace::iterationEvaluations() const {
  return report_ == nullptr ? 0 : static_cast<std::int64_t>(report_[1]);
}

std::int64_t Workspace::iterationTurns() const {
  return report_ == nullptr ? 0 : static_cast<std::int64_t>(report_[2]);
}

double Workspace::iterationResidual() const {
  return report_ == nullptr ? 0 : report_[0];
}

std::span<double> Workspace::numbers(const Field& field) const {
  if (!field.there()) return {};
  return {bases_[static_cast<std::size_t>(field.role)] + field.offset, static_cast<std::size_t>(field.count())};
}

const double* Workspace::place(const Column& column) const {
  return bases_[static_cast<std::size_t>(column.role)] + column.offset;
}

bool Workspace::finite() const {
  // x - x is 0 of every finite number, and else not a number.
  const std::span<double> y = span(Role::State);
  std::array<double, 4> sums{};
  std::size_t k = 0;
  for (; k + sums.size() <= y.size(); k += sums.size())
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += y[k + i] - y[k + i];
  for (; k < y.size(); ++k) sums[0] += y[k] - y[k];
  const double total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return total == 0;
}

} // namespace lmc::runtime
