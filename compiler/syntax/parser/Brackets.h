// Part of Parser.cpp: what a bracket that does not fit stands for.
#pragma once

#include "syntax/parser/Lexemes.h"

namespace lmc::syntax {

/// Looks at the brackets of one statement.
class Brackets {
public:
  Brackets(const std::vector<Lexeme>& tokens, std::uint32_t offset) : tokens_(tokens) {
    const auto here = std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                                       [](const Lexeme& l, std::uint32_t o) { return l.begin < o; });
    at_ = static_cast<std::size_t>(here - tokens_.begin());
    std::size_t first = at_;
    while (first > 0 && !ends(tokens_[first - 1].type)) --first;
    for (std::size_t k = first; k < at_; ++k) (void)follow(open_, tokens_[k].type);
  }

  /// Of a wrong bracket there: true if the one that it should be is missing, and this one closes what is around; false
  /// if it was written in the place of the other. Whichever leaves fewer brackets of the statement alone.
  [[nodiscard]] bool closesAround() const {
    if (open_.empty()) return false;
    std::vector<std::size_t> rest = open_;
    rest.pop_back();
    return alone(rest, at_) < alone(rest, at_ + 1);
  }

  /// Whether a bracket there or behind, in the statement, closes nothing.
  [[nodiscard]] bool closesTooMuch() const {
    std::vector<std::size_t> open = open_;
    for (std::size_t k = at_; k < tokens_.size() && !ends(tokens_[k].type); ++k)
      if (follow(open, tokens_[k].type)) return true;
    return false;
  }

private:
  static bool ends(std::size_t type) {
    return type == LieParser::SEMI || type == LieParser::LBRACE || type == LieParser::RBRACE;
  }

  /// Whether a bracket is alone; `open` are the closers that are waited for.
  static bool follow(std::vector<std::size_t>& open, std::size_t type) {
    if (type == LieParser::LPAREN) open.push_back(LieParser::RPAREN);
    if (type == LieParser::LBRACKET) open.push_back(LieParser::RBRACKET);
    if (type != LieParser::RPAREN && type != LieParser::RBRACKET) return false;
    const bool fits = !open.empty() && open.back() == type;
    if (!open.empty()) open.pop_back();
    return !fits;
  }

  [[nodiscard]] std::size_t alone(std::vector<std::size_t> open, std::size_t from) const {
    std::size_t n = 0;
    for (std::size_t k = from; k < tokens_.size() && !ends(tokens_[k].type); ++k)
      n += follow(open, tokens_[k].type) ? 1 : 0;
    return n + open.size();
  }

  const std::vector<Lexeme>& tokens_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;
};

} // namespace lmc::syntax
