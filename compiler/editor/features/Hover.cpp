#include "editor/features/Features.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::editor {

namespace {

std::string code(const std::string& text) {
  return "```lie\n" + text + "\n```\n";
}

/// The first lines of a declaration's text.
std::string excerpt(const std::string& text) {
  constexpr std::size_t most = 8;
  std::size_t at = 0;
  for (std::size_t line = 0; line < most && at != std::string::npos; ++line) at = text.find('\n', at + 1);
  return at == std::string::npos ? text : text.substr(0, at) + "\n…";
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool mentions(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !(isWordCharacter(text[at - 1]) || text[at - 1] == '.');
    const bool ends = at + name.size() == text.size() || !isWordCharacter(text[at + name.size()]);
    if (begins && ends) return true;
  }
  return false;
}

std::string manifoldLine(const ShownManifold& m) {
  std::string line = fmt::format("{}: a {}", m.name, m.isGroup ? "group" : "manifold");
  if (m.dimension) line += fmt::format(", dimension {}", *m.dimension);
  line += ". Point: `" + m.point + "`. Velocities: `" + m.algebra + "`.\n\n";
  return line;
}

const ShownManifold* manifoldOf(const Question& question, const Symbol& symbol) {
  if (!question.document.facts || symbol.statement == nullptr || !symbol.statement->type) return nullptr;
  return question.document.facts->manifoldOf(question.document.snapshot()->text(symbol.statement->type->range));
}

/// The equations whose left side is about a variable, or its velocity or momentum.
std::string equationsOf(const Question& question, const Symbol& symbol) {
  if (!question.document.facts) return {};
  const std::string second = symbol.statement != nullptr ? symbol.statement->secondName : std::string();
  std::string out;
  for (const ShownEquation& e : question.document.facts->equations) {
    const bool here = mentions(e.left, symbol.statement->target.name) || (!second.empty() && mentions(e.left, second));
    if (here) out += e.left + " = " + e.right + "\n";
  }
  return out.empty() ? std::string() : "Derived:\n" + code(out.substr(0, out.size() - 1));
}

/// "vec(3), value 2"
std::string typeOf(const Shown& shown) {
  return shown.type + (shown.value.empty() ? "" : ", value " + shown.value) + "\n\n";
}
std::string typeOf(const Question& question, const Range& range) {
  const Shown* shown = question.document.shown(range);
  return shown == nullptr ? std::string() : typeOf(*shown);
}

/// Of a parameter: type and value, as the latest compilation without errors has them. Of a table its columns.
std::string parameterLine(const Question& question, const std::string& name) {
  if (!question.document.facts) return {};
  const std::map<std::string, ShownParameter>& known = question.document.facts->parameters;
  if (const auto it = known.find(name); it != known.end())
    return it->second.type + ", value " + it->second.value + "\n\n";
  std::string columns;
  for (auto it = known.lower_bound(name + "."); it != known.end() && it->first.starts_with(name + "."); ++it)
    columns += fmt::format("* `{}`: {}, {}\n", it->first, it->second.type, it->second.value);
  return columns.empty() ? columns : "a table\n\n" + columns + "\n";
}

/// From the name's own place or from what defines it.
std::string typeLine(const Question& question, const Occurrence& occurrence, const Declared& declared) {
  const Shown* shown = question.document.shown(occurrence.range);
  const bool own = declared && declared.snapshot == question.document.snapshot();
  if (shown == nullptr && own && declared.symbol->statement != nullptr && declared.symbol->statement->value &&
      declared.symbol->kind != SymbolKind::Argument && declared.symbol->kind != SymbolKind::Bound)
    shown = question.document.shown(declared.symbol->statement->value->range);
  return shown == nullptr ? std::string() : typeOf(*shown);
}

std::string ofSymbol(const Question& question, const Occurrence& occurrence, const Declared& declared) {
  const Symbol& s = *declared.symbol;
  const Snapshot& snapshot = *declared.snapshot;
  std::string out;
  const bool variable = s.kind == SymbolKind::Bound || s.kind == SymbolKind::Argument;
  if (variable)
    out = fmt::format("`{}`: {}\n\n", s.name, describe(s.kind));
  else
    out = code(s.isOfFile() && s.kind != SymbolKind::Function ? headOf(snapshot, s)
                                                              : excerpt(std::string(snapshot.text(s.range))));
  std::string type;
  if (s.kind == SymbolKind::Parameter && declared.snapshot == question.document.snapshot())
    type = parameterLine(question, s.name);
  if (type.empty()) type = typeLine(question, occurrence, declared);
  if (!variable && !s.isOfFile())
    out += std::string(describe(s.kind)) + (type.empty() ? "\n\n" : ": " + type);
  else
    out += type;
  const bool phase = s.kind == SymbolKind::Configuration || s.kind == SymbolKind::Velocity ||
                     s.kind == SymbolKind::Momentum || s.kind == SymbolKind::State;
  if (phase && !declared.ofLibrary) {
    if (const ShownManifold* m = manifoldOf(question, s)) out += manifoldLine(*m);
    out += equationsOf(question, s);
  }
  if (const std::string remark = remarkAbove(snapshot, s.range.begin); !remark.empty() && !variable)
    out += remark + "\n";
  if (declared.snapshot != question.document.snapshot())
    out += fmt::format("*{}{}*\n", declared.ofLibrary ? "library, " : "",
                       std::filesystem::path(snapshot.file()).filename().string());
  return out;
}

/// Words of the method's kind, clauses of manifolds, functions of the language.
std::string ofLanguage(const Question& question, const Occurrence& o) {
  const Symbol* around = question.document.snapshot()->index().around(o.range.begin);
  if (around != nullptr && around->kind == SymbolKind::Method && !o.member)
    for (const KindWord& w : kindWords(*around->declaration))
      if (w.name == o.name) return code(w.call) + w.means + "\n";
  if (o.member)
    for (const bool group : {true, false})
      for (const KindWord& w : manifoldWords(group))
        if (w.name == o.name) return code(w.call) + w.means + "\n";
  const std::string head = o.member ? std::string() : builtinHead(o.name);
  return head.empty() ? head : code(head) + "of the language\n\n" + typeOf(question, o.range);
}

} // namespace

Json hover(const Question& question) {
  const Snapshot& snapshot = *question.document.snapshot();
  const Occurrence* o = snapshot.index().at(question.offset);
  if (o == nullptr) return nullptr;
  std::string text;
  if (o->member && !o->owner.empty()) { // a column of a table
    const std::string line = parameterLine(question, o->owner + "." + o->name);
    if (!line.empty()) text = code(o->owner + "." + o->name) + "column of a table: " + line;
  }
  if (!text.empty()) {
    // Said already.
  } else if (const Declared declared = meaning(question, *o))
    text = ofSymbol(question, *o, declared);
  else
    text = ofLanguage(question, *o);
  if (text.empty()) {
    if (const Shown* shown = question.document.shown(o->range)) text = shown->type;
  }
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", rangeOf(snapshot, o->range)}};
}

} // namespace lmc::editor
