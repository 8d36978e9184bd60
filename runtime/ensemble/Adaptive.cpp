// Samples with adaptive steps: every lane has its own time and its own step, and takes the next sample when it has
// finished one. Each does what Adaptive.cpp does for one.
#include "runtime/ensemble/LaneConstraints.h"
#include "runtime/ensemble/LaneMass.h"
#include "runtime/ensemble/Runners.h"
#include "runtime/run/StepController.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

namespace {

/// As in Adaptive.cpp.
constexpr double sliver = 0.01;
constexpr int mostRejections = 200;
constexpr double muchShorter = 0x1p-20;

/// One lane: the sample that it works on, and where it is.
struct Lane {
  std::int64_t sample = -1; ///< of the block; none: idle
  double t = 0, left = 0;   ///< right and left end of the last step
  double h = 0;             ///< the next step
  double tried = 0;         ///< the step that is being tried
  double foreseen = 0;      ///< a length for which the error is asked for before the step
  bool last = false;        ///< it ends the run
  bool begun = false;       ///< f at its state and t stands behind the state
  int rejections = 0;
  std::size_t next = 0;   ///< row that is due
  std::int64_t steps = 0; ///< accepted ones
  std::int64_t rejected = 0;
  StepController controller;
};

class AdaptiveLanes final : public BlockRunner {
public:
  AdaptiveLanes(EnsembleShared& shared, std::unique_ptr<LaneMachine> machine)
      : shared_(shared), problem_(shared.problem.problem), control_(*problem_.control), plan_(shared.plan),
        machine_(std::move(machine)), work_(*machine_), mass_(shared.problem, work_), constraints_(problem_, work_),
        source_(shared.problem.source()), params_(problem_.params.size()), state_(problem_.initialState.size()),
        t_(work_.status.size()), h_(work_.status.size()),
        lanes_(work_.status.size(), {.controller = {control_.controller, control_.order, control_.safety}}),
        putBack_(work_.status.size()) {}

  bool run(OpenBatch& open) override {
    open_ = &open;
    waiting_ = 0;
    for (;;) {
      if (shared_.stop) return false;
      if (!refill()) return true;
      step();
      samples();
    }
  }

private:
  [[nodiscard]] bool busy(std::size_t l) const { return lanes_[l].sample >= 0; }
  /// Calls a function for the lanes that are busy and wanted, with their t_ and h_.
  template <typename Wanted> void call(int function, Wanted wanted) {
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      work_.status[l] = busy(l) && wanted(l) ? Ok : static_cast<std::int32_t>(StepUnderflow);
    work_.call(function, t_, h_);
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (busy(l) && work_.status[l] == HandedBack) end(l, HandedBack);
  }

  // --- samples come and go ------------------------------------------------------------------------------------

  /// Gives samples to idle lanes. False when all are done.
  bool refill() {
    std::vector<bool> fresh(lanes_.size(), false);
    bool any = false, running = false;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      while (!busy(l) && waiting_ < open_->count()) fresh[l] = begin(l, waiting_++);
      any = any || fresh[l];
      running = running || busy(l);
    }
    if (!any) return running;
    fillIdle();
    start(fresh);
    return true;
  }

  bool begin(std::size_t l, std::int64_t sample) {
    std::int32_t& status = open_->status(sample);
    status = source_->make(open_->number(sample), params_, state_, open_->varied(sample));
    if (status == Ok) {
      work_.load(static_cast<int>(l), params_, state_);
      mass_.restart(l);
      if (!work_.finite(static_cast<int>(l))) status = NonFinite;
    }
    if (status != Ok) {
      shared_.add(1);
      return false;
    }
    const double t = problem_.timeFrom;
    lanes_[l] = {
        .sample = sample,
        .t = t,
        .left = t,
        .controller = {control_.controller, control_.order, control_.safety, roundingOf(control_.tolerances, state_)}};
    return true;
  }

  /// Idle lanes get the memory of a busy one: numbers that are as good as any.
  void fillIdle() {
    for (std::size_t from = 0; from < lanes_.size(); ++from) {
      if (!busy(from)) continue;
      for (std::size_t l = 0; l < lanes_.size(); ++l)
        if (!busy(l)) work_.copyLane(static_cast<int>(from), static_cast<int>(l));
      return;
    }
  }

