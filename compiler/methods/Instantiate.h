// A method instantiated on a model: one time step as equations over those of the model.
#pragma once

#include "mechanics/system/Layer.h"
#include "methods/checked/CheckMethod.h"
#include "methods/phase/Step.h"

#include <optional>
#include <string>

namespace lmc::methods {

/// Whether the parts of a composition may be steps of their own (Step::steps), which is shorter code; written out, the
/// whole is one list of equations, which can be differentiated.
enum class Parts : std::uint8_t { WrittenOut, Shared };

/// Instantiates the method that `reference` names (a Name, or a Call with arguments). Reports every error of the
/// method, and why it cannot step the model, at the place where it was chosen. Its equations are the layer's.
[[nodiscard]] std::optional<Step> instantiate(sema::Compilation& compilation, mechanics::Layer& layer,
                                              const syntax::Expr& reference, Parts parts = Parts::WrittenOut);

/// The same for a checked method, with errors in the method's own text.
[[nodiscard]] std::optional<Step> instantiate(sema::Compilation& compilation, mechanics::Layer& layer,
                                              const CheckedMethod& method);

/// Whether a method can step the model.
[[nodiscard]] bool steps(mechanics::Layer& layer, const CheckedMethod& method);

} // namespace lmc::methods
