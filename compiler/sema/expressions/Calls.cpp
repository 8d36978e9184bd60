// Calls: functions of the user, operations of manifolds, built-in functions.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/values/IndexMath.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sema {

using sym::Expr;
using syntax::ExprKind;

std::vector<Value> ExpressionEvaluator::arguments(const syntax::Expr& e, const Context& c) {
  std::vector<Value> values;
  for (std::size_t k = 1; k < e.args.size(); ++k) values.push_back(evaluate(*e.args[k], c));
  return values;
}

Value ExpressionEvaluator::call(const syntax::Expr& e, const Context& c) {
  const syntax::Expr& callee = *e.args[0];
  if (callee.kind == ExprKind::Error) return Value::error();
  if (callee.kind == ExprKind::Field) return callManifold(e, c);
  if (callee.kind != ExprKind::Name) {
    report(Code::LIE0101, callee.range, "`" + text(callee) + "` is not a function");
    return Value::error();
  }
  if (auto f = c.env->function(callee.text)) return callFunction(*f, e, c);
  if (operations_ != nullptr) {
    const std::vector<std::string> own = operations_->names();
    const bool named = std::find(own.begin(), own.end(), callee.text) != own.end();
    const Builtin* builtin = findBuiltin(callee.text);
    if (named || builtin == nullptr) {
      const std::vector<Value> args = arguments(e, c);
      if (std::any_of(args.begin(), args.end(), [](const Value& v) { return v.isError(); })) return Value::error();
      if (named) {
        if (auto v = operations_->call(callee.text, args, e.range)) return *v;
      }
      if (builtin == nullptr) return unknownFunction(e, c);
    }
  }
  if (callee.text == "random") return randomPoint(e, c);
  if (callee.text == "momentum" || callee.text == "velocity") return fiberOf(e, c);
  if (callee.text == "multiplier" || callee.text == "reaction") return forceOf(e, c);
  const Builtin* builtin = findBuiltin(callee.text);
  if (builtin == nullptr) return unknownFunction(e, c);
  std::vector<Value> args = arguments(e, c);
  if (args.size() < builtin->least || args.size() > builtin->most) {
    const std::string wanted = builtin->least == builtin->most ? counted(builtin->least, "argument")
                               : builtin->most > 99
                                   ? "at least " + counted(builtin->least, "argument")
                                   : std::to_string(builtin->least) + " to " + counted(builtin->most, "argument");
    report(Code::LIE0121, e.range, "`" + callee.text + "` takes " + wanted + ", not " + std::to_string(args.size()));
    return Value::error();
  }
  if (std::any_of(args.begin(), args.end(), [](const Value& v) { return v.isError(); })) return Value::error();
  return builtin->evaluate(*this, BuiltinCall{e, callee.text, std::move(args), c});
}

Value ExpressionEvaluator::unknownFunction(const syntax::Expr& e, const Context& c) {
  arguments(e, c); // their own errors
  const syntax::Expr& callee = *e.args[0];
  const bool isValue = c.scope->find(callee.text) != nullptr;
  std::vector<std::string> variables;
  c.env->addVariables(variables);
  if (isValue || std::find(variables.begin(), variables.end(), callee.text) != variables.end()) {
    auto r = report(Code::LIE0101, callee.range,
                    "`" + callee.text + "` is not a function; members and components are in brackets");
    if (e.args.size() == 2) r.suggest(didYouMean(callee.text + "[" + text(*e.args[1]) + "]"));
    return Value::error();
  }
  auto r = report(Code::LIE0101, callee.range, "there is no function `" + callee.text + "`");
  std::vector<std::string> names;
  c.env->addFunctions(names);
  for (const Builtin& b : builtins()) names.emplace_back(b.name);
  for (const std::string& n : specialFunctions()) names.push_back(n);
  if (operations_ != nullptr) {
    for (const std::string& n : operations_->names()) names.push_back(n);
  }
  const std::string near = nearest(callee.text, names);
  if (!near.empty()) r.suggest(didYouMean(near));
  return Value::error();
}

Value ExpressionEvaluator::callFunction(const FunctionRef& f, const syntax::Expr& e, const Context& c) {
  return callFunction(f, arguments(e, c), e, c);
}

Value ExpressionEvaluator::callFunction(const FunctionRef& f, const std::vector<Value>& args, const syntax::Expr& e,
                                        const Context& c) {
  const syntax::Statement& s = *f.statement;
  if (args.size() != s.params.size()) {
    report(Code::LIE0121, e.range,
           "`" + s.target.name + "` takes " + counted(s.params.size(), "argument") + ", not " +
               std::to_string(args.size()))
        .note("declared here", s.target.nameRange);
    return Value::error();
  }
  if (std::any_of(args.begin(), args.end(), [](const Value& v) { return v.isError(); })) return Value::error();
  if (std::any_of(position_.calls.begin(), position_.calls.end(),
                  [&](const Call& k) { return k.function == f.statement; })) {
    s_.diagnostics.error(Code::LIE0111, e.range, "the function `" + s.target.name + "` calls itself")
        .note("declared here", s.target.nameRange);
    return Value::error();
  }
  Scope scope;
  for (std::size_t k = 0; k < args.size(); ++k) scope.bind(s.params[k].name, args[k]);
  if (!s.value) return Value::error();
  const std::size_t before = s_.diagnostics.mark();
  position_.calls.push_back({f.statement, e.range});
  const Value v = evaluate(*s.value, Context{f.home, &scope, c.loops});
  position_.calls.pop_back();
  const auto ofLibrary = [&](Range r) { return s_.library.isLibrary(r.source); };
  if (v.isError() && ofLibrary(s.target.nameRange) && !ofLibrary(e.range)) reportCall(e, before);
  return v;
}

