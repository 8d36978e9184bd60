// The texts of a compilation: the user's files with their imports, and the library, read on demand.
#pragma once

#include "base/Files.h"
#include "sema/session/CompilationOptions.h"
#include "sema/values/Value.h"

#include <map>
#include <set>

namespace lmc::sema {

/// A top-level declaration as a lexical scan sees it, without parsing.
struct ScannedDeclaration {
  syntax::DeclKind kind = syntax::DeclKind::Error;
  std::string name; ///< first word after the keyword
  std::string head; ///< of groups and manifolds: as written, without spaces
};

/// Finds the declarations of a text by its words and braces alone; comments and strings are skipped.
[[nodiscard]] std::vector<ScannedDeclaration> scanDeclarations(std::string_view text);

/// Loads files and finds declarations by name. The user's files come first, then the library, which sees itself alone;
/// a library file is parsed when a name that it declares is asked for.
class Library {
public:
  Library(const CompilationOptions& options, Sources& sources, Diagnostics& diagnostics);

  /// Reads the main file and its imports; false when the main file cannot be read (reported).
  bool load(const std::filesystem::path& file);
  bool loadText(const std::string& name, const std::string& text);
  [[nodiscard]] const std::vector<const syntax::File*>& files() const { return userFiles_; }

  /// Declarations of the name, in the order of precedence: the file `from` itself, the user's files in the order of
  /// their imports, else the library; for a file of the library the library alone.
  [[nodiscard]] std::vector<Found> find(const std::set<syntax::DeclKind>& kinds, const std::string& name,
                                        SourceId from);
  /// The same by precedence: of the file `from`, of the other files of the user, of the library. The first that holds a
  /// declaration that fits wins.
  [[nodiscard]] std::vector<std::vector<Found>> tiers(const std::set<syntax::DeclKind>& kinds, const std::string& name,
                                                      SourceId from);
  /// The same among the user's files only.
  [[nodiscard]] std::vector<Found> findUser(const std::set<syntax::DeclKind>& kinds, const std::string& name) const;
  /// The same in the library only.
  [[nodiscard]] std::vector<Found> findLibrary(const std::set<syntax::DeclKind>& kinds, const std::string& name);
  /// Names of everything of these kinds, the user's first, none twice; heads for groups and manifolds.
  [[nodiscard]] std::vector<std::string> names(const std::set<syntax::DeclKind>& kinds);
  [[nodiscard]] std::vector<Found> libraryDeclarations(syntax::DeclKind kind);
  /// Of the user's files and the library; not what `CompilationOptions::readFile` answered.
  [[nodiscard]] const FilesRead& filesRead() const { return filesRead_; }
  [[nodiscard]] bool isLibrary(SourceId source) const { return librarySources_.contains(source); }

  /// Reads a file beside the one of `from`, else on the import path. `tried` receives the places.
  [[nodiscard]] std::optional<std::string> readBeside(const std::string& name, SourceId from,
                                                      std::filesystem::path& found, std::vector<std::string>& tried);

private:
  struct Pending { ///< a library file: scanned, parsed when needed
    std::filesystem::path path;
    std::string text;
    std::vector<ScannedDeclaration> scanned;
    const syntax::File* file = nullptr;
  };

  std::optional<std::string> read(const std::filesystem::path& path);
  std::string key(const std::filesystem::path& path) const;
  void add(const std::filesystem::path& path, std::string text);
  void importAll(const syntax::File& file);
  void import(const syntax::Declaration& declaration);
  void scanLibrary();
  const syntax::File& parsed(Pending& pending);
  [[nodiscard]] std::string headText(const syntax::Declaration& d) const;

  const CompilationOptions& options_;
  Sources& sources_;
  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<syntax::File>> owned_;
  std::vector<const syntax::File*> userFiles_;
  std::map<SourceId, std::filesystem::path> paths_;
  std::set<std::string> loaded_;
  std::vector<std::filesystem::path> loading_; ///< the chain of imports being read
  std::set<SourceId> librarySources_;
  std::vector<Pending> library_;
  FilesRead filesRead_;
  bool scanned_ = false;
};

} // namespace lmc::sema
