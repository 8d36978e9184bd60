// What holds on the phase manifold, for the simplification of values (sym/Rewrite.h).
#pragma once

#include "sema/model/Model.h"
#include "sym/Rewrite.h"

namespace lmc {

/// A variable whose arrays hold points of a manifold and horizontal algebra elements at them.
struct KnownVariable {
  const Manifold* manifold = nullptr;
  ArrayTuple point;
  std::vector<ArrayTuple> horizontal; ///< velocities, accelerations
  std::vector<ArrayTuple> momenta;    ///< dual elements that vanish along the isotropy
};

/// The equations of `holds`, horizontal(q, w) = 0 and, where the horizontal space is normal to the isotropy, the same
/// of momenta, at every index at which a variable is met.
[[nodiscard]] sym::Knowledge manifoldKnowledge(sym::Program& program, std::vector<KnownVariable> variables);

} // namespace lmc
