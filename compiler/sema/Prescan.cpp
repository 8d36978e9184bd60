// Which declarations a text holds, found by its words and braces: cheap enough to do for the whole library.
#include "sema/session/Library.h"

#include <cctype>

namespace lmc::sema {

namespace {

bool isWordByte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || u >= 0x80;
}

/// Walks over a text, skipping blanks, comments and strings.
class Words {
public:
  explicit Words(std::string_view text) : text_(text) {}

  /// The next word or single character; empty at the end.
  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    const std::size_t begin = at_;
    if (!isWordByte(text_[at_])) {
      ++at_;
      return text_.substr(begin, 1);
    }
    while (at_ < text_.size() && isWordByte(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

private:
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '/' && text_.substr(at_, 2) == "//") {
        skipTo("\n");
      } else if (c == '/' && text_.substr(at_, 2) == "/*") {
        at_ += 2;
        skipTo("*/");
      } else if (c == '"') {
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
        ++at_;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }
  void skipTo(std::string_view end) {
    const std::size_t p = text_.find(end, at_);
    at_ = p == std::string_view::npos ? text_.size() : p + end.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

syntax::DeclKind kindOf(std::string_view word) {
  using syntax::DeclKind;
  if (word == "group") return syntax::DeclKind::Group;
  if (word == "manifold") return syntax::DeclKind::Manifold;
  if (word == "method") return syntax::DeclKind::Method;
  if (word == "tableau") return syntax::DeclKind::Tableau;
  if (word == "variational") return syntax::DeclKind::Variational;
  if (word == "joint") return syntax::DeclKind::Joint;
  if (word == "fn") return syntax::DeclKind::Function;
  if (word == "model") return syntax::DeclKind::Model;
  return syntax::DeclKind::Error;
}

} // namespace

std::vector<ScannedDeclaration> scanDeclarations(std::string_view text) {
  std::vector<ScannedDeclaration> result;
  Words words(text);
  int depth = 0;
  bool first = true; // at the first word of a declaration
  for (std::string_view w = words.next(); !w.empty(); w = words.next()) {
    if (w == "{") ++depth;
    if (w == "}" && depth > 0) --depth;
    const bool start = first;
    first = depth == 0 && (w == "}" || w == ";");
    if (!start || depth > 0) continue;
    ScannedDeclaration d;
    d.kind = kindOf(w);
    if (d.kind == syntax::DeclKind::Error) continue;
    w = words.next();
    d.name = std::string(w);
    if (d.kind == syntax::DeclKind::Group || d.kind == syntax::DeclKind::Manifold) {
      for (; !w.empty() && w != "{" && w != "where"; w = words.next()) d.head += std::string(w);
      while (!w.empty() && w != "{") w = words.next(); // a condition on the sizes
      ++depth;
    }
    result.push_back(std::move(d));
  }
  return result;
}

} // namespace lmc::sema
