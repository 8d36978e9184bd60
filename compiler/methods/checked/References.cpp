#include "methods/checked/References.h"

#include "methods/checked/NumbersOnly.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

namespace {

/// Named arguments of a method: numbers, and expressions of numbers.
bool readArguments(sema::Compilation& c, const syntax::Expr& a, const syntax::Declaration& method,
                   MethodArguments& arguments) {
  Diagnostics& d = c.diagnostics();
  if (a.kind != syntax::ExprKind::Parts) {
    d.error(Code::LIE0502, a.range, "arguments of a method are named: NAME(theta = 0.5)");
    return false;
  }
  for (std::size_t j = 0; j < a.names.size(); ++j) {
    std::vector<std::string> names;
    for (const syntax::Target& p : method.params) names.push_back(p.name);
    if (std::find(names.begin(), names.end(), a.names[j]) == names.end()) {
      auto report = d.error(Code::LIE0502, a.nameRanges[j],
                            fmt::format("method `{}` has no parameter `{}`", method.name, a.names[j]));
      if (!names.empty()) report.note(fmt::format("it has {}", fmt::join(names, ", ")));
      return false;
    }
    if (a.names[j] == retractionParameter) {
      if (a.args[j]->kind != syntax::ExprKind::Name) {
        d.error(Code::LIE0502, a.args[j]->range, "a retraction is given by its name: retract = cay");
        return false;
      }
      sema::Value name;
      name.kind = sema::ValueKind::String;
      name.text = a.args[j]->text;
      arguments.emplace_back(a.names[j], std::move(name));
      continue;
    }
    if (isAutomatic(*a.args[j])) {
      sema::Value name;
      name.kind = sema::ValueKind::String;
      arguments.emplace_back(a.names[j], std::move(name));
      continue;
    }
    NumbersOnly none; // nothing of a method is around
    const auto evaluator = c.methodEvaluator(none, a.range.source);
    sema::Value v = evaluator->evaluate(*a.args[j], sema::Scope(), {});
    if (v.isError()) return false;
    if (v.kind != sema::ValueKind::Tensor || v.parts[0]->shape.rank != 0 || !v.parts[0]->isConst()) {
      d.error(Code::LIE0502, a.args[j]->range, "an argument of a method is a number");
      return false;
    }
    arguments.emplace_back(a.names[j], std::move(v));
  }
  return true;
}

void reportUnknown(sema::Compilation& c, const std::string& name, Range where) {
  std::vector<std::string> names = c.methodNames();
  std::sort(names.begin(), names.end());
  c.diagnostics()
      .error(Code::LIE0500, where, fmt::format("there is no method `{}`", name))
      .note(fmt::format("there are {}", fmt::join(names, ", ")))
      .suggest(nearest(name, names));
}

} // namespace

bool isAutomatic(const syntax::Expr& e) {
  return e.kind == syntax::ExprKind::Name && e.text == "auto";
}

std::optional<MethodReference> resolveMethod(sema::Compilation& c, const syntax::Expr& reference) {
  if (reference.kind == syntax::ExprKind::Error) return std::nullopt;
  const bool isCall = reference.kind == syntax::ExprKind::Call;
  const syntax::Expr& name = isCall ? *reference.args[0] : reference;
  if (isCall && name.text == "adjoint") {
    if (reference.args.size() != 2) {
      c.diagnostics().error(Code::LIE0506, reference.range, "adjoint takes a method: adjoint(M)");
      return std::nullopt;
    }
    auto method = resolveMethod(c, *reference.args[1]);
    if (method) method->adjoint = !method->adjoint;
    return method;
  }
  if (name.kind != syntax::ExprKind::Name) {
    c.diagnostics().error(Code::LIE0500, reference.range,
                          "a method is given by its name, perhaps with arguments: NAME(theta = 0.5)");
    return std::nullopt;
  }
  MethodReference r;
  r.found = c.findMethod(name.text, name.range.source);
  if (!r.found) {
    reportUnknown(c, name.text, name.range);
    return std::nullopt;
  }
  for (std::size_t k = 1; isCall && k < reference.args.size(); ++k) {
    if (!readArguments(c, *reference.args[k], *r.found.declaration, r.arguments)) return std::nullopt;
  }
  return r;
}

} // namespace lmc::methods
