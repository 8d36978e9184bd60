#include "driver/PipelineUntrusted.h"

#include "sema/ConfinedReader.h"

#include <utility>

namespace lmc {

void distrustModel(PipelineOptions& options, const std::filesystem::path& folder) {
  auto& read = options.compilation.readFile;
  read = ConfinedReader(folder, std::exchange(read, {}));
  options.compile.useCache = false;
}

} // namespace lmc
