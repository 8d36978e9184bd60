// Checks one method: evaluates its body with symbols for points, algebra elements and so on, and writes down the terms.
#pragma once

#include "methods/checked/CheckMethod.h"
#include "methods/checked/References.h"

#include <unordered_map>

namespace lmc {

class MethodChecker final : public MethodOperations {
public:
  /// `outer`: the method of which this one is a part.
  MethodChecker(Compilation& compilation, const Found& method, MethodArguments arguments,
                const MethodChecker* outer = nullptr);

  /// Null when there are errors (reported).
  std::shared_ptr<const CheckedMethod> run();

  // --- MethodOperations
  std::optional<Value> binary(ast::BinaryOp op, const Value& a, const Value& b, Range where) override;
  std::optional<Value> negate(const Value& a) override;
  std::optional<Value> call(const std::string& name, const std::vector<Value>& args, Range where) override;
  std::optional<Value> bracket(const Value& a, const Value& b, Range where) override;
  std::vector<std::string> names() const override;

private:
  // what a method is
  bool chooseKind();
  void addState();
  bool bindParameters();
  bool chooseRetraction(const ast::Expr* otherwise);
  void readOrders();
  void readOrder(const ast::ExprPtr& order, int& result);
  // statements
  void body();
  void statement(const ast::Statement& s);
  void assign(const ast::Statement& s);
  void advance(const ast::Statement& s);
  void embed(const ast::Statement& s);
  void function(const ast::Statement& s);
  void requireResults();
  std::optional<std::size_t> resultIndex(const ast::Statement& s);
  std::optional<TermId> result(const ast::Statement& s, std::size_t k);
  [[nodiscard]] bool given(const std::string& name) const;
  [[nodiscard]] std::optional<std::size_t> stateIndex(const std::string& name) const;
  bool fresh(const ast::Target& target);
  // solve (SolveChecks.cpp)
  void solve(const ast::Statement& s);
  bool unknown(const ast::Statement& s, std::size_t k, CheckedSolve& solve);
  bool equation(const ast::Equation& e, CheckedSolve& solve);
  bool settings(const ast::Statement& s, CheckedSolve& solve);
  bool asManyNumbers(const ast::Statement& s, const CheckedSolve& solve);
  // discrete Lagrangians (FormulaChecks.cpp)
  void formula();
  bool discreteLagrangian(const ast::Statement& s);
  std::optional<CheckedFormula::Force> discreteForce(const ast::Statement& s);
  [[nodiscard]] Scope formulaScope(const ast::Statement& s) const;
  // constructors (CompositionChecks.cpp)
  bool construct(const ast::Expr& e);
  bool fromTableau(const ast::Expr& e);
  bool compose(const ast::Expr& e);
  bool adjoint(const ast::Expr& e);
  bool namesMethod(const ast::Expr& e, bool first);
  std::optional<MethodUse> part(const ast::Expr& e);
  bool needsItself(const MethodReference& method);
  bool partsOfTheStep(const ast::Expr& e, std::size_t first, std::vector<sym::Expr>& parts);
  bool setClocks(const ast::Expr& e, const std::vector<MethodUse>& methods, const std::vector<sym::Expr>& parts,
                 CheckedComposition& composition);

  // terms (Terms.cpp)
  Diagnostics::Report error(Code code, Range where, const std::string& message);
  Value evaluate(const ast::Expr& e);
  [[nodiscard]] TermId next() const { return m_.terms.size(); }
  TermId add(Term t);
  /// A term that a statement gives; a number has a shape.
  TermId addGiven(ValueKind kind, sym::Shape shape, const std::string& name);
  [[nodiscard]] Value valueOf(TermId t) const;
  /// The term that a value is.
  TermId termOf(const Value& v);
  TermId termOf(sym::Expr handle);
  /// The value under a name, which is a term of its own.
  Value held(const Value& v, const std::string& name);
  Value made(TermOp op, ValueKind kind, std::vector<TermId> args, sym::Expr number = {});
  std::optional<Value> linear(ast::BinaryOp op, const Value& a, const Value& b);
  [[nodiscard]] bool takes(const Word& word, const std::vector<Value>& args) const;
  [[nodiscard]] bool fits(char letter, const Value& v) const;
  Value misused(const std::string& name, const std::vector<Value>& args, Range where);

  Compilation& c_;
  Diagnostics& d_;
  sym::Graph& g_;
  const ast::Declaration& decl_;
  MethodArguments arguments_;
  const MethodChecker* outer_;
  std::unique_ptr<Evaluator> evaluator_;
  CheckedMethod m_;
  bool failed_ = false;
  Scope scope_;
  const Scope* visible_ = &scope_; ///< to the expression in work
  std::vector<const ast::Statement*> functions_;
  std::vector<const ast::Statement*> calls_; ///< functions that are being evaluated
  std::unordered_map<const sym::Array*, TermId> handles_;
};

} // namespace lmc
