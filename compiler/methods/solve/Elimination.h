// Unknowns that an implicit equation gives explicitly: what remains to be iterated on.
#pragma once

#include "methods/solve/Newton.h"
#include "sym/Inline.h"

namespace lmc::methods {

/// One equation of a `solve`, as numbers: of a linear space both sides, otherwise the residual alone.
struct ImplicitEquation {
  Space space;
  sema::Tuple left, right; ///< empty: of points
  sema::Tuple residual;
};

/// Removes from a system the unknowns u with an equation u = e (or e = u) in which e does not depend on u, neither
/// directly nor through unknowns that are removed as well; e takes the place of u in all other equations. So the
/// iteration has fewer unknowns and finds the same solution.
class Elimination {
public:
  /// `removable` tells for each unknown whether it may be removed at all.
  Elimination(sym::Program& p, const Newton& system, std::vector<ImplicitEquation> equations,
              const std::vector<bool>& removable);

  /// By unknown.
  [[nodiscard]] const std::vector<bool>& eliminated() const { return eliminated_; }
  /// Numbers that are still to be found.
  [[nodiscard]] std::int64_t left() const {
    std::int64_t n = system_.size();
    for (std::size_t u = 0; u < eliminated_.size(); ++u)
      if (eliminated_[u]) n -= sizeOf(system_.spaceOf(u));
    return n;
  }
  /// The residuals of the other equations, with the removed unknowns replaced.
  [[nodiscard]] std::vector<std::pair<Space, sema::Tuple>> residuals();
  /// The removed unknowns, when the arrays of the iterates of the others are replaced by those of `solution` (by
  /// unknown; of removed ones empty).
  [[nodiscard]] std::vector<sema::Tuple> at(const std::vector<sema::ArrayTuple>& solution, const std::string& suffix);

private:
  [[nodiscard]] std::vector<bool> unknownsIn(const sema::Tuple& value) const;
  void choose(const std::vector<bool>& removable);
  bool tryEquation(std::size_t e, std::size_t u, const sema::Tuple& value);
  void order();
  [[nodiscard]] sym::Replacement replacement() const;

  sym::Program& p_;
  const Newton& system_;
  std::vector<ImplicitEquation> equations_;
  std::vector<bool> eliminated_;         ///< by unknown
  std::vector<bool> used_;               ///< by equation: it gives an unknown
  std::vector<sema::Tuple> given_;       ///< by unknown: the e of u = e
  std::vector<Space> spaces_;            ///< by unknown: of e
  std::vector<std::vector<bool>> needs_; ///< by unknown: those that e depends on
  std::vector<std::size_t> order_;       ///< removed unknowns, after those that they depend on
  std::vector<sema::ArrayTuple> values_; ///< by unknown: e with the removed unknowns replaced
};

} // namespace lmc::methods
