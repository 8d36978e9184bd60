// Groups and manifolds from their declarations: sizes filled in, clauses evaluated on demand.
#pragma once

#include "sema/manifolds/Picture.h"
#include "sema/manifolds/groups/BasisGroup.h"
#include "sema/manifolds/groups/CompositeGroup.h"
#include "sema/manifolds/groups/DerivedOperations.h"
#include "sema/session/FoundManifold.h"

namespace lmc::sema {

class DeclaredManifold;
class ExpressionEvaluator;

/// What a declared family is instantiated with: sizes and groups by the names of its parameters, in order.
struct FamilyArgument {
  std::string name;
  int size = 0;
  const DeclaredManifold* group = nullptr; ///< null: a size
  bool operator==(const FamilyArgument&) const = default;
};

/// A manifold whose operations are expressions of its declaration.
class DeclaredManifold final : public FoundManifold, private Environment {
public:
  DeclaredManifold(Session& session, Found found, std::string name, std::vector<FamilyArgument> arguments);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool isGroup() const override { return isGroup_; }
  [[nodiscard]] const Manifold& group() const override { return actingGroup(); }
  [[nodiscard]] const DeclaredManifold& actingGroup() const override { return isGroup_ ? *this : *group_; }
  [[nodiscard]] const std::vector<Part>& point() const override { return point_; }
  [[nodiscard]] const std::vector<Part>& algebra() const override { return isGroup_ ? algebra_ : group_->algebra(); }
  [[nodiscard]] Range declaredAt() const override { return found_.declaration->nameRange; }
  [[nodiscard]] std::optional<Tuple> apply(std::string_view operation, const std::vector<Tuple>& args) const override;
  [[nodiscard]] bool gives(std::string_view operation) const override;
  [[nodiscard]] std::optional<int> dimension() const override;
  [[nodiscard]] std::optional<Tuple> retraction(const std::string& name, const std::vector<Tuple>& args) const override;
  [[nodiscard]] std::vector<HeldEquation> holds(const Tuple& point) const override;

  [[nodiscard]] std::optional<Tuple> evaluate(std::string_view operation, const std::vector<Tuple>& args, Host& host,
                                              const LoopContext& loops) const override;
  [[nodiscard]] std::optional<Tuple> randomPoint(Host& host, const LoopContext& loops) const override;
  /// Of a group with a clause `action(A, x)`: the length of the vectors x that it moves; nothing if there is none.
  [[nodiscard]] std::optional<int> actsOn() const override;
  [[nodiscard]] std::optional<FunctionRef> helper(const std::string& name) const override;
  [[nodiscard]] std::vector<std::string> helpers() const override;
  /// What follows from the clauses: of a basis, else of product, exp and bracket; `horizontal` from `project`.
  [[nodiscard]] std::optional<Tuple> derived(std::string_view operation, const std::vector<Tuple>& args) const;
  [[nodiscard]] Value wrap(ClauseKind kind, const Tuple& parts) const override;

  /// The second half of construction: looks into the clauses that others follow from, which may use the manifold
  /// itself.
  void complete();
  /// Reports everything that is wrong with the declaration. False if it cannot be used.
  bool check();
  [[nodiscard]] bool usable() const { return usable_; }
  /// False if the condition behind the head (`where n >= 2`) excludes this member; it is not usable then.
  [[nodiscard]] bool exists() const { return exists_; }
  /// The statement of a clause; null if the declaration has none of that name.
  [[nodiscard]] const syntax::Statement* clause(std::string_view name) const;
  /// What the clause `picture` draws of a point, where it applies to this member of a family; empty without one.
  [[nodiscard]] std::vector<Drawing> picture() const;
  /// The value at a point of an argument of a drawing.
  [[nodiscard]] Value pictureValue(const syntax::Expr& e, const Tuple& point) const;
  /// The group that a basis makes; null if there is none.
  [[nodiscard]] const BasisGroup* basis() const { return basis_.get(); }
  /// A part of an element that is an element of a group that is given by a basis.
  struct BasisPart {
    std::size_t part = 0; ///< into point()
    const DeclaredManifold* group = nullptr;
  };
  /// The element itself, or those of its factors.
  [[nodiscard]] std::vector<BasisPart> basisParts() const;
  /// `holds` is given, it does not follow.
  [[nodiscard]] bool declaresHolds() const { return !holds_.empty(); }
  [[nodiscard]] const syntax::Declaration& declaration() const { return *found_.declaration; }
  /// The functions (`fn`) of the declaration by their names.
  [[nodiscard]] const std::map<std::string, const syntax::Statement*, std::less<>>& functions() const {
    return functions_;
  }
  [[nodiscard]] const std::vector<FamilyArgument>& arguments() const { return arguments_; }

private:
  std::optional<Value> variable(const std::string& name, Range where) override;
  std::optional<FunctionRef> function(const std::string& name) override;
  const Manifold* groupParameter(const std::string& name) const override;
  void addVariables(std::vector<std::string>& names) const override;
  void addFunctions(std::vector<std::string>& names) const override;

