// Names, literals, parts, conditions, conversions.
#include "base/Budget.h"
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/expressions/NameCheck.h"
#include "sema/session/Watch.h"
#include "sema/values/IndexMath.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lmc::sema {

using sym::Expr;
using syntax::ExprKind;

std::vector<std::string> Scope::names() const {
  std::vector<std::string> result;
  for (const auto& [name, value] : values_) result.push_back(name);
  if (outer_ != nullptr) {
    for (std::string& name : outer_->names()) result.push_back(std::move(name));
  }
  return result;
}

Value ExpressionEvaluator::evaluate(const syntax::Expr& e, const Scope& scope, const LoopContext& loops) {
  return evaluate(e, Context{&env_, &scope, &loops});
}

Value ExpressionEvaluator::evaluate(const syntax::Expr& e, const Context& c) {
  const Place place(e.range);
  spendWork();
  const LoopContext* const around = loops_;
  loops_ = c.loops;
  Value v = checkedSize(evaluateKind(e, c), e);
  loops_ = around;
  if (ExpressionWatch* const watch = ExpressionWatch::current()) watch->saw(e, v);
  return v;
}

Value ExpressionEvaluator::checkedSize(Value v, const syntax::Expr& e) {
  if (v.kind != ValueKind::Tensor) return v;
  const Expr t = v.parts[0];
  if (t->type == sym::Type::Int && t->isConst() && !std::isfinite(t->number.value())) {
    if (!unreachable()) report(Code::LIE0137, e.range, "`" + text(e) + "` is larger than every real number");
    return Value::error();
  }
  if (t->shape.rank < 2) return v;
  const sym::Shape& s = v.parts[0]->shape;
  return withinLimit(static_cast<std::int64_t>(s.rows) * s.cols, e) ? v : Value::error();
}

Value ExpressionEvaluator::evaluateKind(const syntax::Expr& e, const Context& c) {
  switch (e.kind) {
  case ExprKind::Error:
    return Value::error();
  case ExprKind::Number:
    return number(e);
  case ExprKind::String: {
    Value v;
    v.kind = ValueKind::String;
    v.text = e.text;
    return v;
  }
  case ExprKind::Name:
    return name(e, c);
  case ExprKind::Call:
    return call(e, c);
  case ExprKind::Index:
    return index(e, c);
  case ExprKind::Field:
    return field(e, c);
  case ExprKind::Prime:
    return prime(e, c);
  case ExprKind::Next:
    if (operations_ != nullptr && e.args[0]->kind == ExprKind::Name) return nextValue(e, c);
    report(Code::LIE0136, e.range, "`next` has a meaning in methods only");
    return Value::error();
  case ExprKind::Negate:
    return negate(e, c);
  case ExprKind::Not:
    return logicalNot(e, c);
  case ExprKind::Binary: {
    const Value a = evaluate(*e.args[0], c);
    const Value b = evaluate(*e.args[1], c);
    return binary(e.op, a, b, e);
  }
  case ExprKind::If:
    return conditional(e, c);
  case ExprKind::Sum:
  case ExprKind::Product:
    return reduction(e, c);
  case ExprKind::List:
    return list(e, c);
  case ExprKind::Parts:
    return partsLiteral(e, c);
  }
  return Value::error();
}

Diagnostics::Report ExpressionEvaluator::report(Code code, Range range, std::string message) {
  auto r = s_.diagnostics.error(code, range, std::move(message));
  for (auto it = position_.calls.rbegin(); it != position_.calls.rend(); ++it) {
    r.note("in the call of `" + it->name + "` here", it->where);
  }
  return r;
}

std::string ExpressionEvaluator::text(Range range) const {
  constexpr std::size_t longest = 48;
  std::string out;
  for (const char c : s_.sources.text(range)) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.size() <= longest) return out;
  std::size_t cut = longest - 3;
  while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0U) == 0x80U) --cut; // not within a character
  return out.substr(0, cut) + "...";
}

Value ExpressionEvaluator::number(const syntax::Expr& e) {
  if (!e.isInteger) return Value::tensor(g_.number(sym::Number::decimal(e.text)));
  std::int64_t whole = 0;
  const char* const end = e.text.data() + e.text.size();
  const auto [stop, status] = std::from_chars(e.text.data(), end, whole);
  if (status == std::errc() && stop == end) return Value::tensor(g_.integer(whole));
  return Value::tensor(g_.scale(sym::Number::real(e.number), g_.integer(1)));
}

