#include "runtime/run/Adaptive.h"

#include "runtime/run/Grid.h"
#include "runtime/run/RunCore.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace lmc::runtime {

namespace {

/// A remainder of the run below this part of a step is taken with it.
constexpr double sliver = 0.01;
/// The part of a step below which a piece of it is very short.
constexpr double veryShort = 1e-2;
/// Rejections of one step after which the run is given up, however long the step still is.
constexpr int mostRejections = 200;
/// The last terms of a series over a length that is much too long may be too large for numbers of the machine.
constexpr double muchShorter = 0x1p-20;
/// A part of the tolerance; rounding may be some times as large as it is taken to be.
constexpr double closeToRounding = 0.05;

class AdaptiveRun final : public RunCore {
public:
  AdaptiveRun(const Problem& problem, const RunListeners& listeners)
      : RunCore(problem, listeners), control_(*problem.control),
        controller_(control_.controller, control_.order, control_.safety,
                    roundingOf(control_.tolerances, problem.initialState)),
        errors_(workspace_.numbers(control_.errors)), t_(problem.timeFrom), end_(problem.timeTo) {
    result_.sizes.emplace();
  }

private:
  void integrate() override {
    if (!begin()) return;
    if (listeners_.resume == nullptr) h_ = std::isnan(problem_.step) ? firstStep() : problem_.step;
    while (t_ < end_)
      if (!steps() || !lookForEvents() || !lookAtMass(t_) || !goOn(tried_)) break;
    if (result_.event && !ok(sampler_.sample(t_), t_)) return;
    if (worthASample() && sampled_ < t_) ok(sampler_.sample(t_), t_);
  }

  void save(Checkpoint& c) const override {
    // A step whose length was reached and which is not made: a run that goes on reaches for it again.
    c.nextStep = reached_ ? foreseenFrom_ : h_;
    if (reached_) c.evaluations = evaluationsBefore_ + workspace_.iterationEvaluations();
    c.begun = begun_;
    c.controllerMemory = controller_.memory();
    c.firstStep = result_.sizes->first;
    c.smallestStep = result_.sizes->smallest;
    c.largestStep = result_.sizes->largest;
    c.stiffness = result_.stiffness;
  }

  void restore(const Checkpoint& c) override {
    t_ = c.time;
    h_ = c.nextStep;
    begun_ = c.begun;
    controller_.restore(c.controllerMemory);
    *result_.sizes = {c.firstStep, c.smallestStep, c.largestStep};
    result_.stiffness = c.stiffness;
    if (problem_.outputEvery > 0) {
      count_ = static_cast<std::int64_t>((sampled_ - problem_.timeFrom) / problem_.outputEvery);
      while (count_ > 0 && timeOf(count_) > sampled_) --count_;
      while (timeOf(count_ + 1) <= sampled_) ++count_;
    }
  }

  // --- steps --------------------------------------------------------------------------------------------------

  /// Accepted steps up to the next one behind which somebody has to look at the run. False when there is none.
  bool steps() {
    const std::int64_t trials = stepsAtOnce(), last = result_.steps + (watches_ ? 1 : stepsUntilLook());
    const double due = watches_ ? t_ : nextLook();
    tried_ = 0;
    do {
      if (!step()) return false;
    } while (t_ < due && tried_ < trials && result_.steps < last);
    return true;
  }

  /// Steps behind which nobody looks but at the time.
  [[nodiscard]] std::int64_t stepsUntilLook() const {
    const std::int64_t every = problem_.outputTimes.empty() ? problem_.outputSteps : 0;
    return every > 0 ? std::min(untilLook(), every - result_.steps % every) : untilLook();
  }

  /// A time before which there is no sample, whatever the steps are.
  [[nodiscard]] double nextLook() const {
    double due = end_;
    if (!problem_.outputTimes.empty() || (problem_.outputSteps <= 0 && problem_.outputEvery > 0))
      due = timeOf(count_ + 1);
    else if (problem_.outputSteps <= 0)
      due = listeners_.sink != nullptr ? t_ : sampled_ + spacing();
    // A sample at the end of a step is known by a time that is its own to round-off.
    constexpr double roundOff = 1e-9;
    return std::min(due, end_) - roundOff * std::max(std::abs(due), std::abs(end_));
  }

