// One function of a tape as C.
#pragma once

#include "unit/Unit.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace lmc::backends {

/// What functions need besides themselves.
struct Needs {
  std::set<std::string> kernels;              ///< files of runtime/kernels
  std::set<std::string> helpers;              ///< small functions, by the name of an operation
  std::map<std::int64_t, std::string> called; ///< names in C of functions of the tape that others call
};

/// `static int NAME_…(NAME* self, …)` with the body of a tape function. What it calls is added to
/// `needs`, but for functions of the tape, which have their names there already.
[[nodiscard]] std::string function(const unit::Exported& unit, int index, const std::string& name, Needs& needs);

} // namespace lmc::backends
