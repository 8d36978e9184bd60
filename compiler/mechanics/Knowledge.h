// What holds on the phase manifold, for the simplification of values (sym/Rewrite.h).
#pragma once

#include "sema/Model.h"
#include "sym/Rewrite.h"

namespace lmc {

/// A variable whose arrays hold points of a manifold and horizontal algebra elements at them.
struct KnownVariable {
  const Manifold* manifold = nullptr;
  ArrayTuple point;
  std::vector<ArrayTuple> horizontal; ///< velocities, accelerations
};

/// The equations of `holds`, and horizontal(q, w) = 0, at every index at which a variable is met.
[[nodiscard]] sym::Knowledge manifoldKnowledge(sym::Graph& graph, std::vector<KnownVariable> variables);

} // namespace lmc
