// `lmc verify` of groups and manifolds: their laws.
#pragma once

#include "products/Pipeline.h"
#include "tool/support/Invocation.h"

#include <nlohmann/json_fwd.hpp>

namespace lmc::tool {

struct ManifoldFindings {
  std::size_t declared = 0; ///< groups and manifolds of the file
  bool lawsHold = true;
};

/// Tests the groups and manifolds of the loaded file. Laws that fail are reported into the diagnostics; the findings
/// are printed, or put into `list` for --json.
ManifoldFindings verifyManifolds(sema::Compilation& compilation, const Invocation& call, nlohmann::ordered_json& list);

} // namespace lmc::tool
