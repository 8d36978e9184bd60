// The order of a Runge–Kutta tableau, explicit or not, by the classical conditions: one for every rooted tree.
//
// Of a tree with the subtrees t_1, t_2, … at its root, the stages have Phi_i(t) = prod_k sum_j a_ij Phi_j(t_k), and the
// condition is sum_i b_i Phi_i(t) = 1/gamma(t), gamma(t) = |t| prod_k gamma(t_k). (E. Hairer, S. P. Nørsett, G. Wanner,
// "Solving Ordinary Differential Equations I", 2nd ed., Springer 1993, section II.2.) With rkmk(T) a tableau's order is
// the order of the method.
#pragma once

#include "checks/orders/Prove.h"
#include "methods/checked/Tableau.h"

namespace lmc::orders {

/// The order of the weights `b` of a tableau; conditions up to `highest` (at most `provedLimit`) are tried.
[[nodiscard]] ProvedOrder orderOf(const methods::Tableau& tableau, const std::vector<sym::Number>& b, int highest);

} // namespace lmc::orders
