#include "runtime/choice/Choice.h"

#include "runtime/choice/Trial.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace lmc::runtime {

namespace {

constexpr double smallestTolerance = 1e-14; ///< below it rounding decides about steps
constexpr double largestTolerance = 1e-2;
constexpr int pilotSteps = 300;       ///< of the trial interval
constexpr int samplesOfTrial = 64;    ///< at which errors are looked at
constexpr int samplesOfSpan = 256;    ///< likewise
constexpr double mostOfSpan = 4e9;    ///< operations of the trials over the span that may be wanted at once
constexpr double stepsOfSpan = 4000;  ///< of a trial that others are held against, at least,
constexpr double mostOfSteps = 1e8;   ///< where these take no more operations
constexpr double share = 0.25;        ///< of the accuracy that the run is to use
constexpr double shareFarther = 0.1;  ///< where the error is extrapolated in time
constexpr double offManifold = 1e-10; ///< a defect of `holds` that steps which return to the manifold do not have
constexpr double unlimited = 1e15;    ///< operations
constexpr double longStep = 2e4;      ///< operations of a step whose code takes long to make
constexpr double huge = std::numeric_limits<double>::infinity();

/// y = y1 (x/x1)^power through two points; power where they tell none.
double powerOf(double x1, double y1, double x2, double y2, double otherwise, double least, double most) {
  const double p = std::log(y1 / y2) / std::log(x1 / x2);
  return std::isfinite(p) ? std::clamp(p, least, most) : otherwise;
}

/// Downwards to two digits, so that what machines may compute differently in the last bits does not show.
double rounded(double tolerance) {
  const double unit = std::pow(10.0, std::floor(std::log10(tolerance)) - 1);
  return std::stod(fmt::format("{:.1e}", std::floor(tolerance / unit + 1e-6) * unit));
}

/// A candidate as far as it is known.
struct Contestant {
  const MethodCandidate* method = nullptr;
  std::unique_ptr<Problem> problem;
  TriedMethod tried{};
  double work = huge;      ///< operations of the trial interval at the error that is wanted
  double perTolerance = 1; ///< what the error at its end is, divided by the tolerance
  bool stalls = false;     ///< the tolerance hardly shows in the number of steps
};

class Chooser {
public:
  Chooser(std::vector<MethodCandidate> candidates, double accuracy) : candidates_(std::move(candidates)) {
    choice_.how.accuracy = accuracy;
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const MethodCandidate& a, const MethodCandidate& b) { return a.order > b.order; });
  }

  MethodChoice choose() {
    if (!findInterval()) return fail();
    compete(false);
    bool all = best_ == nullptr || pilot_->stalls || best_->stalls; // implicit methods, too
    if (all) compete(true);
    int without = 0;
    while (!settleOne(without)) {
      // Where explicit methods get on in the trial interval alone, implicit ones may do.
      if (std::exchange(all, true) || best_ != nullptr || std::isfinite(reachable_)) {
        choice_.reachable = reachable_;
        return fail();
      }
      compete(true);
    }
    tell();
    return std::move(choice_);
  }