/// A function of the library found arguments that do not fit: one error, at the call.
void ExpressionEvaluator::reportCall(const syntax::Expr& e, std::size_t before) {
  const std::vector<Diagnostic> inside = s_.diagnostics.takeBack(before);
  if (inside.empty()) return;
  const Diagnostic& first = inside.front();
  report(first.code, e.range, "`" + text(e) + "`: " + first.message).note("found here", first.range);
}

// --- manifolds ------------------------------------------------------------------------------------------------

std::optional<syntax::Type> typeOf(const syntax::Expr& e) {
  syntax::Type t;
  t.range = e.range;
  if (e.kind == ExprKind::Name) {
    t.name = e.text;
    t.nameRange = e.range;
    return t;
  }
  if (e.kind == ExprKind::Call && e.args[0]->kind == ExprKind::Name) {
    t.name = e.args[0]->text;
    t.nameRange = e.args[0]->range;
    t.hasArgs = true;
    t.args.assign(e.args.begin() + 1, e.args.end());
    return t;
  }
  if (e.kind == ExprKind::Binary && e.op == syntax::BinaryOp::Pow && e.args[0]->kind == ExprKind::Name) {
    t.name = e.args[0]->text;
    t.nameRange = e.args[0]->range;
    t.exponent = e.args[1];
    return t;
  }
  return std::nullopt;
}

Value ExpressionEvaluator::callManifold(const syntax::Expr& e, const Context& c) {
  const syntax::Expr& callee = *e.args[0];
  const auto type = typeOf(*callee.args[0]);
  if (!type) {
    report(Code::LIE0101, callee.range, "`" + text(callee) + "` is not a function");
    return Value::error();
  }
  const FoundManifold* m = manifold(*type, c);
  const std::vector<Value> args = arguments(e, c);
  if (m == nullptr) return Value::error();
  if (!m->gives(callee.text)) {
    if (const auto f = m->helper(callee.text)) return callHelper(*f, args, e, c);
  }
  const auto& signatures = operationSignatures(m->isGroup());
  const auto it = std::find_if(signatures.begin(), signatures.end(),
                               [&](const ClauseSignature& s) { return s.name == callee.text; });
  if (it == signatures.end() || !m->gives(callee.text)) {
    std::vector<std::string> given;
    for (const ClauseSignature& s : signatures) {
      if (m->gives(s.name)) given.emplace_back(s.name);
    }
    auto r =
        report(Code::LIE0153, callee.opRange, m->name() + " gives no `" + callee.text + "`; it gives " + listed(given));
    for (std::string& f : m->helpers()) given.push_back(std::move(f));
    const std::string near = nearest(callee.text, given);
    if (!near.empty()) r.suggest(didYouMean(near));
    return Value::error();
  }
  if (args.size() != it->args.size()) {
    report(Code::LIE0121, e.range,
           "`" + text(callee) + "` takes " + counted(it->args.size(), "argument") + ", not " +
               std::to_string(args.size()));
    return Value::error();
  }
  std::vector<Tuple> tuples;
  for (std::size_t k = 0; k < args.size(); ++k) {
    auto t = operand(*m, *it, k, args[k], *e.args[k + 1]);
    if (t) tuples.push_back(std::move(*t));
  }
  if (tuples.size() != args.size()) return Value::error();
  const auto result = m->evaluate(callee.text, tuples, host_, *c.loops);
  return result ? m->wrap(it->result, *result) : Value::error();
}

std::optional<Tuple> ExpressionEvaluator::operand(const FoundManifold& m, const ClauseSignature& signature,
                                                  std::size_t k, const Value& v, const syntax::Expr& e) {
  if (signature.args[k] == ClauseKind::Vector) {
    const Expr x = vector(v, e, m.actsOn().value_or(0));
    return x ? std::optional(Tuple{x}) : std::nullopt;
  }
  const ClauseKind kind = signature.args[k];
  const bool algebra = kind == ClauseKind::Algebra || kind == ClauseKind::Dual;
  // The first argument of an action is an element of the group.
  const Manifold& of = !m.isGroup() && signature.name == "action" && k == 0 ? m.group() : m;
  const char* what = kind == ClauseKind::Algebra  ? "an element of the algebra of "
                     : kind == ClauseKind::Dual   ? "an element of the dual of the algebra of "
                     : kind == ClauseKind::Change ? "a tangent vector at the identity of "
                                                  : "an element of ";
  if (kind == ClauseKind::Change) return parts(v, of.point(), what + of.name(), e, Code::LIE0122);
  const ValueKind elements = kind == ClauseKind::Algebra ? ValueKind::Velocity
                             : kind == ClauseKind::Dual  ? ValueKind::Momentum
                                                         : ValueKind::Point;
  const Expected expected{elements, algebra ? &m.group() : &of, {}};
  return parts(v, algebra ? m.algebra() : of.point(), what + of.name(), e, Code::LIE0122, expected);
}

