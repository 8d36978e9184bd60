// What a compilation may cost, and where it stands: so that no text can take all time and memory.
#pragma once

#include "base/Source.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <vector>

namespace lmc {

/// The most that one compilation may take. Zero or less: no limit.
struct Limits {
  double seconds = 300;            ///< of processor time, in all stages together; runs do not count
  std::int64_t nodes = 40'000'000; ///< of expressions and of operations of code
  std::int64_t megabytes = 8192;   ///< that the process may grow by
  /// Asked a few hundred times a second, on the thread that compiles; true ends the compilation.
  std::function<bool()> cancelled;
};

/// Thrown when a limit is reached.
class BudgetSpent : public std::exception {
public:
  enum class Limit : std::uint8_t { Seconds, Nodes, Memory, Cancelled, Depth };
  BudgetSpent(Limit limit, std::vector<Range> places) : limit_(limit), places_(std::move(places)) {}
  [[nodiscard]] Limit limit() const { return limit_; }
  /// What was being worked on, the innermost place first; may be empty.
  [[nodiscard]] const std::vector<Range>& places() const { return places_; }
  [[nodiscard]] const char* what() const noexcept override { return "a limit of compilation was reached"; }

private:
  Limit limit_;
  std::vector<Range> places_;
};

class Budget;
class Place;
/// True when the time of this budget of the thread is over, or it is cancelled: for work that can be cut short, as
/// optimization. Throws nothing.
[[nodiscard]] bool budgetIsSpent() noexcept;

namespace detail {
/// Of each thread; without a budget the credit has no end.
struct Meter {
  std::int64_t credit = std::numeric_limits<std::int64_t>::max();
  Budget* budget = nullptr;
  const Place* place = nullptr;
  const char* stackEnd = nullptr; ///< the lowest address that recursion may reach; null: not known yet
};
extern constinit thread_local Meter meter;
void settle();
[[noreturn]] void tooDeep();
[[nodiscard]] const char* findStackEnd();
} // namespace detail

/// Counts work that leaves nothing behind: turns of a loop, candidates that are tried.
inline void spendWork(std::int64_t amount = 1) {
  if ((detail::meter.credit -= amount) < 0) [[unlikely]]
    detail::settle();
}

/// Looks at all limits now.
inline void checkBudget() {
  detail::settle();
}

/// Counts nodes of expressions or operations of code, which stay.
void spendNodes(std::int64_t amount);

/// Throws BudgetSpent where little is left of the thread's stack; for recursion over what users write.
inline void checkStack() {
  const char here = 0;
  if (detail::meter.stackEnd == nullptr) detail::meter.stackEnd = detail::findStackEnd();
  if (&here < detail::meter.stackEnd) [[unlikely]]
    detail::tooDeep();
}

/// While it lives, its text is what the thread works on.
class Place {
public:
  explicit Place(const Range& range) : range_(range), outer_(detail::meter.place) {
    detail::meter.place = this;
    checkStack();
  }
  ~Place() { detail::meter.place = outer_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  [[nodiscard]] const Range& range() const { return range_; }
  [[nodiscard]] const Place* outer() const { return outer_; }

private:
  Range range_;
  const Place* outer_;
};

/// What one compilation has used so far. It counts in the scopes in which a thread works on it.
class Budget {
public:
  explicit Budget(Limits limits) : limits_(std::move(limits)) {}
  [[nodiscard]] const Limits& limits() const { return limits_; }
  /// True when the work of this thread counts.
  [[nodiscard]] static bool counts() { return detail::meter.budget != nullptr; }

  /// Work that other threads do for the one whose budget it is: each of them has the seconds that are left when it
  /// begins, and what it took counts when it is given back. Nothing where no work counts.
  class Shared {
  public:
    /// On the thread for which others work.
    Shared();
    /// On one of the others: does a part of the work.
    void work(const std::function<void()>& part);
    /// On the first thread again, when all have ended.
    void giveBack();

  private:
    Budget* budget_;
    double left_ = 0; ///< seconds; 0: no limit
    std::atomic<double> used_ = 0;
  };

  /// The work of this thread counts, until the end of the scope. Inside of another scope the outer budget goes on.
  class Scope {
  public:
    explicit Scope(Budget& budget);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

  private:
    Budget* budget_ = nullptr; ///< null inside of another scope
  };

private:
  friend void detail::settle();
  friend void spendNodes(std::int64_t amount);
  friend bool budgetIsSpent() noexcept;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] bool isOver() const noexcept;
  void check();

  Limits limits_;
  std::int64_t nodes_ = 0;
  double before_ = 0; ///< seconds in scopes that have ended
  std::chrono::steady_clock::time_point start_;
  std::int64_t pagesAtStart_ = 0;
};

} // namespace lmc
