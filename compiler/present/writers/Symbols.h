// Names of a model as symbols in LaTeX.
#pragma once

#include <string>

namespace lmc::present {

/// Greek letters, subscripts for what follows a letter, dots for primes, upright words.
[[nodiscard]] std::string symbol(const std::string& name);
/// The same with indices: in the subscript that the name has, or in a new one.
[[nodiscard]] std::string symbol(const std::string& name, const std::string& index);

} // namespace lmc::present
