// Curves through data by dense linear algebra in long double: shares nothing with the compiler.
#pragma once

#include "acceptance/Trajectory.h"

#include <functional>
#include <string>
#include <vector>

namespace lmc::acceptance::tables {

using Real = long double;
using List = std::vector<Real>;

enum class Kind { Linear, Natural, Periodic };

/// Value, first and second derivative of a curve at a place. Splines: the coefficients a + b s + c s² + d s³ of all
/// pieces are the unknowns of one dense system (continuity of y, y', y'' and the conditions at the ends), solved with
/// pivots.
class Curve {
public:
  Curve(Kind kind, List x, List y);
  /// The derivative of an order; outside of the nodes the first or last piece goes on.
  [[nodiscard]] Real operator()(Real at, int order = 0) const;

private:
  List x_, coefficients_; ///< four for each piece
};

/// Nodes without a pattern, and values at them.
struct Data {
  List x, y, z;
};
[[nodiscard]] Data someData(int n, bool periodic);
/// As a file with the columns x, y, z.
[[nodiscard]] std::string csv(const Data& data);

/// A model with a table `d` of the file d.csv, `body`, and settings of a run.
[[nodiscard]] std::string model(const std::string& body, const std::string& settings);

} // namespace lmc::acceptance::tables
