#include "tool/support/SharedOptions.h"

#include <cmath>

namespace lmc::tool {

namespace {

/// True for a single `=` (not ==, <=, >=, !=) outside all parentheses.
bool hasAssignment(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != '=' || depth > 0) continue;
    const bool doubled = i + 1 < text.size() && text[i + 1] == '=';
    if (doubled)
      ++i;
    else if (i == 0 || std::string("<>!").find(text[i - 1]) == std::string::npos)
      return true;
  }
  return false;
}

std::string trimmed(const std::string& s) {
  const std::size_t begin = s.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : s.substr(begin, s.find_last_not_of(" \t") - begin + 1);
}

} // namespace

sema::Override readOverride(const std::string& option, const std::string& text) {
  const std::string form = option + " wants NAME=EXPR, as in " + option + " m=3";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw UsageError(form + "; there is no `=` in `" + text + "`");
  sema::Override result{trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
  if (result.name.empty()) throw UsageError(form + "; the name is missing in `" + text + "`");
  if (result.expression.empty()) throw UsageError(form + "; the value is missing in `" + text + "`");
  if (hasAssignment(result.expression))
    throw UsageError(form + "; there is more than one `=` in `" + text + "` (give " + option + " once for each name)");
  return result;
}

Limits limitsOf(const Invocation& call) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(std::ceil(x)); };
  Limits limits;
  if (const auto& given = call[options::limitSeconds]) limits.seconds = *given;
  if (const auto& given = call[options::limitNodes]) limits.nodes = whole(*given);
  if (const auto& given = call[options::limitMemory]) limits.megabytes = whole(*given);
  return limits;
}

} // namespace lmc::tool
