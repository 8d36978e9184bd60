#include "checks/motions/Orbit.h"

#include "checks/states/NullSpace.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lmc::checks {

namespace {

constexpr double roundedProduct = 1e-14; // of the product of tangent maps
/// Directions and linear functions that come back changed by less, relative to the size of the map, come back.
constexpr double returning = 1e-7;

} // namespace

/// The largest change of the period and of multipliers, relative to their sizes, from a loop with half the steps;
/// errors of the multipliers get it. Infinite where their number changes.
double OrbitSearch::changed(Orbit& now, const Orbit& before) {
  if (now.multipliers.size() != before.multipliers.size()) return INFINITY;
  const std::vector<Eigenvalue> own = now.multipliers;
  compare(now.multipliers, before.multipliers);
  double worst = now.periodError / now.loop.period;
  for (std::size_t k = 0; k < own.size(); ++k)
    worst = std::max(worst, (now.multipliers[k].error - own[k].error) / std::max(1.0, std::abs(own[k].value)));
  return worst;
}

/// Period and multipliers with more and more steps, until two agree.
Orbit OrbitSearch::refined(const State& y, double period) {
  Orbit best;
  std::optional<Shot> last;
  double change = INFINITY;
  Shooting shooting(model_, space_,
                    {question_.time, question_.autonomous, question_.energy, ShootingProblem{}.sections});
  for (std::int64_t steps = question_.steps; steps <= question_.mostSteps && !model_.late(); steps *= 2) {
    std::optional<Loop> start;
    if (last) {
      start = last->loop;
      start->steps = steps;
    } else {
      start = shooting.sampled(y, period, steps);
    }
    if (!start) {
      best.end = OrbitEnd::LeftDomain;
      best.status = model_.status();
      continue;
    }
    const Shot shot = shooting.from(*start);
    if (!shot.converged) {
      if (last) break; // rounding, or a method that does not keep what the motion keeps
      const bool hopeless = best.end == OrbitEnd::Open && best.loop.steps > 0 && shot.closing > 0.1 * best.closing;
      best.end = shot.status != runtime::Ok ? OrbitEnd::LeftDomain : OrbitEnd::Open;
      best.status = shot.status;
      best.loop = shot.loop;
      best.closing = shot.closing;
      best.turns = shot.turns;
      if (hopeless) break; // more steps do not help
      continue;
    }
    Orbit now;
    judge(now, shot);
    if (rests(shot)) now.end = OrbitEnd::Rest;
    if (now.end == OrbitEnd::Rest) return now;
    now.periodError = last ? std::abs(shot.loop.period - best.loop.period) : INFINITY;
    const double worst = last ? changed(now, best) : INFINITY;
    const bool settles = worst < change || change > 1e-4;
    if (last && !settles && best.periodError < INFINITY) break; // rounding takes over
    change = worst;
    best = std::move(now);
    last = shot;
    best.accurate = change <= question_.accuracy;
    if (best.accurate) break;
  }
  // Of one loop alone nobody knows the error.
  if (std::isinf(best.periodError))
    for (Eigenvalue& e : best.multipliers) e.error = INFINITY;
  return best;
}

/// An equilibrium closes with any period. That the nodes are one state does not make it one: a wheel that turns eight
/// times in a period is at each of eight nodes where it was.
bool OrbitSearch::rests(const Shot& shot) {
  constexpr double nothing = 1e-7, slow = 1e-5;
  const Loop& loop = shot.loop;
  const State& y = loop.nodes.front();
  const auto largest = [&](const Vector& z) { return z.cwiseQuotient(shot.sizes).cwiseAbs().maxCoeff(); };
  for (std::size_t k = 0; k < loop.nodes.size(); ++k) {
    const auto z = model_.difference(y, loop.nodes[k]);
    if (!z || largest(*z) > nothing) return false;
    const double part = static_cast<double>(k) / static_cast<double>(loop.nodes.size());
    const auto rate = model_.rate(loop.nodes[k], question_.time + part * loop.period);
    if (rate && loop.period * largest(*rate) > slow) return false;
  }
  return true;
}

