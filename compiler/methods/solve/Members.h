// Linear expressions of a family seen from one member: what they read of itself, of its neighbours, and of all.
#pragma once

#include "sym/Program.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace lmc::methods {

/// A member, or the members between the first and the last one.
struct Members {
  sym::Expr index;
  std::vector<sym::Loop> loops; ///< over the index, where it is not a number
};

/// What an expression reads, as seen from a member.
enum class Seat : std::uint8_t { Own, Below, Above, Global, First, Last };

/// A linear expression: its entries are sums of coefficients times the entries of such elements.
struct LinearForm {
  struct Term {
    Seat seat;
    const sym::Array* array;
    std::vector<std::vector<sym::Expr>> columns; ///< one for each entry of an element of the array
  };
  std::vector<Term> terms;
};

/// Derivatives of a program along directions, written out until they read directions, members beside their own, and
/// sums over all members alone. So recursions along a family become steps from one member to the next.
class MemberForms {
public:
  /// `directions` are arrays without equations; families have `extent` members.
  MemberForms(const sym::Program& program, const std::vector<const sym::Array*>& directions, std::int64_t extent);

  /// Nothing where an element is not one expression of few members, or reads others than neighbours.
  [[nodiscard]] std::optional<LinearForm> of(sym::Expr e, const Members& at);
  /// The same of an element itself, or of what one member adds to a sum over all.
  [[nodiscard]] std::optional<LinearForm> own(const sym::Array* a, const Members& at);
  [[nodiscard]] std::optional<LinearForm> part(const sym::Array* sum, const Members& at);
  /// Of an equation beside the family: it reads sums, first and last members.
  [[nodiscard]] std::optional<LinearForm> beside(sym::Expr e) { return of(e, Members{}); }
  [[nodiscard]] bool isDirection(const sym::Array* a) const { return directions_.contains(a); }

private:
  [[nodiscard]] bool active(const sym::Array* a) const { return active_.contains(a); }
  [[nodiscard]] bool isSum(const sym::Array* a) const;
  [[nodiscard]] std::optional<std::int64_t> shift(sym::Expr index, const Members& at) const;
  [[nodiscard]] bool readsItselfAlone(const sym::Array* a);
  [[nodiscard]] sym::Expr inRange(sym::Expr index, const Members& at) const;
  sym::Expr written(sym::Expr e, const Members& at);
  sym::Expr definition(const sym::Array* a, const std::vector<sym::Expr>& index, const Members& at);
  sym::Expr valueAt(const sym::Equation& e, const std::vector<sym::Expr>& index, const Members& at);
  std::optional<LinearForm> columnsOf(sym::Expr flat, const Members& at);

  const sym::Program& p_;
  sym::Graph& g_;
  std::unordered_set<const sym::Array*> directions_, active_;
  std::int64_t extent_;
  std::unordered_map<const sym::Array*, bool> alone_;
  std::unordered_set<const sym::Node*> open_; ///< elements that are being written out
  int left_ = 0;                              ///< elements that may be written out
  bool good_ = true;
};

} // namespace lmc::methods
