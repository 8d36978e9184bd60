// Part of Parser.cpp: what could stand at a place where the text does not fit, in the modeller's words, and how the
// parser goes on after an error (the second half of `ErrorStrategy`).
#pragma once

#include "syntax/parser/Errors.h"
#include "syntax/parser/Placement.h"

namespace lmc::syntax {

/// What is missing when one certain token was expected, in the modeller's words; empty where there is nothing better.
inline std::string_view ErrorStrategy::missingPart(Parser* p, std::size_t expected) const {
  const Token* first = enclosing(p)->getStart();
  const std::size_t keyword = first == nullptr ? 0 : first->getType();
  switch (expected) {
  case LieParser::AT:
    return "`at` and the point where the force acts (`force F at P;`, or `force on q = …;`)";
  case LieParser::THEN:
    return "`then` after this condition";
  case LieParser::ELSE:
    return "`else`: an `if` has both branches";
  case LieParser::RANGE:
    return "`..` and the end of this range";
  case LieParser::BOUND:
    return "an index with its range, such as `i in 1..N`";
  case LieParser::STRING:
    return "the name of a file in quotes";
  case LieParser::COLON:
    if (keyword == LieParser::CONFIG || keyword == LieParser::STATE) return "`:` and a manifold after this name";
    if (keyword == LieParser::SOLVE) return "`:` and the equations to solve";
    if (keyword == LieParser::CONSTRAINT) return "`:` and an equation (`constraint rod : norm(q) = 1;`)";
    if (keyword == LieParser::CONTACT) return "`:` and an inequality (`contact floor : z >= 0;`)";
    if (p->getContext()->getRuleIndex() == LieParser::RulePrimary) return "`:` and the terms of this sum or product";
    return "`:` and a type";
  case LieParser::FROM:
    return "`from` and what the numbers are at the begin of a run";
  case LieParser::LBRACE:
    return "`{`";
  case LieParser::ASSIGN:
    if (keyword == LieParser::INSTANCE) return "`=` and a joint (`joint hinge = NAME(A, B);`)";
    if (p->getContext()->getRuleIndex() == LieParser::RuleEquation) return "`=` between the sides of this equation";
    return "`=` and a value";
  default:
    return {};
  }
}

/// A symbol of the grammar, in words.
inline std::string ErrorStrategy::symbol(Parser* p, std::size_t type) const {
  if (type == Token::EOF) return "the end of the text";
  if (type == LieParser::IDENT) return p->getContext()->getRuleIndex() == LieParser::RuleType ? "a type" : "a name";
  if (const std::string_view part = missingPart(p, type); !part.empty()) return std::string(part);
  if (type == LieParser::NUMBER) return "a number";
  std::string shown = p->getVocabulary().getDisplayName(type); // the grammar's own quotes: '('
  if (shown.size() > 2 && shown.front() == '\'') return inQuotes(shown.substr(1, shown.size() - 2));
  // A word that is one in its place alone, such as `adjust`: the grammar has its name, in capitals.
  for (char& c : shown) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return inQuotes(shown);
}

/// Everything that could stand here, in words.
inline std::string ErrorStrategy::expectation(Parser* p) const {
  const antlr4::misc::IntervalSet expected = p->getExpectedTokens();
  const std::size_t rule = p->getContext()->getRuleIndex();
  if (expected.contains(static_cast<ssize_t>(LieParser::REDUCTION))) return "an expression";
  if (expected.contains(static_cast<ssize_t>(LieParser::VELOCITY)))
    return "`velocity` or `momentum` and its name after this manifold";
  if (rule == LieParser::RuleDeclaration && expected.contains(static_cast<ssize_t>(LieParser::LBRACE)))
    return "`{` or `=`";
  if (rule == LieParser::RuleExponent) return "an integer, a name or a parenthesised expression as exponent";
  if (rule == LieParser::RuleSetting) return "`=` and a value";
  // The few that could: `adjust` or a name.
  if (expected.size() > 3) return "something else";
  std::string all;
  std::size_t count = 0;
  for (const ssize_t type : expected.toList()) {
    if (count++ > 0) all += count == static_cast<std::size_t>(expected.size()) ? " or " : ", ";
    all += symbol(p, static_cast<std::size_t>(type));
  }
  return all.empty() ? "something else" : all;
}

/// Words that start a statement, for finding the one that was meant.
inline const std::vector<std::string>& statementWords() {
  static const std::vector<std::string> words = {
      "let",         "fn",    "param",    "config",   "state",   "lagrangian", "hamiltonian", "force",
      "dissipation", "input", "flow",     "for",      "initial", "observe",    "event",       "simulate",
      "every",       "reset", "view",     "element",  "algebra", "point",      "holds",       "solve",
      "keep",        "next",  "embedded", "discrete", "order",   "constraint", "joint",       "contact"};
  return words;
}

inline const std::vector<std::string>& declarationWords() {
  static const std::vector<std::string> words = {"model",       "group",  "manifold", "method", "tableau",
                                                 "variational", "import", "fn",       "joint"};
  return words;
}

/// `param m = 1, l = 2;`: each has a statement of its own. It is read as if it had, with the word in the comma's place;
/// `config x[i in 1..3] : R velocity v[i];`: a family has one name.
inline antlr4::Token* ErrorStrategy::anotherOfItsKind(Parser* p) {
  Token* const t = current(p);
  const Token* const first = enclosing(p)->getStart();
  const std::size_t word = first == nullptr ? 0 : first->getType();
  const bool named = word == LieParser::PARAM || word == LieParser::CONFIG || word == LieParser::STATE ||
                     word == LieParser::INPUT || word == LieParser::INITIAL || word == LieParser::OBSERVE ||
                     word == LieParser::FLOW;
  if (t->getType() == LieParser::COMMA && named && p->getTokenStream()->LA(2) == LieParser::IDENT) {
    auto* const comma = dynamic_cast<antlr4::WritableToken*>(t);
    if (comma == nullptr || Brackets(list_.tokens, beginOf(t)).closesTooMuch()) return nullptr;
    const std::string keyword(textOf(first));
    report(p, Code::LIE0010, rangeOf(t), "expected `;` after " + nounOf(enclosing(p), list_) + ", found `,`")
        .suggest("each has a statement of its own: write ; " + keyword);
    comma->setType(word);
    return supply(LieParser::SEMI);
  }
  if (t->getType() == LieParser::LBRACKET && word == LieParser::CONFIG && previous(p)->getType() == LieParser::IDENT) {
    const std::string name(textOf(previous(p)));
    report(p, Code::LIE0013, rangeOf(t), "expected `;` after " + nounOf(enclosing(p), list_) + ", found `[`")
        .suggest("the velocities of a family have one name, without an index: velocity " + name);
    while (current(p)->getType() != LieParser::SEMI && !endsStatement(current(p))) p->consume();
    if (current(p)->getType() != LieParser::SEMI) return supply(LieParser::SEMI);
    reported_ = false;
    return p->consume();
  }
  return nullptr;
}

/// The `{` or `;` behind the inequality of a contact is missing; its settings, up to their `}`, are passed over.
inline bool ErrorStrategy::missingContactBlock(Parser* p) {
  auto* contact = dynamic_cast<LieParser::ContactStatementContext*>(p->getContext());
  if (contact == nullptr || contact->expression() == nullptr) return false;
  if (isContactSetting(textOf(current(p))) && p->getTokenStream()->LA(2) == LieParser::ASSIGN) {
    report(p, Code::LIE0011, gap(p), "missing `{` before " + inQuotes(textOf(current(p))));
    auto* tokens = p->getTokenStream();
    while (isContactSetting(textOf(current(p))) && tokens->LA(2) == LieParser::ASSIGN)
      while (current(p)->getType() != Token::EOF && current(p)->getType() != LieParser::RBRACE &&
             p->consume()->getType() != LieParser::SEMI) {
      }
    if (current(p)->getType() == LieParser::RBRACE) p->consume();
    passed_ = true;
  } else if (endsStatement(current(p))) {
    report(p, Code::LIE0010, gap(p), "expected `;` after " + nounOf(enclosing(p), list_));
  } else {
    report(p, Code::LIE0013, rangeOf(current(p)),
           "expected an operator, `;` or `{` after " + nounOf(enclosing(p), list_) + ", found " + found(current(p)));
  }
  return true;
}

inline void ErrorStrategy::reportError(Parser* p, const antlr4::RecognitionException& /*e*/) {
  if (reported_ || missingContactBlock(p)) return;
  auto* event = dynamic_cast<LieParser::EventStatementContext*>(p->getContext());
  if (event != nullptr && event->expression() != nullptr && endsStatement(current(p)))
    report(p, Code::LIE0010, gap(p), "expected `;` after " + nounOf(enclosing(p), list_));
  else
    reportUnexpected(p);
  reported_ = true;
}

inline void ErrorStrategy::recover(Parser* p, std::exception_ptr e) {
  switch (p->getContext()->getRuleIndex()) {
  case LieParser::RuleStatement:
  case LieParser::RuleSetting:
  case LieParser::RuleShape:
    if (!passed_) skipStatement(p);
    passed_ = false;
    break;
  case LieParser::RuleDeclaration:
    skipToDeclaration(p);
    break;
  case LieParser::RuleFile:
  case LieParser::RuleLoneExpression:
    break;
  default:
    std::rethrow_exception(e);
  }
  reported_ = false;
}

/// Behind the next `;` or block, or before what closes the body or starts another statement.
inline void ErrorStrategy::skipStatement(Parser* p) {
  std::size_t depth = 0;
  bool first = p->getContext()->getStart() == current(p);
  // Once nothing more is shown, nothing more needs to be found.
  const bool toEnd = diagnostics_.full();
  for (;; first = false) {
    const Token* t = current(p);
    const std::size_t type = t->getType();
    if (type == Token::EOF) return;
    if (toEnd) {
      p->consume();
      continue;
    }
    if (depth == 0 && !first) {
      if (type == LieParser::RBRACE) return;
      const bool starts = startsStatement(type) || startsDeclaration(type);
      if (starts && firstOnLine(t)) return;
    }
    if (type == LieParser::RBRACE && depth == 0) return;
    p->consume();
    if (type == LieParser::LBRACE) ++depth;
    if (type == LieParser::RBRACE && --depth == 0) return;
    if (type == LieParser::SEMI && depth == 0) return;
  }
}

inline void ErrorStrategy::skipToDeclaration(Parser* p) {
  std::ptrdiff_t depth = 0;
  for (bool first = true;; first = false) {
    const std::size_t type = current(p)->getType();
    if (type == Token::EOF) return;
    const bool closed = depth <= 0 && type != LieParser::FN;
    if (!first && startsDeclaration(type) && (closed || (depth <= 0 && firstOnLine(current(p))))) return;
    if (type == LieParser::LBRACE) ++depth;
    if (type == LieParser::RBRACE) --depth;
    p->consume();
  }
}

/// "a group": what the parser is inside of.
inline std::string ErrorStrategy::declarationOf(Parser* p) const {
  for (antlr4::tree::ParseTree* at = p->getContext(); at != nullptr; at = at->parent) {
    auto* declaration = dynamic_cast<LieParser::DeclarationContext*>(at);
    if (declaration == nullptr || declaration->getStart() == nullptr) continue;
    const std::string_view word = textOf(declaration->getStart());
    return (word == "import" ? "an " : "a ") + std::string(word) + (word == "variational" ? " method" : "");
  }
  return "this declaration";
}

/// A statement that starts with a name where no statement does so.
inline void ErrorStrategy::misplaced(Parser* p) {
  const Token* name = previous(p);
  const std::string word(textOf(name));
  const std::vector<std::string>& words = statementWords();
  if (std::find(words.begin(), words.end(), word) != words.end()) {
    report(p, Code::LIE0019, rangeOf(name), inQuotes(word) + " does not stand in " + declarationOf(p));
  } else if (const std::string meant = nearest(word, words); !meant.empty()) {
    report(p, Code::LIE0014, rangeOf(name), "there is no statement `" + word + "`")
        .suggest("did you mean `" + meant + "`?");
  } else {
    report(p, Code::LIE0013, rangeOf(current(p)), "expected `=` after `" + word + "`, found " + found(current(p)));
  }
  reported_ = true;
}

inline void ErrorStrategy::unknownDeclaration(Parser* p) {
  const Token* t = current(p);
  const std::string word(textOf(t));
  if (t->getType() == LieParser::RBRACE) {
    report(p, Code::LIE0012, rangeOf(t), "this `}` closes nothing")
        .suggest("remove it, or look for a `}` too many before");
  } else if (t->getType() == LieParser::IDENT &&
             std::find(statementWords().begin(), statementWords().end(), word) == statementWords().end()) {
    const std::string meant = nearest(word, declarationWords());
    auto made = report(p, Code::LIE0014, rangeOf(t), "there is no declaration `" + word + "`");
    if (!meant.empty())
      made.suggest("did you mean `" + meant + "`?");
    else
      made.note("a file holds models, groups, manifolds, joints, methods, tableaux, functions and imports");
  } else if (t->getType() == LieParser::IDENT || startsStatement(t->getType())) {
    report(p, Code::LIE0019, rangeOf(t), inQuotes(word) + " stands inside a declaration")
        .suggest("write model NAME { … } around it");
  } else {
    report(p, Code::LIE0013, rangeOf(t), "expected a declaration, found " + found(t))
        .note("a file holds models, groups, manifolds, joints, methods, tableaux, functions and imports");
  }
  reported_ = false;
}

/// A declaration with a body behind which statements go on stands inside of another one: no `}` is missing before it.
/// Passes over it, with one error; false, and nothing is passed over, where a `}` may be missing.
inline bool ErrorStrategy::skipNested(Parser* p) {
  const Token* first = current(p);
  auto* tokens = p->getTokenStream();
  std::size_t depth = 0;
  ssize_t end = 1;
  for (;; ++end) {
    const std::size_t type = tokens->LT(end)->getType();
    if (type == Token::EOF || (type == LieParser::SEMI && depth == 0)) return false;
    if (type == LieParser::LBRACE) ++depth;
    if (type == LieParser::RBRACE && (depth == 0 || --depth == 0)) break;
  }
  const std::size_t next = tokens->LT(end + 1)->getType();
  if (next != LieParser::RBRACE && (!startsStatement(next) || startsDeclaration(next))) return false;
  const std::string word(textOf(first));
  report(p, Code::LIE0019, rangeOf(first), inQuotes(word) + " does not stand in " + declarationOf(p))
      .suggest("move this " + word + " in front of it");
  for (; end > 0; --end) p->consume();
  reported_ = false;
  return true;
}

/// Called before each repetition: passes over what starts no statement, with one error.
inline void ErrorStrategy::sync(Parser* p) {
  const std::size_t rule = p->getContext()->getRuleIndex();
  if (rule == LieParser::RuleFile) {
    while (current(p)->getType() != Token::EOF && !startsDeclaration(current(p)->getType())) {
      // Functions may stand outside: what stands between them was said to be misplaced once.
      if (!strayed_) unknownDeclaration(p);
      strayed_ = true;
      skipToDeclaration(p);
    }
    if (current(p)->getType() != LieParser::FN) strayed_ = false;
    return;
  }
  const bool settings = rule == LieParser::RuleSettings || rule == LieParser::RuleShapes;
  if (rule != LieParser::RuleBlock && !settings) return;
  while (true) {
    const Token* t = current(p);
    const std::size_t type = t->getType();
    if (rule == LieParser::RuleBlock && startsDeclaration(type) && firstOnLine(t) && skipNested(p)) continue;
    const bool starts = type == LieParser::IDENT || (rule == LieParser::RuleBlock && startsStatement(type));
    if (starts || type == LieParser::RBRACE || type == Token::EOF) return;
    if (startsDeclaration(type) && firstOnLine(t)) return;
    if (rule == LieParser::RuleShapes && startsStatement(type) && firstOnLine(t)) return; // a `}` is missing
    if (type == LieParser::SEMI) {
      report(p, Code::LIE0013, rangeOf(t), "there is no statement before this `;`").suggest("remove it");
      p->consume();
    } else if (isCloser(type)) {
      report(p, Code::LIE0012, rangeOf(t), "this `" + std::string(textOf(t)) + "` closes nothing");
      skipStatement(p);
    } else if (settings && startsStatement(type)) {
      report(p, Code::LIE0019, rangeOf(t),
             inQuotes(textOf(t)) + " does not stand in " + (rule == LieParser::RuleShapes ? "`view`" : "`simulate`"));
      skipStatement(p);
    } else {
      report(p, Code::LIE0013, rangeOf(t), "expected a statement, found " + found(t));
      skipStatement(p);
    }
    if (current(p) == t) p->consume();
    reported_ = false;
  }
}

} // namespace lmc::syntax