  void end(std::size_t l, std::int32_t status) {
    Lane& lane = lanes_[l];
    open_->status(lane.sample) = status;
    open_->end(lane.sample) = lane.t;
    if (status != HandedBack) { // otherwise another one counts
      open_->block(lane.sample).steps += lane.steps;
      open_->block(lane.sample).rejected += lane.rejected;
    }
    shared_.add(status == Ok ? 0 : (problem_.timeTo - lane.t) / (problem_.timeTo - problem_.timeFrom));
    lane.sample = -1;
  }

  /// Constants, first row and first step of fresh lanes. What the others get is what they have.
  void start(const std::vector<bool>& fresh) {
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      work_.status[l] = busy(l) ? Ok : static_cast<std::int32_t>(StepUnderflow);
    work_.setup();
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (fresh[l] && work_.status[l] != Ok) end(l, work_.status[l]);
    const auto isFresh = [&](std::size_t l) { return fresh[l]; };
    look(isFresh);
    if (plan_.keep != EnsembleKeep::Final) {
      for (std::size_t l = 0; l < lanes_.size(); ++l) t_[l] = lanes_[l].t;
      record(isFresh);
    }
    firstStep(isFresh);
  }

  /// Looks at the mass equations of the wanted lanes at the ends of their last steps.
  template <typename Wanted> void look(Wanted wanted) {
    if (!mass_.wanted()) return;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      t_[l] = lanes_[l].t;
      work_.status[l] = busy(l) && wanted(l) ? Ok : static_cast<std::int32_t>(StepUnderflow);
    }
    mass_.look(t_);
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (busy(l) && wanted(l) && work_.status[l] != Ok) end(l, work_.status[l]);
  }

  template <typename Wanted> void firstStep(Wanted wanted) {
    if (!std::isnan(problem_.step)) {
      for (std::size_t l = 0; l < lanes_.size(); ++l)
        if (wanted(l)) lanes_[l].h = problem_.step;
      return;
    }
    const double length = problem_.timeTo - problem_.timeFrom, guess = 1e-6 * length;
    std::vector<double> rate(lanes_.size()), first(lanes_.size(), 0);
    std::vector<bool> second(lanes_.size(), false);
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      t_[l] = lanes_[l].t;
      h_[l] = 0;
    }
    call(problem_.functions.start, wanted);
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (!busy(l) || !wanted(l)) continue;
      lanes_[l].h = guess;
      if (!ratesFinite(l)) continue;
      const double size = largest(control_.sizes, l);
      rate[l] = largest(control_.rates, l);
      first[l] = std::min(size < 1e-5 || rate[l] < 1e-5 ? guess : 0.01 * size / rate[l], length);
      second[l] = true;
      h_[l] = first[l];
    }
    call(problem_.functions.start, [&](std::size_t l) { return second[l]; });
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (!second[l] || !busy(l)) continue;
      const double h0 = first[l];
      lanes_[l].h = h0;
      if (!ratesFinite(l)) continue;
      const double steepest = std::max(rate[l], largest(control_.changes, l) / h0);
      const double h1 =
          steepest <= 1e-15 ? std::max(guess, 1e-3 * h0) : std::pow(0.01 / steepest, 1.0 / (control_.order + 1));
      lanes_[l].h = std::min({100 * h0, h1, length});
    }
  }

  [[nodiscard]] bool ratesFinite(std::size_t l) const {
    return work_.status[l] == Ok && std::isfinite(largest(control_.rates, l)) &&
           std::isfinite(largest(control_.sizes, l)) && std::isfinite(largest(control_.changes, l));
  }

  /// The largest of the squares of a field; NaN if one of them is.
  [[nodiscard]] double largestSquare(const Field& field, std::size_t l) const {
    const std::size_t pieces = control_.pieces.size();
    const double* const squares = work_.numbers(Role::Output, field.offset, static_cast<std::int64_t>(pieces));
    double most = 0;
    for (std::size_t k = 0; k < pieces; ++k) {
      const double square = squares[k * lanes_.size() + l];
      if (square <= most) continue;
      most = square;
      if (std::isnan(most)) break;
    }
    return most;
  }

  [[nodiscard]] double largest(const Field& field, std::size_t l) const { return std::sqrt(largestSquare(field, l)); }

  // --- one trial of every lane --------------------------------------------------------------------------------

  /// What trials begin with, for the lanes in which no trial has left it.
  void beginTrials() {
    if (problem_.functions.begin < 0) return;
    const auto wanted = [&](std::size_t l) { return !lanes_[l].begun; };
    bool any = false;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      t_[l] = lanes_[l].t;
      h_[l] = 0;
      any = any || (busy(l) && wanted(l));
    }
    if (!any) return;
    call(problem_.functions.begin, wanted);
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (!busy(l) || !wanted(l)) continue;
      lanes_[l].begun = work_.status[l] == Ok;
      if (!lanes_[l].begun) end(l, work_.status[l]); // no step is short enough
    }
  }

  void step() {
    beginTrials();
    work_.keep(LaneMachine::Kept::Before);
    if (known_) reach();
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      Lane& lane = lanes_[l];
      lane.last = lane.t + (1 + sliver) * lane.h >= problem_.timeTo;
      lane.tried = lane.last ? problem_.timeTo - lane.t : exactStep(lane.t, lane.h);
      t_[l] = lane.t;
      h_[l] = lane.tried;
    }
    call(problem_.functions.trial, [](std::size_t) { return true; });
    bool due = false, rejected = false;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      putBack_[l] = busy(l) && !judge(l);
      rejected = rejected || putBack_[l];
      due = due || isLookDue(l);
    }
    if (rejected) work_.restore(LaneMachine::Kept::Before, putBack_);
    if (due) look([&](std::size_t l) { return isLookDue(l); });
  }

  /// As AdaptiveRun::reach: the lengths of the steps from where the lanes are.
  void reach() {
    std::vector<bool> asked(lanes_.size(), true);
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      t_[l] = lanes_[l].t;
      lanes_[l].foreseen = lanes_[l].h;
    }
    for (bool any = true; any;) {
      for (std::size_t l = 0; l < lanes_.size(); ++l) h_[l] = lanes_[l].foreseen;
      call(problem_.functions.series, [&](std::size_t l) { return asked[l]; });
      any = false;
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        if (!busy(l) || !asked[l]) continue;
        Lane& lane = lanes_[l];
        const double square = largestSquare(control_.errors, l);
        if (!std::isfinite(square) && lane.foreseen > shortest(lane.t) / muchShorter) {
          lane.foreseen *= muchShorter;
          any = true;
          continue;
        }
        asked[l] = false;
        std::int32_t status = work_.status[l];
        if (status == Ok && !std::isfinite(square)) status = NonFinite;
        if (status != Ok) {
          end(l, status);
          continue;
        }
        const double wanted = lane.controller.reach(lane.foreseen, square, control_.highestPower);
        lane.h = lane.steps == 0 || lane.rejections > 0 ? std::min(wanted, lane.h) : wanted;
        if (lane.h < shortest(lane.t)) end(l, static_cast<std::int32_t>(StepUnderflow));
      }
    }
  }

  /// Every so many accepted steps, and after the last one.
  [[nodiscard]] bool isLookDue(std::size_t l) const {
    const Lane& lane = lanes_[l];
    return busy(l) && lane.t > lane.left && (lane.t >= problem_.timeTo || mass_.left(lane.steps) == mass_.left(0));
  }

  /// Whether the trial of a lane is accepted.
  bool judge(std::size_t l) {
    Lane& lane = lanes_[l];
    std::int32_t status = work_.status[l];
    if (status == Ok && !work_.finite(static_cast<int>(l))) status = NonFinite;
    double square = status != Ok ? INFINITY : known_ ? 0 : largestSquare(control_.errors, l);
    if (std::isnan(square)) square = INFINITY;
    if (lane.controller.accepts(square)) {
      ++lane.steps;
      lane.rejections = 0;
      lane.left = lane.t;
      lane.t = lane.last ? problem_.timeTo : lane.t + lane.tried;
      shared_.add((lane.t - lane.left) / (problem_.timeTo - problem_.timeFrom));
      lane.begun = lane.t == lane.left + lane.tried;
      if (known_) return true;
      const double wanted = lane.controller.afterAccepted(lane.tried, square), least = shortest(lane.t);
      lane.h = std::max(wanted, least);
      if (!lane.last && tooShort(lane.tried, wanted, least)) end(l, static_cast<std::int32_t>(StepUnderflow));
      return true;
    }
    ++lane.rejected;
    lane.left = lane.t; // no step: nothing lies behind it
    lane.h = lane.controller.afterRejected(lane.tried, square);
    if (lane.h < shortest(lane.t) || lane.rejections++ == mostRejections)
      end(l, status != Ok ? status : static_cast<std::int32_t>(StepUnderflow));
    return false;
  }

  [[nodiscard]] double shortest(double t) const { return shortestStep(t, problem_.timeTo - problem_.timeFrom); }

  // --- rows ---------------------------------------------------------------------------------------------------

  /// Observes the states of the wanted lanes at the times t_ into their next rows.
  template <typename Wanted> void record(Wanted wanted) {
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      work_.status[l] = busy(l) && wanted(l) ? Ok : static_cast<std::int32_t>(StepUnderflow);
    work_.evaluate(problem_.functions.observe, t_);
    constraints_.look();
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (!busy(l) || !wanted(l)) continue;
      if (work_.status[l] != Ok) {
        end(l, work_.status[l]);
        continue;
      }
      work_.columns(static_cast<int>(l), open_->row(lanes_[l].sample, lanes_[l].next++));
    }
  }

  /// The time of a lane's next row, if the last step has reached it.
  [[nodiscard]] bool due(std::size_t l, double& at) const {
    const Lane& lane = lanes_[l];
    if (!busy(l) || lane.t <= lane.left || lane.next >= plan_.times.size()) return false;
    at = plan_.times[lane.next];
    return at <= lane.t || sameTime(at, lane.t);
  }

  void samples() {
    inside();
    std::vector<bool> here(lanes_.size(), false);
    bool any = false;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      t_[l] = lanes_[l].t;
      double at = 0;
      here[l] = due(l, at);
      any = any || here[l];
    }
    if (any) record([&](std::size_t l) { return here[l]; });
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (busy(l) && lanes_[l].t >= problem_.timeTo) end(l, Ok);
  }

  /// Rows within the last steps: partial steps from their left ends, one row of each lane at a time.
  void inside() {
    using Kept = LaneMachine::Kept;
    for (bool moved = false;; moved = true) {
      std::vector<bool> wanted(lanes_.size(), false);
      bool any = false;
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        double at = 0;
        wanted[l] = due(l, at) && !sameTime(at, lanes_[l].t);
        if (!wanted[l]) continue;
        any = true;
        t_[l] = lanes_[l].left;
        h_[l] = at - lanes_[l].left;
      }
      if (any && !moved) work_.keep(Kept::After);
      if (!any) {
        if (moved) work_.restore(Kept::After);
        return;
      }
      work_.restore(Kept::Before);
      const auto these = [&](std::size_t l) { return wanted[l]; };
      call(problem_.functions.trial, these);
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        if (!wanted[l] || !busy(l)) continue;
        t_[l] = plan_.times[lanes_[l].next];
        if (work_.status[l] == Ok) continue;
        lanes_[l].t = lanes_[l].left;
        end(l, work_.status[l]);
      }
      record(these);
    }
  }

  EnsembleShared& shared_;
  const Problem& problem_;
  const ErrorControl& control_;
  const bool known_ = problem_.functions.series >= 0; ///< the error of a step is known before it
  const EnsemblePlan& plan_;
  std::unique_ptr<LaneMachine> machine_;
  LaneMachine& work_;
  LaneMass mass_;
  LaneConstraints constraints_;
  std::unique_ptr<SampleSource> source_;
  std::vector<double> params_, state_, t_, h_;
  std::vector<Lane> lanes_;
  std::vector<bool> putBack_; ///< lanes whose last trial was rejected
  OpenBatch* open_ = nullptr;
  std::int64_t waiting_ = 0; ///< the next sample of the block
};

} // namespace

std::unique_ptr<BlockRunner> adaptiveLanes(EnsembleShared& shared, std::unique_ptr<LaneMachine> machine) {
  return std::make_unique<AdaptiveLanes>(shared, std::move(machine));
}

} // namespace lmc::runtime
