#include "checks/model/ModelChecks.h"

#include "checks/model/PlainValues.h"
#include "products/stages/Stages.h"

#include <algorithm>
#include <cmath>

namespace lmc::checks {

namespace {

constexpr std::size_t randomStates = 4;
/// Steps and back are tried with growing lengths, until one changes the state and has an error that is large enough for
/// defects of high order to show.
constexpr double growth = 8, enoughChange = 0.3, lateGrowth = 1.5;
constexpr int longest = 6, later = 12;

/// Sizes by which differences of f are told, a number each: of the rate of the motion, or of f where it is larger (the
/// rate of a motion under enormous forces is their root, and their rounding far above it), or of what rounding
/// state, parameters and time makes of f, many times: where that is as large as f, as with a mass matrix of condition
/// 1e24, nobody knows f.
std::vector<double> sizesOf(StateSpace& space, const State& y, double t, double rate, const Direction& f) {
  constexpr double manyTimes = 1e5;
  std::vector<double> sizes(f.size(), 0.0);
  std::vector<double> doubt(f.size(), 0.0);
  for (const int sign : {1, -1}) {
    const Direction other = space.roundedField(y, t, sign);
    for (std::size_t k = 0; k < f.size(); ++k) doubt[k] = std::max(doubt[k], std::abs(other[k] - f[k]));
  }
  const auto fill = [&](std::size_t first, std::size_t count, double scale) {
    double size = rate * scale;
    for (std::size_t k = first; k < first + count; ++k) {
      if (std::isfinite(f[k])) size = std::max(size, std::abs(f[k]));
      if (std::isfinite(doubt[k])) size = std::max(size, manyTimes * doubt[k]);
    }
    std::fill_n(sizes.begin() + static_cast<std::ptrdiff_t>(first), count, size);
  };
  for (const Variable& v : space.variables()) {
    if (v.hasPoint()) fill(v.points, v.size, space.pointScale(v, y));
    if (v.hasFiber()) fill(v.fibers, v.size, space.fiberScale(v, y));
  }
  return sizes;
}

using CheckedStates = std::vector<std::pair<State, double>>;
/// For each state.
using Sizes = std::vector<std::vector<double>>;

Sizes sizesOf(StateSpace& space, const CheckedStates& states) {
  const std::vector<double> rates = space.rates(states);
  Sizes list;
  for (std::size_t n = 0; n < states.size(); ++n) {
    const auto& [y, t] = states[n];
    const Direction f = space.field(y, t);
    list.push_back(sizesOf(space, y, t, rates[n], f));
  }
  return list;
}

/// f of the compiled code against the interpreter's, relative to these sizes.
double compiledDifference(StateSpace& space, const runtime::Problem& field, const CheckedStates& states,
                          const Sizes& sizesOfAll) {
  runtime::Workspace w(field);
  const std::vector<runtime::Column> rates = field.numbers(runtime::FieldKind::Rate);
  double worst = 0;
  for (std::size_t n = 0; n < states.size(); ++n) {
    const auto& [y, t] = states[n];
    if (w.start() != 0) return std::nan("");
    std::copy(y.begin(), y.end(), w.state().begin());
    if (w.field(t) != 0) return std::nan("");
    const Direction own = space.field(y, t);
    const std::vector<double>& sizes = sizesOfAll[n];
    std::size_t column = 0;
    for (const Variable& v : space.variables()) {
      const std::size_t first = v.hasFiber() ? v.fibers : v.points;
      for (std::size_t k = first; k < first + v.size; ++k)
        worst = std::max(worst, std::abs(*w.place(rates[column++]) - own[k]) / sizes[k]);
    }
  }
  return worst;
}

/// f of the interpreter against the plain reading of its equations, in the same measure. Nothing where that is not
/// made.
std::optional<double> plainDifference(StateSpace& space, const runtime::Problem& data, const CheckedStates& states,
                                      const Sizes& sizesOfAll) {
  const sema::Model& m = *space.system().model;
  const products::Layout layout = products::layoutOf(m);
  PlainValues plain(space.layer().program());
  const auto set = [&plain](const sym::Array* a, const std::vector<double>& memory, std::int64_t offset) {
    plain.set(a, std::span(memory).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(a->size())));
  };
  for (const sema::Parameter& p : m.parameters) set(p.array, data.params, layout.of(p.array).offset);
  double worst = 0;
  for (std::size_t n = 0; n < states.size(); ++n) {
    const auto& [y, t] = states[n];
    for (const sym::Array* a : layout.stateArrays) set(a, y, layout.of(a).offset);
    plain.set(m.time, std::span(&t, 1));
    const std::optional<std::vector<double>> own = plain.of(space.fieldArrays());
    if (!own) return std::nullopt;
    const Direction f = space.field(y, t);
    const std::vector<double>& sizes = sizesOfAll[n];
    for (std::size_t k = 0; k < f.size(); ++k) {
      // Numbers of double precision overflow where long ones do not: that is said elsewhere.
      if (sizes[k] > 0 && std::isfinite(f[k]) && std::isfinite((*own)[k]))
        worst = std::max(worst, std::abs(f[k] - (*own)[k]) / sizes[k]);
    }
  }
  return worst;
}

void runChecks(ModelChecks& checks, Symmetries& symmetries, const ModelForms& forms, const RunLimits& limits) {
  if (forms.run == nullptr) return;
  checks.kept = keep(symmetries, checks.conserved, *forms.run, limits);
  if (forms.fixed == nullptr || checks.kept->steps == 0) return;
  const bool adaptive = forms.run->control.has_value();
  const double mean = (checks.kept->to - checks.kept->from) / static_cast<double>(checks.kept->steps);
  double step = adaptive ? mean : forms.run->step;
  for (int n = 0, late = 0; n < longest && late < later; ++n) {
    const auto r = reverse(*forms.fixed, step);
    if (!r) return;
    checks.reversals.push_back(*r);
    if (r->change >= enoughChange) { // from here on only as far as it needs
      if (r->symmetric()) return;
      ++late;
      --n;
    }
    step *= r->change >= enoughChange ? lateGrowth : growth;
  }
}

} // namespace

