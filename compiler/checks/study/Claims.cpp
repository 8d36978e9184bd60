#include "checks/study/Claims.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::study {

Finding TableauClaim::finding() const {
  if (found.order >= std::min(declared, orders::provedLimit - 1)) return Finding::Pass;
  return found.failure && found.failure->isRounding() ? Finding::Undecided : Finding::Fail;
}

std::string sentence(const orders::FailedCondition& failed) {
  return fmt::format("the condition of {} fails: the method has {}, the solution {}", failed.tree, failed.value,
                     failed.condition);
}

void report(Diagnostics& diagnostics, Range where, const std::string& what, const TableauClaim& claim) {
  if (claim.finding() == Finding::Pass) return;
  auto r = claim.finding() == Finding::Fail
               ? diagnostics.error(
                     Code::LIE0560, where,
                     fmt::format("the order of {} is not {}: it is {}", what, claim.declared, claim.found.order))
               : diagnostics.warning(
                     Code::LIE0585, where,
                     fmt::format("whether the order of {} is {} is undecided: a condition is missed by {:.1e} only, "
                                 "which rounded coefficients can do",
                                 what, claim.declared, claim.found.failure->missed));
  if (claim.found.failure) r.note(sentence(*claim.found.failure));
}

void report(Diagnostics& diagnostics, const Verdict& verdict) {
  const Finding finding = verdict.finding();
  if (finding == Finding::Pass) return;
  const Range where = verdict.claim;
  auto r = finding == Finding::Fail
               ? diagnostics.error(
                     Code::LIE0560, where,
                     fmt::format("the order of `{}` is not {}: {}", verdict.method, verdict.declared, verdict.reason()))
               : diagnostics.warning(Code::LIE0585, where,
                                     fmt::format("whether the order of `{}` is {} is undecided: {}", verdict.method,
                                                 verdict.declared, verdict.reason()));
  if (verdict.failure() != nullptr) r.note(sentence(*verdict.failure()));
}

} // namespace lmc::study
