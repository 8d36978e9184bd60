#include "runtime/contacts/Contacts.h"

#include "runtime/contacts/Dense.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace lmc::runtime {

namespace {

using State = ContactSolution::State;

constexpr double touching = 1e-10; ///< of the sides of a gap: contacts that touch at an impact
constexpr double roundingOfRate = 1e-12;
constexpr double zeroRate = 1e-11;    ///< of the terms of a rate: it is zero behind an impact
constexpr double standardRest = 1e-6; ///< of the fastest impact so far
constexpr double shortMemory = 1e-6;  ///< of the speeds at a contact: the length of the memory of a direction
constexpr double instant = 1e-3;      ///< s: what accelerations make of a rate in that time is a speed, not rounding
constexpr double perMemory = 4;       ///< a slip that has come to its end may be off by so many memories across
constexpr double noForce = 1e-9;      ///< of forces: a contact that has opened may press by as much
constexpr double energyRounding = 1e-9;
constexpr int mostImpacts = 10'000; ///< together, at one time
constexpr int mostSequential = 200'000;

double lengthOf(const std::array<double, 2>& v) {
  return std::hypot(v[0], v[1]);
}

} // namespace

double Contacts::scaleOf(std::int64_t row) const {
  double scale = 0;
  const double* const b = numbers(rules_.jacobian) + row * rules_.columns;
  for (std::size_t a = 0; a < rules_.velocities.size(); ++a)
    scale += std::abs(b[a] * memory_.state[static_cast<std::size_t>(rules_.velocities[a])]);
  return scale;
}

/// B M^-1 B^T, symmetric but for rounding.
void Contacts::multiply() {
  const auto n = static_cast<std::size_t>(rules_.rows), m = static_cast<std::size_t>(rules_.columns);
  const double* const b = numbers(rules_.jacobian);
  const double* const w = numbers(rules_.response);
  matrix_.assign(n * n, 0.0);
  std::vector<std::size_t> own; // a contact acts on few of many velocities
  for (std::size_t i = 0; i < n; ++i) {
    own.clear();
    for (std::size_t a = 0; a < m; ++a)
      if (b[i * m + a] != 0) own.push_back(a);
    for (std::size_t j = 0; j < n; ++j)
      for (const std::size_t a : own) matrix_[i * n + j] += b[i * m + a] * w[j * m + a];
  }
  for (std::size_t i = 0; i < n; ++i) // symmetric but for rounding
    for (std::size_t j = 0; j < i; ++j) {
      const double mean = (matrix_[i * n + j] + matrix_[j * n + i]) / 2;
      matrix_[i * n + j] = matrix_[j * n + i] = mean;
    }
}

/// What the forces of closed contacts do to all rows: they may cancel each other, as those of two corners do to the
/// slip of a block, and rounding of what is left is that of the terms. A force is what holds its own row alone.
void Contacts::addTermsOfForces() {
  const auto n = static_cast<std::size_t>(rules_.rows);
  const std::vector<double> alone = terms_;
  for (const ContactRule& r : rules_.list) {
    const auto j = static_cast<std::size_t>(r.normal);
    const bool closed = memory_.state[static_cast<std::size_t>(r.mode)] > 0 ||
                        numbers(rules_.value)[r.normal] <= touching * memory_.output[static_cast<std::size_t>(r.size)];
    if (!closed || !(matrix_[j * n + j] > 0)) continue;
    const double force = alone[j] / matrix_[j * n + j];
    for (std::size_t i = 0; i < n; ++i)
      if (i != j) terms_[i] += std::abs(matrix_[i * n + j]) * force;
  }
}