  /// One accepted step from t_, after as many rejected ones as it takes. False when there is none.
  bool step() {
    beginTrials();
    const std::span<double> state = workspace_.state();
    previous_.swap(before_);
    previousLeft_ = left_;
    hasPrevious_ = smooth_;
    smooth_ = true;
    before_.resize(state.size());
    std::copy(state.begin(), state.end(), before_.begin());
    until_ = end_;
    if (watches_) {
      beforeStep();
      if (const double due = jumps_.next(); due < end_ && !sameTime(due, end_)) until_ = due;
    }
    if (known_ && !reach()) return false;
    for (int rejections = 0;; ++rejections) {
      ++tried_;
      const bool cut = t_ + (1 + sliver) * h_ >= until_, last = cut && until_ == end_;
      if (last) freeze();
      const double h = cut ? until_ - t_ : exactStep(t_, h_);
      if (isCrowded(h)) beforeStep();
      const double square = attempt(h);
      const bool accepted = controller_.accepts(square);
      if (listeners_.steps != nullptr) tell(h, square, accepted);
      if (accepted) {
        reached_ = false;
        if (!accept(h, square, cut)) return false;
        if (result_.steps % stepsBetweenLooks == 0) lookForStiffness();
        return true;
      }
      ++result_.rejected;
      std::copy(before_.begin(), before_.end(), state.begin());
      h_ = controller_.afterRejected(h, square);
      if (h_ < shortest() || rejections == mostRejections) return giveUp(h);
    }
  }

  /// The squared error of a step of length h, which is then in the state; infinite if it is no valid one. Of one whose
  /// error was known before there is none to object to.
  double attempt(double h) {
    if (beginTrials() != Ok) return INFINITY;
    status_ = workspace_.alongSeries(t_, h);
    if (!known_) result_.evaluations += control_.evaluationsPerTrial;
    if (status_ != Ok) return INFINITY;
    const double square = known_ ? 0 : largestOf(errors_);
    if (!workspace_.finite()) status_ = NonFinite;
    return status_ != Ok || std::isnan(square) ? INFINITY : square;
  }

  /// The squared error that a step of length h from the state at t_ would have; not finite where it has none.
  double foresee(double h) {
    status_ = workspace_.series(t_, h);
    result_.evaluations += control_.evaluationsPerTrial;
    hasSeries_ = true;
    const double square = largestOf(errors_);
    if (status_ == Ok && !std::isfinite(square)) status_ = NonFinite;
    return square;
  }

  /// Makes h_ the length of the step from t_, by the error of one as long as the last. False when there is none.
  bool reach() {
    foreseen_ = foreseenFrom_ = h_;
    evaluationsBefore_ = result_.evaluations;
    while (!std::isfinite(foreseenSquare_ = foresee(foreseen_)) && foreseen_ > shortest() / muchShorter)
      foreseen_ *= muchShorter;
    if (status_ != Ok) return giveUp(foreseen_);
    const double wanted = controller_.reach(foreseen_, foreseenSquare_, control_.highestPower);
    // At the begin of a run all terms that are looked at may vanish where later ones do not.
    h_ = result_.steps == 0 ? std::min(wanted, h_) : wanted;
    reached_ = true;
    return h_ >= shortest() || giveUp(h_);
  }

  /// Tells of a trial. Of a sum of powers no more than its value at one length is known.
  void tell(double h, double square, bool accepted) {
    if (known_ && accepted) square = squareAt(h, foreseen_, foreseenSquare_, control_.order + 1, control_.highestPower);
    listeners_.steps->tried({t_, h, std::sqrt(square), accepted});
  }

