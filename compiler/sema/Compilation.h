// From files to a checked model: finding declarations, binding names, checking types, building the program.
#pragma once

#include "sema/model/Model.h"
#include "sema/session/CompilationOptions.h"
#include "sema/values/Value.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lmc {
struct FilesRead;
}

namespace lmc::sema {

struct AmbientModel;
class DeclaredManifold;

/// Everything that belongs to one compilation: texts, trees, graph, diagnostics, library.
///
/// Names are looked up in the file that uses them, then in the user's other files (the main one, its imports in order),
/// then in the library; a file of the library sees the library alone. Library files are read only when a name that they
/// declare is asked for.
class Compilation {
public:
  virtual ~Compilation() = default;

  [[nodiscard]] virtual Sources& sources() = 0;
  [[nodiscard]] virtual Diagnostics& diagnostics() = 0;
  [[nodiscard]] virtual sym::Graph& graph() = 0;
  [[nodiscard]] virtual const CompilationOptions& options() const = 0;

  /// Reads the file and its imports; false when it cannot be read at all (reported).
  virtual bool load(const std::filesystem::path& file) = 0;
  /// The same for a text in memory.
  virtual bool loadText(const std::string& name, const std::string& text) = 0;
  /// The trees that were loaded, the main file first.
  [[nodiscard]] virtual const std::vector<const syntax::File*>& files() const = 0;

  /// What has been read from the disk so far, the library included (base/Files.h); not what `readFile` answered.
  [[nodiscard]] virtual const FilesRead& filesRead() const = 0;

  /// As the file `from` means it.
  [[nodiscard]] virtual Found findMethod(const std::string& name, SourceId from = 0) = 0;
  [[nodiscard]] virtual Found findTableau(const std::string& name, SourceId from = 0) = 0;
  /// Names of all methods (manifolds) that can be found, for messages and listings: those of the file first.
  [[nodiscard]] virtual std::vector<std::string> methodNames() = 0;
  [[nodiscard]] virtual std::vector<std::string> manifoldNames() = 0; ///< heads as written: "R^n", "SO(3)"
  [[nodiscard]] virtual std::vector<Found> libraryDeclarations(syntax::DeclKind kind) = 0;

  /// Checks every declaration of the main file and its imports, and builds the (first) model; null if there is none or
  /// it has errors. All errors are in diagnostics().
  [[nodiscard]] virtual std::unique_ptr<Model> check() = 0;

  /// The model of `check`, which must have succeeded, with free rates of its points (sema/model/Model.h).
  [[nodiscard]] virtual AmbientModel ambient() = 0;

  /// An instantiated manifold by its type as written ("SO(3)"); null and a diagnostic if there is none.
  [[nodiscard]] virtual const Manifold* manifold(const syntax::Type& type) = 0;
  /// The manifold of a declaration, with the sizes that its head leaves open (`openSizes`), and with every clause
  /// checked; null and diagnostics if it cannot be used.
  [[nodiscard]] virtual const DeclaredManifold* manifold(const Found& found, const std::vector<int>& sizes) = 0;

  /// An evaluator of expressions in method bodies: functions of the file and built-ins are visible.
  [[nodiscard]] virtual std::unique_ptr<Evaluator> methodEvaluator(MethodOperations& operations, SourceId source) = 0;
};

[[nodiscard]] std::unique_ptr<Compilation> makeCompilation(CompilationOptions options);

} // namespace lmc::sema