Value ExpressionEvaluator::name(const syntax::Expr& e, const Context& c) {
  if (const Value* v = c.scope->find(e.text)) return *v;
  if (auto v = c.env->variable(e.text, e.range)) return *v;
  if (e.text == "pi") return Value::tensor(g_.number(sym::Number::real(3.14159265358979323846)));
  if (e.text == "e1" || e.text == "e2" || e.text == "e3") {
    return Value::tensor(g_.basis(3, g_.integer(e.text[1] - '0')));
  }
  if (e.text == "true" || e.text == "false") return Value::tensor(g_.boolean(e.text == "true"));
  if (auto v = host_.predefined(e.text, e.range)) return *v;
  return unknownName(e, c);
}

std::vector<std::string> ExpressionEvaluator::visibleNames(const Context& c) const {
  std::vector<std::string> names = c.scope->names();
  c.env->addVariables(names);
  for (const std::string& n : predefinedNames()) names.push_back(n);
  return names;
}

namespace {
bool isFunction(const std::string& name, const Context& c) {
  return c.env->function(name).has_value() || findBuiltin(name) != nullptr;
}
} // namespace

bool ExpressionEvaluator::isUnknownName(const syntax::Expr& e, const Context& c) const {
  if (e.kind != ExprKind::Name) return false;
  const std::vector<std::string> names = visibleNames(c);
  return std::find(names.begin(), names.end(), e.text) == names.end() && nearest(e.text, names).empty() &&
         !s_.manifolds->declares(e.text) && !isFunction(e.text, c);
}

Value ExpressionEvaluator::unknownName(const syntax::Expr& e, const Context& c) {
  if (isFunction(e.text, c)) {
    report(Code::LIE0100, e.range, "`" + e.text + "` is a function: give its arguments in parentheses");
    return Value::error();
  }
  if (s_.manifolds->declares(e.text) && e.text.size() > 1) {
    report(Code::LIE0100, e.range, "`" + e.text + "` is a manifold, not a value");
    return Value::error();
  }
  if (isMisspelt(s_.diagnostics, e.range)) return Value::error();
  auto r = report(Code::LIE0100, e.range, "there is nothing named `" + e.text + "` here");
  const std::string near = nearest(e.text, visibleNames(c));
  if (!near.empty()) r.suggest(didYouMean(near));
  return Value::error();
}

namespace {

/// The parts `name.x`, `name.y`, … of an element, as an element (x = …, y = …) of its own; an error value if there are
/// none.
Value innerParts(const Value& v, const std::vector<std::string>& names, const std::string& name) {
  Value inner;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].starts_with(name + ".")) continue;
    inner.kind = ValueKind::Parts;
    inner.names.push_back(names[k].substr(name.size() + 1));
    inner.parts.push_back(v.parts[k]);
  }
  return inner;
}

} // namespace

Value ExpressionEvaluator::field(const syntax::Expr& e, const Context& c) {
  // `SO(4).identity`: an operation without arguments.
  const auto type = typeOf(*e.args[0]);
  const bool family = type && (type->hasArgs || type->exponent);
  if (family && s_.manifolds->declares(type->name) && !c.env->function(type->name)) {
    syntax::Expr call;
    call.kind = syntax::ExprKind::Call;
    call.range = e.range;
    call.args.push_back(std::make_shared<const syntax::Expr>(e));
    return callManifold(call, c);
  }
  Value v = evaluate(*e.args[0], c);
  if (v.isError()) return v;
  if (v.table && v.column < 0) return columnOf(v, e.text, e.opRange);
  const std::vector<std::string> names = partNames(v);
  const auto it = std::find(names.begin(), names.end(), e.text);
  if (it != names.end()) return Value::tensor(v.parts[static_cast<std::size_t>(it - names.begin())]);
  if (Value inner = innerParts(v, names, e.text); !inner.isError()) return inner;
  if (v.kind == ValueKind::Family) {
    report(Code::LIE0130, e.range,
           "`" + text(*e.args[0]) + "` is a family: name a member first, `" + text(*e.args[0]) + "[i]." + e.text + "`");
    return Value::error();
  }
  const std::string what =
      names.empty() ? describe(v) + " has no parts" : describe(v) + " has the parts " + listed(names);
  auto r = report(Code::LIE0128, e.opRange, "`" + text(*e.args[0]) + "` has no part `" + e.text + "`: " + what);
  const std::string near = nearest(e.text, names);
  if (!near.empty()) r.suggest(didYouMean(near));
  return Value::error();
}

