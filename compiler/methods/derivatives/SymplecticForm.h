// The symplectic form of a model's phase manifold, or the Poisson structure of a dual, for numerical checks.
//
// With momenta p = dL/dxi (or mu) and points moved by algebra elements eta (g exp(eta) in body, exp(eta) g in space)
// the canonical form of T*G is, in body,
//
//   omega((eta1, dp1), (eta2, dp2)) = dp2·eta1 - dp1·eta2 + p·[eta1, eta2]
//
// and with a minus before the bracket in space. A factor with a velocity carries its pull-back by the Legendre
// transform; on a homogeneous manifold it is restricted to horizontal eta and momenta. Of a product it is the sum.
// A dual carries the Lie–Poisson structure {a, b}(mu) = <mu, [a, b]>, up to a sign.
// Source: G. Ortolan, A. Saccon, International Journal for Numerical Methods in Engineering 90 (2012); J. E. Marsden,
// T. S. Ratiu, "Introduction to Mechanics and Symmetry", 2nd ed., Springer 1999, chapters 13 and 14.
#pragma once

#include "methods/derivatives/StepTangent.h"

#include <string>

namespace lmc::methods {

/// Per direction the form needs three vectors, in which it is omega(1, 2) = dp2·eta1 - dp1·eta2 + turned1·eta2. They
/// are functions of the state, of the time and of a change (StepTangent::change). Of a Poisson structure eta is the
/// change itself, taken for a gradient a; there is no dp, and {a, b} = turned_a·b.
struct SymplecticForm {
  std::string refusal;     ///< why the model has neither, for a person; empty if it has one
  bool poisson = false;    ///< a Poisson structure: all states are in duals
  sema::ArrayTuple shift;  ///< inputs (role State): numbers that move the state by the algebra of its phase group
  sema::ArrayTuple change; ///< the tangent vector that they make, one like each of StepTangent::change
  sema::ArrayTuple eta, dp, turned;
};

/// Appends equations to the program of the system. `tangent` is of the step, whose changes are measured.
[[nodiscard]] SymplecticForm symplecticForm(mechanics::Layer& layer, const Step& step, const StepTangent& tangent);

} // namespace lmc::methods
