// Part of Parser.cpp: contextual keywords. A word such as `state` or `on` is a name for the lexer; here it becomes a
// keyword where its neighbours leave no other reading, so that the grammar needs one token of lookahead and every
// such word stays free for users.
#pragma once

#include "syntax/parser/TokenTypes.h"

#include <optional>

namespace lmc::syntax {

class Contextual {
public:
  explicit Contextual(LexemeList& list) : list_(list), tokens_(list.tokens) {}

  void run() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].type == LieParser::IDENT) word();
      follow();
    }
  }

  /// All words that are keywords in their place only, sorted.
  static std::vector<std::string> words() {
    std::vector<std::string> found = {"sum", "product", "next", "adjust", "holds", "order", "on", "every"};
    const auto add = [&](const auto& table) {
      for (const auto& w : table) found.emplace_back(w.text);
    };
    add(declarationWords);
    add(modelWords);
    add(structureWords);
    add(methodWords);
    add(infixWords);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

private:
  /// What the braces around a token belong to.
  enum class Body : std::uint8_t { File, Unknown, Model, Structure, Method, Tableau, Settings };

  struct Word {
    std::string_view text;
    std::size_t type;
  };

  static constexpr Word declarationWords[] = {{"group", LieParser::GROUP},
                                              {"manifold", LieParser::MANIFOLD},
                                              {"method", LieParser::METHOD},
                                              {"joint", LieParser::JOINT}};
  static constexpr Word modelWords[] = {{"state", LieParser::STATE},
                                        {"input", LieParser::INPUT},
                                        {"flow", LieParser::FLOW},
                                        {"event", LieParser::EVENT},
                                        {"discrete", LieParser::STORED},
                                        {"reset", LieParser::RESET},
                                        {"lagrangian", LieParser::LAGRANGIAN},
                                        {"hamiltonian", LieParser::HAMILTONIAN},
                                        {"constraint", LieParser::CONSTRAINT},
                                        {"contact", LieParser::CONTACT},
                                        {"joint", LieParser::INSTANCE},
                                        {"force", LieParser::FORCE},
                                        {"view", LieParser::VIEW}};
  static constexpr Word structureWords[] = {{"element", LieParser::ELEMENT},
                                            {"algebra", LieParser::ALGEBRA},
                                            {"point", LieParser::POINT},
                                            {"group", LieParser::ACTING}};
  static constexpr Word methodWords[] = {{"solve", LieParser::SOLVE},
                                         {"keep", LieParser::KEEP},
                                         {"embedded", LieParser::EMBEDDED},
                                         {"discrete", LieParser::DISCRETE}};
  static constexpr struct {
    std::string_view text;
    std::size_t type;
    Body body;
  } infixWords[] = {
      {"in", LieParser::IN, Body::Unknown},
      {"where", LieParser::WHERE, Body::Unknown},
      {"at", LieParser::AT, Body::Model},
      {"velocity", LieParser::VELOCITY, Body::Unknown},
      {"momentum", LieParser::MOMENTUM, Body::Unknown},
      {"when", LieParser::WHEN, Body::Model},
      {"on", LieParser::ON, Body::File},
      {"order", LieParser::ORDER, Body::File},
      {"from", LieParser::FROM, Body::Method},
      {"from", LieParser::FROM, Body::Model},
      {"tolerance", LieParser::TOLERANCE, Body::Method},
      {"limit", LieParser::LIMIT, Body::Method},
  };

  static std::optional<std::size_t> lookUp(const Word* begin, const Word* end, std::string_view text) {
    const Word* found = std::find_if(begin, end, [&](const Word& w) { return w.text == text; });
    return found == end ? std::nullopt : std::optional(found->type);
  }

  [[nodiscard]] std::size_t typeAt(std::size_t i) const { return i < tokens_.size() ? tokens_[i].type : 0; }
  [[nodiscard]] std::size_t next() const { return typeAt(at_ + 1); }
  [[nodiscard]] std::size_t previous() const { return at_ == 0 ? 0 : tokens_[at_ - 1].type; }
  [[nodiscard]] std::string_view textAt(std::size_t i) const {
    return i < tokens_.size() ? list_.text(tokens_[i]) : std::string_view();
  }
  [[nodiscard]] Body body() const { return bodies_.empty() ? Body::File : bodies_.back(); }

  void word() {
    const std::string_view text = textAt(at_);
    if (bound()) return;
    if (contactHead_ && endsExpression(previous()) && blockWithoutBrace()) {
      bodies_.push_back(body()); // the parser says that its `{` is missing
      contactHead_ = false;
    }
    // Two names in a row: a `;` is missing before the second.
    if (statementStart_ || endsExpression(previous())) {
      if (const auto type = starter(text)) {
        tokens_[at_].type = *type;
        return;
      }
    }
    // `config q : velocity w`, `config q : S^ velocity w`: the manifold or its exponent is missing.
    const bool gap = (previous() == LieParser::CARET || previous() == LieParser::COLON) && next() == LieParser::IDENT &&
                     (text == "velocity" || text == "momentum");
    if (endsExpression(previous()) || gap) {
      if (const auto type = infix(text)) {
        tokens_[at_].type = *type;
        return;
      }
    }
    if (text == "adjust" && previous() == LieParser::INITIAL && next() == LieParser::IDENT) {
      tokens_[at_].type = LieParser::ADJUST;
    } else if (text == "on" && previous() == LieParser::FORCE && next() == LieParser::IDENT) {
      const bool isPoint = textAt(at_ + 1) == "at" && !continuesTarget(typeAt(at_ + 2));
      if (!isPoint) tokens_[at_].type = LieParser::ON;
    } else if (text == "next" && body() == Body::Method && takesName() && previous() != LieParser::DOT) {
      tokens_[at_].type = LieParser::NEXT;
    } else if ((text == "sum" || text == "product") && next() == LieParser::LPAREN && previous() != LieParser::DOT) {
      const bool binds = typeAt(at_ + 2) == LieParser::IDENT && textAt(at_ + 3) == "in";
      if (binds) tokens_[at_].type = LieParser::REDUCTION;
    }
  }

  /// Settings of a contact up to their `}` begin here.
  [[nodiscard]] bool blockWithoutBrace() const {
    std::size_t i = at_;
    while (isContactSetting(textAt(i)) && typeAt(i + 1) == LieParser::ASSIGN) {
      while (i < tokens_.size() && tokens_[i].type != LieParser::SEMI && tokens_[i].type != LieParser::RBRACE) ++i;
      if (typeAt(i) == LieParser::SEMI) ++i;
    }
    return i > at_ && typeAt(i) == LieParser::RBRACE;
  }

  /// Whether the name behind `next` is its operand, and no keyword behind a variable called `next`.
  [[nodiscard]] bool takesName() {
    if (next() != LieParser::IDENT) return false;
    const std::size_t then = typeAt(at_ + 2);
    const bool operand = then == LieParser::IDENT || then == LieParser::NUMBER || then == LieParser::IF;
    ++at_;
    const bool isInfix = infix(textAt(at_)).has_value();
    --at_;
    return !(operand && isInfix);
  }

  static bool continuesTarget(std::size_t type) {
    return type == LieParser::ASSIGN || type == LieParser::EQ || type == LieParser::LBRACKET || type == LieParser::DOT;
  }

  /// `i in` after an opening bracket, a comma or `for`: a bound index.
  bool bound() {
    const bool opens = previous() == LieParser::LPAREN || previous() == LieParser::LBRACKET ||
                       previous() == LieParser::COMMA || previous() == LieParser::FOR;
    if (!opens || next() != LieParser::IDENT || textAt(at_ + 1) != "in") return false;
    tokens_[at_].type = LieParser::BOUND;
    tokens_[at_ + 1].type = LieParser::IN;
    return true;
  }

  /// The keyword that `text` is at the start of a statement or declaration.
  std::optional<std::size_t> starter(std::string_view text) {
    const bool beforeName = next() == LieParser::IDENT;
    if (const auto type = lookUp(std::begin(declarationWords), std::end(declarationWords), text)) {
      // `joint hinge = …` where no model was opened is no declaration.
      const std::size_t behind = typeAt(at_ + 2);
      const bool heads = behind == LieParser::LPAREN || behind == LieParser::LBRACE;
      if (body() == Body::File && *type == LieParser::JOINT && !heads) return std::nullopt;
      if (body() == Body::File && (statementStart_ || beforeName)) return type;
      if (beforeName && tokens_[at_].firstOnLine && headsDeclaration()) {
        if (!modelGoesOnBehind()) bodies_.clear();
        return type;
      }
    }
    switch (body()) {
    case Body::Model:
      if (const auto type = lookUp(std::begin(modelWords), std::end(modelWords), text)) {
        if (*type == LieParser::VIEW) return view();
        if (*type == LieParser::RESET && !beforeName) return std::nullopt;
        if (*type == LieParser::RESET && blockExpected_) bodies_.push_back(body()); // its `{` is missing
        const bool names = *type == LieParser::LAGRANGIAN || *type == LieParser::HAMILTONIAN;
        const bool fits = names ? next() == LieParser::ASSIGN : beforeName || *type == LieParser::FORCE;
        if (statementStart_ || fits) return type;
      }
      if (text == "every" && (statementStart_ || tokens_[at_].firstOnLine) && beginsExpression(next()))
        return LieParser::EVERY;
      return std::nullopt;
    case Body::Structure:
      if (text == "holds" && next() != LieParser::ASSIGN) return LieParser::HOLDS;
      return beforeName ? lookUp(std::begin(structureWords), std::end(structureWords), text) : std::nullopt;
    case Body::Method:
      if (!beforeName) return std::nullopt;
      if (text == "discrete") {
        if (textAt(at_ + 1) == "lagrangian") tokens_[at_ + 1].type = LieParser::LAGRANGIAN;
        if (textAt(at_ + 1) == "force") tokens_[at_ + 1].type = LieParser::FORCE;
      }
      return lookUp(std::begin(methodWords), std::end(methodWords), text);
    case Body::Tableau:
      if (text == "order" && next() != LieParser::ASSIGN) return LieParser::ORDER;
      return std::nullopt;
    default:
      return std::nullopt;
    }
  }

  /// `every 0.1`, `every (T)`, `every T from …`; not `every = 0.1`.
  static bool beginsExpression(std::size_t type) {
    return type == LieParser::LBRACE || type == LieParser::NUMBER || type == LieParser::IDENT ||
           type == LieParser::LPAREN || type == LieParser::MINUS || type == LieParser::IF;
  }

  /// `view { … }`, also where its `{` is missing, or `view = …`; else a name.
  [[nodiscard]] std::optional<std::size_t> view() const {
    if (!statementStart_ && next() != LieParser::LBRACE) return std::nullopt;
    if (next() == LieParser::ASSIGN) return LieParser::VIEW_VALUE;
    const bool shape = next() == LieParser::IDENT && continuesTarget(typeAt(at_ + 2));
    return next() == LieParser::LBRACE || shape ? std::optional<std::size_t>(LieParser::VIEW) : std::nullopt;
  }

  /// Whether a declaration begins here although a brace is still open: its body follows before the next `;`.
  [[nodiscard]] bool headsDeclaration() const {
    constexpr std::size_t longestHead = 40;
    for (std::size_t i = at_ + 1; i < std::min(tokens_.size(), at_ + longestHead); ++i) {
      if (tokens_[i].type == LieParser::LBRACE) return true;
      if (tokens_[i].type == LieParser::SEMI || tokens_[i].type == LieParser::RBRACE) return false;
    }
    return false;
  }

  /// Whether a statement of a model, or its end, follows the body of the declaration that begins here: then it is
  /// nested, which the parser tells, and no `}` is missing before it.
  [[nodiscard]] bool modelGoesOnBehind() const {
    if (body() != Body::Model) return false;
    std::size_t depth = 0, i = at_ + 1;
    for (; i < tokens_.size(); ++i) {
      if (tokens_[i].type == LieParser::LBRACE) ++depth;
      if (tokens_[i].type == LieParser::RBRACE && --depth == 0) break;
    }
    const std::size_t behind = typeAt(i + 1);
    return behind == LieParser::RBRACE || (startsStatement(behind) && !startsDeclaration(behind)) ||
           (behind == LieParser::IDENT &&
            lookUp(std::begin(modelWords), std::end(modelWords), textAt(i + 1)).value_or(LieParser::INSTANCE) !=
                LieParser::INSTANCE);
  }

  /// The keyword that `text` is after a complete expression.
  std::optional<std::size_t> infix(std::string_view text) const {
    if (next() == LieParser::ASSIGN) return std::nullopt;
    for (const auto& w : infixWords)
      if (w.text == text && (w.body == Body::Unknown || w.body == body())) return w.type;
    return std::nullopt;
  }

  /// Keeps account of braces, statements and the parentheses of `compose`.
  void follow() {
    Lexeme& token = tokens_[at_];
    bool starts = false;
    if (token.type == LieParser::EVENT || token.type == LieParser::EVERY) blockExpected_ = true;
    if (token.type == LieParser::LBRACE || token.type == LieParser::SEMI || token.type == LieParser::RESET)
      blockExpected_ = false;
    if (token.type == LieParser::CONTACT) contactHead_ = true;
    if (token.type == LieParser::LBRACE || token.type == LieParser::SEMI) contactHead_ = false;
    switch (token.type) {
    case LieParser::LBRACE:
      bodies_.push_back(pending_.value_or(body() == Body::File ? Body::Unknown : body()));
      pending_.reset();
      starts = true;
      break;
    case LieParser::RBRACE:
      if (!bodies_.empty()) bodies_.pop_back();
      starts = true;
      break;
    case LieParser::SEMI:
      if (!composing_.empty() && composing_.back()) {
        token.type = LieParser::COMPOSED;
        composing_.back() = false;
        break;
      }
      composing_.clear();
      starts = true;
      break;
    case LieParser::LPAREN:
      composing_.push_back(at_ > 0 && textAt(at_ - 1) == "compose");
      break;
    case LieParser::RPAREN:
      if (!composing_.empty()) composing_.pop_back();
      break;
    default:
      declares(token.type);
      if (lacksBrace()) {
        bodies_.push_back(*pending_);
        pending_.reset();
        starts = true;
      }
    }
    statementStart_ = starts;
  }

  /// `model M param …`, `simulate method = …`: the body begins although its `{` is missing (the parser says so).
  [[nodiscard]] bool lacksBrace() const {
    if (!pending_ || next() == LieParser::LBRACE || next() == LieParser::ASSIGN) return false;
    const bool named =
        tokens_[at_].type == LieParser::IDENT && (previous() == LieParser::MODEL || previous() == LieParser::TABLEAU);
    return named || tokens_[at_].type == LieParser::SIMULATE || tokens_[at_].type == LieParser::VIEW;
  }

  void declares(std::size_t type) {
    // A statement of the model behind settings or shapes whose `}` is missing.
    const bool ofModel = type == LieParser::LET || type == LieParser::PARAM || type == LieParser::CONFIG ||
                         type == LieParser::FOR || type == LieParser::INITIAL || type == LieParser::OBSERVE ||
                         type == LieParser::SIMULATE;
    if (ofModel && statementStart_ && body() == Body::Settings) bodies_.pop_back();
    if (!statementStart_ && !tokens_[at_].firstOnLine) {
      if (type == LieParser::SIMULATE) pending_ = Body::Settings;
      return;
    }
    switch (type) {
    case LieParser::MODEL:
      return enter(Body::Model);
    case LieParser::VARIATIONAL:
      return enter(Body::Method);
    case LieParser::TABLEAU:
      return enter(Body::Tableau);
    case LieParser::METHOD:
      return enter(Body::Method);
    case LieParser::MANIFOLD:
      return enter(Body::Structure);
    case LieParser::GROUP:
      if (body() == Body::File || body() == Body::Model) pending_ = Body::Structure;
      return;
    case LieParser::JOINT:
      return enter(Body::Model);
    case LieParser::SIMULATE:
    case LieParser::VIEW:
      pending_ = Body::Settings;
      return;
    default:
      return;
    }
  }

  void enter(Body body) {
    if (!modelGoesOnBehind()) bodies_.clear();
    pending_ = body;
  }

  LexemeList& list_;
  std::vector<Lexeme>& tokens_;
  std::vector<Body> bodies_;
  std::optional<Body> pending_;
  std::vector<bool> composing_;
  bool statementStart_ = true;
  bool blockExpected_ = false; ///< in the head of an event, or of `every`
  bool contactHead_ = false;   ///< between `contact` and its block
  std::size_t at_ = 0;
};

} // namespace lmc::syntax
