// What is said of claims of order that are false or open.
#pragma once

#include "checks/study/Verdict.h"

namespace lmc::study {

/// The order that the weights of a tableau declare, and the one that the classical conditions prove.
struct TableauClaim {
  int declared = 0;
  orders::ProvedOrder found;
  [[nodiscard]] Finding finding() const;
};

/// "the condition of f'(f) fails: the method has 1/3, the solution 1/2"
[[nodiscard]] std::string sentence(const orders::FailedCondition& failed);

/// An error for a claim that is false (LIE0560), a warning for one that is open (LIE0585). `what`: the tableau, or its
/// second weights.
void report(Diagnostics& diagnostics, Range where, const std::string& what, const TableauClaim& claim);
/// The same of a method.
void report(Diagnostics& diagnostics, const Verdict& verdict);

} // namespace lmc::study
