// The names of one file: what is declared, where, and where it is used. Read off the syntax tree alone, which may have
// errors; nothing is evaluated.
#pragma once

#include "syntax/Ast.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::editor {

enum class SymbolKind : std::uint8_t {
  // of files
  Model,
  Group,
  Manifold,
  Method,
  Tableau,
  Joint,
  Function,
  // of models
  Parameter,
  Let,
  Configuration,
  Velocity,
  Momentum,
  State,
  Discrete,
  Input,
  Observable,
  Event,
  Constraint,
  Instance, ///< of a joint
  Shape,
  // of groups, manifolds, methods
  Element,
  Algebra,
  Point,
  Clause, ///< `exp(w) = …`, `k1 = …`, `a = …`
  Unknown,
  Kept,
  // of expressions
  Argument,
  Bound,
};

/// "configuration", as a reader calls it.
[[nodiscard]] std::string_view describe(SymbolKind kind);

struct Symbol {
  SymbolKind kind = SymbolKind::Let;
  std::string name;
  Range nameRange;
  Range range;                                      ///< the whole declaration or statement
  const syntax::Declaration* declaration = nullptr; ///< that it is, or that it stands in; null: neither
  const syntax::Statement* statement = nullptr;     ///< that it is declared by; null of declarations
  std::optional<std::size_t> container;             ///< the symbol of the declaration around it
  [[nodiscard]] bool isOfFile() const { return kind <= SymbolKind::Function && !container; }
};

/// A name in the text.
struct Occurrence {
  Range range;
  std::string name;
  std::optional<std::size_t> symbol; ///< of this file
  std::optional<SymbolKind> expects; ///< of a name that this file does not declare: what it is taken for
  bool declares = false;
  bool called = false; ///< a `(` follows
  bool member = false; ///< the part behind a point
  /// Of a member: the name before the point, where it is one, and the byte at which that begins.
  std::string owner;
  std::uint32_t ownerBegin = 0;
};

struct Index {
  std::vector<Symbol> symbols; ///< in the order of the text, but bound indices and arguments last in each statement
  std::vector<Occurrence> occurrences; ///< by their places

  /// The name at a byte, or that ends there; null if there is none.
  [[nodiscard]] const Occurrence* at(std::uint32_t offset) const;
  /// The declaration around a byte.
  [[nodiscard]] const Symbol* around(std::uint32_t offset) const;
  /// A declaration of the file by its name; groups and manifolds by theirs without sizes.
  [[nodiscard]] const Symbol* find(std::string_view name) const;
};

/// The tree must outlive the index.
[[nodiscard]] Index indexOf(const syntax::File& file);

} // namespace lmc::editor
