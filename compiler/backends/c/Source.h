// A unit as C99 source with its header.
#pragma once

#include "unit/Unit.h"

namespace lmc::ahead {

/// NAME.h, for C99 and C++.
[[nodiscard]] std::string header(const Exported& unit);

/// NAME.c, C99, which needs the mathematical library only. `headerName` is what it includes. With `withMain` a program
/// that prints a trajectory as CSV.
[[nodiscard]] std::string source(const Exported& unit, const std::string& headerName, bool withMain);

} // namespace lmc::ahead
