// What the manifolds and groups of the library are, for listings.
#pragma once

#include "sema/Compilation.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::sema {

/// A manifold or group as a line of a listing tells of it.
struct ManifoldSummary {
  std::string name; ///< the head as written: "SO(3)", "R^n"
  bool isGroup = false;
  std::optional<int> dimension; ///< nothing where the head names a family: `R^n`, `SO(n)`
  std::string storage;          ///< types of the parts of a point: "mat(3,3) + vec(3)"; "-" where none is declared
  std::string description;      ///< the first line of its comment
};

/// What was written there, on one line.
[[nodiscard]] std::string onOneLine(std::string_view text);
/// The first line of a comment, without what marks it as one.
[[nodiscard]] std::string firstLine(const std::string& comment);
/// Whether a head leaves something open: `R^n`, `SO(n)`.
[[nodiscard]] bool namesFamily(const syntax::Type& head);

[[nodiscard]] ManifoldSummary summaryOf(Compilation& compilation, const Found& found);
/// All of the library, groups first, in the order of its files.
[[nodiscard]] std::vector<ManifoldSummary> libraryManifolds(Compilation& compilation);

} // namespace lmc::sema
