#include "editor/features/Features.h"

#include "methods/checked/Kinds.h"
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/session/FoundManifold.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc::editor {

namespace {

Json positionOf(const TextPosition& p) {
  return {{"line", p.line}, {"character", p.character}};
}

/// `SO(3)`, `S^2` as written from a name on, without blanks.
std::string typeFrom(const Snapshot& snapshot, const Range& name) {
  const auto& tokens = snapshot.tokens();
  auto at = std::find_if(tokens.begin(), tokens.end(), [&](const syntax::Token& t) { return t.begin == name.begin; });
  std::string type;
  int open = 0;
  for (; at != tokens.end(); ++at) {
    const std::string_view text = snapshot.text(*at);
    const bool goesOn = type.empty() || open > 0 || text == "(" || text == "^" || type.back() == '^';
    if (!goesOn) break;
    open += text == "(" ? 1 : text == ")" ? -1 : 0;
    type += text;
  }
  return type;
}

/// Among declarations of one name that differ in their sizes: the one whose head is meant.
Declared bestHead(const std::vector<SnapshotPtr>& files, const std::string& name, const std::string& type,
                  bool ofLibrary) {
  Declared best;
  int bestScore = -1;
  for (const SnapshotPtr& s : files)
    for (const Symbol& symbol : s->index().symbols) {
      if (!symbol.isOfFile() || symbol.name != name) continue;
      const auto& head = symbol.declaration->head;
      int score = 0;
      if (head) {
        const std::string shape = withoutBlanks(s->text(head->range));
        const auto sign = [](const std::string& t, std::size_t from) { return t.size() > from ? t[from] : ' '; };
        if (shape == type)
          score = 3;
        else if (sign(shape, name.size()) == sign(type, name.size()) &&
                 shape.find_first_of("0123456789", name.size()) == std::string::npos)
          score = 2;
      }
      if (score > bestScore) {
        bestScore = score;
        best = {s, &symbol, ofLibrary};
      }
    }
  return best;
}

std::string_view nameOf(sema::ClauseKind kind) {
  switch (kind) {
  case sema::ClauseKind::Point:
    return "point";
  case sema::ClauseKind::Algebra:
    return "algebra";
  case sema::ClauseKind::Dual:
    return "dual";
  case sema::ClauseKind::Change:
    return "change";
  case sema::ClauseKind::Scalars:
    return "numbers";
  case sema::ClauseKind::Vector:
    return "vector";
  }
  return "";
}

} // namespace

Json rangeOf(const Snapshot& snapshot, std::uint32_t begin, std::uint32_t end) {
  const Positions& p = snapshot.positions();
  return {{"start", positionOf(p.position(begin))}, {"end", positionOf(p.position(end))}};
}

Json rangeOf(const Snapshot& snapshot, const Range& range) {
  return rangeOf(snapshot, range.begin, range.end);
}

Json locationOf(const Snapshot& snapshot, const Range& range) {
  return {{"uri", uriOf(snapshot.file())}, {"range", rangeOf(snapshot, range)}};
}

Declared meaning(const Question& question, const Occurrence& occurrence) {
  const SnapshotPtr& snapshot = question.document.snapshot();
  if (occurrence.symbol) {
    const Symbol& s = snapshot->index().symbols[*occurrence.symbol];
    if (!s.isOfFile() || !s.declaration->head) return {snapshot, &s, false};
  }
  if (occurrence.member) {
    // `SO(3).exp`: a clause or function of the declaration.
    if (occurrence.owner.empty()) return {};
    const Occurrence* before = snapshot->index().at(occurrence.ownerBegin);
    if (before == nullptr || before->member || before->name != occurrence.owner) return {};
    const Declared owner = meaning(question, *before);
    if (!owner || !owner.symbol->isOfFile()) return {};
    const std::vector<Symbol>& symbols = owner.snapshot->index().symbols;
    for (const Symbol& symbol : symbols)
      if (symbol.name == occurrence.name && symbol.container && &symbols[*symbol.container] == owner.symbol)
        return {owner.snapshot, &symbol, owner.ofLibrary};
    return {};
  }
  const std::string type = typeFrom(*snapshot, occurrence.range);
  std::vector<SnapshotPtr> files = {snapshot};
  for (const SnapshotPtr& s : question.workspace.imports(question.document)) files.push_back(s);
  if (Declared found = bestHead(files, occurrence.name, type, false)) return found;
  return bestHead(question.workspace.library(), occurrence.name, type, true);
}

std::string headOf(const Snapshot& snapshot, const Symbol& symbol) {
  if (symbol.isOfFile() || symbol.kind == SymbolKind::Clause || symbol.kind == SymbolKind::Function) {
    // Up to the body or the value.
    const auto& tokens = snapshot.tokens();
    int open = 0;
    std::uint32_t end = symbol.range.begin;
    for (const syntax::Token& t : tokens) {
      if (t.begin < symbol.range.begin) continue;
      const std::string_view text = snapshot.text(t);
      if (t.end > symbol.range.end || (open == 0 && (text == "=" || text == "{" || text == ";"))) break;
      open += text == "(" ? 1 : text == ")" ? -1 : 0;
      end = t.end;
    }
    return std::string(snapshot.text({symbol.range.source, symbol.range.begin, end}));
  }
  return std::string(snapshot.text(symbol.range));
}

std::vector<KindWord> kindWords(const syntax::Declaration& method) {
  const bool variational = method.kind == syntax::DeclKind::Variational;
  std::vector<KindWord> words;
  for (const methods::KindOfMethod& kind : methods::kindsOfMethods()) {
    const bool first = method.kindName.empty() && words.empty() && !variational && !kind.isFormula;
    const bool fits = variational ? kind.isFormula : first || kind.name == method.kindName;
    if (!fits) continue;
    for (const std::string& state : kind.stateNames())
      words.push_back({state, state, "the state at the begin of the step"});
    for (const methods::Word& w : kind.words) words.push_back({w.name, w.call, w.means});
  }
  return words;
}

std::vector<KindWord> manifoldWords(bool group) {
  std::vector<KindWord> words;
  for (const sema::ClauseSignature& s : sema::operationSignatures(group)) {
    std::string call = std::string(s.name);
    for (std::size_t k = 0; k < s.args.size(); ++k) call += (k == 0 ? "(" : ", ") + std::string(nameOf(s.args[k]));
    if (!s.args.empty()) call += ")";
    words.push_back({std::string(s.name), call, "gives: " + std::string(nameOf(s.result))});
  }
  return words;
}

std::string builtinHead(const std::string& name) {
  if (const sema::Builtin* b = sema::findBuiltin(name)) {
    // Their arguments have no names: a, b, … as far as there must be some, and may be.
    constexpr std::size_t shown = 6;
    std::string head = name + "(";
    for (std::size_t k = 0; k < std::min(b->most, shown); ++k)
      head += (k == 0 ? "" : ", ") + std::string(1, static_cast<char>('a' + k)) + (k < b->least ? "" : "?");
    return head + (b->most > shown ? ", …)" : ")");
  }
  const auto& specials = sema::specialFunctions();
  if (std::find(specials.begin(), specials.end(), name) != specials.end()) return name + "(name, …)";
  const auto& names = sema::predefinedNames();
  if (std::find(names.begin(), names.end(), name) != names.end()) return name + ": a name of the language";
  return {};
}

} // namespace lmc::editor
