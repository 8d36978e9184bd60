// Whether a model has what a kind of method needs.
#pragma once

#include "mechanics/Cotangent.h"
#include "methods/checked/CheckedMethod.h"

#include <optional>
#include <string>

namespace lmc::methods {

/// What was found out about a model on the way, for the kind to go on with.
struct ModelParts {
  std::optional<mechanics::CotangentField> cotangent; ///< where a Legendre transform is needed
  bool endsOnManifold = false;                        ///< whether a method in storage coordinates puts its results back
};

/// Why a step of a method has no adjoint on a model, for a person; empty if it has one.
[[nodiscard]] std::string withoutAdjoint(const mechanics::System& system, const CheckedMethod& method);
/// Why a model has not what a method needs, for a person; empty if it has. Equations that are found are appended to its
/// program.
[[nodiscard]] std::string refusal(mechanics::Layer& layer, const CheckedMethod& method, ModelParts& parts);

} // namespace lmc::methods
