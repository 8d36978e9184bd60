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

/// Looks whether the place of a file can hold `bytes` before it is written: reports an error (LIE0683) where the file
/// system, or a limit of the process, has no files that large.
void checkLargest(products::Pipeline& pipeline, const std::string& file, double bytes);
/// The same of a part; and warns of too little room, and, where `elsewhere` reads it, of the memory of this machine.
void checkPlace(products::Pipeline& pipeline, const std::string& file, double bytes, bool elsewhere);

} // namespace lmc::tool
