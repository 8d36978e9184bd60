// Many trajectories of one problem: samples, each with parameters and an initial state of its own.
//
// Samples are made in blocks. A block is made by one thread, several samples at a time in the lanes of its vectors; the
// size of the blocks depends on the number of samples alone, and blocks are passed on in their order. So what comes out
// depends, to the bit, neither on the number of threads nor on that of lanes.
#pragma once

#include "runtime/contract/LaneMachine.h"
#include "runtime/contract/MassLook.h"
#include "runtime/contract/Problem.h"
#include "runtime/ensemble/Statistics.h"
#include "runtime/run/Grid.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::runtime {

/// What became of a sample: a tape::Status, or
enum SampleStatus : std::int32_t {
  StepUnderflow = 100,    ///< an adaptive step became too small
  InitialWrong = 101,     ///< the initial values are not on their manifolds or constraints, or cannot be computed
  EventReached = 102,     ///< an event stopped it: no failure
  NotANumber = 103,       ///< the energy, an observable or an event is not a number; the motion itself is well
  MassUnsolved = 104,     ///< what MassMonitor::look finds: the accelerations are not those of the mass equation
  ImpulsesMissed = 105,   ///< it is finished, but impulses of contacts are not those that the laws ask for: no failure
  ConstraintMissed = 106, ///< a constraint does not hold that was left out since it followed from others
};
/// True for a sample that could not be finished.
[[nodiscard]] bool sampleFailed(std::int32_t status);
/// What a status means, as a sentence without a full stop.
[[nodiscard]] std::string sampleStatusText(std::int32_t status);

/// Makes the data of samples, in one thread.
class SampleSource {
public:
  virtual ~SampleSource() = default;
  /// Parameters, initial state and varied numbers of a sample. Returns Ok or a status of failure, with the varied
  /// numbers in either case.
  [[nodiscard]] virtual std::int32_t make(std::int64_t sample, std::span<double> params, std::span<double> state,
                                          std::span<double> varied) = 0;
};

/// What makes the samples in the place of this processor's lanes, with their bits.
struct EnsembleDevice {
  std::function<std::unique_ptr<LaneMachine>()> machine; ///< may be called in any thread; throws DeviceError
  std::int64_t blocks = 1;                               ///< that a thread takes at once
};

/// A problem and what distinguishes its samples.
struct EnsembleProblem {
  Problem problem;          ///< its code is for `lanes` lanes; 0: for one trajectory
  int lanes = 0;            ///< events are looked for by code for one trajectory only
  std::int64_t scratch = 0; ///< tape::kernelScratch of the code
  std::size_t length = 0;   ///< of the longest function, in instructions
  MassLook look;            ///< of code for lanes
  std::optional<EnsembleDevice> device;
  /// PTX of the problem (jit/Device.h), made when it is asked for; throws std::runtime_error.
  std::function<std::string()> deviceCode;
  std::string deviceObstacle; ///< why a device cannot make the samples, "a determinant"; empty: it can
  std::int64_t samples = 0;
  std::function<std::unique_ptr<SampleSource>()> source; ///< may be called in any thread
  std::vector<Entry> varied;                             ///< the varied numbers: "m", "J[1][1]"
  std::vector<std::string> variations;                   ///< as typed
};

enum class EnsembleKeep : std::uint8_t {
  Final,      ///< the columns of every sample at its end
  Statistics, ///< of all samples that got there, per column and sample time
  All,        ///< every column of every sample at every sample time
};

/// When samples are observed, and how they are divided.
struct EnsemblePlan {
  EnsembleKeep keep = EnsembleKeep::Final;
  std::vector<double> times;       ///< of the rows; the last one is the end
  std::vector<SamplePoint> points; ///< of fixed steps, one per time
  std::int64_t stride = 0;         ///< steps between two rows, or
  double every = 0;                ///< the time between them
  std::int64_t block = 1;          ///< samples of a block, the last one may have fewer
  [[nodiscard]] std::int64_t blocks(std::int64_t samples) const { return (samples + block - 1) / block; }
};
/// By the settings of the problem: `final` looks at the end alone; otherwise every `outputEvery` or `outputSteps`, or a
/// hundred times where neither is given. Adaptive steps know no `outputSteps`.
/// `block`: samples of a block; 0: by the number of samples.
[[nodiscard]] EnsemblePlan planEnsemble(const Problem& problem, EnsembleKeep keep, std::int64_t samples,
                                        std::int64_t block = 0);

/// What the rows of the smallest block of such a plan take in memory at least, in bytes; before it is made, as its
/// times alone may be too many.
[[nodiscard]] double leastBlockBytes(const Problem& problem, EnsembleKeep keep, std::int64_t samples,
                                     std::int64_t block = 0);

