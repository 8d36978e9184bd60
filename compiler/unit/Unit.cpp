#include "unit/Unit.h"

#include "tape/TapeCost.h"

namespace lmc::unit {

double Unit::operationsPerStep() const {
  const runtime::Functions& f = problem.functions;
  // An instruction, like a number alone. By measurement with vectors of eight numbers stages side by side count 1.4
  // to 1.8 times too much by that; with vectors of four they count too little.
  constexpr double vector = 1;
  const auto cost = [&](int function) { return function >= 0 ? tape::cost(module, function, 1, vector) : 0; };
  return f.trial >= 0 ? cost(f.series) + cost(f.trial) : cost(f.step);
}

} // namespace lmc::unit
