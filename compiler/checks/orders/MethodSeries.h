// A method's step as a Lie–Butcher series: the terms evaluated with series in place of points and algebra elements.
#pragma once

#include "checks/orders/LinearForm.h"
#include "checks/orders/Series.h"
#include "methods/checked/CheckedMethod.h"

#include <optional>

namespace lmc::orders {

struct MethodSeries {
  Series next;                    ///< y after the step
  std::optional<Series> embedded; ///< the second approximation, if the method has one
  bool timesFit = true;           ///< f is evaluated at the times that its points have
};

/// Any explicit method on `manifold`: a body, a constructor from a tableau, a composition. Throws NotProved with the
/// reason where there is no such series.
[[nodiscard]] MethodSeries methodSeries(sym::Graph& graph, const methods::CheckedMethod& method,
                                        const SeriesAlgebra& algebra);

} // namespace lmc::orders
