// Forces of contacts: rows of constraints that hold while a contact is closed, or sticks, and sliding friction.
#pragma once

#include "mechanics/system/Layer.h"

#include <functional>
#include <vector>

namespace lmc::mechanics {

/// Up to so many contacts with friction are solved for together.
inline constexpr std::int64_t mostFrictionContacts = 24;

/// True, and reported, if there are more.
[[nodiscard]] bool hasTooManyContacts(const sema::Model& model, Diagnostics& diagnostics);

/// The rows in `equations` are those of constraints and of all contacts as if they were closed and stuck. They become
/// those that hold: zero where a contact is open, and along the slip where it slides, too. Returns what they were;
/// `free` is the stacked acceleration without forces.
[[nodiscard]] ContactEquations splitContacts(Layer& layer, ConstraintEquations& equations, const sym::Array* free);

/// All multipliers, those of sliding friction included, from those (`lambda`) that hold the rows without it, and the
/// arrays `scale` and `pivot` of the contacts.
///
/// Where contact f slides in the direction d its friction is -mu lambda_f d. With S the matrix of the rows that hold
/// and C the change of their rates by mu d at each contact, S lambda = rhs + C lambda_F. What S^+ makes of rhs, X, and
/// of C, Y, is found row by row, then (1 - Y_F) lambda_F = X_F. The diagonal of 1 - Y_F is `pivot`: where friction
/// takes all resistance away it is zero (P. Painleve 1895; F. Genot, B. Brogliato, European Journal of Mechanics A 18
/// (1999) 653-677).
[[nodiscard]] const sym::Array* contactForces(Layer& layer, const ConstraintEquations& equations,
                                              const ContactEquations& all, const sym::Array* lambda,
                                              const std::function<sym::Expr(std::size_t, int)>& rowOf,
                                              const std::function<std::vector<sym::Loop>(std::size_t)>& loopsOf);

} // namespace lmc::mechanics
