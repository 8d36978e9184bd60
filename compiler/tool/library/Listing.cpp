#include "tool/library/Listing.h"

#include "checks/study/Records.h"
#include "methods/checked/CheckMethod.h"
#include "sema/LibraryManifolds.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;

/// One line of a listing.
using Line = std::vector<std::pair<std::string, std::string>>; ///< (column, text)

/// The library, and the texts of what it declares.
class Library {
public:
  Library() {
    sema::CompilationOptions options;
    options.libraryRoot = libraryRoot();
    compilation_ = sema::makeCompilation(std::move(options));
  }

  [[nodiscard]] sema::Compilation& compilation() { return *compilation_; }

  [[nodiscard]] std::vector<sema::Found> all(std::initializer_list<syntax::DeclKind> kinds) {
    std::vector<sema::Found> found;
    for (const syntax::DeclKind kind : kinds)
      for (const sema::Found& one : compilation_->libraryDeclarations(kind)) found.push_back(one);
    return found;
  }

  /// What was written there, on one line.
  [[nodiscard]] std::string text(const Range& range) { return sema::onOneLine(compilation_->sources().text(range)); }

  [[nodiscard]] std::string file(const sema::Found& found) {
    namespace fs = std::filesystem;
    const fs::path path = compilation_->sources()[found.source].name();
    const fs::path shown = path.lexically_proximate(libraryRoot());
    return shown.empty() || *shown.begin() == ".." ? path.string() : shown.generic_string();
  }

  /// What was proved and measured about a method; null if it is not known, or its text has changed since.
  [[nodiscard]] const study::MethodRecord* record(const sema::Found& method) {
    if (!records_) {
      records_ = study::readRecords(study::recordFile(libraryRoot()));
      problems_ = study::problemTexts(libraryRoot());
    }
    const auto it = records_->find(method.declaration->name);
    if (it == records_->end()) return nullptr;
    return it->second.fingerprint == study::fingerprint(*compilation_, method, problems_) ? &it->second : nullptr;
  }

  /// The comment above a declaration and its text.
  [[nodiscard]] std::string listing(const sema::Found& found) {
    std::string out = "// " + file(found) + "\n\n";
    std::istringstream doc(found.declaration->doc);
    for (std::string line; std::getline(doc, line);)
      out += (line.empty() || line.starts_with(" ") ? "//" : "// ") + line + "\n";
    return out + std::string(compilation_->sources().text(found.declaration->range)) + "\n";
  }

private:
  std::unique_ptr<sema::Compilation> compilation_;
  std::optional<study::Records> records_;
  std::string problems_;
};

/// The sentence of a comment that names the source; its first line if there is none.
std::string sourceOf(const std::string& doc) {
  std::istringstream in(doc);
  std::string first, source;
  for (std::string line; std::getline(in, line);) {
    line.erase(0, std::min(line.find_first_not_of(" /"), line.size()));
    if (first.empty()) first = line;
    constexpr std::string_view mark = "Source: ";
    if (line.starts_with(mark))
      source = line.substr(mark.size());
    else if (!source.empty() && !source.ends_with("."))
      source += " " + line;
  }
  return source.empty() ? first : source;
}

/// The tableau that a method is built from; empty if it is not built from one.
sema::Found tableauOf(Library& library, const sema::Found& found) {
  const bool isMethod = found.declaration->kind == syntax::DeclKind::Method;
  const auto method = isMethod ? methods::checkMethod(library.compilation(), found) : nullptr;
  return method && method->tableau ? library.compilation().findTableau(method->tableau->tableau.name, found.source)
                                   : sema::Found{};
}

std::string stagesOf(const methods::CheckedMethod& method, const study::MethodRecord* known) {
  if (method.tableau) return std::to_string(method.tableau->tableau.stages());
  if (method.composition || method.formula || method.isImplicit()) return "-"; // the iteration decides
  if (known != nullptr) return std::to_string(known->evaluations);
  const int calls = method.calls("f");
  return calls > 0 ? std::to_string(calls) : "-";
}

