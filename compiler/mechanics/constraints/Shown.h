// Constraints as expressions for a reader.
#pragma once

#include "mechanics/system/Layer.h"

#include <set>

namespace lmc::mechanics {

/// How indices of families are shown but the last one, which always stands for all members.
enum class LeadingIndices : std::uint8_t { Symbols, Numbers };

/// A constraint, for all members or, with numbers, for those that differ in the last index alone.
struct ShownConstraint {
  std::size_t constraint = 0;        ///< into Model::constraints
  std::vector<std::int64_t> leading; ///< numbers of all indices but the last
  std::vector<sym::Expr> index;      ///< symbols: all indices, or the last one; empty where there is none
  sym::Expr value, rate, bias;       ///< c, d = B xi + dc/dt, gamma; of one on velocities `rate` is c
};
struct ShownConstraints {
  std::vector<ShownConstraint> list; ///< in the order of the model
  std::vector<sema::Tuple> forces;   ///< B^T lambda of each factor, at its index
};
/// What is to be shown of the constraints of a model.
struct ConstraintView {
  LeadingIndices leading = LeadingIndices::Symbols;
  /// Constraints that are left out, into Model::constraints: of joints that are shown elsewhere.
  std::set<std::size_t> left;
  /// Parameters that stand for functions of time, and their rates.
  std::vector<std::pair<const sym::Array*, const sym::Array*>> rates;
};
/// Adds equations to the layer, in which they are shown.
[[nodiscard]] ShownConstraints shownConstraints(Layer& layer, const ConstraintView& view);

} // namespace lmc::mechanics
