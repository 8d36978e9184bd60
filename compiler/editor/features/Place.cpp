#include "editor/features/Place.h"

#include "syntax/parser/Placement.h"

#include <algorithm>

namespace lmc::editor {

using syntax::Token;
using syntax::TokenKind;

namespace {

bool isWord(const Token& t) {
  return t.kind == TokenKind::Name || t.kind == TokenKind::Word;
}

/// The word that says what a `{` opens, as text before it may be unfinished.
std::string opener(const Snapshot& snapshot, const std::vector<Token>& statement) {
  const std::vector<std::string>& declarations = syntax::wordsOfDeclarations();
  for (auto t = statement.rbegin(); t != statement.rend(); ++t) {
    std::string word(snapshot.text(*t));
    const bool opens = word == "simulate" || word == "view" || word == "for" ||
                       std::find(declarations.begin(), declarations.end(), word) != declarations.end();
    if (opens && t->kind == TokenKind::Word) return word;
  }
  return statement.empty() ? std::string() : std::string(snapshot.text(statement.front()));
}

/// Whether a word that begins a line begins a statement, though the one before has no `;`.
bool beginsStatement(const Snapshot& snapshot, const Token& t, std::uint32_t before) {
  if (t.kind != TokenKind::Word) return false;
  const std::string_view blanks = std::string_view(snapshot.text()).substr(before, t.begin - before);
  if (blanks.find('\n') == std::string_view::npos) return false;
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all = syntax::wordsOfDeclarations();
    using enum syntax::DeclKind;
    for (const syntax::DeclKind kind : {Model, Group, Manifold, Method, Variational, Tableau, Joint})
      for (const std::string& w : syntax::statementWords(kind)) all.push_back(w);
    return all;
  }();
  return std::find(words.begin(), words.end(), snapshot.text(t)) != words.end();
}

/// Calls that are open at the end of the tokens.
std::vector<WritingPlace::Call> openCalls(const Snapshot& snapshot, const std::vector<Token>& tokens) {
  struct Open {
    WritingPlace::Call call;
    bool isCall = false;
  };
  std::vector<Open> open;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::string_view text = snapshot.text(tokens[k]);
    if (tokens[k].kind != TokenKind::Sign) continue;
    if (text == "(" || text == "[") {
      const bool named = k > 0 && (tokens[k - 1].kind == TokenKind::Name || tokens[k - 1].reduces);
      open.push_back({{k, 0, k > 0 && tokens[k - 1].reduces}, text == "(" && named});
    } else if (text == ")" || text == "]") {
      if (!open.empty()) open.pop_back();
    } else if ((text == "," || text == ";") && !open.empty()) {
      ++open.back().call.argument;
    }
  }
  std::vector<WritingPlace::Call> calls;
  for (const Open& o : open)
    if (o.isCall) calls.push_back(o.call);
  return calls;
}

} // namespace

WritingPlace writingPlace(const Snapshot& snapshot, std::uint32_t offset) {
  WritingPlace place;
  place.wordBegin = offset;
  std::vector<std::string> blocks; // the first words of what the open braces belong to
  int brackets = 0;
  const auto clear = [&] {
    place.statement.clear();
    brackets = 0;
  };
  for (const Token& t : snapshot.tokens()) {
    if (t.begin >= offset) break;
    const std::string_view text = snapshot.text(t);
    if (t.kind == TokenKind::Comment || t.kind == TokenKind::String) {
      const bool line = text.starts_with("//");
      if (offset < t.end || (line && offset == t.end)) place.inComment = true;
      if (t.kind == TokenKind::Comment) continue;
    }
    if (t.end >= offset && isWord(t)) {
      place.wordBegin = t.begin;
      break;
    }
    if (!place.statement.empty() && beginsStatement(snapshot, t, place.statement.back().end)) clear();
    if (t.kind == TokenKind::Sign && text == "{") {
      blocks.push_back(opener(snapshot, place.statement));
      clear();
      continue;
    }
    if (t.kind == TokenKind::Sign && text == "}") {
      if (!blocks.empty()) blocks.pop_back();
      clear();
      continue;
    }
    brackets += text == "(" || text == "[" ? 1 : text == ")" || text == "]" ? -1 : 0;
    if (t.kind == TokenKind::Sign && text == ";" && brackets <= 0) {
      clear();
      continue;
    }
    place.statement.push_back(t);
  }
  if (!blocks.empty()) place.declaration = blocks.front();
  if (blocks.size() > 1) place.block = blocks.back();
  place.calls = openCalls(snapshot, place.statement);
  return place;
}

} // namespace lmc::editor
