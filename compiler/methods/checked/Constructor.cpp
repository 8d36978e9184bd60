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

/// The one named argument that a constructor may have: a whole number.
struct NamedArgument {
  const char* name;
  int lowest, highest;
  const char* meaning; ///< behind its bounds
  const char* example;
  std::optional<int> Constructed::*number;
};

const NamedArgument* argumentOf(MethodClass kind) {
  static const NamedArgument truncate{"truncate",
                                      0,
                                      highestTruncation,
                                      "the highest power of ad in dexpinv",
                                      "rkmk(T, truncate = 2) cuts the series of dexpinv after ad^2",
                                      &Constructed::truncate};
  static const NamedArgument turns{"turns",
                                   2,
                                   mostTurns,
                                   "how often all stages of an implicit tableau are evaluated behind f at the begin",
                                   "projected(T, turns = 7) has stages of an implicit tableau after seven turns",
                                   &Constructed::turns};
  if (kind == MethodClass::MuntheKaas) return &truncate;
  return kind == MethodClass::Projected ? &turns : nullptr;
}

/// False when something was reported.
bool readArguments(sema::Compilation& c, const syntax::Expr& parts, Constructed& result) {
  const NamedArgument* const known = argumentOf(result.kind);
  for (std::size_t k = 0; k < parts.names.size(); ++k) {
    if (known == nullptr || parts.names[k] != known->name) {
      const std::string rest = known == nullptr ? ": it takes a tableau alone" : "";
      auto r =
          c.diagnostics().error(Code::LIE0506, parts.nameRanges[k],
                                fmt::format("{} has no argument `{}`{}", nameOf(result.kind), parts.names[k], rest));
      if (known != nullptr) r.suggest(known->example);
      return false;
    }
    const syntax::Expr& value = *parts.args[k];
    const bool whole = value.kind == syntax::ExprKind::Number && value.isInteger && value.number >= known->lowest &&
                       value.number <= known->highest;
    if (!whole) {
      c.diagnostics().error(Code::LIE0506, value.range,
                            fmt::format("`{}` is a whole number from {} to {}: {}", known->name, known->lowest,
                                        known->highest, known->meaning));
      return false;
    }
    result.*known->number = static_cast<int>(value.number);
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

/// Of the polynomial through rates at the nodes: its values at both ends, by these parts, added up. None where nodes
/// coincide.
std::vector<sym::Number> edgesOf(const std::vector<sym::Number>& c) {
  std::vector<sym::Number> weights;
  for (std::size_t j = 0; j < c.size(); ++j)
    for (std::size_t k = 0; k < j; ++k)
      if ((c[j] - c[k]).isZero()) return weights;
  for (std::size_t j = 0; j < c.size(); ++j) {
    double sum = 0;
    for (const int end : {0, 1}) {
      double value = Tableau::edgeParts[end];
      for (std::size_t k = 0; k < c.size(); ++k)
        if (k != j) value *= (end - c[k].value()) / (c[j].value() - c[k].value());
      sum += value;
    }
    weights.push_back(sym::Number::real(sum));
  }
  return weights;
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
  if (named && !readArguments(c, *e.args[2], result)) return std::nullopt;
  const sema::Found found = tableauOf(c, *e.args[1]);
  if (!found) return std::nullopt;
  auto tableau = readTableau(c, evaluator, found);
  if (!tableau) return std::nullopt;
  result.tableau = std::move(*tableau);
  if (result.kind != MethodClass::Projected || result.tableau.isExplicit() != result.turns.has_value()) {
    if (result.turns) result.tableau = iterated(result.tableau, *result.turns);
    return result;
  }
  if (result.turns) {
    c.diagnostics().error(Code::LIE0506, e.args[1]->range,
                          fmt::format("`{}` is explicit: its stages need no turns", result.tableau.name));
    return std::nullopt;
  }
  c.diagnostics()
      .error(Code::LIE0530, e.args[1]->range,
             fmt::format("`{}` is implicit, and {} takes explicit tableaux: a row of `a` reads stages before it alone",
                         result.tableau.name, name))
      .suggest(fmt::format("{0}({1}) solves for its stages in the algebra, and {2}({1}, turns = 7) evaluates them "
                           "seven times",
                           nameOf(MethodClass::MuntheKaas), result.tableau.name, name));
  return std::nullopt;
}

Tableau iterated(const Tableau& tableau, int turns) {
  const std::size_t s = tableau.stages(), last = static_cast<std::size_t>(turns) - 1;
  const std::size_t all = 1 + s * (last + 1);
  const auto stage = [&](std::size_t turn, std::size_t i) { return 1 + turn * s + i; };
  Tableau t = tableau;
  t.a.assign(all, std::vector<sym::Number>(all, 0));
  t.c.assign(1, 0);
  for (std::size_t turn = 0; turn <= last; ++turn) {
    for (std::size_t i = 0; i < s; ++i) {
      std::vector<sym::Number>& row = t.a[stage(turn, i)];
      if (turn == 0) row[0] = tableau.c[i];
      for (std::size_t j = 0; turn > 0 && j < s; ++j) row[stage(turn - 1, j)] = tableau.a[i][j];
      t.c.push_back(tableau.c[i]);
    }
  }
  const auto onTurn = [&](std::vector<sym::Number>& weights, std::size_t turn) {
    if (weights.empty()) return;
    std::vector<sym::Number> own(all, 0);
    for (std::size_t i = 0; i < s; ++i) own[stage(turn, i)] = weights[i];
    weights = std::move(own);
  };
  if (!t.bhat.empty()) t.before = t.b, t.edges = edgesOf(tableau.c);
  onTurn(t.before, last - 1);
  for (std::vector<sym::Number>* weights : {&t.b, &t.bhat, &t.bhat2, &t.edges}) onTurn(*weights, last);
  t.order = std::min(t.order, turns + 1);
  t.embeddedOrder = std::min(t.embeddedOrder, turns);
  return t;
}

} // namespace lmc::methods
