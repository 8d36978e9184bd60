// The memory behind a Workspace.
#pragma once

#include "api/Access.h"

#include "runtime/steps/JumpSteps.h"

namespace lmc::v1 {

/// The functions of one module of code, with their memory.
struct Unit {
  /// The state stands in memory of this unit, or of another one.
  explicit Unit(const runtime::Problem& p) : problem(&p), memory(p) {}
  Unit(const runtime::Problem& p, double* state) : problem(&p), memory(p, state) {}

  /// Takes over all parameters; the constants are computed before the next call.
  void load(const std::vector<double>& params) {
    std::copy(params.begin(), params.end(), memory.params().begin());
    stale = true;
  }
  /// Computes the constants if need be. Returns a tape::Status.
  [[nodiscard]] std::int32_t ready() {
    if (!stale) return runtime::Ok;
    const std::int32_t status = memory.setUp();
    stale = status != runtime::Ok;
    return status;
  }

  const runtime::Problem* problem;
  lmc::runtime::Workspace memory;
  bool stale = true; ///< parameters have changed since the constants were computed
};

namespace detail {

/// Steps of a model whose state jumps go on where the last ones have ended.
struct JumpingSteps {
  JumpingSteps(const runtime::Problem& problem, lmc::runtime::Workspace& memory, double first)
      : steps(problem, memory, first) {}
  runtime::JumpSteps steps;
  double origin = 0, length = 0; ///< of the steps that follow each other: step k begins at origin + k length
  std::int64_t count = 0;
  double time = 0;           ///< that was reached
  std::vector<double> state; ///< likewise
};

/// The samplings of a host, and what it sees of the motion in them: its workspace.
class Samplings final : public lmc::runtime::HostSamplings {
public:
  explicit Samplings(WorkspaceData& data) : data_(data) {}
  [[nodiscard]] const std::vector<Times>& times() const override { return times_; }
  void at(std::size_t which, double t, lmc::runtime::Workspace& memory) override;
  void add(const Times& times, Sampling sampling);
  void clear();
  [[nodiscard]] bool any() const { return !times_.empty(); }
  /// The workspace that steps, or runs, now.
  Workspace* caller = nullptr;
  bool calling = false; ///< the host is being called

private:
  WorkspaceData& data_;
  std::vector<Times> times_;
  std::vector<Sampling> calls_;
};

/// Throws Error of kind Misuse where the samples of a run, of so many numbers each, are known to be more than there is
/// memory for.
void requireRoom(const runtime::Problem& problem, const RunSettings& settings, std::size_t numbers);

struct WorkspaceData {
  explicit WorkspaceData(const Model& m);
  WorkspaceData(const WorkspaceData&) = delete;
  WorkspaceData& operator=(const WorkspaceData&) = delete;

  [[nodiscard]] double* state() { return own.memory.state().data(); }
  /// Writes numbers of Params, here and in all units. `live`: of an input, on which no constants depend.
  void write(std::int64_t offset, const double* values, std::int64_t n, bool live);
  void loadAll();
  /// The unit with the loop of fixed steps is there, with its constants.
  [[nodiscard]] std::int32_t readyToStep();
  /// Steps with all that happens in them. Returns a tape::Status; `jumpFailure` tells more.
  [[nodiscard]] std::int32_t jumpingSteps(double h, std::int64_t n);
  [[nodiscard]] std::int32_t carryOut(double h, std::int64_t n);
  [[nodiscard]] std::int32_t beginJumps();
  /// Steps are more than the compiled ones: the state jumps, or impulses of contacts are found.
  [[nodiscard]] bool jumpsOnItsWay() const;
  /// A function of the evaluation, called at the present state.
  template <class Function> Span<const double> evaluate(Function function);
  [[noreturn]] void fail(std::int32_t status) const;
  /// Throws Error of kind RunFailed; a parameter, an input or a time that is not finite is named as the cause.
  [[noreturn]] void failed(Status status, const std::string& sentence) const;
  [[nodiscard]] std::string whichConstraints(Status status) const;
  /// Throws Error of kind Misuse in callbacks of this workspace.
  void requireIdle() const;
  /// The same, but for those at sample times.
  void requireWritable() const;
  /// Throws Error of kind Misuse for steps that cannot be taken.
  [[noreturn]] void refuseSteps(double h, std::int64_t n) const;
  /// `own` with its outputs computed at the present state.
  void observe();
  /// The problem of a run from the present state, by settings.
  runtime::Problem& runProblem(const RunSettings& settings);
  RunResult run(const RunSettings& settings, runtime::Problem& problem, runtime::Sink* sink);

  Model model;
  const ModelData& shared;
  double time = 0;
  bool running = false; ///< a run, or a step, is going on: this is a callback
  Samplings samplings{*this};
  Unit own; ///< of Shared::problem; has the state
  std::unique_ptr<Unit> otherFixed;
  Unit* fixed = nullptr; ///< one of the two, when it was needed
  double* const* bases = nullptr;
  runtime::Compiled::Advance advance = nullptr;
  std::unique_ptr<JumpingSteps> jumping; ///< of a model whose state jumps, from its first step on
  bool dataChanged = false;              ///< inputs or parameters, since its last step
  std::vector<EventHit> happened;        ///< events of the last call that stepped
  std::string jumpFailure;               ///< of the last step that failed, a sentence without a full stop; or empty
  double failedStep = 0;                 ///< the length of the last step that failed
  std::unique_ptr<Unit> evaluation;
  const runtime::EvaluationProblem* evaluated = nullptr;
  std::vector<double> params;                              ///< parameters and inputs
  std::vector<double> eventValues, accelerations;          ///< what was returned last
  std::unique_ptr<runtime::Problem> fixedRun, adaptiveRun; ///< copies whose settings change from run to run
};

} // namespace detail

using detail::WorkspaceData;

} // namespace lmc::v1
