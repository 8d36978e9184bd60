// Reads the expressions of a method's body back as linear forms: coefficients that are polynomials in h, times the
// algebra elements that the body has named.
#pragma once

#include "checks/orders/Coefficient.h"
#include "sym/Expr.h"

#include <map>
#include <stdexcept>
#include <string>

namespace lmc::orders {

/// Why the order of a method cannot be proved; `what()` is a clause without a full stop.
class NotProved : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// sum of c_p h^p, by p.
using Powers = std::map<int, Coefficient>;

/// A sum of polynomials in h times arrays. The null array stands for 1.
using LinearForm = std::map<const sym::Array*, Powers>;

/// Throws NotProved where the expression is not linear in its arrays, or a coefficient is no polynomial in h (1/h
/// included).
[[nodiscard]] LinearForm linearForm(sym::Expr e, const sym::Array* stepSize);

} // namespace lmc::orders
