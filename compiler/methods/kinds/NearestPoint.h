// From numbers beside a manifold back onto it: what `onto` does to the points of one variable.
#pragma once

#include "methods/kinds/Constraints.h"
#include "methods/phase/Space.h"

#include <optional>

namespace lmc::methods {

/// Where `holds` of a manifold says how its coordinates depend on each other, the point that Newton's method finds from
/// v with the slopes H of its independent equations c,
///
///   v <- v - H^T (H H^T)^-1 c(v),
///
/// in as many turns as rounding needs, each of which squares the defect |c|. H H^T is that of the points of the
/// manifold where it is the same at all of them (then nothing is divided: R (3 - R^T R)/2 of rotations, q (3 - q.q)/2
/// of unit vectors follow), or that of v where it is a single number. Elsewhere, since an equation that is independent
/// here may depend on others there, exp(u)*y, with u in turns by least squares from the point y at the begin of the
/// step. This is the projection of E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration", 2nd ed.,
/// Springer 2006, algorithm IV.4.2, with a fixed number of turns.
class NearestPoint {
public:
  /// `order`: of the method, 0 if it declares none. `space`: of the points of the variable.
  NearestPoint(sym::Program& program, const sema::Manifold& manifold, sema::Frame frame, Space space, int order);

  /// Whether all values of the storage are points.
  [[nodiscard]] bool isFlat() const { return flat_; }
  /// The point near v. `begin` is that at the begin of the step. The code fails (FarFromManifold) where v is too far
  /// away.
  [[nodiscard]] sema::Tuple of(const sema::Tuple& begin, const sema::Tuple& v, const std::string& name) const;

private:
  [[nodiscard]] sema::Tuple turned(const sema::Tuple& v) const;
  [[nodiscard]] sym::Expr margin(const sema::Tuple& v) const;
  [[nodiscard]] sema::Tuple held(const sema::Tuple& v, const std::string& name, sym::Expr margin = {}) const;

  sym::Program& p_;
  sym::Graph& g_;
  const sema::Manifold& m_;
  sema::Frame frame_;
  Space space_;
  int order_;
  Constraints constraints_;
  bool flat_;
  bool byEquations_; ///< else by exponentials
};

} // namespace lmc::methods
