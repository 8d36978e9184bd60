#include "syntax/Characters.h"

#include <array>
#include <cstdio>

namespace lmc::syntax {

namespace {

struct Entry {
  char32_t character;
  MeantKind kind;
  std::string_view text;
  std::string_view what;
};

// clang-format off
constexpr std::array singles = {
    Entry{0x00B5, MeantKind::Letter, "μ", "the micro sign"},
    Entry{0x2126, MeantKind::Letter, "Ω", "the ohm sign"},
    Entry{0x212A, MeantKind::Letter, "K", "the kelvin sign"},
    Entry{0x2206, MeantKind::Letter, "Δ", "the increment sign"},
    Entry{0x2113, MeantKind::Letter, "l", "the script letter l"},
    Entry{0x210F, MeantKind::Letter, "h", "the Planck constant sign"},
    Entry{0x211D, MeantKind::Letter, "R", "the double-struck letter R"},
    Entry{0x2102, MeantKind::Letter, "C", "the double-struck letter C"},
    Entry{0x2115, MeantKind::Letter, "N", "the double-struck letter N"},
    Entry{0x2124, MeantKind::Letter, "Z", "the double-struck letter Z"},
    Entry{0x210B, MeantKind::Letter, "H", "the script letter H"},
    Entry{0x2112, MeantKind::Letter, "L", "the script letter L"},
    Entry{0x2211, MeantKind::Letter, "sum", "the summation sign"},
    Entry{0x220F, MeantKind::Letter, "product", "the product sign"},
    Entry{0x221A, MeantKind::Letter, "sqrt", "the root sign"},
    Entry{0x00F8, MeantKind::Letter, "o", "a letter with a stroke"},
    Entry{0x00D8, MeantKind::Letter, "O", "a letter with a stroke"},
    Entry{0x00DF, MeantKind::Letter, "ss", "a letter of German"},
    Entry{0x00E6, MeantKind::Letter, "ae", "a ligature"},
    Entry{0x00C6, MeantKind::Letter, "AE", "a ligature"},
    Entry{0x0153, MeantKind::Letter, "oe", "a ligature"},
    Entry{0x0152, MeantKind::Letter, "OE", "a ligature"},
    Entry{0x0131, MeantKind::Letter, "i", "the letter i without its dot"},
    Entry{0x03D0, MeantKind::Letter, "β", "a variant of the letter beta"},
    Entry{0x03D1, MeantKind::Letter, "θ", "a variant of the letter theta"},
    Entry{0x03D5, MeantKind::Letter, "φ", "a variant of the letter phi"},
    Entry{0x03D6, MeantKind::Letter, "π", "a variant of the letter pi"},
    Entry{0x03F0, MeantKind::Letter, "κ", "a variant of the letter kappa"},
    Entry{0x03F1, MeantKind::Letter, "ρ", "a variant of the letter rho"},
    Entry{0x03F4, MeantKind::Letter, "Θ", "a variant of the letter theta"},
    Entry{0x03F5, MeantKind::Letter, "ε", "a variant of the letter epsilon"},
    Entry{0x0386, MeantKind::Letter, "Α", "a Greek letter with an accent"},
    Entry{0x0388, MeantKind::Letter, "Ε", "a Greek letter with an accent"},
    Entry{0x0389, MeantKind::Letter, "Η", "a Greek letter with an accent"},
    Entry{0x038A, MeantKind::Letter, "Ι", "a Greek letter with an accent"},
    Entry{0x038C, MeantKind::Letter, "Ο", "a Greek letter with an accent"},
    Entry{0x038E, MeantKind::Letter, "Υ", "a Greek letter with an accent"},
    Entry{0x038F, MeantKind::Letter, "Ω", "a Greek letter with an accent"},
    Entry{0x0390, MeantKind::Letter, "ι", "a Greek letter with an accent"},
    Entry{0x03AC, MeantKind::Letter, "α", "a Greek letter with an accent"},
    Entry{0x03AD, MeantKind::Letter, "ε", "a Greek letter with an accent"},
    Entry{0x03AE, MeantKind::Letter, "η", "a Greek letter with an accent"},
    Entry{0x03AF, MeantKind::Letter, "ι", "a Greek letter with an accent"},
    Entry{0x03B0, MeantKind::Letter, "υ", "a Greek letter with an accent"},
    Entry{0x03CA, MeantKind::Letter, "ι", "a Greek letter with an accent"},
    Entry{0x03CB, MeantKind::Letter, "υ", "a Greek letter with an accent"},
    Entry{0x03CC, MeantKind::Letter, "ο", "a Greek letter with an accent"},
    Entry{0x03CD, MeantKind::Letter, "υ", "a Greek letter with an accent"},
    Entry{0x03CE, MeantKind::Letter, "ω", "a Greek letter with an accent"},
    Entry{0x0430, MeantKind::Letter, "a", "a Cyrillic letter"},
    Entry{0x0435, MeantKind::Letter, "e", "a Cyrillic letter"},
    Entry{0x043E, MeantKind::Letter, "o", "a Cyrillic letter"},
    Entry{0x0440, MeantKind::Letter, "p", "a Cyrillic letter"},
    Entry{0x0441, MeantKind::Letter, "c", "a Cyrillic letter"},
    Entry{0x0443, MeantKind::Letter, "y", "a Cyrillic letter"},
    Entry{0x0445, MeantKind::Letter, "x", "a Cyrillic letter"},
    Entry{0x0456, MeantKind::Letter, "i", "a Cyrillic letter"},
    Entry{0x0458, MeantKind::Letter, "j", "a Cyrillic letter"},
    Entry{0x0455, MeantKind::Letter, "s", "a Cyrillic letter"},
    Entry{0x0410, MeantKind::Letter, "A", "a Cyrillic letter"},
    Entry{0x0412, MeantKind::Letter, "B", "a Cyrillic letter"},
    Entry{0x0415, MeantKind::Letter, "E", "a Cyrillic letter"},
    Entry{0x041A, MeantKind::Letter, "K", "a Cyrillic letter"},
    Entry{0x041C, MeantKind::Letter, "M", "a Cyrillic letter"},
    Entry{0x041D, MeantKind::Letter, "H", "a Cyrillic letter"},
    Entry{0x041E, MeantKind::Letter, "O", "a Cyrillic letter"},
    Entry{0x0420, MeantKind::Letter, "P", "a Cyrillic letter"},
    Entry{0x0421, MeantKind::Letter, "C", "a Cyrillic letter"},
    Entry{0x0422, MeantKind::Letter, "T", "a Cyrillic letter"},
    Entry{0x0425, MeantKind::Letter, "X", "a Cyrillic letter"},
    Entry{0x00B2, MeantKind::Power, "2", "a superscript"},
    Entry{0x00B3, MeantKind::Power, "3", "a superscript"},
    Entry{0x00B9, MeantKind::Power, "1", "a superscript"},
    Entry{0x2070, MeantKind::Power, "0", "a superscript"},
    Entry{0x207B, MeantKind::Power, "(-1)", "a superscript"},
    Entry{0x207F, MeantKind::Power, "n", "a superscript"},
    Entry{0x1D40, MeantKind::Power, "T", "a superscript"},
    Entry{0x2212, MeantKind::Sign, "-", "the typographic minus sign"},
    Entry{0x2010, MeantKind::Sign, "-", "a typographic hyphen"},
    Entry{0x2011, MeantKind::Sign, "-", "a typographic hyphen"},
    Entry{0x2012, MeantKind::Sign, "-", "a dash"},
    Entry{0x2013, MeantKind::Sign, "-", "a dash"},
    Entry{0x2014, MeantKind::Sign, "-", "a dash"},
    Entry{0x22C5, MeantKind::Sign, "·", "the dot operator"},
    Entry{0x2219, MeantKind::Sign, "·", "the bullet operator"},
    Entry{0x2022, MeantKind::Sign, "·", "a bullet"},
    Entry{0x2027, MeantKind::Sign, "·", "a hyphenation point"},
    Entry{0x30FB, MeantKind::Sign, "·", "a middle dot of another script"},
    Entry{0x0387, MeantKind::Sign, "·", "the Greek ano teleia"},
    Entry{0x2A2F, MeantKind::Sign, "×", "the vector product sign"},
    Entry{0x2715, MeantKind::Sign, "×", "a cross"},
    Entry{0x2716, MeantKind::Sign, "×", "a cross"},
    Entry{0x00F7, MeantKind::Sign, "/", "the division sign"},
    Entry{0x2215, MeantKind::Sign, "/", "the division slash"},
    Entry{0x2044, MeantKind::Sign, "/", "the fraction slash"},
    Entry{0x2217, MeantKind::Sign, "*", "the asterisk operator"},
    Entry{0x2264, MeantKind::Sign, "<=", "the less-or-equal sign"},
    Entry{0x2265, MeantKind::Sign, ">=", "the greater-or-equal sign"},
    Entry{0x2260, MeantKind::Sign, "!=", "the not-equal sign"},
    Entry{0x2261, MeantKind::Sign, "==", "the identity sign"},
    Entry{0x2227, MeantKind::Sign, "and", "the logical and"},
    Entry{0x2228, MeantKind::Sign, "or", "the logical or"},
    Entry{0x00AC, MeantKind::Sign, "not", "the logical not"},
    Entry{0x2032, MeantKind::Sign, "'", "the typographic prime"},
    Entry{0x00B4, MeantKind::Sign, "'", "an acute accent"},
    Entry{0x0060, MeantKind::Sign, "'", "a grave accent"},
    Entry{0x2018, MeantKind::Sign, "'", "a typographic quotation mark"},
    Entry{0x2019, MeantKind::Sign, "'", "a typographic quotation mark"},
    Entry{0x0307, MeantKind::Sign, "'", "a combining dot"},
    Entry{0x2026, MeantKind::Sign, "..", "an ellipsis"},
    Entry{0x2025, MeantKind::Sign, "..", "a two-dot leader"},
    Entry{0x037E, MeantKind::Sign, ";", "the Greek question mark"},
    Entry{0x2236, MeantKind::Sign, ":", "the ratio sign"},
    Entry{0x2208, MeantKind::Unknown, "in", "the element sign"},
    Entry{0x201C, MeantKind::Quote, "\"", "a typographic quotation mark"},
    Entry{0x201D, MeantKind::Quote, "\"", "a typographic quotation mark"},
    Entry{0x201E, MeantKind::Quote, "\"", "a typographic quotation mark"},
    Entry{0x00AB, MeantKind::Quote, "\"", "a typographic quotation mark"},
    Entry{0x00BB, MeantKind::Quote, "\"", "a typographic quotation mark"},
    Entry{0x00A0, MeantKind::Space, " ", "a no-break space"},
    Entry{0x1680, MeantKind::Space, " ", "a space of another script"},
    Entry{0x202F, MeantKind::Space, " ", "a narrow no-break space"},
    Entry{0x205F, MeantKind::Space, " ", "a mathematical space"},
    Entry{0x3000, MeantKind::Space, " ", "a wide space"},
    Entry{0x00AD, MeantKind::Space, " ", "a soft hyphen, which is invisible"},
    Entry{0x2060, MeantKind::Space, " ", "a word joiner, which is invisible"},
    Entry{0xFEFF, MeantKind::Space, " ", "a byte-order mark inside the text"},
    Entry{0x0085, MeantKind::Space, " ", "a line end of another system"},
    Entry{0x2028, MeantKind::Space, " ", "a line separator"},
    Entry{0x2029, MeantKind::Space, " ", "a paragraph separator"},
};

// The base letters of U+00C0 … U+017F; a blank where there is none.
constexpr std::string_view latin =
    "AAAAAA CEEEEIIIIDNOOOOO  UUUUY  aaaaaa ceeeeiiiidnooooo  uuuuy y"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiI   JjKkkLlLlLlL"
    "lLlNnNnNnnNnOoOoOo  RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

// The letters of the mathematical Greek alphabets, in their order.
constexpr std::array<std::string_view, 58> greek = {
    "Α","Β","Γ","Δ","Ε","Ζ","Η","Θ","Ι","Κ","Λ","Μ","Ν","Ξ","Ο","Π","Ρ","Θ","Σ","Τ","Υ","Φ","Χ","Ψ","Ω","",
    "α","β","γ","δ","ε","ζ","η","θ","ι","κ","λ","μ","ν","ξ","ο","π","ρ","ς","σ","τ","υ","φ","χ","ψ","ω","",
    "ε","θ","κ","φ","ρ","π"};
// clang-format on

std::string letterAt(char32_t index) {
  constexpr char32_t letters = 26;
  const char32_t within = index % (2 * letters);
  return {static_cast<char>(within < letters ? 'A' + within : 'a' + (within - letters))};
}

/// The mathematical alphabets U+1D400 … U+1D7FF.
Meant meantByMathematical(char32_t c) {
  if (c < 0x1D6A4) return {MeantKind::Letter, letterAt(c - 0x1D400), "a letter of a mathematical alphabet"};
  if (c >= 0x1D7CE)
    return {MeantKind::Letter, std::to_string((c - 0x1D7CE) % 10), "a digit of a mathematical alphabet"};
  if (c < 0x1D6A8) return {};
  const std::string_view letter = greek.at((c - 0x1D6A8) % greek.size());
  if (letter.empty()) return {};
  return {MeantKind::Letter, std::string(letter), "a letter of a mathematical alphabet"};
}

/// Subscripts and superscripts U+2070 … U+209C.
Meant meantByScript(char32_t c) {
  if (c >= 0x2074 && c <= 0x2079) return {MeantKind::Power, std::to_string(c - 0x2070), "a superscript"};
  if (c >= 0x2080 && c <= 0x2089) return {MeantKind::Letter, std::to_string(c - 0x2080), "a subscript"};
  constexpr std::string_view letters = "aeox";
  if (c >= 0x2090 && c <= 0x2093) return {MeantKind::Letter, std::string(1, letters[c - 0x2090]), "a subscript"};
  constexpr std::string_view more = "hklmnpst";
  if (c >= 0x2095 && c <= 0x209C) return {MeantKind::Letter, std::string(1, more[c - 0x2095]), "a subscript"};
  return {};
}

} // namespace

Meant meantBy(char32_t c) {
  for (const Entry& entry : singles)
    if (entry.character == c) return {entry.kind, std::string(entry.text), entry.what};
  if (c >= 0x00C0 && c <= 0x017F) {
    const char base = latin[c - 0x00C0];
    if (base != ' ') return {MeantKind::Letter, std::string(1, base), "a letter with an accent"};
  }
  if (c >= 0x0300 && c <= 0x036F) return {MeantKind::Letter, "", "a combining accent"};
  if (c >= 0x1D62 && c <= 0x1D65) return {MeantKind::Letter, std::string(1, "iruv"[c - 0x1D62]), "a subscript"};
  if (c >= 0x2000 && c <= 0x200A) return {MeantKind::Space, " ", "a typographic space"};
  if (c >= 0x200B && c <= 0x200F) return {MeantKind::Space, " ", "an invisible character"};
  if (c >= 0x2070 && c <= 0x209C) return meantByScript(c);
  if (c >= 0x1D400 && c <= 0x1D7FF) return meantByMathematical(c);
  if (c >= 0xFF01 && c <= 0xFF5E) {
    const char narrow = static_cast<char>(c - 0xFF01 + 0x21);
    const bool isLetter = (narrow >= '0' && narrow <= '9') || (narrow >= 'A' && narrow <= 'Z') ||
                          (narrow >= 'a' && narrow <= 'z') || narrow == '_';
    return {isLetter ? MeantKind::Letter : MeantKind::Sign, std::string(1, narrow), "a full-width character"};
  }
  return {};
}

std::string inQuotes(std::string_view text) {
  const char mark = text.find('`') == std::string_view::npos ? '`' : '\'';
  return mark + std::string(text) + mark;
}

std::string codePoint(char32_t c) {
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "U+%04X", static_cast<unsigned>(c));
  return buffer.data();
}

