// How expressions depend on the members of a family: on the one at their own index, or on others too.
#pragma once

#include "sym/Program.h"

#include <unordered_map>
#include <vector>

namespace lmc::mechanics {

/// How an expression depends on a family's members.
enum class Reach : std::uint8_t { None, Same, All };

/// Does element [index] of an array, or an expression at `index`, depend on v[index] only, or on other members too?
class ReachAnalysis {
public:
  ReachAnalysis(const sym::Program& p, std::vector<const sym::Array*> v) : p_(p), v_(std::move(v)) {}

  Reach of(sym::Expr e, const std::vector<sym::Expr>& index);

private:
  Reach ofArray(const sym::Array* a);

  const sym::Program& p_;
  std::vector<const sym::Array*> v_;
  std::unordered_map<const sym::Array*, Reach> arrays_;
};

} // namespace lmc::mechanics
