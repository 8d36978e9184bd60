// From what was typed to the options of the pipeline.
#pragma once

#include "products/Pipeline.h"
#include "tool/support/Invocation.h"

#include <string>
#include <vector>

namespace lmc::tool {

/// The pipeline's options of a call: library, import path (with $LMC_PATH), overrides, settings.
[[nodiscard]] products::PipelineOptions pipelineOptions(const Invocation& call);

/// Warns if the cache, which the call would use, is not to be trusted.
void warnOfCache(const Invocation& call);

/// The one input file of a command. Throws UsageError if there is none, more than one, or it cannot be read.
[[nodiscard]] const std::string& oneFile(const Invocation& call);

/// Throws UsageError if a file is missing, a folder, or not readable.
void requireReadable(const std::string& file);

/// At most one argument, as a name or a code; empty if there is none.
[[nodiscard]] std::string oneName(const Invocation& call);

} // namespace lmc::tool