/// Whether the motion is back after a part of the period already.
std::int64_t OrbitSearch::repeatsOf(const Shot& shot) {
  if (!question_.autonomous) return 1;
  constexpr double back = 1e-7;
  const Loop& loop = shot.loop;
  std::vector<State> states;
  State y = loop.nodes.front();
  const double h = loop.period / static_cast<double>(loop.steps);
  for (std::int64_t k = 0; k < loop.steps; ++k) {
    states.push_back(y);
    auto next = model_.stepped(y, question_.time + static_cast<double>(k) * h, h);
    if (!next) return 1;
    y = std::move(*next);
  }
  for (const std::int64_t parts : {6, 5, 4, 3, 2}) {
    const auto z = model_.difference(states.front(), states[static_cast<std::size_t>(loop.steps / parts)]);
    if (z && z->cwiseQuotient(shot.sizes).cwiseAbs().maxCoeff() <= back) return parts;
  }
  return 1;
}

/// Multipliers that are 1 for a reason are taken out before eigenvalues are computed: together they are a Jordan block,
/// whose eigenvalues rounding scatters.
void OrbitSearch::judge(Orbit& orbit, const Shot& shot) {
  orbit.end = OrbitEnd::Found;
  orbit.loop = shot.loop;
  orbit.closing = shot.closing;
  orbit.turns = shot.turns;
  const Matrix& m = shot.monodromy;
  const Eigen::Index d = m.cols();
  const double size = std::max(m.norm(), 1.0);
  const Matrix change = (m - Matrix::Identity(d, d)) / size;
  const Matrix along = nullSpace(change, returning), across = nullSpace(change.transpose(), returning);
  const Matrix rest = reduced(m, along, across);
  orbit.multipliers = eigenvaluesOf(rest, roundedProduct);
  orbit.ones = d - rest.cols();
  Matrix known(d, 0);
  const auto explain = [&](Vector v, const std::string& reason) {
    if (!(v.norm() > 1e-9)) return;
    v.normalize();
    if ((along * (along.transpose() * v) - v).norm() > 1e-4) return;
    Vector own = v;
    for (int pass = 0; pass < 2; ++pass) own -= known * (known.transpose() * own);
    if (own.norm() < 1e-6) return; // the same direction once more
    orbit.reasons.push_back(reason);
    known.conservativeResize(Eigen::NoChange, known.cols() + 1);
    known.col(known.cols() - 1) = own.normalized();
  };
  const State& y = shot.loop.nodes.front();
  const auto coordinates = [&](const Vector& z) -> Vector {
    return shot.basis.transpose() * z.cwiseQuotient(shot.sizes);
  };
  if (question_.autonomous)
    if (const auto rate = model_.rate(y, question_.time)) explain(coordinates(*rate), "along the motion");
  for (const Generator& g : generators_)
    if (const auto z = motions_.at(model_, g, y)) explain(coordinates(*z), g.name);
  orbit.unexplained = along.cols() - known.cols();
  const bool hasEnergy = space_.system().energy != nullptr;
  if (const auto gradient = hasEnergy ? model_.outputsByState(y, question_.time) : std::nullopt) {
    Vector v = shot.basis.transpose() * gradient->row(0).transpose().cwiseProduct(shot.sizes);
    if (v.norm() > 1e-12 && (across * (across.transpose() * v) - v).norm() <= 1e-4 * v.norm())
      orbit.reasons.emplace_back("energy");
  }
}

