// Expressions of method bodies: phase values go to the method's operations, numbers stay exact.
#include "sema/Support.h"

#include "sema/values/Values.h"

#include "syntax/parser/Parser.h"

#include <gtest/gtest.h>

using namespace lmc::sema;
using namespace lmc::sym;
using namespace lmc::syntax;
using namespace lmc::test;
using namespace lmc;

namespace {

/// Records what it is asked for; every result is an algebra element again. Sums and multiples of these are made part
/// by part.
class Recorder final : public MethodOperations {
public:
  std::vector<std::string> log;
  Value point, algebra;

  std::optional<Value> binary(syntax::BinaryOp op, const Value& a, const Value& b, Range) override {
    using syntax::BinaryOp;
    const bool left = a.kind == ValueKind::PhaseAlgebra, right = b.kind == ValueKind::PhaseAlgebra;
    const auto isNumber = [](const Value& v) { return v.kind == ValueKind::Tensor; };
    const auto each = [](Value v, const auto& change) {
      for (std::size_t k = 0; k < v.parts.size(); ++k) v.parts[k] = change(*v.parts[k]->graph, v.parts[k], k);
      return v;
    };
    using sym::Expr, sym::Graph;
    if (left && right && op == BinaryOp::Add)
      return each(a, [&](Graph& g, Expr x, std::size_t k) { return g.add(x, b.parts[k]); });
    if (left && right && op == BinaryOp::Sub)
      return each(a, [&](Graph& g, Expr x, std::size_t k) { return g.sub(x, b.parts[k]); });
    if (isNumber(a) && right && op == BinaryOp::Mul)
      return each(b, [&](Graph& g, Expr x, std::size_t) { return g.mul(asReal(a.parts[0]), x); });
    if (left && isNumber(b) && op == BinaryOp::Div)
      return each(a, [&](Graph& g, Expr x, std::size_t) { return g.div(x, asReal(b.parts[0])); });
    if (op != BinaryOp::Mul || b.kind != ValueKind::PhasePoint || a.kind != ValueKind::Opaque) return std::nullopt;
    log.emplace_back("act");
    return point;
  }
  std::optional<Value> negate(const Value& v) override {
    if (v.kind != ValueKind::PhaseAlgebra) return std::nullopt;
    Value r = v;
    for (sym::Expr& x : r.parts) x = x->graph->neg(x);
    return r;
  }
  std::optional<Value> call(const std::string& name, const std::vector<Value>& args, Range) override {
    log.push_back(name + "/" + std::to_string(args.size()));
    if (name == "f") return algebra;
    if (args[0].kind != ValueKind::PhaseAlgebra) return std::nullopt;
    Value v;
    v.kind = ValueKind::Opaque;
    v.text = "exp";
    return v;
  }
  std::optional<Value> bracket(const Value& a, const Value&, Range) override {
    log.emplace_back("bracket");
    return a;
  }
  std::vector<std::string> names() const override { return {"f", "exp"}; }
};

struct Method {
  std::unique_ptr<Compilation> compilation = makeCompilation({});
  Recorder operations;
  std::unique_ptr<Evaluator> evaluator;
  Scope scope;

  Method() {
    compilation->loadText("method.lie", "fn half(k) = k/2;");
    sym::Graph& g = compilation->graph();
    operations.algebra.kind = ValueKind::PhaseAlgebra;
    operations.algebra.parts = {g.load(g.newArray("k", {}, sym::Shape::vec(3), sym::Role::Temp)), g.number(4)};
    operations.point.kind = ValueKind::PhasePoint;
    operations.point.parts = {g.load(g.newArray("y", {}, sym::Shape::vec(3), sym::Role::State)), g.number(1)};
    scope.bind("y", operations.point);
    scope.bind("k", operations.algebra);
    scope.bind("h", Value::tensor(g.load(g.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize))));
    scope.bind("t", Value::tensor(g.load(g.newArray("t", {}, sym::Shape::scalar(), sym::Role::Time))));
    evaluator = compilation->methodEvaluator(operations, 0);
  }
  Value value(const std::string& text) {
    const SourceId id = compilation->sources().add("expression", text);
    expressions.push_back(parseExpression(compilation->sources(), id, compilation->diagnostics()));
    return evaluator->evaluate(*expressions.back(), scope, LoopContext());
  }
  std::string errors() { return renderAll(compilation->diagnostics(), compilation->sources(), false); }
  std::vector<syntax::ExprPtr> expressions;
};

} // namespace

TEST(MethodExpressions, AlgebraElementsAreCombinedByParts) {
  Method m;
  const Value v = m.value("(k + 2*k - k/2)/5 - half(k)");
  ASSERT_EQ(v.kind, ValueKind::PhaseAlgebra) << m.errors();
  EXPECT_TRUE(v.parts[1]->isZero()); // (1 + 2 - 1/2)/5 - 1/2 = 0
  EXPECT_EQ(m.value("-k").parts[1], m.compilation->graph().number(-4));
}

TEST(MethodExpressions, TheRestIsAskedOfTheMethod) {
  Method m;
  const Value v = m.value("h*f(t + h/2, exp(k/2 - [k, k]/8)*y)");
  EXPECT_EQ(v.kind, ValueKind::PhaseAlgebra) << m.errors();
  EXPECT_EQ(m.operations.log, (std::vector<std::string>{"bracket", "exp/1", "act", "f/2"}));
  EXPECT_EQ(m.value("exp(0)").parts[0], m.compilation->graph().number(1)); // of a number: the built-in function
}

TEST(MethodExpressions, TableauxAreExact) {
  Method m;
  const Value v = m.value("[[0, 0], [1/3, 19372/6561]]");
  ASSERT_EQ(v.kind, ValueKind::Tensor) << m.errors();
  EXPECT_EQ(v.parts[0]->shape, sym::Shape::mat(2, 2));
  const sym::Expr e = m.compilation->graph().entry(v.parts[0], 1, 1);
  ASSERT_TRUE(e->isConst());
  EXPECT_EQ(e->number, sym::Number::ratio(19372, 6561));
}

TEST(MethodExpressions, ErrorsHavePlaces) {
  Method m;
  EXPECT_TRUE(m.value("y + h*k").isError());
  EXPECT_TRUE(m.value("foo(k)").isError());
  EXPECT_TRUE(m.value("k*k").isError());
  EXPECT_EQ(m.compilation->diagnostics().errorCount(), 3U) << m.errors();
}
