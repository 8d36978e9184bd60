// The one place that knows ANTLR: source text → tokens (generated lexer, repair, contextual keywords) → parse tree
// (generated parser, own error strategy) → syntax tree. The headers under parts/ belong to this file alone.
#include "syntax/parser/Parser.h"

#include <antlr4-runtime.h>

#include "LieBaseVisitor.h"
#include "LieLexer.h"
#include "LieParser.h"

#include "syntax/parser/BuildDeclarations.h"
#include "syntax/parser/Contextual.h"
#include "syntax/parser/Errors.h"
#include "syntax/parser/Lexemes.h"
#include "syntax/parser/Nesting.h"
#include "syntax/parser/Recovery.h"
#include "syntax/parser/Scan.h"
#include "syntax/parser/Tokens.h"

namespace lmc::syntax {

namespace {

using grammar::LieParser;

/// Hands the prepared tokens to the generated parser; their offsets are bytes.
class LexemeSource : public antlr4::TokenSource {
public:
  explicit LexemeSource(const LexemeList& list) : list_(list) {}

  std::unique_ptr<antlr4::Token> nextToken() override {
    const bool atEnd = at_ >= list_.tokens.size();
    const auto size = static_cast<std::uint32_t>(list_.source->text().size());
    const Lexeme l = atEnd ? Lexeme{antlr4::Token::EOF, size, size, true} : list_.tokens[at_++];
    auto token = std::make_unique<antlr4::CommonToken>(l.type);
    token->setStartIndex(l.begin);
    token->setStopIndex(static_cast<std::size_t>(l.end) - 1);
    return token;
  }
  std::size_t getLine() const override { return 0; }
  std::size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream* getInputStream() override { return nullptr; }
  std::string getSourceName() override { return list_.source->name(); }
  antlr4::TokenFactory<antlr4::CommonToken>* getTokenFactory() override { return &factory_; }

private:
  const LexemeList& list_;
  std::size_t at_ = 0;
  antlr4::CommonTokenFactory factory_;
};

/// Splits a text into tokens ready for the parser; false if it must not be parsed.
bool prepare(LexemeList& list, Diagnostics& diagnostics, const ParseLimits& limits) {
  const std::string& text = list.source->text();
  const auto end = static_cast<std::uint32_t>(text.size());
  if (text.size() > limits.bytes) {
    diagnostics.error(Code::LIE0002, {list.id, 0, 0}, "this file is too large")
        .note("the limit is " + std::to_string(limits.bytes) + " bytes; it has " + std::to_string(text.size()));
    return false;
  }
  if (const std::size_t bad = findInvalidUtf8(text); bad != std::string::npos) {
    const auto at = static_cast<std::uint32_t>(bad);
    diagnostics.error(Code::LIE0001, {list.id, at, std::min(at + 1, end)}, "this is not UTF-8 text")
        .suggest("save the file in the encoding UTF-8");
    return false;
  }
  if (!Scanner(list).run(markSize(text), limits.tokens)) splitByLexer(list, limits.tokens);
  if (list.tooMany) {
    diagnostics.error(Code::LIE0002, {list.id, 0, 0}, "this file is too large")
        .note("the limit is " + std::to_string(limits.tokens) + " names, numbers and signs");
    return false;
  }
  Repair(list, diagnostics).run();
  Contextual(list).run();
  const std::size_t deep = Nesting(list.tokens).firstBeyond(limits.nesting);
  if (deep < list.tokens.size()) {
    diagnostics
        .error(Code::LIE0003, list.range(list.tokens[deep]),
               "this nests deeper than " + std::to_string(limits.nesting) + " levels")
        .suggest("name inner parts with `let`");
    return false;
  }
  return true;
}

/// A parser with its tokens, and the strategy that reports its errors.
class Session {
public:
  Session(const Sources& sources, SourceId id, Diagnostics& diagnostics, const ParseLimits& limits)
      : diagnostics_(diagnostics) {
    list_.id = id;
    list_.source = &sources[id];
    ready_ = prepare(list_, diagnostics, limits);
  }

  [[nodiscard]] bool ready() const { return ready_; }

  /// Gives `read` a parser at the start of the text.
  template <class F> auto run(F&& read) {
    LexemeSource source(list_);
    antlr4::CommonTokenStream stream(&source);
    LieParser parser(&stream);
    parser.removeErrorListeners();
    parser.setErrorHandler(std::make_shared<ErrorStrategy>(list_, diagnostics_));
    return read(parser);
  }

  [[nodiscard]] const LexemeList& lexemes() const { return list_; }

  File file() {
    return run([&](LieParser& parser) { return TreeBuilder(list_, diagnostics_).file(parser.file()); });
  }