/// Where the motion is after whole periods: first what comes back a period later by the least. So a motion that settles
/// is found where it has settled, and one that never does near motions that return, stable or not.
std::vector<State> OrbitSearch::nearlyReturning(const State& y, double period) {
  constexpr std::int64_t periods = 40, steps = 240;
  constexpr std::size_t most = 6;
  const double h = period / static_cast<double>(steps);
  const auto aPeriodLater = [&](State now, std::int64_t k) -> std::optional<State> {
    for (std::int64_t i = k * steps; i < (k + 1) * steps; ++i) {
      auto next = model_.stepped(now, question_.time + static_cast<double>(i) * h, h);
      if (!next) return std::nullopt;
      now = std::move(*next);
    }
    return now;
  };
  std::vector<std::pair<double, State>> list;
  State now = y;
  for (std::int64_t k = 0; k < periods; ++k) {
    auto next = aPeriodLater(now, k);
    if (!next) break;
    const auto gap = model_.difference(now, *next);
    const Vector sizes = coordinateSizes(model_, space_, now).cwiseMax(coordinateSizes(model_, space_, *next));
    now = std::move(*next);
    // What is too far apart for a difference comes behind all others.
    list.emplace_back(gap ? gap->cwiseQuotient(sizes).cwiseAbs().maxCoeff() : INFINITY, now);
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<State> states;
  for (std::size_t k = 0; k < std::min(most, list.size()); ++k) states.push_back(std::move(list[k].second));
  return states;
}

Orbit OrbitSearch::from(const State& y) {
  State start = y;
  double period = question_.period.value_or(0);
  if (!question_.period) {
    Orbit none;
    const auto back = watched(y, none.status);
    if (!back) {
      none.end = none.status != runtime::Ok ? OrbitEnd::LeftDomain : OrbitEnd::NoReturn;
      return none;
    }
    start = back->y;
    period = back->period;
  }
  Orbit orbit = refined(start, period);
  if (orbit.end != OrbitEnd::Found && question_.period)
    for (const State& later : nearlyReturning(y, period)) {
      Orbit other = refined(later, period);
      if (other.end != OrbitEnd::Found) continue;
      orbit = std::move(other);
      break;
    }
  if (orbit.end == OrbitEnd::Found) {
    while (true) { // a part of the period may have parts, as of eight turns
      Shot shot;
      shot.loop = orbit.loop;
      shot.sizes = coordinateSizes(model_, space_, orbit.loop.nodes.front());
      orbit.repeats = repeatsOf(shot);
      if (orbit.repeats == 1) break;
      Orbit once = refined(orbit.loop.nodes.front(), orbit.loop.period / static_cast<double>(orbit.repeats));
      if (once.end != OrbitEnd::Found) break;
      orbit = std::move(once);
    }
    lookAtNumbers(orbit);
  }
  return orbit;
}

/// Follows two periods, section by section, so that a motion that is not stable does not leave: with the numbers beside
/// the coordinates of the begin, and with what the first period has made of them.
void OrbitSearch::lookAtNumbers(Orbit& orbit) {
  if (!model_.jumps()) return;
  const std::vector<State>& nodes = orbit.loop.nodes;
  const std::int64_t count = orbit.loop.steps / static_cast<std::int64_t>(nodes.size());
  const double h = orbit.loop.period / static_cast<double>(orbit.loop.steps);
  Vector sizes = coordinateSizes(model_, space_, nodes.front()); // along the motion: it may begin where one is zero
  for (const State& y : nodes) sizes = sizes.cwiseMax(coordinateSizes(model_, space_, y));
  const auto& others = model_.problem().jumps->others;
  std::set<std::int64_t> ofContacts;
  for (const runtime::ContactRule& r : model_.problem().problem.contacts.list) {
    ofContacts.insert({r.mode, r.speed, r.impulse});
    for (std::int64_t i = 0; i < r.tangents; ++i) ofContacts.insert({r.memory + i, r.friction + i});
  }
  State now = nodes.front();
  for (const bool second : {false, true}) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      State y = nodes[i];
      for (const std::int64_t k : others) y[static_cast<std::size_t>(k)] = now[static_cast<std::size_t>(k)];
      for (std::int64_t k = 0; k < count; ++k) {
        const auto step = static_cast<std::int64_t>(i) * count + k + (second ? orbit.loop.steps : 0);
        auto next = model_.stepped(y, question_.time + static_cast<double>(step) * h, h);
        if (!next) {
          orbit.again = INFINITY;
          return;
        }
        y = std::move(*next);
      }
      now = std::move(y);
      const auto gap = second ? model_.difference(nodes[(i + 1) % nodes.size()], now) : std::nullopt;
      if (second) orbit.again = gap ? std::max(orbit.again, gap->cwiseQuotient(sizes).cwiseAbs().maxCoeff()) : INFINITY;
    }
    if (second) return;
    for (const std::int64_t k : others) {
      const auto place = static_cast<std::size_t>(k);
      if (!ofContacts.contains(k) && now[place] != nodes.front()[place])
        orbit.carried.push_back({place, nodes.front()[place], now[place]});
    }
    if (orbit.carried.empty()) return;
  }
}

