// Which build of lmc is running.
#pragma once

#include <string>

namespace lmc {

/// The bytes of the build id that the linker gave to the program or library with this code: another one for any change
/// of its code. Empty when there is none.
[[nodiscard]] std::string buildId();
/// The same in hexadecimal.
[[nodiscard]] std::string buildIdText();

} // namespace lmc
