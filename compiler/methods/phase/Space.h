// The linear spaces of a method: values that span all phase variables, part by part, families as loops.
#pragma once

#include "mechanics/system/Geometry.h"
#include "sema/model/Model.h"

#include <string>
#include <vector>

namespace lmc::methods {

/// One part of a value: a tensor, or one per member of a family (as a function of `index`).
struct Component {
  std::string name;
  sym::Shape shape;
  std::int64_t extent = 0;      ///< members; 0: a single value
  std::vector<sym::Expr> index; ///< the loop index of the member, or empty
  /// Numbers in all members together.
  [[nodiscard]] std::int64_t size() const { return std::max<std::int64_t>(extent, 1) * shape.size(); }
  [[nodiscard]] std::vector<std::int64_t> extents() const {
    return extent > 0 ? std::vector<std::int64_t>{extent} : std::vector<std::int64_t>{};
  }
  /// The loop over the members, or none.
  [[nodiscard]] std::vector<sym::Loop> loops(sym::Graph& g) const;
};
using Space = std::vector<Component>;

[[nodiscard]] std::int64_t sizeOf(const Space& space);
/// Fresh arrays with the parts of a value, named name.component. With a `margin` the code fails (FarFromManifold) where
/// that is negative.
[[nodiscard]] sema::ArrayTuple store(sym::Program& p, const Space& space, const sema::Tuple& value,
                                     const std::string& name, sym::Expr margin = {});
/// Adds the absolute values of all numbers of a part, which `value` is of each member, to a number.
void addSizes(sym::Program& p, const sym::Array* sum, const Component& part, sym::Expr value);
/// The parts as loads of such arrays.
[[nodiscard]] sema::Tuple load(sym::Graph& g, const Space& space, const sema::ArrayTuple& arrays);

/// All numbers of a space one after the other, and zeros up to whole vectors of the machine: loops over such rows have
/// no rest.
[[nodiscard]] std::int64_t rowOf(const Space& space);
/// A row with the numbers of a value, named `name`.
[[nodiscard]] const sym::Array* flat(sym::Program& p, const Space& space, const sema::Tuple& parts,
                                     const std::string& name);
/// The value whose numbers a row is.
[[nodiscard]] sema::Tuple unflat(sym::Graph& g, const Space& space, const sym::Array* numbers);
/// No family is so large that its code are loops.
[[nodiscard]] bool isWrittenOut(const Space& space);

} // namespace lmc::methods
