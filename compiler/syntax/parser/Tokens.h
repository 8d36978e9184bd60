// The tokens of a text and the words of the language, for tools that work on texts: the formatter, editors.
#pragma once

#include "base/Source.h"
#include "diagnostics/Diagnostics.h"
#include "syntax/Ast.h"
#include "syntax/parser/Parser.h"

#include <string>
#include <vector>

namespace lmc::syntax {

enum class TokenKind : std::uint8_t {
  Word,   ///< reserved, or a keyword in this place
  Name,   ///< the names of bound indices too
  Number, ///< as written
  String, ///< with its quotes
  Sign,
  Comment,
};

/// A token and its bytes [begin, end).
struct Token {
  TokenKind kind = TokenKind::Sign;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool reduces = false; ///< `sum` or `product` before bound indices
};

/// All tokens of a text, comments among them, in order. What is no token of the language is left out, and reported;
/// nothing is read, and that reported, of a text beyond the limits.
[[nodiscard]] std::vector<Token> tokensOf(const Sources& sources, SourceId id, Diagnostics& diagnostics,
                                          const ParseLimits& limits = {});

/// The tree and the tokens of a text, at the cost of one reading (`parse` of Parser.h and `tokensOf`).
[[nodiscard]] File parse(const Sources& sources, SourceId id, Diagnostics& diagnostics, std::vector<Token>& tokens,
                         const ParseLimits& limits);

/// The words that no name may be, sorted.
[[nodiscard]] const std::vector<std::string>& reservedWords();

/// The words that are keywords in their place only, sorted.
[[nodiscard]] const std::vector<std::string>& contextualWords();

/// The words that begin declarations.
[[nodiscard]] const std::vector<std::string>& wordsOfDeclarations();

} // namespace lmc::syntax
