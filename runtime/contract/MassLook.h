// A function of code for lanes that looks at the mass equation.
#pragma once

#include "runtime/fields/Field.h"

#include <cstdint>

namespace lmc::runtime {

/// How samples look at their mass equations: code for lanes finds the samples that are worth a closer look, which
/// MassMonitor takes by the check of the problem.
struct MassLook {
  int function = -1;      ///< argument t; -1: nothing is looked at
  Field product, rhs;     ///< M xi' and r
  std::int64_t every = 1; ///< steps between two looks; the begin and the end are looked at, too
};

} // namespace lmc::runtime