std::int32_t Contacts::look(double t) {
  const std::int32_t status = memory_.evaluate(t);
  if (status != Ok) return status;
  const auto out = [&](std::int64_t at, double otherwise) {
    return at < 0 ? otherwise : memory_.output[static_cast<std::size_t>(at)];
  };
  const auto n = static_cast<std::size_t>(rules_.rows), m = static_cast<std::size_t>(rules_.columns);
  const double* const b = numbers(rules_.jacobian);
  offset_.assign(n, 0.0);
  terms_.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    offset_[i] = numbers(rules_.bias)[i];
    terms_[i] = std::abs(offset_[i]);
    for (std::size_t a = 0; a < m; ++a) {
      const double own = b[i * m + a] * numbers(rules_.free)[a];
      offset_[i] += own;
      terms_[i] += std::abs(own);
    }
  }
  multiply();
  addTermsOfForces();
  const std::vector<Laws> before = std::exchange(laws_, {});
  std::set<std::int64_t> own;
  for (const ContactRule& r : rules_.list) {
    Laws l; // rounding is that of the largest speeds at this time, before impacts, too
    if (!before.empty()) {
      l.scale = before[laws_.size()].scale;
      l.slipScale = before[laws_.size()].slipScale;
    }
    l.mode = memory_.state[static_cast<std::size_t>(r.mode)];
    l.gap = numbers(rules_.value)[r.normal];
    l.size = out(r.size, 0);
    l.rate = numbers(rules_.rate)[r.normal];
    l.scale =
        std::max({l.scale, scaleOf(r.normal), std::abs(l.rate), instant * terms_[static_cast<std::size_t>(r.normal)],
                  memory_.state[static_cast<std::size_t>(r.speed)]});
    l.restitution = out(r.restitution, 0);
    l.friction = out(r.coefficient, 0);
    l.rest = out(r.rest, -1);
    own.insert(r.normal);
    for (std::int64_t i = 0; i < r.tangents; ++i) {
      l.slip[static_cast<std::size_t>(i)] = numbers(rules_.rate)[r.slip + i];
      const double remembered = memory_.state[static_cast<std::size_t>(r.memory + i)];
      l.memory = std::hypot(l.memory, remembered);
      l.slipScale =
          std::max({l.slipScale, scaleOf(r.slip + i), std::abs(numbers(rules_.rate)[r.slip + i]),
                    instant * terms_[static_cast<std::size_t>(r.slip + i)], std::abs(remembered) / shortMemory});
      own.insert(r.slip + i);
    }
    laws_.push_back(l);
  }
  bilateral_.clear();
  for (std::int64_t k = 0; k < rules_.rows; ++k)
    if (!own.contains(k)) bilateral_.push_back(static_cast<std::size_t>(k));
  return Ok;
}

Contacts::Outcome Contacts::checkLaws() const {
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    const Laws& l = laws_[k];
    const std::string& name = rules_.list[k].name;
    if (!(l.restitution >= 0 && l.restitution <= 1))
      return {ContactLawWrong,
              fmt::format("the restitution of the contact `{}` is {}: it lies between 0 and 1", name, l.restitution),
              {}};
    if (!(l.friction >= 0 && std::isfinite(l.friction)))
      return {
          ContactLawWrong,
          fmt::format("the coefficient of friction of the contact `{}` is {}: it must be 0 or more", name, l.friction),
          {}};
    if (std::isnan(l.rest) || (l.rest < 0 && l.rest != -1))
      return {ContactLawWrong,
              fmt::format("the speed of rest of the contact `{}` is {}: it must be 0 or more", name, l.rest),
              {}};
    if (!std::isfinite(l.gap + l.rate))
      return {NonFinite, fmt::format("the gap of the contact `{}`, or its rate, is not a number", name), {}};
  }
  return {};
}

bool Contacts::touches(std::size_t k, const std::vector<ContactEvent>& causes) const {
  const Laws& l = laws_[k];
  if (l.mode > 0 || l.gap <= touching * l.size) return true;
  return std::any_of(causes.begin(), causes.end(), [&](const ContactEvent& e) {
    return e.contact == static_cast<int>(k) && e.cause == ContactCause::Closes;
  });
}

bool Contacts::approaches(std::size_t k) const {
  return laws_[k].rate < -roundingOfRate * laws_[k].scale;
}

/// It approaches faster than the speed of rest, so that it has its restitution.
bool Contacts::comesBack(std::size_t k) {
  if (!approaches(k)) return false;
  const Laws& l = laws_[k];
  const double speed = -l.rate;
  double& fastest = memory_.state[static_cast<std::size_t>(rules_.list[k].speed)];
  fastest = std::max(fastest, speed);
  return speed > (l.rest >= 0 ? l.rest : standardRest * fastest);
}

ContactLaw Contacts::law(std::size_t k) const {
  const ContactRule& r = rules_.list[k];
  ContactLaw law;
  law.normal = static_cast<std::size_t>(r.normal);
  law.slip = r.slip < 0 ? 0 : static_cast<std::size_t>(r.slip);
  law.tangents = static_cast<int>(r.tangents);
  law.friction = laws_[k].friction;
  return law;
}

ContactProblem Contacts::problem(const std::vector<double>& offset) const {
  ContactProblem p;
  p.size = static_cast<std::size_t>(rules_.rows);
  p.matrix = matrix_;
  p.offset = offset;
  p.bilateral = bilateral_;
  return p;
}

