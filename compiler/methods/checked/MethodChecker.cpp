#include "methods/checked/MethodChecker.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;
using syntax::StatementKind;

MethodChecker::MethodChecker(sema::Compilation& compilation, const sema::Found& method, MethodArguments arguments,
                             const MethodChecker* outer, int automatic)
    : c_(compilation), d_(compilation.diagnostics()), g_(compilation.graph()), decl_(*method.declaration),
      arguments_(std::move(arguments)), outer_(outer), automatic_(outer != nullptr ? outer->automatic_ : automatic),
      evaluator_(c_.methodEvaluator(*this, method.source)) {
  m_.name = decl_.name;
  m_.nameRange = decl_.nameRange;
  m_.orderRange = decl_.order ? decl_.order->range : decl_.nameRange;
  m_.bodyRange = decl_.constructor ? decl_.constructor->range : decl_.range;
}

std::shared_ptr<const CheckedMethod> MethodChecker::run() {
  const std::size_t before = d_.errorCount();
  m_.stepSize = g_.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize);
  m_.time = g_.newArray("t", {}, sym::Shape::scalar(), sym::Role::Time);
  scope_.bind("h", sema::Value::tensor(g_.load(m_.stepSize)));
  scope_.bind("t", sema::Value::tensor(g_.load(m_.time)));
  if (!chooseKind()) return nullptr;
  if (m_.kind != nullptr) addState();
  if (!bindParameters()) return nullptr;
  readOrders();
  if (decl_.constructor) {
    failed_ = !construct(*decl_.constructor) || failed_;
    if (!failed_ && m_.state.empty()) addState();
  } else if (m_.kind->isFormula) {
    formula();
  } else {
    body();
  }
  if (failed_ || d_.errorCount() > before) return nullptr;
  return std::make_shared<const CheckedMethod>(std::move(m_));
}

void MethodChecker::addState() {
  for (std::size_t k = 0; k < m_.kind->state.size(); ++k) {
    Term t;
    t.op = TermOp::State;
    t.kind = m_.kind->state[k].kind;
    t.index = k;
    t.name = m_.kind->state[k].name;
    m_.state.push_back(add(std::move(t)));
    scope_.bind(m_.kind->state[k].name, valueOf(m_.state.back()));
  }
}

/// What a composition is on, its parts say.
bool MethodChecker::chooseKind() {
  if (decl_.constructor && decl_.kindName.empty()) return true;
  const std::vector<KindOfMethod>& kinds = kindsOfMethods();
  const std::string name = decl_.kindName.empty() ? kinds.front().name : decl_.kindName;
  const auto results = [&](const KindOfMethod& k) { // that the body gives and that are of its state
    const std::vector<std::string> names = k.stateNames();
    return std::count_if(decl_.body.begin(), decl_.body.end(), [&](const syntax::StatementPtr& s) {
      return s->kind == StatementKind::Next && std::find(names.begin(), names.end(), s->target.name) != names.end();
    });
  };
  for (const KindOfMethod& k : kinds) {
    if (decl_.kind == syntax::DeclKind::Variational ? !k.isFormula : k.isFormula || k.name != name) continue;
    if (m_.kind == nullptr || (results(k) > 0 && results(k) >= results(*m_.kind))) m_.kind = &k;
  }
  if (m_.kind != nullptr) return true;
  error(Code::LIE0503, decl_.kindRange,
        fmt::format("there is no kind of method `{}`; the kinds are {}", name, fmt::join(kindNames(), ", ")))
      .suggest(nearest(name, kindNames()));
  return false;
}

// --- parameters, order --------------------------------------------------------------------------------------------

bool MethodChecker::bindParameters() {
  bool good = true;
  for (std::size_t k = 0; k < decl_.params.size(); ++k) {
    const syntax::Target& p = decl_.params[k];
    if (p.name == retractionParameter) {
      good = chooseRetraction(decl_.paramDefaults[k].get()) && good;
      continue;
    }
    const auto given =
        std::find_if(arguments_.begin(), arguments_.end(), [&](const auto& a) { return a.first == p.name; });
    const syntax::Expr* const otherwise = decl_.paramDefaults[k].get();
    const bool automatic = given != arguments_.end() ? given->second.kind == sema::ValueKind::String
                                                     : otherwise != nullptr && isAutomatic(*otherwise);
    if (automatic) {
      scope_.bind(p.name, sema::Value::tensor(g_.integer(automatic_)));
    } else if (given != arguments_.end()) {
      scope_.bind(p.name, given->second);
    } else if (decl_.paramDefaults[k]) {
      scope_.bind(p.name, evaluate(*decl_.paramDefaults[k]));
    } else {
      error(Code::LIE0502, p.range, fmt::format("method `{}` needs a value for `{}`", decl_.name, p.name));
      good = false;
    }
  }
  return good;
}

