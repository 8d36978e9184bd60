// What a method with two results makes of rates that depend on the time alone: two quadrature formulas.
#pragma once

#include "methods/checked/CheckedMethod.h"

#include <optional>

namespace lmc::methods {

/// Whether the two results of a method differ where f depends on the time alone. They do not where both weigh the
/// stages of each time alike, as those of Fehlberg's pair of orders 8 and 7 do: the difference is then no estimate of
/// the error of such rates (E. Hairer, S. P. Nørsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed.,
/// Springer 1993, section II.5). Nothing where its body does not tell: it has one result, solves equations, keeps
/// numbers, or takes a series.
[[nodiscard]] std::optional<bool> seesTime(sym::Graph& graph, const CheckedMethod& method);

} // namespace lmc::methods
