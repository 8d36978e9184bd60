// The derived equations against differences: an independent computation of the same motion.
//
// Neither momenta nor gradients nor mass matrix are used, only values of the Lagrangian (or the Hamiltonian), of forces
// and of points of attack, and the exponential and bracket that the manifolds declare. For a direction eta of the
// algebra the Euler–Lagrange equations in the declared frame are
//
//   d/dt (D_xi l · eta)  =  ± D_xi l · [xi, eta] + D_g l · eta + <F, eta>       (plus in body, minus in space)
//
// where D is a central difference and d/dt one along the computed motion (derivation: docs/conventions.md, section 4).
// On a homogeneous manifold motions and variations are those of its points: with P the map from algebra elements to the
// horizontal ones that move the point alike, found by differences (HorizontalSpaces.h), and with the state moved by
// exp(s eta) as a whole,
//
//   d/dt (D_xi l · P eta)  =  d/ds l(exp(s eta) q, Ad xi) + <F, P eta>      (xi horizontal all the time),
//
// for momenta xi = P D_mu H and d/dt <mu, eta> = - d/ds H(exp(s eta) q, Ad* mu) + <F, P eta>.
//
// Of a model with constraints c = 0 and their multipliers, <lambda, D_g c · eta> stands beside the forces (D_xi c · eta
// of one on velocities), and d^2/dt^2 c = 0 (d/dt c = 0) is compared, too: both together determine the motion.
//
// For momenta xi is compared with D_mu H, and mu' with ± <mu, [xi, eta]> − D_g H · eta + <F, eta>; for an element of a
// dual mu' is compared with ± <mu, [D_mu H, eta]>.
#pragma once

#include "checks/model/HorizontalSpaces.h"

#include <map>
#include <optional>

namespace lmc::checks {

/// The largest disagreement of the equations of one variable, relative to the sizes of their terms. Where the terms
/// nearly vanish, as in an equilibrium, they are round-off: the sizes that they have at the other states count, too.
struct Disagreement {
  std::string variable; ///< or a constraint; or "energy": dE/dt against the power of forces and of explicit time
  double error = 0;     ///< infinite where a term is not finite
  [[nodiscard]] bool holds() const;
};

/// Differences agree with a right derivative to about 1e-9; a wrong term shows as 1e-3 and more.
inline constexpr double derivativeTolerance = 1e-6;

/// Where velocities under constraints lead to. Brackets of two of them, of three, add directions; if they add none, the
/// equations on velocities are equations on positions, and nothing can be reached but what these leave.
struct DistributionGrowth {
  std::size_t whole = 0;               ///< dimension that positions alone leave
  std::vector<std::size_t> dimensions; ///< of the velocities, with brackets of two, … until nothing is added
  bool ends = true;                    ///< false: more brackets may add more
  [[nodiscard]] bool integrable() const { return dimensions.size() == 1 && dimensions[0] < whole; }
};

class DerivativeCheck {
public:
  /// Declares its functions; `space` is to be prepared afterwards.
  explicit DerivativeCheck(StateSpace& space);

  /// At the given states, each with a time: one entry per variable that equations were derived for, and the energy.
  /// Empty if nothing was derived (a model of flows).
  [[nodiscard]] std::vector<Disagreement> run(const std::vector<std::pair<State, double>>& states,
                                              std::mt19937_64& engine);
  /// Whether equations of constraints follow from others at a state: then accelerations near it, where they contradict
  /// each other, mean nothing.
  [[nodiscard]] bool constraintsDepend(const State& y, double t);
  /// At a state; nothing without constraints on velocities, on homogeneous manifolds, or of more than some velocities.
  /// Affine equations count as linear ones.
  [[nodiscard]] std::optional<DistributionGrowth> growth(const State& y, double t);

private:
  class Distribution;
  struct Point; ///< a state with what is known there
  struct Balance;
  class Comparison;
  using Equation = Balance (DerivativeCheck::*)(const Point&, std::size_t, const Direction&, double);

  [[nodiscard]] std::vector<Equation> equationsOf(std::size_t v) const;
  [[nodiscard]] std::vector<Point> pointsAt(const std::vector<std::pair<State, double>>& states);
  [[nodiscard]] Direction randomDirection(std::size_t v, std::mt19937_64& engine);
  [[nodiscard]] std::vector<Comparison> comparisonsOf(std::size_t v, const std::vector<Point>& points,
                                                      std::mt19937_64& engine);
  [[nodiscard]] bool isLiePoisson(const Variable& v) const;
  void defineGenerating();
  void defineWork();
  void defineForces();
  void defineBrackets();
  void defineConstraints();
  /// Arrays as functions of velocities themselves, without the projections that derivation puts in between.
  [[nodiscard]] sema::ArrayTuple withOwnVelocities(const sema::ArrayTuple& arrays);
  /// Arrays with the velocities that the direction gives in the places of u.
  [[nodiscard]] sema::ArrayTuple withGivenVelocities(const sema::ArrayTuple& arrays);

  [[nodiscard]] double generating(const State& y, double t) { return s_.call(generating_, y, t)[0]; }
  [[nodiscard]] double fiberDerivative(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] double fiberDerivative(const State& y, double t, std::size_t v, const Direction& eta, double width);
  [[nodiscard]] double pointDerivative(products::ModelFunctions::Function f, const Point& at, std::size_t v,
                                       const Direction& eta, double step);
  void addForce(Balance& b, const Point& at, std::size_t v, const Direction& eta, double step);
  /// Changes of c of all constraints: on positions by eta, on velocities by velocities that eta is added to.
  [[nodiscard]] std::vector<double> constraintChange(const Point& at, std::size_t v, const Direction& eta, double step);
  /// That of all velocities of factors, as columns; rows of length one.
  [[nodiscard]] Eigen::MatrixXd constraintRows(const Point& at, double step);
  [[nodiscard]] std::vector<double> constraintRate(const State& y, double t, double width);
  [[nodiscard]] std::vector<Balance> kept(const Point& at, double step);
  [[nodiscard]] std::vector<Disagreement> constraintsKept(const std::vector<Point>& points);
  [[nodiscard]] Balance lagrangian(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance hamiltonianRate(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance hamiltonianForce(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance liePoisson(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance lagrangianOfPoints(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance staysHorizontal(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance horizontalRate(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance forceOfPoints(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] double carriedDerivative(const Point& at, std::size_t v, const Direction& eta, double step);
  [[nodiscard]] Balance energy(const Point& at, double step);

  StateSpace& s_;
  const sema::Model& m_;
  sym::Program& p_;
  sym::Graph& g_;
  products::ModelFunctions::Function generating_, work_, direct_, damping_, bracket_;
  HorizontalSpaces horizontals_;
  std::map<std::size_t, products::ModelFunctions::Function> coadjoint_; ///< by variable
  std::optional<products::ModelFunctions::Function> energy_;
  /// Of constraints: c on positions; c on velocities, with the state's own and with those of a direction; multipliers;
  /// 1 where a member does not hold. Constraints on positions come first, as in `rows_`.
  std::optional<products::ModelFunctions::Function> held_, rolled_, rolledAlong_, multipliers_, inactive_;
  std::optional<products::ModelFunctions::Function>
      fiberBracket_;                          ///< [a, eta] of factors, a in the place of velocities
  std::vector<const sema::Constraint*> rows_; ///< one for each equation
};

} // namespace lmc::checks
