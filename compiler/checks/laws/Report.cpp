// Failing laws as diagnostics.
#include "checks/laws/Verify.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lmc::laws {

namespace {

/// Where the declaration gives a clause; what is derived from a basis or of factors is blamed on that, other things on
/// the name.
Range rangeOf(const sema::DeclaredManifold& m, const std::string& clause) {
  Range found = m.declaredAt();
  for (const syntax::StatementPtr& s : m.declaration().body) {
    if (s->kind == syntax::StatementKind::Holds && clause == "holds") return s->range;
    if (s->target.name == clause && s->value) return s->target.range;
    if (s->target.name == "basis" || s->target.name == "semidirect") found = s->target.range;
  }
  return found;
}

std::string messageOf(const Member& m, const LawResult& r) {
  const Violation& v = r.tests.violation();
  const std::string text = fmt::format("{}: {}", m.manifold->name(), r.law.failure);
  if (!r.tests.statement().empty()) return fmt::format("{}: {}", text, r.tests.statement());
  if (!std::isfinite(v.difference)) {
    const Quantity& wrong = v.left.value.allFinite() ? v.right : v.left;
    return fmt::format("{}: {} is not a number {}", text, wrong.name, describe(v.place));
  }
  if (v.right.name == "0")
    return fmt::format("{}: {} is {:.2g} {}", text, v.left.name, v.difference, describe(v.place));
  return fmt::format("{}: {} and {} differ by {:.2g} {}", text, v.left.name, v.right.name, v.difference,
                     describe(v.place));
}

/// Names of the laws that were not tested because of one that fails.
std::vector<std::string> untested(const Member& m, const std::string& law) {
  std::vector<std::string> names;
  for (const LawResult& r : m.laws)
    if (r.outcome == Outcome::NotTested && r.because == law) names.push_back(r.law.name);
  return names;
}

/// Other members of a family in which the same law fails.
std::vector<std::string> alsoIn(const Verification& v, const Member& first, const std::string& law) {
  std::vector<std::string> names;
  for (const Member& m : v.members) {
    if (&m == &first) continue;
    for (const LawResult& r : m.laws)
      if (r.law.name == law && r.outcome == Outcome::Fails) names.push_back(m.manifold->name());
  }
  return names;
}

void reportLaw(const Verification& verification, const Member& m, const LawResult& r, Diagnostics& diagnostics) {
  const Range range = rangeOf(*m.manifold, r.law.clause);
  const std::string message = messageOf(m, r);
  auto report =
      r.law.isAdvice ? diagnostics.warning(r.law.code, range, message) : diagnostics.error(r.law.code, range, message);
  const Violation& v = r.tests.violation();
  report.note("the law: " + r.law.statement);
  for (const Quantity& q : v.at) report.note("at " + describe(q));
  if (r.tests.statement().empty()) {
    report.note(describe(v.left));
    if (v.right.name != "0") report.note(describe(v.right));
  }
  for (const std::string& hint : r.tests.hints()) report.note(hint);
  const auto others = alsoIn(verification, m, r.law.name);
  if (!others.empty()) report.note(fmt::format("the same for {}", fmt::join(others, ", ")));
  const auto skipped = untested(m, r.law.name);
  if (!skipped.empty()) report.note(fmt::format("not tested because of this: {}", fmt::join(skipped, ", ")));
}

} // namespace

void report(const std::vector<Verification>& verifications, Diagnostics& diagnostics) {
  for (const Verification& v : verifications) {
    std::set<std::string> reported;
    for (const Member& m : v.members)
      for (const LawResult& r : m.laws)
        if (r.outcome == Outcome::Fails && reported.insert(r.law.name).second) reportLaw(v, m, r, diagnostics);
  }
}

} // namespace lmc::laws
