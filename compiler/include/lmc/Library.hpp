/// @file
/// What the standard library offers to models.
#pragma once

#include "lmc/Base.hpp"
#include "lmc/Error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lmc {
LMC_INLINE namespace v1 {

  /// A manifold or group of the library, which models may use without an import.
  struct ManifoldInfo {
    std::string name;                      ///< as a model writes it: "SO(3)"; of a family with its sizes: "R^n"
    bool isGroup = false;                  ///< whether it is a Lie group
    std::optional<std::int64_t> dimension; ///< of the manifold; empty for a family
    std::string storage;                   ///< of a point: "mat(3,3)", "mat(3,3) + vec(3)"
    std::string description;               ///< the first line of its documentation
  };

  /// The manifolds and groups of the library, as `lmc manifolds` lists them. `libraryRoot` is the folder of
  /// Options::libraryRoot. Throws Error of kind Installation where there is no library.
  [[nodiscard]] LMC_API std::vector<ManifoldInfo> manifolds(const std::string& libraryRoot = {});

} // namespace v1
} // namespace lmc
