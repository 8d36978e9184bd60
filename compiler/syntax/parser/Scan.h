// Part of Parser.cpp (which includes ANTLR first; nothing else includes this): the tokens of an ordinary text, found
// directly. The generated lexer builds its automaton while it reads, which costs more than parsing and checking a
// model; it serves the texts that have anything out of the ordinary: letters beyond ASCII outside of comments,
// operators of other languages, strings or comments that are not closed. Words and signs are those of its vocabulary,
// and a test compares both on everything there is.
#pragma once

#include "syntax/parser/Lexemes.h"

#include <map>

namespace lmc::syntax {

class Scanner {
public:
  explicit Scanner(LexemeList& list) : list_(list), text_(list.source->text()) {}

  /// Splits the text from a place on. False, and nothing is in the list, for texts that are left to the lexer.
  bool run(std::size_t from, std::size_t limit) {
    at_ = from;
    bool good = true;
    while (good && skipBlanks() && !list_.tooMany) {
      good = token();
      list_.tooMany = list_.tokens.size() > limit;
    }
    if (good) return true;
    list_.tokens.clear();
    list_.comments.clear();
    list_.tooMany = false;
    return false;
  }

private:
  using Words = std::map<std::string, std::size_t, std::less<>>;

  /// The reserved words and the signs of the grammar, with their types.
  static const Words& vocabulary() {
    static const Words words = [] {
      antlr4::ANTLRInputStream nothing;
      const LieLexer lexer(&nothing);
      Words found;
      for (std::size_t type = 1; type <= lexer.getVocabulary().getMaxTokenType(); ++type) {
        const std::string quoted = lexer.getVocabulary().getLiteralName(type);
        if (quoted.size() > 2) found[quoted.substr(1, quoted.size() - 2)] = type;
      }
      return found;
    }();
    return words;
  }

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool beyond(char c) { return static_cast<unsigned char>(c) >= 0x80; }

  /// The character at a place; 0 behind the end.
  [[nodiscard]] char at(std::size_t k) const { return k < text_.size() ? text_[k] : '\0'; }

  bool skipBlanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f') return true;
    }
    return false;
  }

  void add(std::size_t type, std::size_t end) {
    list_.tokens.push_back(
        {type, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), line_ != lineOfLast_});
    lineOfLast_ = line_;
    at_ = end;
  }

  bool token() {
    const char c = text_[at_];
    if (isLetter(c)) return word();
    if (isDigit(c)) return number();
    if (c == '"') return string();
    if (c == '/' && (at(at_ + 1) == '/' || at(at_ + 1) == '*')) return comment();
    return sign();
  }

  bool word() {
    std::size_t end = at_;
    while (isLetter(at(end)) || isDigit(at(end))) ++end;
    if (beyond(at(end))) return false;
    const auto reserved = vocabulary().find(text_.substr(at_, end - at_));
    add(reserved == vocabulary().end() ? std::size_t{LieLexer::IDENT} : reserved->second, end);
    return true;
  }

  [[nodiscard]] std::size_t digits(std::size_t from) const {
    while (isDigit(at(from))) ++from;
    return from;
  }

  bool number() {
    std::size_t end = digits(at_);
    if (at(end) == '.' && isDigit(at(end + 1))) end = digits(end + 1);
    if (at(end) == 'e' || at(end) == 'E') {
      const std::size_t exponent = end + (at(end + 1) == '+' || at(end + 1) == '-' ? 2 : 1);
      if (isDigit(at(exponent))) end = digits(exponent);
    }
    add(LieLexer::NUMBER, end);
    return true;
  }

  bool string() {
    const std::size_t end = text_.find_first_of("\"\r\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] != '"') return false;
    add(LieLexer::STRING, end + 1);
    return true;
  }

  bool comment() {
    const bool block = text_[at_ + 1] == '*';
    const std::size_t last = block ? text_.find("*/", at_ + 2) : text_.find_first_of("\r\n", at_);
    if (block && last == std::string_view::npos) return false;
    const std::size_t end = block ? last + 2 : std::min(last, text_.size());
    list_.comments.push_back({block ? LieLexer::BLOCK_COMMENT : LieLexer::LINE_COMMENT, static_cast<std::uint32_t>(at_),
                              static_cast<std::uint32_t>(end), line_ != lineOfLast_});
    for (; at_ < end; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
    return true;
  }

  bool sign() {
    for (const std::size_t size : {2, 1}) {
      if (at_ + size > text_.size()) continue;
      const auto found = vocabulary().find(text_.substr(at_, size));
      if (found == vocabulary().end()) {
        if (size == 2 && mayBeForeign(text_[at_], text_[at_ + 1])) return false;
        continue;
      }
      add(found->second, at_ + size);
      return true;
    }
    return false;
  }

  /// True for every operator of FOREIGN with two characters that is no sign of the grammar, and for a few pairs more.
  static bool mayBeForeign(char first, char second) {
    return std::string_view("*&|:+-/<~=").find(first) != std::string_view::npos &&
           std::string_view("*&|=>").find(second) != std::string_view::npos;
  }

  LexemeList& list_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1, lineOfLast_ = 0;
};

} // namespace lmc::syntax
