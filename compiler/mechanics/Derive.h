// The derivation of a model whose mass matrix is singular where it is needed, but not whatever the state.
#pragma once

#include "mechanics/system/System.h"

namespace lmc::mechanics {

/// Whether constraints may take the place of kinetic energy: of a Lagrangian model that has some, and no contacts.
[[nodiscard]] bool canBeHeld(const sema::Model& model);

/// As `deriveSystem`, with a mass matrix that the constraints make regular (mechanics/constraints/Held.h). Of a matrix
/// that is singular whatever the state `deriveSystem` does so itself.
[[nodiscard]] System deriveHeld(const sema::Model& model, Diagnostics& diagnostics);

} // namespace lmc::mechanics