std::string utf8(char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0U | (c >> 6U)), byte(0x80U | (c & 0x3FU))};
  if (c < 0x10000) return {byte(0xE0U | (c >> 12U)), byte(0x80U | ((c >> 6U) & 0x3FU)), byte(0x80U | (c & 0x3FU))};
  return {byte(0xF0U | (c >> 18U)), byte(0x80U | ((c >> 12U) & 0x3FU)), byte(0x80U | ((c >> 6U) & 0x3FU)),
          byte(0x80U | (c & 0x3FU))};
}

char32_t firstCharacter(std::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&](std::size_t i) -> char32_t { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const char32_t first = at(0);
  if (first < 0x80) return first;
  if (first < 0xE0) return ((first & 0x1FU) << 6U) | (at(1) & 0x3FU);
  if (first < 0xF0) return ((first & 0x0FU) << 12U) | ((at(1) & 0x3FU) << 6U) | (at(2) & 0x3FU);
  return ((first & 0x07U) << 18U) | ((at(1) & 0x3FU) << 12U) | ((at(2) & 0x3FU) << 6U) | (at(3) & 0x3FU);
}

std::size_t findInvalidUtf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto first = static_cast<unsigned char>(text[i]);
    std::size_t length = 1;
    if (first >= 0x80) {
      if (first < 0xC2 || first > 0xF4) return i;
      length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
      if (i + length > text.size()) return i;
      for (std::size_t k = 1; k < length; ++k)
        if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return i;
      const char32_t c = firstCharacter(text.substr(i, length));
      const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
      const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
      if (overlong || surrogate || c > 0x10FFFF) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

} // namespace lmc::syntax
