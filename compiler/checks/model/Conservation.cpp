#include "checks/model/Conservation.h"

#include "runtime/run/Sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lmc::checks {

namespace {

constexpr std::int64_t samples = 400;

/// Collects the states of a run, in the order of memory.
class States final : public runtime::Sink {
public:
  explicit States(const runtime::Problem& problem) : columns_(problem.columns()), size_(problem.initialState.size()) {}
  void begin(const std::vector<runtime::Entry>&) override {}
  void sample(double t, std::span<const double> values) override {
    State y(size_);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const runtime::Column& c = columns_[k];
      if (c.role == runtime::Role::State) y[static_cast<std::size_t>(c.offset)] = values[k];
    }
    list.emplace_back(t, std::move(y));
  }
  void finish() override {}
  std::vector<std::pair<double, State>> list;

private:
  std::vector<runtime::Column> columns_;
  std::size_t size_;
};

class Deadline final : public runtime::Monitor {
public:
  explicit Deadline(double seconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  bool reached(double) override { return Clock::now() < end_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

/// What a quantity does, from its values at the samples.
Kept judge(const std::vector<double>& times, const std::vector<double>& values, double size) {
  Kept k;
  k.start = values.front();
  double n = 0, st = 0, sv = 0, stt = 0, stv = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double t = times[i] - times.front(), v = values[i] - k.start;
    k.deviation = std::max(k.deviation, std::abs(v));
    n += 1;
    st += t;
    sv += v;
    stt += t * t;
    stv += t * v;
  }
  const double spread = n * stt - st * st;
  if (spread > 0) k.drift = (n * stv - st * sv) / spread * (times.back() - times.front());
  if (size > 0) {
    k.deviation /= size;
    k.drift /= size;
  }
  return k;
}

/// The steps of a run by a fixed step, or 0.
double stepsOf(const runtime::Problem& p) {
  return p.control ? 0 : std::ceil((p.timeTo - p.timeFrom) / p.step - 1e-9);
}

runtime::Problem limited(const runtime::Problem& problem, const RunLimits& limits) {
  runtime::Problem p = problem;
  p.ignoreEvents();
  p.outputSteps = 0;
  p.outputEvery = std::nan("");
  if (p.control) {
    p.outputEvery = (p.timeTo - p.timeFrom) / static_cast<double>(samples);
    return p;
  }
  const double most = static_cast<double>(limits.steps);
  if (stepsOf(p) > most) p.timeTo = p.timeFrom + most * p.step;
  p.outputSteps = std::max<std::int64_t>(1, static_cast<std::int64_t>(stepsOf(p)) / samples);
  return p;
}

} // namespace

KeptAlong keep(Symmetries& symmetries, const std::vector<Conserved>& list, const runtime::Problem& problem,
               const RunLimits& limits) {
  const runtime::Problem p = limited(problem, limits);
  States states(p);
  Deadline deadline(limits.seconds);
  const runtime::RunResult result = runtime::run(p, {&states, &deadline});
  KeptAlong along;
  along.from = p.timeFrom;
  along.to = result.time;
  along.whole = result.time >= problem.timeTo;
  along.steps = result.steps;
  along.defects = result.defects;
  if (result.failure && !result.failure->quantity) along.failure = result.failure;
  if (states.list.empty()) return along;
  std::vector<double> times;
  std::vector<std::vector<double>> values(list.size());
  std::vector<double> sizes, energies;
  for (const Conserved& c : list) sizes.push_back(c.size);
  for (const auto& [t, y] : states.list) {
    times.push_back(t);
    const std::vector<Reading> readings = symmetries.read(list, y, t);
    for (std::size_t k = 0; k < list.size(); ++k) {
      values[k].push_back(readings[k].value);
      sizes[k] = std::max(sizes[k], readings[k].size);
    }
    if (const auto energy = symmetries.energy(y, t)) energies.push_back(*energy);
  }
  for (std::size_t k = 0; k < list.size(); ++k) along.conserved.push_back(judge(times, values[k], sizes[k]));
  if (!energies.empty()) along.energy = judge(times, energies, runtime::energyScale(energies.front()));
  return along;
}

std::optional<bool> Reversal::symmetric() const {
  if (!(defect <= reversalTolerance)) return defect > amplifiedRoundOff * error ? std::optional(false) : std::nullopt;
  return error >= visibleError ? std::optional(true) : std::nullopt;
}

std::optional<Reversal> reverse(const runtime::Problem& problem, double step) {
  constexpr std::int64_t further = 7; // any state that is not special
  Reversal r;
  r.step = step;
  for (const std::int64_t before : {std::int64_t{0}, further}) {
    runtime::Workspace w(problem);
    std::int64_t done = 0;
    double t = problem.timeFrom;
    if (w.start() != 0) return std::nullopt;
    if (before > 0 && w.advance(t, step, 0, before, done) != 0) return std::nullopt;
    t += static_cast<double>(before) * step;
    const State from(w.state().begin(), w.state().end());
    if (w.advance(t, step, 0, 1, done) != 0) return std::nullopt;
    const State there(w.state().begin(), w.state().end());
    if (w.advance(t + step, -step, 0, 1, done) != 0) return std::nullopt;
    const State back(w.state().begin(), w.state().end());
    std::copy(from.begin(), from.end(), w.state().begin());
    if (w.advance(t, step / 2, 0, 2, done) != 0) return std::nullopt;
    const State halves(w.state().begin(), w.state().end());
    if (!finite(there) || !finite(back) || !finite(halves)) return std::nullopt;
    double scale = 1;
    for (const double x : from) scale = std::max(scale, std::abs(x));
    for (std::size_t k = 0; k < problem.initialState.size(); ++k) { // behind them is what the method keeps
      r.defect = std::max(r.defect, std::abs(back[k] - from[k]) / scale);
      r.change = std::max(r.change, std::abs(there[k] - from[k]) / scale);
      r.error = std::max(r.error, std::abs(there[k] - halves[k]) / scale);
    }
  }
  return r;
}

std::optional<Deviation> reversibility(StateSpace& space, const std::vector<std::pair<State, double>>& states) {
  for (const Variable& v : space.variables())
    if (!v.isFactor()) return std::nullopt;
  Deviation worst;
  // Constraints that depend on time, or whose rates are affine only, do not hold with reversed velocities.
  for (const auto& [y, t] : states) {
    State resting = y;
    for (const Variable& v : space.variables())
      std::fill_n(resting.begin() + static_cast<std::ptrdiff_t>(v.fiberState), v.size, 0.0);
    const std::vector<double> c = space.constraints(resting, t);
    for (std::size_t k = c.size() / 2; k < c.size(); ++k)
      if (c[k] != 0) worst.include(1, 0);
  }
  const auto reversed = [&](State y) {
    for (const Variable& v : space.variables())
      for (std::size_t k = 0; k < v.size; ++k) y[v.fiberState + k] = -y[v.fiberState + k];
    return y;
  };
  const std::vector<double> rates = space.rates(states);
  for (std::size_t n = 0; n < states.size(); ++n) {
    const auto& [y, t] = states[n];
    // Sums of both directions, which are 0: of velocities' changes their differences.
    const auto sums = [&, time = t](const State& from) {
      Direction sum = space.field(from, time);
      const Direction backward = space.field(reversed(from), time);
      for (const Variable& v : space.variables()) {
        for (std::size_t k = 0; k < v.size; ++k) sum[v.fibers + k] -= backward[v.fibers + k];
        for (std::size_t k = 0; v.hasPoint() && k < v.size; ++k) // of a Hamiltonian: dH/dmu is odd
          sum[v.points + k] += backward[v.points + k];
      }
      return sum;
    };
    const Direction here = sums(y), up = sums(StateSpace::rounded(y, 1)), down = sums(StateSpace::rounded(y, -1));
    const auto include = [&](std::size_t first, std::size_t count, double size) {
      for (std::size_t k = first; k < first + count; ++k)
        worst.include(std::abs(here[k]) / size,
                      std::max(std::abs(up[k] - here[k]), std::abs(down[k] - here[k])) / size);
    };
    for (const Variable& v : space.variables()) {
      include(v.fibers, v.size, rates[n] * space.fiberScale(v, y));
      if (v.hasPoint()) include(v.points, v.size, rates[n] * space.pointScale(v, y));
    }
  }
  return worst;
}

} // namespace lmc::checks