Value ExpressionEvaluator::prime(const syntax::Expr& e, const Context& c) {
  return primeOf(evaluate(*e.args[0], c), *e.args[0]);
}

Value ExpressionEvaluator::primeOf(const Value& v, const syntax::Expr& e) {
  if (v.isError()) return v;
  if (v.kind == ValueKind::Family) {
    Value result = v;
    result.member = [&host = host_, member = v.member, &e](const std::vector<Expr>& at, Range where) {
      return host.prime(member(at, where), e).value_or(Value::error());
    };
    return result;
  }
  if (auto d = host_.prime(v, e)) return *d;
  report(Code::LIE0135, e.range, "a time derivative `x'` has a meaning in models only");
  return Value::error();
}

/// `next Q` where the method has said before what it is.
Value ExpressionEvaluator::nextValue(const syntax::Expr& e, const Context& c) {
  if (const Value* v = c.scope->find("next " + e.args[0]->text)) return *v;
  report(Code::LIE0136, e.range, "`next " + e.args[0]->text + "` is not known here")
      .suggest("a statement `next " + e.args[0]->text + " = …;` must come before");
  return Value::error();
}

Value ExpressionEvaluator::negate(const syntax::Expr& e, const Context& c) {
  Value v = evaluate(*e.args[0], c);
  if (v.isError()) return v;
  if (v.isPhase() && operations_ != nullptr) {
    if (auto r = operations_->negate(v)) return *r;
  }
  if (v.kind == ValueKind::Velocity || v.kind == ValueKind::Momentum) {
    Value r = v;
    for (Expr& p : r.parts) p = g_.neg(p);
    return r;
  }
  const Expr t = tensor(v, *e.args[0]);
  if (!t) return Value::error();
  if (t->type == sym::Type::Bool) {
    report(Code::LIE0129, e.range, "a condition has no negative; use `not`");
    return Value::error();
  }
  return Value::tensor(g_.neg(t));
}

Value ExpressionEvaluator::logicalNot(const syntax::Expr& e, const Context& c) {
  const Expr b = condition(evaluate(*e.args[0], c), *e.args[0]);
  return b ? Value::tensor(g_.logicNot(b)) : Value::error();
}

// --- if -------------------------------------------------------------------------------------------------------

Value ExpressionEvaluator::conditional(const syntax::Expr& e, const Context& c) {
  const Expr test = condition(evaluate(*e.args[0], c), *e.args[0]);
  LoopContext taken = *c.loops;
  LoopContext other = *c.loops;
  const Expr yes = test ? test : g_.boolean(true);
  const Expr no = test ? g_.logicNot(test) : g_.boolean(true);
  taken.guard = taken.guard ? g_.logic(sym::Op::And, taken.guard, yes) : yes;
  other.guard = other.guard ? g_.logic(sym::Op::And, other.guard, no) : no;
  const auto branch = [&](const syntax::Expr& value, const LoopContext& loops, Expr condition) {
    const bool never = condition->isConst() && condition->isZero();
    position_.untaken += never ? 1 : 0;
    Value v = evaluate(value, Context{c.env, c.scope, &loops});
    position_.untaken -= never ? 1 : 0;
    return v;
  };
  const Value a = branch(*e.args[1], taken, yes);
  const Value b = branch(*e.args[2], other, no);
  // Of a branch that is never taken nothing is asked but that its names are known.
  if (test && test->isConst()) {
    const Value& used = test->isZero() ? b : a;
    const Value& unused = test->isZero() ? a : b;
    if (unused.isError()) return used;
  }
  if (!test || a.isError() || b.isError()) return Value::error();
  return unify(test, a, b, e);
}

