#include "editor/documents/Workspace.h"

#include "base/Files.h"
#include "sema/Compilation.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace lmc::editor {

namespace fs = std::filesystem;

const SnapshotPtr& Document::snapshot() const {
  if (!snapshot_) {
    snapshot_ = std::make_shared<const Snapshot>(file, text, before_.get());
    before_.reset();
  }
  return snapshot_;
}

void Document::change(std::string now, std::int64_t newVersion) {
  text = std::move(now);
  version = newVersion;
  compared_.reset();
  if (snapshot_) before_ = std::move(snapshot_);
  snapshot_.reset();
}

std::optional<std::uint32_t> Document::before(std::uint32_t offset) const {
  if (!facts) return std::nullopt;
  const std::string& old = facts->text;
  if (compared_ != facts) {
    compared_ = facts;
    sameAtBegin_ =
        static_cast<std::size_t>(std::mismatch(text.begin(), text.end(), old.begin(), old.end()).first - text.begin());
    const std::size_t most = std::min(text.size(), old.size()) - sameAtBegin_;
    sameAtEnd_ = 0;
    while (sameAtEnd_ < most && text[text.size() - 1 - sameAtEnd_] == old[old.size() - 1 - sameAtEnd_]) ++sameAtEnd_;
  }
  if (offset <= sameAtBegin_) return offset;
  if (offset < text.size() - sameAtEnd_) return std::nullopt;
  return static_cast<std::uint32_t>(old.size() - (text.size() - offset));
}

const Shown* Document::shown(const Range& range) const {
  const auto begin = before(range.begin), end = before(range.end);
  return begin && end ? facts->at(*begin, *end) : nullptr;
}

std::string fileOf(const std::string& uri) {
  const std::string scheme = "file://";
  if (!uri.starts_with(scheme)) return uri;
  std::string file;
  for (std::size_t i = scheme.size(); i < uri.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      if (at >= uri.size()) return -1;
      const char c = uri[at];
      return c >= '0' && c <= '9'   ? c - '0'
             : c >= 'a' && c <= 'f' ? c - 'a' + 10
             : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                    : -1;
    };
    if (uri[i] == '%' && digit(i + 1) >= 0 && digit(i + 2) >= 0) {
      file += static_cast<char>(digit(i + 1) * 16 + digit(i + 2));
      i += 2;
    } else {
      file += uri[i];
    }
  }
  return file;
}

std::string uriOf(const std::string& file) {
  if (!file.starts_with('/')) return file;
  std::string uri = "file://";
  for (const char c : file) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/-_.~").find(c) != std::string_view::npos;
    if (plain)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return uri;
}

Document* Workspace::find(const std::string& uri) {
  const auto it = documents_.find(uri);
  return it == documents_.end() ? nullptr : &it->second;
}

SnapshotPtr Workspace::file(const fs::path& path) {
  const std::string name = path.lexically_normal().string();
  for (const auto& [uri, d] : documents_)
    if (fs::path(d.file).lexically_normal().string() == name) return d.snapshot();
  std::error_code failed;
  const fs::file_time_type time = fs::last_write_time(path, failed);
  if (failed) return nullptr;
  OnDisk& known = disk_[name];
  if (!known.snapshot || known.time != time) {
    std::optional<std::string> text = readFile(path);
    if (!text) return nullptr;
    known = {time, std::make_shared<const Snapshot>(name, std::move(*text))};
  }
  return known.snapshot;
}

void Workspace::addImports(const Snapshot& snapshot, std::vector<SnapshotPtr>& found) {
  constexpr std::size_t most = 200;
  for (const syntax::Declaration& d : snapshot.tree().declarations) {
    if (d.kind != syntax::DeclKind::Import || found.size() >= most) continue;
    std::vector<fs::path> places = {fs::path(snapshot.file()).parent_path() / d.name};
    for (const fs::path& folder : importPath_) places.push_back(folder / d.name);
    for (const fs::path& place : places) {
      const SnapshotPtr other = file(place);
      if (!other) continue;
      if (other.get() != &snapshot && std::find(found.begin(), found.end(), other) == found.end()) {
        found.push_back(other);
        addImports(*other, found);
      }
      break;
    }
  }
}

std::vector<SnapshotPtr> Workspace::imports(const Document& document) {
  std::vector<SnapshotPtr> found;
  addImports(*document.snapshot(), found);
  std::erase(found, document.snapshot());
  return found;
}

const std::vector<SnapshotPtr>& Workspace::library() {
  if (libraryRead_) return library_;
  libraryRead_ = true;
  sema::CompilationOptions options;
  options.libraryRoot = libraryRoot_;
  const std::unique_ptr<sema::Compilation> compilation = sema::makeCompilation(std::move(options));
  std::set<SourceId> sources;
  using syntax::DeclKind;
  for (const DeclKind kind : {DeclKind::Group, DeclKind::Manifold, DeclKind::Method, DeclKind::Variational,
                              DeclKind::Tableau, DeclKind::Joint, DeclKind::Function})
    for (const sema::Found& f : compilation->libraryDeclarations(kind)) sources.insert(f.source);
  for (const SourceId id : sources) {
    const Source& s = compilation->sources()[id];
    library_.push_back(std::make_shared<const Snapshot>(s.name(), s.text()));
  }
  return library_;
}

std::vector<Declared> Workspace::library(SymbolKind kind) {
  std::vector<Declared> found;
  for (const SnapshotPtr& s : library())
    for (const Symbol& symbol : s->index().symbols)
      if (symbol.isOfFile() && symbol.kind == kind) found.push_back({s, &symbol, true});
  return found;
}

Declared Workspace::find(const Document& document, const std::string& name) {
  for (const SnapshotPtr& s : imports(document))
    if (const Symbol* symbol = s->index().find(name)) return {s, symbol, false};
  for (const SnapshotPtr& s : library())
    if (const Symbol* symbol = s->index().find(name)) return {s, symbol, true};
  return {};
}

} // namespace lmc::editor