private:
  /// The cheapest method that has a tolerance for the accuracy. `without`: how many had trials over the span that do
  /// not approach each other.
  bool settleOne(int& without) {
    constexpr int mostWithoutLaw = 3;
    bool failed = false; // steps that were long in the trial interval are not over the span: it may be stiff there
    for (; best_ != nullptr && without < mostWithoutLaw; best_ = cheapest()) {
      if (calibrate()) {
        if ((stiff_ || failed) && !best_->method->isImplicit) tryImplicitOverSpan();
        return true;
      }
      failed = true;
      best_->work = huge;
      best_->tried.why = choice_.failure.empty() ? "its trials do not come near enough to each other" : choice_.failure;
      if (choice_.failure.empty()) ++without;
    }
    return false;
  }

  [[nodiscard]] double accuracy() const { return choice_.how.accuracy; }

  [[nodiscard]] Contestant* cheapest() const {
    Contestant* least = nullptr;
    for (const auto& c : contestants_)
      if (c->work < (least != nullptr ? least->work : huge)) least = c.get();
    return least;
  }

  // --- the methods ----------------------------------------------------------------------------------------------

  /// The candidate, with its problem if it has one.
  Contestant& contestant(const MethodCandidate& m, double mostOperations = unlimited) {
    for (const auto& c : contestants_)
      if (c->method == &m) return *c;
    contestants_.push_back(std::make_unique<Contestant>());
    Contestant& c = *contestants_.back();
    c.method = &m;
    c.tried = {m.name, huge, {}};
    c.problem = m.build(mostOperations, c.tried.why);
    return c;
  }

  /// The trial interval, and the motion there: by the first explicit method that gets on, else by an implicit one.
  bool findInterval() {
    for (const bool implicit : {false, true}) {
      for (const MethodCandidate& m : candidates_) {
        if (m.isImplicit != implicit) continue;
        Contestant& c = contestant(m);
        if (c.problem && gets(c)) {
          pilot_ = &c;
          return true;
        }
      }
    }
    return false;
  }

  bool gets(Contestant& c) {
    const Problem& p = *c.problem;
    begin_ = p.timeFrom;
    end_ = p.timeTo;
    coarsest_ = std::min(largestTolerance, 100 * accuracy());
    first_ = std::clamp(accuracy() / 10, 30 * smallestTolerance, largestTolerance);
    const double most = pilotSteps * p.operationsPerStep;
    const Trial pilot = integrate(p, first_, end_, evenly(begin_, end_, samplesOfTrial), most);
    if (!pilot.why.empty() || pilot.defect > offManifold) {
      c.tried.why = pilot.why.empty() ? "it leaves the manifold" : pilot.why;
      return false;
    }
    interval_ = pilot.end;
    if (!(interval_ > begin_)) {
      c.tried.why = "it does not get on";
      return false;
    }
    times_ = evenly(begin_, interval_, samplesOfTrial);
    Trial tight = integrate(p, std::max(first_ * 1e-4, smallestTolerance), interval_, times_, 100 * most);
    if (!tight.whole) {
      c.tried.why = tight.why.empty() ? "it takes far more steps at a tighter tolerance" : tight.why;
      return false;
    }
    motion_ = std::move(tight.samples);
    limit_ = 10 * std::max(pilot.operations, 20 * p.operationsPerStep);
    return true;
  }

  /// All orders downwards, until the work has grown; not before orders that several kinds of methods have, since series
  /// and stages side by side cost something else on each model.
  void compete(bool implicit) {
    constexpr int common = 8;
    const MethodCandidate* last = nullptr;
    double ofOrder = huge, cheapest = huge; // of the order at hand: work, and operations of a step
    for (const MethodCandidate& m : candidates_) {
      if (m.isImplicit != implicit) continue;
      if (last == nullptr || m.order != last->order) {
        const bool farBelow =
            best_ != nullptr && last != nullptr && last->order <= common && last->order + 2 <= best_->method->order;
        if (farBelow && ofOrder > best_->work) break;
        ofOrder = cheapest = huge;
      }
      last = &m;
      if (ofOrder < huge && cheapest > longStep && !implicit) continue; // one of each order has to do
      constexpr double tooMany = 2.5; // times the operations of a step of a method of the same order
      Contestant& c = contestant(m, tooMany * cheapest);
      if (!c.problem) continue;
      cheapest = std::min(cheapest, c.problem->operationsPerStep);
      measure(c);
      ofOrder = std::min(ofOrder, c.work);
      if (c.work < huge && (best_ == nullptr || c.work < best_->work)) best_ = &c;
    }
  }

  /// The work of the trial interval.
  void measure(Contestant& c) {
    constexpr double apart = 30;
    const double t1 = first_, t2 = std::max(first_ / apart, smallestTolerance);
    const Trial a = integrate(*c.problem, t1, interval_, times_, limit_);
    const Trial b = a.whole ? integrate(*c.problem, t2, interval_, times_, 4 * limit_) : Trial{};
    const bool whole = a.whole && b.whole;
    if (!whole || std::max(a.defect, b.defect) > offManifold) {
      const Trial& failed = a.whole ? b : a;
      c.tried.why = !whole ? failed.why.empty() ? "it takes far more work" : failed.why : "it leaves the manifold";
      return;
    }
    constexpr double least = 1e-16; // of an error, so that it has a logarithm
    const double e1 = std::max(distance(a.samples, motion_).error, least);
    const double e2 = std::max(distance(b.samples, motion_).error, least);
    const double n1 = static_cast<double>(a.steps), n2 = static_cast<double>(b.steps);
    const double order = std::max(c.method->order, 1);
    c.stalls = n2 / n1 < 1 + 0.4 * (std::pow(t1 / t2, 1 / order) - 1) && n1 > 40;
    // Errors grow at least in proportion to time, so that the interval may have its part of the accuracy.
    const double part = (interval_ - begin_) / (end_ - begin_);
    const double wanted = share * accuracy() * part;
    const double power = e1 > 2 * e2 ? powerOf(e2, n1, e1, n2, 1 / order, 0, 1) : 1 / order;
    c.work = c.problem->operationsPerStep * n1 * std::pow(e1 / wanted, power);
    c.tried.operations = c.work / part;
    c.perTolerance = e1 / t1 / part;
  }

  // --- the tolerance --------------------------------------------------------------------------------------------

  /// Trials over the span, or over its first part, at a tolerance t, at t/10, and far below.
  struct Measured {
    double tolerance = 0, error = 0, lower = 0; ///< the errors at t and at t/10
    double power = 1;                           ///< of the tolerance, in the error
    double ofReference = 0; ///< the error of what they were held against, by the trials of the interval
    Distance far;           ///< of the first
    std::string why;        ///< nothing was measured
  };

  /// What trials of the best are held against: of another method where one is known, so that what all steps of one
  /// method have in common shows, too (steps that samplings cut have one length at all tolerances).
  [[nodiscard]] const Contestant& reference() const {
    constexpr double dearer = 30;
    const Contestant* other = nullptr;
    for (const auto& c : contestants_)
      if (c.get() != best_ && c->work < dearer * best_->work &&
          (other == nullptr || c->method->order > other->method->order))
        other = c.get();
    return other != nullptr ? *other : *best_;
  }

  /// Steps of what trials are held against: what happens in a short time, a pulse behind a long rest say, may lie
  /// between the evaluations of f of long steps, at any tolerance.
  [[nodiscard]] double longest(const Problem& p) const {
    const double steps = std::clamp(mostOfSteps / std::max(p.operationsPerStep, 1.0), 1.0 * samplesOfSpan, stepsOfSpan);
    return (end_ - begin_) / steps;
  }

  Measured measureSpan(double tolerance, double until) {
    Measured m;
    m.tolerance = tolerance;
    const std::vector<double> times = evenly(begin_, until, samplesOfSpan);
    const double tight = std::max(tolerance / 300, smallestTolerance);
    const Problem& p = *best_->problem;
    const Contestant* other = &reference();
    Trial best = integrate(*other->problem, tight, until, times, 10 * spanLimit_, longest(*other->problem));
    if (!best.whole) {
      other = best_;
      best = integrate(p, tight, until, times, spanLimit_, longest(p));
    }
    m.ofReference = other->perTolerance * tight * (until - begin_) / (end_ - begin_);
    spanTimes_ = times;
    const Trial one = best.whole ? integrate(p, tolerance, until, times, spanLimit_) : Trial{};
    const Trial ten = one.whole ? integrate(p, tolerance / 10, until, times, spanLimit_) : Trial{};
    for (const Trial* t : std::initializer_list<const Trial*>{&best, &one, &ten}) {
      if (t->whole) continue;
      m.why = t->why.empty() ? "it takes far more steps than the trials of a part led to expect" : t->why;
      failedAt_ = t->end;
      return m;
    }
    stiff_ = best.looksStiff || one.looksStiff || ten.looksStiff;
    m.far = distance(one.samples, best.samples);
    const Distance lower = distance(ten.samples, best.samples);
    m.far.sameEvents = m.far.sameEvents && lower.sameEvents;
    m.far.until = std::min(m.far.until, lower.until);
    m.error = m.far.error;
    m.lower = lower.error;
    m.power = m.error > 0 && m.lower > 0 ? powerOf(10, m.error, 1, m.lower, 1, 0.3, 1.5) : 1;
    spanMotion_ = best.samples;
    return m;
  }

  /// The error at a tolerance, by what was measured: never less than of a law of the first power below the trials.
  static double expectedAt(const Measured& m, double tolerance) {
    if (m.error == 0) return 0;
    const double power = tolerance < m.tolerance / 10 ? std::min(m.power, 1.0) : m.power;
    if (tolerance >= m.tolerance) return m.error * std::pow(tolerance / m.tolerance, std::max(power, 1.0));
    if (tolerance >= m.tolerance / 10) return std::max(m.error * std::pow(tolerance / m.tolerance, power), m.lower);
    return m.lower * std::pow(10 * tolerance / m.tolerance, power);
  }

  static double toleranceFor(const Measured& m, double error) {
    if (m.error == 0) return m.tolerance; // exact, whatever the tolerance
    const double above = m.tolerance * std::pow(error / m.error, 1 / std::max(m.power, 1.0));
    if (error >= m.error) return above;
    if (error >= m.lower) return m.tolerance * std::pow(error / m.error, 1 / m.power);
    return m.tolerance / 10 * std::pow(error / m.lower, 1 / std::min(m.power, 1.0));
  }

  /// Chooses the part of the span that is integrated: all of it if that is not too much work.
  double partOfSpan() {
    const double work = 8 * best_->tried.operations;
    if (!(work > mostOfSpan)) {
      spanLimit_ = std::max(20 * best_->tried.operations, 10 * limit_);
      return end_;
    }
    spanLimit_ = mostOfSpan;
    return std::max(begin_ + (end_ - begin_) * mostOfSpan / work, interval_);
  }

  bool calibrate() {
    choice_.failure.clear();
    choice_.how.growth.clear();
    choice_.how.doubt.clear();
    double until = partOfSpan();
    const double roundOff = 3 * smallestTolerance;
    double wanted = share * accuracy();
    double tolerance = std::clamp(wanted / std::max(best_->perTolerance, 1e-3), 300 * roundOff,
                                  std::max(std::min(1e-3, coarsest_), 300 * roundOff));
    constexpr int rounds = 6;
    for (int round = 0;; ++round) {
      const Measured m = measureSpan(tolerance, until);
      if (!m.why.empty()) {
        if (tolerance > 1e-9 && round + 1 < rounds) { // too coarse to get on
          tolerance /= 100;
          continue;
        }
        choice_.failure = fmt::format("it stops at t = {:.6g}: {}", failedAt_, m.why);
        choice_.method.clear();
        return false;
      }
      const double growth = until < end_ ? growthBehind(m.far, until) : 1;
      wanted = (until < end_ ? shareFarther : share) * accuracy() / growth;
      const double next = toleranceFor(m, wanted);
      const bool near = next > tolerance / 100 && next < 3 * tolerance;
      const bool asFarAsItGoes = next < tolerance && tolerance <= 300.1 * roundOff;
      const bool coarsest = next > tolerance && tolerance >= std::min(1e-3, coarsest_);
      const bool rough = m.error * growth > 0.1 && accuracy() < 0.1; // such errors follow no law
      if ((near && !rough) || asFarAsItGoes || coarsest || round + 1 == rounds || m.error == 0)
        return settle(m, next, growth, until);
      tolerance = std::clamp(rough ? std::min(next, tolerance / 100) : next, 300 * roundOff,
                             std::max(std::min(1e-3, coarsest_), 300 * roundOff));
    }
  }

  /// By which factor the largest error of the span is above that of its first part, by the law of the part. It is a
  /// power of time, the first one at least, or, where the second half of the part shows more than the first, an
  /// exponential.
  double growthBehind(const Distance& d, double until) {
    const auto at = [&](double t) {
      const auto found = std::upper_bound(d.times.begin(), d.times.end(), t);
      return found == d.times.begin() ? 0.0 : d.grown[static_cast<std::size_t>(found - d.times.begin()) - 1];
    };
    const double length = until - begin_, ratio = (end_ - begin_) / length;
    const double e1 = at(begin_ + length / 4), e2 = at(begin_ + length / 2), e3 = d.error;
    if (e1 == 0 || e2 == 0) {
      choice_.how.growth = "in proportion to time";
      return ratio;
    }
    const double power1 = std::log2(e2 / e1), power2 = std::log2(e3 / e2);
    if (power2 > 1.5 * std::max(power1, 1.0) && power2 > 3) {
      const double rate = std::log(e3 / e2) / (length / 2);
      choice_.how.growth = fmt::format("by a factor e in {:.2g} of time", 1 / rate);
      return std::exp(rate * (end_ - until));
    }
    const double power = std::max({power1, power2, 1.0});
    choice_.how.growth = fmt::format("like the power {:.2g} of time", power);
    return std::pow(ratio, power);
  }

  /// Takes a tolerance, unless it is below what doubles can do.
  bool settle(const Measured& m, double tolerance, double growth, double until) {
    const double least = expectedAt(m, smallestTolerance) * growth;
    ChosenMethod& how = choice_.how;
    how.expected = 0;
    const bool rounds = m.lower > 0.5 * m.error && m.lower * growth > share * accuracy(); // of rounding, not of steps
    if (tolerance < smallestTolerance || rounds) {
      const double reached = rounds ? std::max(m.lower * growth, least) : least;
      if (reached > 0.8 * accuracy()) {
        choice_.method.clear();
        reachable_ = std::min(reachable_, reached);
        return false;
      }
      tolerance = smallestTolerance;
      how.expected = reached;
    }
    // The run itself, once: steps do not depend on samples, so this is its error.
    tolerance = rounded(std::clamp(tolerance, smallestTolerance, coarsest_));
    constexpr int tries = 4;
    Trial run;
    double error = 0;
    for (int k = 0; k < tries; ++k) {
      if (k > 0) tolerance = rounded(std::max(tolerance / 10, smallestTolerance));
      run = integrate(*best_->problem, tolerance, until, spanTimes_, spanLimit_);
      error = distance(run.samples, spanMotion_).error * growth;
      if (run.whole && error <= (growth > 1 ? 0.5 : 0.9) * accuracy()) break;
    }
    if (!run.whole || error > accuracy()) {
      choice_.method.clear();
      choice_.failure = run.whole ? "its error does not follow the tolerance" : run.why;
      return false;
    }
    how.tolerance = tolerance;
    // What it was held against has an error of its own, of rounding alone where tolerances are as tight.
    constexpr double muchBetter = 30;
    const double uncertain =
        std::max(tolerance < muchBetter * smallestTolerance ? 3 * error : 0, error + m.ofReference * growth);
    how.expected = std::max(how.expected, std::min(uncertain, accuracy()));
    how.until = std::min(until, m.far.until);
    if (!m.far.sameEvents)
      how.doubt =
          fmt::format("from t = {:.6g} on trials at different tolerances have different events, so that nothing "
                      "is known of the error there",
                      m.far.until);
    choice_.method = best_->method->name;
    best_->tried.operations = run.operations * (end_ - begin_) / (until - begin_);
    return true;
  }

  /// Steps turned out to be bound by stability behind the trial interval: implicit methods may do with fewer.
  void tryImplicitOverSpan() {
    Contestant* const before = best_;
    const MethodChoice kept = choice_;
    const double work = best_->tried.operations;
    compete(true);
    for (const auto& c : contestants_) {
      if (!c->method->isImplicit || c->work == huge) continue;
      best_ = c.get();
      spanLimit_ = std::max(work, 1e6);
      const bool done = calibrate();
      if (done && best_->tried.operations < work) return;
      best_->tried.why = "it takes more work";
    }
    best_ = before;
    choice_ = kept;
  }

  // --- the end --------------------------------------------------------------------------------------------------

  void tell() {
    for (const auto& c : contestants_) {
      if (c.get() == best_) c->tried.why.clear();
      if (c.get() != best_ && c->tried.why.empty()) c->tried.why = "it takes more work";
      choice_.how.tried.push_back(c->tried);
    }
  }

  MethodChoice fail() {
    std::string& text = choice_.failure;
    text.clear();
    if (!std::isfinite(choice_.reachable)) choice_.reachable = 0;
    for (const auto& c : contestants_)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", c->method->name,
                          c->tried.why.empty() ? "it takes far more work" : c->tried.why);
    if (text.empty()) text = "no method with an error estimate can step it";
    return std::move(choice_);
  }

  std::vector<MethodCandidate> candidates_;
  std::vector<std::unique_ptr<Contestant>> contestants_;
  Contestant* pilot_ = nullptr;
  Contestant* best_ = nullptr;
  MethodChoice choice_;
  double begin_ = 0, end_ = 0, interval_ = 0; ///< of the span, and the end of the trial interval
  double first_ = 0;                          ///< the first tolerance
  std::vector<double> times_;                 ///< of samples of the trial interval
  Trajectory motion_;                         ///< there
  double limit_ = 0, spanLimit_ = 0;          ///< operations of a trial there, and over the span
  double coarsest_ = largestTolerance, failedAt_ = 0;
  std::vector<double> spanTimes_; ///< of samples of the trials over the span
  Trajectory spanMotion_;         ///< what they were held against
  double reachable_ = huge;       ///< the least error that was found where rounding ends what a method can do
  bool stiff_ = false;
};

} // namespace

MethodChoice chooseMethod(std::vector<MethodCandidate> candidates, double accuracy) {
  return Chooser(std::move(candidates), accuracy).choose();
}

} // namespace lmc::runtime
