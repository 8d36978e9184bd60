// Archives of objects.
#pragma once

#include <string>

namespace lmc::backends {

/// A static library with one member and its table of symbols. Throws std::runtime_error.
[[nodiscard]] std::string archive(const std::string& object, const std::string& memberName);

} // namespace lmc::backends
