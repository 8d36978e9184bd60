#include "sema/session/Library.h"

#include "sema/session/ConfinedReader.h"
#include "syntax/parser/Parser.h"

#include <algorithm>

namespace lmc::sema {

namespace fs = std::filesystem;

namespace {

/// Imports nest this deep, and a compilation has this many files of the user, at most: whatever answers imports (a host
/// program may) cannot make the compiler go on without end.
constexpr std::size_t deepestImport = 200;
constexpr std::size_t mostFiles = 10000;

/// The `.lie` files in the folders of the places that were tried.
std::vector<std::string> filesBeside(const std::vector<std::string>& tried) {
  std::vector<std::string> names;
  for (const std::string& place : tried) {
    const fs::path folder = fs::path(place).parent_path();
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, failed)) {
      if (entry.path().extension() == ".lie") names.push_back(entry.path().filename().string());
    }
  }
  return names;
}

bool nameIs(const syntax::Declaration& d, const std::set<syntax::DeclKind>& kinds, const std::string& name) {
  return kinds.contains(d.kind) && d.name == name;
}

} // namespace

Library::Library(const CompilationOptions& options, Sources& sources, Diagnostics& diagnostics)
    : options_(options), sources_(sources), diagnostics_(diagnostics) {}

std::optional<std::string> Library::read(const fs::path& path) {
  return options_.readFile ? options_.readFile(path) : filesRead_.read(path);
}

std::string Library::key(const fs::path& path) const {
  return options_.readFile ? path.lexically_normal().string() : identityOf(path);
}

namespace {

/// ": it is a folder, not a file"; empty where there is nothing to say.
std::string whyUnread(const fs::path& file) {
  std::error_code unknown;
  const fs::file_status status = fs::status(file, unknown);
  if (!fs::exists(status)) return ": there is no such file";
  if (fs::is_directory(status)) return ": it is a folder, not a file";
  return fs::is_regular_file(status) ? "" : ": it is no file on a disk, but a pipe or a device";
}

} // namespace

bool Library::load(const fs::path& file) {
  auto text = read(file);
  if (!text) {
    const SourceId id = sources_.add(file.string(), "");
    const std::string why = options_.readFile ? std::string() : whyUnread(file);
    diagnostics_.error(Code::LIE0107, {id, 0, 0}, "cannot read `" + file.string() + "`" + why);
    return false;
  }
  add(file, std::move(*text));
  return true;
}

bool Library::loadText(const std::string& name, const std::string& text) {
  add(name, text);
  return true;
}

void Library::add(const fs::path& path, std::string text) {
  loaded_.insert(key(path));
  const SourceId id = sources_.add(path.string(), std::move(text));
  paths_[id] = path;
  owned_.push_back(std::make_unique<syntax::File>(syntax::parse(sources_, id, diagnostics_)));
  const syntax::File& file = *owned_.back();
  userFiles_.push_back(&file);
  loading_.push_back(path);
  importAll(file);
  loading_.pop_back();
}

void Library::importAll(const syntax::File& file) {
  for (const syntax::Declaration& d : file.declarations) {
    if (d.kind == syntax::DeclKind::Import) import(d);
  }
}

void Library::import(const syntax::Declaration& declaration) {
  fs::path found;
  std::vector<std::string> tried;
  auto text = readBeside(declaration.name, declaration.range.source, found, tried);
  const Range where = declaration.nameRange.end > 0 ? declaration.nameRange : declaration.range;
  if (!text) {
    auto report = diagnostics_.error(Code::LIE0104, where, "there is no file `" + declaration.name + "` to import");
    for (const std::string& place : tried) report.note("looked for " + place);
    // Where a host answers, or the model is not trusted, other files of the disk are nobody's business.
    const std::string near = options_.readFile ? std::string() : nearest(declaration.name, filesBeside(tried));
    if (!near.empty()) report.suggest("did you mean \"" + near + "\"?");
    return;
  }
  const std::string wanted = key(found);
  const auto onChain =
      std::find_if(loading_.begin(), loading_.end(), [&](const fs::path& p) { return key(p) == wanted; });
  if (onChain != loading_.end()) {
    std::string cycle;
    for (auto it = onChain; it != loading_.end(); ++it) cycle += it->filename().string() + " -> ";
    diagnostics_.error(Code::LIE0105, where, "files import each other: " + cycle + onChain->filename().string());
    return;
  }
  if (loaded_.contains(wanted)) return;
  if (loading_.size() > deepestImport) {
    diagnostics_.error(Code::LIE0105, where, "imports nest deeper than " + std::to_string(deepestImport) + " files")
        .note("the first of them is `" + loading_.front().filename().string() + "`");
  } else if (userFiles_.size() >= mostFiles) {
    diagnostics_.error(Code::LIE0105, where, "more than " + std::to_string(mostFiles) + " files are imported");
  } else {
    add(found, std::move(*text));
  }
}

