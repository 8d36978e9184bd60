// The texts that are open, the files that they import, and the library.
#pragma once

#include "editor/documents/Snapshot.h"
#include "editor/facts/Facts.h"

#include <filesystem>
#include <map>
#include <optional>

namespace lmc::editor {

/// A text that is open in an editor.
struct Document {
  std::string uri, file;
  std::int64_t version = 0;
  std::string text;
  std::shared_ptr<const Facts> facts; ///< of this text or an earlier one; null before the first

  /// The text, read; when it is first asked for.
  [[nodiscard]] const SnapshotPtr& snapshot() const;
  void change(std::string now, std::int64_t newVersion);

  /// The byte of `facts->text` at which a byte of the text stood; nothing where the text has changed since.
  [[nodiscard]] std::optional<std::uint32_t> before(std::uint32_t offset) const;
  /// What is known of an expression of the text; null if nothing is.
  [[nodiscard]] const Shown* shown(const Range& range) const;

private:
  mutable SnapshotPtr snapshot_;
  mutable SnapshotPtr before_; ///< of an earlier text
  /// How many bytes at the begin and at the end are those of the facts' text, and of which facts.
  mutable std::size_t sameAtBegin_ = 0, sameAtEnd_ = 0;
  mutable std::shared_ptr<const Facts> compared_;
};

/// file:///a%20b -> /a b, and back. What is no such address stays as it is.
[[nodiscard]] std::string fileOf(const std::string& uri);
[[nodiscard]] std::string uriOf(const std::string& file);

class Workspace {
public:
  Workspace(std::filesystem::path libraryRoot, std::vector<std::filesystem::path> importPath)
      : libraryRoot_(std::move(libraryRoot)), importPath_(std::move(importPath)) {}

  [[nodiscard]] std::map<std::string, Document>& documents() { return documents_; }
  [[nodiscard]] Document* find(const std::string& uri);
  [[nodiscard]] const std::filesystem::path& libraryRoot() const { return libraryRoot_; }
  [[nodiscard]] const std::vector<std::filesystem::path>& importPath() const { return importPath_; }

  /// The files that a text imports, directly or not, as far as there are such files.
  [[nodiscard]] std::vector<SnapshotPtr> imports(const Document& document);
  /// A declaration of another file by its name: of the imports, else of the library.
  [[nodiscard]] Declared find(const Document& document, const std::string& name);
  /// All declarations of the library of one kind.
  [[nodiscard]] std::vector<Declared> library(SymbolKind kind);
  [[nodiscard]] const std::vector<SnapshotPtr>& library();
  /// The text of a file: of the editor if it is open there, else of the disk. Null if there is none.
  [[nodiscard]] SnapshotPtr file(const std::filesystem::path& path);

private:
  void addImports(const Snapshot& snapshot, std::vector<SnapshotPtr>& found);
  std::filesystem::path libraryRoot_;
  std::vector<std::filesystem::path> importPath_;
  std::map<std::string, Document> documents_; ///< by their addresses
  std::vector<SnapshotPtr> library_;
  bool libraryRead_ = false;
  struct OnDisk {
    std::filesystem::file_time_type time;
    SnapshotPtr snapshot;
  };
  std::map<std::string, OnDisk> disk_;
};

} // namespace lmc::editor