  ExprPtr expression() {
    return run([&](LieParser& parser) {
      auto* tree = parser.loneExpression();
      return ExpressionBuilder(list_, diagnostics_).expression(tree->exception ? nullptr : tree->expression());
    });
  }

private:
  Diagnostics& diagnostics_;
  LexemeList list_;
  bool ready_ = false;
};

ExprPtr errorNode(SourceId id) {
  auto e = std::make_shared<Expr>();
  e->range.source = id;
  return e;
}

} // namespace

File parse(const Sources& sources, SourceId id, Diagnostics& diagnostics, const ParseLimits& limits) {
  Session session(sources, id, diagnostics, limits);
  if (session.ready()) return session.file();
  File empty;
  empty.source = id;
  return empty;
}

ExprPtr parseExpression(const Sources& sources, SourceId id, Diagnostics& diagnostics, const ParseLimits& limits) {
  Session session(sources, id, diagnostics, limits);
  return session.ready() ? session.expression() : errorNode(id);
}

namespace {
/// NAME, NAME(theta = 0.5), adjoint(…) of one.
bool namesMethod(const Expr& e) {
  if (e.kind == ExprKind::Name) return true;
  if (e.kind != ExprKind::Call || e.args[0]->kind != ExprKind::Name) return false;
  if (e.args.size() == 1) return true;
  if (e.args.size() != 2) return false;
  return e.args[1]->kind == ExprKind::Parts || (e.args[0]->text == "adjoint" && namesMethod(*e.args[1]));
}
} // namespace

ExprPtr parseMethodReference(const Sources& sources, SourceId id, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errorCount();
  ExprPtr e = parseExpression(sources, id, diagnostics);
  if (diagnostics.errorCount() > before || namesMethod(*e)) return e;
  diagnostics.error(Code::LIE0013, e->range,
                    "expected a method: its name, or a name with arguments, NAME(theta = 0.5)");
  return errorNode(id);
}

namespace {
TokenKind kindOf(std::size_t type, const antlr4::dfa::Vocabulary& vocabulary) {
  switch (type) {
  case LieParser::IDENT:
  case LieParser::BOUND:
    return TokenKind::Name;
  case LieParser::NUMBER:
    return TokenKind::Number;
  case LieParser::STRING:
    return TokenKind::String;
  case LieParser::COMPOSED:
    return TokenKind::Sign;
  default:
    break;
  }
  const std::string literal = vocabulary.getLiteralName(type); // none of words that are keywords in their place
  const bool sign = literal.size() > 2 && std::isalpha(static_cast<unsigned char>(literal[1])) == 0;
  return sign ? TokenKind::Sign : TokenKind::Word;
}

/// The tokens of a text that was split.
std::vector<Token> tokensOf(const LexemeList& list) {
  antlr4::ANTLRInputStream nothing;
  const LieLexer lexer(&nothing);
  const antlr4::dfa::Vocabulary& vocabulary = lexer.getVocabulary();
  std::vector<Token> tokens;
  auto comment = list.comments.begin();
  const auto commentsBefore = [&](std::uint32_t offset) {
    for (; comment != list.comments.end() && comment->begin < offset; ++comment)
      tokens.push_back({TokenKind::Comment, comment->begin, comment->end});
  };
  for (const Lexeme& l : list.tokens) {
    commentsBefore(l.begin);
    tokens.push_back({kindOf(l.type, vocabulary), l.begin, l.end, l.type == LieParser::REDUCTION});
  }
  commentsBefore(std::numeric_limits<std::uint32_t>::max());
  return tokens;
}

} // namespace

std::vector<Token> tokensOf(const Sources& sources, SourceId id, Diagnostics& diagnostics, const ParseLimits& limits) {
  return tokensOf(Session(sources, id, diagnostics, limits).lexemes());
}

File parse(const Sources& sources, SourceId id, Diagnostics& diagnostics, std::vector<Token>& tokens,
           const ParseLimits& limits) {
  Session session(sources, id, diagnostics, limits);
  tokens = tokensOf(session.lexemes());
  if (session.ready()) return session.file();
  File empty;
  empty.source = id;
  return empty;
}

const std::vector<std::string>& reservedWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> found;
    antlr4::ANTLRInputStream nothing;
    const LieLexer lexer(&nothing);
    for (std::size_t type = 1; type <= lexer.getVocabulary().getMaxTokenType(); ++type) {
      const std::string quoted = lexer.getVocabulary().getLiteralName(type);
      if (quoted.size() > 2 && std::isalpha(static_cast<unsigned char>(quoted[1])) != 0)
        found.push_back(quoted.substr(1, quoted.size() - 2));
    }
    std::sort(found.begin(), found.end());
    return found;
  }();
  return words;
}

const std::vector<std::string>& contextualWords() {
  static const std::vector<std::string> words = Contextual::words();
  return words;
}

const std::vector<std::string>& wordsOfDeclarations() {
  return declarationWords();
}

} // namespace lmc::syntax
