#include "sema/session/Overrides.h"

#include "syntax/parser/Parser.h"

#include <cctype>

namespace lmc::sema {

namespace {

bool isNameByte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || u >= 0x80;
}

/// Reads `m`, `m[2]`, `A[1,2]`, `mu.w`, `X[1].R`, `X.A.R`; false if it is none of these.
bool readName(const std::string& text, ParsedOverride& out) {
  std::size_t at = 0;
  const auto word = [&] {
    const std::size_t begin = at;
    while (at < text.size() && isNameByte(text[at])) ++at;
    return text.substr(begin, at - begin);
  };
  const auto blanks = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  blanks();
  out.name = word();
  if (out.name.empty() || std::isdigit(static_cast<unsigned char>(out.name[0])) != 0) return false;
  blanks();
  if (at < text.size() && text[at] == '[') {
    do {
      ++at;
      blanks();
      const std::string digits = word();
      if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
        return false;
      out.index.push_back(std::stoll(digits));
      blanks();
    } while (at < text.size() && text[at] == ',');
    if (at >= text.size() || text[at] != ']') return false;
    ++at;
    blanks();
  }
  while (at < text.size() && text[at] == '.') { // a part, and a part of it
    ++at;
    const std::string part = word();
    if (part.empty()) return false;
    out.part += (out.part.empty() ? "" : ".") + part;
    blanks();
  }
  return at == text.size();
}

} // namespace

Overrides::Overrides(Session& session) {
  for (const Override& o : session.options.overrides) {
    const SourceId source = session.sources.add("--set " + o.name, o.expression);
    const Range whole{source, 0, static_cast<std::uint32_t>(o.expression.size())};
    ParsedOverride parsed;
    parsed.range = whole;
    parsed.nameRange = {session.sources.add("--set", o.name + "=" + o.expression), 0,
                        static_cast<std::uint32_t>(o.name.size())};
    if (!readName(o.name, parsed)) {
      session.diagnostics.error(Code::LIE0181, parsed.nameRange,
                                "`" + o.name + "` is not a name that can be set; `m`, `m[2]` and `X.R` are");
      continue;
    }
    const std::size_t before = session.diagnostics.errorCount();
    parsed.value = syntax::parseExpression(session.sources, source, session.diagnostics);
    if (session.diagnostics.errorCount() > before || !parsed.value) parsed.value = std::make_shared<syntax::Expr>();
    list_.push_back(std::move(parsed));
  }
}

std::vector<const ParsedOverride*> Overrides::of(const std::string& name) {
  std::vector<const ParsedOverride*> result;
  for (ParsedOverride& o : list_) {
    if (o.name != name) continue;
    o.used = true;
    result.push_back(&o);
  }
  return result;
}

} // namespace lmc::sema
