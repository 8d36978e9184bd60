#include "unit/Unit.h"

#include "tape/TapeCost.h"

namespace lmc::unit {

double Unit::operationsPerStep() const {
  const runtime::Functions& f = problem.functions;
  constexpr double vector = 2.5; // by measurement of stages side by side
  const auto cost = [&](int function) { return function >= 0 ? tape::cost(module, function, 1, vector) : 0; };
  return f.trial >= 0 ? cost(f.series) + cost(f.trial) : cost(f.step);
}

} // namespace lmc::unit