/// A function of a declaration, called from outside. Inside, elements of one part are their storage.
Value ExpressionEvaluator::callHelper(const FunctionRef& f, std::vector<Value> args, const syntax::Expr& e,
                                      const Context& c) {
  for (Value& v : args) {
    if (v.kind != ValueKind::Tensor && isOneTensor(v)) v = Value::tensor(v.parts[0]);
  }
  return callFunction(f, args, e, c);
}

Value ExpressionEvaluator::randomPoint(const syntax::Expr& e, const Context& c) {
  if (e.args.size() != 2) {
    report(Code::LIE0121, e.range, "`random` takes one argument, a manifold");
    return Value::error();
  }
  const auto type = typeOf(*e.args[1]);
  if (!type) {
    report(
        Code::LIE0122, e.args[1]->range,
        "`random` takes a manifold, as in `random(M)`; for numbers there are `normal(mean, sd)` and `uniform(a, b)`");
    return Value::error();
  }
  const FoundManifold* m = manifold(*type, c);
  if (m == nullptr) return Value::error();
  if (!host_.draws()) {
    report(Code::LIE0136, e.range, "random points are drawn in `param` and `initial` only");
    return Value::error();
  }
  const auto point = m->randomPoint(host_, *c.loops);
  if (!point) report(Code::LIE0153, e.range, m->name() + " gives no `random` and no `base`");
  return point ? m->wrap(ClauseKind::Point, *point) : Value::error();
}

Value ExpressionEvaluator::fiberOf(const syntax::Expr& e, const Context& c) {
  const std::string& function = e.args[0]->text;
  const bool one = e.args.size() == 2;
  const syntax::Expr* q = one ? e.args[1].get() : nullptr;
  const bool member = one && q->kind == ExprKind::Index;
  const syntax::Expr* name = member ? q->args[0].get() : q;
  if (!one || name->kind != ExprKind::Name) {
    report(Code::LIE0122, e.range,
           fmt::format("`{0}` takes the name of a configuration, as in `{0}(q)` or `{0}(q[1])`", function));
    return Value::error();
  }
  const auto v =
      function == "momentum" ? host_.momentum(name->text, name->range) : host_.velocity(name->text, name->range);
  if (!v) {
    if (!evaluate(*name, c).isError())
      report(Code::LIE0122, name->range,
             fmt::format("`{}` is not a configuration: it has no {}", name->text, function));
    return Value::error();
  }
  if (!member || v->isError()) return *v;
  return v->kind == ValueKind::Family ? memberOf(*v, *q, c) : componentOf(*v, *q, c);
}

/// The constraint is named as a whole in reaction(c, q): what all its members do to q.
Value ExpressionEvaluator::forceOf(const syntax::Expr& e, const Context& c) {
  const bool reaction = e.args[0]->text == "reaction";
  const std::size_t wanted = reaction ? 3 : 2;
  const auto nameOf = [](const syntax::Expr& a) { return a.kind == ExprKind::Index ? a.args[0].get() : &a; };
  const auto isName = [&](std::size_t k) { return nameOf(*e.args[k])->kind == ExprKind::Name; };
  if (e.args.size() != wanted || !isName(1) || (reaction && (!isName(2) || e.args[1]->kind == ExprKind::Index))) {
    report(Code::LIE0122, e.range,
           reaction ? "`reaction` takes the names of a constraint and of a configuration, as in `reaction(pin, R)` or "
                      "`reaction(rod, x[2])`"
                    : "`multiplier` takes the name of a constraint, as in `multiplier(pin)` or `multiplier(rod[2])`");
    return Value::error();
  }
  const syntax::Expr& constraint = *nameOf(*e.args[1]);
  std::vector<std::string> names;
  host_.addConstraints(names);
  if (std::find(names.begin(), names.end(), constraint.text) == names.end()) {
    const std::string near = nearest(constraint.text, names);
    auto r = report(Code::LIE0122, constraint.range, fmt::format("there is no constraint `{}`", constraint.text));
    if (!near.empty()) r.suggest(didYouMean(near));
    return Value::error();
  }
  const syntax::Expr& last = *e.args.back();
  const auto v = reaction ? host_.reaction(constraint.text, nameOf(last)->text, e.range)
                          : host_.multiplier(constraint.text, e.range);
  if (!v) {
    report(Code::LIE0122, last.range, fmt::format("`{}` is not a configuration: nothing reacts on it", text(last)));
    return Value::error();
  }
  if (last.kind != ExprKind::Index || v->isError()) return *v;
  return v->kind == ValueKind::Family ? memberOf(*v, last, c) : componentOf(*v, last, c);
}

} // namespace lmc::sema
