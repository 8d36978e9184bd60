// Tangent and horizontal spaces of homogeneous manifolds by numbers: what the check of equations needs of them.
//
// Nothing here is derived. The generator T of the action is found by differences of exp and action as they are
// declared, the horizontal condition n by its values at unit vectors; the horizontal velocity of a motion solves [T; n]
// u = [T w; 0]. So an error of the projections that equations of motion use (sema/manifolds/Generator.h) shows.
#pragma once

#include "checks/states/StateSpace.h"

#include <Eigen/Core>
#include <map>

namespace lmc::checks {

class HorizontalSpaces {
public:
  /// Declares its functions; `space` is to be prepared afterwards.
  explicit HorizontalSpaces(StateSpace& space);

  /// Whether a variable is a factor on a homogeneous manifold.
  [[nodiscard]] bool has(std::size_t v) const;

  /// y with velocities that are horizontal, and momenta that vanish along isotropies, at its points.
  [[nodiscard]] State settled(State y);
  /// y moved along a motion: exp(s u) acts on points, s a is added to what follows them and settled.
  [[nodiscard]] State along(const State& y, const Direction& d, double s);
  /// y moved by exp(s eta) on the points of v (eta in the place of u), its velocity or momentum carried along by Ad.
  [[nodiscard]] State carried(const State& y, const Direction& eta, std::size_t v, double s);
  /// eta with P eta in the place of u of v: the horizontal element that moves the point as eta does.
  [[nodiscard]] Direction horizontal(const State& y, std::size_t v, const Direction& eta);
  /// zeta with P^T zeta in the place of u of v: a dual element that vanishes along the isotropy.
  [[nodiscard]] Direction annihilating(const State& y, std::size_t v, const Direction& zeta);

private:
  using Projections = std::vector<Eigen::MatrixXd>; ///< P, one per member
  const Projections& at(const State& y, std::size_t v);
  [[nodiscard]] Projections found(const State& y, std::size_t v);
  void apply(std::vector<double>& numbers, std::size_t first, const Projections& projections, std::size_t v,
             bool transposed) const;
  [[nodiscard]] std::vector<std::size_t> places(std::size_t v, std::int64_t member) const;

  StateSpace& s_;
  std::map<std::size_t, products::ModelFunctions::Function> conditions_, carried_; ///< by variable
  std::map<std::pair<std::size_t, State>, Projections> known_;                     ///< by variable and points
};

} // namespace lmc::checks
