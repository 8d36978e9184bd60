// Part of Parser.cpp: what could stand at a place where the text does not fit, in the modeller's words.
#pragma once

#include "syntax/parser/Errors.h"

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

} // namespace lmc::syntax