  /// Trials begin with what stands behind the state: what the last accepted one has left, or is found anew where
  /// anything has changed since. Rejected trials, samples within a step and looks at stiffness put it back with the
  /// state. Returns the status, of the run as well.
  std::int32_t beginTrials() {
    if (begun_) return Ok;
    status_ = workspace_.beginTrials(t_);
    result_.evaluations += control_.evaluationsOfBegin;
    begun_ = status_ == Ok;
    return status_;
  }

  /// `cut`: the step ends at a sampling, or at the end of the run. False when no step is short enough for the law.
  bool accept(double h, double square, bool cut) {
    StepSizes& sizes = *result_.sizes;
    if (result_.steps == 0) sizes.first = h;
    if (!cut || result_.steps == 0) sizes.smallest = result_.steps == 0 ? h : std::min(sizes.smallest, h);
    sizes.largest = std::max(sizes.largest, h);
    ++result_.steps;
    left_ = t_;
    t_ = cut ? until_ : t_ + h;
    begun_ = t_ == left_ + h; // else f was found at another time, by rounding
    result_.time = t_;
    if (known_) return true; // h_ is what the step before reached, which a sampling may have cut off
    // What a sampling cuts off says nothing about the steps behind it.
    const double wanted = controller_.afterAccepted(h, square), least = shortest();
    h_ = std::max({wanted, cut && until_ < end_ ? h_ : 0, least});
    if (cut || !tooShort(h, wanted, least)) return true;
    fail(Ok, t_,
         fmt::format("step size underflow: the error of a step of {:.3g} is rounding, which no shorter step makes "
                     "smaller, and near the tolerance; the error is largest in {}",
                     h, control_.pieces[worst()]));
    return false;
  }

  /// Tries steps behind the last one, which leave nothing behind. Methods that iterate are for stiff equations, or no
  /// step can tell: what they solve for is what short steps would damp.
  void lookForStiffness() {
    const double apart = (1 + shortPart * shortSteps) * h_;
    if (workspace_.iterationTurns() > 0 || t_ + apart >= end_ || beginTrials() != Ok) return;
    const std::span<double> state = workspace_.state();
    after_.assign(state.begin(), state.end());
    const double left = t_;
    double usual = errorOf(h_), error = usual;
    // As far on with steps of the usual length: what the motion alone has changed by then is no sign.
    for (double way = h_; way < shortPart * shortSteps * h_ && std::isfinite(error); way += h_) {
      t_ += h_;
      error = errorOf(h_);
    }
    usual = std::min(usual, error);
    t_ = left;
    std::copy(after_.begin(), after_.end(), state.begin());
    for (int k = 0; k < shortSteps && std::isfinite(error); ++k, t_ += shortPart * h_) error = errorOf(shortPart * h_);
    if (std::isfinite(error)) lookAtStiffness(result_.stiffness, usual, errorOf(h_), control_.order);
    t_ = left;
    std::copy(after_.begin(), after_.end(), state.begin());
    hasSeries_ = false;
  }

  double errorOf(double h) {
    if (!known_) return std::sqrt(attempt(h));
    const double square = foresee(h);
    return status_ == Ok && std::isfinite(attempt(h)) ? std::sqrt(square) : INFINITY;
  }

  [[nodiscard]] double shortest() const { return shortestStep(t_, end_ - problem_.timeFrom); }

  bool giveUp(double h) {
    std::string cause = fmt::format("step size underflow: a step of {:.3g} is still rejected", h);
    const std::size_t largest = worst();
    const std::span<const double> state = workspace_.state();
    const bool permitsNone = !std::isfinite(errors_[largest]) && control_.tolerances[largest] == 0 &&
                             std::find(state.begin(), state.end(), 0) != state.end();
    if (permitsNone && status_ == NonFinite) status_ = Ok; // the error is not finite, the state is
    if (status_ != Ok)
      cause += "; " + (status_ == SingularMass ? accountOfMass(t_) : statusText(status_));
    else
      cause += fmt::format("; the error is largest in {}", control_.pieces[largest]);
    if (permitsNone) cause += ", whose tolerance is relative alone: where it is zero, that permits no error";
    if (status_ == Ok && roundingOf(control_.tolerances, problem_.initialState) > closeToRounding)
      cause +=
          "; the tolerance is close to the rounding of the state's numbers, which shorter steps do not make smaller";
    if (status_ == Ok && check_ != nullptr) cause += monitor().hint(workspace_.state(), t_);
    fail(status_, t_, cause);
    return false;
  }