std::optional<std::string> Library::readBeside(const std::string& name, SourceId from, fs::path& found,
                                               std::vector<std::string>& tried) {
  std::vector<fs::path> places;
  const auto own = paths_.find(from);
  if (own != paths_.end())
    places.push_back(own->second.parent_path() / name);
  else
    places.emplace_back(name);
  if (!fs::path(name).is_absolute()) {
    for (const fs::path& folder : options_.importPath) places.push_back(folder / name);
  }
  for (const fs::path& place : places) {
    try {
      if (auto text = read(place)) {
        found = place;
        return text;
      }
      tried.push_back(place.string());
    } catch (const ReadRefused& refused) {
      tried.push_back(place.string() + ": " + refused.what());
    }
  }
  return std::nullopt;
}

// --- the library ----------------------------------------------------------------------------------------------

void Library::scanLibrary() {
  if (scanned_) return;
  scanned_ = true;
  if (options_.libraryRoot.empty()) return;
  std::vector<fs::path> paths;
  for (const char* folder : {"stdlib", "stdlib/mechanics", "runtime/steppers"}) {
    const std::vector<fs::path> here = filesRead_.list(options_.libraryRoot / folder, ".lie");
    paths.insert(paths.end(), here.begin(), here.end());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    Pending pending{path, filesRead_.read(path).value_or(""), {}, nullptr};
    pending.scanned = scanDeclarations(pending.text);
    library_.push_back(std::move(pending));
  }
}

const syntax::File& Library::parsed(Pending& pending) {
  if (pending.file == nullptr) {
    const SourceId id = sources_.add(pending.path.string(), std::move(pending.text));
    paths_[id] = pending.path;
    librarySources_.insert(id);
    owned_.push_back(std::make_unique<syntax::File>(syntax::parse(sources_, id, diagnostics_)));
    pending.file = owned_.back().get();
  }
  return *pending.file;
}

std::vector<Found> Library::findUser(const std::set<syntax::DeclKind>& kinds, const std::string& name) const {
  std::vector<Found> result;
  for (const syntax::File* file : userFiles_) {
    for (const syntax::Declaration& d : file->declarations) {
      if (nameIs(d, kinds, name)) result.push_back({&d, file->source});
    }
  }
  return result;
}

std::vector<Found> Library::findLibrary(const std::set<syntax::DeclKind>& kinds, const std::string& name) {
  scanLibrary();
  std::vector<Found> result;
  for (Pending& pending : library_) {
    const bool here = std::any_of(pending.scanned.begin(), pending.scanned.end(), [&](const ScannedDeclaration& d) {
      return kinds.contains(d.kind) && d.name == name;
    });
    if (!here) continue;
    const syntax::File& file = parsed(pending);
    for (const syntax::Declaration& d : file.declarations) {
      if (nameIs(d, kinds, name)) result.push_back({&d, file.source});
    }
  }
  return result;
}

std::vector<Found> Library::find(const std::set<syntax::DeclKind>& kinds, const std::string& name, SourceId from) {
  // What the library means does not change with the user's names.
  std::vector<Found> result = isLibrary(from) ? std::vector<Found>() : findUser(kinds, name);
  if (result.empty()) result = findLibrary(kinds, name);
  std::stable_partition(result.begin(), result.end(), [&](const Found& f) { return f.source == from; });
  return result;
}

std::vector<std::vector<Found>> Library::tiers(const std::set<syntax::DeclKind>& kinds, const std::string& name,
                                               SourceId from) {
  std::vector<std::vector<Found>> result;
  if (!isLibrary(from)) {
    std::vector<Found> own;
    std::vector<Found> others;
    for (const Found& f : findUser(kinds, name)) (f.source == from ? own : others).push_back(f);
    result = {std::move(own), std::move(others)};
  }
  result.push_back(findLibrary(kinds, name));
  return result;
}

std::string Library::headText(const syntax::Declaration& d) const {
  if (!d.head) return d.name;
  std::string head;
  for (const char c : sources_.text(d.head->range)) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') head += c;
  }
  return head;
}

std::vector<std::string> Library::names(const std::set<syntax::DeclKind>& kinds) {
  scanLibrary();
  std::vector<std::string> result;
  const auto add = [&](const std::string& name) {
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  };
  for (const syntax::File* file : userFiles_) {
    for (const syntax::Declaration& d : file->declarations) {
      if (kinds.contains(d.kind) && !d.name.empty()) add(headText(d));
    }
  }
  for (const Pending& pending : library_) {
    for (const ScannedDeclaration& d : pending.scanned) {
      if (kinds.contains(d.kind)) add(d.head.empty() ? d.name : d.head);
    }
  }
  return result;
}

std::vector<Found> Library::libraryDeclarations(syntax::DeclKind kind) {
  scanLibrary();
  std::vector<Found> result;
  for (Pending& pending : library_) {
    const syntax::File& file = parsed(pending);
    for (const syntax::Declaration& d : file.declarations) {
      if (d.kind == kind) result.push_back({&d, file.source});
    }
  }
  return result;
}

} // namespace lmc::sema
