#include "checks/orders/MethodSeries.h"

#include "methods/checked/Replay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace lmc::orders {

namespace {

using sym::Expr;

/// An algebra element is h^power times a series in which every node has a factor h.
struct Element {
  Series series;
  int power = 0;
};

/// Times that agree to this are equal: decimal coefficients carry round-off.
constexpr long double timeTolerance = 1e-14L;

/// What the evaluations of one method share: those of a composition are several.
struct Shared {
  sym::Graph& g;
  const SeriesAlgebra& a;
  const sym::Array* h;
  const sym::Array* t;
  std::map<const sym::Array*, Series> points;
  std::map<const sym::Array*, Element> elements;
  bool timesFit = true;
};

/// Where a method begins: a point, and its step size and time as expressions of h and t.
struct Begin {
  Series y;
  Expr h, t;
};

class Evaluation final : public methods::Meanings {
public:
  Evaluation(Shared& shared, const methods::CheckedMethod& method, const Begin& begin)
      : s_(shared), g_(shared.g), a_(shared.a), method_(method), begin_(begin),
        values_(shared.g, method, *this, begin.h, begin.t) {}

  MethodSeries run() {
    if (method_.formula) throw NotProved("it is variational");
    if (!method_.kind->tableaux) throw NotProved(fmt::format("it is a method on `{}`", method_.kind->name));
    values_.give(method_.state[0], point(begin_.y));
    if (method_.tableau)
      construct(*method_.tableau);
    else if (method_.composition)
      compose(*method_.composition);
    else
      body();
    return {std::move(*result_), std::move(embedded_), s_.timesFit};
  }

  // --- Meanings
  sema::Value product(const sema::Value& a, const sema::Value& b) override {
    sema::Value all = a;
    all.parts.insert(all.parts.end(), b.parts.begin(), b.parts.end());
    return all;
  }
  sema::Value act(const sema::Value& element, const sema::Value& start) override {
    Series y = pointOf(start);
    for (auto k = element.parts.rbegin(); k != element.parts.rend(); ++k) y = a_.act(directionOf(*k), y);
    return point(std::move(y));
  }
  sema::Value actRight(const sema::Value&, const sema::Value&, Range) override {
    throw NotProved("a product has no series here");
  }
  sema::Value bracket(const sema::Value& a, const sema::Value& b) override {
    const Element x = elementOf(a.parts[0]);
    const Element y = elementOf(b.parts[0]);
    return element({a_.bracket(x.series, y.series), x.power + y.power});
  }
  sema::Value hold(const sema::Value& v, const std::string&) override {
    return v.kind == sema::ValueKind::PhaseAlgebra ? element(elementOf(v.parts[0])) : v; // one name, one coefficient
  }
  sema::Value word(const methods::Word& word, const std::vector<sema::Value>& args, Range) override {
    if (word.name == "exp") {
      sema::Value v;
      v.kind = sema::ValueKind::Opaque;
      v.parts = args[0].parts;
      return v;
    }
    if (word.name == "f") return element({a_.field(pointOf(args[1]), advance(args[0].parts[0], pointOf(args[1]))), -1});
    if (word.name == "dexpinv") {
      const Element v = elementOf(args[1].parts[0]);
      return element({a_.dexpinv(directionOf(args[0].parts[0]), v.series, std::nullopt), v.power});
    }
    throw NotProved(fmt::format("`{}` has no series here", word.name));
  }

private:
  void body() {
    for (const methods::CheckedStatement& s : method_.body) {
      if (s.what == methods::CheckedStatement::What::Solve) throw NotProved("it is implicit");
      if (!values_.evaluate(s.terms)) throw NotProved("it has errors");
      if (s.what == methods::CheckedStatement::What::Next) result_ = pointOf(values_[s.value]);
      if (s.what == methods::CheckedStatement::What::Embedded) embedded_ = pointOf(values_[s.value]);
    }
  }

