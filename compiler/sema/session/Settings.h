// The words of `simulate`.
#pragma once

#include <string>
#include <vector>

namespace lmc::sema {

/// What may be set.
[[nodiscard]] const std::vector<std::string>& settingKeys();
/// The values of `norm`.
[[nodiscard]] const std::vector<std::string>& settingNorms();

} // namespace lmc::sema
