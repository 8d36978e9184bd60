// Whether a method has the order that it declares: by proof where there is one, and by measurement.
#pragma once

#include "checks/orders/Prove.h"
#include "checks/study/Studies.h"

#include <cstdint>

namespace lmc::study {

/// What was measured on one problem.
struct Measured {
  std::string problem;
  Convergence convergence;
};

/// What became of a claim.
enum class Finding : std::uint8_t { Pass, Fail, Undecided };
/// "PASS", "FAIL", "UNDECIDED"
[[nodiscard]] std::string word(Finding finding);

struct Verdict {
  std::string method;
  Range claim; ///< where the order is declared
  int declared = 0;
  int declaredEmbedded = 0;              ///< q of `order p(q)`; 0 if there is none
  int evaluations = 0, exponentials = 0; ///< per step
  orders::OrderProof proof;
  std::vector<Measured> measured; ///< on the problems that the method can run

  /// A proof decides, where coefficients are not rounded so much that they miss a condition by it alone. Without one,
  /// an order that has settled below the claim on any problem refutes it; one that lies above refutes nothing. What
  /// neither confirms nor refutes leaves it undecided.
  [[nodiscard]] Finding finding() const;
  /// Why it is not a pass, as a sentence without its end: "it is 4".
  [[nodiscard]] std::string reason() const;
  /// The condition that fails, where a proof says so.
  [[nodiscard]] const orders::FailedCondition* failure() const;

private:
  [[nodiscard]] bool fallsShort() const;
  [[nodiscard]] bool embeddedFallsShort() const;
  [[nodiscard]] const Measured* lowest(bool settled) const;
};

/// How far a measured order may lie below the declared one (0.15, from order 6 on 0.3).
[[nodiscard]] double tolerance(int order);

/// The problems with the exact states at their ends; for measuring many methods.
class Bench {
public:
  /// `imports`: a file with methods, or empty.
  Bench(const products::PipelineOptions& options, const std::filesystem::path& imports);
  /// Measures a method on every problem that can run it.
  [[nodiscard]] std::vector<Measured> measure(const std::string& method, Verdict& verdict);

private:
  std::vector<NamedSubject> problems_, plain_;
  std::vector<std::optional<Reference>> references_; ///< computed when first needed
};

/// Proves and measures; the method must have been instantiated without errors.
[[nodiscard]] Verdict judge(sema::Compilation& compilation, const sema::Found& method, Bench& bench);

} // namespace lmc::study
