// Part of Parser.cpp: from the parse tree to expressions and types of the syntax tree.
#pragma once

#include "syntax/Operators.h"
#include "syntax/parser/Lexemes.h"

namespace lmc::syntax {

/// Places and texts of the nodes of the parse tree.
class TreeText {
public:
  TreeText(const LexemeList& list, Diagnostics& diagnostics) : list_(list), diagnostics_(diagnostics) {}

protected:
  using Token = antlr4::Token;
  using Terminal = antlr4::tree::TerminalNode;
  /// Whether a bracket that closes this range was read, and nothing wrong in between.
  [[nodiscard]] bool isSound(Range range, Terminal* closer) const {
    if (closer == nullptr || dynamic_cast<antlr4::tree::ErrorNode*>(closer) != nullptr) return false;
    const std::vector<Diagnostic> all = diagnostics_.sorted();
    return std::none_of(all.begin(), all.end(), [&](const Diagnostic& d) {
      return d.range.source == range.source && d.range.begin >= range.begin && d.range.end <= range.end;
    });
  }

  [[nodiscard]] Range range(const Token* t) const {
    if (t == nullptr || t->getTokenIndex() >= list_.tokens.size()) return {list_.id, 0, 0};
    return list_.range(list_.tokens[t->getTokenIndex()]);
  }
  [[nodiscard]] Range range(Terminal* node) const {
    return node == nullptr ? Range{list_.id, 0, 0} : range(node->getSymbol());
  }
  [[nodiscard]] Range range(antlr4::ParserRuleContext* c) const {
    const Range first = range(c->getStart());
    const Token* stop = c->getStop();
    if (stop == nullptr || stop->getTokenIndex() >= list_.tokens.size()) return first;
    return Range::cover(first, range(stop));
  }
  [[nodiscard]] std::string text(const Token* t) const {
    if (t == nullptr || t->getTokenIndex() >= list_.tokens.size()) return {};
    return std::string(list_.text(list_.tokens[t->getTokenIndex()]));
  }
  [[nodiscard]] std::string text(Terminal* node) const {
    return node == nullptr ? std::string() : text(node->getSymbol());
  }

  /// The text of a string, without its quotes (typographic or missing ones included).
  [[nodiscard]] std::string unquoted(Terminal* node) const {
    std::string s = text(node);
    const auto cut = [&](std::string_view quote, bool front) {
      if (front ? !s.starts_with(quote) : !s.ends_with(quote)) return;
      s.erase(front ? 0 : s.size() - quote.size(), quote.size());
    };
    for (const bool front : {true, false})
      for (const std::string_view quote : {"\"", "“", "”", "„", "«", "»"}) cut(quote, front);
    return s;
  }

  const LexemeList& list_;   // NOLINT
  Diagnostics& diagnostics_; // NOLINT
};

class ExpressionBuilder : public TreeText {
public:
  using TreeText::TreeText;

