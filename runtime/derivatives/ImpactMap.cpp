#include "runtime/derivatives/ImpactMap.h"

#include "runtime/contacts/Dense.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lmc::runtime {

namespace {

using State = ContactSolution::State;

std::vector<double> numbersOf(Workspace& w, const Field& f) {
  const std::span<double> x = w.numbers(f);
  return {x.begin(), x.end()};
}

} // namespace

ImpactMap::ImpactMap(LinearizedWorkspace& workspace)
    : w_(workspace), rules_(workspace.problem().problem.contacts), columns_(columnsOf(workspace.problem())) {}

std::int32_t ImpactMap::look(double t) {
  Workspace& w = w_.memory();
  const std::int32_t status = w.call(w_.problem().problem.functions.contacts, t);
  now_ = {numbersOf(w, rules_.rate), numbersOf(w, rules_.jacobian), numbersOf(w, rules_.response)};
  return status;
}

std::int32_t ImpactMap::lookAlong(double t, const UnitDirection& d, Rows& change) {
  const LinearizedJumps& jumps = *w_.problem().jumps;
  const std::int32_t status = w_.change(jumps.contacts.function, t, 0, d.state, d.inputs, d.parameters, d.time);
  Workspace& w = w_.memory();
  change = {numbersOf(w, jumps.rate), numbersOf(w, jumps.jacobian), numbersOf(w, jumps.response)};
  return status;
}

std::vector<double> ImpactMap::products(const std::vector<double>& b, const std::vector<double>& w,
                                        const std::vector<double>& p) const {
  const std::size_t n = at(rules_.rows), m = at(rules_.columns);
  std::vector<double> moved(m, 0.0), sums(n, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t a = 0; a < m && p[j] != 0; ++a) moved[a] += w[j * m + a] * p[j];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < m; ++a) sums[i] += b[i * m + a] * moved[a];
  return sums;
}

void ImpactMap::addVelocities(const std::vector<double>& w, const std::vector<double>& p,
                              std::vector<double>& storage) const {
  const std::size_t n = at(rules_.rows), m = at(rules_.columns);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t j = 0; j < n; ++j) storage[at(rules_.velocities[a])] += w[j * m + a] * p[j];
}

std::int32_t ImpactMap::coordinatesBehind(const std::vector<std::vector<double>>& changes, JumpMatrix& map) {
  map = {columns_.state, std::vector<double>(columns_.state * columns_.count(), 0.0)};
  for (std::size_t j = 0; j < columns_.count(); ++j)
    if (const std::int32_t status = w_.coordinates(changes[j], map.column(j)); status != Ok) return status;
  return Ok;
}

ImpactMap::Phase ImpactMap::phaseOf(const ContactImpact& impact, bool expansion) const {
  Phase p;
  p.solution = expansion ? &*impact.expansion : &impact.solution;
  const std::size_t n = at(rules_.rows);
  p.kinds.assign(n, Row::Held);
  p.contactOf.assign(n, 0);
  for (const ContactRule& r : rules_.list) {
    p.kinds[at(r.normal)] = Row::Free;
    for (std::int64_t i = 0; i < r.tangents; ++i) p.kinds[at(r.slip + i)] = Row::Free;
  }
  for (std::size_t k = 0; k < impact.contacts.size(); ++k) {
    const ContactRule& r = rules_.list[impact.contacts[k]];
    if (p.solution->states[k] == State::Open) continue;
    const bool newton = !impact.expansion && impact.restitutions[k] > 0;
    p.kinds[at(r.normal)] = expansion && !p.solution->held[k] ? Row::Given : newton ? Row::Bounces : Row::Held;
    p.contactOf[at(r.normal)] = k;
    for (std::int64_t i = 0; i < r.tangents; ++i) {
      const bool slides = p.solution->states[k] == State::Slides;
      p.kinds[at(r.slip + i)] = slides ? Row::Slides : Row::Held;
      p.contactOf[at(r.slip + i)] = k;
      p.slides = p.slides || slides;
    }
  }
  return p;
}

/// G = B M^-1 B^T, column by column.
std::vector<double> ImpactMap::square() const {
  const std::size_t n = at(rules_.rows);
  std::vector<double> g(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> e(n, 0.0);
    e[j] = 1;
    const std::vector<double> column = products(now_.jacobian, now_.response, e);
    for (std::size_t i = 0; i < n; ++i) g[i * n + j] = column[i];
  }
  return g;
}

/// d(s+/|s+|) = slope ds+ of a slip, zero in the plane.
double ImpactMap::slope(const ContactImpact& impact, const Phase& phase, std::size_t k, std::size_t i,
                        std::size_t j) const {
  const ContactRule& r = rules_.list[impact.contacts[k]];
  if (r.tangents < 2) return 0.0;
  const std::array<double, 2>& d = phase.solution->directions[k];
  const double length = std::hypot(phase.solution->rates[at(r.slip)], phase.solution->rates[at(r.slip + 1)]);
  return ((i == j ? 1.0 : 0.0) - d[i] * d[j]) / length;
}

