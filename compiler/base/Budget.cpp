#include "base/Budget.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <pthread.h>
#include <unistd.h>

namespace lmc {

namespace {

/// Time of the processor on this thread: what other programs take of it does not count.
struct Clock {
  static std::chrono::steady_clock::time_point now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::steady_clock::time_point(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
  }
};

/// Work between two looks at the clock: about a millisecond.
constexpr std::int64_t stride = 2048;

/// What recursion leaves of the stack for what it calls.
constexpr std::size_t reserve = std::size_t{192} << 10;

/// Pages of memory that the process holds.
std::int64_t residentPages() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long long size = 0;
  long long resident = 0;
  const int read = std::fscanf(file, "%lld %lld", &size, &resident);
  std::fclose(file);
  return read == 2 ? resident : 0;
}

[[noreturn]] void end(BudgetSpent::Limit limit) {
  std::vector<Range> places;
  for (const Place* p = detail::meter.place; p != nullptr; p = p->outer()) places.push_back(p->range());
  throw BudgetSpent(limit, std::move(places));
}

} // namespace

namespace detail {

constinit thread_local Meter meter;

void settle() {
  if (meter.budget == nullptr) {
    meter.credit = std::numeric_limits<std::int64_t>::max();
    return;
  }
  meter.credit = stride;
  meter.budget->check();
}

void tooDeep() {
  end(BudgetSpent::Limit::Depth);
}

const char* findStackEnd() {
  // An address that nothing is below: no limit is known.
  static const char nothing = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return &nothing;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? static_cast<const char*>(lowest) + std::min(reserve, size / 4) : &nothing;
}

} // namespace detail

void spendNodes(std::int64_t amount) {
  Budget* const budget = detail::meter.budget;
  if (budget == nullptr) return;
  budget->nodes_ += amount;
  if (budget->limits_.nodes > 0 && budget->nodes_ > budget->limits_.nodes) end(BudgetSpent::Limit::Nodes);
  spendWork(amount);
}

double Budget::seconds() const {
  return before_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Budget::isOver() const noexcept {
  try {
    return (limits_.cancelled && limits_.cancelled()) || (limits_.seconds > 0 && seconds() > limits_.seconds);
  } catch (...) { // asked again, and passed on, by whoever counts next
    return true;
  }
}

void Budget::check() {
  if (limits_.cancelled && limits_.cancelled()) end(BudgetSpent::Limit::Cancelled);
  if (limits_.seconds > 0 && seconds() > limits_.seconds) end(BudgetSpent::Limit::Seconds);
  static const std::int64_t pageSize = sysconf(_SC_PAGESIZE);
  if (limits_.megabytes > 0 && (residentPages() - pagesAtStart_) * pageSize / (1 << 20) > limits_.megabytes)
    end(BudgetSpent::Limit::Memory);
}

bool budgetIsSpent() noexcept {
  const Budget* const budget = detail::meter.budget;
  return budget != nullptr && budget->isOver();
}

Budget::Shared::Shared() : budget_(detail::meter.budget) {
  constexpr double least = 1e-3; // of a budget that is spent: no more than a look
  if (budget_ != nullptr && budget_->limits_.seconds > 0)
    left_ = std::max(least, budget_->limits_.seconds - budget_->seconds());
}

void Budget::Shared::work(const std::function<void()>& part) {
  if (budget_ == nullptr) return part();
  Budget share(Limits{left_, 0, 0, {}});
  const Scope scope(share);
  part();
  used_ += share.seconds();
}

void Budget::Shared::giveBack() {
  if (budget_ != nullptr) budget_->before_ += used_;
}

Budget::Scope::Scope(Budget& budget) {
  if (detail::meter.budget != nullptr) return;
  budget_ = &budget;
  budget.start_ = Clock::now();
  if (budget.pagesAtStart_ == 0) budget.pagesAtStart_ = residentPages();
  detail::meter.budget = &budget;
  detail::meter.credit = stride;
}

Budget::Scope::~Scope() {
  if (budget_ == nullptr) return;
  budget_->before_ = budget_->seconds();
  detail::meter.budget = nullptr;
  detail::meter.credit = std::numeric_limits<std::int64_t>::max();
}

} // namespace lmc
