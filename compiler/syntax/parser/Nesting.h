// Part of Parser.cpp: the guard against nesting that recursive code could not survive, counted over the tokens
// before anything recursive sees them.
#pragma once

#include "syntax/parser/Lexemes.h"

namespace lmc::syntax {

/// Counts brackets, and what else makes a tree deeper: prefixes, powers, postfixes and `if`s in a row.
class Nesting {
public:
  explicit Nesting(const std::vector<Lexeme>& tokens) : tokens_(tokens) {}

  /// The index of the first token that lies deeper than `limit`, or the number of tokens.
  [[nodiscard]] std::size_t firstBeyond(std::size_t limit) {
    std::size_t previous = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      count(tokens_[i].type, previous);
      if (total_ > limit) return i;
      previous = tokens_[i].type;
    }
    return tokens_.size();
  }

private:
  struct Level {
    std::size_t chain = 0; ///< prefixes, powers and postfixes that follow each other
    std::size_t ifs = 0;
    bool brace = false;
  };

  void count(std::size_t type, std::size_t previous) {
    switch (type) {
    case LieParser::LPAREN:
    case LieParser::LBRACKET:
      if (endsExpression(previous)) deepen();
      return open(false);
    case LieParser::LBRACE:
      return open(true);
    case LieParser::RPAREN:
    case LieParser::RBRACKET:
      if (!levels_.back().brace) close();
      return;
    case LieParser::RBRACE:
      endStatement();
      close();
      return flatten();
    case LieParser::IF:
      ++levels_.back().ifs;
      ++total_;
      return;
    case LieParser::PRIME:
    case LieParser::DOT:
    case LieParser::CARET:
    case LieParser::NOT:
      return deepen();
    case LieParser::MINUS:
      if (!endsExpression(previous)) return deepen();
      return flatten();
    case LieParser::IDENT:
    case LieParser::NUMBER:
    case LieParser::STRING:
    case LieParser::NEXT:
      return;
    case LieParser::SEMI:
      endStatement();
      [[fallthrough]];
    case LieParser::COMMA:
    case LieParser::ASSIGN:
      total_ -= levels_.back().ifs;
      levels_.back().ifs = 0;
      return flatten();
    default:
      return flatten();
    }
  }

  void open(bool brace) {
    levels_.push_back({0, 0, brace});
    ++total_;
  }

  void close() {
    if (levels_.size() == 1) return;
    total_ -= 1 + levels_.back().chain + levels_.back().ifs;
    levels_.pop_back();
  }

  /// Parentheses that are still open at the end of a statement do not count any longer.
  void endStatement() {
    while (levels_.size() > 1 && !levels_.back().brace) close();
  }

  void deepen() {
    ++levels_.back().chain;
    ++total_;
  }

  /// An operator of a flat chain, a separator: what follows starts beside, not below.
  void flatten() {
    total_ -= levels_.back().chain;
    levels_.back().chain = 0;
  }

  const std::vector<Lexeme>& tokens_;
  std::vector<Level> levels_{Level{}};
  std::size_t total_ = 0;
};

} // namespace lmc::syntax
