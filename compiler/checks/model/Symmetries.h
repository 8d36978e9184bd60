// Conserved quantities of a model that are found, not given: momentum maps of translations and rotations of its
// factors, and linear functions of its states.
//
// Candidates. For a motion of the points of one factor, q' = X(q), the momentum map is <mu, xi_X>, with xi_X the
// algebra element in the declared frame that gives X:
//
//   of a group, the translations exp(s e) g ("space") and g exp(s e) ("body");
//   of a homogeneous manifold, the action of its group;
//   of a vector space R^2 or R^3, its rotations as well.
//
// Candidates of states are the entries of their storage (or of an element of a dual). A family has one candidate for
// all members together, a small one also one for each member.
//
// What is conserved. A combination sum c_k J_k with constant c is conserved when its derivative along f vanishes at all
// states. So c lies in the null space of the matrix of the derivatives of all J_k at states that are generic; it is
// found by a singular value decomposition. Forces, products and common motions of several factors need no rule of
// their own. Combinations that are constant functions (or vanish) are left out first.
#pragma once

#include "checks/states/StateSpace.h"

#include <optional>

namespace lmc::checks {

/// How a candidate moves one variable.
enum class Motion : std::uint8_t { Space, Body, Rotation, Linear };

/// A kind of motion of one variable, with a candidate for every entry.
struct CandidateGroup {
  std::size_t variable = 0; ///< into StateSpace::variables
  Motion motion = Motion::Space;
  std::size_t entries = 0;             ///< per member
  std::size_t values = 0, changes = 0; ///< where the first member's entries stand among all values, all derivatives
};

/// One J_k.
struct Candidate {
  std::size_t group = 0; ///< into Symmetries::groups
  std::size_t entry = 0;
  std::int64_t member = 0; ///< from 1; 0: all members together
};

/// sum c_k J_k over candidates.
struct Conserved {
  std::string name; ///< "rotation of q about e3 (space)"
  std::vector<std::pair<Candidate, double>> terms;
  double size = 0; ///< the largest size (Reading) at the states that were tried
};

/// A conserved quantity at one state.
struct Reading {
  double value = 0;
  double size = 0; ///< the sum of the absolute values of its terms, members apart
};

class Symmetries {
public:
  /// Declares its functions; `space` is to be prepared afterwards.
  explicit Symmetries(StateSpace& space);

  [[nodiscard]] const std::vector<CandidateGroup>& groups() const { return groups_; }
  [[nodiscard]] bool empty() const { return groups_.empty(); }
  /// A basis of what is conserved, judged at states near y at times in [from, to]. Candidates whose changes are no
  /// larger than what rounding makes of them, and that is much, take no part: they are undecided.
  [[nodiscard]] std::vector<Conserved> find(const State& y, double from, double to, std::mt19937_64& engine,
                                            std::vector<std::string>& undecided);
  [[nodiscard]] std::vector<Reading> read(const std::vector<Conserved>& list, const State& y, double t);
  /// Nothing without an energy.
  [[nodiscard]] std::optional<double> energy(const State& y, double t);
  /// The largest dE/dt along f at states near y, per size of the energy and rate of the motion; nothing without an
  /// energy.
  [[nodiscard]] std::optional<Deviation> energyRate(const State& y, double from, double to, std::mt19937_64& engine);

private:
  struct Samples;
  /// Nothing where too many states near y lie outside of the domain of the model.
  [[nodiscard]] std::optional<Samples> sample(const std::vector<Candidate>& all, const State& y, double from, double to,
                                              std::mt19937_64& engine);
  void addMomenta(std::size_t variable, const sema::ArrayTuple& momentum);
  void addGroup(std::size_t variable, Motion motion, const std::vector<sym::Expr>& index,
                const std::vector<sym::Expr>& entries);
  void defineChanges();
  [[nodiscard]] std::vector<Candidate> candidates() const;
  [[nodiscard]] Reading reading(const Candidate& c, const std::vector<double>& numbers) const;

  StateSpace& s_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<CandidateGroup> groups_;
  sema::ArrayTuple values_;
  std::size_t size_ = 0;
  products::ModelFunctions::Function value_, change_;
  std::optional<products::ModelFunctions::Function> energy_;
};

/// "rotation of R, q about e3 (space)": the motions that a combination is the momentum map of.
[[nodiscard]] std::string describe(StateSpace& space, const std::vector<CandidateGroup>& groups,
                                   const std::vector<std::pair<Candidate, double>>& terms);

} // namespace lmc::checks