/// As declared; of one that depends on parameters, for their defaults.
std::string orderOf(const methods::CheckedMethod& method) {
  return method.order > 0 ? std::to_string(method.order) : "-";
}

/// "4", "4 (numerical)", "5(4)"; "-" where nothing is proved.
std::string provedOf(const study::MethodRecord* known) {
  if (known == nullptr || known->proved == 0) return "-";
  std::string text = std::to_string(known->proved);
  if (known->embedded > 0) text += fmt::format("({})", known->embedded);
  return known->numerical ? text + " (numerical)" : text;
}

std::string word(const std::optional<bool>& known) {
  return !known ? "-" : *known ? "yes" : "no";
}

Line methodLine(Library& library, const sema::Found& found) {
  const auto method = methods::checkMethod(library.compilation(), found);
  if (!method) throw std::runtime_error("`" + found.declaration->name + "` of the library has errors: lmc check tells");
  const study::MethodRecord* known = library.record(found);
  const study::MethodProperties properties = known != nullptr ? known->properties : study::MethodProperties{};
  return {{"name", method->name},
          {"order", orderOf(*method)},
          {"proved", provedOf(known)},
          {"measured", known != nullptr && known->worst() ? fmt::format("{:.2f}", *known->worst()) : "-"},
          {"kind", method->kind->name},
          {"stages", stagesOf(*method, known)},
          {"exponentials", known != nullptr ? std::to_string(known->exponentials) : "-"},
          {"symplectic", word(properties.symplectic)},
          {"momentum", word(properties.momentum)},
          {"time-symmetric", word(properties.timeSymmetric)},
          {"energy", properties.energy ? study::energyWord(properties) : "-"},
          {"source", sourceOf(found.declaration->doc)}};
}

Line manifoldLine(Library& library, const sema::Found& found) {
  const sema::ManifoldSummary manifold = sema::summaryOf(library.compilation(), found);
  return {{"name", manifold.name},
          {"kind", manifold.isGroup ? "group" : "manifold"},
          {"dimension", manifold.dimension ? std::to_string(*manifold.dimension) : "-"}, // of a family: none
          {"storage", manifold.storage},
          {"description", manifold.description}};
}

/// "hinge(A : G, a : vec(3), k = 1)" of a joint.
std::string callOf(Library& library, const syntax::Declaration& joint) {
  std::string text = joint.name + "(";
  for (std::size_t k = 0; k < joint.params.size(); ++k) {
    if (k > 0) text += ", ";
    text += joint.params[k].name;
    if (joint.paramTypes[k] != nullptr) text += " : " + library.text(joint.paramTypes[k]->range);
    if (joint.paramDefaults[k] != nullptr) text += " = " + library.text(joint.paramDefaults[k]->range);
  }
  return text + ")";
}

Line jointLine(Library& library, const sema::Found& found) {
  const syntax::Declaration& joint = *found.declaration;
  std::string doc = joint.doc;
  std::replace(doc.begin(), doc.end(), '\n', ' ');
  return {{"name", joint.name},
          {"call", callOf(library, joint)},
          {"description", doc.substr(0, doc.find(". ") == std::string::npos ? doc.size() : doc.find(". ") + 1)}};
}

std::string table(const std::vector<Line>& lines) {
  if (lines.empty()) return {};
  std::vector<Line> rows = {{}};
  for (const auto& [column, text] : lines.front()) rows.front().emplace_back(column, column);
  rows.insert(rows.end(), lines.begin(), lines.end());
  std::vector<std::size_t> widths(lines.front().size(), 0);
  const auto characters = [](const std::string& s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  };
  for (const Line& line : rows)
    for (std::size_t i = 0; i + 1 < line.size(); ++i) widths[i] = std::max(widths[i], characters(line[i].second));
  std::string out;
  for (const Line& line : rows) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i].second;
      if (i + 1 < line.size()) out.append(widths[i] + 2 - characters(line[i].second), ' ');
    }
    out += '\n';
  }
  return out;
}

