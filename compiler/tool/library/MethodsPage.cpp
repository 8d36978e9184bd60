#include "tool/library/MethodsPage.h"

#include "checks/study/Records.h"
#include "methods/checked/Kinds.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace lmc::tool {

namespace {

struct LibraryMethods {
  std::unique_ptr<sema::Compilation> compilation;
  std::vector<sema::Found> methods;
  study::Records records;
  std::string problems, invariants; ///< texts of the models of orders and of properties
};

LibraryMethods readLibrary() {
  LibraryMethods l;
  sema::CompilationOptions options;
  options.libraryRoot = libraryRoot();
  l.compilation = sema::makeCompilation(std::move(options));
  for (const syntax::DeclKind kind : {syntax::DeclKind::Method, syntax::DeclKind::Variational})
    for (const sema::Found& method : l.compilation->libraryDeclarations(kind)) l.methods.push_back(method);
  l.records = study::readRecords(study::recordFile(libraryRoot()));
  l.problems = study::problemTexts(libraryRoot());
  l.invariants = study::propertyTexts(libraryRoot());
  return l;
}

std::string number(const std::map<std::string, double>& measured, const std::string& problem) {
  const auto it = measured.find(problem);
  return it == measured.end() ? "" : fmt::format("{:.2f}", it->second);
}

std::string row(const study::MethodRecord& r, const std::set<std::string>& problems) {
  std::string proved = r.proved > 0 ? std::to_string(r.proved) : "not proved: " + r.reason;
  if (r.embedded > 0) proved += fmt::format("({})", r.embedded);
  if (r.numerical) proved += " (numerical)";
  std::string text =
      fmt::format("| `{}` | {} | {} | {} | {} |", r.name, r.declared, proved, r.evaluations, r.exponentials);
  for (const std::string& problem : problems) text += " " + number(r.measured, problem) + " |";
  return text + "\n";
}

/// The method to take where accuracy counts: of the pairs those of the highest order, of these the one with the fewest
/// exponentials, then the fewest evaluations.
const study::MethodRecord* mostAccurate(const study::Records& records) {
  const study::MethodRecord* best = nullptr;
  const auto merit = [](const study::MethodRecord& r) {
    return std::make_tuple(r.proved, -r.exponentials, -r.evaluations);
  };
  for (const auto& [name, record] : records)
    if (record.embedded > 0 && (best == nullptr || merit(record) > merit(*best))) best = &record;
  return best;
}

std::string cell(const std::optional<bool>& x) {
  return !x ? "" : *x ? "yes" : "no";
}

/// The table of properties.
std::string propertiesTable(const LibraryMethods& library) {
  std::string text =
      "\n## Properties\n\n"
      "Measured on the models of `runtime/problems/invariants/` that a method can step; empty where none "
      "can tell.\n\n"
      "* *symplectic*: the tangent map of a step keeps the symplectic form to round-off "
      "(`lmc symplecticity`).\n"
      "* *momentum*: the momentum maps of the symmetries of the model change by less than 1e-11 in 100 "
      "long steps.\n"
      "* *time-symmetric*: a step of length −h undoes a step of length h up to 1e-12.\n"
      "* *energy*: the verdict of the long-time energy test (`lmc stability`) at two steps: bounded, drift, or "
      "unclear.\n\n"
      "| method | symplectic | momentum | time-symmetric | energy |\n|---|---|---|---|---|\n";
  for (const sema::Found& method : library.methods) {
    const auto record = library.records.find(method.declaration->name);
    if (record == library.records.end()) continue;
    const study::MethodProperties& p = record->second.properties;
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", record->first, cell(p.symplectic), cell(p.momentum),
                        cell(p.timeSymmetric), study::energyWord(p));
  }
  return text;
}

