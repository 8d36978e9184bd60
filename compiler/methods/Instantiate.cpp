#include "methods/Instantiate.h"

#include "methods/Constructor.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

using ast::StatementKind;
using sym::Expr;

namespace {

std::string join(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// exp(a)*exp(b)*…: a product of `factors` exponentials, the algebra elements one after the other in `parts`.
Value product(Tuple parts, std::int64_t factors) {
  Value v;
  v.kind = ValueKind::Opaque;
  v.text = "exp(…)";
  v.parts = std::move(parts);
  v.extents = {factors};
  return v;
}

class Instantiation final : public MethodOperations {
public:
  Instantiation(Compilation& c, System& system, const Found& method)
      : c_(c), d_(c.diagnostics()), g_(c.graph()), phase_(system), model_(*system.model), decl_(*method.declaration),
        evaluator_(c.methodEvaluator(*this, method.source)) {}

  std::optional<Step> run(const std::string& name, const std::vector<std::pair<std::string, Value>>& arguments) {
    const std::size_t before = d_.errorCount();
    step_.method = name;
    step_.stepSize = g_.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize);
    bind("h", Value::tensor(g_.load(step_.stepSize)));
    bind("t", Value::tensor(g_.load(model_.time)));
    y_ = point(phase_.state());
    bind("y", y_);
    if (!checkKind() || !bindParameters(arguments)) return std::nullopt;
    readOrder();
    if (decl_.constructor) {
      construct(*decl_.constructor);
    } else {
      for (const ast::StatementPtr& s : decl_.body) statement(*s);
      if (!advanced_ && d_.errorCount() == before) {
        d_.error(Code::LIE0504, decl_.nameRange, fmt::format("method '{}' never says what comes next", decl_.name))
            .suggest("end it with `next y = …;`");
      }
    }
    if (d_.errorCount() > before || !advanced_) return std::nullopt;
    for (const PhaseSlot& s : phase_.slots()) step_.state.insert(step_.state.end(), s.state.begin(), s.state.end());
    step_.next = next_;
    return step_;
  }

  // --- MethodOperations
  std::optional<Value> binary(ast::BinaryOp op, const Value& a, const Value& b, Range where) override {
    if (op != ast::BinaryOp::Mul || a.kind != ValueKind::Opaque) {
      if (op == ast::BinaryOp::Add && (a.kind == ValueKind::PhasePoint || b.kind == ValueKind::PhasePoint)) {
        d_.error(Code::LIE0505, where, "points of a manifold cannot be added to")
            .suggest("move along the manifold: exp(k)*y");
        return Value::error();
      }
      return std::nullopt;
    }
    if (b.kind == ValueKind::Opaque) { // exp(a)*exp(b)
      Tuple all = a.parts;
      all.insert(all.end(), b.parts.begin(), b.parts.end());
      return product(std::move(all), a.extents[0] + b.extents[0]);
    }
    if (b.kind != ValueKind::PhasePoint) return std::nullopt;
    Tuple y = b.parts;
    const std::size_t n = phase_.algebraSize();
    for (std::int64_t k = a.extents[0]; k > 0; --k) { // the rightmost acts first
      const auto last = a.parts.begin() + static_cast<std::ptrdiff_t>(n) * k;
      const Tuple element(last - static_cast<std::ptrdiff_t>(n), last);
      y = phase_.act(element, y);
      if (k > 1) y = phase_.hold(y, fresh("Y"));
      ++step_.exponentials;
    }
    return point(y);
  }

  std::optional<Value> negate(const Value&) override { return std::nullopt; }

  std::optional<Value> call(const std::string& name, const std::vector<Value>& args, Range where) override {
    for (const Value& a : args) {
      if (a.isError()) return Value::error();
    }
    if (name == "exp" && args.size() == 1 && args[0].kind == ValueKind::PhaseAlgebra) return product(args[0].parts, 1);
    if (name == "f") return field(args, where);
    if (name == "dexpinv" && args.size() == 2 && args[0].kind == ValueKind::PhaseAlgebra &&
        args[1].kind == ValueKind::PhaseAlgebra) {
      return algebra(phase_.dexpinv(args[0].parts, args[1].parts, DexpinvCut::forOrder(step_.order)));
    }
    for (const char* later :
         {"cay", "retract", "dexp", "dcay", "dcayinv", "dexpT", "dexpinvT", "dcayT", "dcayinvT", "Ad", "Adstar"}) {
      if (name != later) continue;
      d_.error(Code::LIE0501, where, fmt::format("'{}' in methods is not supported yet", name));
      return Value::error();
    }
    return std::nullopt;
  }

  std::optional<Value> bracket(const Value& a, const Value& b, Range) override {
    return algebra(phase_.bracket(a.parts, b.parts));
  }

  std::vector<std::string> names() const override {
    return {"f",       "exp",   "dexpinv",  "cay",   "retract",  "dexp", "dcay",
            "dcayinv", "dexpT", "dexpinvT", "dcayT", "dcayinvT", "Ad",   "Adstar"};
  }

private:
  void bind(const std::string& name, Value v) { scope_.bind(name, std::move(v)); }
  std::string fresh(const std::string& name) { return fmt::format("{}{}", name, ++counter_); }

  static Value point(Tuple parts) {
    Value v;
    v.kind = ValueKind::PhasePoint;
    v.parts = std::move(parts);
    return v;
  }
  static Value algebra(Tuple parts) {
    Value v;
    v.kind = ValueKind::PhaseAlgebra;
    v.parts = std::move(parts);
    return v;
  }

  bool checkKind() {
    if (decl_.kindName.empty() || decl_.kindName == "manifold") return true;
    static const std::vector<std::string> kinds = {"manifold", "cotangent", "lagrangian", "rigid_body", "embedding"};
    if (std::find(kinds.begin(), kinds.end(), decl_.kindName) != kinds.end()) {
      d_.error(Code::LIE0501, decl_.kindRange, fmt::format("methods on '{}' are not supported yet", decl_.kindName));
    } else {
      d_.error(Code::LIE0503, decl_.kindRange,
               fmt::format("there is no kind of method '{}'; the kinds are {}", decl_.kindName, join(kinds)))
          .suggest(nearest(decl_.kindName, kinds));
    }
    return false;
  }

  bool bindParameters(const std::vector<std::pair<std::string, Value>>& arguments) {
    bool good = true;
    for (std::size_t k = 0; k < decl_.params.size(); ++k) {
      const ast::Target& p = decl_.params[k];
      const auto given =
          std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) { return a.first == p.name; });
      if (given != arguments.end()) {
        bind(p.name, given->second);
      } else if (decl_.paramDefaults[k]) {
        bind(p.name, evaluator_->evaluate(*decl_.paramDefaults[k], scope_, {}));
      } else {
        d_.error(Code::LIE0502, p.range, fmt::format("method '{}' needs a value for '{}'", decl_.name, p.name));
        good = false;
      }
    }
    return good;
  }

  void readOrder() {
    if (!decl_.order) return;
    const Value v = evaluator_->evaluate(*decl_.order, scope_, {});
    if (v.kind == ValueKind::Tensor && v.parts[0]->isConst() && v.parts[0]->number.isInteger()) {
      step_.order = static_cast<int>(v.parts[0]->number.num());
    } else if (!v.isError()) {
      d_.error(Code::LIE0503, decl_.order->range, "the order of a method is an integer");
    }
  }

  void statement(const ast::Statement& s) {
    switch (s.kind) {
    case StatementKind::Error:
      break;
    case StatementKind::Let:
    case StatementKind::Definition:
      assign(s);
      break;
    case StatementKind::Next:
      advance(s);
      break;
    case StatementKind::Solve:
    case StatementKind::Embedded:
    case StatementKind::Function:
      bind(s.target.name, Value::error()); // its uses are not errors of their own
      for (const ast::Target& u : s.unknowns) bind(u.name, Value::error());
      d_.error(Code::LIE0501, s.keyword,
               fmt::format("'{}' in a method is not supported yet", c_.sources().text(s.keyword)));
      break;
    default:
      d_.error(Code::LIE0503, s.keyword, "this statement has no place in a method");
    }
  }

  void assign(const ast::Statement& s) {
    const std::string& name = s.target.name;
    if (name == "y" || name == "t" || name == "h") {
      d_.error(Code::LIE0503, s.target.nameRange,
               fmt::format("'{}' is given to the method and cannot be defined anew", name));
      return;
    }
    Value v = evaluator_->evaluate(*s.value, scope_, {});
    if (scope_.find(name) != nullptr && !scope_.find(name)->isError()) {
      d_.error(Code::LIE0503, s.target.nameRange, fmt::format("'{}' is defined twice", name));
      return;
    }
    if (v.kind == ValueKind::PhaseAlgebra) v = algebra(phase_.holdAlgebra(v.parts, name));
    if (v.kind == ValueKind::PhasePoint) v = point(phase_.hold(v.parts, name));
    bind(name, std::move(v));
  }

  void advance(const ast::Statement& s) {
    if (s.target.name != "y") {
      d_.error(Code::LIE0503, s.target.nameRange,
               fmt::format("a method on 'manifold' has the state y: write `next y = …`, not `next {}`", s.target.name));
      return;
    }
    if (advanced_) {
      d_.error(Code::LIE0503, s.keyword, "`next y` is given twice");
      return;
    }
    advanced_ = true;
    const Value v = evaluator_->evaluate(*s.value, scope_, {});
    if (v.isError()) return;
    if (v.kind != ValueKind::PhasePoint) {
      d_.error(Code::LIE0505, s.value->range, "`next y` must be a point of the phase manifold")
          .suggest("for an algebra element k it is exp(k)*y");
      return;
    }
    next_ = phase_.storePoint(v.parts, "next");
  }

  std::optional<Value> field(const std::vector<Value>& args, Range where) {
    if (args.size() != 2) {
      d_.error(Code::LIE0505, where,
               fmt::format("f takes the time and a point: f(t, y), not {} argument{}", args.size(),
                           args.size() == 1 ? "" : "s"));
      return Value::error();
    }
    if (args[0].kind != ValueKind::Tensor || args[0].parts[0]->shape.rank != 0) {
      d_.error(Code::LIE0505, where, "the first argument of f is the time, a real");
      return Value::error();
    }
    if (args[1].kind != ValueKind::PhasePoint) {
      d_.error(Code::LIE0505, where, "the second argument of f is a point of the phase manifold")
          .suggest("f(t, exp(k)*y)");
      return Value::error();
    }
    return algebra(evaluate(args[1].parts, g_.toReal(args[0].parts[0])));
  }

  Tuple evaluate(const Tuple& y, Expr time) {
    ++step_.evaluations;
    const std::string name = fresh("Y");
    return phase_.field(y, time, name);
  }

  // --- built-in constructors: rkmk(tableau), crouch_grossman(tableau)
  void construct(const ast::Expr& e) {
    const std::string name = e.kind == ast::ExprKind::Call ? e.args[0]->text : e.text;
    if (name == "compose") {
      d_.error(Code::LIE0501, e.kind == ast::ExprKind::Call ? e.args[0]->range : e.range,
               "compose(…) is not supported yet");
      return;
    }
    const auto method = readConstructor(c_, *evaluator_, e);
    if (!method) return;
    const Tableau& tableau = method->tableau;
    if (step_.order == 0) step_.order = tableau.order;
    if (method->kind == MethodClass::MuntheKaas) {
      rkmk(tableau, method->truncate ? DexpinvCut::after(*method->truncate) : DexpinvCut::forOrder(tableau.order));
    } else {
      crouchGrossman(tableau);
    }
  }

  Expr stageTime(const sym::Number& c) { return g_.add(g_.load(model_.time), g_.scale(c, g_.load(step_.stepSize))); }

  /// sum of coefficients times algebra elements; empty when all coefficients vanish.
  Tuple combination(const std::vector<sym::Number>& coefficients, const std::vector<Tuple>& elements) {
    Tuple sum;
    for (std::size_t j = 0; j < elements.size(); ++j) {
      if (coefficients[j].isZero()) continue;
      const Tuple term = scale(g_, coefficients[j], elements[j]);
      sum = sum.empty() ? term : add(g_, sum, term);
    }
    return sum;
  }

  /// Munthe-Kaas: u_i = sum a_ij K_j, k_i = h f(t + c_i h, exp(u_i) y), K_i = dexpinv_{u_i} k_i (spec, section 1.2).
  void rkmk(const Tableau& t, const DexpinvCut& cut) {
    const Expr h = g_.load(step_.stepSize);
    std::vector<Tuple> k;
    for (std::size_t i = 0; i < t.stages(); ++i) {
      Tuple u = combination(t.a[i], k);
      if (!u.empty()) u = phase_.loadAlgebra(phase_.storeAlgebra(u, fresh("u")));
      const Tuple y = u.empty() ? y_.parts : phase_.act(u, y_.parts);
      step_.exponentials += u.empty() ? 0 : 1;
      const Tuple value = scale(g_, h, evaluate(y, stageTime(t.c[i])));
      const Tuple pulled =
          u.empty() ? value : phase_.dexpinv(u, phase_.loadAlgebra(phase_.storeAlgebra(value, fresh("k"))), cut);
      k.push_back(phase_.loadAlgebra(phase_.storeAlgebra(pulled, fresh("K"))));
    }
    const Tuple v = phase_.loadAlgebra(phase_.storeAlgebra(combination(t.b, k), fresh("v")));
    ++step_.exponentials;
    next_ = phase_.storePoint(phase_.act(v, y_.parts), "next");
    advanced_ = true;
  }

  /// Crouch–Grossman: products of exponentials, the first stage acts first (spec, section 1.3).
  void crouchGrossman(const Tableau& t) {
    const Expr h = g_.load(step_.stepSize);
    std::vector<Tuple> k;
    for (std::size_t i = 0; i < t.stages(); ++i) {
      const Tuple y = flows(t.a[i], k);
      k.push_back(phase_.loadAlgebra(phase_.storeAlgebra(scale(g_, h, evaluate(y, stageTime(t.c[i]))), fresh("k"))));
    }
    next_ = phase_.storePoint(flows(t.b, k), "next");
    advanced_ = true;
  }

  Tuple flows(const std::vector<sym::Number>& coefficients, const std::vector<Tuple>& k) {
    Tuple y = y_.parts;
    bool first = true;
    for (std::size_t j = 0; j < k.size(); ++j) {
      if (coefficients[j].isZero()) continue;
      if (!first) y = phase_.hold(y, fresh("Y"));
      first = false;
      y = phase_.act(scale(g_, coefficients[j], k[j]), y);
      ++step_.exponentials;
    }
    return y;
  }

  Compilation& c_;
  Diagnostics& d_;
  sym::Graph& g_;
  Phase phase_;
  const Model& model_;
  const ast::Declaration& decl_;
  std::unique_ptr<Evaluator> evaluator_;
  Scope scope_;
  Step step_;
  Value y_;
  ArrayTuple next_;
  bool advanced_ = false; ///< `next y` was given
  int counter_ = 0;
};