  // --- values: a point or an element is a load of an array that stands for its series
  const sym::Array* name() { return g_.newArray("series", {}, sym::Shape::scalar(), sym::Role::Temp); }
  sema::Value stored(sema::ValueKind kind, const sym::Array* array) {
    sema::Value v;
    v.kind = kind;
    v.parts = {g_.load(array)};
    return v;
  }
  sema::Value point(Series s) {
    const sym::Array* array = name();
    s_.points[array] = std::move(s);
    return stored(sema::ValueKind::PhasePoint, array);
  }
  sema::Value element(Element e) {
    const sym::Array* array = name();
    s_.elements[array] = std::move(e);
    return stored(sema::ValueKind::PhaseAlgebra, array);
  }
  const Series& pointOf(const sema::Value& v) {
    const bool isPoint = v.kind == sema::ValueKind::PhasePoint && v.parts[0]->op == sym::Op::Load;
    if (!isPoint) throw NotProved("a point depends on a condition");
    return s_.points.at(v.parts[0]->array);
  }
  Element elementOf(Expr e) {
    Element sum{a_.zero(), 0};
    bool first = true;
    for (const auto& [array, powers] : linearForm(e, s_.h)) {
      const auto known = s_.elements.find(array);
      for (const auto& [power, c] : powers) {
        if (c.isZero()) continue;
        if (known == s_.elements.end()) throw NotProved("a coefficient depends on t");
        const int total = power + known->second.power;
        if (!first && total != sum.power) throw NotProved("terms of different powers of h are added");
        sum.power = total;
        first = false;
        a_.add(sum.series, c, known->second.series);
      }
    }
    return sum;
  }
  /// What stands in exp or for u in dexpinv: must be a multiple of h.
  Series directionOf(Expr e) {
    Element k = elementOf(e);
    const bool isZero = std::all_of(k.series.begin(), k.series.end(), [](const Coefficient& c) { return c.isZero(); });
    if (k.power != 0 && !isZero) throw NotProved("the argument of exp is not proportional to h");
    return std::move(k.series);
  }
  /// c of the time t + c h at which f is evaluated at Y.
  Coefficient advance(Expr time, const Series& y) {
    Coefficient c, one;
    for (const auto& [array, powers] : linearForm(time, s_.h)) {
      for (const auto& [power, value] : powers) {
        const bool isStart = array == s_.t && power == 0;
        const bool isStep = array == nullptr && power == 1;
        if (!isStart && !isStep && !value.isZero()) throw NotProved("f is evaluated at a time that is not t + c*h");
        if (isStart) one = value;
        if (isStep) c = value;
      }
    }
    if (std::abs((one - 1).value()) > 0) throw NotProved("f is evaluated at a time that is not t + c*h");
    noteTime(c, y);
    return c;
  }
  void noteTime(const Coefficient& c, const Series& y) {
    if (std::abs((c - a_.time(y)).value()) > timeTolerance) s_.timesFit = false;
  }

  // --- constructors
  void construct(const methods::Constructed& method) {
    const methods::Tableau& t = method.tableau;
    if (!t.isExplicit()) throw NotProved("it is implicit");
    const Coefficient step = partOfStep();
    const bool muntheKaas = method.kind == methods::MethodClass::MuntheKaas;
    std::vector<Series> k;
    for (std::size_t i = 0; i < t.stages(); ++i) {
      const Series u = muntheKaas ? combination(t.a[i], k) : a_.zero();
      const Series y = muntheKaas ? a_.act(u, begin_.y) : flows(t.a[i], k);
      const Expr time = g_.add(begin_.t, g_.scale(t.c[i], begin_.h));
      Series value = a_.zero();
      a_.add(value, step, a_.field(y, advance(time, y)));
      k.push_back(muntheKaas ? a_.dexpinv(u, value, method.truncate) : value);
    }
    const auto result = [&](const std::vector<sym::Number>& b) {
      return muntheKaas ? a_.act(combination(b, k), begin_.y) : flows(b, k);
    };
    result_ = result(t.b);
    if (!t.bhat.empty()) embedded_ = result(t.bhat);
  }

  /// c of a step size c h.
  Coefficient partOfStep() {
    Coefficient c;
    for (const auto& [array, powers] : linearForm(begin_.h, s_.h)) {
      for (const auto& [power, value] : powers) {
        if (array != nullptr || power != 1) throw NotProved("a step size is no multiple of h");
        c = value;
      }
    }
    return c;
  }

  /// Each step begins where the one before ended.
  void compose(const methods::CheckedComposition& composition) {
    Begin begin = begin_;
    std::map<std::size_t, Expr> times; // by clock
    for (const methods::CheckedComposition::Part& part : composition.parts) {
      if (part.use.adjoint) throw NotProved("an adjoint is implicit");
      begin.t = times.try_emplace(part.clock, begin_.t).first->second;
      begin.h = g_.mul(values_.number(part.part), begin_.h);
      begin.y = Evaluation(s_, *part.use.method, begin).run().next;
      times[part.clock] = g_.add(begin.t, begin.h);
    }
    result_ = begin.y;
  }

  Series combination(const std::vector<sym::Number>& row, const std::vector<Series>& k) {
    Series sum = a_.zero();
    for (std::size_t j = 0; j < k.size(); ++j) {
      if (!row[j].isZero()) a_.add(sum, Coefficient(row[j]), k[j]);
    }
    return sum;
  }
  Series flows(const std::vector<sym::Number>& row, const std::vector<Series>& k) {
    Series y = begin_.y;
    for (std::size_t j = 0; j < k.size(); ++j) { // the first stage acts first
      if (row[j].isZero()) continue;
      Series step = a_.zero();
      a_.add(step, Coefficient(row[j]), k[j]);
      y = a_.act(step, y);
    }
    return y;
  }

  Shared& s_;
  sym::Graph& g_;
  const SeriesAlgebra& a_;
  const methods::CheckedMethod& method_;
  Begin begin_;
  methods::Replay values_;
  std::optional<Series> result_, embedded_;
};

} // namespace

MethodSeries methodSeries(sym::Graph& g, const methods::CheckedMethod& method, const SeriesAlgebra& algebra) {
  Shared shared{g,
                algebra,
                g.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize),
                g.newArray("t", {}, sym::Shape::scalar(), sym::Role::Time),
                {},
                {}};
  return Evaluation(shared, method, {algebra.start(), g.load(shared.h), g.load(shared.t)}).run();
}

} // namespace lmc::orders
