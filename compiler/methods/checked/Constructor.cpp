#include "methods/checked/Constructor.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

namespace {

/// `truncate = k`, the one named argument. False when something was reported.
bool readArguments(Compilation& c, const ast::Expr& parts, MethodClass kind, std::optional<int>& truncate) {
  for (std::size_t k = 0; k < parts.names.size(); ++k) {
    if (parts.names[k] != "truncate" || kind != MethodClass::MuntheKaas) {
      auto r = c.diagnostics().error(
          Code::LIE0506, parts.nameRanges[k],
          kind == MethodClass::MuntheKaas
              ? fmt::format("rkmk has no argument '{}'", parts.names[k])
              : fmt::format("crouch_grossman has no argument '{}': it takes a tableau alone", parts.names[k]));
      if (kind == MethodClass::MuntheKaas) r.suggest("rkmk(T, truncate = 2) cuts the series of dexpinv after ad^2");
      return false;
    }
    const ast::Expr& value = *parts.args[k];
    const bool whole = value.kind == ast::ExprKind::Number && value.isInteger && value.number <= highestTruncation;
    if (!whole) {
      c.diagnostics().error(Code::LIE0506, value.range,
                            fmt::format("`truncate` is a whole number from 0 to {}: the highest power of ad in dexpinv",
                                        highestTruncation));
      return false;
    }
    truncate = static_cast<int>(value.number);
  }
  return true;
}

Found tableauOf(Compilation& c, const ast::Expr& name) {
  const Found found = c.findTableau(name.text, name.range.source);
  if (found) return found;
  std::vector<std::string> names;
  for (const Found& t : c.libraryDeclarations(ast::DeclKind::Tableau)) names.push_back(t.declaration->name);
  const std::string library = fmt::format("the library has {}", fmt::join(names, ", "));
  for (const ast::File* file : c.files()) {
    for (const ast::Declaration& d : file->declarations)
      if (d.kind == ast::DeclKind::Tableau) names.push_back(d.name);
  }
  c.diagnostics()
      .error(Code::LIE0507, name.range, fmt::format("there is no tableau '{}'", name.text))
      .note(library)
      .suggest(nearest(name.text, names));
  return {};
}

} // namespace

std::optional<Constructed> readConstructor(Compilation& c, Evaluator& evaluator, const ast::Expr& e) {
  const bool isCall = e.kind == ast::ExprKind::Call;
  const std::string name = isCall ? e.args[0]->text : e.text;
  if (name != "rkmk" && name != "crouch_grossman") {
    const std::vector<std::string> all = {"rkmk", "crouch_grossman", "compose", "adjoint"};
    c.diagnostics()
        .error(Code::LIE0506, e.range,
               fmt::format("'{}' does not construct a method; {} do", name, fmt::join(all, ", ")))
        .suggest(nearest(name, all));
    return std::nullopt;
  }
  const bool named = isCall && e.args.size() == 3 && e.args[2]->kind == ast::ExprKind::Parts;
  if (!isCall || e.args.size() < 2 || e.args[1]->kind != ast::ExprKind::Name || (e.args.size() != 2 && !named)) {
    c.diagnostics().error(Code::LIE0506, e.range, fmt::format("{} takes the name of a tableau: {}(T)", name, name));
    return std::nullopt;
  }
  Constructed result;
  result.kind = name == "rkmk" ? MethodClass::MuntheKaas : MethodClass::CrouchGrossman;
  if (named && !readArguments(c, *e.args[2], result.kind, result.truncate)) return std::nullopt;
  const Found found = tableauOf(c, *e.args[1]);
  if (!found) return std::nullopt;
  auto tableau = readTableau(c, evaluator, found);
  if (!tableau) return std::nullopt;
  result.tableau = std::move(*tableau);
  return result;
}

} // namespace lmc
