#include "methods/Instantiation.h"

#include "base/Budget.h"
#include "methods/Constructor.h"
#include "methods/Instantiate.h"
#include "methods/TableauStep.h"
#include "sym/Constant.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lmc {

using ast::StatementKind;
using sym::Expr;

namespace {
std::string join(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Whether a method says that it steps the whole equations: by an order of its own, or that of a tableau.
bool hasOrder(const ast::Declaration& method) {
  const ast::Expr* c = method.constructor.get();
  const bool composed = c != nullptr && c->kind == ast::ExprKind::Call &&
                        (c->args[0]->text == "compose" || c->args[0]->text == "adjoint");
  return method.order != nullptr || (c != nullptr && !composed);
}
} // namespace

Instantiation::Instantiation(const KindContext& context, MethodKind& kind, const Found& method,
                             const Instantiation* outer)
    : context_(context), kind_(kind), c_(context.compilation), d_(c_.diagnostics()), g_(c_.graph()),
      decl_(*method.declaration), outer_(outer), evaluator_(c_.methodEvaluator(*this, method.source)) {}

std::optional<std::vector<Value>> Instantiation::run(const Begin& begin, const Arguments& arguments) {
  const std::size_t before = d_.errorCount();
  begin_ = begin;
  scope_.bind("h", Value::tensor(begin.h));
  scope_.bind("t", Value::tensor(begin.t));
  const std::vector<std::string> names = kind_.stateNames();
  for (std::size_t k = 0; k < names.size(); ++k) scope_.bind(names[k], begin.state[k]);
  next_.resize(names.size());
  if (!bindParameters(arguments)) return std::nullopt;
  readOrder();
  if (decl_.constructor) {
    construct(*decl_.constructor);
  } else if (decl_.kind == ast::DeclKind::Variational) {
    variational();
  } else {
    for (const ast::StatementPtr& s : decl_.body) statement(*s);
    for (std::size_t k = 0; k < names.size() && d_.errorCount() == before; ++k) {
      if (next_[k]) continue;
      d_.error(Code::LIE0504, decl_.nameRange,
               fmt::format("method '{}' never says what {} is after the step", decl_.name, names[k]))
          .suggest(fmt::format("end it with `next {} = …;`", names[k]));
    }
  }
  for (std::size_t k = 0; k < second_.size() && d_.errorCount() == before; ++k) {
    if (second_[k]) continue;
    d_.error(Code::LIE0504, decl_.nameRange, fmt::format("the embedded result of '{}' has no {}", decl_.name, names[k]))
        .suggest(fmt::format("add `embedded {} = …;`", names[k]));
  }
  if (d_.errorCount() > before) return std::nullopt;
  // An error that was reported when the method was looked at before does not count again.
  const auto missing = [](const std::optional<Value>& v) { return !v || v->isError(); };
  if (std::any_of(next_.begin(), next_.end(), missing) || std::any_of(second_.begin(), second_.end(), missing))
    return std::nullopt;
  for (const std::optional<Value>& v : second_) embedded_.push_back(*v);
  std::vector<Value> result;
  for (const std::optional<Value>& v : next_) result.push_back(*v);
  return result;
}

std::optional<Value> Instantiation::call(const std::string& name, const std::vector<Value>& args, Range where) {
  const auto f = std::find_if(functions_.begin(), functions_.end(),
                              [&](const ast::Statement* s) { return s->target.name == name; });
  if (f == functions_.end()) return kind_.call(name, args, where);
  const ast::Statement& s = **f;
  if (args.size() != s.params.size()) {
    d_.error(Code::LIE0121, where,
             fmt::format("`{}` takes {} argument{}, not {}", name, s.params.size(), s.params.size() == 1 ? "" : "s",
                         args.size()))
        .note("declared here", s.target.nameRange);
    return Value::error();
  }
  if (std::find(calls_.begin(), calls_.end(), &s) != calls_.end()) {
    d_.error(Code::LIE0111, where, fmt::format("the function `{}` calls itself", name));
    return Value::error();
  }
  Scope scope(visible_);
  for (std::size_t k = 0; k < args.size(); ++k) scope.bind(s.params[k].name, args[k]);
  calls_.push_back(&s);
  const Scope* const outer = std::exchange(visible_, &scope);
  Value v = evaluate(*s.value);
  visible_ = outer;
  calls_.pop_back();
  return v;
}

std::vector<std::string> Instantiation::names() const {
  std::vector<std::string> list = kind_.names();
  for (const ast::Statement* s : functions_) list.push_back(s->target.name);
  return list;
}

bool Instantiation::bindParameters(const Arguments& arguments) {
  bool good = true;
  kind_.useRetraction("exp");
  for (std::size_t k = 0; k < decl_.params.size(); ++k) {
    const ast::Target& p = decl_.params[k];
    if (p.name == retractionParameter) {
      good = chooseRetraction(arguments, decl_.paramDefaults[k].get()) && good;
      continue;
    }
    const auto given =
        std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) { return a.first == p.name; });
    if (given != arguments.end()) {
      scope_.bind(p.name, given->second);
    } else if (decl_.paramDefaults[k]) {
      scope_.bind(p.name, evaluate(*decl_.paramDefaults[k]));
    } else {
      d_.error(Code::LIE0502, p.range, fmt::format("method '{}' needs a value for '{}'", decl_.name, p.name));
      good = false;
    }
  }
  return good;
}

