// Points of the phase manifold are moved onto the constraints of a model: positions, then velocities (E. Hairer,
// C. Lubich, G. Wanner, "Geometric Numerical Integration", 2nd ed., section IV.4).
#pragma once

#include "mechanics/constraints/Saddle.h"
#include "methods/phase/Phase.h"

namespace lmc::methods {

class Projection : private mechanics::Rows {
public:
  /// Of a model that has constraints.
  Projection(mechanics::Layer& layer, Phase& phase);

  /// The point where c = 0 and d = 0 at a time: q = exp(u) q^ with M u = B^T mu, then M (xi - xi^) = B^T nu, with M and
  /// B of y in u, and those of q after it. Appends an iteration for mu.
  sema::Tuple onConstraints(const sema::Tuple& y, sym::Expr time, const std::string& name);
  /// The first half: positions with c = 0. No more than y where there are no constraints on positions.
  sema::Tuple onPositions(const sema::Tuple& y, sym::Expr time, const std::string& name);
  /// The second half alone: velocities (momenta) with d = 0 at the position of y.
  sema::Tuple onRates(const sema::Tuple& y, sym::Expr time, const std::string& name);
  /// Are rates affine in the velocities (momenta)?
  [[nodiscard]] bool isAffine() const;
  /// y moved by multipliers, positions by mu (or null), velocities by nu, with M and B of z.
  sema::Tuple moved(const sema::Tuple& y, const sema::Tuple& z, sym::Expr time, const sym::Array* mu,
                    const sym::Array* nu, const std::string& name);
  /// The same of a sparse system: by stacked velocities, positions by `u` (or null), velocities by -w.
  sema::Tuple movedByStacked(const sema::Tuple& y, const sym::Array* u, const sym::Array* w, const std::string& name);
  /// Of a sparse system M a - B^T factors for each of two pairs, with M and B of z; only what belongs to constraints on
  /// positions of the first pair, which may be null.
  std::vector<const sym::Array*> missing(const sema::Tuple& z, sym::Expr time,
                                         const std::vector<std::pair<const sym::Array*, const sym::Array*>>& pairs,
                                         const std::string& name);
  /// The numbers of the blocks of a sparse system at z.
  const sym::Array* blocksAt(const sema::Tuple& z, sym::Expr time, const std::string& name);
  /// Velocities of the factors, or their positions' displacements, among phase algebra elements: stacked, and back
  /// (without those of states; `w` null: velocities that are zero; `less`: a number that all displacements contain).
  const sym::Array* stacked(const sema::Tuple& k, bool points, const std::string& name);
  sema::Tuple unstacked(const sym::Array* u, const sym::Array* w, sym::Expr less = {});
  /// One, and the sum of the absolute values of all points, or of all velocities.
  const sym::Array* sizeOf(const sema::Tuple& y, bool points, const std::string& name);

private:
  sema::Tuple movedBy(const sema::Tuple& y, const sym::Array* moves, const sym::Array* factors,
                      const std::string& name);
  sema::Tuple changedBy(const sema::Tuple& y, const sym::Array* response, const sym::Array* factors,
                        const std::string& name);
  sema::Tuple combination(const PhaseSlot& slot, std::size_t factor, std::int64_t rows, const sym::Array* matrix,
                          const sym::Array* factors, const std::string& name);
  const sym::Array* block(const sym::Array* matrix, std::int64_t n, const std::string& name);
  const sym::Array* iterated(const sym::Array* s, const sym::Array* slopes, const sym::Array* size,
                             const std::string& name, const std::function<const sym::Array*(const sym::Array*)>& value);
  sema::Tuple movedByStacked(const sema::Tuple& y, const sym::Array* u, sym::Expr less);
  /// y with other velocities of the factors: what `changed` makes of the own ones and of stacked ones.
  sema::Tuple withVelocities(sema::Tuple y, const sym::Array* stacked,
                             const std::function<sym::Expr(sym::Expr, sym::Expr)>& changed);
  sema::Tuple unstacked(const PhaseSlot& slot, std::size_t factor, const sym::Array* stacked, sym::Expr less);
  sema::Tuple sparseOnPositions(const sema::Tuple& begin, sym::Expr time, const std::string& name);
  sema::Tuple sparseOnRates(const sema::Tuple& begin, sym::Expr time, const std::string& name);

  mechanics::Layer& layer_;
  Phase& phase_;
  const mechanics::ConstraintEquations& c_;
};

} // namespace lmc::methods
