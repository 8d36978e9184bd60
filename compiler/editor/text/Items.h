// Tokens of a text with what the formatter needs to know of each: where it stood, in what, how near it may be to the
// one before.
#pragma once

#include "base/Source.h"
#include "syntax/parser/Tokens.h"

#include <string>
#include <string_view>
#include <vector>

namespace lmc::editor {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The characters of a text, in which a tab reaches to the next multiple of eight, from a column on.
[[nodiscard]] std::size_t columnBehind(std::string_view text, std::size_t column);

struct Item {
  syntax::TokenKind kind = syntax::TokenKind::Sign;
  bool reduces = false;
  std::vector<std::string> lines;     ///< one, but of comments
  std::size_t line = 0, lastLine = 0; ///< of the text, from 0
  std::size_t column = 0;             ///< from 0
  std::size_t gap = 0;                ///< blanks before it, behind another item of its line
  bool first = false;                 ///< on its line
  bool last = false;

  std::size_t body = none; ///< the `{` around it; none: the file
  std::size_t depth = 0;   ///< of braces around it
  bool begins = false;     ///< a statement or declaration, or what closes one
  bool inBrackets = false; ///< of any kind
  bool negates = false;    ///< a minus before an operand
  std::size_t least = 1;   ///< blanks before it
  std::size_t most = 1;

  [[nodiscard]] const std::string& text() const { return lines.front(); }
  [[nodiscard]] bool is(std::string_view sign) const { return kind == syntax::TokenKind::Sign && text() == sign; }
  [[nodiscard]] bool isComment() const { return kind == syntax::TokenKind::Comment; }
};

/// The items of a text without errors. Of comments, blanks at the ends of lines are left out.
[[nodiscard]] std::vector<Item> itemsOf(std::string_view text, const std::vector<syntax::Token>& tokens);

} // namespace lmc::editor
