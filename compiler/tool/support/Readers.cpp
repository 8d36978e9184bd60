#include "tool/support/Readers.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace lmc::tool {

namespace {

/// The parts between commas outside of parentheses.
std::vector<std::string> splitList(const std::string& text) {
  std::vector<std::string> parts = {""};
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

/// All of a text as a number.
template <typename T> bool isNumber(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

/// A positive number, or a fraction of two.
double readStep(const std::string& option, const std::string& text) {
  const std::string_view all = text;
  const std::size_t slash = all.find('/');
  double value = 0, divisor = 1;
  const bool good =
      isNumber(all.substr(0, slash), value) && (slash == std::string::npos || isNumber(all.substr(slash + 1), divisor));
  if (!good || !(value / divisor > 0) || value / divisor > 1e300)
    throw UsageError(option + " wants positive numbers with commas between them, as in " + option +
                     " 0.1,0.05,1/40; `" + text + "` is none");
  return value / divisor;
}

} // namespace

When readWhen(const std::string& option, const std::string& text) {
  if (text == "auto") return When::Auto;
  if (text == "always") return When::Always;
  if (text == "never") return When::Never;
  throw UsageError(option + " is auto, always or never, not `" + text + "`");
}

When readUnlessNever(const std::string& option, const std::string& text) {
  if (text == "auto") return When::Auto;
  if (text == "never") return When::Never;
  throw UsageError(option + " is auto or never, not `" + text + "`");
}

std::int64_t readCount(const std::string& option, const std::string& text, std::int64_t most) {
  std::int64_t n = 0;
  if (!isNumber(text, n) || n < 1 || n > most)
    throw UsageError(option + " wants a whole number from 1 to " + std::to_string(most) + ", not `" + text + "`");
  return n;
}

std::uint64_t readSeed(const std::string& option, const std::string& text) {
  std::uint64_t seed = 0;
  if (!isNumber(text, seed))
    throw UsageError(option + " wants a whole number from 0 to 18446744073709551615, not `" + text + "`");
  return seed;
}

double readSeconds(const std::string& option, const std::string& text) {
  double seconds = 0;
  if (!isNumber(text, seconds) || !(seconds > 0))
    throw UsageError(option + " wants a positive number of seconds, not `" + text + "`");
  return seconds;
}

double readSecondsOrNone(const std::string& option, const std::string& text) {
  double seconds = 0;
  if (!isNumber(text, seconds) || !(seconds >= 0))
    throw UsageError(option + " wants a number of seconds, not `" + text + "`");
  return seconds;
}

double readLimit(const std::string& option, const std::string& text) {
  double value = 0;
  if (text == "none") return 0;
  if (!isNumber(text, value) || !(value > 0) || value > 1e15)
    throw UsageError(option + " wants a positive number, or none, not `" + text + "`");
  return value;
}

TimeSpan readTime(const std::string& option, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos || dots == 0 || dots + 2 == text.size())
    throw UsageError(option + " wants A..B, as in " + option + " 0..10, not `" + text + "`");
  return {text.substr(0, dots), text.substr(dots + 2)};
}

std::vector<std::string> readNames(const std::string& option, const std::string& text) {
  std::vector<std::string> names = splitList(text);
  if (std::find(names.begin(), names.end(), "") != names.end())
    throw UsageError(option + " wants names with commas between them, not `" + text + "`");
  return names;
}

std::vector<double> readSteps(const std::string& option, const std::string& text) {
  std::vector<double> steps;
  for (const std::string& part : splitList(text)) steps.push_back(readStep(option, part));
  return steps;
}

} // namespace lmc::tool
