// A method instantiated on a model: one time step as equations of the model's program.
#pragma once

#include "mechanics/system/System.h"
#include "methods/kinds/Composition.h"
#include "methods/phase/Phase.h"
#include "methods/phase/Step.h"
#include "sema/Compilation.h"

#include <optional>
#include <string>

namespace lmc {

/// Instantiates the method that `reference` names (a Name, or a Call with arguments). Reports unknown methods with the
/// names of those that there are, constructs that are not supported yet, and every error in the method's body.
[[nodiscard]] std::optional<Step> instantiate(Compilation& compilation, System& system, const ast::Expr& reference);

/// The same for a declaration at hand: how `check` looks into the methods that a file declares.
[[nodiscard]] std::optional<Step> instantiate(Compilation& compilation, System& system, const Found& method);

/// Whether methods of this kind can step the model; true when the kind is unknown (which `instantiate` reports).
[[nodiscard]] bool steps(Compilation& compilation, System& system, const Found& method);

/// The kind of a declared method ("manifold", "cotangent", …): a composition is of the kind of what it composes. Not
/// checked to be one that there is.
[[nodiscard]] std::string kindOf(Compilation& compilation, const ast::Declaration& method);

} // namespace lmc
