// Families defined by clauses: which members a clause defines, and whether each is defined exactly once.
#pragma once

#include "sema/joints/Joints.h"

namespace lmc::sema {

/// One defining statement inside its loops: for all values of the loops, member[index] = ….
struct MemberClause {
  const syntax::Statement* statement = nullptr;
  std::unique_ptr<Scope> scope;
  LoopContext loops;
  const JointPart* joint = nullptr; ///< in which the value is read; null: it stands in the model itself
  std::vector<sym::Expr> index;     ///< one per extent; empty for a single thing
  Range range;                      ///< of the target
};

/// Where a statement stands: inside `for` blocks, or directly in the model.
struct Surroundings {
  const Scope* scope = nullptr;
  LoopContext loops;
};

/// Marks the members of a family that clauses define.
class Coverage {
public:
  /// Members from `first` on in each dimension (empty: from 1).
  explicit Coverage(std::vector<std::int64_t> extents, std::vector<std::int64_t> first = {});
  /// A member that the clause defines although it is defined already, and by which clause.
  struct Conflict {
    std::string member;
    Range earlier;
  };
  /// Marks the clause's members; the first conflict, if there is one. Indices must be within the extents.
  std::optional<Conflict> mark(const MemberClause& clause);
  void markMember(const std::vector<std::int64_t>& index, Range range);
  [[nodiscard]] bool isMarked(const std::vector<std::int64_t>& index) const;
  /// Runs of members that nothing defines, as loops (of one family index each) or constant indices.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> gaps() const;
  /// The members that are defined.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> marked() const;
  /// "[2]", "[1,3]" of a position in row order.
  [[nodiscard]] std::string shown(std::int64_t position) const;
  [[nodiscard]] std::vector<std::int64_t> indexAt(std::int64_t position) const;

private:
  [[nodiscard]] std::int64_t position(const std::vector<std::int64_t>& index) const;
  std::optional<Conflict> markPosition(std::int64_t position, std::size_t owner);

  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> first_;
  std::vector<std::uint32_t> owner_; ///< 0: nobody
  std::vector<Range> owners_;
};

/// Positions in an array of members whose indices begin at `first` (empty: at 1).
[[nodiscard]] std::vector<sym::Expr> shifted(sym::Graph& g, std::vector<sym::Expr> index,
                                             const std::vector<std::int64_t>& first);

} // namespace lmc::sema
