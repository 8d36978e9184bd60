#include "diagnostics/Diagnostics.h"

#include <algorithm>
#include <cctype>

namespace lmc {

const std::vector<CodeInfo>& allCodes() {
  static const std::vector<CodeInfo> codes = {
#define LMC_DIAGNOSTIC(code, title, explanation, bad, good) {Code::code, #code, title, explanation, bad, good},
#include "diagnostics/codes/all.def"
#undef LMC_DIAGNOSTIC
  };
  return codes;
}

const CodeInfo& info(Code code) {
  return allCodes().at(static_cast<std::size_t>(code));
}

const CodeInfo* findCode(std::string_view name) {
  std::string wanted(name);
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::string_view prefix = "LIE";
  if (wanted.starts_with(prefix)) wanted.erase(0, prefix.size());
  constexpr std::size_t digits = 4;
  if (wanted.empty() || wanted.size() > digits) return nullptr;
  wanted = std::string(prefix) + std::string(digits - wanted.size(), '0') + wanted;
  const auto& codes = allCodes();
  const auto found = std::find_if(codes.begin(), codes.end(), [&](const CodeInfo& c) { return c.name == wanted; });
  return found == codes.end() ? nullptr : &*found;
}

} // namespace lmc