/// Rates behind an impact have the rounding of what its impulses do to them, though these may cancel each other.
void Contacts::addTermsOfImpulses(const std::vector<double>& impulses) {
  const auto n = static_cast<std::size_t>(rules_.rows);
  const auto change = [&](std::int64_t row) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::abs(matrix_[static_cast<std::size_t>(row) * n + j] * impulses[j]);
    return sum;
  };
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    const ContactRule& r = rules_.list[k];
    laws_[k].scale = std::max(laws_[k].scale, change(r.normal));
    for (std::int64_t i = 0; i < r.tangents; ++i) laws_[k].slipScale = std::max(laws_[k].slipScale, change(r.slip + i));
  }
}

/// The impulses of these contacts by the law of the model, with what is told of them for derivatives.
ContactImpact Contacts::solved(const std::vector<std::size_t>& list) {
  const std::vector<double> before(numbers(rules_.rate), numbers(rules_.rate) + rules_.rows);
  ContactImpact own;
  own.contacts = list;
  ContactProblem p = problem(before);
  for (const std::size_t k : list) {
    // What parts may be pressed by the others. It has its restitution, too: with unequal ones energy would be added.
    const bool parts = !rules_.poisson && laws_[k].rate > roundingOfRate * laws_[k].scale;
    own.restitutions.push_back(comesBack(k) || parts ? laws_[k].restitution : 0);
    p.contacts.push_back(law(k));
    if (!rules_.poisson && own.restitutions.back() > 0)
      p.contacts.back().bound = own.restitutions.back() * -laws_[k].rate;
  }
  own.solution = solveContacts(p);
  const bool back = std::any_of(own.restitutions.begin(), own.restitutions.end(), [](double e) { return e > 0; });
  if (!rules_.poisson || !back || !own.solution.why.empty()) return own;
  // What compression has taken up comes back, of each contact that it has pressed.
  p.offset = own.solution.rates;
  for (std::size_t k = 0; k < list.size(); ++k) {
    own.restitutions[k] = laws_[list[k]].restitution;
    p.contacts[k].least = own.restitutions[k] * std::max(own.solution.multipliers[p.contacts[k].normal], 0.0);
  }
  own.expansion = solveContacts(p);
  return own;
}

/// One impact of these contacts. `work` gets twice the energy that each of them has added.
Contacts::Outcome Contacts::impact(const std::vector<std::size_t>& list, std::vector<double>& work,
                                   std::vector<ContactImpact>& impacts) {
  const auto n = static_cast<std::size_t>(rules_.rows), m = static_cast<std::size_t>(rules_.columns);
  const std::vector<double> before(numbers(rules_.rate), numbers(rules_.rate) + n);
  std::vector<double> state;
  if (keepsImpacts_) state.assign(memory_.state.begin(), memory_.state.end());
  ContactImpact own = solved(list);
  const ContactSolution& last = own.expansion ? *own.expansion : own.solution;
  if (!last.why.empty())
    return {ContactUndecided,
            fmt::format("at an impact of the contact `{}`, {}", rules_.list[list[last.at]].name, last.why),
            {}};
  std::vector<double> impulses = own.solution.multipliers;
  for (std::size_t i = 0; i < n && own.expansion; ++i) impulses[i] += own.expansion->multipliers[i];
  const double* const w = numbers(rules_.response);
  for (std::size_t a = 0; a < m; ++a) {
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) change += w[i * m + a] * impulses[i];
    memory_.state[static_cast<std::size_t>(rules_.velocities[a])] += change;
  }
  addTermsOfImpulses(impulses);
  for (const std::size_t k : list) {
    const ContactRule& r = rules_.list[k];
    const auto add = [&](std::int64_t to, std::int64_t row) {
      const auto i = static_cast<std::size_t>(row);
      memory_.state[static_cast<std::size_t>(to)] += impulses[i];
      work[0] += impulses[i] * (before[i] + last.rates[i]);
      work[1] += std::abs(impulses[i]) * (std::abs(before[i]) + std::abs(last.rates[i]));
    };
    add(r.impulse, r.normal);
    for (std::int64_t i = 0; i < r.tangents; ++i) add(r.friction + i, r.slip + i);
  }
  if (keepsImpacts_) {
    own.before = std::move(state);
    own.after.assign(memory_.state.begin(), memory_.state.end());
    impacts.push_back(std::move(own));
  }
  return {};
}

