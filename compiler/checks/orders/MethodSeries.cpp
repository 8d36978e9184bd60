#include "checks/orders/MethodSeries.h"

#include "methods/Constructor.h"
#include "methods/Instantiate.h"
#include "methods/kinds/MethodKind.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

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

constexpr const char* adjointReason = "an adjoint is implicit";

/// What the evaluations of one method share: those of a composition are several.
struct Shared {
  Compilation& c;
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

class Evaluation final : public MethodOperations {
public:
  using Arguments = std::vector<std::pair<std::string, Value>>;

  Evaluation(Shared& shared, const Found& method, Arguments arguments = {}, const Evaluation* outer = nullptr)
      : s_(shared), outer_(outer), c_(shared.c), g_(shared.c.graph()), a_(shared.a), decl_(*method.declaration),
        evaluator_(c_.methodEvaluator(*this, method.source)), arguments_(std::move(arguments)) {}

  MethodSeries run(const Begin& begin) {
    begin_ = begin;
    for (const Evaluation* e = outer_; e != nullptr; e = e->outer_)
      if (&e->decl_ == &decl_) throw NotProved("it is made of itself");
    if (decl_.kind != ast::DeclKind::Method) throw NotProved("it is variational");
    if (const std::string kind = kindOf(c_, decl_); kind != "manifold")
      throw NotProved(fmt::format("it is a method on '{}'", kind));
    scope_.bind("h", Value::tensor(begin.h));
    scope_.bind("t", Value::tensor(begin.t));
    scope_.bind("y", point(begin.y));
    bindParameters();
    if (decl_.constructor) {
      construct(*decl_.constructor);
    } else {
      for (const ast::StatementPtr& s : decl_.body) statement(*s);
    }
    if (!result_.has_value()) throw NotProved("it has no `next y`");
    return {std::move(*result_), std::move(embedded_), s_.timesFit};
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
    if (const auto f = functions_.find(name); f != functions_.end()) return evaluateFunction(*f->second, args);
    if (name == "f" && args.size() == 2 && args[0].kind == ValueKind::Tensor && args[1].kind == ValueKind::PhasePoint) {
      return element({a_.field(pointOf(args[1]), advance(args[0].parts[0], pointOf(args[1]))), -1});
    }
    if (name == "dexpinv" && isElement(0) && isElement(1)) {
      const Element v = elementOf(args[1].parts[0]);
      return element({a_.dexpinv(directionOf(args[0].parts[0]), v.series, std::nullopt), v.power});
    }
    throw NotProved(fmt::format("'{}' has no series here", name));
  }
  std::vector<std::string> names() const override {
    // The last ones have no series on every group, and end the proof.
    std::vector<std::string> list = {"f",       "exp",     "dexpinv",  "dexp",        "cay", "dcay",
                                     "dcayinv", "retract", "dretract", "dretractinv", "Ad"};
    for (const auto& [name, statement] : functions_) list.push_back(name);
    return list;
  }

private:
  Value evaluate(const ast::Expr& e) {
    Value v = evaluator_->evaluate(e, *visible_, {});
    if (v.isError()) throw NotProved("it has errors");
    return v;
  }

  void bindParameters() {
    for (std::size_t k = 0; k < decl_.params.size(); ++k) {
      const std::string& name = decl_.params[k].name;
      if (name == retractionParameter) continue;
      const auto given =
          std::find_if(arguments_.begin(), arguments_.end(), [&](const auto& a) { return a.first == name; });
      if (given == arguments_.end() && !decl_.paramDefaults[k]) throw NotProved(fmt::format("'{}' has no value", name));
      scope_.bind(name, given != arguments_.end() ? given->second : evaluate(*decl_.paramDefaults[k]));
    }
  }