/// A table of the words of each kind, with what a model must have.
std::string kindsOnPage() {
  std::string text = "\n## Kinds\n\n"
                     "What the body of a method may use besides numbers, sums and multiples. Made from the table by "
                     "which methods\nare checked, `compiler/methods/checked/kinds.def`. k, l and v are algebra "
                     "elements, m a momentum, t is a time.\n";
  for (const methods::KindOfMethod& kind : methods::kindsOfMethods()) {
    std::string state;
    for (const std::string& name : kind.stateNames()) state += (state.empty() ? "`" : ", `") + name + "`";
    text += fmt::format("\n### {}: {}\n\n{}.\n\n", kind.isFormula ? "`variational`" : "`on " + kind.name + "`", state,
                        kind.about);
    for (const methods::Need need : kind.needs)
      text += fmt::format("* A model must have {}.\n", methods::describe(need));
    if (kind.needs.empty()) text += "* Steps every model.\n";
    if (kind.tableaux) text += "* Tableaux construct such methods.\n";
    if (kind.projected)
      text +=
          "* `projected(T)` constructs such methods from explicit tableaux, `projected(T, turns = m)` from implicit "
          "ones.\n";
    if (kind.errorEstimates) text += "* They may have an error estimate, `embedded`.\n";
    text += "\n| | |\n|---|---|\n";
    const bool known = std::any_of(kind.words.begin(), kind.words.end(),
                                   [&](const methods::Word& w) { return w.call == kind.movedPoint; });
    if (!known && !kind.movedPoint.empty()) text += fmt::format("| `{}` | the point that k moves |\n", kind.movedPoint);
    for (const methods::Word& w : kind.words) text += fmt::format("| `{}` | {} |\n", w.call, w.means);
  }
  return text;
}

} // namespace

int measureMethods(Context& context) {
  context.stage = "measuring the methods of the library";
  LibraryMethods library = readLibrary();
  products::PipelineOptions options;
  options.compilation.libraryRoot = libraryRoot();
  options.compile.useCache = !context.call[options::noCache];
  study::Bench bench(options, {});
  const study::PropertyBench properties(options);
  study::Records records;
  for (const sema::Found& method : library.methods) {
    const std::string& name = method.declaration->name;
    const study::MethodRecord& known = library.records[name];
    const std::string orders = study::fingerprint(*library.compilation, method, library.problems);
    const std::string invariants = study::fingerprint(*library.compilation, method, library.invariants);
    const bool fresh = known.fingerprint == orders;
    if (!fresh) complain("measuring " + name);
    study::MethodRecord& record = records[name];
    record = fresh ? known : study::record(study::judge(*library.compilation, method, bench), orders);
    const bool same = known.propertyFingerprint == invariants;
    if (!same) complain("measuring the properties of " + name);
    record.properties = same ? known.properties : properties.measure(name);
    record.propertyFingerprint = invariants;
  }
  print(study::toText(records));
  return Done;
}

int methodsPage(Context& context) {
  context.stage = "reading the library";
  const LibraryMethods library = readLibrary();
  std::set<std::string> problems;
  for (const auto& [name, record] : library.records)
    for (const auto& [problem, order] : record.measured) problems.insert(problem);
  std::string text =
      "# Methods and their orders\n\n"
      "Made by `./dev orders`; do not edit. A test compares it with the library.\n\n"
      "* *proved*: by exact Lie–Butcher series, for every Lie group, with the order of the second approximation in\n"
      "  parentheses ([tool.md](tool.md), section 8). *Numerical* means that decimal coefficients meet the "
      "conditions\n"
      "  up to 1e-14.\n"
      "* *f*, *exp*: evaluations of f and exponentials of the group per step, as the text of the method calls them.\n"
      "  Forces and mass matrices in equations that the method solves itself are not counted: 0 means that\n"
      "  all of the work is in them.\n"
      "* The other columns: the order measured on the problems of `runtime/problems/`, between 1e3 times round-off and "
      "an error\n"
      "  of 1e-3.\n\n"
      "`lmc methods NAME` shows the text of a method and its source in the literature.\n\n";
  if (const study::MethodRecord* best = mostAccurate(library.records))
    text +=
        fmt::format("Where accuracy counts, take `{}` with a `tolerance`: of the pairs with the highest proved order "
                    "the one with\nthe fewest exponentials. Where the run says that it looks stiff, and where "
                    "invariants count, see\n[language.md](language.md), section 8.\n\n",
                    best->name);
  std::string head = "| method | declared | proved | f | exp |", rule = "|---|---|---|---|---|";
  for (const std::string& problem : problems) {
    head += " " + problem + " |";
    rule += "---|";
  }
  text += head + "\n" + rule + "\n";
  for (const sema::Found& method : library.methods) {
    const auto record = library.records.find(method.declaration->name);
    if (record != library.records.end()) text += row(record->second, problems);
  }
  print(text + propertiesTable(library) + kindsOnPage());
  return Done;
}

} // namespace lmc::tool
