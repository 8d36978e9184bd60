// The operators and words of a method's body, checked and written down as terms.
#include "methods/checked/MethodChecker.h"
#include "sema/values/Values.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;
using syntax::BinaryOp;

namespace {

bool isPlainNumber(const sema::Value& v) {
  return v.kind == sema::ValueKind::Tensor && v.parts[0]->shape.rank == 0 && v.parts[0]->type != sym::Type::Bool;
}

bool isDegree(Expr e) {
  return e->isConst() && e->number.isInteger() && e->number.num() >= 1 && e->number.num() <= mostDegrees;
}

std::string ordinal(std::size_t k) {
  constexpr const char* names[] = {"first", "second", "third"};
  return k < std::size(names) ? names[k] : fmt::format("{}th", k + 1);
}

} // namespace

Diagnostics::Report MethodChecker::error(Code code, Range where, const std::string& message) {
  failed_ = true;
  return d_.error(code, where, message);
}

sema::Value MethodChecker::evaluate(const syntax::Expr& e) {
  sema::Value v = evaluator_->evaluate(e, *visible_, {});
  failed_ = failed_ || v.isError();
  return v;
}

// --- terms and values ---------------------------------------------------------------------------------------------

TermId MethodChecker::add(Term t) {
  if (t.kind != sema::ValueKind::Tensor || t.op == TermOp::Word)
    t.handle = g_.newArray("value", {}, sym::Shape::scalar(), sym::Role::Temp);
  if (t.handle != nullptr) handles_[t.handle] = m_.terms.size();
  m_.terms.push_back(std::move(t));
  return m_.terms.size() - 1;
}

TermId MethodChecker::addGiven(sema::ValueKind kind, sym::Shape shape, const std::string& name) {
  Term t;
  t.op = TermOp::Given;
  t.kind = kind;
  t.name = name;
  if (kind == sema::ValueKind::Tensor) t.handle = g_.newArray(name, {}, shape, sym::Role::Temp);
  return add(std::move(t));
}

/// Of what is no number a symbol, of a number the expression: both as parts of a value that expressions may use.
sema::Value MethodChecker::valueOf(TermId id) const {
  const Term& t = m_.terms[id];
  sema::Value v;
  v.kind = t.kind;
  v.parts = {t.handle != nullptr ? g_.load(t.handle) : t.number};
  if (t.kind == sema::ValueKind::Opaque) v.text = "an element of the group";
  return v;
}

TermId MethodChecker::termOf(const sema::Value& v) {
  if (v.kind != sema::ValueKind::Tensor) return termOf(v.parts[0]);
  Term t;
  t.number = v.parts[0];
  return add(std::move(t));
}

/// Conditions have put their branches together.
TermId MethodChecker::termOf(Expr handle) {
  if (handle->op != sym::Op::Select) return handles_.at(handle->array);
  const TermId a = termOf(handle->args[1]);
  const TermId b = termOf(handle->args[2]);
  return termOf(made(TermOp::Select, m_.terms[a].kind, {a, b}, handle->args[0]).parts[0]);
}

sema::Value MethodChecker::held(const sema::Value& v, const std::string& name) {
  if (v.isError()) return v;
  if (v.kind == sema::ValueKind::Tensor) {
    (void)termOf(v); // evaluated where it stands
    return v;
  }
  if (!v.isPhase()) return v;
  Term t;
  t.op = TermOp::Hold;
  t.kind = v.kind;
  t.args = {termOf(v)};
  t.index = m_.terms[t.args[0]].index;
  t.name = name;
  return valueOf(add(std::move(t)));
}

sema::Value MethodChecker::made(TermOp op, sema::ValueKind kind, std::vector<TermId> args, Expr number) {
  Term t;
  t.op = op;
  t.kind = kind;
  t.args = std::move(args);
  t.number = number;
  if (op == TermOp::Product) t.index = m_.terms[t.args[0]].index + m_.terms[t.args[1]].index;
  return valueOf(add(std::move(t)));
}

