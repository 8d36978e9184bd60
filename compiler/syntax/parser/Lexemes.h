// Part of Parser.cpp (which includes ANTLR first; nothing else includes this): from text to the tokens that the
// parser sees. The generated lexer splits the text; what it could not place is reported here and put right, so that
// the rest of the statement still parses.
#pragma once

#include "base/Source.h"
#include "diagnostics/Diagnostics.h"
#include "syntax/Characters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace lmc::syntax {

using grammar::LieLexer;
using grammar::LieParser;

/// One token: its kind and its bytes.
struct Lexeme {
  std::size_t type = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool firstOnLine = false;
};

/// The tokens of one source, and what was found while splitting it.
struct LexemeList {
  const Source* source = nullptr;
  SourceId id = 0;
  std::vector<Lexeme> tokens;
  std::vector<Lexeme> comments;
  /// Where something was reported; a later error of the same statement would only repeat it. Sorted.
  std::vector<std::uint32_t> damage;
  /// Names that were put right, by their place.
  std::unordered_map<std::uint32_t, std::string> repaired;
  bool tooMany = false;

  [[nodiscard]] Range range(const Lexeme& l) const { return {id, l.begin, l.end}; }
  [[nodiscard]] std::string_view text(const Lexeme& l) const {
    if (!repaired.empty())
      if (const auto found = repaired.find(l.begin); found != repaired.end()) return found->second;
    return std::string_view(source->text()).substr(l.begin, l.end - l.begin);
  }
  [[nodiscard]] bool damaged(std::uint32_t begin, std::uint32_t end) const {
    const auto first = std::lower_bound(damage.begin(), damage.end(), begin);
    return first != damage.end() && *first <= end;
  }
};

/// True for a token that may end an expression: what follows it cannot be an operand.
inline bool endsExpression(std::size_t type) {
  switch (type) {
  case LieParser::IDENT:
  case LieParser::NUMBER:
  case LieParser::STRING:
  case LieParser::RPAREN:
  case LieParser::RBRACKET:
  case LieParser::PRIME:
    return true;
  default:
    return false;
  }
}

/// The bytes of a mark at the beginning of a text that says that it is UTF-8.
inline std::size_t markSize(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? mark.size() : 0;
}

/// Runs the generated lexer. Offsets become bytes of the source.
inline void splitByLexer(LexemeList& list, std::size_t limit) {
  std::string_view text = list.source->text();
  const std::size_t skipped = markSize(text);
  text.remove_prefix(skipped);
  // The lexer counts characters; this table, needed only beyond ASCII, gives their bytes.
  std::vector<std::uint32_t> bytes;
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    for (std::size_t i = 0; i <= text.size(); ++i)
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U)
        bytes.push_back(static_cast<std::uint32_t>(i));
  }
  const auto offset = [&](std::size_t character) {
    return static_cast<std::uint32_t>(skipped + (bytes.empty() ? character : bytes.at(character)));
  };
  antlr4::ANTLRInputStream input{std::string(text)};
  LieLexer lexer(&input);
  lexer.removeErrorListeners();
  std::size_t line = 0;
  while (true) {
    const auto token = lexer.nextToken();
    if (token->getType() == antlr4::Token::EOF) break;
    Lexeme lexeme{token->getType(), offset(token->getStartIndex()), offset(token->getStopIndex() + 1),
                  token->getLine() != line};
    if (token->getChannel() != antlr4::Token::DEFAULT_CHANNEL) {
      list.comments.push_back(lexeme);
      continue;
    }
    line = token->getLine();
    list.tokens.push_back(lexeme);
    if (list.tokens.size() > limit) {
      list.tooMany = true;
      break;
    }
  }
}

/// Reports what is no token of the language and puts it right where it is clear what was meant.
class Repair {
public:
  Repair(LexemeList& list, Diagnostics& diagnostics) : list_(list), diagnostics_(diagnostics) {}

  void run() {
    raw_.swap(list_.tokens);
    list_.tokens.reserve(raw_.size());
    for (at_ = 0; at_ < raw_.size();) {
      const Lexeme& token = raw_[at_];
      switch (token.type) {
      case LieParser::OTHER:
        other(token);
        break;
      case LieParser::FOREIGN:
        foreign(token);
        break;
      case LieParser::NUMBER:
        number(token);
        break;
      case LieParser::DOT:
        dot(token);
        break;
      case LieParser::OPEN_STRING:
        error(Code::LIE0005, token, "this string is not closed").suggest("strings end on their line: add `\"`");
        keep(token, LieParser::STRING);
        break;
      case LieParser::OPEN_COMMENT:
        error(Code::LIE0006, {token.type, token.begin, token.begin + 2}, "this comment is not closed")
            .suggest("add `*/`");
        ++at_;
        break;
      default:
        keep(token, token.type);
      }
    }
  }

private:
  Diagnostics::Report error(Code code, const Lexeme& token, std::string message) {
    list_.damage.push_back(token.begin);
    return diagnostics_.error(code, list_.range(token), std::move(message));
  }

