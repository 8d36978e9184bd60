// Whether a method has the order that it declares: by proof where there is one, and by measurement.
#pragma once

#include "orders/Prove.h"
#include "study/Studies.h"

namespace lmc::study {

/// What was measured on one problem.
struct Measured {
  std::string problem;
  Convergence convergence;
};

struct Verdict {
  std::string method;
  int declared = 0;
  int evaluations = 0, exponentials = 0; ///< per step
  orders::OrderProof proof;
  std::vector<Measured> measured; ///< on the problems that the method can run
  /// What the declared order claims is true as far as was tried.
  [[nodiscard]] bool holds() const;
  /// The measured order that lies farthest from the declared one; nothing if none was to be seen.
  [[nodiscard]] std::optional<double> worst() const;
};

/// How far a measured order may lie below the declared one (0.15, from order 6 on 0.3).
[[nodiscard]] double tolerance(int order);

/// The problems with the exact states at their ends; for measuring many methods.
class Bench {
public:
  /// `imports`: a file with methods, or empty.
  Bench(const PipelineOptions& options, const std::filesystem::path& imports);
  /// Measures a method on every problem that can run it.
  [[nodiscard]] std::vector<Measured> measure(const std::string& method, Verdict& verdict);

private:
  std::vector<NamedSubject> problems_, plain_;
  std::vector<std::optional<Reference>> references_; ///< computed when first needed
};

/// Proves and measures; the method must have been instantiated without errors.
[[nodiscard]] Verdict judge(Compilation& compilation, const Found& method, Bench& bench);

} // namespace lmc::study
