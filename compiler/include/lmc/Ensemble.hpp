/// @file
/// Many trajectories of one model, which differ in parameters, inputs and initial values.
#pragma once

#include "lmc/Compile.hpp"
#include "lmc/Model.hpp"

#include <functional>
#include <optional>

namespace lmc {
LMC_INLINE namespace v1 {

  /// What is kept of the trajectories of an ensemble.
  enum class Keep : std::int32_t {
    Final = 0,      ///< a row per sample: its end
    Statistics = 1, ///< a row per time: mean, deviation and extremes of all samples
    All = 2,        ///< a row per sample and time, all times of the first sample first
  };

  /// How an ensemble is made; docs/ensembles.md says what may vary.
  struct EnsembleSettings {
    std::vector<std::string> vary; ///< "m ~ normal(15, 1)", as `lmc ensemble --vary`
    std::int64_t samples = 0;      ///< 0: as many as the shortest table of `read` has rows
    Keep keep = Keep::Final;       ///< what is kept
    double every = 0;              ///< time between two rows of a sample; 0: the model's, else a hundredth of the run
    int threads = 0;               ///< 0: one per core that the process may use
    int lanes = 0;                 ///< samples that a thread makes at once, a power of two to 32; 0: as the machine has
    double maxSeconds = 0;         ///< it stops after so many seconds; 0: no limit
    std::optional<std::uint64_t> seed; ///< of the numbers that are drawn; not given: the model's
    /// Told ten times a second which part of the work is done, by a thread of the library; false stops.
    std::function<bool(double)> progress;
  };

  /// What came of an ensemble: a table, or errors.
  struct Ensemble {
    Compilation compilation;          ///< the diagnostics; there is no model
    bool made = false;                ///< false: there are errors
    std::vector<std::string> columns; ///< names of the columns of the table
    std::vector<double> numbers;      ///< one row after the other
    std::int64_t samples = 0;         ///< finished, failed ones included
    std::int64_t failed = 0;          ///< those that could not be finished
    std::int64_t stopped = 0;         ///< by events
    std::int64_t doubtful = 0;        ///< with impulses of contacts that are not those of the laws (status 105)
    std::int64_t firstFailure = -1;   ///< the first sample that failed
    std::int64_t steps = 0;           ///< of all samples
    std::int64_t rejected = 0;        ///< of adaptive steps
    bool interrupted = false;         ///< `progress` or `maxSeconds` has stopped it
    double seconds = 0;               ///< of the clock, without compiling

    /// Whether there is a table.
    explicit operator bool() const noexcept { return made; }
    /// The number of its rows.
    [[nodiscard]] std::size_t rows() const noexcept { return columns.empty() ? 0 : numbers.size() / columns.size(); }
  };

  /// Compiles the first model of a file for many samples at once, and makes them. Errors in the text, and in what is to
  /// be varied, are data; settings that make no sense throw Error of kind Misuse.
  [[nodiscard]] LMC_API Ensemble ensembleFile(const std::string& path, const EnsembleSettings& settings,
                                              const Options& options = {});
  /// The same for a model: of the texts that it was compiled from, whatever has become of its files since, with the
  /// options that it was compiled with. Throws Error of kind Unavailable behind Model::release.
  [[nodiscard]] LMC_API Ensemble ensemble(const Model& model, const EnsembleSettings& settings);
  /// The same for texts in memory, the main one first.
  [[nodiscard]] LMC_API Ensemble ensembleSources(const std::vector<Source>& sources, const EnsembleSettings& settings,
                                                 const Options& options = {});

} // namespace v1
} // namespace lmc
