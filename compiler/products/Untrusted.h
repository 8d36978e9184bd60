// Models that somebody else has written.
#pragma once

#include "products/Pipeline.h"

namespace lmc::products {

/// What `--untrusted`, and the same option of the interface, mean for a compilation: `read` and `import` find files
/// below the folder of the model only, messages do not show what is in them, the cache is neither read nor written.
/// Here is also where budgets of compilation are turned on.
///
/// `folder`: of the model. A reader that the options have already goes on to be asked, for files below it.
void distrustModel(PipelineOptions& options, const std::filesystem::path& folder);

} // namespace lmc::products
