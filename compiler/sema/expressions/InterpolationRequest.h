// What a call of `interpolate` asks for: its arguments, read and checked.
#pragma once

#include "sema/expressions/ExpressionEvaluator.h"

namespace lmc::sema {

/// What runs between two nodes.
enum class Curve : std::uint8_t { Linear, Cubic };
/// What there is beyond the first and the last node: nothing, the value there, the last piece going on, all once more.
enum class Ends : std::uint8_t { Strict, Hold, Extend, Periodic };

/// The members 1 … n of a family.
struct Members {
  std::function<Value(sym::Expr)> at;
  std::int64_t n = 0;
  std::string text;
  std::shared_ptr<const Table> table; ///< may be null
  std::ptrdiff_t column = -1;
};

struct InterpolationRequest {
  Members values, nodes;
  bool combined = false; ///< values of several columns
  sym::Expr argument;
  Curve curve = Curve::Linear;
  Ends ends = Ends::Strict;
  const FoundManifold* manifold = nullptr; ///< of whose points the values are; null: numbers, vectors, matrices
};

/// Nothing if something is wrong with it (reported).
[[nodiscard]] std::optional<InterpolationRequest> readInterpolation(ExpressionEvaluator& ev, const syntax::Expr& call,
                                                                    const Context& c);

/// Whether an expression is made of data alone that do not change during a run: constants, loop indices, parameters,
/// and arrays that equations make of them.
[[nodiscard]] bool isFixed(const sym::Program& program, sym::Expr e);

} // namespace lmc::sema
