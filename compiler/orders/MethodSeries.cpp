#include "orders/MethodSeries.h"

#include "methods/Constructor.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::orders {

namespace {

using ast::StatementKind;
using sym::Expr;

/// An algebra element is h^power times a series in which every node has a factor h.
struct Element {
  Series series;
  int power = 0;
};

/// Times that agree to this are equal: decimal coefficients carry round-off.
constexpr long double timeTolerance = 1e-14L;

class Evaluation final : public MethodOperations {
public:
  Evaluation(Compilation& c, const Found& method, const SeriesAlgebra& a)
      : c_(c), g_(c.graph()), a_(a), decl_(*method.declaration), evaluator_(c.methodEvaluator(*this, method.source)),
        h_(g_.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize)),
        t_(g_.newArray("t", {}, sym::Shape::scalar(), sym::Role::Time)) {}

  MethodSeries run() {
    if (decl_.kind != ast::DeclKind::Method) throw NotProved("it is variational");
    if (!decl_.kindName.empty() && decl_.kindName != "manifold")
      throw NotProved(fmt::format("it is a method on '{}'", decl_.kindName));
    scope_.bind("h", Value::tensor(g_.load(h_)));
    scope_.bind("t", Value::tensor(g_.load(t_)));
    scope_.bind("y", point(a_.start()));
    for (std::size_t k = 0; k < decl_.params.size(); ++k) {
      if (!decl_.paramDefaults[k]) throw NotProved(fmt::format("'{}' has no value", decl_.params[k].name));
      scope_.bind(decl_.params[k].name, evaluate(*decl_.paramDefaults[k]));
    }
    if (decl_.constructor) {
      construct(*decl_.constructor);
    } else {
      for (const ast::StatementPtr& s : decl_.body) statement(*s);
    }
    if (!result_.has_value()) throw NotProved("it has no `next y`");
    return {std::move(*result_), std::move(embedded_), timesFit_};
  }

  // --- MethodOperations. Errors of the method itself were reported when it was instantiated.
  std::optional<Value> binary(ast::BinaryOp op, const Value& a, const Value& b, Range) override {
    if (op != ast::BinaryOp::Mul || a.kind != ValueKind::Opaque) return Value::error();
    if (b.kind == ValueKind::Opaque) {
      Value all = a;
      all.parts.insert(all.parts.end(), b.parts.begin(), b.parts.end());
      return all;
    }
    if (b.kind != ValueKind::PhasePoint) return Value::error();
    Series y = pointOf(b);
    for (auto k = a.parts.rbegin(); k != a.parts.rend(); ++k) y = a_.act(directionOf(*k), y);
    return point(std::move(y));
  }
  std::optional<Value> negate(const Value&) override { return Value::error(); }
  std::optional<Value> bracket(const Value& a, const Value& b, Range) override {
    const Element x = elementOf(a.parts[0]);
    const Element y = elementOf(b.parts[0]);
    return element({a_.bracket(x.series, y.series), x.power + y.power});
  }
  std::optional<Value> call(const std::string& name, const std::vector<Value>& args, Range) override {
    for (const Value& v : args) {
      if (v.isError()) return Value::error();
    }
    const auto isElement = [&](std::size_t k) { return k < args.size() && args[k].kind == ValueKind::PhaseAlgebra; };
    if (name == "exp" && isElement(0)) {
      Value v;
      v.kind = ValueKind::Opaque;
      v.parts = args[0].parts;
      return v;
    }
    if (name == "exp") return std::nullopt;
    if (name == "f" && args.size() == 2 && args[0].kind == ValueKind::Tensor && args[1].kind == ValueKind::PhasePoint) {
      return element({a_.field(pointOf(args[1]), advance(args[0].parts[0], pointOf(args[1]))), -1});
    }
    if (name == "dexpinv" && isElement(0) && isElement(1)) {
      const Element v = elementOf(args[1].parts[0]);
      return element({a_.dexpinv(directionOf(args[0].parts[0]), v.series, std::nullopt), v.power});
    }
    throw NotProved(fmt::format("'{}' has no series here", name));
  }
  std::vector<std::string> names() const override { return {"f", "exp", "dexpinv"}; }

private:
  Value evaluate(const ast::Expr& e) {
    Value v = evaluator_->evaluate(e, scope_, {});
    if (v.isError()) throw NotProved("it has errors");
    return v;
  }

