// Are initial values on the constraints of a model, and do the constraints fit each other there?
#pragma once

#include "products/stages/Stages.h"

#include <map>
#include <memory>

namespace lmc::products {

/// Finds positions and velocities near initial ones at which constraints and their rates hold. Changes are the smallest
/// in the metric of the kinetic energy; of factors with momenta, and where that is not positive, in the numbers of
/// velocities and momenta.
class Consistency {
public:
  /// Of a model that has constraints. Equations are added to the layer, which must outlive it.
  Consistency(mechanics::Layer& layer, const Layout& layout);
  ~Consistency();
  /// Works on numbers of its own, for another thread; the layer is only needed while the first one is made.
  Consistency(const Consistency& other);
  Consistency& operator=(const Consistency&) = delete;

  struct Result {
    bool redundant = false;    ///< equations depend on each other at the state
    std::int64_t freedoms = 0; ///< velocities that are free there
    /// How many follow from others there and at another state nearby, so that it is no singular configuration alone: of
    /// all equations and of those on positions, by their numbers. Not found for large systems.
    std::map<std::int64_t, std::int64_t> dependent;
  };
  /// Moves the state, by the layout: without a word what is off by 1e-8, more where the model says `initial adjust`.
  /// Reports states that are further off, equations that cannot hold together, that depend on each other, or that
  /// nothing can keep. Nothing on errors.
  [[nodiscard]] std::optional<Result> settle(const std::vector<double>& params, std::vector<double>& state, double t,
                                             Diagnostics& diagnostics);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lmc::products