// --- operators ----------------------------------------------------------------------------------------------------

/// Sums and multiples of algebra elements, momenta, vectors.
std::optional<sema::Value> MethodChecker::linear(BinaryOp op, const sema::Value& a, const sema::Value& b) {
  if (a.isPhaseLinear() && a.kind == b.kind && (op == BinaryOp::Add || op == BinaryOp::Sub)) {
    const TermId left = termOf(a);
    return made(op == BinaryOp::Add ? TermOp::Add : TermOp::Subtract, a.kind, {left, termOf(b)});
  }
  const auto real = [&](const sema::Value& v) { return g_.toReal(v.parts[0]); };
  if (op == BinaryOp::Mul && isPlainNumber(a) && b.isPhaseLinear())
    return made(TermOp::Scale, b.kind, {termOf(b)}, real(a));
  if (op == BinaryOp::Mul && isPlainNumber(b) && a.isPhaseLinear())
    return made(TermOp::Scale, a.kind, {termOf(a)}, real(b));
  if (op == BinaryOp::Div && isPlainNumber(b) && a.isPhaseLinear())
    return made(TermOp::Divide, a.kind, {termOf(a)}, real(b));
  return std::nullopt;
}

std::optional<sema::Value> MethodChecker::binary(BinaryOp op, const sema::Value& a, const sema::Value& b, Range where) {
  if (auto v = linear(op, a, b)) return v;
  if (op == BinaryOp::Add && (a.kind == sema::ValueKind::PhasePoint || b.kind == sema::ValueKind::PhasePoint)) {
    error(Code::LIE0505, where, "points of a manifold cannot be added to")
        .suggest("move along the manifold: " + m_.kind->movedPoint);
    return sema::Value::error();
  }
  if (a.isPhaseLinear() && b.isPhaseLinear() && a.kind != b.kind && a.kind != sema::ValueKind::PhaseVector &&
      b.kind != sema::ValueKind::PhaseVector) {
    error(Code::LIE0505, where,
          "an algebra element and a momentum cannot be combined: they are elements of different spaces");
    return sema::Value::error();
  }
  if (op != BinaryOp::Mul) return std::nullopt;
  if (a.kind == sema::ValueKind::Opaque && b.kind == sema::ValueKind::Opaque)
    return made(TermOp::Product, a.kind, {termOf(a), termOf(b)});
  if (a.kind == sema::ValueKind::Opaque && b.kind == sema::ValueKind::PhasePoint)
    return made(TermOp::Act, b.kind, {termOf(a), termOf(b)});
  if (a.kind != sema::ValueKind::PhasePoint || b.kind != sema::ValueKind::Opaque || !m_.kind->pointsFromRight)
    return std::nullopt;
  sema::Value v = made(TermOp::ActRight, a.kind, {termOf(a), termOf(b)});
  m_.terms.back().where = where;
  return v;
}

std::optional<sema::Value> MethodChecker::negate(const sema::Value& a) {
  if (!a.isPhaseLinear()) return std::nullopt;
  return made(TermOp::Negate, a.kind, {termOf(a)});
}

std::optional<sema::Value> MethodChecker::bracket(const sema::Value& a, const sema::Value& b, Range) {
  const TermId left = termOf(a);
  return made(TermOp::Bracket, sema::ValueKind::PhaseAlgebra, {left, termOf(b)});
}

// --- words --------------------------------------------------------------------------------------------------------

std::vector<std::string> MethodChecker::names() const {
  std::vector<std::string> list;
  if (m_.kind != nullptr) list = m_.kind->wordNames();
  for (const syntax::Statement* s : functions_) list.push_back(s->target.name);
  return list;
}

