// Objects and archives for programs without this compiler.
#pragma once

#include "unit/Unit.h"

#include <string>

namespace lmc::jit {

/// A relocatable object file of this machine's architecture with the functions of backends::header, which needs the
/// mathematical library only. `cpu`: see backends::Interface::generateAhead. Throws std::invalid_argument for a
/// processor that there is not, std::runtime_error when the code generator cannot be opened or fails.
[[nodiscard]] std::string aheadObject(const unit::Exported& unit, const std::string& cpu);

/// A static library with this object. Throws std::runtime_error.
[[nodiscard]] std::string aheadArchive(const std::string& object, const std::string& memberName);

} // namespace lmc::jit