/// Impacts until no touching contact approaches.
Contacts::Outcome Contacts::impacts(double t, const std::vector<std::size_t>& list) {
  Outcome o;
  const int most = rules_.sequential ? mostSequential : mostImpacts;
  const bool rubs = std::any_of(list.begin(), list.end(), [&](std::size_t k) { return laws_[k].friction > 0; });
  for (int turn = 0; turn < most; ++turn) {
    const auto first = std::find_if(list.begin(), list.end(), [&](std::size_t k) { return approaches(k); });
    if (first == list.end()) return o;
    if (o.hit.empty()) {
      for (const std::size_t k : list) {
        const ContactRule& r = rules_.list[k];
        memory_.state[static_cast<std::size_t>(r.impulse)] = 0;
        for (std::int64_t i = 0; i < r.tangents; ++i) memory_.state[static_cast<std::size_t>(r.friction + i)] = 0;
      }
    }
    for (const std::size_t k : list)
      if (approaches(k) && std::find(o.hit.begin(), o.hit.end(), static_cast<int>(k)) == o.hit.end())
        o.hit.push_back(static_cast<int>(k));
    std::vector<double> work(2, 0.0);
    Outcome own = impact(rules_.sequential ? std::vector<std::size_t>{*first} : list, work, o.impacts);
    if (own.status != Ok) return own;
    if (work[0] > energyRounding * work[1])
      return {ImpactEnergy,
              fmt::format("the impact of the contact `{}` would add the energy {:.6g}: {}{}", rules_.list[*first].name,
                          work[0] / 2,
                          rules_.poisson || !rubs ? "contacts of unequal restitution pass it on to each other there"
                                                  : "restitution along the normal and friction along the slip "
                                                    "contradict each other there",
                          rules_.poisson ? "" : " (`law = poisson` in `simulate` adds none)"),
              {}};
    if (const std::int32_t status = look(t); status != Ok) return {status, {}, {}};
  }
  return {ContactUndecided,
          fmt::format("impacts of the contact `{}` and others follow each other at one time without an end",
                      rules_.list[static_cast<std::size_t>(o.hit.front())].name),
          {}};
}

void Contacts::setMode(std::size_t k, State state, const std::array<double, 2>& direction, double acceleration) {
  const ContactRule& r = rules_.list[k];
  double& mode = memory_.state[static_cast<std::size_t>(r.mode)];
  mode = state == State::Open ? 0 : state == State::Slides ? 1 : 2;
  if (state != State::Slides || r.tangents == 0) return;
  const double length = shortMemory * std::max(laws_[k].slipScale, 1e-3 * acceleration) + 1e-140;
  for (std::int64_t i = 0; i < r.tangents; ++i)
    memory_.state[static_cast<std::size_t>(r.memory + i)] = length * direction[static_cast<std::size_t>(i)];
}

/// Takes away what rounding, or the end of a slip, has left of the rates of closed contacts.
void Contacts::hold(const std::vector<std::size_t>& closed) {
  std::vector<std::size_t> rows = bilateral_;
  for (const std::size_t k : closed) {
    const ContactRule& r = rules_.list[k];
    const double mode = memory_.state[static_cast<std::size_t>(r.mode)];
    if (mode == 0) continue;
    rows.push_back(static_cast<std::size_t>(r.normal));
    for (std::int64_t i = 0; i < r.tangents && mode > 1; ++i) rows.push_back(static_cast<std::size_t>(r.slip + i));
  }
  const auto n = static_cast<std::size_t>(rules_.rows), m = static_cast<std::size_t>(rules_.columns);
  std::vector<double> own(rows.size() * rows.size()), left(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    left[i] = -numbers(rules_.rate)[rows[i]];
    for (std::size_t j = 0; j < rows.size(); ++j) own[i * rows.size() + j] = matrix_[rows[i] * n + rows[j]];
  }
  const std::vector<double> x = Semidefinite(std::move(own), rows.size()).solve(left);
  for (std::size_t a = 0; a < m; ++a) {
    double change = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) change += numbers(rules_.response)[rows[i] * m + a] * x[i];
    memory_.state[static_cast<std::size_t>(rules_.velocities[a])] += change;
  }
}