/// One equation for the change of each multiplier of a phase, by rows.
std::vector<double> ImpactMap::equations(const ContactImpact& impact, const Phase& phase,
                                         const std::vector<double>& g) const {
  const std::size_t n = at(rules_.rows);
  std::vector<double> a(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (phase.kinds[i] == Row::Free || phase.kinds[i] == Row::Given) {
      a[i * n + i] = 1;
    } else if (phase.kinds[i] != Row::Slides) {
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] = g[i * n + j];
    } else {
      const std::size_t k = phase.contactOf[i];
      const ContactRule& r = rules_.list[impact.contacts[k]];
      const std::size_t own = i - at(r.slip);
      a[i * n + i] = 1;
      a[i * n + at(r.normal)] += friction(impact.contacts[k]) * phase.solution->directions[k][own];
      for (std::int64_t o = 0; o < r.tangents; ++o)
        for (std::size_t j = 0; j < n; ++j)
          a[i * n + j] += friction(impact.contacts[k]) * phase.solution->multipliers[at(r.normal)] *
                          slope(impact, phase, k, own, at(o)) * g[at(r.slip + o) * n + j];
    }
  }
  return a;
}

double ImpactMap::friction(std::size_t contact) const {
  const std::int64_t place = rules_.list[contact].coefficient;
  return place < 0 ? 0.0 : laws_[at(place)];
}

double ImpactMap::restitution(std::size_t contact) const {
  const std::int64_t place = rules_.list[contact].restitution;
  return place < 0 ? 0.0 : laws_[at(place)];
}

/// Their right sides along a direction. `rates`: what those behind the phase change by with its multipliers held;
/// `compressed`: what the multipliers of the compression, of which the law of an expansion is made, change by.
std::vector<double> ImpactMap::rightSides(const ContactImpact& impact, const Phase& phase, const Along& along,
                                          const std::vector<double>& rates,
                                          const std::vector<double>& compressed) const {
  const LinearizedJumps& jumps = *w_.problem().jumps;
  const std::vector<double>& p = phase.solution->multipliers;
  std::vector<double> right(p.size(), 0.0);
  const auto change = [&](std::int64_t place) { return place < 0 ? 0.0 : along.laws[at(place)]; };
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (phase.kinds[i] == Row::Free) continue;
    const std::size_t k = phase.contactOf[i], c = impact.contacts.empty() ? 0 : impact.contacts[k];
    if (phase.kinds[i] == Row::Held) {
      right[i] = -rates[i];
    } else if (phase.kinds[i] == Row::Bounces) {
      right[i] = -rates[i] - restitution(c) * along.rows.rate[i] - change(jumps.restitutions[c]) * now_.rate[i];
    } else if (phase.kinds[i] == Row::Given) {
      right[i] = restitution(c) * compressed[i] + change(jumps.restitutions[c]) * impact.solution.multipliers[i];
    } else {
      const ContactRule& r = rules_.list[c];
      const std::size_t own = i - at(r.slip);
      right[i] = -change(jumps.frictions[c]) * p[at(r.normal)] * phase.solution->directions[k][own];
      for (std::int64_t o = 0; o < r.tangents; ++o)
        right[i] -= friction(c) * p[at(r.normal)] * slope(impact, phase, k, own, at(o)) * rates[at(r.slip + o)];
    }
  }
  return right;
}

/// The changes of the multipliers, from the right sides; false where they are not unique.
bool ImpactMap::multipliers(const Phase& phase, const std::vector<double>& a, const std::vector<double>& g,
                            std::vector<double>& right) {
  if (phase.slides) return eliminate(a, right);
  // Symmetric, perhaps with rows that depend on each other.
  const std::size_t n = right.size();
  std::vector<std::size_t> held, given;
  for (std::size_t i = 0; i < n; ++i) {
    if (phase.kinds[i] == Row::Held || phase.kinds[i] == Row::Bounces) held.push_back(i);
    if (phase.kinds[i] == Row::Given) given.push_back(i);
  }
  std::vector<double> own(held.size() * held.size()), b(held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    b[i] = right[held[i]];
    for (const std::size_t j : given) b[i] -= g[held[i] * n + j] * right[j];
    for (std::size_t j = 0; j < held.size(); ++j)
      own[i * held.size() + j] = (g[held[i] * n + held[j]] + g[held[j] * n + held[i]]) / 2;
  }
  const std::vector<double> x = Semidefinite(std::move(own), held.size()).solve(b);
  for (std::size_t i = 0; i < held.size(); ++i) right[held[i]] = x[i];
  return true;
}

