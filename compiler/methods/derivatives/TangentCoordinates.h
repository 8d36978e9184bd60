// Coordinates of tangent vectors of the phase manifold: algebra elements instead of changes of storage.
//
// A tangent vector z at a state y has the parts (delta, nu) for each configuration, delta for a state on a manifold
// and nu for an element of a dual, in the order of the phase variables (Phase::algebraSpace). With T the generator of
// the motion they stand for the change of storage
//
//   point on a group             T(g) delta: g delta in body, delta g in space
//   its velocity or momentum     nu
//   element of a dual            nu
//   homogeneous manifold         delta q, the generator of the action
//   its velocity                 [delta, w] + nu
//   its momentum                 -ad*_delta p + nu
//
// On a homogeneous manifold delta and nu are horizontal; others are projected first. All maps are linear in z; those
// of families are expressions of the slot's index.
#pragma once

#include "methods/phase/Phase.h"

namespace lmc::methods {

class TangentCoordinates {
public:
  explicit TangentCoordinates(mechanics::Layer& layer);

  [[nodiscard]] Phase& phase() { return phase_; }
  /// The parts of z.
  [[nodiscard]] Space space() const { return phase_.algebraSpace(); }

  /// z without its components along isotropies; z itself on groups and duals.
  [[nodiscard]] sema::Tuple horizontal(const sema::Tuple& y, const sema::Tuple& z);
  /// The change of storage, by parts of the point y, that a horizontal z stands for.
  [[nodiscard]] sema::Tuple change(const sema::Tuple& y, const sema::Tuple& z);
  /// The horizontal z of a change of storage that is tangent to the phase manifold.
  [[nodiscard]] sema::Tuple coordinates(const sema::Tuple& y, const sema::Tuple& change);
  /// A state near y: exp(delta) acts on points (from the right in body), nu is added to what follows them; on a
  /// homogeneous manifold exp(delta) acts on velocity or momentum too. The derivative at z = 0 is `change`.
  [[nodiscard]] sema::Tuple moved(const sema::Tuple& y, const sema::Tuple& z);

  /// Transposes, for covectors: of z -> change(y, horizontal(y, z)), and of `coordinates`.
  [[nodiscard]] sema::Tuple changeTransposed(const sema::Tuple& y, const sema::Tuple& covector);
  [[nodiscard]] sema::Tuple coordinatesTransposed(const sema::Tuple& y, const sema::Tuple& covector);

  /// The map f at the state of the model by parts of `space`: the velocity (or flow) that moves a point, then the
  /// time derivative of the storage of the velocity, momentum or element of a dual. These are loads of arrays.
  [[nodiscard]] sema::Tuple field();
  /// The coordinates of the tangent vector y' = f: on a homogeneous manifold not the same, since velocity and momentum
  /// are carried along with the point.
  [[nodiscard]] sema::Tuple fieldCoordinates(const sema::Tuple& y, const sema::Tuple& field);

  /// What a small change does to the motion. Given z and the change `df` of the parts of `field` that it makes:
  struct Variation {
    sema::Tuple rate;   ///< dz/dt along the motion: the variational equation
    sema::Tuple change; ///< the change of f itself, on a homogeneous manifold relative to f moved along with the point
  };
  /// With the bracket of the phase group of the frame (docs/conventions.md, section 6), xi the velocity, a the rest of
  /// f, H the horizontal projection:
  ///
  ///   group                  delta' = dxi + [xi, delta],       nu' = da
  ///   homogeneous manifold   delta' = H dxi + [xi, delta],     nu' = da - [delta', w] - [delta, a]
  ///                                                     or     nu' = da + ad*_delta' p + ad*_delta a
  [[nodiscard]] Variation variation(const sema::Tuple& y, const sema::Tuple& field, const sema::Tuple& z,
                                    const sema::Tuple& df);
  /// Covectors of z and of df for covectors of both parts of a Variation; not yet projected.
  struct VariationCovector {
    sema::Tuple z, df;
  };
  [[nodiscard]] VariationCovector variationTransposed(const sema::Tuple& y, const sema::Tuple& field,
                                                      const sema::Tuple& rate, const sema::Tuple& change);

private:
  struct Halves; ///< a tuple of one slot, in two
  [[nodiscard]] Halves pointHalves(const PhaseSlot& s, const sema::Tuple& y) const;
  [[nodiscard]] Halves algebraHalves(const PhaseSlot& s, const sema::Tuple& z) const;
  [[nodiscard]] sema::Tuple horizontalOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& z);
  [[nodiscard]] sema::Tuple changeOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& z);
  [[nodiscard]] sema::Tuple coordinatesOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& change);
  [[nodiscard]] sema::Tuple movedOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& z);
  [[nodiscard]] Variation variationOf(const PhaseSlot& s, const sema::Tuple& y, const sema::Tuple& field,
                                      const sema::Tuple& z, const sema::Tuple& df);
  [[nodiscard]] sema::Tuple project(const PhaseSlot& s, const sema::Tuple& point, const sema::Tuple& u);
  /// The same of a change of the velocity or, along the isotropy, of the momentum.
  [[nodiscard]] sema::Tuple projectFiber(const PhaseSlot& s, const sema::Tuple& point, const sema::Tuple& nu);
  /// What moving along u does to a velocity or momentum: [u, v], or -ad*_u v.
  [[nodiscard]] sema::Tuple carried(const PhaseSlot& s, const sema::Tuple& u, const sema::Tuple& v);
  [[nodiscard]] sema::Tuple pointCoordinates(const PhaseSlot& s, const sema::Tuple& point, const sema::Tuple& change);

  const mechanics::System& system_;
  sym::Program& p_;
  sym::Graph& g_;
  Phase phase_;
};

} // namespace lmc::methods
