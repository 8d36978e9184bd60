// What is read off the trajectory: the columns of the output, the energy, the defects.
#pragma once

#include "runtime/output/Output.h"
#include "runtime/run/Workspace.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lmc::runtime {

/// The largest defect of a variable's manifold, over the samples.
struct Defect {
  std::string name;
  double value = 0;
};

/// The energy or an observable that was not a number.
struct Undefined {
  std::string name; ///< of the column; "energy" also where it is infinite
  double time = 0;  ///< for the first time
  std::int64_t samples = 0;
  bool expected = false; ///< the model says that it may be
};

/// A constraint that does not hold: of equations that followed from others at the begin, and no longer do.
struct Missed {
  std::string name;
  double time = 0, value = 0; ///< of the first sample
};

/// Observes the state at the sample times, passes rows to a sink and keeps the extremes.
class Sampler {
public:
  /// The sink may be null. Workspace and problem must outlive the sampler.
  Sampler(const Problem& problem, Workspace& workspace, Sink* sink);

  /// Passes the names of the columns to the sink.
  void begin();
  /// Observes the workspace's state at time t and records it. Returns a tape::Status.
  [[nodiscard]] std::int32_t sample(double t);

  /// What the next samples are added to.
  struct Memory {
    std::int64_t count = 0;
    double firstEnergy = 0, energyDifference = 0;
    std::vector<double> defects;
    std::vector<NamedArray> undefined; ///< time and number of samples
  };
  [[nodiscard]] Memory memory() const;
  void restore(const Memory& memory);

  [[nodiscard]] std::int64_t samples() const { return samples_; }
  /// The largest |E(t) - E(t0)| over the samples, relative to energyScale(E(t0)); not a number if the energy was at one
  /// of them; nothing when the model has no energy.
  [[nodiscard]] std::optional<double> energyError() const;
  [[nodiscard]] const std::vector<Defect>& defects() const { return defects_; }
  /// The first constraint that is off by far more than rounding; nothing where all hold.
  [[nodiscard]] const std::optional<Missed>& missed() const { return missed_; }
  /// In the order of the columns.
  [[nodiscard]] std::vector<Undefined> undefined() const;

private:
  void record(double t);
  void findUndefined(double t);
  void findMissed(double t);
  /// The name of a column. Names are made when the first one is asked for: short runs often need none.
  [[nodiscard]] const Entry& entry(std::size_t column);

  const Problem* problem_;
  Workspace* workspace_;
  Sink* sink_;
  std::vector<Column> columns_;                 ///< see entry()
  std::vector<std::span<const double>> places_; ///< of the fields that are written, one after the other
  std::vector<double> row_;                     ///< for the sink
  std::int64_t samples_ = 0;
  double firstEnergy_ = 0;
  double energyDifference_ = 0;
  const double* energy_ = nullptr; ///< null: the model has none
  std::vector<Defect> defects_;
  std::vector<const double*> defectPlaces_;
  std::vector<std::size_t> constraints_; ///< those of `defects_` that are of constraints, and not of their rates
  std::optional<Missed> missed_;
  std::size_t observed_ = 0;      ///< the first column of the energy and the observables, which are the last ones
  std::size_t observedField_ = 0; ///< the field of that column, among places_
  std::map<std::size_t, Undefined> undefined_; ///< by column
};

/// Whether a field is the defect of a constraint; of its rate (`pin'`), which some methods leave off, it is not.
[[nodiscard]] bool isOfConstraint(const Problem& problem, const Field& field);
/// Whether a constraint that is off by so much does not hold at a state of these numbers; false of most is told without
/// them.
[[nodiscard]] bool isMissed(double defect, std::span<const double> state);
[[nodiscard]] bool mayBeMissed(double defect);

/// True for an entry of a field in a model's list: "x" names the number x and all entries of a family x.
[[nodiscard]] bool names(const std::vector<std::string>& list, const Entry& entry);

/// What errors of an energy are relative to: max(1, |E(t0)|).
[[nodiscard]] double energyScale(double first);

} // namespace lmc::runtime
