// Diagnostics about the settings of a run, at the place where they were given.
#pragma once

#include "products/Pipeline.h"
#include "tool/support/Invocation.h"

namespace lmc::tool {

/// Reports what is wrong with the settings of a run into the pipeline's diagnostics. False if there are errors.
bool checkRun(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call);

/// Reports sample times whose rows, all in memory at once, take more `bytes` of it than there are.
bool checkRows(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call, double bytes);

/// Where the model's name stands: the place of what is wrong with the model as a whole.
[[nodiscard]] Range modelRange(products::Pipeline& pipeline);

/// Reports an error about a part of the command line: `text` is what was typed.
Diagnostics::Report commandLineError(products::Pipeline& pipeline, Code code, const std::string& text,
                                     std::string message);
Diagnostics::Report commandLineWarning(products::Pipeline& pipeline, Code code, const std::string& text,
                                       std::string message);

} // namespace lmc::tool
