#include "unit/Unit.h"

#include "tape/TapeCost.h"

namespace lmc::unit {

double Unit::operationsPerStep() const {
  const runtime::Functions& f = problem.functions;
  const auto cost = [&](int function) { return function >= 0 ? tape::cost(module, function) : 0; };
  return f.trial >= 0 ? cost(f.series) + cost(f.trial) : cost(f.step);
}

} // namespace lmc::unit
