// A method instantiated on a model: one time step as equations of the model's program.
#pragma once

#include "mechanics/system/System.h"
#include "methods/checked/CheckMethod.h"
#include "methods/phase/Step.h"

#include <optional>
#include <string>

namespace lmc {

/// Instantiates the method that `reference` names (a Name, or a Call with arguments). Reports every error of the
/// method, and why it cannot step the model, at the place where it was chosen.
[[nodiscard]] std::optional<Step> instantiate(Compilation& compilation, System& system, const ast::Expr& reference);

/// The same for a checked method, with errors in the method's own text.
[[nodiscard]] std::optional<Step> instantiate(Compilation& compilation, System& system, const CheckedMethod& method);

/// Whether a method can step the model.
[[nodiscard]] bool steps(System& system, const CheckedMethod& method);

} // namespace lmc
