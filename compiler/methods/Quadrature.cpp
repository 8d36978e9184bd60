#include "methods/Quadrature.h"

#include "methods/checked/Replay.h"

#include <cmath>

namespace lmc::methods {

namespace {

using sym::Expr;

/// A rate of which no formula of a few nodes has the integral: formulas with other weights have other results.
double rate(double time) {
  return std::cos(1 + 40 * time);
}

/// Decimal coefficients miss equal sums by less.
constexpr double roundOff = 1e-9;

double formula(const std::vector<sym::Number>& weights, const std::vector<sym::Number>& nodes) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i].value() * rate(nodes[i].value());
  return sum;
}

/// A step of length 1 from 0 at the time 0, in one dimension, where elements of the group commute: every value is a
/// number, and what moves a point is added to it.
class Quadrature final : public Meanings {
public:
  Quadrature(sym::Graph& g, const CheckedMethod& method)
      : g_(g), method_(method), values_(g, method, *this, g.number(1), g.number(0)) {}

  std::optional<double> differenceOfResults() {
    std::optional<double> next, embedded;
    values_.give(method_.state[0], number(sema::ValueKind::PhasePoint, g_.number(0)));
    using What = CheckedStatement::What;
    for (const CheckedStatement& s : method_.body) {
      const bool known = s.what == What::Define || s.what == What::Next || s.what == What::Embedded;
      if (!known || !values_.evaluate(s.terms)) return std::nullopt;
      if (s.what == What::Define) continue;
      const Expr value = values_[s.value].parts[0];
      if (!value->isConst()) return std::nullopt;
      (s.what == What::Next ? next : embedded) = value->number.value();
    }
    if (!next || !embedded) return std::nullopt;
    return *next - *embedded;
  }

  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range) override {
    if (word.takes == "ty" || word.takes == "tx") { // f, ydot
      const Expr time = args[0].parts[0];
      if (!time->isConst()) return sema::Value::error();
      const auto kind = word.gives == 'k' ? sema::ValueKind::PhaseAlgebra : sema::ValueKind::PhaseVector;
      return number(kind, g_.number(sym::Number::real(rate(time->number.value()))));
    }
    if (word.takes == "k" || word.takes == "x") return args[0];   // elements of the group, onto
    if (word.takes == "kk" || word.takes == "ek") return args[1]; // derivatives of these, Ad
    return sema::Value::error();
  }
  sema::Value product(const sema::Value& a, const sema::Value& b) override { return sum(a, b); }
  sema::Value act(const sema::Value& element, const sema::Value& point) override { return sum(point, element); }
  sema::Value actRight(const sema::Value& point, const sema::Value& element, Range) override {
    return sum(point, element);
  }
  sema::Value bracket(const sema::Value& a, const sema::Value&) override { return number(a.kind, g_.number(0)); }
  sema::Value hold(const sema::Value& v, const std::string&) override { return v; }

private:
  static sema::Value number(sema::ValueKind kind, Expr e) {
    sema::Value v;
    v.kind = kind;
    v.parts = {e};
    return v;
  }
  sema::Value sum(sema::Value a, const sema::Value& b) {
    a.parts[0] = g_.add(a.parts[0], b.parts[0]);
    return a;
  }

  sym::Graph& g_;
  const CheckedMethod& method_;
  Replay values_;
};

} // namespace

std::optional<bool> seesTime(sym::Graph& g, const CheckedMethod& method) {
  if (method.tableau) {
    const Tableau& t = method.tableau->tableau;
    if (t.bhat.empty()) return std::nullopt;
    return std::abs(formula(t.b, t.c) - formula(t.bhat, t.c)) > roundOff;
  }
  if (method.composition || method.formula || method.state.size() != 1) return std::nullopt;
  const std::optional<double> difference = Quadrature(g, method).differenceOfResults();
  if (!difference) return std::nullopt;
  return std::abs(*difference) > roundOff;
}

} // namespace lmc::methods
