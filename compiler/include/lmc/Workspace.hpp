/// @file
/// Memory in which one thread steps a model and evaluates it.
#pragma once

#include "lmc/Model.hpp"
#include "lmc/Run.hpp"
#include "lmc/Trajectory.hpp"

namespace lmc {
LMC_INLINE namespace v1 {

  /// The compiled function of n steps of length h, without anything around it.
  ///
  /// `function(memory, &t, h, n, &k)` makes steps k, …, k + n - 1, of which step j begins at t + j h; afterwards t is
  /// the time and k the number of steps that were completed. It returns a Status as a number; after a failure the state
  /// is the one before the step that failed. It neither allocates nor throws.
  struct StepFunction {
    /// Type of the function.
    using Function = std::int32_t (*)(double* const* memory, double* t, double h, std::int64_t n, std::int64_t* k);
    Function function = nullptr;     ///< lives as long as the model
    double* const* memory = nullptr; ///< of the workspace, whose state it advances; its time stays as it is
  };

  class Workspace;

  /// What a host program does at a sample time. The workspace shows the state and the time there: it may be read and
  /// evaluated, inputs set and released, the state (discrete variables among it) written. All else that changes a
  /// workspace throws Error of kind Misuse. What it throws ends the run or the steps, and passes through.
  using Sampling = std::function<void(Workspace&)>;

  /// A state of a model with its time, parameters and inputs, and the functions of the model at that state.
  ///
  /// One thread uses a workspace at a time; any number of workspaces of one model may be used at once. It keeps the
  /// model alive. Spans and views that it returns stay valid as long as it lives (moving it does not matter); those of
  /// computed quantities are overwritten by the next call that computes the same.
  ///
  /// Names: a variable "R", its velocity or momentum "Omega", a part "mu.w", a member of a family "q[2]" (from 1, as in
  /// models), a part of a member "X[2].R". Unknown names, wrong numbers of values and what a model does not have throw
  /// Error of kind Misuse or Unavailable; failing evaluations throw Error of kind RunFailed.
  class LMC_API Workspace {
  public:
    /// Memory for a model, at its initial state and time, with parameters and inputs as compiled.
    explicit Workspace(const Model& model);
    /// The other one cannot be used any more.
    Workspace(Workspace&&) noexcept;
    /// The other one cannot be used any more.
    Workspace& operator=(Workspace&&) noexcept;
    ~Workspace();

    /// The model.
    [[nodiscard]] const Model& model() const noexcept;

    /// @name State
    /// @{

    /// The time.
    [[nodiscard]] double time() const noexcept;
    /// Sets the time.
    void setTime(double t) noexcept;
    /// All numbers of the state, to read and to write. Who writes is answerable for points being on their manifolds and
    /// velocities of homogeneous manifolds being horizontal.
    [[nodiscard]] Span<double> state() noexcept;
    /// All numbers of the state.
    [[nodiscard]] Span<const double> state() const noexcept;
    /// A part of the state by its name.
    [[nodiscard]] View view(std::string_view name);
    /// A part of the state by its name.
    [[nodiscard]] ConstView view(std::string_view name) const;
    /// Copies all numbers of a state. Points and horizontal velocities that are rounded (by up to 1e-8 of their size)
    /// are moved onto their manifolds, as initial values are; states of runs keep their bits. Throws Error of kind
    /// Misuse for what is further off, and leaves the state as it is. After Model::release nothing is looked at. It
    /// takes a lock of the model and microseconds: in a loop, write through `state()`.
    void setState(Span<const double> state);
    /// The initial state and time as compiled. Parameters and inputs stay as they are.
    void reset() noexcept;
    /// The initial time, and the initial state with initial values computed again from the present parameters, moved
    /// onto their manifolds; values in which random numbers take part draw the same ones. Throws Error of kind Misuse
    /// when a value is off its manifold, Unavailable after Model::release.
    void resetInitial();
    /// @}

    /// @name Parameters and inputs
    /// @{

    /// Sets a parameter that is a number.
    void set(std::string_view name, double value);
    /// Sets a parameter, or one member of it: as many numbers as it has, matrices by rows. A parameter that the model
    /// computes from others stays as compiled until it is set.
    void set(std::string_view name, Span<const double> values);
    /// The value of a parameter.
    [[nodiscard]] ConstView parameter(std::string_view name) const;
    /// All parameters as compiled.
    void resetParameters() noexcept;
    /// Holds an input that is a number at a value, instead of its law, from now on.
    void setInput(std::string_view name, double value);
    /// Holds an input, or one member of it, at values from now on.
    void setInput(std::string_view name, Span<const double> values);
    /// The same by the index of Model::inputs, without the search for the name: for controllers. All members.
    void setInput(std::size_t index, Span<const double> values);
    /// The same for an input that is a number.
    void setInput(std::size_t index, double value);
    /// Goes back to the law that the model gives for an input, or for one member of it.
    void releaseInput(std::string_view name);
    /// Whether an input (all of its members) is held.
    [[nodiscard]] bool inputIsSet(std::string_view name) const;
    /// All inputs as compiled.
    void resetInputs() noexcept;
    /// @}

    /// @name Sample times
    /// Controllers of the host, called by steps, runs and `record` of this workspace, as blocks of `every` in the model
    /// are carried out, with the same bits: steps end at their times and are not shortened otherwise, a sample there is
    /// taken behind them, events that they cause happen at once, and what a method has kept from its last step is
    /// forgotten. At one time blocks of the model come first, each with what was added to it, then the others in the
    /// order in which they were added. Of a model with blocks that reset (Model::discretes, EventInfo) manifolds and
    /// constraints hold again behind the call; of others who writes the state is answerable. RunResult::jumps counts
    /// them, as "every 0.01 (host)".
    /// @{

    /// Calls `sampling` at first + k interval, k = 0, 1, …; `first` not a number: from the begin of each run on, of
    /// steps from the time of the first one. Throws Error of kind Misuse for an interval that is not positive.
    void every(double interval, Sampling sampling, double first = std::numeric_limits<double>::quiet_NaN());
    /// Calls it at the times of a block of `every` of the model, by its index in Model::samplings, behind the block.
    void atEvery(std::size_t block, Sampling sampling);
    /// From now on there are none.
    void clearSamplings();
    /// @}

    /// @name Steps
    /// @{

    /// One step of length h. A step that fails throws Error of kind RunFailed, and the state is the one before. Events,
    /// resets, samplings and contacts are carried out as a run does, with the same bits where the steps are those of
    /// the run; events without a block, which end a run, end no step. What has happened: `happened`. Of a model whose
    /// state jumps h is not negative: it has no past of its own.
    void step(double h) {
      const Status status = tryStep(h);
      if (status != Status::Success) fail(status);
    }
    /// n steps of length h; times are time + k h. When one fails, the state is the one before it.
    void step(double h, std::int64_t n) {
      const Status status = trySteps(h, n);
      if (status != Status::Success) fail(status);
    }
    /// `step` without an exception. Without a method: Error all the same.
    [[nodiscard]] Status tryStep(double h);
    /// n steps without an exception.
    [[nodiscard]] Status trySteps(double h, std::int64_t n);
    /// Throws the Error that `step` throws where the last call of these two has returned this status.
    [[noreturn]] void fail(Status status) const;

    /// The events in the last call of these functions, by time; the first thousand. Valid until the next one. Samplings
    /// are not among them.
    [[nodiscard]] Span<const EventHit> happened() const noexcept;

    /// The compiled function of fixed steps, for this workspace, which knows nothing of events, resets, samplings and
    /// contacts that close or open. To be asked for again when parameters (not inputs)
    /// have
    /// been set: that is when constants are computed from them. Throws as `step`.
    [[nodiscard]] StepFunction stepFunction();

    /// Integrates from the present state and time on; afterwards the workspace has the last state and its time. A
    /// failure is in the result. What the callback throws passes through; the state is then that of the last sample.
    /// Throws Error of kind Misuse for settings that make no sense.
    /// A callback reads its sample; it cannot change the workspace (set, setInput, setState, step, run throw Error of
    /// kind Misuse; what it writes through views is lost), which shows the begin of the run, or the last sample time of
    /// the host, until it ends. For feedback: `every`.
    RunResult run(const RunSettings& settings = {}, const SampleCallback& sample = {});
    /// The same, with all samples kept: for each a row of its time and its values, behind what is in `rows`. More
    /// samples than there is memory for are refused before the run where their number is known, as it is not with a
    /// limit of seconds: Error of kind Misuse.
    RunResult tabulate(std::vector<double>& rows, const RunSettings& settings = {});
    /// As `run`, keeping all steps for dense output, as many as there is memory for. Samples are left out: `every`,
    /// `everySteps` and `times` have no effect.
    [[nodiscard]] Trajectory record(const RunSettings& settings = {});
    /// @}

    /// @name Values at the present state, time, parameters and inputs
    /// @{

    /// The energy.
    [[nodiscard]] double energy();
    /// All observables.
    [[nodiscard]] Span<const double> observables();
    /// One observable, or a member of it, computed now.
    [[nodiscard]] ConstView observable(std::string_view name);
    /// The values of all events (Model::events).
    [[nodiscard]] Span<const double> events();
    /// How far the state is off its manifolds, by variables with conditions.
    [[nodiscard]] std::vector<Defect> defects();
    /// The map f of the equations y' = f(t, y). By variables (Variable::tangentOffset): of a configuration the velocity
    /// in the Lie algebra, then the derivative of the velocity (momentum) coordinates; of a state its flow in the Lie
    /// algebra; of a dual element its derivative. Each by parts, of a family the members of a part one after the other.
    [[nodiscard]] Span<const double> field();
    /// Velocities in the Lie algebras, of all configurations (Variable::algebraOffset).
    [[nodiscard]] Span<const double> velocities();
    /// Momenta dL/dxi in the duals of the Lie algebras, of all configurations.
    [[nodiscard]] Span<const double> momenta();
    /// Derivatives of velocities; of configurations with a momentum, of the momenta.
    [[nodiscard]] Span<const double> accelerations();
    /// M v with the mass matrix M = d2L/dxi2 of the present state, v in the order of `velocities`. On a homogeneous
    /// manifold M is that of horizontal velocities: it is zero along the isotropy.
    [[nodiscard]] Span<const double> massTimes(Span<const double> v);
    /// The mass matrix, algebraSize by algebraSize, by rows.
    [[nodiscard]] std::vector<double> massMatrix();
    /// How well the accelerations at the present state solve M xi' = r: the largest part of the terms of a component
    /// by which it is missed, some 1e-16 where all is well. Runs look at it themselves, and fail from 1e-8 on; single
    /// steps do not. Takes some hundred times as long as a step, and must not be called where time counts.
    [[nodiscard]] double massDefect();
    /// @}

  private:
    friend struct detail::Access;
    std::unique_ptr<detail::WorkspaceData> impl_;
  };

} // namespace v1
} // namespace lmc
