// Periodic motions of a model with their Floquet multipliers.
#pragma once

#include "checks/motions/Generators.h"
#include "checks/motions/Shooting.h"
#include "checks/motions/Spectrum.h"

namespace lmc::checks {

struct OrbitQuestion {
  double time = 0;
  bool autonomous = true;       ///< f does not depend on time: the period is unknown
  std::optional<double> period; ///< of a model that depends on time; else a first guess
  std::optional<double> energy;
  double span = 0;          ///< how long a motion is watched for a return
  double step = 0;          ///< of this motion
  std::int64_t steps = 120; ///< of the first loop, a multiple of 120
  std::int64_t mostSteps = 30'720;
  double accuracy = 1e-9; ///< that period and multipliers are wanted with: steps are halved until they change by less
};

enum class OrbitEnd : std::uint8_t {
  Found,
  NoReturn,   ///< the motion was watched, and did not come near where it had been
  Open,       ///< the iteration ends with gaps
  LeftDomain, ///< steps fail
  Rest,       ///< an equilibrium was found, which has every period
};

/// A whole number, or a truth value, that does not come back with the motion.
struct CarriedNumber {
  std::size_t place = 0; ///< in the state
  double before = 0, after = 0;
};

struct Orbit {
  OrbitEnd end = OrbitEnd::Open;
  Loop loop;
  double closing = 0;
  int turns = 0;
  std::int32_t status = 0;
  double periodError = 0;              ///< the change of the period when steps are halved
  bool accurate = false;               ///< the last halving changed less than was asked for
  std::vector<Eigenvalue> multipliers; ///< but for those that are 1 for a reason
  Eigen::Index ones = 0;               ///< multipliers that are 1 to first order, with their conjugate directions
  std::vector<std::string> reasons;    ///< "along the motion", "energy", the names of symmetries
  Eigen::Index unexplained = 0;        ///< directions that return, without a reason
  std::int64_t repeats = 1;            ///< so many times the smallest period that was seen
  std::vector<CarriedNumber> carried;  ///< over one period
  double again = 0; ///< with these the next period misses this one by so much, in units of the sizes of coordinates
};

class OrbitSearch {
public:
  OrbitSearch(MotionModel& model, StateSpace& space, Generators& motions, std::vector<Generator> generators,
              OrbitQuestion question)
      : model_(model), space_(space), motions_(motions), generators_(std::move(generators)), question_(question) {}

  [[nodiscard]] Orbit from(const State& y);

private:
  /// A state and about how long it takes to come back.
  struct Return {
    State y;
    double period = 0;
    double distance = 0; ///< relative to the extent of the motion
  };
  [[nodiscard]] std::vector<State> followed(const State& y, std::int32_t& status);
  [[nodiscard]] std::optional<Return> watched(const State& y, std::int32_t& status);
  [[nodiscard]] std::vector<State> nearlyReturning(const State& y, double period);
  [[nodiscard]] static double changed(Orbit& now, const Orbit& before);
  [[nodiscard]] Orbit refined(const State& y, double period);
  void judge(Orbit& orbit, const Shot& shot);
  [[nodiscard]] bool rests(const Shot& shot);
  [[nodiscard]] std::int64_t repeatsOf(const Shot& shot);
  void lookAtNumbers(Orbit& orbit);

  MotionModel& model_;
  StateSpace& space_;
  Generators& motions_;
  std::vector<Generator> generators_;
  OrbitQuestion question_;
};

} // namespace lmc::checks
