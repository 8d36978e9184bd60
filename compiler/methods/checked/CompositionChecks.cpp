// Methods that are constructed: from tableaus, and from other methods.
#include "methods/checked/MethodChecker.h"

#include "base/Budget.h"
#include "sym/Constant.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace lmc::methods {

using sym::Expr;

bool MethodChecker::construct(const syntax::Expr& e) {
  if (e.kind == syntax::ExprKind::Call && e.args[0]->text == "compose") return compose(e);
  if (e.kind == syntax::ExprKind::Call && e.args[0]->text == "adjoint") return adjoint(e);
  if (e.kind == syntax::ExprKind::Call && e.args[0]->text == "symmetric") return symmetric(e);
  return fromTableau(e);
}

bool MethodChecker::fromTableau(const syntax::Expr& e) {
  m_.tableau = readConstructor(c_, *evaluator_, e);
  if (!m_.tableau) return false;
  const std::vector<KindOfMethod>& kinds = kindsOfMethods();
  const bool projected = m_.tableau->kind == MethodClass::Projected;
  const auto constructed = [&](const KindOfMethod& k) { return projected ? k.projected : k.tableaux; };
  const KindOfMethod& own = *std::find_if(kinds.begin(), kinds.end(), constructed);
  // Kinds of one name differ in their states, and of these a constructor says nothing.
  if (m_.kind != nullptr && m_.kind->name != own.name) {
    error(Code::LIE0506, e.range,
          fmt::format("{} constructs methods on `{}` only", c_.sources().text(e.args[0]->range), own.name));
    return false;
  }
  m_.kind = &own;
  m_.ownOrder = true;
  if (m_.order == 0) m_.order = m_.tableau->tableau.order;
  if (m_.embeddedOrder == 0) m_.embeddedOrder = m_.tableau->tableau.embeddedOrder;
  return true;
}

/// compose(M; g1, g2, …): steps of M with g1 h, g2 h, … one after the other; compose(A, B, …; g1, g2, …): a step of
/// each. The time of a step goes on from the one before; that of a method which steps a part of the equations from its
/// own last step.
bool MethodChecker::compose(const syntax::Expr& e) {
  std::vector<MethodUse> methods;
  std::map<std::string_view, MethodUse> checked; // what is written alike is one method
  std::size_t next = 1;
  for (; next < e.args.size() && namesMethod(*e.args[next], methods.empty()); ++next) {
    const std::string_view text = c_.sources().text(e.args[next]->range);
    const auto known = checked.find(text);
    auto use = known != checked.end() ? std::optional(known->second) : part(*e.args[next]);
    if (!use) return false;
    checked.emplace(text, *use);
    if (!methods.empty() && use->method->kind != methods[0].method->kind) {
      error(Code::LIE0506, e.args[next]->range,
            fmt::format("methods on `{}` and on `{}` cannot be composed: they step different states",
                        methods[0].method->kind->name, use->method->kind->name));
      return false;
    }
    methods.push_back(std::move(*use));
  }
  std::vector<Expr> parts;
  if (!partsOfTheStep(e, next, parts)) return false;
  if (methods.size() > 1 && methods.size() != parts.size()) {
    error(Code::LIE0506, e.range,
          fmt::format("{} methods need as many parts of the step, not {}", methods.size(), parts.size()));
    return false;
  }
  m_.kind = methods[0].method->kind;
  return setClocks(e, methods, parts, m_.composition.emplace());
}

/// adjoint(M): the inverse of a step of M with -h.
bool MethodChecker::adjoint(const syntax::Expr& e) {
  auto use = part(e);
  if (!use) return false;
  m_.kind = use->method->kind;
  m_.composition.emplace().parts.push_back({std::move(*use), {}, 0});
  return true;
}

/// symmetric(M): a step of M between two moves by the same multipliers, such that constraints hold at the end.
bool MethodChecker::symmetric(const syntax::Expr& e) {
  if (e.args.size() != 2) {
    error(Code::LIE0506, e.range, "symmetric takes a method: symmetric(M)");
    return false;
  }
  auto use = part(*e.args[1]);
  if (!use) return false;
  if (!use->method->kind->tableaux) {
    error(Code::LIE0506, e.args[1]->range,
          fmt::format("symmetric projection is of methods that step the phase point, not of one on `{}`",
                      use->method->kind->name));
    return false;
  }
  m_.kind = use->method->kind;
  CheckedComposition& composition = m_.composition.emplace();
  composition.parts.push_back({std::move(*use), g_.number(1), 0});
  composition.symmetric = true;
  return true;
}

