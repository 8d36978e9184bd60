// Expressions written out until they read the state directly, so that the indices show which members they depend on.
#pragma once

#include "sym/Program.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace lmc::mechanics {

/// Replaces elements of defined arrays by what defines them, as long as that depends on `leaves`.
class Flat {
public:
  Flat(const sym::Program& program, std::unordered_set<const sym::Array*> leaves)
      : p_(program), g_(program.graph()), leaves_(std::move(leaves)) {}

  /// Nothing where an element is not one expression of its index: sums over a loop, recursions, systems of equations.
  [[nodiscard]] std::optional<sym::Expr> operator()(sym::Expr e);

private:
  [[nodiscard]] bool depends(const sym::Array* a);
  sym::Expr written(sym::Expr e);
  sym::Expr definition(const sym::Array* a, const std::vector<sym::Expr>& index);
  sym::Expr sumOf(const std::vector<std::size_t>& writers, const sym::Array* a, const std::vector<sym::Expr>& index);
  sym::Expr valueAt(const sym::Equation& e, const std::vector<sym::Expr>& index, sym::Expr& where);

  const sym::Program& p_;
  sym::Graph& g_;
  std::unordered_set<const sym::Array*> leaves_;
  std::unordered_map<const sym::Array*, bool> depends_;
  int left_ = 4000; ///< elements that are written out at most
  bool good_ = true;
};

} // namespace lmc::mechanics
