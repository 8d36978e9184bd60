// Text that may be shown on a terminal.
#pragma once

#include <string>

namespace lmc {

/// The text with `?` for control characters other than line ends and tabs. They may stand in names of files and in what
/// is quoted from them, and would steer the terminal.
[[nodiscard]] std::string harmless(std::string text);

} // namespace lmc
