// Surfaces: columns of a table over the grid that two others make.
#pragma once

#include "tool/plot/Figure.h"

#include <vector>

namespace lmc::tool {

/// The surface of heights `z` over the places (x, y) of as many rows, in any order. At most 201 lines of each direction
/// are kept, evenly, the first and the last ones among them. Throws UsageError, which names x and y, where the places
/// are no grid: not every x with every y, each pair once.
[[nodiscard]] Surface surfaceOf(const std::string& xName, const std::vector<double>& x, const std::string& yName,
                                const std::vector<double>& y, const std::string& zName, const std::vector<double>& z);

} // namespace lmc::tool
