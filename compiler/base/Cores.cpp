#include "base/Cores.h"

#include <algorithm>
#include <cmath>
#include <sched.h>
#include <thread>

namespace lmc {

int usableCores() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) return std::max(1, CPU_COUNT(&mine));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int usableCores(int neighbours) {
  // Ranks that are bound to processors of their own share none; those that may use all share all.
  const int mine = usableCores(), all = std::max(mine, static_cast<int>(std::thread::hardware_concurrency()));
  const int sharing = std::max(1, static_cast<int>(std::lround(static_cast<double>(neighbours) * mine / all)));
  return std::max(1, mine / sharing);
}

} // namespace lmc