/// Which of the contacts that touch and do not part press, stick and slide.
Contacts::Outcome Contacts::modes(const std::vector<std::size_t>& closed, const std::vector<ContactEvent>& causes) {
  if (closed.empty()) return {};
  const auto n = static_cast<std::size_t>(rules_.rows);
  const auto has = [&](std::size_t k, ContactCause cause) {
    return std::any_of(causes.begin(), causes.end(),
                       [&](const ContactEvent& e) { return e.contact == static_cast<int>(k) && e.cause == cause; });
  };
  std::vector<std::size_t> list = closed;
  for (;;) {
    ContactProblem p = problem(offset_);
    for (const std::size_t k : list) {
      ContactLaw l = law(k);
      const double slip = lengthOf(laws_[k].slip);
      const double small = has(k, ContactCause::Sticks) ? perMemory * laws_[k].memory : zeroRate * laws_[k].slipScale;
      if (l.tangents > 0 && slip > small) {
        l.slides = true;
        for (std::size_t i = 0; i < 2; ++i) l.direction[i] = laws_[k].slip[i] / slip;
      }
      p.contacts.push_back(l);
    }
    const ContactSolution s = solveContacts(p);
    if (!s.why.empty())
      return {ContactUndecided, fmt::format("of the contact `{}`, {}", rules_.list[list[s.at]].name, s.why), {}};
    // A contact whose force has come down to zero opens, though rounding may still press a little.
    std::vector<std::size_t> rest;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto row = static_cast<std::size_t>(rules_.list[list[k]].normal);
      const double unit = terms_[row] / matrix_[row * n + row];
      const bool opens = has(list[k], ContactCause::Opens) && s.multipliers[row] <= noForce * unit;
      if (opens)
        setMode(list[k], State::Open, {}, 0);
      else
        rest.push_back(list[k]);
    }
    if (rest.size() < list.size()) {
      list = rest;
      continue;
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      const ContactRule& r = rules_.list[list[k]];
      const auto row = static_cast<std::size_t>(r.normal);
      // Nothing presses and nothing parts: it stays closed.
      State state = s.states[k];
      if (state == State::Open && s.rates[row] <= zeroRate * terms_[row]) state = State::Slides;
      std::array<double, 2> direction = p.contacts[k].slides ? p.contacts[k].direction : s.directions[k];
      double acceleration = 0;
      for (std::int64_t i = 0; i < r.tangents; ++i)
        acceleration = std::max(acceleration, terms_[static_cast<std::size_t>(r.slip + i)]);
      // On the edge of the cone it slides, though its speed is still zero.
      double pull = 0;
      for (std::int64_t i = 0; i < r.tangents; ++i)
        pull = std::hypot(pull, s.multipliers[static_cast<std::size_t>(r.slip + i)]);
      const double allowed = laws_[list[k]].friction * s.multipliers[row];
      if (state == State::Sticks && has(list[k], ContactCause::Slips) && pull >= allowed * (1 - 1e-9)) {
        state = State::Slides;
        for (std::int64_t i = 0; i < r.tangents; ++i)
          direction[static_cast<std::size_t>(i)] = -s.multipliers[static_cast<std::size_t>(r.slip + i)] / pull;
      }
      if (r.tangents > 0 && state == State::Slides && lengthOf(direction) == 0) direction = {1, 0};
      setMode(list[k], state, direction, acceleration);
    }
    hold(list);
    return {};
  }
}

Contacts::Outcome Contacts::resolve(double t, const std::vector<ContactEvent>& causes) {
  laws_.clear();
  if (const std::int32_t status = look(t); status != Ok) return {status, {}, {}};
  if (Outcome wrong = checkLaws(); wrong.status != Ok) return wrong;
  for (const ContactEvent& e : causes)
    if (e.cause == ContactCause::Jams)
      return {
          ContactUndecided,
          fmt::format("friction of the contact `{}` takes all resistance of its normal away: behind this time there "
                      "is no force that keeps the bodies apart, or more than one",
                      rules_.list[static_cast<std::size_t>(e.contact)].name),
          {}};
  std::vector<std::size_t> list, closed;
  for (std::size_t k = 0; k < laws_.size(); ++k)
    if (touches(k, causes)) list.push_back(k);
  if (list.empty()) return {};
  Outcome o = impacts(t, list);
  if (o.status != Ok) return o;
  for (const std::size_t k : list) {
    if (laws_[k].rate <= zeroRate * laws_[k].scale)
      closed.push_back(k);
    else
      setMode(k, State::Open, {}, 0);
  }
  if (Outcome wrong = modes(closed, causes); wrong.status != Ok) return wrong;
  // The next step begins anew.
  std::fill(memory_.state.begin() + static_cast<std::ptrdiff_t>(rules_.stateSize), memory_.state.end(), 0.0);
  return o;
}

} // namespace lmc::runtime