bool MethodChecker::fits(char letter, const sema::Value& v) const {
  if (v.kind != kindOfLetter(letter)) return false;
  if (v.kind == sema::ValueKind::Tensor) return isPlainNumber(v) && (letter != 'n' || isDegree(v.parts[0]));
  return letter != 'e' || m_.terms[handles_.at(v.parts[0]->array)].index == 1;
}

bool MethodChecker::takes(const Word& word, const std::vector<sema::Value>& args) const {
  if (args.size() != word.takes.size()) return false;
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!fits(word.takes[k], args[k])) return false;
  }
  return true;
}

std::optional<sema::Value> MethodChecker::call(const std::string& name, const std::vector<sema::Value>& args,
                                               Range where) {
  const auto f = std::find_if(functions_.begin(), functions_.end(),
                              [&](const syntax::Statement* s) { return s->target.name == name; });
  if (f != functions_.end()) {
    const syntax::Statement& s = **f;
    if (args.size() != s.params.size()) {
      error(Code::LIE0121, where,
            fmt::format("`{}` takes {} argument{}, not {}", name, s.params.size(), s.params.size() == 1 ? "" : "s",
                        args.size()))
          .note("declared here", s.target.nameRange);
      return sema::Value::error();
    }
    if (std::find(calls_.begin(), calls_.end(), &s) != calls_.end()) {
      error(Code::LIE0111, where, fmt::format("the function `{}` calls itself", name));
      return sema::Value::error();
    }
    sema::Scope scope(visible_);
    for (std::size_t k = 0; k < args.size(); ++k) scope.bind(s.params[k].name, args[k]);
    calls_.push_back(&s);
    const sema::Scope* const outer = std::exchange(visible_, &scope);
    sema::Value v = evaluate(*s.value);
    visible_ = outer;
    calls_.pop_back();
    return v;
  }
  // Numbers have an exponential, too.
  if (name == "exp" && !args.empty() && !args[0].isPhase()) return std::nullopt;
  for (const Word& word : m_.kind->words) {
    if (word.name != name || !takes(word, args)) continue;
    Term t;
    t.op = TermOp::Word;
    t.kind = kindOfLetter(word.gives);
    for (const sema::Value& v : args) {
      sema::Value real = v;
      if (v.kind == sema::ValueKind::Tensor) real.parts[0] = g_.toReal(v.parts[0]);
      t.args.push_back(termOf(real));
    }
    t.index = 1; // of an element of the group: its factors
    t.word = &word;
    t.where = where;
    return valueOf(add(std::move(t)));
  }
  return misused(name, args, where);
}

/// Says which argument does not fit, or how many there are.
sema::Value MethodChecker::misused(const std::string& name, const std::vector<sema::Value>& args, Range where) {
  std::vector<std::string> forms;
  const Word* near = nullptr;
  for (const Word& w : m_.kind->words) {
    if (w.name != name) continue;
    forms.push_back(w.call);
    if (near == nullptr || (near->takes.size() != args.size() && w.takes.size() == args.size())) near = &w;
  }
  if (near == nullptr) return sema::Value::error();
  std::string message;
  if (near->takes.size() == args.size()) {
    std::size_t k = 0;
    while (k + 1 < args.size() && fits(near->takes[k], args[k])) ++k;
    message = fmt::format("the {} argument of {} is {}, not {}", ordinal(k), name, noun(near->takes[k]),
                          args[k].kind == sema::ValueKind::Opaque ? args[k].text : sema::describe(args[k]));
  } else {
    std::string wanted;
    for (std::size_t k = 0; k < near->takes.size(); ++k)
      wanted += (k == 0 ? "" : k + 1 == near->takes.size() ? " and " : ", ") + std::string(noun(near->takes[k]));
    message = fmt::format("{} takes {}, not {} argument{}", name, wanted, args.size(), args.size() == 1 ? "" : "s");
  }
  error(Code::LIE0505, where, message).suggest(fmt::format("{}", fmt::join(forms, " or ")));
  return sema::Value::error();
}

} // namespace lmc::methods
