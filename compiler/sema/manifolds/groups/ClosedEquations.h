// Equations between the entries of the elements of a group of matrices that is given by its algebra.
//
// The connected group G of an algebra spanned by E_1, E_2, … consists of the products of exponentials. A polynomial in
// the entries vanishes on G if it vanishes at the identity with all its derivatives along left-invariant fields. So
//
//   affine     (1, A) lies in the smallest space that holds (1, I) and with (c, A) all (0, A E_k);
//   forms      A^T B A = B where E_k^T B + B E_k = 0, and A B A^T = B where E_k B + B E_k^T = 0, for all k;
//   quadratic  (1, A) (x) (1, A) lies in the smallest space that holds that of I and is closed under the E_k.
//
// Each kind is added while the equations leave more directions at the identity than the algebra has. What is decided is
// decided with numbers; the coefficients are fractions where they are near ones with small denominators.
#pragma once

#include "sema/manifolds/groups/LinearFamily.h"

#include <string>
#include <vector>

namespace lmc::sema {

struct ClosedEquations {
  /// coefficient * first * second; entries are numbered by rows, -1 stands for one.
  struct Term {
    sym::Number coefficient;
    int first = -1, second = -1;
  };
  bool orthogonal = false, unimodular = false; ///< A^T A = I; det A = 1
  std::vector<std::vector<Term>> polynomials;  ///< each is zero
  std::vector<ConstantMatrix> inside, outside; ///< B with A^T B A = B; with A B A^T = B
  int missing = 0; ///< directions at the identity that the equations leave and the group does not have
};

/// Complete for the usual groups; where `missing` is positive, matrices that are not on the group satisfy all of them.
[[nodiscard]] ClosedEquations closedEquations(const LinearFamily& family);

} // namespace lmc::sema
