#include "base/Memory.h"

#include <algorithm>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace lmc {

double usableMemory() {
  double most = std::numeric_limits<double>::infinity();
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) most = static_cast<double>(pages) * static_cast<double>(size);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = std::min(most, static_cast<double>(limit.rlim_cur));
  return most;
}

} // namespace lmc
