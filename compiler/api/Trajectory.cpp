#include "api/Memory.h"

#include "runtime/run/Run.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::v1 {

using detail::TrajectoryData;

namespace detail {

/// Keeps the states of a run at its steps.
class KnotSink final : public runtime::Sink {
public:
  /// `data`: parameters and inputs, of which the latter may change on the way.
  KnotSink(std::size_t stateSize, const std::vector<double>& data) : stateSize_(stateSize), data_(&data) {}
  void begin(const std::vector<runtime::Entry>&) override {}
  void sample(double t, std::span<const double> values) override;
  void finish() override {}
  [[nodiscard]] Span<const double> state(std::size_t k) const { return {states_.data() + k * stateSize_, stateSize_}; }
  /// Parameters and inputs behind the k-th state.
  [[nodiscard]] const std::vector<double>& data(std::size_t k) const {
    return changes_[static_cast<std::size_t>(std::upper_bound(since_.begin(), since_.end(), k) - since_.begin()) - 1];
  }

  std::vector<double> times;

private:
  std::size_t stateSize_;
  const std::vector<double>* data_; ///< until the run has ended
  std::vector<double> states_;
  std::vector<std::size_t> since_; ///< numbers of states from which on `changes_` hold
  std::vector<std::vector<double>> changes_;
};

void KnotSink::sample(double t, std::span<const double> values) {
  if (changes_.empty() || changes_.back() != *data_) {
    since_.push_back(times.size());
    changes_.push_back(*data_);
  }
  times.push_back(t);
  states_.insert(states_.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(stateSize_));
}

} // namespace detail

struct detail::TrajectoryData {
  TrajectoryData(const Model& m, const runtime::Problem& run, const std::vector<double>& data)
      : model(m), shared(*detail::Access::shared(model)), problem(std::make_shared<const runtime::Problem>(run)),
        unit(*problem), knots(run.initialState.size(), data), columns(run.columns()), row(columns.size()) {
    load();
    if (problem->contactSteps != nullptr) contacts.emplace(*problem, unit.memory.bases());
  }
  TrajectoryData(const TrajectoryData& other)
      : model(other.model), shared(*detail::Access::shared(model)), problem(other.problem), unit(*problem),
        knots(other.knots), columns(other.columns), row(other.row.size()), result(other.result) {
    load();
    if (problem->contactSteps != nullptr) contacts.emplace(*problem, unit.memory.bases());
  }
  TrajectoryData& operator=(const TrajectoryData&) = delete;

  /// Parameters, and the tolerances behind them, as the run had them.
  void load() {
    unit.load(problem->params);
    if (problem->control) {
      const std::vector<double>& t = problem->control->tolerances;
      std::copy(t.begin(), t.end(), unit.memory.params().begin() + static_cast<std::ptrdiff_t>(problem->params.size()));
    }
  }

  /// Makes the state of `unit` that at a time.
  void moveTo(double t) {
    const std::vector<double>& times = knots.times;
    if (!(t >= times.front() && t <= times.back()))
      throw Error(Error::Kind::Misuse, fmt::format("the trajectory reaches from t = {} to t = {}; {} lies outside",
                                                   times.front(), times.back(), t));
    const auto k = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin()) - 1;
    std::copy(knots.state(k).begin(), knots.state(k).end(), unit.memory.state().begin());
    // Inputs alone can be others, on which no constants depend.
    const std::vector<double>& data = knots.data(k);
    std::copy(data.begin(), data.end(), unit.memory.params().begin());
    std::int32_t status = unit.ready();
    if (status == runtime::Ok && t > times[k]) status = partialStep(times[k], t - times[k]);
    if (status != runtime::Ok) throw Error(statusOf(status), times[k], runtime::statusText(status));
  }

  std::int32_t partialStep(double t, double h) {
    if (problem->control) {
      const std::int32_t status = unit.memory.beginTrials(t);
      return status != runtime::Ok ? status : unit.memory.trial(t, h);
    }
    std::int64_t done = 0;
    if (contacts) contacts->forget();
    return runtime::StepPieces(unit.memory, contacts ? &*contacts : nullptr).steps(t, h, 0, 1, done, false);
  }

  Model model;
  const detail::ModelData& shared;
  std::shared_ptr<const runtime::Problem> problem; ///< shared by copies
  Unit unit;
  std::optional<runtime::ContactStepper> contacts; ///< of a method that steps contacts
  detail::KnotSink knots;
  std::vector<runtime::Column> columns;
  std::vector<double> row;
  RunResult result;
};

Trajectory detail::Access::make(std::unique_ptr<TrajectoryData> data) {
  return Trajectory(std::move(data));
}

Trajectory::Trajectory(std::unique_ptr<TrajectoryData> impl) noexcept : impl_(std::move(impl)) {}
Trajectory::Trajectory(const Trajectory& other) : impl_(std::make_unique<TrajectoryData>(*other.impl_)) {}
Trajectory& Trajectory::operator=(const Trajectory& other) {
  if (this != &other) impl_ = std::make_unique<TrajectoryData>(*other.impl_);
  return *this;
}
Trajectory::Trajectory(Trajectory&&) noexcept = default;
Trajectory& Trajectory::operator=(Trajectory&&) noexcept = default;
Trajectory::~Trajectory() = default;

const RunResult& Trajectory::result() const noexcept {
  return impl_->result;
}
Span<const double> Trajectory::times() const noexcept {
  return impl_->knots.times;
}

Span<const double> Trajectory::stateAtStep(std::size_t k) const {
  if (k >= impl_->knots.times.size())
    throw Error(Error::Kind::Misuse,
                fmt::format("the trajectory has {} states; {} is none of them", impl_->knots.times.size(), k));
  return impl_->knots.state(k);
}

Span<const double> Trajectory::state(double time) {
  impl_->moveTo(time);
  const auto y = impl_->unit.memory.state();
  return {y.data(), impl_->problem->initialState.size()};
}

Span<const double> Trajectory::sample(double time) {
  impl_->moveTo(time);
  const std::int32_t status = impl_->unit.memory.observe(time);
  if (status != runtime::Ok) throw Error(statusOf(status), time, runtime::statusText(status));
  for (std::size_t k = 0; k < impl_->row.size(); ++k) impl_->row[k] = *impl_->unit.memory.place(impl_->columns[k]);
  return impl_->row;
}

Trajectory Workspace::record(const RunSettings& settings) {
  return translated([&] {
    RunSettings all = settings;
    all.every = 0;
    all.times.clear();
    all.everySteps = 1;
    runtime::Problem& p = impl_->runProblem(all);
    detail::requireRoom(p, all, 1 + p.initialState.size());
    impl_->samplings.caller = this;
    auto trajectory = std::make_unique<TrajectoryData>(impl_->model, p, impl_->params);
    trajectory->result = impl_->run(all, p, &trajectory->knots);
    return detail::Access::make(std::move(trajectory));
  });
}

} // namespace lmc::v1
