// Groups and manifolds from their declarations: sizes filled in, clauses evaluated on demand.
#pragma once

#include "sema/Session.h"

namespace lmc {

class ExpressionEvaluator;

/// What the arguments and the result of a clause are. Vector: one that elements of the group move (`actsOn`).
enum class ClauseKind : std::uint8_t { Point, Algebra, Scalars, Vector };

/// The signature of a clause that a declaration may hold: exp : algebra -> point.
struct ClauseSignature {
  std::string_view name;
  std::vector<ClauseKind> args;
  ClauseKind result = ClauseKind::Point;
  bool required = false;
};

/// The clauses of groups (or of manifolds).
[[nodiscard]] const std::vector<ClauseSignature>& clauseSignatures(bool group);

/// A manifold whose operations are expressions of its declaration.
class DeclaredManifold final : public Manifold, private Environment {
public:
  DeclaredManifold(Session& session, Found found, std::string name, std::vector<std::pair<std::string, int>> sizes);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool isGroup() const override { return isGroup_; }
  [[nodiscard]] const Manifold& group() const override { return actingGroup(); }
  [[nodiscard]] const DeclaredManifold& actingGroup() const { return isGroup_ ? *this : *group_; }
  [[nodiscard]] const std::vector<Part>& point() const override { return point_; }
  [[nodiscard]] const std::vector<Part>& algebra() const override { return isGroup_ ? algebra_ : group_->algebra(); }
  [[nodiscard]] Range declaredAt() const override { return found_.declaration->nameRange; }
  [[nodiscard]] std::optional<Tuple> apply(std::string_view operation, const std::vector<Tuple>& args) const override;
  [[nodiscard]] bool gives(std::string_view operation) const override;
  [[nodiscard]] std::optional<Tuple> retraction(const std::string& name, const std::vector<Tuple>& args) const override;
  [[nodiscard]] std::vector<HeldEquation> holds(const Tuple& point) const override;

  /// Evaluates a clause as part of an expression: `host` provides random numbers.
  [[nodiscard]] std::optional<Tuple> evaluate(std::string_view operation, const std::vector<Tuple>& args, Host& host,
                                              const LoopContext& loops) const;
  /// Of a group with a clause `action(A, x)`: the length of the vectors x that it moves; nothing if there is none.
  [[nodiscard]] std::optional<int> actsOn() const override;
  /// A function (`fn`) of the declaration; nothing if there is none of this name.
  [[nodiscard]] std::optional<FunctionRef> helper(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> helpers() const;
  /// The value of an element given by parts or as one tensor; reports at `where` what does not fit.
  [[nodiscard]] Value wrap(ClauseKind kind, const Tuple& parts) const;

  /// Reports everything that is wrong with the declaration. False if it cannot be used.
  bool check();
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] const ast::Declaration& declaration() const { return *found_.declaration; }
  /// The statement that gives a clause; null for one that is not given.
  [[nodiscard]] const ast::Statement* clause(std::string_view name) const;
  /// The functions (`fn`) of the declaration by their names.
  [[nodiscard]] const std::map<std::string, const ast::Statement*, std::less<>>& functions() const { return functions_; }

private:
  std::optional<Value> variable(const std::string& name, Range where) override;
  std::optional<FunctionRef> function(const std::string& name) override;
  void addVariables(std::vector<std::string>& names) const override;
  void addFunctions(std::vector<std::string>& names) const override;

  void readBody();
  void readPart(const ast::Statement& s, std::vector<Part>& parts);
  void readActingGroup(const ast::Statement& s);
  void addClause(const ast::Statement& s);
  bool checkRequired();
  bool checkClause(const ast::Statement& s, const ClauseSignature& signature);
  void checkHolds(const ast::Statement& s);
  [[nodiscard]] Tuple dummies(ClauseKind kind, const std::string& name) const;
  bool checkAction(const ast::Statement& s);
  /// True if the clause `action` takes a vector of this length to one of the same; reports nothing.
  [[nodiscard]] bool moves(int length) const;
  /// Evaluates a clause's right side with its parameters bound; reports a value that does not fit.
  std::optional<Tuple> value(const ast::Statement& s, const ClauseSignature& signature, const std::vector<Tuple>& args,
                             Host& host, const LoopContext& loops);
  std::optional<Tuple> result(const Value& v, const ast::Expr& e, ClauseKind kind,
                              ExpressionEvaluator& evaluator) const;

  Session& session_;
  Found found_;
  std::string name_;
  std::vector<std::pair<std::string, int>> sizes_; ///< of a family: n = 3
  bool isGroup_;
  bool usable_ = true;
  const DeclaredManifold* group_ = nullptr;
  std::vector<Part> point_, algebra_;
  std::map<std::string, const ast::Statement*, std::less<>> clauses_;
  std::map<std::string, const ast::Statement*, std::less<>> functions_;
  std::map<std::string, const ast::Statement*, std::less<>> lets_;
  std::vector<std::string> evaluatingLets_;
  std::vector<const ast::Statement*> holds_;
  mutable std::optional<std::optional<int>> actsOn_; ///< once it was asked for
};

/// Finds and keeps manifolds by their types as written.
class ManifoldTable {
public:
  using IntegerOf = std::function<std::optional<std::int64_t>(const ast::Expr&)>;
  explicit ManifoldTable(Session& session) : session_(session) {}

  /// The manifold that a type names; null and a diagnostic if there is none. `integerOf` evaluates sizes and
  /// reports what is not a constant integer.
  const DeclaredManifold* find(const ast::Type& type, SourceId from, const IntegerOf& integerOf);
  /// The manifold of a declaration; `sizes` are those that its head leaves open (`openSizes`), in order.
  DeclaredManifold* instantiate(const Found& found, const std::vector<int>& sizes);
  /// True if a declaration of that name exists.
  bool declares(const std::string& name);

private:
  DeclaredManifold* instance(const Found& found, const std::vector<std::pair<std::string, int>>& sizes);

  Session& session_;
  std::vector<std::pair<std::string, std::unique_ptr<DeclaredManifold>>> instances_;
  std::vector<const ast::Declaration*> active_;
};

/// The names of the sizes that the head of a declaration leaves open, in order: n of `group R^n`.
[[nodiscard]] std::vector<std::string> openSizes(const ast::Declaration& declaration);

/// Reads an expression such as `SO(3)`, `S^2`, `R` as a type; nothing if it is none.
[[nodiscard]] std::optional<ast::Type> typeOf(const ast::Expr& e);

} // namespace lmc