/// The parameter `retract` is the name of a map, not a value.
bool Instantiation::chooseRetraction(const Arguments& arguments, const ast::Expr* otherwise) {
  const auto given =
      std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return a.first == retractionParameter; });
  if (given != arguments.end()) {
    kind_.useRetraction(given->second.text);
  } else if (otherwise != nullptr && otherwise->kind == ast::ExprKind::Name) {
    kind_.useRetraction(otherwise->text);
  } else if (otherwise != nullptr) {
    d_.error(Code::LIE0502, otherwise->range, "a retraction is given by its name: retract = cay");
    return false;
  }
  return true;
}

void Instantiation::readOrder() {
  readOrder(decl_.order, context_.step.order);
  readOrder(decl_.embeddedOrder, context_.step.embeddedOrder);
}

void Instantiation::readOrder(const ast::ExprPtr& order, int& result) {
  if (!order) return;
  const Value v = evaluate(*order);
  constexpr std::int64_t highest = 1000;
  if (v.kind == ValueKind::Tensor && v.parts[0]->isConst() && v.parts[0]->number.isInteger() &&
      std::abs(v.parts[0]->number.num()) <= highest) {
    if (result == 0) result = static_cast<int>(v.parts[0]->number.num());
  } else if (!v.isError()) {
    d_.error(Code::LIE0503, order->range, "the order of a method is an integer");
  }
}

bool Instantiation::given(const std::string& name) const {
  return name == "t" || name == "h" || stateIndex(name).has_value();
}

std::optional<std::size_t> Instantiation::stateIndex(const std::string& name) const {
  const std::vector<std::string> names = kind_.stateNames();
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<std::size_t>(it - names.begin());
}

void Instantiation::statement(const ast::Statement& s) {
  switch (s.kind) {
  case StatementKind::Error:
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
  default:
    d_.error(Code::LIE0503, s.keyword, "this statement has no place in a method");
  }
}

/// A name may be defined once, and not be one that the method is given.
bool Instantiation::fresh(const ast::Target& target) {
  if (given(target.name)) {
    d_.error(Code::LIE0503, target.nameRange,
             fmt::format("'{}' is given to the method and cannot be defined anew", target.name));
    return false;
  }
  const Value* known = scope_.find(target.name);
  if (known != nullptr && !known->isError()) {
    d_.error(Code::LIE0503, target.nameRange, fmt::format("'{}' is defined twice", target.name));
    return false;
  }
  return true;
}

void Instantiation::assign(const ast::Statement& s) {
  if (given(s.target.name)) {
    (void)fresh(s.target);
    return;
  }
  Value v = evaluate(*s.value);
  if (!fresh(s.target)) return;
  scope_.bind(s.target.name, v.isError() ? v : kind_.hold(v, s.target.name));
}

void Instantiation::function(const ast::Statement& s) {
  if (!fresh(s.target)) return;
  const bool twice = std::any_of(functions_.begin(), functions_.end(),
                                 [&](const ast::Statement* f) { return f->target.name == s.target.name; });
  if (twice) {
    d_.error(Code::LIE0503, s.target.nameRange, fmt::format("'{}' is defined twice", s.target.name));
    return;
  }
  if (s.value) functions_.push_back(&s);
}

/// Which variable of the state `next NAME` or `embedded NAME` means; nothing when it is none (reported).
std::optional<std::size_t> Instantiation::resultIndex(const ast::Statement& s) {
  const auto k = stateIndex(s.target.name);
  if (k) return k;
  const std::vector<std::string> names = kind_.stateNames();
  const std::string word(c_.sources().text(s.keyword));
  d_.error(Code::LIE0503, s.target.nameRange,
           fmt::format("a method on '{}' has the state {}: write `{} {} = …`, not `{} {}`",
                       decl_.kindName.empty() ? "manifold" : decl_.kindName, join(names), word, names[0], word,
                       s.target.name));
  return std::nullopt;
}

