#include "tool/shared/VerifyManifolds.h"

#include "checks/laws/Verify.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using laws::LawResult;
using laws::Member;
using laws::Outcome;
using laws::Verification;
using nlohmann::ordered_json;

/// One law over all members of a declaration.
struct Row {
  const LawResult* first = nullptr;
  bool fails = false, tested = false;
  double defect = 0;
};

std::vector<Row> rowsOf(const Verification& v) {
  std::vector<Row> rows;
  for (const Member& m : v.members) {
    for (const LawResult& r : m.laws) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& x) { return x.first->law.name == r.law.name; });
      if (row == rows.end()) row = rows.insert(rows.end(), {&r});
      row->fails = row->fails || r.outcome == Outcome::Fails;
      row->tested = row->tested || r.outcome == Outcome::Holds;
      if (r.outcome == Outcome::Holds) row->defect = std::max(row->defect, r.tests.defect());
    }
  }
  return rows;
}

/// The law was tried, and no point could tell: round-off is as large as what it is about.
bool isUndecided(const LawResult& r) {
  return r.outcome == Outcome::NotTested && r.because.empty();
}

std::string describe(const Row& row) {
  const LawResult& r = *row.first;
  std::string verdict = isUndecided(r) ? "undecided" : "not tested";
  if (row.fails)
    verdict = r.law.isAdvice ? "advice" : "FAILS";
  else if (row.tested)
    verdict = r.tests.isMeasured() ? fmt::format("{:.1e}", row.defect) : "holds";
  return fmt::format("  {:<28}{:<12}{}\n", r.law.name, verdict, r.law.statement);
}

std::string describe(const Verification& v) {
  const bool group = v.declaration.declaration->kind == syntax::DeclKind::Group;
  std::vector<std::string> names;
  for (const Member& m : v.members) names.push_back(m.manifold->name());
  std::string text = fmt::format("{}: {}{}\n", fmt::join(names, ", "), names.size() > 1 ? "" : "a ",
                                 names.size() > 1 ? (group ? "groups" : "manifolds") : (group ? "group" : "manifold"));
  for (const Member& m : v.members)
    if (!m.obstacle.empty()) text += "  " + m.manifold->name() + " is " + m.obstacle + "\n";
  std::vector<std::string> smooth; // one line for all operations
  for (const Row& row : rowsOf(v)) {
    if (row.first->law.code == Code::LIE0573 && row.tested && !row.fails)
      smooth.push_back(row.first->law.clause);
    else
      text += describe(row);
  }
  if (!smooth.empty()) text += fmt::format("  {:<28}{:<12}{}\n", "smooth", "holds", fmt::join(smooth, ", "));
  return text;
}

ordered_json toObject(const LawResult& r) {
  ordered_json object = {{"law", r.law.name}, {"statement", r.law.statement}};
  object["verdict"] = r.outcome == Outcome::Holds   ? "PASS"
                      : r.outcome == Outcome::Fails ? "FAIL"
                      : isUndecided(r)              ? "UNDECIDED"
                                                    : "NOT TESTED";
  if (r.law.isAdvice) object["advice"] = true;
  if (r.outcome == Outcome::NotTested) {
    if (!r.because.empty()) object["because"] = r.because;
    return object;
  }
  object["tests"] = r.tests.count();
  object["defect"] =
      r.tests.isMeasured() && std::isfinite(r.tests.defect()) ? ordered_json(r.tests.defect()) : ordered_json(nullptr);
  return object;
}

ordered_json toObject(const Member& m) {
  ordered_json list = ordered_json::array();
  for (const LawResult& r : m.laws) list.push_back(toObject(r));
  ordered_json object = {{"name", m.manifold->name()},
                         {"kind", m.manifold->isGroup() ? "group" : "manifold"},
                         {"verdict", m.holds() ? "PASS" : "FAIL"},
                         {"laws", list}};
  if (!m.obstacle.empty()) object["reason"] = m.obstacle;
  return object;
}

} // namespace

ManifoldFindings verifyManifolds(sema::Compilation& compilation, const Invocation& call, ordered_json& list) {
  const std::vector<Verification> all = laws::Verifier(compilation).run();
  laws::report(all, compilation.diagnostics());
  ManifoldFindings findings{all.size(), true};
  for (const Verification& v : all) {
    findings.lawsHold = findings.lawsHold && v.holds();
    if (!call[options::json] && !v.members.empty()) print(describe(v));
    for (const Member& m : v.members) list.push_back(toObject(m));
  }
  return findings;
}

} // namespace lmc::tool
