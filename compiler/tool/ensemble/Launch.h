// Whether this process is one of several that were started together, and where its files go.
#pragma once

#include "runtime/parts/PartNumber.h"
#include "tool/ensemble/Study.h"

#include <optional>
#include <string>

namespace lmc::tool {

/// Processes that a launcher has started, as its variables tell; this is one of them.
struct Launch {
  std::string launcher; ///< "mpirun", "srun"
  int size = 1;
  int rank = 0; ///< 0 where it is not told
};
/// Nothing where there is no launcher.
[[nodiscard]] std::optional<Launch> launchOf(const runtime::Environment& environment);

/// The variables of this process.
[[nodiscard]] std::optional<std::string> environmentVariable(const char* name);

/// Looks at the place of a file of `bytes` before it is written, and reports (LIE0683) what cannot hold it: a file
/// system or a limit for files that are smaller (an error), too little room (a warning), and, where `elsewhere` reads
/// it, the memory of this machine (a warning).
void checkPlace(products::Pipeline& pipeline, const std::string& file, double bytes, bool elsewhere);

} // namespace lmc::tool