  /// The largest of squares; NaN if one of them is.
  [[nodiscard]] static double largestOf(std::span<const double> squares) {
    double most = 0;
    for (const double square : squares) {
      if (square <= most) continue;
      most = square;
      if (std::isnan(most)) break;
    }
    return most;
  }

  [[nodiscard]] double largest(const Field& field) const { return std::sqrt(largestOf(workspace_.numbers(field))); }

  /// The piece with the largest error of the last trial.
  [[nodiscard]] std::size_t worst() const {
    const double most = largestOf(errors_);
    for (std::size_t k = 0; k < errors_.size(); ++k)
      if (errors_[k] == most || (std::isnan(most) && std::isnan(errors_[k]))) return k;
    return 0;
  }

  /// An event within the step is its end. Takes the samples of the step.
  bool lookForEvents() {
    if (!watches_) {
      if (!samples()) return false;
      afterStep();
      return true;
    }
    bool happened = false;
    double end = t_;
    if (!lookForEvent(
            left_, t_ - left_, end, [this](double theta) { return partial(theta); }, happened))
      return false;
    t_ = result_.time = end;
    smooth_ = !happened && !jumps_.due(t_);
    begun_ = begun_ && smooth_;
    if (happened) {
      jumped_ = true;
      const bool goesOn = samples() && jump(t_);
      jumped_ = false;
      if (!goesOn) return false;
    }
    const bool sampled = jumps_.due(t_);
    if (!sampling(t_)) return false;
    // Events have had their samples, in front of the blocks of this time.
    if (happened ? sampled && !take(t_) : !samples()) return false;
    afterStep();
    return true;
  }

  /// The state a step of length h behind the left end of the last step.
  std::int32_t partial(double h) {
    std::copy(before_.begin(), before_.end(), workspace_.state().begin());
    if (known_ && hasSeries_) return workspace_.alongSeries(left_, h);
    result_.evaluations += control_.evaluationsPerTrial;
    hasSeries_ = true;
    return workspace_.trial(left_, h);
  }

  // --- the first step -----------------------------------------------------------------------------------------

  /// E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.4: a step in
  /// which an Euler step would be accurate to a hundredth of the state, then one by the second derivative.
  double firstStep() {
    const double length = end_ - t_;
    const double guess = 1e-6 * length;
    if (!startRates(0)) return guess;
    const double size = largest(control_.sizes), rate = largest(control_.rates);
    double h0 = size < 1e-5 || rate < 1e-5 ? guess : 0.01 * size / rate;
    h0 = std::min(h0, length);
    if (!startRates(h0)) return h0;
    const double steepest = std::max(rate, largest(control_.changes) / h0);
    const double h1 =
        steepest <= 1e-15 ? std::max(guess, 1e-3 * h0) : std::pow(0.01 / steepest, 1.0 / (control_.order + 1));
    return std::min({100 * h0, h1, length});
  }

  bool startRates(double h) {
    result_.evaluations += control_.evaluationsOfStart;
    return workspace_.startRates(t_, h) == Ok && std::isfinite(largest(control_.rates)) &&
           std::isfinite(largest(control_.sizes)) && std::isfinite(largest(control_.changes));
  }

  // --- samples ------------------------------------------------------------------------------------------------

  /// The samples of the step from left_ to t_, its right end included where one is due.
  bool samples() {
    if (!problem_.outputTimes.empty()) return samplesByTime();
    if (jumped_ && !(problem_.outputEvery > 0)) return true; // an event has samples of its own
    if (problem_.outputSteps > 0) return t_ < end_ && result_.steps % problem_.outputSteps != 0 ? true : sampleHere();
    if (problem_.outputEvery > 0) return samplesByTime();
    if (listeners_.sink != nullptr || t_ >= end_) return sampleHere();
    // Nobody looks at the samples: those for the summary are enough.
    return t_ - sampled_ < spacing() ? true : sampleHere();
  }

