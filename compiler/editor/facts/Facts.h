// What a compilation says of a text: messages, types of its expressions, equations, methods that can step it.
#pragma once

#include "products/Pipeline.h"

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::editor {

/// A message about a text. Bytes of it.
struct Finding {
  struct Note {
    std::string message;
    std::string file; ///< empty: the text itself, or no place
    std::uint32_t begin = 0, end = 0;
    bool placed = false;
  };
  std::uint32_t begin = 0, end = 0;
  bool isError = true;
  std::string code; ///< "LIE0100"
  std::string message;
  std::string suggestion;
  std::vector<Note> notes;
};

/// What an expression is.
struct Shown {
  std::uint32_t begin = 0, end = 0;
  std::string type;  ///< "vec(3)", "a velocity of SO(3)"
  std::string value; ///< of a constant number, else empty
};

/// A parameter with its value, of a model without errors: also of what others decide, and of a file's column.
struct ShownParameter {
  std::string type;  ///< "real", "vec(3)", "2 of vec(3)"
  std::string value; ///< "[1, 2, 3]"; of many numbers the first and the last one
};

/// An equation of motion, as text.
struct ShownEquation {
  std::string section, left, right;
};

/// As types are compared: `SO(3)` for `SO( 3 )`.
[[nodiscard]] std::string withoutBlanks(std::string_view text);

/// A manifold that the text names by a type.
struct ShownManifold {
  std::string name;
  bool isGroup = false;
  std::optional<int> dimension;
  std::string point, algebra; ///< parts: "R : mat(3,3), x : vec(3)"
};

/// Where a declaration of another file stands, the library's included.
struct Place {
  std::string file;
  std::uint32_t begin = 0, end = 0;
};

struct Facts {
  std::string text; ///< what they are of
  std::vector<Finding> findings;
  std::vector<Shown> shown;                         ///< by begin, then end
  std::map<std::string, ShownManifold> manifolds;   ///< by the type as written, without blanks
  std::map<std::string, ShownParameter> parameters; ///< by name; of the column of a table "road.height"
  std::vector<ShownEquation> equations;
  std::vector<std::string> remarks;                            ///< about the mass matrix
  std::optional<std::vector<products::MethodSummary>> methods; ///< that can step the model

  /// What stands exactly there; null if nothing is known.
  [[nodiscard]] const Shown* at(std::uint32_t begin, std::uint32_t end) const;
  /// The manifold of a type as written, with blanks or without; null if nothing is known.
  [[nodiscard]] const ShownManifold* manifoldOf(std::string_view type) const;
};

/// A compilation that tells facts, one stage after the other; each may end early when it is cancelled.
class FactFinder {
public:
  struct Request {
    std::string file, text;
    std::filesystem::path libraryRoot;
    std::vector<std::filesystem::path> importPath;
    /// Texts of other files that are open; empty: those of the disk.
    std::function<std::optional<std::string>(const std::filesystem::path&)> readFile;
    std::function<bool()> cancelled;
    double seconds = 20; ///< of processor time, at most
  };
  explicit FactFinder(Request request);

  /// Checks the text: findings, types, manifolds.
  void check(Facts& facts);
  /// Parameters and equations of a model without errors.
  void derive(Facts& facts);
  /// The methods that can step a model without errors.
  void methods(Facts& facts);

private:
  void findings(Facts& facts) const;
  void manifolds(Facts& facts);
  void parameters(Facts& facts);
  Request request_;
  products::Pipeline pipeline_;
  bool good_ = false;
};

} // namespace lmc::editor
