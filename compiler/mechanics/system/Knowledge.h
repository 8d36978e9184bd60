// What holds on the phase manifold, for the simplification of values (sym/Rewrite.h).
#pragma once

#include "sema/model/Model.h"
#include "sym/Rewrite.h"

namespace lmc::mechanics {

/// A variable whose arrays hold points of a manifold and horizontal algebra elements at them.
struct KnownVariable {
  const sema::Manifold* manifold = nullptr;
  sema::ArrayTuple point;
  std::vector<sema::ArrayTuple> horizontal; ///< velocities, accelerations
  std::vector<sema::ArrayTuple> momenta;    ///< dual elements that vanish along the isotropy
};

/// The equations of `holds`, horizontal(q, w) = 0 and, where the horizontal space is normal to the isotropy, the same
/// of momenta, at every index at which a variable is met.
[[nodiscard]] sym::Knowledge manifoldKnowledge(sym::Program& program, std::vector<KnownVariable> variables);

} // namespace lmc::mechanics