/// The parameter `retract` is the name of a map, not a value.
bool MethodChecker::chooseRetraction(const syntax::Expr* otherwise) {
  const auto given =
      std::find_if(arguments_.begin(), arguments_.end(), [](const auto& a) { return a.first == retractionParameter; });
  if (given != arguments_.end()) {
    m_.retraction = given->second.text;
  } else if (otherwise != nullptr && otherwise->kind == syntax::ExprKind::Name) {
    m_.retraction = otherwise->text;
  } else if (otherwise != nullptr) {
    error(Code::LIE0502, otherwise->range, "a retraction is given by its name: retract = cay");
    return false;
  }
  return true;
}

void MethodChecker::readOrders() {
  m_.ownOrder = decl_.order != nullptr;
  m_.orderVaries = decl_.order && decl_.order->kind != syntax::ExprKind::Number;
  readOrder(decl_.order, m_.order);
  readOrder(decl_.embeddedOrder, m_.embeddedOrder);
}

void MethodChecker::readOrder(const syntax::ExprPtr& order, int& result) {
  if (!order) return;
  const sema::Value v = evaluate(*order);
  constexpr std::int64_t highest = 1000;
  if (v.kind == sema::ValueKind::Tensor && v.parts[0]->isConst() && v.parts[0]->number.isInteger() &&
      std::abs(v.parts[0]->number.num()) <= highest) {
    result = static_cast<int>(v.parts[0]->number.num());
  } else if (!v.isError()) {
    error(Code::LIE0503, order->range, "the order of a method is an integer");
  }
}

// --- statements ---------------------------------------------------------------------------------------------------

void MethodChecker::body() {
  const std::size_t before = d_.errorCount();
  for (const syntax::StatementPtr& s : decl_.body) statement(*s);
  if (!failed_ && d_.errorCount() == before) requireResults();
}

/// Each variable of the state has a value after the step, and a second one where any has.
void MethodChecker::requireResults() {
  const auto has = [&](CheckedStatement::What what, std::size_t k) {
    return std::any_of(m_.body.begin(), m_.body.end(),
                       [&](const CheckedStatement& s) { return s.what == what && s.variable == k; });
  };
  const std::vector<std::string> names = m_.kind->stateNames();
  for (std::size_t k = 0; k < names.size() && !failed_; ++k) {
    if (has(CheckedStatement::What::Next, k)) continue;
    error(Code::LIE0504, decl_.nameRange,
          fmt::format("method `{}` never says what {} is after the step", decl_.name, names[k]))
        .suggest(fmt::format("end it with `next {} = …;`", names[k]));
  }
  for (std::size_t k = 0; k < m_.kept.size() && !failed_; ++k) {
    if (has(CheckedStatement::What::Hand, k)) continue;
    error(Code::LIE0504, m_.kept[k].where,
          fmt::format("method `{}` keeps `{}` and never says what the next step is given", decl_.name, m_.kept[k].name))
        .suggest(fmt::format("end it with `next {} = …;`", m_.kept[k].name));
  }
  const bool second = std::any_of(m_.body.begin(), m_.body.end(),
                                  [](const CheckedStatement& s) { return s.what == CheckedStatement::What::Embedded; });
  for (std::size_t k = 0; second && k < names.size() && !failed_; ++k) {
    if (has(CheckedStatement::What::Embedded, k)) continue;
    error(Code::LIE0504, decl_.nameRange, fmt::format("the embedded result of `{}` has no {}", decl_.name, names[k]))
        .suggest(fmt::format("add `embedded {} = …;`", names[k]));
  }
  if (second && !m_.kind->errorEstimates && !failed_)
    error(Code::LIE0501, decl_.nameRange,
          fmt::format("error estimates of methods on `{}` are not supported yet", m_.kind->name));
}

void MethodChecker::statement(const syntax::Statement& s) {
  switch (s.kind) {
  case StatementKind::Error:
    failed_ = true;
    break;
  case StatementKind::Let:
  case StatementKind::Definition:
    assign(s);
    break;
  case StatementKind::Function:
    function(s);
    break;
  case StatementKind::Next:
    advance(s);
    break;
  case StatementKind::Solve:
    solve(s);
    break;
  case StatementKind::Embedded:
    embed(s);
    break;
  case StatementKind::Keep:
    keep(s);
    break;
  default:
    error(Code::LIE0503, s.keyword, "this statement has no place in a method");
  }
}

bool MethodChecker::given(const std::string& name) const {
  return name == "t" || name == "h" || stateIndex(name).has_value();
}

std::optional<std::size_t> MethodChecker::stateIndex(const std::string& name) const {
  const std::vector<std::string> names = m_.kind->stateNames();
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<std::size_t>(it - names.begin());
}

