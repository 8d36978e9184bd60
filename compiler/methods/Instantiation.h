// The statements of a method's body, evaluated one after the other from a given state.
#pragma once

#include "methods/kinds/MethodKind.h"
#include "methods/solve/Elimination.h"

namespace lmc {

/// A method on its way to becoming a step: from the state, the time and the step size that it is given. `compose`
/// instantiates a method several times in one step, each from what the one before left.
class Instantiation final : public MethodOperations {
public:
  struct Begin {
    std::vector<Value> state;
    sym::Expr h, t;
  };
  using Arguments = std::vector<std::pair<std::string, Value>>;

  /// `outer`: the method of which this one is a part.
  Instantiation(const KindContext& context, MethodKind& kind, const Found& method,
                const Instantiation* outer = nullptr);

  /// The state after the step; nothing when there are errors (reported).
  std::optional<std::vector<Value>> run(const Begin& begin, const Arguments& arguments);
  /// The state from which a step of the method with -h leads back to the begin.
  std::optional<std::vector<Value>> adjointStep(const MethodReference& method, const Begin& begin);
  /// The second result, for the error estimate; empty when the method has none.
  [[nodiscard]] const std::vector<Value>& embedded() const { return embedded_; }

  // --- MethodOperations: those of the kind, and the functions that the method declares
  std::optional<Value> binary(ast::BinaryOp op, const Value& a, const Value& b, Range where) override {
    return kind_.binary(op, a, b, where);
  }
  std::optional<Value> negate(const Value& a) override { return kind_.negate(a); }
  std::optional<Value> call(const std::string& name, const std::vector<Value>& args, Range where) override;
  std::optional<Value> bracket(const Value& a, const Value& b, Range where) override {
    return kind_.bracket(a, b, where);
  }
  std::vector<std::string> names() const override;

private:
  bool bindParameters(const Arguments& arguments);
  bool chooseRetraction(const Arguments& arguments, const ast::Expr* otherwise);
  void readOrder();
  void readOrder(const ast::ExprPtr& order, int& result);
  void statement(const ast::Statement& s);
  void assign(const ast::Statement& s);
  void advance(const ast::Statement& s);
  void embed(const ast::Statement& s);
  std::optional<std::size_t> resultIndex(const ast::Statement& s);
  Value result(const ast::Statement& s, std::size_t k);
  void function(const ast::Statement& s);
  void solve(const ast::Statement& s);
  void variational();
  Scope formulaScope(const ast::Statement& s, const Value& q, const std::vector<Value>& unknowns);
  std::optional<Tuple> discreteForce(const ast::Statement& s, const Value& q, const std::vector<Value>& unknowns);
  void construct(const ast::Expr& e);
  void fromTableau(const std::string& constructor, const ast::Expr& e);
  void compose(const ast::Expr& e);
  void adjoint(const ast::Expr& e);
  std::optional<std::vector<Value>> stepOf(const MethodReference& method, const Begin& begin);
  bool needsItself(const MethodReference& method);
  bool ofOneKind(const MethodReference& method, const std::vector<MethodReference>& others, const ast::Expr& e);
  bool namesMethod(const ast::Expr& e, bool first);
  std::optional<std::vector<sym::Expr>> partsOfTheStep(const ast::Expr& e, std::size_t first);
  /// Of a composition: one time for all of its steps, or one for the steps of each method.
  enum class Clocks : std::uint8_t { One, OneEach };
  std::optional<Clocks> clocksOf(const ast::Expr& e, const std::vector<MethodReference>& methods,
                                 const std::vector<sym::Expr>& parts);
  Value evaluate(const ast::Expr& e) { return evaluator_->evaluate(e, *visible_, {}); }
  [[nodiscard]] bool given(const std::string& name) const;
  std::optional<std::size_t> stateIndex(const std::string& name) const;
  bool fresh(const ast::Target& target);

  /// What `solve` finds: a linear value, or a point as the shift that moves the start there.
  struct Unknown {
    Value start;
    Space space;
    bool isPoint = false;
  };
  std::optional<Unknown> unknown(const ast::Statement& s, std::size_t k);
  /// Nothing if a value is neither a number, a vector, … nor a point.
  std::optional<Unknown> unknownFrom(Value start, const std::string& name);
  Value unknownValue(const Unknown& u, const Tuple& numbers);
  bool residual(const ast::Equation& e, const Tuple& shift, std::vector<ImplicitEquation>& out);
  void iterate(const ast::Statement& s, std::vector<Unknown> unknowns, const Newton& system,
               std::vector<ImplicitEquation> equations, Newton::Settings settings);
  bool settings(const ast::Statement& s, sym::Expr& tolerance, std::int64_t& limit);

  KindContext context_;
  MethodKind& kind_;
  Compilation& c_;
  Diagnostics& d_;
  sym::Graph& g_;
  const ast::Declaration& decl_;
  const Instantiation* outer_;
  std::unique_ptr<Evaluator> evaluator_;
  Scope scope_;
  const Scope* visible_ = &scope_; ///< to the expression in work: `solve` adds its unknowns
  std::vector<const ast::Statement*> functions_;
  std::vector<const ast::Statement*> calls_; ///< functions that are being evaluated
  Begin begin_;
  std::vector<std::optional<Value>> next_;   ///< one per variable of the state
  std::vector<std::optional<Value>> second_; ///< of `embedded`; empty: none so far
  std::vector<Value> embedded_;
};

} // namespace lmc
