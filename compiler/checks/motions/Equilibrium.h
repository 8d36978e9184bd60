// Equilibria and relative equilibria, by Newton's method on the phase manifold.
//
// Sought is a state y, and some inputs and parameters, with
//
//   f(t, y, u, p) = sum c_k X_k(y),     c(y) = 0, its rate 0,
//
// where X_k generate the symmetries of f (Generators.h) and c_k are unknown, or 0 where the state is to rest. The
// motion through such a state is exp(t sum c_k X_k) y. The state moves by exp of the groups and by the actions of the
// homogeneous manifolds; the derivative of the residual is exact at the solution, A - sum c_k L_k with A of the
// variational equation, so that the iteration converges quadratically. Steps are the shortest ones (there are as many
// solutions as symmetries leave free), damped until the residual decreases, and regularized where that is not enough.
#pragma once

#include "checks/motions/Generators.h"
#include "checks/motions/Spectrum.h"

namespace lmc::checks {

/// What is unknown beside the state.
struct Unknowns {
  double time = 0;
  bool moving = false;     ///< relative equilibria: along the symmetries the state may move; else it rests
  std::vector<bool> fixed; ///< coordinates that the search may not change; of all coordinates
  std::vector<std::size_t> inputs, parameters; ///< numbers of these that it may change, into the names of the problem
};

enum class SearchEnd : std::uint8_t {
  Found,
  Stalled,     ///< the residual does not decrease, though derivatives say that it should
  Singular,    ///< the unknowns do not act on what is left of the residual
  LeftDomain,  ///< f is no number at the start, or wherever the search turns to
  NotInvariant ///< f is not invariant under the motion that was found
};

struct Equilibrium {
  SearchEnd end = SearchEnd::Stalled;
  State y;
  std::vector<double> params;
  Vector velocities;   ///< c_k, one for each generator
  double residual = 0; ///< the largest rate (or constraint) that is left, in its own units
  double distance = 0; ///< the largest residual in units of the unknowns: about how far the solution is
  int turns = 0;
  std::vector<std::string> left; ///< rates and constraints that are left, the largest first; where none was found
  std::int32_t status = 0;       ///< of what failed (LeftDomain)

  // of a solution
  Eigen::Index family = 0;        ///< parameters of the family of solutions, beside the symmetries
  std::vector<std::string> along; ///< what changes along it: names of coordinates and data
  std::vector<Eigenvalue> values; ///< of the linearization seen along the motion, on the tangent space
  std::vector<Eigenvalue> shape;  ///< of the same modulo the symmetries
  Eigen::Index symmetries = 0;    ///< directions of the symmetries in the tangent space
  Matrix linearization;           ///< A - sum c_k L_k, in all coordinates
};

class EquilibriumSearch {
public:
  /// `generators`: the symmetries of f, at the data that the search starts from.
  EquilibriumSearch(MotionModel& model, StateSpace& space, Generators& motions, std::vector<Generator> generators,
                    Unknowns unknowns);

  /// From a state and from data as in Params (of unknown inputs with their flags set).
  [[nodiscard]] Equilibrium from(const State& y, const std::vector<double>& params);
  /// A state far from y that keeps constraints, as far as one is found.
  [[nodiscard]] State farFrom(const State& y, std::mt19937_64& engine);
  /// Whether two solutions are one and the same, or images of each other under symmetries, as far as energy,
  /// observables that are numbers of the shape alone, data and eigenvalues tell.
  [[nodiscard]] bool same(const Equilibrium& a, const Equilibrium& b);
  [[nodiscard]] const std::vector<Generator>& generators() const { return generators_; }

private:
  struct Iterate {
    State y;
    std::vector<double> params;
    Vector c;
  };
  struct Linear {
    Vector residual;
    Matrix jacobian; ///< by state, c, inputs, parameters
    FieldAt field;
    Matrix motions; ///< X_k as columns
  };
  [[nodiscard]] std::optional<Linear> linearAt(const Iterate& x);
  [[nodiscard]] std::optional<Vector> residualAt(const Iterate& x);
  [[nodiscard]] std::optional<Matrix> motionsAt(const State& y);
  [[nodiscard]] std::optional<Iterate> moved(const Iterate& x, const Vector& step);
  [[nodiscard]] Matrix constraintsByParameters(const Iterate& x);
  [[nodiscard]] Vector sizesAt(const Iterate& x) const;
  [[nodiscard]] Vector rowSizes(const Linear& l, const Vector& sizes) const;
  [[nodiscard]] double allowed(const Vector& step) const;
  [[nodiscard]] bool advance(Iterate& x, const Linear& l, const Vector& sizes, const Vector& rows);
  [[nodiscard]] std::vector<std::string> namesLeft(const Vector& residual) const;
  [[nodiscard]] std::vector<std::string> unknownNames() const;
  void judgeFailure(Equilibrium& e, const Linear& l, const Vector& sizes, const Vector& rows) const;
  void analyse(Equilibrium& e, const Iterate& x, const Linear& l);
  void countFamily(Equilibrium& e, const Iterate& x, const Linear& l, const Matrix& tangent);
  [[nodiscard]] bool invariant(const Iterate& x, const Matrix& tangent);

  MotionModel& model_;
  StateSpace& space_;
  Generators& motions_;
  std::vector<Generator> generators_;
  Unknowns unknowns_;
  std::vector<double> start_; ///< the data that the search began with, which say what is large
  bool failed_ = false;       ///< of the last attempt to advance: nothing but states without numbers
};

} // namespace lmc::checks
