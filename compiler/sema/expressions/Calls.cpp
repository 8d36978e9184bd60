// Calls: functions of the user, operations of manifolds, built-in functions.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/expressions/Interpolation.h"
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
  if (callee.text == "interpolate") {
    if (!interpolations_) interpolations_ = std::make_shared<KnownInterpolations>();
    return interpolated(*this, e, c, *interpolations_);
  }
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
  return within({f.statement, s.target.name, s.target.nameRange}, e, [&] {
    return evaluate(*s.value, Context{f.home, &scope, c.loops});
  });
}

Value ExpressionEvaluator::within(Call callee, const syntax::Expr& call, const std::function<Value()>& body) {
  const std::size_t before = s_.diagnostics.mark();
  const Range declared = callee.declared;
  callee.where = call.range;
  position_.calls.push_back(std::move(callee));
  Value v = body();
  position_.calls.pop_back();
  const auto ofLibrary = [&](Range r) { return s_.library.isLibrary(r.source); };
  if (v.isError() && ofLibrary(declared) && !ofLibrary(call.range)) reportCall(call, before);
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
    report(Code::LIE0136, e.range, "random points are drawn in `param`, `initial` and the blocks of `every` only");
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

namespace {

/// How a constraint (or a configuration) is named in multiplier(…) and reaction(…): `pin`, `rod[2]`, `hinge.at`,
/// `hinge[2].at`.
struct NamedThing {
  const syntax::Expr* name = nullptr;   ///< null: it is no such name
  const syntax::Expr* member = nullptr; ///< `hinge[2]`, where there is an index
  std::vector<std::string> path;        ///< {"hinge", "at"}
};

NamedThing namedThing(const syntax::Expr& e) {
  NamedThing n;
  const syntax::Expr* at = &e;
  for (; at->kind == ExprKind::Field || at->kind == ExprKind::Index; at = at->args[0].get()) {
    if (at->kind == ExprKind::Field) {
      n.path.insert(n.path.begin(), at->text);
    } else {
      if (n.member != nullptr) return {};
      n.member = at;
    }
  }
  if (at->kind != ExprKind::Name) return {};
  n.path.insert(n.path.begin(), at->text);
  n.name = at;
  return n;
}

} // namespace

/// The constraint is named as a whole in reaction(c, q): what all its members do to q.
Value ExpressionEvaluator::forceOf(const syntax::Expr& e, const Context& c) {
  const bool reaction = e.args[0]->text == "reaction";
  const std::size_t wanted = reaction ? 3 : 2;
  NamedThing constraint, factor;
  if (e.args.size() == wanted) constraint = namedThing(*e.args[1]);
  if (e.args.size() == wanted && reaction) factor = namedThing(*e.args[2]);
  if (constraint.name == nullptr ||
      (reaction && (factor.name == nullptr || factor.path.size() > 1 || constraint.member != nullptr))) {
    report(Code::LIE0122, e.range,
           reaction ? "`reaction` takes the names of a constraint (or a joint) and of a configuration, as in "
                      "`reaction(pin, R)` or `reaction(rod, x[2])`"
                    : "`multiplier` takes the name of a constraint, as in `multiplier(pin)`, `multiplier(rod[2])` or "
                      "`multiplier(hinge.at)`");
    return Value::error();
  }
  const auto names = constraintsNamed(constraint.path, *e.args[1], reaction);
  if (!names) return Value::error();
  std::vector<Value> values;
  for (const std::string& name : *names) {
    const auto v = reaction ? host_.reaction(name, factor.path.front(), e.range) : host_.multiplier(name, e.range);
    if (!v) {
      report(Code::LIE0122, e.args.back()->range,
             fmt::format("`{}` is not a configuration: nothing reacts on it", text(*e.args.back())));
      return Value::error();
    }
    const syntax::Expr* member = reaction ? factor.member : constraint.member;
    if (member == nullptr || v->isError())
      values.push_back(*v);
    else
      values.push_back(v->kind == ValueKind::Family ? memberOf(*v, *member, c) : componentOf(*v, *member, c));
    if (values.back().isError()) return values.back();
  }
  return total(values, e);
}

/// The constraints that a name stands for: one, or all of a joint where their sum has a meaning.
std::optional<std::vector<std::string>> ExpressionEvaluator::constraintsNamed(const std::vector<std::string>& path,
                                                                              const syntax::Expr& e, bool sum) {
  const std::string name = joined(path);
  std::vector<std::string> names;
  host_.addConstraints(names);
  if (std::find(names.begin(), names.end(), name) != names.end()) return std::vector<std::string>{name};
  auto ofJoint = host_.jointConstraints(path.front());
  if (ofJoint && ofJoint->empty()) return std::nullopt; // what is wrong with the joint was said
  if (ofJoint && sum && path.size() == 1) return ofJoint;
  if (ofJoint) {
    auto r =
        report(Code::LIE0444, e.range,
               path.size() == 1 ? fmt::format("`{}` is a joint: it has a multiplier for each of its constraints", name)
                                : fmt::format("the joint `{}` has no constraint `{}`", path.front(), name));
    r.suggest("name one of " + listed(*ofJoint));
    return std::nullopt;
  }
  const std::string near = nearest(name, names);
  auto r = report(Code::LIE0122, e.range, fmt::format("there is no constraint `{}`", name));
  if (!near.empty()) r.suggest(didYouMean(near));
  return std::nullopt;
}

Value ExpressionEvaluator::total(const std::vector<Value>& values, const syntax::Expr& e) {
  Value sum = values.front();
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (sum.kind == ValueKind::Family) {
      tensor(sum, e); // a member is to be named
      return Value::error();
    }
    for (std::size_t part = 0; part < sum.parts.size(); ++part)
      sum.parts[part] = g_.add(sum.parts[part], values[k].parts[part]);
  }
  return sum;
}

} // namespace lmc::sema
