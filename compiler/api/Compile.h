// A model that is compiled, for a Model or for something else.
#pragma once

#include "api/Access.h"

#include <functional>

namespace lmc::v1 {

/// Loads a file, or the first of some texts, into a pipeline whose code serves the present parameters, and calls `use`,
/// with whether it could be loaded. All on a deep stack.
void withLoaded(const std::string& path, const std::vector<Source>& sources, const Options& options,
                const std::function<void(products::Pipeline&, bool)>& use);

/// What is wrong with the settings of a problem; empty: nothing.
[[nodiscard]] std::string settingsFault(const runtime::Problem& problem);

} // namespace lmc::v1