/// A method as one of those that this one is made of.
std::optional<MethodUse> MethodChecker::part(const syntax::Expr& e) {
  const auto method = resolveMethod(c_, e);
  if (!method || needsItself(*method)) return std::nullopt;
  const Place place(decl_.constructor->range);
  auto checked = MethodChecker(c_, method->found, method->arguments, this).run();
  if (!checked) return std::nullopt;
  if (!checked->kept.empty()) {
    error(Code::LIE0435, e.range,
          fmt::format("`{}` keeps numbers from step to step, so its steps cannot be parts of others", checked->name))
        .note("it keeps this", checked->kept.front().where);
    return std::nullopt;
  }
  return MethodUse{std::move(checked), method->adjoint};
}

/// A method that is a part of itself has no end.
bool MethodChecker::needsItself(const MethodReference& method) {
  std::string chain;
  for (const MethodChecker* i = this; i != nullptr; i = i->outer_) {
    chain = fmt::format("`{}`{}{}", i->decl_.name, chain.empty() ? "" : ", which is made of ", chain);
    if (&i->decl_ != method.found.declaration) continue;
    auto report = error(Code::LIE0517, decl_.constructor->range,
                        fmt::format("method `{}` is made of itself", method.found.declaration->name));
    if (i != this) report.note(chain + ", which is made of `" + i->decl_.name + "`");
    return true;
  }
  return false;
}

/// Whether an argument of compose is a method; the first must be one.
bool MethodChecker::namesMethod(const syntax::Expr& e, bool first) {
  const syntax::Expr& name = e.kind == syntax::ExprKind::Call ? *e.args[0] : e;
  if (first || (e.kind == syntax::ExprKind::Call && name.text == "adjoint")) return true;
  return name.kind == syntax::ExprKind::Name && scope_.find(name.text) == nullptr &&
         c_.findMethod(name.text, name.range.source);
}

bool MethodChecker::partsOfTheStep(const syntax::Expr& e, std::size_t first, std::vector<Expr>& parts) {
  if (first >= e.args.size()) {
    error(Code::LIE0506, e.range, "compose takes a method and the parts of the step: compose(M; 1/2, 1/2)");
    return false;
  }
  for (std::size_t k = first; k < e.args.size(); ++k) {
    const sema::Value v = evaluate(*e.args[k]);
    if (v.isError()) return false;
    if (v.kind != sema::ValueKind::Tensor || v.parts[0]->shape.rank != 0 || v.parts[0]->type == sym::Type::Bool) {
      error(Code::LIE0506, e.args[k]->range, "the parts of the step are numbers");
      return false;
    }
    parts.push_back(g_.toReal(v.parts[0]));
  }
  return true;
}

/// The parts of all methods add up to 1, or those of each do where each steps a part of the equations: such a method
/// has no order of its own, and has a time of its own.
bool MethodChecker::setClocks(const syntax::Expr& e, const std::vector<MethodUse>& methods,
                              const std::vector<Expr>& parts, CheckedComposition& composition) {
  const auto isOne = [](const sym::Number& x) { return std::abs(x.value() - 1) <= 1e-12; };
  const auto all = sym::constantValue(g_.sum(parts, sym::Shape::scalar()));
  const bool together = !all || isOne(*all);
  std::map<Range, std::vector<std::size_t>, bool (*)(const Range&, const Range&)> own(
      [](const Range& a, const Range& b) { return std::pair(a.source, a.begin) < std::pair(b.source, b.begin); });
  for (std::size_t k = 0; k < methods.size() && methods.size() > 1; ++k) own[methods[k].method->nameRange].push_back(k);
  const bool eachWhole = own.size() > 1 && std::all_of(own.begin(), own.end(), [&](const auto& m) {
                           std::vector<Expr> list;
                           for (const std::size_t k : m.second) list.push_back(parts[k]);
                           const auto sum = sym::constantValue(g_.sum(list, sym::Shape::scalar()));
                           return sum && isOne(*sum);
                         });
  const auto ordered =
      std::find_if(methods.begin(), methods.end(), [](const MethodUse& m) { return m.method->ownOrder; });
  if (!together && !(eachWhole && ordered == methods.end())) {
    auto report =
        error(Code::LIE0506, e.range, fmt::format("the parts of the step add up to {:.15g}, not to 1", all->value()));
    if (eachWhole)
      report.note(
          fmt::format("those of each method may add up to 1 where each steps a part of the equations, and so has no "
                      "order; `{}` has one",
                      ordered->method->name));
    return false;
  }
  for (std::size_t k = 0; k < parts.size(); ++k)
    composition.parts.push_back({methods[methods.size() > 1 ? k : 0], parts[k], 0});
  std::size_t clock = 0;
  for (auto it = own.begin(); !together && it != own.end(); ++it, ++clock) {
    for (const std::size_t k : it->second) composition.parts[k].clock = clock;
  }
  return true;
}

} // namespace lmc::methods
