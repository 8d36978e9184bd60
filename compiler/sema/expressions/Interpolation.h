// interpolate(values, at, …): what lies between the rows of a table.
//
// The nodes x_1 < … < x_N and the values at them are data that do not change during a run: columns of a table, or
// families of parameters. The row is found by bisection, ceil(log2 N) comparisons whatever the data are. Coefficients
// of splines are equations of the nodes and values alone, so they are worked out once per run. Derivatives by the
// argument and by the data are those of the polynomial between two nodes.
#pragma once

#include "sema/expressions/InterpolationRequest.h"

#include <map>
#include <tuple>

namespace lmc::sema {

/// What interpolations of one program share: the same search, the same spline. By the nodes of the graph that name
/// them.
struct KnownInterpolations {
  std::map<std::pair<const sym::Node*, const sym::Node*>, sym::Expr> rows;      ///< of first node and argument
  std::map<std::pair<const sym::Node*, const sym::Node*>, sym::Expr> disorders; ///< of first and last node
  std::map<std::tuple<bool, const sym::Node*, const sym::Node*>, const sym::Array*>
      curves; ///< y'' at the nodes; whether it is periodic, of node and value at the probe
  std::map<std::pair<const Manifold*, const sym::Node*>, std::vector<const sym::Array*>> geodesics;
  std::unordered_set<const sym::Array*> kinked; ///< what has a kink at each node
  sym::Expr probe;                              ///< an index by which families are told apart
  int searches = 0;                             ///< arrays of rows so far
};

/// The value of a call of `interpolate`; an error value if it was reported.
[[nodiscard]] Value interpolated(ExpressionEvaluator& ev, const syntax::Expr& call, const Context& c,
                                 KnownInterpolations& known);

} // namespace lmc::sema
