#include "methods/checked/Constructor.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

namespace {

constexpr struct {
  const char* name;
  MethodClass kind;
} constructors[] = {{"rkmk", MethodClass::MuntheKaas},
                    {"crouch_grossman", MethodClass::CrouchGrossman},
                    {"projected", MethodClass::Projected}};

std::string nameOf(MethodClass kind) {
  return std::find_if(std::begin(constructors), std::end(constructors), [&](const auto& c) { return c.kind == kind; })
      ->name;
}

/// `truncate = k`, the one named argument. False when something was reported.
bool readArguments(sema::Compilation& c, const syntax::Expr& parts, MethodClass kind, std::optional<int>& truncate) {
  for (std::size_t k = 0; k < parts.names.size(); ++k) {
    if (parts.names[k] != "truncate" || kind != MethodClass::MuntheKaas) {
      auto r = c.diagnostics().error(
          Code::LIE0506, parts.nameRanges[k],
          kind == MethodClass::MuntheKaas
              ? fmt::format("rkmk has no argument `{}`", parts.names[k])
              : fmt::format("{} has no argument `{}`: it takes a tableau alone", nameOf(kind), parts.names[k]));
      if (kind == MethodClass::MuntheKaas) r.suggest("rkmk(T, truncate = 2) cuts the series of dexpinv after ad^2");
      return false;
    }
    const syntax::Expr& value = *parts.args[k];
    const bool whole = value.kind == syntax::ExprKind::Number && value.isInteger && value.number <= highestTruncation;
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

sema::Found tableauOf(sema::Compilation& c, const syntax::Expr& name) {
  const sema::Found found = c.findTableau(name.text, name.range.source);
  if (found) return found;
  std::vector<std::string> names;
  for (const sema::Found& t : c.libraryDeclarations(syntax::DeclKind::Tableau)) names.push_back(t.declaration->name);
  const std::string library = fmt::format("the library has {}", fmt::join(names, ", "));
  for (const syntax::File* file : c.files()) {
    for (const syntax::Declaration& d : file->declarations)
      if (d.kind == syntax::DeclKind::Tableau) names.push_back(d.name);
  }
  c.diagnostics()
      .error(Code::LIE0507, name.range, fmt::format("there is no tableau `{}`", name.text))
      .note(library)
      .suggest(nearest(name.text, names));
  return {};
}

} // namespace

std::optional<Constructed> readConstructor(sema::Compilation& c, sema::Evaluator& evaluator, const syntax::Expr& e) {
  const bool isCall = e.kind == syntax::ExprKind::Call;
  const std::string name = isCall ? e.args[0]->text : e.text;
  const auto* const known =
      std::find_if(std::begin(constructors), std::end(constructors), [&](const auto& one) { return one.name == name; });
  if (known == std::end(constructors)) {
    std::vector<std::string> all;
    for (const auto& one : constructors) all.emplace_back(one.name);
    all.insert(all.end(), {"compose", "adjoint", "symmetric"});
    c.diagnostics()
        .error(Code::LIE0506, e.range,
               fmt::format("`{}` does not construct a method; {} do", name, fmt::join(all, ", ")))
        .suggest(nearest(name, all));
    return std::nullopt;
  }
  const bool named = isCall && e.args.size() == 3 && e.args[2]->kind == syntax::ExprKind::Parts;
  if (!isCall || e.args.size() < 2 || e.args[1]->kind != syntax::ExprKind::Name || (e.args.size() != 2 && !named)) {
    c.diagnostics().error(Code::LIE0506, e.range, fmt::format("{} takes the name of a tableau: {}(T)", name, name));
    return std::nullopt;
  }
  Constructed result;
  result.where = e.range;
  result.kind = known->kind;
  if (named && !readArguments(c, *e.args[2], result.kind, result.truncate)) return std::nullopt;
  const sema::Found found = tableauOf(c, *e.args[1]);
  if (!found) return std::nullopt;
  auto tableau = readTableau(c, evaluator, found);
  if (!tableau) return std::nullopt;
  result.tableau = std::move(*tableau);
  if (result.kind == MethodClass::Projected && !result.tableau.isExplicit()) {
    c.diagnostics()
        .error(
            Code::LIE0530, e.args[1]->range,
            fmt::format("`{}` is implicit, and {} takes explicit tableaux: a row of `a` reads stages before it alone",
                        result.tableau.name, name))
        .suggest(fmt::format("{}({}) solves for its stages in the algebra", nameOf(MethodClass::MuntheKaas),
                             result.tableau.name));
    return std::nullopt;
  }
  return result;
}

} // namespace lmc::methods