ordered_json toObject(const Line& line) {
  ordered_json object = ordered_json::object();
  for (const auto& [column, text] : line) object[column] = text;
  return object;
}

using Describe = Line (*)(Library&, const sema::Found&);

int list(const Invocation& call, Library& library, const std::vector<sema::Found>& all, Describe describe,
         const std::string& plural) {
  std::vector<Line> lines;
  lines.reserve(all.size());
  for (const sema::Found& found : all) lines.push_back(describe(library, found));
  if (!call[options::json]) {
    print(table(lines));
    return Done;
  }
  ordered_json objects = ordered_json::array();
  for (const Line& line : lines) objects.push_back(toObject(line));
  print(ordered_json{{plural, objects}}.dump(2) + "\n");
  return Done;
}

std::string withoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// The name of a family of which `SO(4)` or `S^7` is a member; empty for what is not written so.
std::string familyOf(const std::string& member) {
  const std::size_t cut = member.find_first_of("^(");
  if (cut == std::string::npos || cut + 1 == member.size()) return {};
  return member[cut] == '^' || member.back() == ')' ? member.substr(0, cut) : std::string();
}

/// The declarations that a name means: by the whole head, else by the name alone or as a member of a family.
std::vector<sema::Found> named(Library& library, const std::vector<sema::Found>& all, const std::string& name) {
  std::vector<sema::Found> byHead, byName;
  for (const sema::Found& found : all) {
    const syntax::Declaration& d = *found.declaration;
    if (d.head && withoutBlanks(library.text(d.head->range)) == withoutBlanks(name)) byHead.push_back(found);
    const bool family = d.head && sema::namesFamily(*d.head);
    if (d.name == name || (family && d.name == familyOf(name))) byName.push_back(found);
  }
  return byHead.empty() ? byName : byHead;
}

int show(const Invocation& call, Library& library, const std::vector<sema::Found>& all, Describe describe,
         const std::string& singular) {
  const std::string& name = call.arguments.front();
  const std::vector<sema::Found> found = named(library, all, name);
  if (found.empty()) {
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const sema::Found& one : all) names.push_back(describe(library, one).front().second);
    const std::string near = nearest(name, names);
    throw UsageError("the library has no " + singular + " `" + name + "`" +
                     (near.empty() ? std::string() : "; did you mean `" + near + "`?") + "\n`lmc " + call.command +
                     "` lists all of them");
  }
  std::string text;
  ordered_json objects = ordered_json::array();
  for (const sema::Found& one : found) {
    std::string listing = library.listing(one);
    if (const sema::Found tableau = tableauOf(library, one)) listing += "\n" + library.listing(tableau);
    ordered_json object = toObject(describe(library, one));
    object["file"] = library.file(one);
    object["text"] = listing;
    objects.push_back(std::move(object));
    text += (text.empty() ? "" : "\n") + listing + "\n" + table({describe(library, one)});
  }
  print(call[options::json] ? (objects.size() == 1 ? objects.front() : objects).dump(2) + "\n" : text);
  return Done;
}

int listOrShow(Context& context, std::initializer_list<syntax::DeclKind> kinds, Describe describe,
               const std::string& singular) {
  const Invocation& call = context.call;
  context.stage = "reading the library";
  const std::string name = oneName(call);
  Library library;
  const std::vector<sema::Found> all = library.all(kinds);
  if (all.empty()) throw std::runtime_error("the library was not found in `" + libraryRoot().string() + "`");
  if (!name.empty()) return show(call, library, all, describe, singular);
  return list(call, library, all, describe, singular + "s");
}

} // namespace

int listMethods(Context& context) {
  return listOrShow(context, {syntax::DeclKind::Method, syntax::DeclKind::Variational}, methodLine, "method");
}

int listManifolds(Context& context) {
  return listOrShow(context, {syntax::DeclKind::Group, syntax::DeclKind::Manifold}, manifoldLine, "manifold");
}

int listJoints(Context& context) {
  return listOrShow(context, {syntax::DeclKind::Joint}, jointLine, "joint");
}

} // namespace lmc::tool