std::optional<bool> ModelChecks::timeSymmetric() const {
  std::optional<bool> all;
  for (const Reversal& r : reversals) {
    const std::optional<bool> one = r.symmetric();
    if (one) all = all.value_or(true) && *one;
  }
  return all;
}

ModelChecks checkModel(const ModelForms& forms, const RunLimits& limits) {
  const runtime::Problem& data = *forms.field;
  StateSpace space(*forms.system, data);
  DerivativeCheck derivatives(space);
  FieldDerivatives field(space);
  Symmetries symmetries(space);
  space.prepare();

  std::mt19937_64 engine(data.seed);
  const double from = std::isfinite(data.timeFrom) ? data.timeFrom : 0;
  const double to = data.timeTo > from ? data.timeTo : from + 1;
  // Before the first row of a table, and behind the last, there is nothing that differences could be taken of.
  constexpr double inside = 1e-2;
  const double edge = inside * (to - from);
  const bool goesOn =
      finite(space.field(data.initialState, from - edge)) && finite(space.field(data.initialState, to + edge));
  const double margin = goesOn || forms.system->constraints ? 0 : edge;
  const double first = from + margin;
  std::uniform_real_distribution<double> time(first, to - margin);
  CheckedStates states = {{data.initialState, first}};
  for (std::size_t k = 0; k < randomStates; ++k) {
    const double t = time(engine);
    State near = space.near(data.initialState, t, engine);
    // Where none is found that constraints allow, it is the initial one, which they allow at the begin alone.
    const double when = near == data.initialState ? first : t;
    states.emplace_back(std::move(near), when);
  }
  ModelChecks checks;
  checks.states = states.size();
  checks.derivatives = derivatives.run(states, engine);
  const Sizes sizes = sizesOf(space, states);
  checks.compiled = compiledDifference(space, data, states, sizes);
  checks.plain = plainDifference(space, data, states, sizes);
  checks.growth = derivatives.growth(states.back().first, states.back().second);
  checks.dependent = derivatives.constraintsDepend(data.initialState, from);
  if (!checks.dependent) checks.field = field.run(states, engine);
  checks.conserved = symmetries.find(data.initialState, from, to, engine, checks.undecided);
  checks.energyRate = symmetries.energyRate(data.initialState, from, to, engine);
  for (const Variable& v : space.variables()) checks.hasDuals = checks.hasDuals || v.kind == methods::PhaseKind::Dual;
  checks.reversibility = reversibility(space, states);
  // A random state is like others; the initial one may be a special one.
  if (forms.run != nullptr && forms.fixed != nullptr && !checks.dependent)
    checks.order = measureStepOrder(space, *forms.fixed, states.back().first, states.back().second);
  runChecks(checks, symmetries, forms, limits);
  return checks;
}

} // namespace lmc::checks