  void statement(const ast::Statement& s) {
    switch (s.kind) {
    case StatementKind::Let:
    case StatementKind::Definition: {
      Value v = evaluate(*s.value);
      if (v.kind == ValueKind::PhaseAlgebra) v = element(elementOf(v.parts[0])); // one name, one coefficient
      scope_.bind(s.target.name, std::move(v));
      break;
    }
    case StatementKind::Next:
      result_ = pointOf(evaluate(*s.value));
      break;
    case StatementKind::Embedded:
      embedded_ = pointOf(evaluate(*s.value));
      break;
    case StatementKind::Solve:
      throw NotProved("it is implicit");
    default:
      throw NotProved(fmt::format("'{}' has no series here", c_.sources().text(s.keyword)));
    }
  }

  // --- values: a point or an element is a load of an array that stands for its series
  const sym::Array* name() { return g_.newArray("series", {}, sym::Shape::scalar(), sym::Role::Temp); }
  Value stored(ValueKind kind, const sym::Array* array) {
    Value v;
    v.kind = kind;
    v.parts = {g_.load(array)};
    return v;
  }
  Value point(Series s) {
    const sym::Array* array = name();
    points_[array] = std::move(s);
    return stored(ValueKind::PhasePoint, array);
  }
  Value element(Element e) {
    const sym::Array* array = name();
    elements_[array] = std::move(e);
    return stored(ValueKind::PhaseAlgebra, array);
  }
  const Series& pointOf(const Value& v) {
    const bool isPoint = v.kind == ValueKind::PhasePoint && v.parts[0]->op == sym::Op::Load;
    if (!isPoint) throw NotProved("a point depends on a condition");
    return points_.at(v.parts[0]->array);
  }
  Element elementOf(Expr e) {
    Element sum{a_.zero(), 0};
    bool first = true;
    for (const auto& [array, powers] : linearForm(e, h_)) {
      const auto known = elements_.find(array);
      for (const auto& [power, c] : powers) {
        if (c.isZero()) continue;
        if (known == elements_.end()) throw NotProved("a coefficient depends on t");
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
    for (const auto& [array, powers] : linearForm(time, h_)) {
      for (const auto& [power, value] : powers) {
        const bool isStart = array == t_ && power == 0;
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
    if (std::abs((c - a_.time(y)).value()) > timeTolerance) timesFit_ = false;
  }

  // --- constructors
  void construct(const ast::Expr& e) {
    const auto method = readConstructor(c_, *evaluator_, e);
    if (!method) throw NotProved("its tableau has no series here");
    const Tableau& t = method->tableau;
    for (std::size_t i = 0; i < t.stages(); ++i) {
      for (std::size_t j = i; j < t.stages(); ++j) {
        if (!t.a[i][j].isZero()) throw NotProved("it is implicit");
      }
    }
    const bool muntheKaas = method->kind == MethodClass::MuntheKaas;
    std::vector<Series> k;
    for (std::size_t i = 0; i < t.stages(); ++i) {
      const Series u = muntheKaas ? combination(t.a[i], k) : a_.zero();
      const Series y = muntheKaas ? a_.act(u, a_.start()) : flows(t.a[i], k);
      const Coefficient c(t.c[i]);
      noteTime(c, y);
      const Series value = a_.field(y, c);
      k.push_back(muntheKaas ? a_.dexpinv(u, value, method->truncate) : value);
    }
    const auto result = [&](const std::vector<sym::Number>& b) {
      return muntheKaas ? a_.act(combination(b, k), a_.start()) : flows(b, k);
    };
    result_ = result(t.b);
    if (!t.bhat.empty()) embedded_ = result(t.bhat);
  }

  Series combination(const std::vector<sym::Number>& row, const std::vector<Series>& k) {
    Series sum = a_.zero();
    for (std::size_t j = 0; j < k.size(); ++j) {
      if (!row[j].isZero()) a_.add(sum, Coefficient(row[j]), k[j]);
    }
    return sum;
  }
  Series flows(const std::vector<sym::Number>& row, const std::vector<Series>& k) {
    Series y = a_.start();
    for (std::size_t j = 0; j < k.size(); ++j) { // the first stage acts first
      if (row[j].isZero()) continue;
      Series step = a_.zero();
      a_.add(step, Coefficient(row[j]), k[j]);
      y = a_.act(step, y);
    }
    return y;
  }

  Compilation& c_;
  sym::Graph& g_;
  const SeriesAlgebra& a_;
  const ast::Declaration& decl_;
  std::unique_ptr<Evaluator> evaluator_;
  const sym::Array* h_;
  const sym::Array* t_;
  Scope scope_;
  std::map<const sym::Array*, Series> points_;
  std::map<const sym::Array*, Element> elements_;
  std::optional<Series> result_, embedded_;
  bool timesFit_ = true;
};

} // namespace

MethodSeries methodSeries(Compilation& c, const Found& method, const SeriesAlgebra& algebra) {
  return Evaluation(c, method, algebra).run();
}

} // namespace lmc::orders
