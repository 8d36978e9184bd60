// Periodic motions of the steps of a method, by multiple shooting.
//
// Unknown are the states y_i at the begin of m sections of equally many steps, and the period T where the model does
// not depend on time. Sought is that the steps lead from each to the next, and from the last to the first. Newton's
// method has the exact tangent maps of the steps; of the change by the period it takes m f/m, which is right up to the
// error of the method and makes the iteration a little slower. What is found is the periodic motion of the steps, not
// that of the differential equation: those who ask compare two numbers of steps.
#pragma once

#include "checks/motions/MotionModel.h"

namespace lmc::checks {

struct ShootingProblem {
  double time = 0;              ///< at which the first state stands
  bool periodUnknown = true;    ///< the model does not depend on time
  std::optional<double> energy; ///< that the motion is to have; the first of the outputs
  Eigen::Index sections = 8;
};

/// A motion of `steps` steps that closes, or nearly.
struct Loop {
  std::vector<State> nodes; ///< at the begin of the sections
  double period = 0;
  std::int64_t steps = 0; ///< a multiple of the number of sections
};

struct Shot {
  bool converged = false;
  Loop loop;
  double closing = 0; ///< the largest gap between two sections, in units of the sizes of coordinates
  int turns = 0;
  std::int32_t status = 0; ///< of a step that failed; else Ok
  Matrix monodromy;        ///< on the tangent space at the first node, in the basis there
  Matrix basis;            ///< of it, as columns: scaled coordinates
  Vector sizes;            ///< by which coordinates are scaled
};

class Shooting {
public:
  Shooting(MotionModel& model, StateSpace& space, ShootingProblem problem)
      : model_(model), space_(space), problem_(problem) {}

  /// From a loop that nearly closes.
  [[nodiscard]] Shot from(const Loop& start);
  /// The same motion with another number of steps.
  [[nodiscard]] std::optional<Loop> sampled(const State& y, double period, std::int64_t steps);

private:
  struct Section {
    State end;
    Matrix map; ///< of the basis at its begin, to scaled coordinates at its end
  };
  struct Linear {
    std::vector<Matrix> bases;
    std::vector<Section> sections;
    std::vector<Vector> gaps; ///< scaled coordinates at the begin of the next section
    Matrix jacobian;
    Vector residual;
    double closing = 0;
  };
  [[nodiscard]] std::optional<Section> run(const State& y, double t, double h, std::int64_t count, const Matrix& basis);
  [[nodiscard]] std::optional<Matrix> basisAt(const State& y, double t);
  [[nodiscard]] std::optional<Linear> linearAt(const Loop& loop);
  [[nodiscard]] bool addConditions(const Loop& loop, Linear& l, Eigen::Index columns);
  [[nodiscard]] std::optional<Loop> moved(const Loop& loop, const Linear& l, const Vector& step);
  [[nodiscard]] double timeOf(const Loop& loop, std::size_t node) const;

  MotionModel& model_;
  StateSpace& space_;
  ShootingProblem problem_;
  Vector sizes_;
};

} // namespace lmc::checks