  void keep(Lexeme token, std::size_t type) {
    token.type = type;
    list_.tokens.push_back(token);
    ++at_;
  }

  std::string_view textOf(const Lexeme& token) const {
    return std::string_view(list_.source->text()).substr(token.begin, token.end - token.begin);
  }

  /// The type of the token `ahead` places on, if nothing stands between; 0 otherwise.
  std::size_t adjacent(std::size_t ahead) const {
    const std::size_t i = at_ + ahead;
    return i < raw_.size() && raw_[i].begin == raw_[i - 1].end ? raw_[i].type : 0;
  }

  void number(const Lexeme& token) {
    const std::string text(textOf(token));
    if (adjacent(1) == LieParser::DOT) return numberWithPoint(token, text);
    if (adjacent(1) == LieParser::IDENT) return numberWithName(token, text);
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
      if (std::isinf(std::strtod(text.c_str(), nullptr))) {
        error(Code::LIE0008, token, "the number " + text + " is too large").suggest("the largest is 1.797e308");
      } else {
        diagnostics_.warning(Code::LIE0008, list_.range(token), "the number " + text + " is too small and becomes 0");
      }
    }
    keep(token, token.type);
  }

  /// `1.`, `1.e5`, `1.5.2`
  void numberWithPoint(const Lexeme& token, const std::string& text) {
    Lexeme whole = token;
    whole.end = raw_[at_ + 1].end;
    std::size_t parts = 2;
    const bool isPoint = text.find('.') == std::string::npos;
    if (adjacent(2) == LieParser::NUMBER || adjacent(2) == LieParser::IDENT) {
      whole.end = raw_[at_ + 2].end;
      parts = 3;
    }
    const std::string tail = parts == 3 ? std::string(textOf(raw_[at_ + 2])) : std::string();
    auto report = error(Code::LIE0007, whole, inQuotes(textOf(whole)) + " is not a number");
    if (isPoint && (tail.empty() || tail[0] == 'e' || tail[0] == 'E'))
      report.note("a number has digits on both sides of its point").suggest("write " + text + ".0" + tail);
    at_ += parts - 1;
    keep(whole, LieParser::NUMBER);
  }

  /// `2x`, `1e`, `0x1F`
  void numberWithName(const Lexeme& token, const std::string& text) {
    const std::string name(textOf(raw_[at_ + 1]));
    Lexeme whole = token;
    whole.end = raw_[at_ + 1].end;
    auto report = error(Code::LIE0007, whole, inQuotes(text + name) + " is neither a number nor a name");
    if (name == "e" || name == "E")
      report.note("the exponent has no digits").suggest("write " + text + "e0");
    else if (text == "0" && (name[0] == 'x' || name[0] == 'b'))
      report.suggest("numbers are written in decimal");
    else
      report.suggest("a product needs its sign: " + text + "*" + name);
    ++at_;
    keep(whole, LieParser::NUMBER);
  }

  /// `.5`; any other point is kept.
  void dot(const Lexeme& token) {
    if (adjacent(1) != LieParser::NUMBER) return keep(token, token.type);
    Lexeme whole = token;
    whole.end = raw_[at_ + 1].end;
    const std::string text(textOf(whole));
    const bool afterOperand =
        !list_.tokens.empty() && endsExpression(list_.tokens.back().type) && list_.tokens.back().end == token.begin;
    at_ += 1;
    if (afterOperand) {
      error(Code::LIE0007, whole, "after a point stands the name of a part, not a number")
          .suggest("components are written with brackets: [" + text.substr(1) + "]");
      ++at_;
      return;
    }
    error(Code::LIE0007, whole, inQuotes(text) + " is not a number")
        .note("a number has digits on both sides of its point")
        .suggest("write 0" + text);
    keep(whole, LieParser::NUMBER);
  }

  void foreign(const Lexeme& token) {
    struct Row {
      std::string_view spelling;
      std::size_t type;
      std::string_view advice;
    };
    static constexpr Row rows[] = {
        {"**", LieParser::CARET, "powers are written with `^`"},
        {"&&", LieParser::AND, "write `and`"},
        {"||", LieParser::OR, "write `or`"},
        {"!", LieParser::NOT, "write `not`"},
        {":=", LieParser::ASSIGN, "write `=`"},
        {"+=", LieParser::ASSIGN, "nothing is assigned twice; give the sum a name of its own with `let`"},
        {"-=", LieParser::ASSIGN, "nothing is assigned twice; give the difference a name of its own with `let`"},
        {"*=", LieParser::ASSIGN, "nothing is assigned twice; give the product a name of its own with `let`"},
        {"/=", LieParser::NE, "`not equal` is written `!=`"},
        {"<>", LieParser::NE, "`not equal` is written `!=`"},
        {"~=", LieParser::NE, "`not equal` is written `!=`"},
        {"%", LieParser::STAR, "the remainder is mod(a, b); comments begin with `//`"},
        {"=>", LieParser::GE, "`greater or equal` is written `>=`"},
        {"->", LieParser::DOT, "parts are reached by a point: X.R"},
    };
    const std::string text(textOf(token));
    if (text[0] == '#') {
      error(Code::LIE0009, {token.type, token.begin, token.begin + 1}, "`#` does not begin a comment")
          .suggest("comments begin with `//`");
      ++at_;
      return;
    }
    for (const Row& row : rows) {
      if (row.spelling != text) continue;
      error(Code::LIE0009, token, "there is no operator `" + text + "`").suggest(std::string(row.advice));
      return keep(token, row.type);
    }
  }

  void other(const Lexeme& token) {
    const char32_t c = firstCharacter(textOf(token));
    const Meant meant = meantBy(c);
    const std::string name = c < 0x20 || c == 0x7F ? codePoint(c) : inQuotes(textOf(token)) + " (" + codePoint(c) + ")";
    switch (meant.kind) {
    case MeantKind::Letter:
      return word(token, name, meant);
    case MeantKind::Sign:
      return sign(token, name, meant);
    case MeantKind::Quote:
      return quote(token, name);
    case MeantKind::Power:
      error(Code::LIE0004, token, name + " is " + std::string(meant.what)).suggest("write ^" + meant.text);
      ++at_;
      return;
    case MeantKind::Space:
      error(Code::LIE0004, token, codePoint(c) + " is " + std::string(meant.what))
          .suggest("write an ordinary space, or nothing");
      ++at_;
      return;
    case MeantKind::Unknown:
      unknown(token, name, c);
    }
  }

  void unknown(const Lexeme& token, const std::string& name, char32_t c) {
    // A run of strange characters is one error.
    Lexeme run = token;
    while (adjacent(1) == LieParser::OTHER && meantBy(firstCharacter(textOf(raw_[at_ + 1]))).kind == MeantKind::Unknown)
      run.end = raw_[++at_].end;
    if (c == 0)
      error(Code::LIE0004, run, "the text holds a NUL character").suggest("is this a text file?");
    else
      error(Code::LIE0004, run, name + " is not part of the language")
          .note("names are made of ASCII and Greek letters, digits and `_`");
    ++at_;
  }

  /// A word with letters of other alphabets: one error, and the name that was meant.
  void word(const Lexeme& token, const std::string& name, const Meant& meant) {
    const Lexeme bad = token;
    Lexeme whole = token;
    std::string fixed;
    if (!list_.tokens.empty() && list_.tokens.back().type == LieParser::IDENT &&
        list_.tokens.back().end == token.begin) {
      fixed = std::string(list_.text(list_.tokens.back()));
      whole.begin = list_.tokens.back().begin;
      whole.firstOnLine = list_.tokens.back().firstOnLine;
      list_.tokens.pop_back();
    }
    fixed += meant.text;
    while (const std::size_t next = adjacent(1)) {
      const std::string_view text = textOf(raw_[at_ + 1]);
      if (next == LieParser::IDENT ||
          (next == LieParser::NUMBER && text.find_first_not_of("0123456789") == std::string_view::npos)) {
        fixed += text;
      } else if (next == LieParser::OTHER) {
        const Meant also = meantBy(firstCharacter(text));
        if (also.kind != MeantKind::Letter) break;
        fixed += also.text;
      } else {
        break;
      }
      whole.end = raw_[++at_].end;
    }
    const std::string letter = meant.text.empty() ? std::string() : "; `" + meant.text + "` is meant here";
    error(Code::LIE0004, bad, name + " is " + std::string(meant.what) + ", which no name may hold" + letter)
        .suggest(fixed.empty() ? "leave it out" : "write " + fixed);
    if (fixed.empty()) {
      ++at_;
      return;
    }
    list_.repaired[whole.begin] = fixed;
    keep(whole, LieParser::IDENT);
  }

  void sign(const Lexeme& token, const std::string& name, const Meant& meant) {
    error(Code::LIE0004, token, name + " is " + std::string(meant.what) + ", not a sign of the language")
        .suggest("write " + meant.text);
    antlr4::ANTLRInputStream input(meant.text);
    LieLexer lexer(&input);
    lexer.removeErrorListeners();
    const std::size_t type = lexer.nextToken()->getType();
    if (type == LieParser::OTHER || type == LieParser::FOREIGN || type == antlr4::Token::EOF)
      ++at_;
    else
      keep(token, type);
  }

  /// “text”: a string in typographic quotes ends at the next one on its line.
  void quote(const Lexeme& token, const std::string& name) {
    error(Code::LIE0004, token, name + " does not enclose a string").suggest("write \"");
    Lexeme string = token;
    while (at_ + 1 < raw_.size() && !raw_[at_ + 1].firstOnLine) {
      const Lexeme& next = raw_[++at_];
      const bool closes =
          next.type == LieParser::OTHER && meantBy(firstCharacter(textOf(next))).kind == MeantKind::Quote;
      if (closes) {
        string.end = next.end;
        return keep(string, LieParser::STRING);
      }
      if (next.type == LieParser::SEMI) {
        --at_;
        break;
      }
    }
    ++at_;
  }

  LexemeList& list_;
  Diagnostics& diagnostics_;
  std::vector<Lexeme> raw_;
  std::size_t at_ = 0;
};

} // namespace lmc::syntax
