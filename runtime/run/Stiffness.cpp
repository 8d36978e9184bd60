#include "runtime/run/Stiffness.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

namespace {
/// How much longer the steps could be.
constexpr double longer = 3;
/// What short steps must have taken from the error: what limits steps otherwise (trials that fail) stays.
constexpr double damped = 0.1;
constexpr std::int64_t enough = 5;
} // namespace

void lookAtStiffness(StiffnessMemory& memory, double before, double after, int order) {
  ++memory.looks;
  const bool sign = std::isfinite(before) && after < damped * before && after * std::pow(longer, order + 1) < 1;
  if (sign) ++memory.signs;
  memory.balance = std::max<std::int64_t>(0, memory.balance + (sign ? 1 : -1));
  memory.highest = std::max(memory.highest, memory.balance);
}

bool looksStiff(const StiffnessMemory& memory) {
  return memory.highest >= enough;
}

} // namespace lmc::runtime
