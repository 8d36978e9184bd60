// Derivatives of what makes a state jump: values of events, states behind resets, times of samplings, the rows and laws
// that impacts are solved from.
#pragma once

#include "methods/Instantiate.h"
#include "sym/derivatives/Derivative.h"

#include <string>
#include <vector>

namespace lmc::methods {

/// First-order changes along a direction of state, inputs, parameters and time.
struct JumpChanges {
  sema::ArrayTuple events;                  ///< of the values of events, in the order of declaration
  std::vector<sema::ArrayTuple> resets;     ///< of the storage behind each block of resets, shaped like the state
  sema::ArrayTuple intervals, firsts;       ///< of samplings; null where no first time is given
  sema::ArrayTuple contacts;                ///< of rate, jacobian and response of ContactEquations
  sema::ArrayTuple restitutions, frictions; ///< of the laws of each contact; null without
};

/// What arrays of discrete variables become, behind those of the phase manifold: moved along the direction, its change,
/// or nothing.
enum class Held : std::uint8_t { Moved, Same, Zero };
/// Appends such arrays to `list`. The directions of `held` are the last ones of `directions`.
void appendHeld(sym::Program& program, sema::ArrayTuple& list, const sema::ArrayTuple& held,
                const sema::ArrayTuple& directions, const std::string& name, Held what);

/// Appends the equations. `along` has the direction as its seeds, `change` is that of the arrays in `state`.
[[nodiscard]] JumpChanges jumpChanges(mechanics::Layer& layer, sym::Tangent& along, const sema::ArrayTuple& state,
                                      const sema::ArrayTuple& change);

} // namespace lmc::methods