Value ExpressionEvaluator::unify(Expr test, const Value& a, const Value& b, const syntax::Expr& e) {
  const bool sameElement = a.kind == b.kind && a.manifold == b.manifold && a.parts.size() == b.parts.size() &&
                           a.kind != ValueKind::Family && a.kind != ValueKind::String && a.kind != ValueKind::Opaque;
  if (sameElement && a.kind != ValueKind::Tensor && a.names == b.names) {
    Value r = a;
    for (std::size_t k = 0; k < a.parts.size(); ++k) {
      if (a.parts[k]->shape != b.parts[k]->shape) return Value::error();
      r.parts[k] = g_.select(test, a.parts[k], b.parts[k]);
    }
    return r;
  }
  if (reportsMix(a, b, e, "cannot be the two branches of an `if`")) return Value::error();
  Expr x = tensor(a, *e.args[1]);
  Expr y = tensor(b, *e.args[2]);
  if (!x || !y) return Value::error();
  if (x->type != y->type) {
    x = asReal(x);
    y = asReal(y);
  }
  if (x->shape != y->shape || x->type != y->type) {
    report(Code::LIE0120, e.args[2]->range,
           "`then` gives " + describe(x) + " but `else` gives " + describe(y) + ": both must have one shape");
    return Value::error();
  }
  return Value::tensor(g_.select(test, x, y));
}

// --- lists ----------------------------------------------------------------------------------------------------

Value ExpressionEvaluator::list(const syntax::Expr& e, const Context& c) {
  std::vector<Value> values;
  for (const syntax::ExprPtr& a : e.args) values.push_back(evaluate(*a, c));
  return listOf(e, values);
}

Value ExpressionEvaluator::listOf(const syntax::Expr& e, const std::vector<Value>& values) {
  if (std::any_of(values.begin(), values.end(), [](const Value& v) { return v.isError(); })) return Value::error();
  if (operations_ != nullptr && values.size() == 2 && values[0].kind == ValueKind::PhaseAlgebra &&
      values[1].kind == ValueKind::PhaseAlgebra) {
    if (auto v = operations_->bracket(values[0], values[1], e.range)) return *v;
  }
  std::vector<Expr> entries;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Expr t = tensor(values[k], *e.args[k]);
    if (!t) return Value::error();
    entries.push_back(asReal(t));
  }
  if (entries.empty()) {
    report(Code::LIE0134, e.range, "an empty list has no shape; use `zeros(n)`");
    return Value::error();
  }
  const sym::Shape first = entries[0]->shape;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k]->shape == first && entries[k]->type == sym::Type::Real && first.rank < 2) continue;
    const bool rows = first.rank == 1 && entries[k]->shape.rank == 1;
    const std::string what = first.rank == 2 || entries[k]->shape.rank == 2
                                 ? "a list holds numbers, or rows of numbers; this entry is " + describe(entries[k])
                             : rows
                                 ? "this row has length " + std::to_string(entries[k]->shape.rows) +
                                       ", the first has length " + std::to_string(first.rows)
                                 : "this entry is " + describe(entries[k]) + ", the first is " + describe(entries[0]);
    report(Code::LIE0134, e.args[k]->range, what);
    return Value::error();
  }
  if (first.rank == 0) return Value::tensor(g_.vector(entries));
  std::vector<Expr> all;
  for (const Expr& row : entries) {
    for (int j = 0; j < first.rows; ++j) all.push_back(g_.entry(row, j));
  }
  return Value::tensor(g_.matrix(static_cast<int>(entries.size()), first.rows, all));
}

Value ExpressionEvaluator::partsLiteral(const syntax::Expr& e, const Context& c) {
  Value v;
  v.kind = ValueKind::Parts;
  bool failed = false;
  for (std::size_t k = 0; k < e.args.size(); ++k) {
    const Value value = evaluate(*e.args[k], c);
    if (std::find(v.names.begin(), v.names.end(), e.names[k]) != v.names.end()) {
      report(Code::LIE0103, e.nameRanges[k], "part `" + e.names[k] + "` is given twice");
      failed = true;
    }
    if (const auto inner = partNames(value); inner.size() > 1 && inner.size() == value.parts.size()) {
      for (std::size_t p = 0; p < inner.size(); ++p) {
        v.names.push_back(e.names[k] + "." + inner[p]);
        v.parts.push_back(value.parts[p]);
      }
      continue;
    }
    const Expr t = tensor(value, *e.args[k]);
    failed = failed || !t;
    v.names.push_back(e.names[k]);
    v.parts.push_back(t ? asReal(t) : t);
  }
  return failed ? Value::error() : v;
}

} // namespace lmc::sema
