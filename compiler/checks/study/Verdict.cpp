#include "checks/study/Verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::study {

double tolerance(int order) {
  return order < 6 ? 0.15 : 0.3;
}

std::string word(Finding finding) {
  return finding == Finding::Pass ? "PASS" : finding == Finding::Fail ? "FAIL" : "UNDECIDED";
}

/// The proof stops below the claim. (It is not tried beyond `provedLimit`.)
bool Verdict::fallsShort() const {
  return proof.proved() && proof.next.order < std::min(declared, orders::provedLimit - 1);
}

bool Verdict::embeddedFallsShort() const {
  return proof.proved() && proof.embedded &&
         proof.embedded->order < std::min(declaredEmbedded, orders::provedLimit - 1);
}

const orders::FailedCondition* Verdict::failure() const {
  const auto& order = fallsShort() ? proof.next : proof.embedded ? *proof.embedded : proof.next;
  return (fallsShort() || embeddedFallsShort()) && order.failure ? &*order.failure : nullptr;
}

/// The lowest order that was measured, if it lies below the claim.
const Measured* Verdict::lowest(bool settled) const {
  const Measured* found = nullptr;
  for (const Measured& m : measured) {
    const Convergence& c = m.convergence;
    if (!c.asymptotic || (settled && !c.settled) || !(*c.order < declared - tolerance(declared))) continue;
    if (found == nullptr || *c.order < *found->convergence.order) found = &m;
  }
  return found;
}

Finding Verdict::finding() const {
  if (fallsShort() || embeddedFallsShort())
    return failure() != nullptr && failure()->isRounding() ? Finding::Undecided : Finding::Fail;
  if (proof.proved() || declared == 0) return Finding::Pass;
  if (lowest(true) != nullptr) return Finding::Fail;
  const bool seen =
      std::any_of(measured.begin(), measured.end(), [](const Measured& m) { return m.convergence.asymptotic; });
  return seen && lowest(false) == nullptr ? Finding::Pass : Finding::Undecided;
}

std::string Verdict::reason() const {
  const auto byRounding = [&] {
    return fmt::format("a condition is missed by {:.1e} only, which rounded coefficients can do", failure()->missed);
  };
  if (failure() != nullptr && failure()->isRounding()) return byRounding();
  if (fallsShort()) return fmt::format("it is {}", proof.next.order);
  if (embeddedFallsShort()) return fmt::format("that of `embedded` is {}", proof.embedded->order);
  const Measured* low = lowest(true) != nullptr ? lowest(true) : lowest(false);
  if (low == nullptr) return "it is not proved, and no problem shows an order";
  return fmt::format("{:.2f} is measured on {}{}", *low->convergence.order, low->problem,
                     low->convergence.settled ? "" : ", where the slopes of the errors have not settled");
}

Bench::Bench(const products::PipelineOptions& options, const std::filesystem::path& imports)
    : problems_(problems(options, imports)), plain_(problems(options, {})), references_(plain_.size()) {}

std::vector<Measured> Bench::measure(const std::string& method, Verdict& verdict) {
  std::vector<Measured> list;
  for (std::size_t k = 0; k < problems_.size(); ++k) {
    const Build b = build(problems_[k].subject, method);
    if (!b.problem) continue;
    verdict.evaluations = static_cast<int>(b.problem->evaluationsPerStep);
    verdict.exponentials = static_cast<int>(b.problem->exponentialsPerStep);
    verdict.declared = b.problem->order;
    if (!references_[k]) references_[k] = reference(plain_[k].subject);
    if (!references_[k]) continue;
    list.push_back({b.problem->model, convergence(*b.problem, *references_[k], {})});
  }
  return list;
}

Verdict judge(sema::Compilation& compilation, const sema::Found& method, Bench& bench) {
  Verdict v;
  v.method = method.declaration->name;
  v.claim = method.declaration->nameRange;
  const auto checked = methods::checkMethod(compilation, method);
  if (!checked) {
    v.proof.reason = "it has errors";
    return v;
  }
  v.claim = checked->orderRange;
  v.declared = checked->order;
  v.declaredEmbedded = checked->embeddedOrder;
  v.measured = bench.measure(v.method, v);
  const int highest = std::min(std::max(v.declared, 1) + 1, orders::provedLimit);
  v.proof = orders::proveOrder(compilation.graph(), *checked, highest);
  return v;
}

} // namespace lmc::study
