// A law that a declaration must satisfy, and what became of it at the points where it was tested.
#pragma once

#include "checks/laws/elements/NumericFunction.h"
#include "diagnostics/Diagnostics.h"

#include <functional>
#include <string>
#include <vector>

namespace lmc::laws {

/// Where a law is tested, in the order of tests: a mistake shows first where the numbers are simplest.
enum class Place : std::uint8_t {
  Origin,   ///< at 0, at the identity
  Ordinary, ///< at unit vectors and random points, of size about one
  Small,    ///< 1e-4: where series are switched
  Near,     ///< 1e-8: where differences of nearly equal numbers lose all digits
  Far,      ///< several turns
};
inline constexpr int places = 5;
/// "at the identity", "near the identity (1e-8)", …
[[nodiscard]] std::string describe(Place place);

/// A named value for a message; `parts` say how its numbers are stored (null: a vector).
struct Quantity {
  std::string name;
  Vector value;
  const std::vector<sema::Part>* parts = nullptr;
};
/// "A = [[1, 0], [0, 1]]", "X = (R = …, x = …)", with four digits.
[[nodiscard]] std::string describe(const Quantity& q);

/// Two sides of a law that differ.
struct Violation {
  Place place = Place::Origin;
  std::vector<Quantity> at;
  Quantity left, right;
  double difference = 0; ///< the largest of an entry; not a number where a side is none
};

/// Two sides of a law count as equal if no entry differs by more than this, relative to the size of what they are
/// computed from. Round-off is 1e-16 of that size for an operation, with hundreds of operations behind a value; a
/// formula that loses half of the digits at 1e-8 shows as 1e-8.
inline constexpr double tolerance = 1e-10;

/// The outcome of the tests of one law.
class Tests {
public:
  /// Compares two sides. `size` bounds the numbers that they are sums of: round-off is relative to it.
  void compare(Place place, const std::vector<Quantity>& at, const Quantity& left, const Quantity& right, double size);
  /// The same for a value that must be zero, given with the size of its terms.
  void vanishes(Place place, const std::vector<Quantity>& at, const Quantity& value, double size);
  /// Records a statement that is not about two sides.
  void expect(bool holds, Place place, const std::vector<Quantity>& at, const std::string& otherwise);
  /// What the failure looks like, in a sentence.
  void hint(const std::string& text);

  [[nodiscard]] bool passed() const { return !violation_; }
  [[nodiscard]] int count() const { return count_; }
  /// The largest difference relative to the size.
  [[nodiscard]] double defect() const { return defect_; }
  /// Two sides were compared: the defect tells something.
  [[nodiscard]] bool isMeasured() const { return measured_; }
  /// The first one; there is one unless `passed`.
  [[nodiscard]] const Violation& violation() const { return *violation_; }
  /// Of a failure that is not about two sides.
  [[nodiscard]] const std::string& statement() const { return statement_; }
  [[nodiscard]] const std::vector<std::string>& hints() const { return hints_; }
  /// True where all tests at this place passed, and there was one.
  [[nodiscard]] bool passedAt(Place place) const;
  [[nodiscard]] bool failedAt(Place place) const { return failures_[static_cast<int>(place)] > 0; }

private:
  void record(Place place, bool holds, double defect, const std::function<Violation()>& violation);

  int count_ = 0;
  bool measured_ = false;
  double defect_ = 0;
  int counts_[places] = {}, failures_[places] = {};
  std::optional<Violation> violation_;
  std::string statement_;
  std::vector<std::string> hints_;
};

struct Law {
  std::string name;      ///< "associativity"
  std::string statement; ///< "(A B) C = A (B C)"
  std::string clause;    ///< the one to blame; empty: the declaration
  Code code{};
  std::string failure;            ///< "the product is not associative"
  std::vector<std::string> needs; ///< laws without which this one tells nothing
  std::function<void(Tests&)> test;
  bool isAdvice = false; ///< a failure is a warning: the declaration can be used
};

} // namespace lmc::laws
