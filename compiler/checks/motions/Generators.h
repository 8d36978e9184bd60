// One-parameter groups of motions under which a model is invariant, found and not given.
//
// Candidates are those of Symmetries.h, as vector fields X on the whole phase space: a translation exp(s e) g from
// either side, the action of the group of a homogeneous manifold, a rotation of R^2 or R^3, each with what it does to
// the velocity or momentum that belongs to the point; the coadjoint action on an element of a dual.
//
// In coordinates of tangent spaces X pushes tangent vectors by a linear map that does not depend on the state: z' =
// L_X z with L_X made of brackets, or zero where the frame goes along. So f is invariant exactly where the change of
// its coordinates along X is L_X times them, at all states, and no constraint changes along X; combinations sum c_k X_k
// for which this holds are a null space. No momentum has to be conserved: a rolling body is invariant under motions of
// the plane, and yet its momenta change.
#pragma once

#include "checks/model/Symmetries.h"
#include "checks/motions/MotionModel.h"

namespace lmc::checks {

/// A combination of candidates that is a symmetry of f.
struct Generator {
  std::string name; ///< "rotation of q about e3 (space)"
  std::vector<std::pair<Candidate, double>> terms;
  Matrix turning; ///< L_X
};

class Generators {
public:
  /// Declares its functions; `space` is to be prepared afterwards.
  explicit Generators(StateSpace& space);

  /// A basis of the symmetries, judged at states near y that keep the constraints, at times in [from, to].
  [[nodiscard]] std::vector<Generator> find(MotionModel& model, const State& y, double from, double to,
                                            std::mt19937_64& engine);
  /// The coordinates of X at a state; nothing where they are no numbers.
  [[nodiscard]] std::optional<Vector> at(MotionModel& model, const Generator& generator, const State& y);
  /// By how much f fails to be invariant under the motion at a state, relative to the rate of the motion there and to
  /// these sizes of coordinates.
  [[nodiscard]] std::optional<double> defect(MotionModel& model, const Vector& direction, const Matrix& turning,
                                             const Vector& sizes, const State& y, double t);

private:
  struct Functions {
    products::ModelFunctions::Function change, turned;
  };
  void add(std::size_t variable, Motion motion);
  void addEntry(std::size_t variable, Motion motion, std::size_t entry);
  [[nodiscard]] std::vector<Candidate> candidates() const;
  [[nodiscard]] State change(const Candidate& c, const State& y);
  [[nodiscard]] Matrix turning(const Candidate& c, const State& y);
  [[nodiscard]] std::optional<Vector> defects(MotionModel& model, const Vector& direction, const Matrix& turning,
                                              const State& y, double t);

  StateSpace& s_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<CandidateGroup> groups_;
  std::vector<std::vector<Functions>> functions_; ///< of each group, of each entry
};

} // namespace lmc::checks
