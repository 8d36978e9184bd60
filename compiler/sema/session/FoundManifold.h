// Manifolds as expressions find and use them. How they are declared is in sema/manifolds.
#pragma once

#include "sema/session/Session.h"

namespace lmc::sema {

/// What the arguments and the result of a clause are.
enum class ClauseKind : std::uint8_t {
  Point,
  Algebra,
  Dual,   ///< an element of the dual of the algebra
  Change, ///< a tangent vector in the coordinates of the storage
  Scalars,
  Vector, ///< one that elements of the group move (`actsOn`)
};

/// The signature of a clause that a declaration may hold: exp : algebra -> point.
struct ClauseSignature {
  std::string_view name;
  std::vector<ClauseKind> args;
  ClauseKind result = ClauseKind::Point;
  bool required = false;
};

/// The clauses of groups (or of manifolds).
[[nodiscard]] const std::vector<ClauseSignature>& clauseSignatures(bool group);
/// One of them; null if there is none of that name.
[[nodiscard]] const ClauseSignature* signatureOf(bool group, std::string_view name);
/// These, and what always follows from them.
[[nodiscard]] const std::vector<ClauseSignature>& operationSignatures(bool group);

/// A manifold that was found by its type.
class FoundManifold : public Manifold {
public:
  /// The group itself, or the one that acts on the manifold.
  [[nodiscard]] virtual const FoundManifold& actingGroup() const = 0;
  /// Evaluates a clause as part of an expression: `host` provides random numbers.
  [[nodiscard]] virtual std::optional<Tuple> evaluate(std::string_view operation, const std::vector<Tuple>& args,
                                                      Host& host, const LoopContext& loops) const = 0;
  /// random(M): as declared; else of a group made of groups, a random element of each; else exp of standard normal
  /// numbers, applied to the base point of a manifold. Nothing if there is no base point.
  [[nodiscard]] virtual std::optional<Tuple> randomPoint(Host& host, const LoopContext& loops) const = 0;
  /// A function (`fn`) of the declaration; nothing if there is none of this name.
  [[nodiscard]] virtual std::optional<FunctionRef> helper(const std::string& name) const = 0;
  [[nodiscard]] virtual std::vector<std::string> helpers() const = 0;
  /// The value of an element given by parts or as one tensor; reports at `where` what does not fit.
  [[nodiscard]] virtual Value wrap(ClauseKind kind, const Tuple& parts) const = 0;
};

/// Finds manifolds by their types as written.
class ManifoldSource {
public:
  using IntegerOf = std::function<std::optional<std::int64_t>(const syntax::Expr&)>;
  /// How the arguments of a type are read where it stands.
  struct Reader {
    IntegerOf integerOf;                                                 ///< reports what is no constant integer
    std::function<const FoundManifold*(const syntax::Type&)> manifoldOf; ///< reports what is no manifold
    std::function<const FoundManifold*(const std::string&)> parameter;   ///< groups that are parameters there
  };
  virtual ~ManifoldSource() = default;
  /// The manifold that a type names; null and a diagnostic if there is none.
  virtual const FoundManifold* find(const syntax::Type& type, SourceId from, const Reader& reader) = 0;
  /// True if a declaration of that name exists.
  virtual bool declares(const std::string& name) = 0;
};

} // namespace lmc::sema