/// A name may be defined once, and not be one that the method is given.
bool MethodChecker::fresh(const syntax::Target& target) {
  if (given(target.name)) {
    error(Code::LIE0503, target.nameRange,
          fmt::format("`{}` is given to the method and cannot be defined anew", target.name));
    return false;
  }
  const sema::Value* known = scope_.find(target.name);
  if (known != nullptr && !known->isError()) {
    error(Code::LIE0503, target.nameRange, fmt::format("`{}` is defined twice", target.name));
    return false;
  }
  return true;
}

void MethodChecker::assign(const syntax::Statement& s) {
  if (given(s.target.name)) {
    (void)fresh(s.target);
    return;
  }
  CheckedStatement checked;
  checked.terms.first = next();
  const sema::Value v = evaluate(*s.value);
  if (!fresh(s.target)) return;
  scope_.bind(s.target.name, held(v, s.target.name));
  checked.terms.last = next();
  m_.body.push_back(std::move(checked));
}

void MethodChecker::function(const syntax::Statement& s) {
  if (!fresh(s.target)) return;
  const bool twice = std::any_of(functions_.begin(), functions_.end(),
                                 [&](const syntax::Statement* f) { return f->target.name == s.target.name; });
  if (twice) {
    error(Code::LIE0503, s.target.nameRange, fmt::format("`{}` is defined twice", s.target.name));
    return;
  }
  if (s.value) functions_.push_back(&s);
}

/// Which variable of the state `next NAME` or `embedded NAME` means; nothing when it is none (reported).
std::optional<std::size_t> MethodChecker::resultIndex(const syntax::Statement& s) {
  const auto k = stateIndex(s.target.name);
  if (k) return k;
  const std::vector<std::string> names = m_.kind->stateNames();
  const std::string word(c_.sources().text(s.keyword));
  error(Code::LIE0503, s.target.nameRange,
        fmt::format("a method on `{}` has the state {}: write `{} {} = …`, not `{} {}`", m_.kind->name,
                    fmt::join(names, ", "), word, names[0], word, s.target.name));
  return std::nullopt;
}

/// The value of `next NAME = …` or `embedded NAME = …`; nothing when it does not fit (reported).
std::optional<TermId> MethodChecker::result(const syntax::Statement& s, std::size_t k) {
  const sema::Value v = evaluate(*s.value);
  if (v.isError()) return std::nullopt;
  const MethodVariable& variable = m_.kind->state[k];
  if (v.kind == variable.kind) return termOf(v);
  error(Code::LIE0505, s.value->range,
        fmt::format("`{} {}` {}", c_.sources().text(s.keyword), s.target.name, variable.misfit))
      .suggest(variable.suggestion);
  return std::nullopt;
}

void MethodChecker::advance(const syntax::Statement& s) {
  if (const auto kept = keptIndex(s.target.name)) return hand(s, *kept);
  if (const sema::Value* known = scope_.find(s.target.name); known != nullptr && known->isError()) return;
  const auto k = resultIndex(s);
  if (!k) return;
  const std::string name = "next " + s.target.name;
  if (scope_.find(name) != nullptr) {
    error(Code::LIE0503, s.keyword, fmt::format("`{}` is given twice", name));
    return;
  }
  CheckedStatement checked;
  checked.what = CheckedStatement::What::Next;
  checked.variable = *k;
  checked.terms.first = next();
  const auto v = result(s, *k);
  scope_.bind(name, v ? held(valueOf(*v), "next." + s.target.name) : sema::Value::error());
  if (!v) return;
  checked.value = *v;
  checked.terms.last = next();
  m_.body.push_back(std::move(checked));
}

/// `embedded y`: a second result of another order, whose distance from `next y` is the error estimate.
void MethodChecker::embed(const syntax::Statement& s) {
  const auto k = resultIndex(s);
  if (!k) return;
  const bool twice = std::any_of(m_.body.begin(), m_.body.end(), [&](const CheckedStatement& other) {
    return other.what == CheckedStatement::What::Embedded && other.variable == *k;
  });
  if (twice) {
    error(Code::LIE0503, s.keyword, fmt::format("`embedded {}` is given twice", s.target.name));
    return;
  }
  CheckedStatement checked;
  checked.what = CheckedStatement::What::Embedded;
  checked.variable = *k;
  checked.terms.first = next();
  const auto v = result(s, *k);
  if (!v) return;
  checked.value = *v;
  checked.terms.last = next();
  m_.body.push_back(std::move(checked));
}

// --- entry points -------------------------------------------------------------------------------------------------

std::shared_ptr<const CheckedMethod> checkMethod(sema::Compilation& compilation, const sema::Found& method) {
  return MethodChecker(compilation, method, {}).run();
}

std::optional<MethodUse> checkMethod(sema::Compilation& compilation, const syntax::Expr& reference, int automatic) {
  const auto method = resolveMethod(compilation, reference);
  if (!method) return std::nullopt;
  auto checked = MethodChecker(compilation, method->found, method->arguments, nullptr, automatic).run();
  if (!checked) return std::nullopt;
  return MethodUse{std::move(checked), method->adjoint};
}

} // namespace lmc::methods
