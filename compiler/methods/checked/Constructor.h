// Methods that are constructed from a tableau: `rkmk(T)`, `rkmk(T, truncate = 2)`, `crouch_grossman(T)`,
// `projected(T)`.
#pragma once

#include "methods/checked/Tableau.h"

#include <cstdint>
#include <optional>

namespace lmc::methods {

enum class MethodClass : std::uint8_t { MuntheKaas, CrouchGrossman, Projected };

struct Constructed {
  MethodClass kind = MethodClass::MuntheKaas;
  Tableau tableau;
  Range where; ///< of the constructor
  /// dexpinv is the series of the bracket, cut after ad^truncate; without it exact where the group gives it.
  std::optional<int> truncate;
};

/// The highest power of ad that `truncate` may name.
inline constexpr int highestTruncation = 10;

/// Reads the constructor of a method; reports unknown constructors, tableaux and arguments.
[[nodiscard]] std::optional<Constructed> readConstructor(sema::Compilation& compilation, sema::Evaluator& evaluator,
                                                         const syntax::Expr& constructor);

} // namespace lmc::methods