/// The value of `next NAME = …` or `embedded NAME = …`; an error when it does not fit (reported).
Value Instantiation::result(const ast::Statement& s, std::size_t k) {
  const Value v = evaluate(*s.value);
  if (v.isError()) return v;
  const auto wrong = kind_.misfit(k, v);
  if (!wrong) return v;
  d_.error(Code::LIE0505, s.value->range,
           fmt::format("`{} {}` {}", c_.sources().text(s.keyword), s.target.name, wrong->message))
      .suggest(wrong->suggestion);
  return Value::error();
}

void Instantiation::advance(const ast::Statement& s) {
  const auto k = resultIndex(s);
  if (!k) return;
  if (next_[*k]) {
    d_.error(Code::LIE0503, s.keyword, fmt::format("`next {}` is given twice", s.target.name));
    return;
  }
  const Value v = result(s, *k);
  next_[*k] = v;
  scope_.bind("next " + s.target.name, v.isError() ? v : kind_.hold(v, "next." + s.target.name));
}

/// `embedded y`: a second result of another order, whose distance from `next y` is the error estimate.
void Instantiation::embed(const ast::Statement& s) {
  const auto k = resultIndex(s);
  if (!k) return;
  second_.resize(next_.size());
  if (second_[*k]) {
    d_.error(Code::LIE0503, s.keyword, fmt::format("`embedded {}` is given twice", s.target.name));
    return;
  }
  const int exponentials = context_.step.exponentials; // those of `next` are counted
  second_[*k] = result(s, *k);
  context_.step.exponentials = exponentials;
}

// --- built-in constructors: rkmk(tableau), crouch_grossman(tableau), compose(method; …) ---------------------------

void Instantiation::construct(const ast::Expr& e) {
  if (e.kind == ast::ExprKind::Call && e.args[0]->text == "compose") return compose(e);
  if (e.kind == ast::ExprKind::Call && e.args[0]->text == "adjoint") return adjoint(e);
  const auto method = readConstructor(c_, *evaluator_, e);
  if (!method) return;
  auto* manifold = dynamic_cast<ManifoldKind*>(&kind_);
  if (manifold == nullptr) {
    d_.error(Code::LIE0506, e.range, "tableaux construct methods on 'manifold' only");
    return;
  }
  const Tableau& tableau = method->tableau;
  if (context_.step.order == 0) context_.step.order = tableau.order;
  const Tuple& y = begin_.state[0].parts;
  if (context_.step.embeddedOrder == 0) context_.step.embeddedOrder = tableau.embeddedOrder;
  const TableauStep step(*manifold, context_, tableau, begin_.h, begin_.t);
  const TableauStep::Results results =
      method->kind == MethodClass::MuntheKaas ? step.muntheKaas(y, method->cut()) : step.crouchGrossman(y);
  next_[0] = ManifoldKind::point(results.next);
  if (!results.embedded.empty()) second_ = {ManifoldKind::point(results.embedded)};
}

/// compose(M; g1, g2, …): steps of M with g1 h, g2 h, … one after the other; compose(A, B, …; g1, g2, …): a step of
/// each. The time of a step goes on from the one before; that of a method which steps a part of the equations from its
/// own last step.
void Instantiation::compose(const ast::Expr& e) {
  std::vector<MethodReference> methods;
  std::size_t next = 1;
  for (; next < e.args.size() && namesMethod(*e.args[next], methods.empty()); ++next) {
    const auto method = resolveMethod(c_, *e.args[next]);
    if (!method || !ofOneKind(*method, methods, *e.args[next])) return;
    methods.push_back(*method);
  }
  const auto parts = partsOfTheStep(e, next);
  if (!parts) return;
  if (methods.size() > 1 && methods.size() != parts->size()) {
    d_.error(Code::LIE0506, e.range,
             fmt::format("{} methods need as many parts of the step, not {}", methods.size(), parts->size()));
    return;
  }
  const std::optional<Clocks> clocks = clocksOf(e, methods, *parts);
  if (!clocks) return;
  Begin begin = begin_;
  std::map<const ast::Declaration*, Expr> times;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    const MethodReference& method = methods[methods.size() > 1 ? k : 0];
    const ast::Declaration* clock = *clocks == Clocks::OneEach ? method.found.declaration : nullptr;
    begin.t = times.try_emplace(clock, begin_.t).first->second;
    begin.h = g_.mul((*parts)[k], begin_.h);
    const auto after = stepOf(method, begin);
    if (!after) return;
    for (std::size_t i = 0; i < after->size(); ++i) begin.state[i] = kind_.hold((*after)[i], "composed");
    times[clock] = g_.add(begin.t, begin.h);
  }
  for (std::size_t k = 0; k < next_.size(); ++k) next_[k] = begin.state[k];
}

