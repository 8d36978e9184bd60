// The words of `simulate`.
#pragma once

#include <string>
#include <vector>

namespace lmc::sema {

/// What may be set.
[[nodiscard]] const std::vector<std::string>& settingKeys();
/// The values of `norm`.
[[nodiscard]] const std::vector<std::string>& settingNorms();
/// The values of `simultaneous` and of `law`, the usual one first.
[[nodiscard]] const std::vector<std::string>& impactWords(const std::string& key);

} // namespace lmc::sema
