#include "sema/expressions/NameCheck.h"

#include "sema/expressions/ExpressionEvaluator.h"

#include <algorithm>

namespace lmc::sema {

namespace {

class Checker {
public:
  Checker(Session& session, Environment& home) : s_(session), home_(home) { home.addVariables(variables_); }

  void expression(const syntax::Expr& e, std::vector<std::string>& bound) {
    if (e.kind == syntax::ExprKind::Name) name(e, bound);
    if (e.kind == syntax::ExprKind::Call) {
      call(e, bound);
      return;
    }
    const std::size_t before = bound.size();
    for (const syntax::Binder& b : e.binders) {
      if (b.lo) expression(*b.lo, bound);
      if (b.hi) expression(*b.hi, bound);
      bound.push_back(b.name);
    }
    if (e.where) expression(*e.where, bound);
    for (const syntax::ExprPtr& a : e.args) expression(*a, bound);
    bound.resize(before);
  }

private:
  void call(const syntax::Expr& e, std::vector<std::string>& bound) {
    const syntax::Expr& callee = *e.args[0];
    const bool special = callee.kind == syntax::ExprKind::Name && callee.text == "random";
    const bool words = callee.kind == syntax::ExprKind::Name && callee.text == "interpolate"; // behind two values
    for (std::size_t k = 1; k < e.args.size() && !special; ++k)
      if (!words || k < 3 || e.args[k]->kind == syntax::ExprKind::Parts) expression(*e.args[k], bound);
    if (callee.kind != syntax::ExprKind::Name) return;
    const auto& specials = specialFunctions();
    const bool known = home_.function(callee.text) || findBuiltin(callee.text) != nullptr ||
                       std::find(specials.begin(), specials.end(), callee.text) != specials.end();
    if (known) return;
    std::vector<std::string> names;
    home_.addFunctions(names);
    for (const Builtin& b : builtins()) names.emplace_back(b.name);
    report(Code::LIE0101, callee, "there is no function `" + callee.text + "`", names);
  }

  void name(const syntax::Expr& e, const std::vector<std::string>& bound) {
    const auto has = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), e.text) != list.end();
    };
    if (has(bound) || has(variables_) || has(predefinedNames())) return;
    std::vector<std::string> names = bound;
    names.insert(names.end(), variables_.begin(), variables_.end());
    names.insert(names.end(), predefinedNames().begin(), predefinedNames().end());
    report(Code::LIE0100, e, "there is nothing named `" + e.text + "` here", names);
  }

  void report(Code code, const syntax::Expr& e, const std::string& message, const std::vector<std::string>& names) {
    if (isMisspelt(s_.diagnostics, e.range)) return;
    auto r = s_.diagnostics.error(code, e.range, message);
    const std::string near = nearest(e.text, names);
    if (!near.empty()) r.suggest(didYouMean(near));
  }

  Session& s_;
  Environment& home_;
  std::vector<std::string> variables_;
};

} // namespace

void checkFunctionNames(Session& session, const syntax::Statement& function, Environment& home) {
  if (!function.value) return;
  std::vector<std::string> bound;
  for (const syntax::Target& p : function.params) bound.push_back(p.name);
  Checker(session, home).expression(*function.value, bound);
}

void checkExpressionNames(Session& session, const syntax::Expr& e, std::vector<std::string> bound, Environment& home) {
  Checker(session, home).expression(e, bound);
}

bool isMisspelt(const Diagnostics& diagnostics, Range name) {
  const std::vector<Diagnostic> all = diagnostics.sorted();
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
    return d.code == Code::LIE0004 && d.range.source == name.source && d.range.begin >= name.begin &&
           d.range.end <= name.end;
  });
}

} // namespace lmc::sema
