// The orders of the library's methods: `lmc methods --measure` makes the file that is kept, `--format markdown` the
// page of the documentation.
#include "driver/Commands.h"

#include "driver/Options.h"
#include "driver/Report.h"
#include "orders/Declared.h"
#include "study/Records.h"

#include <cmath>
#include <fmt/format.h>
#include <set>

namespace lmc::tool {

namespace {

struct LibraryMethods {
  std::unique_ptr<Compilation> compilation;
  std::vector<Found> methods;
  study::Records records;
  std::string problems; ///< their texts
};

LibraryMethods readLibrary() {
  LibraryMethods l;
  CompilationOptions options;
  options.libraryRoot = libraryRoot();
  l.compilation = makeCompilation(std::move(options));
  for (const ast::DeclKind kind : {ast::DeclKind::Method, ast::DeclKind::Variational})
    for (const Found& method : l.compilation->libraryDeclarations(kind)) l.methods.push_back(method);
  l.records = study::readRecords(study::recordFile(libraryRoot()));
  l.problems = study::problemTexts(libraryRoot());
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

} // namespace

int measureMethods(Context& context) {
  context.stage = "measuring the methods of the library";
  LibraryMethods library = readLibrary();
  PipelineOptions options;
  options.compilation.libraryRoot = libraryRoot();
  options.compile.useCache = !context.call.noCache;
  study::Bench bench(options, {});
  study::Records records;
  for (const Found& method : library.methods) {
    const std::string& name = method.declaration->name;
    const std::string wanted = study::fingerprint(*library.compilation, method, library.problems);
    const auto known = library.records.find(name);
    if (known != library.records.end() && known->second.fingerprint == wanted) {
      records[name] = known->second;
      continue;
    }
    complain("measuring " + name);
    records[name] = study::record(study::judge(*library.compilation, method, bench), wanted);
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
      "  parentheses ([language.md](language.md), section 9). *Numerical* means that decimal coefficients meet the "
      "conditions\n"
      "  up to 1e-14.\n"
      "* *f*, *exp*: evaluations of f and exponentials of the group per step.\n"
      "* The other columns: the order measured on the problems of `runtime/problems/`, between 1e3 times round-off and "
      "an error\n"
      "  of 1e-3.\n\n"
      "`lmc methods NAME` shows the text of a method and its source in the literature.\n\n";
  std::string head = "| method | declared | proved | f | exp |", rule = "|---|---|---|---|---|";
  for (const std::string& problem : problems) {
    head += " " + problem + " |";
    rule += "---|";
  }
  text += head + "\n" + rule + "\n";
  for (const Found& method : library.methods) {
    const auto record = library.records.find(method.declaration->name);
    if (record != library.records.end()) text += row(record->second, problems);
  }
  print(text);
  return Done;
}

} // namespace lmc::tool