  /// An Error node for what is missing or could not be read.
  ExprPtr expression(LieParser::ExpressionContext* c);
  TypePtr type(LieParser::TypeContext* c);
  Binder binder(LieParser::BinderContext* c);
  Target target(LieParser::TargetContext* c);
  Target name(Terminal* node) const;

protected:
  /// `5(4)`, the orders of an embedded pair, reads like a call.
  bool numbersMayBeCalled_ = false; // NOLINT

private:
  using Node = std::shared_ptr<Expr>;
  static Node node(ExprKind kind, Range range) {
    auto e = std::make_shared<Expr>();
    e->kind = kind;
    e->range = range;
    return e;
  }
  ExprPtr conditional(LieParser::ConditionalContext* c);
  ExprPtr chain(LieParser::ChainContext* c);
  void operand(LieParser::OperandContext* c, ChainFolder& folder);
  ExprPtr primary(LieParser::PrimaryContext* c);
  ExprPtr number(LieParser::NumberContext* c);
  ExprPtr reduction(LieParser::ReductionContext* c);
  ExprPtr group(LieParser::GroupContext* c);
  ExprPtr postfix(ExprPtr base, LieParser::PostfixContext* c);
  void argumentsOf(Expr& call, LieParser::ArgumentsContext* c);
  void named(Expr& parts, LieParser::ArgumentContext* c);
  TypePtr typeOf(const ExprPtr& e);
  void checkCallee(const Expr& callee);
};

// ----------------------------------------------------------------------------------------------- expressions

inline ExprPtr ExpressionBuilder::expression(LieParser::ExpressionContext* c) {
  if (c == nullptr) return node(ExprKind::Error, {list_.id, 0, 0});
  if (c->exception != nullptr) return node(ExprKind::Error, range(c));
  if (auto* conditionalTree = dynamic_cast<LieParser::ConditionalContext*>(c)) return conditional(conditionalTree);
  if (auto* chainTree = dynamic_cast<LieParser::ChainContext*>(c)) return chain(chainTree);
  return node(ExprKind::Error, range(c));
}

inline ExprPtr ExpressionBuilder::conditional(LieParser::ConditionalContext* c) {
  Node e = node(ExprKind::If, range(c));
  e->opRange = range(c->IF());
  for (auto* part : c->expression()) e->args.push_back(expression(part));
  const Expr& condition = *e->args.front();
  if (condition.kind == ExprKind::Parts)
    diagnostics_.error(Code::LIE0016, condition.opRange, "`=` gives a value; two values are compared with `==`")
        .suggest("write ==");
  return e;
}

inline BinaryOp binaryOp(std::size_t type) {
  using enum BinaryOp;
  switch (type) {
  case LieParser::CARET:
    return Pow;
  case LieParser::STAR:
    return Mul;
  case LieParser::SLASH:
    return Div;
  case LieParser::CROSS:
    return Cross;
  case LieParser::CDOT:
    return Dot;
  case LieParser::MINUS:
    return Sub;
  case LieParser::EQ:
    return Eq;
  case LieParser::NE:
    return Ne;
  case LieParser::LT:
    return Lt;
  case LieParser::LE:
    return Le;
  case LieParser::GT:
    return Gt;
  case LieParser::GE:
    return Ge;
  case LieParser::AND:
    return And;
  case LieParser::OR:
    return Or;
  default:
    return Add;
  }
}

inline ExprPtr ExpressionBuilder::chain(LieParser::ChainContext* c) {
  ChainFolder folder(diagnostics_);
  for (antlr4::tree::ParseTree* child : c->children) {
    if (auto* terminal = dynamic_cast<Terminal*>(child)) {
      folder.binary(binaryOp(terminal->getSymbol()->getType()), range(terminal));
    } else {
      operand(dynamic_cast<LieParser::OperandContext*>(child), folder);
    }
  }
  return folder.finish();
}

inline void ExpressionBuilder::operand(LieParser::OperandContext* c, ChainFolder& folder) {
  ExprPtr result;
  for (antlr4::tree::ParseTree* child : c->children) {
    if (auto* primaryTree = dynamic_cast<LieParser::PrimaryContext*>(child)) {
      result = primary(primaryTree);
    } else if (auto* postfixTree = dynamic_cast<LieParser::PostfixContext*>(child)) {
      result = postfix(std::move(result), postfixTree);
    } else if (auto* terminal = dynamic_cast<Terminal*>(child)) {
      const bool isNot = terminal->getSymbol()->getType() == LieParser::NOT;
      folder.prefix(isNot ? ExprKind::Not : ExprKind::Negate, range(terminal));
    }
  }
  folder.operand(result != nullptr ? std::move(result) : node(ExprKind::Error, range(c)));
}

inline ExprPtr ExpressionBuilder::primary(LieParser::PrimaryContext* c) {
  const Range all = range(c);
  switch (c->getStart()->getType()) {
  case LieParser::NUMBER:
    return number(dynamic_cast<LieParser::NumberContext*>(c));
  case LieParser::REDUCTION:
    return reduction(dynamic_cast<LieParser::ReductionContext*>(c));
  case LieParser::LPAREN:
    return group(dynamic_cast<LieParser::GroupContext*>(c));
  case LieParser::STRING: {
    Node e = node(ExprKind::String, all);
    e->text = unquoted(dynamic_cast<LieParser::StringContext*>(c)->STRING());
    return e;
  }
  case LieParser::IDENT: {
    Node e = node(ExprKind::Name, all);
    e->text = text(c->getStart());
    return e;
  }
  case LieParser::NEXT: {
    Node e = node(ExprKind::Next, all);
    Terminal* nameNode = dynamic_cast<LieParser::NextValueContext*>(c)->IDENT();
    Node inner = node(ExprKind::Name, range(nameNode));
    inner->text = text(nameNode);
    e->opRange = range(c->getStart());
    e->args.push_back(std::move(inner));
    return e;
  }
  case LieParser::LBRACKET: {
    Node e = node(ExprKind::List, all);
    for (auto* element : dynamic_cast<LieParser::ListContext*>(c)->expression()) e->args.push_back(expression(element));
    return e;
  }
  default:
    return node(ExprKind::Error, all);
  }
}

inline ExprPtr ExpressionBuilder::number(LieParser::NumberContext* c) {
  Node e = node(ExprKind::Number, range(c));
  e->text = text(c->NUMBER());
  e->number = std::strtod(e->text.c_str(), nullptr);
  e->isInteger = e->text.find_first_not_of("0123456789") == std::string::npos;
  return e;
}

inline ExprPtr ExpressionBuilder::reduction(LieParser::ReductionContext* c) {
  const bool isSum = text(c->REDUCTION()) == "sum";
  Node e = node(isSum ? ExprKind::Sum : ExprKind::Product, range(c));
  e->opRange = range(c->REDUCTION());
  for (auto* b : c->binder()) e->binders.push_back(binder(b));
  const auto parts = c->expression();
  if (c->WHERE() != nullptr) e->where = expression(parts.front());
  e->args.push_back(expression(parts.back()));
  return e;
}

/// `(e)` or `(R = …, x = …)`
inline ExprPtr ExpressionBuilder::group(LieParser::GroupContext* c) {
  const auto arguments = c->argument();
  const Range all = range(c);
  if (arguments.size() == 1 && arguments.front()->ASSIGN() == nullptr) {
    ExprPtr inner = expression(arguments.front()->expression(0));
    auto& e = const_cast<Expr&>(*inner); // NOLINT: just built, and not shared yet
    e.parenthesized = true;
    e.range = all;
    return inner;
  }
  Node e = node(ExprKind::Parts, all);
  e->parenthesized = true;
  for (auto* argument : arguments) {
    if (argument->ASSIGN() == nullptr) {
      if (isSound(all, c->RPAREN())) // else what stands in it is anybody's guess
        diagnostics_.error(Code::LIE0021, all, "values in parentheses are an element with named parts")
            .suggest("a vector is written [a, b]; parts are named: (R = a, x = b)");
      return node(ExprKind::Error, all);
    }
    named(*e, argument);
  }
  return e;
}

/// Adds `name = value` to an element's parts or to a call's named arguments.
inline void ExpressionBuilder::named(Expr& parts, LieParser::ArgumentContext* c) {
  const ExprPtr name = expression(c->expression(0));
  if (name->kind != ExprKind::Name && name->kind != ExprKind::Error)
    diagnostics_.error(Code::LIE0016, range(c->ASSIGN()), "`=` gives a value; two values are compared with `==`")
        .suggest("write ==, or a single name before `=`");
  parts.opRange = range(c->ASSIGN());
  parts.names.push_back(name->text);
  parts.nameRanges.push_back(name->range);
  parts.args.push_back(expression(c->expression(1)));
}

inline void ExpressionBuilder::checkCallee(const Expr& callee) {
  const bool isNumber = callee.kind == ExprKind::Number;
  if (isNumber && numbersMayBeCalled_) return;
  if (isNumber || callee.kind == ExprKind::String || callee.kind == ExprKind::List)
    diagnostics_.error(Code::LIE0023, callee.range, std::string(isNumber ? "a number" : "this") + " is not a function")
        .suggest("a product needs its sign: 2*(…)");
}

inline ExprPtr ExpressionBuilder::postfix(ExprPtr base, LieParser::PostfixContext* c) {
  const Range all = Range::cover(base->range, range(c));
  if (auto* prime = dynamic_cast<LieParser::PrimePostfixContext*>(c)) {
    Node e = node(ExprKind::Prime, all);
    e->opRange = range(prime->PRIME());
    e->args.push_back(std::move(base));
    return e;
  }
  if (auto* field = dynamic_cast<LieParser::FieldPostfixContext*>(c)) {
    Node e = node(ExprKind::Field, all);
    e->text = text(field->IDENT());
    e->opRange = range(field->IDENT());
    e->args.push_back(std::move(base));
    return e;
  }
  if (auto* index = dynamic_cast<LieParser::IndexPostfixContext*>(c)) {
    Node e = node(ExprKind::Index, all);
    e->opRange = range(c);
    e->args.push_back(std::move(base));
    for (auto* i : index->expression()) e->args.push_back(expression(i));
    return e;
  }
  Node e = node(ExprKind::Call, all);
  e->opRange = range(c);
  checkCallee(*base);
  e->args.push_back(std::move(base));
  if (auto* call = dynamic_cast<LieParser::CallPostfixContext*>(c)) argumentsOf(*e, call->arguments());
  return e;
}

/// Arguments in order; named ones are gathered in one Parts node behind them.
inline void ExpressionBuilder::argumentsOf(Expr& call, LieParser::ArgumentsContext* c) {
  Node parts;
  for (auto* argument : c->argument()) {
    const Range all = range(argument);
    if (argument->ASSIGN() != nullptr) {
      if (parts == nullptr) parts = node(ExprKind::Parts, all);
      parts->range = Range::cover(parts->range, all);
      named(*parts, argument);
      continue;
    }
    if (parts != nullptr && isSound(range(c), c->RPAREN()))
      diagnostics_.error(Code::LIE0021, all, "an argument without a name stands behind a named one")
          .suggest("named arguments come last");
    call.args.push_back(expression(argument->expression(0)));
  }
  if (parts != nullptr) call.args.push_back(std::move(parts));
}

// ------------------------------------------------------------------------------------------- names and types

inline Binder ExpressionBuilder::binder(LieParser::BinderContext* c) {
  return {text(c->BOUND()), range(c->BOUND()), expression(c->expression(0)), expression(c->expression(1))};
}

inline Target ExpressionBuilder::name(Terminal* node) const {
  Target t;
  t.name = text(node);
  t.nameRange = t.range = range(node);
  return t;
}

inline Target ExpressionBuilder::target(LieParser::TargetContext* c) {
  Target t;
  if (c == nullptr) return t;
  t.range = range(c);
  const auto names = c->IDENT();
  if (names.empty()) return t;
  t.name = text(names.front());
  t.nameRange = range(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) {
    t.parts.push_back(text(names[i]));
    t.partRanges.push_back(range(names[i]));
  }
  for (auto* b : c->binder()) t.binders.push_back(binder(b));
  for (auto* e : c->expression()) t.indices.push_back(expression(e));
  return t;
}

inline TypePtr ExpressionBuilder::type(LieParser::TypeContext* c) {
  if (c == nullptr || c->IDENT() == nullptr) return nullptr;
  auto t = std::make_shared<Type>();
  t->name = text(c->IDENT());
  t->nameRange = range(c->IDENT());
  t->range = range(c);
  if (auto* exponent = c->exponent()) {
    if (exponent->expression() != nullptr) {
      t->exponent = expression(exponent->expression());
    } else {
      const bool isNumber = exponent->NUMBER() != nullptr;
      Node e = node(isNumber ? ExprKind::Number : ExprKind::Name, range(exponent));
      e->text = text(isNumber ? exponent->NUMBER() : exponent->IDENT());
      e->isInteger = isNumber && e->text.find_first_not_of("0123456789") == std::string::npos;
      if (isNumber) e->number = std::strtod(e->text.c_str(), nullptr);
      t->exponent = std::move(e);
    }
  }
  if (c->LPAREN() == nullptr) return t;
  t->hasArgs = true;
  const bool takesType = t->name == "dual";
  for (auto* argument : c->expression()) {
    const ExprPtr e = expression(argument);
    if (takesType)
      t->types.push_back(typeOf(e));
    else
      t->args.push_back(e);
  }
  return t;
}

/// The type that an expression spells, as in `dual(SE(3))` and `dual(R^n)`.
inline TypePtr ExpressionBuilder::typeOf(const ExprPtr& e) {
  auto t = std::make_shared<Type>();
  t->range = e->range;
  const Expr* at = e.get();
  if (at->kind == ExprKind::Call) {
    t->hasArgs = true;
    t->args.assign(at->args.begin() + 1, at->args.end());
    at = at->args.front().get();
  } else if (at->kind == ExprKind::Binary && at->op == BinaryOp::Pow) {
    t->exponent = at->args[1];
    at = at->args.front().get();
  }
  if (at->kind != ExprKind::Name && at->kind != ExprKind::Error)
    diagnostics_.error(Code::LIE0013, e->range, "expected the name of a manifold, with its size where it has one");
  t->name = at->text;
  t->nameRange = at->range;
  return t;
}

} // namespace lmc::syntax
