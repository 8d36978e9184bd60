// Checks one method: evaluates its body with symbols for points, algebra elements and so on, and writes down the terms.
#pragma once

#include "methods/checked/CheckMethod.h"
#include "methods/checked/References.h"

#include <unordered_map>

namespace lmc::methods {

class MethodChecker final : public sema::MethodOperations {
public:
  /// `outer`: the method of which this one is a part.
  MethodChecker(sema::Compilation& compilation, const sema::Found& method, MethodArguments arguments,
                const MethodChecker* outer = nullptr, int automatic = usualDegree);

  /// Null when there are errors (reported).
  std::shared_ptr<const CheckedMethod> run();

  // --- MethodOperations
  std::optional<sema::Value> binary(syntax::BinaryOp op, const sema::Value& a, const sema::Value& b,
                                    Range where) override;
  std::optional<sema::Value> negate(const sema::Value& a) override;
  std::optional<sema::Value> call(const std::string& name, const std::vector<sema::Value>& args, Range where) override;
  std::optional<sema::Value> bracket(const sema::Value& a, const sema::Value& b, Range where) override;
  std::vector<std::string> names() const override;

private:
  // what a method is
  bool chooseKind();
  void addState();
  bool bindParameters();
  bool chooseRetraction(const syntax::Expr* otherwise);
  void readOrders();
  void readOrder(const syntax::ExprPtr& order, int& result);
  // statements
  void body();
  void statement(const syntax::Statement& s);
  void assign(const syntax::Statement& s);
  void advance(const syntax::Statement& s);
  void embed(const syntax::Statement& s);
  void function(const syntax::Statement& s);
  void requireResults();
  [[nodiscard]] std::optional<CheckedFormula::Node> nodeOf(TermId element) const;
  [[nodiscard]] std::optional<std::size_t> keptIndex(const std::string& name) const;
  void keep(const syntax::Statement& s);
  void hand(const syntax::Statement& s, std::size_t k);
  std::optional<std::size_t> resultIndex(const syntax::Statement& s);
  std::optional<TermId> result(const syntax::Statement& s, std::size_t k);
  [[nodiscard]] bool given(const std::string& name) const;
  [[nodiscard]] std::optional<std::size_t> stateIndex(const std::string& name) const;
  bool fresh(const syntax::Target& target);
  // solve (SolveChecks.cpp)
  void solve(const syntax::Statement& s);
  bool unknown(const syntax::Statement& s, std::size_t k, CheckedSolve& solve);
  bool equation(const syntax::Equation& e, CheckedSolve& solve);
  bool settings(const syntax::Statement& s, CheckedSolve& solve);
  bool asManyNumbers(const syntax::Statement& s, const CheckedSolve& solve);
  // discrete Lagrangians (FormulaChecks.cpp)
  void formula();
  bool discreteLagrangian(const syntax::Statement& s);
  std::optional<CheckedFormula::Force> discreteForce(const syntax::Statement& s);
  [[nodiscard]] sema::Scope formulaScope(const syntax::Statement& s) const;
  // constructors (CompositionChecks.cpp)
  bool construct(const syntax::Expr& e);
  bool fromTableau(const syntax::Expr& e);
  bool compose(const syntax::Expr& e);
  bool adjoint(const syntax::Expr& e);
  bool symmetric(const syntax::Expr& e);
  bool namesMethod(const syntax::Expr& e, bool first);
  std::optional<MethodUse> part(const syntax::Expr& e);
  bool needsItself(const MethodReference& method);
  bool partsOfTheStep(const syntax::Expr& e, std::size_t first, std::vector<sym::Expr>& parts);
  bool setClocks(const syntax::Expr& e, const std::vector<MethodUse>& methods, const std::vector<sym::Expr>& parts,
                 CheckedComposition& composition);

  // terms (Terms.cpp)
  Diagnostics::Report error(Code code, Range where, const std::string& message);
  sema::Value evaluate(const syntax::Expr& e);
  [[nodiscard]] TermId next() const { return m_.terms.size(); }
  TermId add(Term t);
  /// A term that a statement gives; a number has a shape.
  TermId addGiven(sema::ValueKind kind, sym::Shape shape, const std::string& name);
  [[nodiscard]] sema::Value valueOf(TermId t) const;
  /// The term that a value is.
  TermId termOf(const sema::Value& v);
  TermId termOf(sym::Expr handle);
  /// The value under a name, which is a term of its own.
  sema::Value held(const sema::Value& v, const std::string& name);
  sema::Value made(TermOp op, sema::ValueKind kind, std::vector<TermId> args, sym::Expr number = {});
  std::optional<sema::Value> linear(syntax::BinaryOp op, const sema::Value& a, const sema::Value& b);
  [[nodiscard]] bool takes(const Word& word, const std::vector<sema::Value>& args) const;
  [[nodiscard]] bool fits(char letter, const sema::Value& v) const;
  sema::Value misused(const std::string& name, const std::vector<sema::Value>& args, Range where);

  sema::Compilation& c_;
  Diagnostics& d_;
  sym::Graph& g_;
  const syntax::Declaration& decl_;
  MethodArguments arguments_;
  const MethodChecker* outer_;
  int automatic_; ///< what `auto` is
  std::unique_ptr<sema::Evaluator> evaluator_;
  CheckedMethod m_;
  bool failed_ = false;
  sema::Scope scope_;
  const sema::Scope* visible_ = &scope_; ///< to the expression in work
  std::vector<const syntax::Statement*> functions_;
  std::vector<const syntax::Statement*> calls_; ///< functions that are being evaluated
  std::unordered_map<const sym::Array*, TermId> handles_;
};

} // namespace lmc::methods
