#include "products/Untrusted.h"

#include "sema/session/ConfinedReader.h"

#include <utility>

namespace lmc::products {

void distrustModel(PipelineOptions& options, const std::filesystem::path& folder) {
  auto& read = options.compilation.readFile;
  read = sema::ConfinedReader(folder, std::exchange(read, {}));
  options.compile.useCache = false;
  // A limit of 0 is none.
  const Limits usual;
  Limits& limits = options.limits;
  if (limits.seconds == 0) limits.seconds = usual.seconds;
  if (limits.nodes == 0) limits.nodes = usual.nodes;
  if (limits.megabytes == 0) limits.megabytes = usual.megabytes;
}

} // namespace lmc::products
