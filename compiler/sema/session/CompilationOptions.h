// What a compilation is told, and how a found declaration is named.
#pragma once

#include "base/Source.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lmc::syntax {
struct Declaration;
}

namespace lmc::sema {

/// `--set NAME=EXPR`, as typed.
struct Override {
  std::string name; ///< m, m[2], mu.w, R
  std::string expression;
};

struct CompilationOptions {
  std::filesystem::path libraryRoot; ///< holds stdlib/ and runtime/steppers/ (in the source tree and installed)
  std::vector<std::filesystem::path> importPath; ///< searched after the importing file's own folder
  std::vector<Override> overrides;
  /// Reads a file of an import or of read("…"); replaced by hosts that keep sources in memory.
  std::function<std::optional<std::string>(const std::filesystem::path&)> readFile;
  /// Values of `simulate` that the command line gives, as expressions by key (method time.from time.to step tolerance
  /// controller output.every seed).
  std::vector<std::pair<std::string, std::string>> simulate;
  /// The method that the command line names, in the place of that of `simulate`: there are methods that step contacts.
  std::optional<std::string> method;
  /// The model says what a picture of it shows, as far as it has no `view` (Model::scene).
  bool scene = false;
};

/// A declared method, tableau, group, … found by name.
struct Found {
  const syntax::Declaration* declaration = nullptr;
  SourceId source = 0;
  explicit operator bool() const { return declaration != nullptr; }
};

} // namespace lmc::sema
