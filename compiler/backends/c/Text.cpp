#include "backends/c/Text.h"

#include "backends/c/KernelTexts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace lmc::backends {

namespace {
constexpr std::size_t width = 112;
} // namespace

std::string safe(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (k > 0 && ((c == '/' && text[k - 1] == '*') || (c == '*' && text[k - 1] == '/'))) out += ' ';
    out += c;
  }
  return out;
}

std::string comment(const std::string& raw, int indent) {
  const std::string text = safe(raw);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out;
  std::string line = margin + "/*";
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() + 3 > width + 8 && line.size() > margin.size() + 2) {
      out += line + "\n";
      line = margin + "  ";
    }
    line += " " + word;
    at = end + 1;
  }
  return out + line + " */\n";
}

std::string beginning(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t cut = text.rfind(' ', most);
  if (cut == std::string::npos) cut = most;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut; // whole letters
  return text.substr(0, cut) + " ...";
}

std::string statement(const std::string& text, int indent) {
  std::string out;
  std::string margin(static_cast<std::size_t>(indent), ' ');
  std::size_t at = 0;
  while (text.size() - at > width - margin.size()) {
    std::size_t cut = text.rfind(' ', at + width - margin.size());
    if (cut == std::string::npos || cut <= at) cut = text.find(' ', at);
    if (cut == std::string::npos) break;
    out += margin + text.substr(at, cut - at) + "\n";
    at = cut + 1;
    margin.assign(static_cast<std::size_t>(indent) + 4, ' ');
  }
  return out + margin + text.substr(at) + "\n";
}

std::string literal(double x) {
  if (std::isnan(x)) return "NAN";
  if (std::isinf(x)) return x > 0 ? "INFINITY" : "-INFINITY";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string kernelSource(const std::string& name) {
  for (const KernelText& k : kernelTexts)
    if (name == k.name) {
      std::string out;
      const std::string text = k.text;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("#include") || line.starts_with("/* clang-format")) continue;
        if (line.starts_with("LMC_KERNEL ")) line.replace(0, 10, "static");
        if (const std::size_t i = line.find("LMC_INLINE "); i != std::string::npos) line.erase(i, 11);
        out += line + "\n";
      }
      return out;
    }
  throw std::logic_error("there is no routine `" + name + "`");
}

} // namespace lmc::backends
