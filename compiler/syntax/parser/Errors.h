// Part of Parser.cpp: what the parser says when the text does not fit, and where it goes on.
//
// One error per statement: it is reported where it is met, the exception unwinds to the rule of the statement (or
// declaration), and parsing resumes behind its `;` or `}` or before the next keyword that starts a line.
#pragma once

#include "syntax/parser/Brackets.h"
#include "syntax/parser/Lexemes.h"
#include "syntax/parser/TokenTypes.h"

namespace lmc::syntax {

class ErrorStrategy : public antlr4::ANTLRErrorStrategy {
public:
  ErrorStrategy(const LexemeList& list, Diagnostics& diagnostics) : list_(list), diagnostics_(diagnostics) {}

  void reset(antlr4::Parser* /*parser*/) override {}
  bool inErrorRecoveryMode(antlr4::Parser* /*parser*/) override { return false; }
  void reportMatch(antlr4::Parser* /*parser*/) override {}

  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void recover(antlr4::Parser* parser, std::exception_ptr e) override;
  void sync(antlr4::Parser* parser) override;
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override;

private:
  using Parser = antlr4::Parser;
  using Token = antlr4::Token;

  // What was found.
  static std::uint32_t beginOf(const Token* t) { return static_cast<std::uint32_t>(t->getStartIndex()); }
  static std::uint32_t endOf(const Token* t) { return static_cast<std::uint32_t>(t->getStopIndex() + 1); }
  Range rangeOf(const Token* t) const { return {list_.id, beginOf(t), endOf(t)}; }
  static Token* current(Parser* p) { return p->getCurrentToken(); }
  static Token* previous(Parser* p) { return p->getTokenStream()->LT(-1); }
  /// Just behind the previous token, where something is missing.
  Range gap(Parser* p) const;
  bool firstOnLine(const Token* t) const;
  std::string_view textOf(const Token* t) const;
  std::string found(const Token* t) const;

  /// Whether a statement can be taken to end before this token.
  bool endsStatement(const Token* t) const;

  // Where we are.
  static antlr4::ParserRuleContext* enclosing(Parser* p);
  static std::string nounOf(antlr4::ParserRuleContext* statement, const LexemeList& list);
  const Lexeme* openerBefore(std::uint32_t offset, std::size_t opener, std::size_t closer) const;

  // Messages.
  bool afterBracket(Parser* p, Code code);
  Diagnostics::Report report(Parser* p, Code code, Range range, std::string message);
  void reportUnexpected(Parser* p);
  bool reportKnownMistake(Parser* p);
  bool reportComparison(Parser* p);
  static bool isOrder(std::size_t type);
  bool reportInequality(Parser* p, std::uint32_t begin, const Lexeme& sign);
  std::string expectation(Parser* p) const;
  std::string_view missingPart(Parser* p, std::size_t expected) const;
  std::string symbol(Parser* p, std::size_t type) const;

  Token* missingSemicolon(Parser* p);
  Token* anotherOfItsKind(Parser* p);
  Token* missingCloser(Parser* p, std::size_t expected);
  Token* missingBrace(Parser* p);
  Token* missingOpening(Parser* p);
  Token* missingName(Parser* p);
  bool missingContactBlock(Parser* p);
  Token* supply(std::size_t type);
  [[noreturn]] void giveUp(Parser* p);

  // Going on.
  void skipStatement(Parser* p);
  void skipToDeclaration(Parser* p);
  bool skipNested(Parser* p);
  void misplaced(Parser* p);
  std::string declarationOf(Parser* p) const;
  void unknownDeclaration(Parser* p);

