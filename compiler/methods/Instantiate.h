// A method instantiated on a model: one time step as equations of the model's program.
#pragma once

#include "mechanics/System.h"
#include "methods/Phase.h"
#include "sema/Sema.h"

#include <optional>
#include <string>

namespace lmc {

/// One time step y -> next, over the time `Model::time` with the step size `stepSize`.
struct Step {
  std::string method;                      ///< as the user wrote it
  int order = 0;                           ///< declared
  int embeddedOrder = 0;                   ///< declared for the embedded result: q of `order p(q)`
  const sym::Array* stepSize = nullptr;    ///< role StepSize
  std::vector<const sym::Array*> state;    ///< the phase point's arrays, slot by slot
  std::vector<const sym::Array*> next;     ///< Temp arrays with their values after the step
  std::vector<const sym::Array*> embedded; ///< a second result, for the error estimate; empty: the method has none
  int evaluations = 0;                     ///< of f per step, those for the embedded result included
  int ownEvaluations = 0;                  ///< of f per step that `next` needs
  int exponentials = 0;                    ///< of the phase group per step
};

/// Instantiates the method that `reference` names (a Name, or a Call with arguments). Reports unknown methods with the
/// names of those that there are, constructs that are not supported yet, and every error in the method's body.
[[nodiscard]] std::optional<Step> instantiate(Compilation& compilation, System& system, const ast::Expr& reference);

/// The same for a declaration at hand: how `check` looks into the methods that a file declares.
[[nodiscard]] std::optional<Step> instantiate(Compilation& compilation, System& system, const Found& method);

/// The method itself; if it is a composition the first method that it composes, and so on down to one that is none.
[[nodiscard]] std::vector<const ast::Declaration*> composedOf(Compilation& compilation, const ast::Declaration& method);

/// Whether methods of this kind can step the model; true when the kind is unknown (which `instantiate` reports).
[[nodiscard]] bool steps(Compilation& compilation, System& system, const Found& method);

/// The kind of a declared method ("manifold", "cotangent", …): a composition is of the kind of what it composes. Not
/// checked to be one that there is.
[[nodiscard]] std::string kindOf(Compilation& compilation, const ast::Declaration& method);

} // namespace lmc
