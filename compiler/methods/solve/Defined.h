// Equations of a `solve` that say what values of a linear system are: the system itself takes their place.
#pragma once

#include "methods/solve/Elimination.h"

#include <functional>

namespace lmc::methods {

/// Values that the equations of a model find by a linear system, as the velocities of momenta: arrays of all factors,
/// part by part.
struct DefinedValues {
  sema::ArrayTuple value;
  Space space;
  /// Values that are given: as expressions, and stored in arrays like `value`. Where there is one element the
  /// expression is read, in which what cancels is seen.
  struct Given {
    sema::Tuple value;
    sema::ArrayTuple stored;
    void replace(sym::Replacement& replacement, std::size_t k, const sym::Array* by) const {
      if (stored[k]->extents.empty())
        replacement.scalars[by] = value[k];
      else
        replacement.arrays[by] = stored[k];
    }
  };
  struct Definition {
    sema::Tuple residual; ///< vanishes where the values are what they are given as
    /// Arrays that are then known by others: what the values were taken of, as functions of the values.
    std::vector<std::pair<const sym::Array*, const sym::Array*>> known;
  };
  std::function<Definition(const Given&)> definition;
};

/// The same equations, where one that is affine in such values, with a factor that no iterate changes, is solved for
/// them: they are then what the equation says, wherever they are read, and their definition is the equation. So
/// M^-1 p = u becomes p = M u, and equations of forces, which depend on p, may become explicit. Empty if no equation is
/// of that kind.
[[nodiscard]] std::vector<ImplicitEquation> withDefinitions(sym::Program& p, const Newton& system,
                                                            const std::vector<ImplicitEquation>& equations,
                                                            const std::vector<DefinedValues>& defined);

} // namespace lmc::methods
