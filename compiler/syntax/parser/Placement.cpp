#include "syntax/parser/Placement.h"

#include "syntax/Characters.h"

#include <algorithm>

namespace lmc::syntax {

namespace {

struct Row {
  StatementKind kind;
  std::string_view word;
  std::vector<DeclKind> homes;
};

const std::vector<Row>& rows() {
  using enum DeclKind;
  static const std::vector<Row> table = {
      {StatementKind::Let, "let", {Model, Group, Manifold, Method, Variational, Tableau, Joint}},
      {StatementKind::Function, "fn", {Model, Group, Manifold, Method, Variational, Tableau}},
      {StatementKind::Param, "param", {Model}},
      {StatementKind::Config, "config", {Model}},
      {StatementKind::State, "state", {Model}},
      {StatementKind::Lagrangian, "lagrangian", {Model, Variational}},
      {StatementKind::Hamiltonian, "hamiltonian", {Model}},
      {StatementKind::Constraint, "constraint", {Model, Joint}},
      {StatementKind::Contact, "contact", {Model}},
      {StatementKind::Joint, "joint", {Model, Joint}},
      {StatementKind::ForceOn, "force", {Model, Variational}},
      {StatementKind::ForceAt, "force", {Model}},
      {StatementKind::Dissipation, "dissipation", {Model}},
      {StatementKind::Input, "input", {Model}},
      {StatementKind::Flow, "flow", {Model}},
      {StatementKind::For, "for", {Model}},
      {StatementKind::Initial, "initial", {Model}},
      {StatementKind::Adjust, "initial adjust", {Model}},
      {StatementKind::Observe, "observe", {Model}},
      {StatementKind::Event, "event", {Model}},
      {StatementKind::Every, "every", {Model}},
      {StatementKind::Discrete, "discrete", {Model}},
      {StatementKind::Simulate, "simulate", {Model}},
      {StatementKind::View, "view", {Model}},
      {StatementKind::Element, "element", {Group}},
      {StatementKind::Algebra, "algebra", {Group}},
      {StatementKind::Point, "point", {Manifold}},
      {StatementKind::ActingGroup, "group", {Manifold}},
      {StatementKind::Holds, "holds", {Group, Manifold}},
      {StatementKind::Definition, "", {Group, Manifold, Method, Variational, Tableau}},
      {StatementKind::Solve, "solve", {Method}},
      {StatementKind::Keep, "keep", {Method}},
      {StatementKind::Next, "next", {Method}},
      {StatementKind::Embedded, "embedded", {Method}},
      {StatementKind::Order, "order", {Tableau}},
  };
  return table;
}

std::string_view nameOf(DeclKind kind) {
  switch (kind) {
  case DeclKind::Model:
    return "a model";
  case DeclKind::Group:
    return "a group";
  case DeclKind::Manifold:
    return "a manifold";
  case DeclKind::Method:
    return "a method";
  case DeclKind::Tableau:
    return "a tableau";
  case DeclKind::Variational:
    return "a variational method";
  case DeclKind::Joint:
    return "a joint";
  default:
    return "this declaration";
  }
}

/// `m = 15;` in a model: a misspelled keyword, or a value that was not declared.
void reportDefinition(const Statement& s, DeclKind declaration, Diagnostics& diagnostics) {
  const std::string& name = s.target.name;
  const std::string meant = nearest(name, statementWords(declaration));
  if (!meant.empty()) {
    diagnostics.error(Code::LIE0014, s.target.nameRange, "there is no statement `" + name + "`")
        .suggest("did you mean `" + meant + "`?");
    return;
  }
  auto report = diagnostics.error(Code::LIE0014, s.target.nameRange,
                                  "`" + name + " = …` is no statement of " + std::string(nameOf(declaration)));
  const std::string call = s.hasParams ? "fn " + name + "(…) = …;" : "param " + name + " = …; or let " + name + " = …;";
  report.suggest("write " + call);
}

void reportReset(const Statement& s, Diagnostics& diagnostics) {
  diagnostics.error(Code::LIE0019, s.keyword, "`reset` stands in the block of an event, or of `every`")
      .suggest("event hit = falling(…) { reset " + s.target.name + " = …; }");
}

} // namespace

std::vector<std::string> statementWords(DeclKind declaration) {
  std::vector<std::string> words;
  for (const Row& row : rows())
    if (std::find(row.homes.begin(), row.homes.end(), declaration) != row.homes.end() && !row.word.empty())
      words.emplace_back(row.word);
  return words;
}

void checkPlacement(const Statement& s, DeclKind declaration, Diagnostics& diagnostics) {
  if (s.kind == StatementKind::Error || declaration == DeclKind::Error) return;
  if (s.kind == StatementKind::Reset) return reportReset(s, diagnostics);
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return r.kind == s.kind; });
  if (row == rows().end()) return;
  if (std::find(row->homes.begin(), row->homes.end(), declaration) != row->homes.end()) return;
  if (s.kind == StatementKind::Definition) return reportDefinition(s, declaration, diagnostics);
  diagnostics
      .error(Code::LIE0019, s.keyword, inQuotes(row->word) + " does not stand in " + std::string(nameOf(declaration)))
      .note("it belongs into " + std::string(nameOf(row->homes.front())));
}

void checkInFor(const Statement& s, Diagnostics& diagnostics) {
  switch (s.kind) {
  case StatementKind::Error:
  case StatementKind::For:
  case StatementKind::Constraint:
  case StatementKind::Contact:
  case StatementKind::Joint:
  case StatementKind::ForceOn:
  case StatementKind::ForceAt:
  case StatementKind::Initial:
  case StatementKind::Observe:
  case StatementKind::Event:
  case StatementKind::Flow:
    return;
  case StatementKind::Definition:
    return reportDefinition(s, DeclKind::Model, diagnostics);
  case StatementKind::Reset:
    return reportReset(s, diagnostics);
  default:
    diagnostics.error(Code::LIE0019, s.keyword, "this statement does not stand in `for`")
        .note("`for` repeats constraint, contact, joint, force, flow, initial, observe and event")
        .suggest("families are declared with a binder: let x[i in 1..N] = …;");
  }
}

bool checkInReset(const Statement& s, Diagnostics& diagnostics) {
  if (s.kind == StatementKind::Error || s.kind == StatementKind::Reset) return true;
  auto report =
      diagnostics.error(Code::LIE0019, s.keyword, "only `reset` stands in the block of an event, or of `every`");
  if (s.kind == StatementKind::Definition) report.suggest("write reset " + s.target.name + " = …;");
  return false;
}

} // namespace lmc::syntax
