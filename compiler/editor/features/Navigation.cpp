#include "editor/features/Features.h"

#include "syntax/parser/Tokens.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc::editor {

namespace {

const Occurrence* occurrenceAt(const Question& question) {
  return question.document.snapshot()->index().at(question.offset);
}

/// The import whose file's name stands at the place; null if there is none.
const syntax::Declaration* importAt(const Snapshot& snapshot, std::uint32_t offset) {
  for (const syntax::Declaration& d : snapshot.tree().declarations)
    if (d.kind == syntax::DeclKind::Import && d.range.begin <= offset && offset <= d.range.end) return &d;
  return nullptr;
}

/// The places of a symbol in its own text.
std::vector<const Occurrence*> placesIn(const Snapshot& snapshot, std::size_t symbol) {
  std::vector<const Occurrence*> places;
  for (const Occurrence& o : snapshot.index().occurrences)
    if (o.symbol == symbol) places.push_back(&o);
  return places;
}

std::size_t numberOf(const Snapshot& snapshot, const Symbol& symbol) {
  return static_cast<std::size_t>(&symbol - snapshot.index().symbols.data());
}

struct Found {
  SnapshotPtr snapshot;
  const Occurrence* occurrence = nullptr;
};

/// All places of what a name means, in the texts that are open and in the one that declares it.
std::vector<Found> placesOf(const Question& question, const Declared& declared) {
  std::vector<Found> found;
  for (const Occurrence* o : placesIn(*declared.snapshot, numberOf(*declared.snapshot, *declared.symbol)))
    found.push_back({declared.snapshot, o});
  if (!declared.symbol->isOfFile()) return found;
  for (auto& [uri, document] : question.workspace.documents()) {
    const SnapshotPtr snapshot = document.snapshot();
    if (snapshot == declared.snapshot) continue;
    for (const Occurrence& o : snapshot->index().occurrences) {
      if (o.symbol || o.member || o.name != declared.symbol->name) continue;
      const Question there{question.workspace, document, o.range.begin};
      const Declared means = meaning(there, o);
      if (means.symbol == declared.symbol) found.push_back({snapshot, &o});
    }
  }
  return found;
}

bool isName(const std::string& name) {
  Sources sources;
  Diagnostics diagnostics;
  const SourceId id = sources.add("name", name);
  const std::vector<syntax::Token> tokens = syntax::tokensOf(sources, id, diagnostics);
  return tokens.size() == 1 && tokens[0].kind == syntax::TokenKind::Name && tokens[0].end == name.size() &&
         !diagnostics.hasErrors();
}

/// Whether each name of a text means the same after the places of one have another name.
bool keepsMeaning(const Snapshot& before, const std::vector<const Occurrence*>& places, const std::string& name) {
  std::string text = before.text();
  for (auto it = places.rbegin(); it != places.rend(); ++it)
    text.replace((*it)->range.begin, (*it)->range.end - (*it)->range.begin, name);
  const Snapshot after(before.file(), std::move(text));
  const auto &a = before.index().occurrences, &b = after.index().occurrences;
  if (a.size() != b.size() || after.errors() != before.errors()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k].symbol != b[k].symbol || a[k].expects != b[k].expects) return false;
  return true;
}

} // namespace

Json definition(const Question& question) {
  const SnapshotPtr& snapshot = question.document.snapshot();
  if (const syntax::Declaration* d = importAt(*snapshot, question.offset)) {
    for (const SnapshotPtr& other : question.workspace.imports(question.document))
      if (std::filesystem::path(other->file()).filename() == std::filesystem::path(d->name).filename())
        return locationOf(*other, {0, 0, 0});
    return nullptr;
  }
  const Occurrence* o = occurrenceAt(question);
  if (o == nullptr) return nullptr;
  const Declared declared = meaning(question, *o);
  return declared ? locationOf(*declared.snapshot, declared.symbol->nameRange) : Json(nullptr);
}

Json references(const Question& question, bool withDeclaration) {
  const Occurrence* o = occurrenceAt(question);
  Json all = Json::array();
  if (o == nullptr) return all;
  const Declared declared = meaning(question, *o);
  if (!declared) return all;
  for (const Found& f : placesOf(question, declared))
    if (withDeclaration || !f.occurrence->declares) all.push_back(locationOf(*f.snapshot, f.occurrence->range));
  return all;
}

Json highlights(const Question& question) {
  const Occurrence* at = occurrenceAt(question);
  Json all = Json::array();
  if (at == nullptr) return all;
  const Snapshot& snapshot = *question.document.snapshot();
  constexpr int read = 2, write = 3;
  for (const Occurrence& o : snapshot.index().occurrences) {
    const bool same = at->symbol ? o.symbol == at->symbol
                                 : !o.symbol && o.name == at->name && o.member == at->member && o.owner == at->owner;
    if (same) all.push_back({{"range", rangeOf(snapshot, o.range)}, {"kind", o.declares ? write : read}});
  }
  return all;
}

Json renamed(const Question& question) {
  const Occurrence* o = occurrenceAt(question);
  if (o == nullptr || !o->symbol) return nullptr;
  const Snapshot& snapshot = *question.document.snapshot();
  if (snapshot.index().symbols[*o->symbol].kind == SymbolKind::Clause) {
    // Clauses of groups and manifolds are words of the language; those of methods are the author's.
    const Symbol* around = snapshot.index().around(o->range.begin);
    if (around == nullptr || around->kind != SymbolKind::Method) return nullptr;
  }
  return {{"range", rangeOf(snapshot, o->range)}, {"placeholder", o->name}};
}

Json rename(const Question& question, const std::string& name) {
  if (renamed(question).is_null()) throw Refused("there is no name of yours here that can be renamed");
  if (!isName(name))
    throw Refused("`" + name + "` is no name: names are letters, digits and `_`, and no words of the language");
  const Occurrence* o = occurrenceAt(question);
  const Declared declared = meaning(question, *o);
  std::map<std::string, std::vector<Found>> byFile;
  if (declared)
    for (const Found& f : placesOf(question, declared)) byFile[f.snapshot->file()].push_back(f);
  Json changes = Json::object();
  for (const auto& [file, places] : byFile) {
    std::vector<const Occurrence*> occurrences;
    Json edits = Json::array();
    for (const Found& f : places) {
      occurrences.push_back(f.occurrence);
      edits.push_back({{"range", rangeOf(*f.snapshot, f.occurrence->range)}, {"newText", name}});
    }
    if (!keepsMeaning(*places.front().snapshot, occurrences, name))
      throw Refused("`" + name + "` has another meaning in " + std::filesystem::path(file).filename().string());
    changes[uriOf(file)] = std::move(edits);
  }
  // The address as the editor wrote it.
  const std::string own = uriOf(question.document.file);
  if (own != question.document.uri && changes.contains(own)) {
    changes[question.document.uri] = changes[own];
    changes.erase(own);
  }
  return {{"changes", std::move(changes)}};
}

} // namespace lmc::editor
