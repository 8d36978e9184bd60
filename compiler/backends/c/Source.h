// A unit as C99 source with its header.
#pragma once

#include "unit/Unit.h"

namespace lmc::backends {

/// NAME.h, for C99 and C++.
[[nodiscard]] std::string header(const unit::Exported& unit);

/// NAME.c, C99, which needs the mathematical library only. `headerName` is what it includes. With `withMain` a program
/// that prints a trajectory as CSV.
[[nodiscard]] std::string source(const unit::Exported& unit, const std::string& headerName, bool withMain);

} // namespace lmc::backends
