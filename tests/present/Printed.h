// Printed equations read again: from the text that a person sees to trees that `Values` evaluates.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace lmc::test {

/// What a text alone does not say: which names there are (some have blanks and slashes), and which are families.
struct PrintedNames {
  std::map<std::string, bool> families; ///< all names; whether the first brackets hold indices of members
  std::set<std::string> curves;         ///< through tables: functions of one number
};

/// The tree of an expression in the notation of the language. Products are `times`, whose factors say by their shapes
/// what is meant, unit vectors are `unit`, of any size. Throws std::runtime_error where the text is none.
[[nodiscard]] nlohmann::json parsed(const std::string& text, const PrintedNames& names);

/// Lines of a section of `derive --format json`, with trees made of their texts.
[[nodiscard]] nlohmann::json readAgain(const nlohmann::json& lines, const PrintedNames& names);

/// Names on the left of lines, which define them.
void addNames(PrintedNames& names, const nlohmann::json& lines);

} // namespace lmc::test
