// From what was typed behind an option to its value. All throw UsageError.
#pragma once

#include "tool/support/Option.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lmc::tool {

enum class When : std::uint8_t { Auto, Always, Never };
/// `auto`, `always` or `never`.
[[nodiscard]] When readWhen(const std::string& option, const std::string& text);
/// `auto` or `never`.
[[nodiscard]] When readUnlessNever(const std::string& option, const std::string& text);

/// A whole number from 1 to a largest one.
[[nodiscard]] std::int64_t readCount(const std::string& option, const std::string& text, std::int64_t most);
template <std::int64_t most = std::numeric_limits<std::int64_t>::max()>
[[nodiscard]] std::int64_t readCountTo(const std::string& option, const std::string& text) {
  return readCount(option, text, most);
}
/// A whole number from 0.
[[nodiscard]] std::uint64_t readSeed(const std::string& option, const std::string& text);
/// A positive number of seconds.
[[nodiscard]] double readSeconds(const std::string& option, const std::string& text);
/// A number of seconds from 0.
[[nodiscard]] double readSecondsOrNone(const std::string& option, const std::string& text);
/// A positive number; 0 for `none`.
[[nodiscard]] double readLimit(const std::string& option, const std::string& text);

/// `A..B`; both may be expressions.
struct TimeSpan {
  std::string from, to;
};
[[nodiscard]] TimeSpan readTime(const std::string& option, const std::string& text);

/// Names with commas between them, `name(arg=value)` among them.
[[nodiscard]] std::vector<std::string> readNames(const std::string& option, const std::string& text);
/// Positive numbers, or fractions of two, with commas between them.
[[nodiscard]] std::vector<double> readSteps(const std::string& option, const std::string& text);

} // namespace lmc::tool