/// adjoint(M): the inverse of a step of M with -h.
void Instantiation::adjoint(const ast::Expr& e) {
  const auto method = resolveMethod(c_, e);
  const auto after = method ? stepOf(*method, begin_) : std::nullopt;
  for (std::size_t k = 0; after && k < next_.size(); ++k) next_[k] = (*after)[k];
}

std::optional<std::vector<Value>> Instantiation::stepOf(const MethodReference& method, const Begin& begin) {
  if (needsItself(method)) return std::nullopt;
  const Place place(decl_.constructor->range);
  if (method.adjoint) return adjointStep(method, begin);
  return Instantiation(context_, kind_, method.found, this).run(begin, method.arguments);
}

/// A method that is a part of itself has no end.
bool Instantiation::needsItself(const MethodReference& method) {
  std::string chain;
  for (const Instantiation* i = this; i != nullptr; i = i->outer_) {
    chain = "`" + i->decl_.name + "`" + (chain.empty() ? "" : ", which is made of " + chain);
    if (&i->decl_ != method.found.declaration) continue;
    auto report = d_.error(Code::LIE0517, decl_.constructor->range,
                           fmt::format("method '{}' is made of itself", method.found.declaration->name));
    if (i != this) report.note(chain + ", which is made of `" + i->decl_.name + "`");
    return true;
  }
  return false;
}

/// Steps can follow one another when they are steps of the same state.
bool Instantiation::ofOneKind(const MethodReference& method, const std::vector<MethodReference>& others,
                              const ast::Expr& e) {
  if (others.empty()) return true;
  const std::string own = kindOf(c_, *method.found.declaration);
  const std::string first = kindOf(c_, *others[0].found.declaration);
  if (own == first) return true;
  d_.error(Code::LIE0506, e.range,
           fmt::format("methods on '{}' and on '{}' cannot be composed: they step different states", first, own));
  return false;
}

/// Whether an argument of compose is a method; the first must be one.
bool Instantiation::namesMethod(const ast::Expr& e, bool first) {
  const ast::Expr& name = e.kind == ast::ExprKind::Call ? *e.args[0] : e;
  if (first || (e.kind == ast::ExprKind::Call && name.text == "adjoint")) return true;
  return name.kind == ast::ExprKind::Name && scope_.find(name.text) == nullptr &&
         c_.findMethod(name.text, name.range.source);
}

std::optional<std::vector<Expr>> Instantiation::partsOfTheStep(const ast::Expr& e, std::size_t first) {
  if (first >= e.args.size()) {
    d_.error(Code::LIE0506, e.range, "compose takes a method and the parts of the step: compose(M; 1/2, 1/2)");
    return std::nullopt;
  }
  std::vector<Expr> parts;
  for (std::size_t k = first; k < e.args.size(); ++k) {
    const Value v = evaluate(*e.args[k]);
    if (v.isError()) return std::nullopt;
    if (v.kind != ValueKind::Tensor || v.parts[0]->shape.rank != 0 || v.parts[0]->type == sym::Type::Bool) {
      d_.error(Code::LIE0506, e.args[k]->range, "the parts of the step are numbers");
      return std::nullopt;
    }
    parts.push_back(g_.toReal(v.parts[0]));
  }
  return parts;
}

/// The parts of all methods add up to 1, or those of each do where each steps a part of the equations: such a method
/// has no order of its own.
std::optional<Instantiation::Clocks> Instantiation::clocksOf(const ast::Expr& e,
                                                             const std::vector<MethodReference>& methods,
                                                             const std::vector<Expr>& parts) {
  const auto isOne = [](const sym::Number& x) { return std::abs(x.value() - 1) <= 1e-12; };
  const auto all = sym::constantValue(g_.sum(parts, sym::Shape::scalar()));
  if (!all || isOne(*all)) return Clocks::One;
  std::map<const ast::Declaration*, std::vector<Expr>> own;
  for (std::size_t k = 0; k < methods.size() && methods.size() > 1; ++k)
    own[methods[k].found.declaration].push_back(parts[k]);
  const bool eachWhole = own.size() > 1 && std::all_of(own.begin(), own.end(), [&](const auto& m) {
                           const auto sum = sym::constantValue(g_.sum(m.second, sym::Shape::scalar()));
                           return sum && isOne(*sum);
                         });
  const auto ordered = std::find_if(own.begin(), own.end(), [](const auto& m) { return hasOrder(*m.first); });
  if (eachWhole && ordered == own.end()) return Clocks::OneEach;
  auto report =
      d_.error(Code::LIE0506, e.range, fmt::format("the parts of the step add up to {:.15g}, not to 1", all->value()));
  if (eachWhole)
    report.note(
        fmt::format("those of each method may add up to 1 where each steps a part of the equations, and so has no "
                    "order; '{}' has one",
                    ordered->first->name));
  return std::nullopt;
}

} // namespace lmc