  bool meetsCondition();
  void readBody();
  void readFactor(const syntax::Statement& s);
  bool readComposite();
  /// The clause `semidirect`: the first factor's element applied to elements of the others.
  std::optional<Tuple> acted(const std::vector<Tuple>& args);
  void readPart(const syntax::Statement& s, std::vector<Part>& parts);
  void readActingGroup(const syntax::Statement& s);
  void addClause(const syntax::Statement& s);
  void addPicture(const syntax::Statement& s);
  bool readBasis();
  bool readBasisStatement(const syntax::Statement& s, int rows, std::vector<ConstantMatrix>& matrices,
                          std::vector<Range>& places);
  bool checkRequired();
  /// The clauses that others follow from; what is wrong with one is reported.
  bool checkEssential();
  /// What has to follow from the clauses and cannot; each is reported.
  bool checkDerivable();
  bool checkClause(const syntax::Statement& s, const ClauseSignature& signature);
  void checkHolds(const syntax::Statement& s);
  /// Warns where `holds` that follows from a basis has too few equations.
  void checkBasisHolds();
  bool checkPicture();
  [[nodiscard]] Tuple dummies(ClauseKind kind, const std::string& name) const;
  bool checkAction(const syntax::Statement& s);
  /// True if the clause `action` takes a vector of this length to one of the same; reports nothing.
  [[nodiscard]] bool moves(int length) const;
  /// Evaluates a clause's right side with its parameters bound; reports a value that does not fit.
  std::optional<Tuple> value(const syntax::Statement& s, const ClauseSignature& signature,
                             const std::vector<Tuple>& args, Host& host, const LoopContext& loops);
  std::optional<Tuple> result(const Value& v, const syntax::Expr& e, ClauseKind kind,
                              ExpressionEvaluator& evaluator) const;

  Session& session_;
  Found found_;
  std::string name_;
  std::vector<FamilyArgument> arguments_;
  bool isGroup_;
  bool exists_ = true;
  bool usable_ = true;
  const DeclaredManifold* group_ = nullptr;
  std::vector<Part> point_, algebra_;
  std::map<std::string, const syntax::Statement*, std::less<>> clauses_;
  std::map<std::string, const syntax::Statement*, std::less<>> functions_;
  std::map<std::string, const syntax::Statement*, std::less<>> lets_;
  std::vector<std::string> evaluatingLets_;
  std::vector<const syntax::Statement*> evaluatingClauses_;
  std::vector<const syntax::Statement*> holds_;
  mutable std::optional<std::optional<int>> actsOn_; ///< once it was asked for
  std::vector<const syntax::Statement*> basisStatements_;
  std::unique_ptr<BasisGroup> basis_;
  const syntax::Statement* semidirect_ = nullptr;
  const syntax::Statement* picture_ = nullptr;
  std::vector<GroupFactor> factors_; ///< of a group whose elements are made of elements of groups
  std::unique_ptr<CompositeGroup> composite_;
  std::unique_ptr<DerivedOperations> derived_; ///< of a group
};

/// What was found, with its declaration: the language has no other manifolds.
[[nodiscard]] inline const DeclaredManifold* declared(const FoundManifold* m) {
  return static_cast<const DeclaredManifold*>(m);
}

/// Finds and keeps manifolds by their types as written.
class ManifoldTable final : public ManifoldSource {
public:
  explicit ManifoldTable(Session& session) : session_(session) {}

  const DeclaredManifold* find(const syntax::Type& type, SourceId from, const Reader& reader) override;
  /// The manifold of a declaration; `sizes` are those that its head leaves open (`openSizes`), in order; for a group
  /// that it leaves open the number, from 1, of a group of the library that has no parameters.
  DeclaredManifold* instantiate(const Found& found, const std::vector<int>& sizes);
  /// Of a family by sizes: those of a small member that the head's condition admits; ones if there is none.
  std::vector<int> smallSizes(const Found& found);
  bool declares(const std::string& name) override;

private:
  /// Reads the arguments of a type; nothing if one of them is wrong (reported).
  std::optional<std::vector<FamilyArgument>> argumentsOf(const syntax::Type& type, SourceId from, const Reader& reader);
  /// The member of a family that a type names; null if it cannot be (reported). `shown`: its name, for messages.
  const DeclaredManifold* member(const Found& found, const std::vector<FamilyArgument>& arguments,
                                 const syntax::Type& type, const std::string& shown);
  void reportUnknown(const syntax::Type& type, SourceId from);
  DeclaredManifold* instance(const Found& found, const std::vector<FamilyArgument>& arguments);
  const DeclaredManifold* closedGroup(int number);
  [[nodiscard]] std::string shownHead(const syntax::Declaration& d) const;

  Session& session_;
  std::vector<std::unique_ptr<DeclaredManifold>> instances_;
  using Active = std::pair<const syntax::Declaration*, std::vector<FamilyArgument>>;
  std::vector<Active> active_; ///< being read
};

/// The names of the sizes and groups that the head of a declaration leaves open, in order: n of `group R^n`.
[[nodiscard]] std::vector<std::string> openSizes(const syntax::Declaration& declaration);

/// Whether a parameter in the head of a declaration stands for a group: a part or the acting group is of that type.
[[nodiscard]] bool isGroupParameter(const syntax::Declaration& d, const std::string& name);

} // namespace lmc::sema