  [[nodiscard]] double spacing() const { return (end_ - problem_.timeFrom) / static_cast<double>(monitorSamples); }

  [[nodiscard]] double timeOf(std::int64_t sample) const {
    const std::vector<double>& times = problem_.outputTimes;
    if (!times.empty()) return static_cast<std::size_t>(sample) <= times.size() ? times[sample - 1] : end_;
    return problem_.timeFrom + static_cast<double>(sample) * problem_.outputEvery;
  }

  bool samplesByTime() {
    for (;;) {
      const double due = timeOf(count_ + 1);
      const bool end = due >= end_ || sameTime(due, end_);
      if (end) return t_ >= end_ && !jumped_ ? sampleHere() : true;
      if (due > t_ && !sameTime(due, t_)) return true;
      ++count_;
      if (!(sameTime(due, t_) ? jumped_ || sampleHere() : sampleInside(due))) return false;
      sampled_ = std::max(sampled_, due);
    }
  }

  bool sampleHere() {
    sampled_ = t_;
    return take(t_);
  }

  /// A sample within the last step: a partial step from its left end.
  bool sampleInside(double due) {
    const std::span<double> state = workspace_.state();
    after_.assign(state.begin(), state.end());
    std::int32_t status = partial(due - left_);
    if (status == NoConvergence && hasPrevious_ && due - left_ < veryShort * (t_ - left_)) {
      // What a very short step changes is lost in rounding, so that implicit methods do not find it: the step before,
      // a little longer, ends at the same time.
      std::copy(previous_.begin(), previous_.end(), state.begin());
      result_.evaluations += control_.evaluationsPerTrial;
      hasSeries_ = false;
      status = workspace_.trial(previousLeft_, due - previousLeft_);
    }
    const bool wanted = ok(status, left_) && take(due);
    std::copy(after_.begin(), after_.end(), state.begin());
    sampled_ = due;
    return wanted && goOnWithin(due);
  }

  const ErrorControl& control_;
  StepController controller_;
  const std::span<const double> errors_;              ///< squared, of the last trial
  const bool known_ = problem_.functions.series >= 0; ///< the error of a step is known before it
  bool hasSeries_ = false;    ///< the one in memory is that of the state at the begin of the last step
  double foreseen_ = 0;       ///< the length of a step from t_ whose squared error
  double foreseenSquare_ = 0; ///< is known
  double foreseenFrom_ = 0;   ///< h_ before it was made the length of the step from t_, and the evaluations by then
  std::int64_t evaluationsBefore_ = 0;
  bool reached_ = false; ///< h_ is that length, and the step is not made
  double t_, end_;
  double until_ = 0;                   ///< where the next step ends at the latest: at a sampling, or at the end
  bool jumped_ = false;                ///< an event has happened at t_, which is about to be carried out
  double left_ = 0;                    ///< left end of the last step
  double h_ = 0;                       ///< the next step
  std::int64_t tried_ = 0;             ///< trials since somebody has looked at the run
  std::int64_t count_ = 0;             ///< samples by time so far, the first one apart
  std::vector<double> before_, after_; ///< the states at left_ and at t_
  std::vector<double> previous_;       ///< the state at the begin of the step before
  bool hasPrevious_ = false;           ///< there was one, and no jump lies between
  double previousLeft_ = 0;            ///< its time
  bool smooth_ = false;                ///< nothing has changed the state at the end of the last step
  bool begun_ = false;                 ///< f at the state and t_ stands behind the state
  std::int32_t status_ = Ok;           ///< of the last trial
};

} // namespace

RunResult runAdaptive(const Problem& problem, const RunListeners& listeners) {
  return AdaptiveRun(problem, listeners).run();
}

} // namespace lmc::runtime
