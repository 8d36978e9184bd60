// Part of Parser.cpp: the comments that document a declaration.
#pragma once

#include "syntax/parser/Lexemes.h"

namespace lmc::syntax {

/// Whether nothing but blanks stands before `offset` on its line.
inline bool startsLine(std::string_view source, std::uint32_t offset) {
  while (offset > 0 && (source[offset - 1] == ' ' || source[offset - 1] == '\t' || source[offset - 1] == '\f'))
    --offset;
  return offset == 0 || source[offset - 1] == '\n' || source[offset - 1] == '\r' ||
         static_cast<unsigned char>(source[offset - 1]) == 0xBF;
}

/// Whether there is one line end (\n, \r\n or \r) and nothing else between two places.
inline bool isLineEnd(std::string_view source, std::uint32_t begin, std::uint32_t end) {
  std::size_t ends = 0;
  for (std::uint32_t i = end; i > begin; --i) {
    const char c = source[i - 1];
    if (c == '\n' || (c == '\r' && (i == end || source[i] != '\n'))) ++ends;
    if (ends > 1 || (c != ' ' && c != '\t' && c != '\f' && c != '\r' && c != '\n')) return false;
  }
  return ends == 1;
}

/// The line comments directly above a declaration, without their slashes.
inline std::string docAbove(const LexemeList& list, std::uint32_t begin) {
  const std::string_view source = list.source->text();
  auto at = std::lower_bound(list.comments.begin(), list.comments.end(), begin,
                             [](const Lexeme& l, std::uint32_t o) { return l.begin < o; });
  std::vector<std::string_view> lines;
  while (at != list.comments.begin()) {
    --at;
    std::string_view text = list.text(*at);
    if (!text.starts_with("//") || !startsLine(source, at->begin) || !isLineEnd(source, at->end, begin)) break;
    begin = at->begin;
    text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
    if (text.starts_with(' ')) text.remove_prefix(1);
    text = text.substr(0, text.find_last_not_of(" \t\f") + 1);
    lines.push_back(text);
  }
  std::string doc;
  for (auto l = lines.rbegin(); l != lines.rend(); ++l) {
    if (l != lines.rbegin()) doc += '\n';
    doc += *l;
  }
  return doc;
}

} // namespace lmc::syntax
