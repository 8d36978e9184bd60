// The pictures of `lmc run`: a plot (`--plot`), a page (`--report`).
#pragma once

#include "tool/runs/Pictures.h"
#include "tool/support/Invocation.h"

#include <memory>

namespace lmc::tool {

/// Those that a call asks for; the call must outlive them. Throws UsageError, InstallationError.
[[nodiscard]] std::unique_ptr<Pictures> picturesOf(const Invocation& call);

} // namespace lmc::tool
