// `solve` in a method's body.
#include "methods/checked/MethodChecker.h"

#include <fmt/format.h>

namespace lmc::methods {

namespace {

bool isTensor(const sema::Value& v) {
  return v.kind == sema::ValueKind::Tensor && v.parts[0]->type != sym::Type::Bool;
}

bool isNumber(const sema::Value& v) {
  return isTensor(v) && v.parts[0]->shape.rank == 0;
}

} // namespace

bool MethodChecker::unknown(const syntax::Statement& s, std::size_t k, CheckedSolve& solve) {
  CheckedSolve::Unknown u;
  u.name = s.unknowns[k].name;
  u.terms.first = next();
  sema::ValueKind kind = kindOfLetter(m_.kind->unknown);
  sym::Shape shape = sym::Shape::scalar();
  const bool isGiven = !s.starts.empty();
  sema::Value start;
  if (isGiven) start = evaluate(*s.starts[k]);
  if (!fresh(s.unknowns[k]) || (isGiven && start.isError())) return false;
  if (isGiven) {
    if (!isTensor(start) && !start.isPhaseLinear() && start.kind != sema::ValueKind::PhasePoint) {
      error(Code::LIE0511, s.starts[k]->range,
            "an iteration starts from a number, a vector, a matrix, an algebra element or a point");
      return false;
    }
    kind = start.kind;
    if (isTensor(start)) {
      start.parts[0] = g_.toReal(start.parts[0]);
      shape = start.parts[0]->shape;
    }
    u.start = termOf(start);
  }
  u.terms.last = next();
  u.iterate = addGiven(kind, shape, u.name);
  u.solution = addGiven(kind, shape, u.name);
  solve.unknowns.push_back(std::move(u));
  return true;
}

bool MethodChecker::equation(const syntax::Equation& e, CheckedSolve& solve) {
  CheckedSolve::Equation checked;
  checked.terms.first = next();
  sema::Value a = evaluate(*e.left);
  sema::Value b = evaluate(*e.right);
  if (a.isError() || b.isError()) return false;
  checked.where = {e.left->range.source, e.left->range.begin, e.right->range.end};
  if (a.kind != b.kind) {
    error(Code::LIE0511, checked.where, "the two sides of an equation must be of one kind");
    return false;
  }
  const bool numbers = isTensor(a) && isTensor(b) && a.parts[0]->shape == b.parts[0]->shape;
  if (a.kind != sema::ValueKind::PhasePoint && !a.isPhaseLinear() && !numbers) {
    error(Code::LIE0511, checked.where, "the two sides of an equation must have one shape");
    return false;
  }
  if (numbers) {
    a.parts[0] = g_.toReal(a.parts[0]);
    b.parts[0] = g_.toReal(b.parts[0]);
  }
  checked.left = termOf(a);
  checked.right = termOf(b);
  checked.terms.last = next();
  solve.equations.push_back(checked);
  return true;
}

bool MethodChecker::settings(const syntax::Statement& s, CheckedSolve& solve) {
  if (s.tolerance) {
    const sema::Value v = evaluate(*s.tolerance);
    if (v.isError()) return false;
    if (!isNumber(v) || (v.parts[0]->isConst() && v.parts[0]->number.value() <= 0)) {
      error(Code::LIE0511, s.tolerance->range, "the tolerance of an iteration is a positive number");
      return false;
    }
    solve.tolerance = g_.toReal(v.parts[0]);
  }
  if (s.limit) {
    const sema::Value v = evaluate(*s.limit);
    if (v.isError()) return false;
    const bool good = isNumber(v) && v.parts[0]->isConst() && v.parts[0]->number.isInteger() &&
                      v.parts[0]->number.num() >= 1 && v.parts[0]->number.num() <= 10'000;
    if (!good) {
      error(Code::LIE0511, s.limit->range, "the limit of an iteration is a number of turns, 1 to 10000");
      return false;
    }
    solve.limit = v.parts[0]->number.num();
  }
  return true;
}

/// Whether some model could have as many equations as unknowns: how many numbers an algebra element is, the model says.
bool MethodChecker::asManyNumbers(const syntax::Statement& s, const CheckedSolve& solve) {
  std::int64_t numbers = 0, ofUnknowns = 0; // of numbers, vectors and matrices
  std::int64_t elements = 0;                // of all else, by which there are more equations
  const auto count = [&](TermId id, std::int64_t& sum, int sign) {
    const Term& t = m_.terms[id];
    if (t.kind != sema::ValueKind::Tensor)
      elements += sign;
    else
      sum += (t.handle != nullptr ? t.handle->shape : t.number->shape).size();
  };
  for (const CheckedSolve::Equation& e : solve.equations) count(e.left, numbers, 1);
  for (const CheckedSolve::Unknown& u : solve.unknowns) count(u.iterate, ofUnknowns, -1);
  const bool fewer = elements <= 0 && numbers <= ofUnknowns, more = elements >= 0 && numbers >= ofUnknowns;
  if (fewer == more) return true; // as many, or it depends
  const std::string message = elements == 0
                                  ? fmt::format("the equations are {} numbers, the unknowns {}", numbers, ofUnknowns)
                                  : fmt::format("there are {} equations than unknowns", fewer ? "fewer" : "more");
  error(Code::LIE0511, s.keyword, message);
  return false;
}

void MethodChecker::solve(const syntax::Statement& s) {
  const auto giveUp = [&] { // their uses are not errors of their own
    for (const syntax::Target& u : s.unknowns) {
      if (!given(u.name)) scope_.bind(u.name, sema::Value::error());
    }
  };
  if (!m_.kind->solves) {
    error(Code::LIE0501, s.keyword,
          fmt::format("methods on `{}` have no `solve`: iterations need derivatives of their equations, and those of "
                      "series are not supported yet",
                      m_.kind->name))
        .suggest("methods on `embedding` and `manifold` have");
    return giveUp();
  }
  if (!s.starts.empty() && s.starts.size() != s.unknowns.size()) {
    error(Code::LIE0511, s.keyword,
          fmt::format("{} unknowns need as many starting values, not {}", s.unknowns.size(), s.starts.size()));
    return giveUp();
  }
  CheckedStatement checked;
  checked.what = CheckedStatement::What::Solve;
  checked.keyword = s.keyword;
  CheckedSolve& solve = checked.solve;
  bool good = true;
  for (std::size_t k = 0; k < s.unknowns.size(); ++k) good = unknown(s, k, solve) && good;
  if (!settings(s, solve) || !good) return giveUp();
  sema::Scope inside(&scope_);
  for (const CheckedSolve::Unknown& u : solve.unknowns) inside.bind(u.name, valueOf(u.iterate));
  visible_ = &inside;
  for (const syntax::Equation& e : s.equations) good = equation(e, solve) && good;
  visible_ = &scope_;
  if (!good || !asManyNumbers(s, solve)) return giveUp();
  for (const CheckedSolve::Unknown& u : solve.unknowns) scope_.bind(u.name, valueOf(u.solution));
  m_.body.push_back(std::move(checked));
}

} // namespace lmc::methods
