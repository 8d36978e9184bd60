#include "tool/support/PageOptions.h"

#include "tool/support/Arguments.h"

#include <cmath>
#include <cstdlib>

namespace lmc::tool {

double readRate(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(x > 0) || !std::isfinite(x))
    throw UsageError(option + " takes a positive number, not `" + text + "`");
  return x;
}

double readBytes(const std::string& option, const std::string& text) {
  std::string number = text;
  double unit = 1;
  if (number.ends_with("M") || number.ends_with("k")) {
    unit = number.back() == 'M' ? 1e6 : 1e3;
    number.pop_back();
  }
  try {
    return unit * readRate(option, number);
  } catch (const UsageError&) {
    throw UsageError(option + " takes a number of bytes, such as 8M or 500k, not `" + text + "`");
  }
}

} // namespace lmc::tool