  const LexemeList& list_;
  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<Token>> supplied_;
  Diagnostic unheard_;                      ///< takes the notes of reports that are not made
  bool reported_ = false, strayed_ = false; ///< stray text stood between the last two declarations
  bool passed_ = false;                     ///< the rest of the statement has been passed over
  std::optional<std::uint32_t> unclosed_;   ///< the begin of the statement in which a bracket was missing last
};

// -------------------------------------------------------------------------------------------- what and where

inline Range ErrorStrategy::gap(Parser* p) const {
  const Token* last = previous(p);
  const std::uint32_t at = last == nullptr ? beginOf(current(p)) : endOf(last);
  return {list_.id, at, at};
}

inline bool ErrorStrategy::firstOnLine(const Token* t) const {
  const std::size_t i = t->getTokenIndex();
  return i < list_.tokens.size() && list_.tokens[i].firstOnLine;
}

inline std::string_view ErrorStrategy::textOf(const Token* t) const {
  const std::size_t i = t->getTokenIndex();
  return i < list_.tokens.size() ? list_.text(list_.tokens[i]) : std::string_view();
}

inline std::string ErrorStrategy::found(const Token* t) const {
  constexpr std::size_t longest = 40;
  std::string text(textOf(t));
  if (text.size() > longest) text = "this";
  switch (t->getType()) {
  case Token::EOF:
    return "the end of the text";
  case LieParser::STRING:
    return "the string " + text;
  case LieParser::NUMBER:
    return "the number " + text;
  default:
    return isReserved(t->getType()) ? "the keyword `" + text + "`" : inQuotes(text);
  }
}

inline bool ErrorStrategy::endsStatement(const Token* t) const {
  const std::size_t type = t->getType();
  if (type == LieParser::RBRACE || type == Token::EOF) return true;
  if (startsStatement(type) || startsDeclaration(type)) return true;
  return type == LieParser::IDENT && firstOnLine(t);
}

/// The statement, setting, declaration or file that the parser is in.
inline antlr4::ParserRuleContext* ErrorStrategy::enclosing(Parser* p) {
  antlr4::RuleContext* at = p->getContext();
  while (at->parent != nullptr) {
    const std::size_t rule = at->getRuleIndex();
    if (rule == LieParser::RuleStatement || rule == LieParser::RuleDeclaration || rule == LieParser::RuleSetting) break;
    at = dynamic_cast<antlr4::RuleContext*>(at->parent);
  }
  return dynamic_cast<antlr4::ParserRuleContext*>(at);
}

/// "this param", "this definition"
inline std::string ErrorStrategy::nounOf(antlr4::ParserRuleContext* statement, const LexemeList& list) {
  const Token* first = statement->getStart();
  if (statement->getRuleIndex() == LieParser::RuleSetting) return "this setting";
  if (first == nullptr || first->getTokenIndex() >= list.tokens.size()) return "this";
  if (first->getType() == LieParser::IDENT) return "this definition";
  if (!startsStatement(first->getType()) && !startsDeclaration(first->getType())) return "this expression";
  return "this " + std::string(list.text(list.tokens[first->getTokenIndex()]));
}

/// The bracket that is still open at `offset`; nullptr if there is none.
inline const Lexeme* ErrorStrategy::openerBefore(std::uint32_t offset, std::size_t opener, std::size_t closer) const {
  const auto end = std::lower_bound(list_.tokens.begin(), list_.tokens.end(), offset,
                                    [](const Lexeme& l, std::uint32_t o) { return l.begin < o; });
  std::size_t open = 1;
  for (auto at = end; at != list_.tokens.begin();) {
    --at;
    if (at->type == closer) ++open;
    if (at->type == opener && --open == 0) return &*at;
  }
  return nullptr;
}

// ------------------------------------------------------------------------------------------------- messages

/// Whether an error follows from a bracket that was said to be missing in the same statement or shape.
inline bool ErrorStrategy::afterBracket(Parser* p, Code code) {
  const antlr4::RuleContext* at = p->getContext();
  const auto isWhole = [](std::size_t rule) {
    return rule == LieParser::RuleShape || rule == LieParser::RuleSetting || rule == LieParser::RuleStatement;
  };
  while (at != nullptr && !isWhole(at->getRuleIndex())) at = dynamic_cast<antlr4::RuleContext*>(at->parent);
  const auto* whole = dynamic_cast<const antlr4::ParserRuleContext*>(at);
  if (whole == nullptr || whole->start == nullptr) return false;
  const std::uint32_t begin = beginOf(whole->start);
  if (unclosed_ == begin) return true;
  if (code == Code::LIE0011) unclosed_ = begin;
  return false;
}

inline Diagnostics::Report ErrorStrategy::report(Parser* p, Code code, Range range, std::string message) {
  if (reported_) return Diagnostics::Report(nullptr);
  reported_ = true;
  const Token* first = enclosing(p)->getStart();
  const std::uint32_t begin = first == nullptr ? 0 : beginOf(first);
  if (afterBracket(p, code)) return Diagnostics::Report(nullptr);
  if (list_.damaged(begin, std::max(range.end, endOf(current(p))))) return Diagnostics::Report(nullptr);
  return diagnostics_.error(code, range, std::move(message));
}

/// `=` and `==` in each other's place, an `if` where parentheses are needed, and the like.
inline bool ErrorStrategy::reportKnownMistake(Parser* p) {
  const Token* t = current(p);
  const std::size_t rule = p->getContext()->getRuleIndex();
  const bool inExpression = rule == LieParser::RuleExpression || rule == LieParser::RulePrimary ||
                            rule == LieParser::RulePostfix || rule == LieParser::RuleArguments ||
                            rule == LieParser::RuleBinder || rule == LieParser::RuleLoneExpression;
  if (rule == LieParser::RuleEquation) return reportComparison(p);
  switch (t->getType()) {
  case LieParser::EQ:
    report(p, Code::LIE0016, rangeOf(t), "`==` compares; a value is given with `=`").suggest("write =");
    return true;
  case LieParser::ASSIGN:
    if (!inExpression) return false;
    report(p, Code::LIE0016, rangeOf(t), "`=` gives a value; two values are compared with `==`").suggest("write ==");
    return true;
  case LieParser::IF:
    if (rule != LieParser::RulePrimary && rule != LieParser::RuleOperand) return false;
    report(p, Code::LIE0018, rangeOf(t), "an `if` inside an operator needs parentheses")
        .suggest("write (if … then … else …)");
    return true;
  case LieParser::LBRACE:
    if (const Token* before = previous(p); before == nullptr || before->getType() != LieParser::INITIAL) return false;
    report(p, Code::LIE0013, rangeOf(t), "expected a name, found `{`")
        .suggest("write a statement for each initial value: initial q = 0;");
    return true;
  default:
    return false;
  }
}

inline bool ErrorStrategy::isOrder(std::size_t type) {
  return type == LieParser::LT || type == LieParser::LE || type == LieParser::GT || type == LieParser::GE;
}

/// `constraint floor : a >= b;`: what pushes, and does not pull, is a contact.
inline bool ErrorStrategy::reportInequality(Parser* p, std::uint32_t begin, const Lexeme& sign) {
  const auto text = [this](std::uint32_t from, std::uint32_t to) {
    const std::string_view whole = list_.source->text();
    while (from < to && whole[from] == ' ') ++from;
    while (from < to && whole[to - 1] == ' ') --to;
    return std::string(whole.substr(from, to - from));
  };
  const std::uint32_t from = endOf(enclosing(p)->getStart());
  std::uint32_t to = from; // of what is constrained, without its condition
  for (const Lexeme& l : list_.tokens) {
    if (l.begin < from) continue;
    if (l.type == LieParser::COLON || l.type == LieParser::WHEN) break;
    to = l.end;
  }
  std::string greater = text(begin, sign.begin), less = text(sign.end, beginOf(current(p)));
  if (sign.type == LieParser::LT || sign.type == LieParser::LE) std::swap(greater, less);
  report(p, Code::LIE0420, list_.range(sign),
         "a constraint is an equation, which holds at all times; this is an inequality")
      .note("where two bodies may part, what acts between them only pushes, and they meet with an impact: that is a "
            "contact")
      .suggest("contact " + text(from, to) + " : " + greater + " >= " + less + ";");
  return true;
}

/// `a == b` where an equation `a = b` is meant; `a >= b` where a contact is.
inline bool ErrorStrategy::reportComparison(Parser* p) {
  const std::uint32_t begin = beginOf(p->getContext()->getStart());
  int depth = 0;
  for (const Lexeme& l : list_.tokens) {
    if (l.begin < begin) continue;
    if (l.begin > beginOf(current(p))) break;
    if (l.type == LieParser::LPAREN || l.type == LieParser::LBRACKET) ++depth;
    if (l.type == LieParser::RPAREN || l.type == LieParser::RBRACKET) --depth;
    if (l.type == LieParser::IF && depth == 0) return false; // what follows is its condition
    if (depth == 0 && isOrder(l.type) && enclosing(p)->getStart()->getType() == LieParser::CONSTRAINT)
      return reportInequality(p, begin, l);
    if (l.type != LieParser::EQ) continue;
    report(p, Code::LIE0016, list_.range(l), "`==` compares; an equation is written with `=`").suggest("write =");
    return true;
  }
  return false;
}

inline void ErrorStrategy::reportUnexpected(Parser* p) {
  if (reported_ || reportKnownMistake(p)) return;
  const Token* t = current(p);
  const Token* before = previous(p);
  antlr4::ParserRuleContext* here = p->getContext();
  const std::size_t rule = here->getRuleIndex();
  // `lagrangain L = …`: two names in a row at the start of a statement.
  const bool misnamed = rule == LieParser::RuleStatement && before != nullptr && before == here->getStart() &&
                        before->getType() == LieParser::IDENT;
  if (misnamed) return misplaced(p);
  if (rule == LieParser::RuleEquation && diagnostics_.errorCount() > 0) {
    // Its `=` stands in a bracket that is not closed, which has been reported.
    const std::uint32_t begin = beginOf(enclosing(p)->getStart());
    for (const Lexeme& l : list_.tokens)
      if (l.begin >= begin && l.begin < beginOf(t) && l.type == LieParser::ASSIGN) {
        reported_ = true;
        return;
      }
  }
  const std::string what = expectation(p);
  const bool isExpression = what == "an expression";
  const bool atEnd = t->getType() == Token::EOF || t->getType() == LieParser::RBRACE || firstOnLine(t);
  const Range range = atEnd && before != nullptr ? gap(p) : rangeOf(t);
  const std::string after = isExpression && before != nullptr ? " after " + inQuotes(textOf(before)) : std::string();
  std::string message = "expected " + what + after + ", found " + found(t);
  auto made = report(p, isExpression ? Code::LIE0020 : Code::LIE0013, range, std::move(message));
  if (isReserved(t->getType()) && isExpression)
    made.note(inQuotes(textOf(t)) + " is a reserved word and cannot be a name");
}

// ------------------------------------------------------------------------------------------------- in the line

inline antlr4::Token* ErrorStrategy::supply(std::size_t type) {
  supplied_.push_back(std::make_unique<antlr4::CommonToken>(type));
  reported_ = false;
  return supplied_.back().get();
}

inline void ErrorStrategy::giveUp(Parser* p) {
  reported_ = true;
  throw antlr4::InputMismatchException(p);
}

inline antlr4::Token* ErrorStrategy::recoverInline(Parser* p) {
  const antlr4::misc::IntervalSet expected = p->getExpectedTokens();
  if (expected.size() == 1) {
    const auto type = static_cast<std::size_t>(expected.getMinElement());
    switch (type) {
    case LieParser::SEMI:
      return missingSemicolon(p);
    case LieParser::RPAREN:
    case LieParser::RBRACKET:
      return missingCloser(p, type);
    case LieParser::LBRACE:
      if (Token* supplied = missingOpening(p)) return supplied;
      break;
    case LieParser::RBRACE:
      return missingBrace(p);
    case LieParser::IDENT:
      return missingName(p);
    case LieParser::ASSIGN:
      if (current(p)->getType() == LieParser::EQ) {
        reportKnownMistake(p);
        reported_ = false;
        return p->consume();
      }
      break;
    case Token::EOF:
      report(p, Code::LIE0013, rangeOf(current(p)), "unexpected " + found(current(p)) + " after this expression");
      break;
    default:
      break;
    }
  }
  reportUnexpected(p);
  giveUp(p);
}

inline antlr4::Token* ErrorStrategy::missingSemicolon(Parser* p) {
  const Token* t = current(p);
  const std::string noun = nounOf(enclosing(p), list_);
  const bool nextOne = t->getType() == LieParser::IDENT && p->getTokenStream()->LA(2) == LieParser::ASSIGN;
  if (nextOne || endsStatement(t)) {
    report(p, Code::LIE0010, gap(p), "expected `;` after " + noun);
    return supply(LieParser::SEMI);
  }
  if (isCloser(t->getType())) {
    const bool isParen = t->getType() == LieParser::RPAREN;
    report(p, Code::LIE0012, rangeOf(t), std::string("this `") + (isParen ? ")" : "]") + "` closes nothing")
        .suggest("remove it, or open it before");
    while (isCloser(current(p)->getType())) p->consume();
    if (current(p)->getType() == LieParser::SEMI) {
      reported_ = false;
      return p->consume();
    }
    giveUp(p);
  }
  if (reportKnownMistake(p)) giveUp(p);
  if (Token* next = anotherOfItsKind(p)) return next;
  const bool operand =
      endsExpression(previous(p)->getType()) && (endsExpression(t->getType()) || t->getType() == LieParser::LPAREN);
  const std::string first = p->getContext()->getStart() == previous(p) ? "" : operand ? "an operator or " : "";
  report(p, Code::LIE0013, rangeOf(t), "expected " + first + "`;` after " + noun + ", found " + found(t));
  giveUp(p);
}

inline antlr4::Token* ErrorStrategy::missingCloser(Parser* p, std::size_t expected) {
  const Token* t = current(p);
  const bool isParen = expected == LieParser::RPAREN;
  const std::size_t opener = isParen ? LieParser::LPAREN : LieParser::LBRACKET;
  const std::string sign = isParen ? ")" : "]";
  const Lexeme* open = openerBefore(beginOf(t), opener, expected);
  const std::uint32_t line = open == nullptr ? 0 : list_.source->position(open->begin).line;
  const std::string match =
      open == nullptr ? std::string()
                      : std::string(" to match the `") + (isParen ? "(" : "[") + "` at line " + std::to_string(line);
  const bool wrongCloser = isCloser(t->getType());
  const bool typeEnds = t->getType() == LieParser::ASSIGN && p->getContext()->getRuleIndex() == LieParser::RuleType;
  if (wrongCloser || typeEnds || t->getType() == LieParser::SEMI || t->getType() == LieParser::LBRACE ||
      endsStatement(t)) {
    auto made = report(p, Code::LIE0011, wrongCloser ? rangeOf(t) : gap(p), "missing `" + sign + "`" + match);
    if (open != nullptr && line != list_.source->position(beginOf(t)).line)
      made.note("it is opened here", list_.range(*open));
    if (wrongCloser && !Brackets(list_.tokens, beginOf(t)).closesAround()) {
      reported_ = false;
      return p->consume();
    }
    return supply(expected);
  }
  if (reportKnownMistake(p)) giveUp(p);
  if (previous(p)->getType() == opener) {
    report(p, Code::LIE0020, rangeOf(t),
           "expected an expression after " + inQuotes(textOf(previous(p))) + ", found " + found(t));
    giveUp(p);
  }
  report(p, Code::LIE0013, rangeOf(t), "expected an operator, `,` or `" + sign + "`" + match + ", found " + found(t));
  giveUp(p);
}

/// A body without its `{` is read as if it were there; nullptr where something else is wrong.
inline antlr4::Token* ErrorStrategy::missingOpening(Parser* p) {
  const Token* t = current(p);
  const std::size_t rule = p->getContext()->getRuleIndex();
  const bool isSettings = rule == LieParser::RuleSettings || rule == LieParser::RuleShapes;
  const bool begins = isSettings ? t->getType() == LieParser::IDENT : startsStatement(t->getType());
  if (!begins) return nullptr;
  report(p, Code::LIE0011, gap(p), "missing `{` after " + inQuotes(textOf(previous(p))));
  return supply(LieParser::LBRACE);
}

inline antlr4::Token* ErrorStrategy::missingBrace(Parser* p) {
  const Token* t = current(p);
  const Token* open = p->getContext()->getStart();
  report(p, Code::LIE0011, t->getType() == Token::EOF ? gap(p) : rangeOf(t),
         "missing `}` to match the `{` at line " + std::to_string(list_.source->position(beginOf(open)).line))
      .note("it is opened here", rangeOf(open));
  return supply(LieParser::RBRACE);
}

inline antlr4::Token* ErrorStrategy::missingName(Parser* p) {
  Token* t = current(p);
  const Token* last = previous(p);
  if (isReserved(t->getType()) && !firstOnLine(t)) {
    report(p, Code::LIE0015, rangeOf(t), inQuotes(textOf(t)) + " is a reserved word and cannot be a name")
        .suggest("choose another name, such as " + std::string(textOf(t)) + "_");
    dynamic_cast<antlr4::WritableToken&>(*t).setType(LieParser::IDENT);
    reported_ = false;
    return p->consume();
  }
  const bool isType = p->getContext()->getRuleIndex() == LieParser::RuleType;
  const std::string after = last == nullptr ? std::string() : " after `" + std::string(textOf(last)) + "`";
  const bool atEnd = t->getType() == Token::EOF || firstOnLine(t);
  report(p, Code::LIE0013, atEnd ? gap(p) : rangeOf(t),
         std::string("expected ") + (isType ? "a type" : "a name") + after + ", found " + found(t));
  giveUp(p);
}

} // namespace lmc::syntax