void reportUnknown(Compilation& c, const std::string& name, Range where) {
  std::vector<std::string> names = c.methodNames();
  std::sort(names.begin(), names.end());
  c.diagnostics()
      .error(Code::LIE0500, where, fmt::format("there is no method '{}'", name))
      .note("there are " + join(names))
      .suggest(nearest(name, names));
}

} // namespace

std::optional<Step> instantiate(Compilation& c, System& system, const ast::Expr& reference) {
  if (reference.kind == ast::ExprKind::Error) return std::nullopt;
  const bool isCall = reference.kind == ast::ExprKind::Call;
  const ast::Expr& nameExpr = isCall ? *reference.args[0] : reference;
  if (nameExpr.kind != ast::ExprKind::Name) {
    c.diagnostics().error(Code::LIE0500, reference.range,
                          "a method is given by its name, perhaps with arguments: NAME(theta = 0.5)");
    return std::nullopt;
  }
  const Found found = c.findMethod(nameExpr.text);
  if (!found) {
    reportUnknown(c, nameExpr.text, nameExpr.range);
    return std::nullopt;
  }
  if (found.declaration->kind == ast::DeclKind::Variational) {
    c.diagnostics().error(Code::LIE0501, nameExpr.range, "variational methods are not supported yet");
    return std::nullopt;
  }
  Instantiation instance(c, system, found);
  std::vector<std::pair<std::string, Value>> arguments;
  if (isCall) {
    for (std::size_t k = 1; k < reference.args.size(); ++k) {
      const ast::Expr& a = *reference.args[k];
      for (std::size_t j = 0; a.kind == ast::ExprKind::Parts && j < a.names.size(); ++j) {
        const auto& params = found.declaration->params;
        if (std::none_of(params.begin(), params.end(), [&](const ast::Target& p) { return p.name == a.names[j]; })) {
          c.diagnostics().error(Code::LIE0502, a.nameRanges[j],
                                fmt::format("method '{}' has no parameter '{}'", nameExpr.text, a.names[j]));
          return std::nullopt;
        }
        if (a.args[j]->kind == ast::ExprKind::Number) {
          arguments.emplace_back(a.names[j], Value::tensor(c.graph().number(sym::Number::decimal(a.args[j]->text))));
        }
      }
      if (a.kind != ast::ExprKind::Parts) {
        c.diagnostics().error(Code::LIE0502, a.range, "arguments of a method are named: NAME(theta = 0.5)");
        return std::nullopt;
      }
    }
  }
  return instance.run(std::string(c.sources().text(reference.range)), arguments);
}

std::optional<Step> instantiate(Compilation& c, System& system, const Found& method) {
  if (method.declaration->kind == ast::DeclKind::Variational) {
    c.diagnostics().error(Code::LIE0501, method.declaration->nameRange, "variational methods are not supported yet");
    return std::nullopt;
  }
  return Instantiation(c, system, method).run(method.declaration->name, {});
}

} // namespace lmc