/// The motion from a state, with shorter steps where they fail; empty where all do.
std::vector<State> OrbitSearch::followed(const State& y, std::int32_t& status) {
  constexpr std::int64_t most = 100'000;
  constexpr int halvings = 6;
  for (int attempt = 0; attempt <= halvings && !model_.late(); ++attempt, question_.step /= 2) {
    std::vector<State> states{y};
    const auto count = std::min<std::int64_t>(most, static_cast<std::int64_t>(question_.span / question_.step));
    status = runtime::Ok;
    for (std::int64_t k = 0; k < count && status == runtime::Ok; ++k) {
      const double t = question_.time + static_cast<double>(k) * question_.step;
      auto next = model_.stepped(states.back(), t, question_.step);
      if (next)
        states.push_back(std::move(*next));
      else
        status = model_.status() != runtime::Ok ? model_.status() : static_cast<std::int32_t>(runtime::NoConvergence);
    }
    if (status == runtime::Ok) return states;
  }
  return {};
}

/// The motion from a state, and where it comes back to a state that it has been at: its begin, or its end, where it may
/// have settled.
std::optional<OrbitSearch::Return> OrbitSearch::watched(const State& y, std::int32_t& status) {
  constexpr double left = 0.4, near = 0.05, nearest = 0.25;
  const std::vector<State> states = followed(y, status);
  if (states.empty()) return std::nullopt;
  std::vector<bool> counts(y.size(), true); // what is no coordinate need not come back
  if (model_.jumps())
    for (const std::int64_t k : model_.problem().jumps->others) counts[static_cast<std::size_t>(k)] = false;
  const auto distance = [&](const State& a, const State& b, const State& units) {
    double d = 0;
    for (std::size_t k = 0; k < units.size(); ++k)
      if (counts[k]) d = std::max(d, std::abs(a[k] - b[k]) / units[k]);
    return d;
  };
  // From the begin forwards (1) or from the end backwards (-1); units are the extents of that half of the motion.
  const auto search = [&](bool backwards) -> std::optional<Return> {
    const std::size_t n = states.size();
    const auto at = [&](std::size_t k) -> const State& { return states[backwards ? n - 1 - k : k]; };
    const std::size_t half = std::max<std::size_t>(n / 2, 2);
    State low = at(0), high = at(0);
    for (std::size_t k = 0; k < std::min(half, n); ++k)
      for (std::size_t i = 0; i < low.size(); ++i) {
        low[i] = std::min(low[i], at(k)[i]);
        high[i] = std::max(high[i], at(k)[i]);
      }
    State units(low.size());
    double extent = 0;
    for (std::size_t i = 0; i < low.size(); ++i)
      if (counts[i]) extent = std::max(extent, high[i] - low[i]);
    if (!(extent > 0)) return std::nullopt;
    for (std::size_t i = 0; i < low.size(); ++i) units[i] = std::max(high[i] - low[i], 1e-3 * extent);
    std::optional<Return> best;
    bool away = false;
    double before = 0, here = 0;
    for (std::size_t k = 1; k + 1 < n; ++k) {
      here = distance(at(k), at(0), units);
      away = away || here > left;
      const bool minimum = away && here <= before && here <= distance(at(k + 1), at(0), units);
      before = here;
      if (!minimum || here > nearest || (best && here >= best->distance)) continue;
      best = Return{at(backwards ? k : 0), question_.step * static_cast<double>(k), here};
      if (here < near) break;
    }
    return best;
  };
  auto first = search(false), last = search(true);
  if (first && (first->distance < near || !last || first->distance <= last->distance)) return first;
  return last ? last : first;
}

} // namespace lmc::checks
