// Characters that are not part of the language but look as if they were: what was meant by them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lmc::syntax {

enum class MeantKind : std::uint8_t {
  Unknown, ///< nothing that could be guessed
  Letter,  ///< `text` belongs into a name (a letter, or a digit of a subscript)
  Sign,    ///< `text` is a sign of the language
  Power,   ///< a superscript; `text` is the exponent
  Quote,   ///< a typographic quotation mark
  Space,   ///< a space that is none of ASCII, or invisible
};

struct Meant {
  MeantKind kind = MeantKind::Unknown;
  std::string text;
  std::string_view what; ///< what it is called: "the micro sign"
};

/// What a character outside of the language stands for.
[[nodiscard]] Meant meantBy(char32_t character);

/// The text between quotation marks, for messages.
[[nodiscard]] std::string inQuotes(std::string_view text);

/// "U+00B5"
[[nodiscard]] std::string codePoint(char32_t character);

/// Encodes one character as UTF-8.
[[nodiscard]] std::string utf8(char32_t character);

/// Reads the character at the start of valid UTF-8 text.
[[nodiscard]] char32_t firstCharacter(std::string_view text);

/// The offset of the first byte that is not valid UTF-8, or `npos`.
[[nodiscard]] std::size_t findInvalidUtf8(std::string_view text);

} // namespace lmc::syntax