/// The table of an ensemble without its numbers: all that is needed beside the blocks to write it.
struct EnsembleShape {
  EnsembleKeep keep = EnsembleKeep::Final;
  std::vector<Entry> columns, varied;
  std::vector<double> times; ///< of the rows
  std::int64_t samples = 0, block = 1;
  [[nodiscard]] std::int64_t blocks() const { return (samples + block - 1) / block; }
  /// Samples of a block.
  [[nodiscard]] std::int64_t count(std::int64_t index) const { return std::min(block, samples - index * block); }
  /// What a finished block takes in memory, about, in bytes.
  [[nodiscard]] double blockBytes() const;
  /// Of the table of all blocks. Columns that statistics may have beside these, of counts, are left out.
  [[nodiscard]] double tableRows() const;
  [[nodiscard]] std::size_t tableColumns() const;
};
[[nodiscard]] EnsembleShape shapeOf(const EnsembleProblem& problem, const EnsemblePlan& plan);

/// The results of one block.
struct EnsembleBlock {
  std::int64_t index = 0, first = 0, count = 0; ///< number of the block, its first sample, its samples
  std::vector<std::int32_t> statuses;           ///< one per sample
  std::vector<double> ends;                     ///< time that each sample reached
  std::int64_t steps = 0, rejected = 0;
  std::vector<double> varied; ///< samples × varied numbers
  /// Samples × times × columns; NaN from where a sample failed on. Of statistics empty.
  std::vector<double> rows;
  std::vector<Moments> moments; ///< of statistics: times × columns

  /// Whether it has the numbers that block `index` of such a table must have.
  [[nodiscard]] bool fits(const EnsembleShape& shape, std::int64_t index) const;
};

/// Takes blocks in their order. May throw OutputError or CheckpointError, which end the run.
class EnsembleSink {
public:
  virtual ~EnsembleSink() = default;
  virtual void take(const EnsembleBlock& block) = 0;
};

struct EnsembleResult {
  std::int64_t samples = 0;                                    ///< finished, failed ones included
  std::int64_t failed = 0, stopped = 0;                        ///< `stopped`: by events
  std::int64_t doubtful = 0;                                   ///< with the status ImpulsesMissed
  std::vector<std::pair<std::int32_t, std::int64_t>> failures; ///< by status, with the number of samples
  std::int64_t firstFailure = -1;                              ///< sample
  std::int64_t steps = 0, rejected = 0;                        ///< of all samples
  double seconds = 0;                                          ///< that passed
  double cpuSeconds = 0;                                       ///< of all threads together
  std::int64_t handedBack = 0; ///< samples that a device has left to the lanes of this processor
  bool interrupted = false;
  std::int64_t causeOf = -1; ///< the first sample that has failed here: it is `firstFailure`, or that failed elsewhere
  std::string cause;         ///< which constraints have become dependent there; empty: none, or it is not known

  /// Counts the samples of a block, in any order of the blocks.
  void add(const EnsembleBlock& block);
};

/// From where the threads of a process take the blocks that they make, and where they leave them. Both are called by
/// any of them. What is thrown ends the run.
class BlockDesk {
public:
  virtual ~BlockDesk() = default;
  /// The next block to make; nothing: there is none left. May wait.
  [[nodiscard]] virtual std::optional<std::int64_t> next() = 0;
  /// One more for a thread that has some already; nothing: it is to make those. Does not wait.
  [[nodiscard]] virtual std::optional<std::int64_t> another() { return std::nullopt; }
  virtual void made(std::unique_ptr<EnsembleBlock> block) = 0;
  /// Nothing is made any more: who waits gets nothing.
  virtual void stop() = 0;
};

/// What the thread that started the others does meanwhile.
struct EnsembleWatch {
  std::function<double()> seconds = [] { return 0.1; }; ///< until the next look
  /// Told how many samples are made, parts of them included; false: stop. Unfinished blocks are forgotten.
  std::function<bool(double)> look;
};

/// Makes the blocks of a desk with `threads` threads, and returns when it has none left: times, and whether it was
/// interrupted. What the desk and the watch throw passes through.
[[nodiscard]] EnsembleResult runBlocks(const EnsembleProblem& problem, const EnsemblePlan& plan, int threads,
                                       BlockDesk& desk, const EnsembleWatch& watch);

struct EnsembleListeners {
  EnsembleSink* sink = nullptr;
  /// Called when a block is finished, in any order, by one thread at a time: where finished blocks are kept.
  std::function<void(const EnsembleBlock&)> finished;
  /// A block that has been made before; false: it has to be made.
  std::function<bool(std::int64_t, EnsembleBlock&)> known;
  /// Told ten times a second which part of the work is done; false: stop. Of unfinished blocks nothing is kept.
  std::function<bool(double)> progress;
};

/// Makes all samples with `threads` threads. What listeners throw passes through. Blocks that wait for an earlier one
/// take 256 MB at most, or twice as many blocks as there are threads.
[[nodiscard]] EnsembleResult runEnsemble(const EnsembleProblem& problem, const EnsemblePlan& plan, int threads,
                                         const EnsembleListeners& listeners);

} // namespace lmc::runtime