  Value evaluateFunction(const ast::Statement& f, const std::vector<Value>& args) {
    if (args.size() != f.params.size()) throw NotProved("it has errors");
    Scope inner(visible_);
    for (std::size_t k = 0; k < args.size(); ++k) inner.bind(f.params[k].name, args[k]);
    const Scope* const outer = std::exchange(visible_, &inner);
    Value v = evaluate(*f.value);
    visible_ = outer;
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
    case StatementKind::Function:
      functions_[s.target.name] = &s;
      break;
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
    s_.points[array] = std::move(s);
    return stored(ValueKind::PhasePoint, array);
  }
  Value element(Element e) {
    const sym::Array* array = name();
    s_.elements[array] = std::move(e);
    return stored(ValueKind::PhaseAlgebra, array);
  }
  const Series& pointOf(const Value& v) {
    const bool isPoint = v.kind == ValueKind::PhasePoint && v.parts[0]->op == sym::Op::Load;
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
  void construct(const ast::Expr& e) {
    if (e.kind == ast::ExprKind::Call && e.args[0]->text == "compose") return compose(e);
    if (e.kind == ast::ExprKind::Call && e.args[0]->text == "adjoint") throw NotProved(adjointReason);
    const auto method = readConstructor(c_, *evaluator_, e);
    if (!method) throw NotProved("its tableau has no series here");
    const Tableau& t = method->tableau;
    for (std::size_t i = 0; i < t.stages(); ++i) {
      for (std::size_t j = i; j < t.stages(); ++j) {
        if (!t.a[i][j].isZero()) throw NotProved("it is implicit");
      }
    }
    const Coefficient step = partOfStep();
    const bool muntheKaas = method->kind == MethodClass::MuntheKaas;
    std::vector<Series> k;
    for (std::size_t i = 0; i < t.stages(); ++i) {
      const Series u = muntheKaas ? combination(t.a[i], k) : a_.zero();
      const Series y = muntheKaas ? a_.act(u, begin_.y) : flows(t.a[i], k);
      const Expr time = g_.add(begin_.t, g_.scale(t.c[i], begin_.h));
      Series value = a_.zero();
      a_.add(value, step, a_.field(y, advance(time, y)));
      k.push_back(muntheKaas ? a_.dexpinv(u, value, method->truncate) : value);
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

  /// compose(M; g1, g2, …): each step begins where the one before ended.
  void compose(const ast::Expr& e) {
    std::vector<MethodReference> methods;
    std::size_t first = 1;
    for (; first < e.args.size() && (first == 1 || namesMethod(*e.args[first])); ++first) {
      const auto method = resolveMethod(c_, *e.args[first]);
      if (!method) throw NotProved("it has errors");
      if (method->adjoint) throw NotProved(adjointReason);
      methods.push_back(*method);
    }
    Begin begin = begin_;
    for (std::size_t k = first; k < e.args.size(); ++k) {
      const MethodReference& method = methods[methods.size() > 1 ? std::min(k - first, methods.size() - 1) : 0];
      begin.h = g_.mul(g_.toReal(evaluate(*e.args[k]).parts[0]), begin_.h);
      begin.y = Evaluation(s_, method.found, method.arguments, this).run(begin).next;
      begin.t = g_.add(begin.t, begin.h);
    }
    result_ = begin.y;
  }

  bool namesMethod(const ast::Expr& e) {
    const ast::Expr& name = e.kind == ast::ExprKind::Call ? *e.args[0] : e;
    return name.kind == ast::ExprKind::Name && (name.text == "adjoint" || c_.findMethod(name.text, name.range.source));
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
  const Evaluation* outer_; ///< of the method of which this one is a part
  Compilation& c_;
  sym::Graph& g_;
  const SeriesAlgebra& a_;
  const ast::Declaration& decl_;
  std::unique_ptr<Evaluator> evaluator_;
  Arguments arguments_;
  Begin begin_;
  Scope scope_;
  const Scope* visible_ = &scope_;
  std::map<std::string, const ast::Statement*> functions_;
  std::optional<Series> result_, embedded_;
};

} // namespace

MethodSeries methodSeries(Compilation& c, const Found& method, const SeriesAlgebra& algebra) {
  sym::Graph& g = c.graph();
  Shared shared{c,
                algebra,
                g.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize),
                g.newArray("t", {}, sym::Shape::scalar(), sym::Role::Time),
                {},
                {}};
  return Evaluation(shared, method).run({algebra.start(), g.load(shared.h), g.load(shared.t)});
}

} // namespace lmc::orders