std::int32_t ImpactMap::of(const ContactImpact& impact, double t, JumpMatrix& map) {
  const std::size_t n = at(rules_.rows), stateSize = w_.state().size();
  std::copy_n(impact.before.begin(), stateSize, w_.state().begin());
  if (const std::int32_t status = look(t); status != Ok) return status;
  laws_.assign(w_.memory().output().begin(), w_.memory().output().end());
  const std::vector<double> g = square();
  std::vector<Phase> phases = {phaseOf(impact, false)};
  if (impact.expansion) phases.push_back(phaseOf(impact, true));
  std::vector<std::vector<double>> systems;
  systems.reserve(phases.size());
  for (const Phase& phase : phases) systems.push_back(equations(impact, phase, g));

  std::vector<std::vector<double>> changes;
  for (std::size_t column = 0; column < columns_.count(); ++column) {
    const UnitDirection d(columns_, column);
    Along along;
    if (const std::int32_t status = lookAlong(t, d, along.rows); status != Ok) return status;
    along.laws.assign(w_.memory().output().begin(), w_.memory().output().end());
    // Impulses so far, and what they change by.
    std::vector<double> p(n, 0.0), by(n, 0.0);
    for (std::size_t k = 0; k < phases.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) p[i] += phases[k].solution->multipliers[i];
      std::vector<double> rates = along.rows.rate;
      const std::vector<double> byB = products(along.rows.jacobian, now_.response, p);
      const std::vector<double> byW = products(now_.jacobian, along.rows.response, p);
      for (std::size_t i = 0; i < n; ++i) {
        rates[i] += byB[i] + byW[i];
        for (std::size_t j = 0; j < n && k > 0; ++j) rates[i] += g[i * n + j] * by[j];
      }
      std::vector<double> own = rightSides(impact, phases[k], along, rates, by);
      if (!multipliers(phases[k], systems[k], g, own)) return SingularMatrix;
      for (std::size_t i = 0; i < n; ++i) by[i] += own[i];
    }
    std::vector<double> storage(stateSize);
    if (const std::int32_t status = w_.lift(d.state, storage); status != Ok) return status;
    addVelocities(along.rows.response, p, storage);
    addVelocities(now_.response, by, storage);
    changes.push_back(std::move(storage));
  }
  std::copy_n(impact.after.begin(), stateSize, w_.state().begin());
  return coordinatesBehind(changes, map);
}

std::int32_t ImpactMap::hold(double t, JumpMatrix& map) {
  const std::size_t n = at(rules_.rows), stateSize = w_.state().size();
  if (const std::int32_t status = look(t); status != Ok) return status;
  std::set<std::int64_t> own;
  std::vector<std::size_t> rows;
  for (const ContactRule& r : rules_.list) {
    own.insert(r.normal);
    for (std::int64_t i = 0; i < r.tangents; ++i) own.insert(r.slip + i);
    const double mode = w_.state()[at(r.mode)];
    if (mode > 0) rows.push_back(at(r.normal));
    for (std::int64_t i = 0; i < r.tangents && mode > 1; ++i) rows.push_back(at(r.slip + i));
  }
  if (rows.empty()) {
    map = identityOf(columns_);
    return Ok;
  }
  for (std::int64_t i = 0; i < rules_.rows; ++i)
    if (!own.contains(i)) rows.push_back(at(i));
  std::vector<double> matrix(rows.size() * rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    std::vector<double> e(n, 0.0);
    e[rows[j]] = 1;
    const std::vector<double> column = products(now_.jacobian, now_.response, e);
    for (std::size_t i = 0; i < rows.size(); ++i) matrix[i * rows.size() + j] = column[rows[i]];
  }
  for (std::size_t i = 0; i < rows.size(); ++i) // symmetric but for rounding
    for (std::size_t j = 0; j < i; ++j)
      matrix[i * rows.size() + j] = matrix[j * rows.size() + i] =
          (matrix[i * rows.size() + j] + matrix[j * rows.size() + i]) / 2;
  const Semidefinite factored(std::move(matrix), rows.size());
  std::vector<std::vector<double>> changes;
  for (std::size_t column = 0; column < columns_.count(); ++column) {
    const UnitDirection d(columns_, column);
    Rows along;
    std::int32_t status = lookAlong(t, d, along);
    std::vector<double> storage(stateSize), right(rows.size()), p(n, 0.0);
    if (status == Ok) status = w_.lift(d.state, storage);
    if (status != Ok) return status;
    for (std::size_t i = 0; i < rows.size(); ++i) right[i] = -along.rate[rows[i]];
    const std::vector<double> x = factored.solve(right);
    for (std::size_t i = 0; i < rows.size(); ++i) p[rows[i]] = x[i];
    addVelocities(now_.response, p, storage);
    changes.push_back(std::move(storage));
  }
  return coordinatesBehind(changes, map);
}

} // namespace lmc::runtime
