// Appending equations for the members of a factor or state.
#pragma once

#include "mechanics/system/Geometry.h"

namespace lmc::mechanics {

/// The extents of arrays that hold one element per member; none for a single thing.
[[nodiscard]] inline std::vector<std::int64_t> memberExtents(std::int64_t extent) {
  return extent > 0 ? std::vector<std::int64_t>{extent} : std::vector<std::int64_t>{};
}

/// The loop over all members with the given index; none for a single thing.
[[nodiscard]] inline std::vector<sym::Loop> memberLoop(sym::Graph& g, std::int64_t extent,
                                                       const std::vector<sym::Expr>& index) {
  if (extent == 0) return {};
  return {{index[0], g.integer(1), g.integer(extent), false}};
}

/// array[index] = value for all members.
inline void define(sym::Program& p, const sym::Array* array, std::int64_t extent, const std::vector<sym::Expr>& index,
                   sym::Expr value) {
  sym::Equation e;
  e.array = array;
  e.loops = memberLoop(p.graph(), extent, index);
  e.index = index;
  e.value = value;
  p.append(std::move(e));
}

/// array[index] = value for index = lo…hi (or from hi down to lo), with `index` a loop index, or a constant when lo =
/// hi.
inline void defineRange(sym::Program& p, const sym::Array* array, sym::Expr index, std::int64_t lo, std::int64_t hi,
                        sym::Expr value, bool descending = false) {
  sym::Graph& g = p.graph();
  sym::Equation e;
  e.array = array;
  if (lo < hi) e.loops = {{index, g.integer(lo), g.integer(hi), descending}};
  e.index = {index};
  e.value = value;
  p.append(std::move(e));
}

/// Fresh arrays, one per part, with these values for all members. Named `name`, or name.part where there are several.
[[nodiscard]] inline std::vector<const sym::Array*>
defineParts(sym::Program& p, const std::string& name, const std::vector<sema::Part>& parts, std::int64_t extent,
            const std::vector<sym::Expr>& index, const sema::Tuple& values) {
  std::vector<const sym::Array*> arrays;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string full = parts.size() > 1 ? name + "." + parts[k].name : name;
    arrays.push_back(p.graph().newArray(full, memberExtents(extent), parts[k].shape, sym::Role::Temp));
    define(p, arrays.back(), extent, index, values[k]);
  }
  return arrays;
}

} // namespace lmc::mechanics
