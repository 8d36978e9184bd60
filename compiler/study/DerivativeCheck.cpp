#include "study/DerivativeCheck.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::study {

namespace {

/// The derivative at 0 of a function of one number, by a central difference of order 4.
template <class F> double difference(const F& f, double step) {
  return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
}

/// Of several step widths the one that shows the least disagreement counts: what is wrong is wrong at all of them.
constexpr double stepWidths[] = {1e-2, 1e-3, 1e-4, 1e-5};
/// Random directions per variable, at most one per coordinate.
constexpr std::size_t directions = 4;

double pairing(const std::vector<double>& a, std::size_t first, const Direction& eta, std::size_t place,
               std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += a[first + k] * eta[place + k];
  return sum;
}

double infinite() {
  return std::numeric_limits<double>::infinity();
}

} // namespace

bool Disagreement::holds() const {
  return error <= derivativeTolerance;
}

struct DerivativeCheck::Point {
  const State& y;
  double t;
  Direction f;        ///< the computed motion
  Direction velocity; ///< xi of all factors, in place of u; zero elsewhere
  double rate;
};

/// left = sum of terms, and how far it is from that.
struct DerivativeCheck::Balance {
  double difference = 0, size = 0;
  void left(double x) { add(x, 1); }
  void right(double x) { add(x, -1); }
  [[nodiscard]] double error() const {
    if (!std::isfinite(difference)) return infinite();
    return size > 0 ? std::abs(difference) / size : 0;
  }

private:
  void add(double x, double sign) {
    difference += sign * x;
    size += std::abs(x);
  }
};

/// D l · eta with respect to velocities or momenta; eta is in the place of u of variable v.
double DerivativeCheck::fiberDerivative(const State& y, double t, std::size_t v, const Direction& eta, double width) {
  const Variable& x = s_.variables()[v];
  return difference(
      [&](double s) {
        State moved = y;
        for (std::size_t k = 0; k < x.size; ++k) moved[x.fiberState + k] += s * eta[x.points + k];
        return generating(moved, t);
      },
      width);
}

double DerivativeCheck::fiberDerivative(const Point& at, std::size_t v, const Direction& eta, double step) {
  return fiberDerivative(at.y, at.t, v, eta, 10 * step * s_.velocityScale(s_.variables()[v], at.y, at.rate));
}

/// D f · eta with respect to the points of variable v, what follows them held fixed.
double DerivativeCheck::pointDerivative(Evaluator::Function f, const Point& at, std::size_t v, const Direction& eta,
                                        double step) {
  const Variable& x = s_.variables()[v];
  return difference(
      [&](double s) {
        State moved = s_.moved(at.y, eta, s);
        for (std::size_t k = 0; x.hasFiber() && k < x.size; ++k) moved[x.fiberState + k] = at.y[x.fiberState + k];
        return s_.call(f, moved, at.t, {}, at.y)[0];
      },
      step * s_.pointScale(x, at.y));
}

/// <F, eta>: of forces at points by their virtual work, of generalized forces, of the dissipation.
double DerivativeCheck::force(const Point& at, std::size_t v, const Direction& eta, double step) {
  double sum = s_.call(direct_, at.y, at.t, eta)[0];
  if (!m_.forcesAt.empty()) sum += pointDerivative(work_, at, v, eta, step);
  if (m_.dissipations.empty()) return sum;
  const Variable& x = s_.variables()[v];
  double scale = 0;
  for (std::size_t k = 0; k < x.size; ++k) scale = std::max(scale, std::abs(at.velocity[x.points + k]));
  return sum - difference(
                   [&](double s) {
                     Direction velocity = at.velocity;
                     for (std::size_t k = 0; k < x.size; ++k) velocity[x.points + k] += s * eta[x.points + k];
                     return s_.call(damping_, at.y, at.t, velocity)[0];
                   },
                   10 * step * (scale > 0 ? scale : 1));
}

namespace {
/// The place of a factor's numbers among those of all factors.
std::size_t placeAmongFactors(const std::vector<Variable>& variables, std::size_t v) {
  std::size_t place = 0;
  for (std::size_t k = 0; k < v; ++k)
    if (variables[k].isFactor()) place += variables[k].size;
  return place;
}
} // namespace

double DerivativeCheck::lagrangian(const Point& at, std::size_t v, const Direction& eta, double step) {
  const Variable& x = s_.variables()[v];
  Balance b;
  const double width = 10 * step * s_.velocityScale(x, at.y, at.rate);
  b.left(difference([&](double s) { return fiberDerivative(s_.moved(at.y, at.f, s), at.t + s, v, eta, width); },
                    step / at.rate));
  const std::vector<double> brackets = s_.call(bracket_, at.y, at.t, eta);
  Direction along = eta;
  const std::size_t place = placeAmongFactors(s_.variables(), v);
  for (std::size_t k = 0; k < x.size; ++k) along[x.points + k] = brackets[place + k];
  b.right((x.frame == Frame::Body ? 1 : -1) * fiberDerivative(at, v, along, step));
  b.right(pointDerivative(generating_, at, v, eta, step));
  b.right(force(at, v, eta, step));
  b.size += at.rate * std::abs(fiberDerivative(at, v, eta, step)); // a free motion has no other term
  return b.error();
}

double DerivativeCheck::hamiltonian(const Point& at, std::size_t v, const Direction& eta, double step) {
  const Variable& x = s_.variables()[v];
  Balance rate;
  rate.left(pairing(at.f, x.points, eta, x.points, x.size));
  rate.right(fiberDerivative(at, v, eta, step));
  const std::vector<double> brackets = s_.call(bracket_, at.y, at.t, eta);
  Balance change;
  change.left(pairing(at.f, x.fibers, eta, x.points, x.size));
  const double momentum = pairing(at.y, x.fiberState, brackets, placeAmongFactors(s_.variables(), v), x.size);
  change.right((x.frame == Frame::Body ? 1 : -1) * momentum);
  change.right(-pointDerivative(generating_, at, v, eta, step));
  change.right(force(at, v, eta, step));
  change.size += at.rate * std::abs(pairing(at.y, x.fiberState, eta, x.points, x.size));
  return std::max(rate.error(), change.error());
}

/// mu' · eta = ± <mu, [D_mu H, eta]> = -(±) D_mu H · ad*_eta mu.
double DerivativeCheck::liePoisson(const Point& at, std::size_t v, const Direction& eta, double step) {
  const Variable& x = s_.variables()[v];
  const std::vector<double> moved = s_.call(coadjoint_.at(v), at.y, at.t, eta);
  Direction along(eta.size(), 0.0);
  std::copy(moved.begin(), moved.end(), along.begin() + static_cast<std::ptrdiff_t>(x.fibers));
  Balance b;
  b.left(pairing(at.f, x.fibers, eta, x.fibers, x.size));
  b.right((x.frame == Frame::Body ? -1 : 1) * fiberDerivative(at, v, along, step));
  b.size += at.rate * std::abs(pairing(at.y, x.fiberState, eta, x.fibers, x.size));
  return b.error();
}

/// dE/dt = <F, xi> - dl/dt (or + dH/dt), where t and the states with a flow of their own are moved, the factors fixed.
double DerivativeCheck::energy(const Point& at, double step) {
  const auto along = [&](Evaluator::Function f, const Direction& d, double time) {
    return difference([&](double s) { return s_.call(f, s_.moved(at.y, d, s), at.t + time * s, {}, at.y)[0]; },
                      step / at.rate);
  };
  Balance b;
  b.left(along(*energy_, at.f, 1));
  Direction motion(at.f.size(), 0.0), others(at.f.size(), 0.0);
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    const bool coadjoint = v.kind == PhaseKind::Dual && !m_.states[v.index].given;
    Direction& d = v.isFactor() ? motion : others;
    if (coadjoint) continue;
    for (std::size_t i = 0; v.hasPoint() && i < v.size; ++i) d[v.points + i] = at.f[v.points + i];
    for (std::size_t i = 0; !v.isFactor() && v.hasFiber() && i < v.size; ++i) d[v.fibers + i] = at.f[v.fibers + i];
    if (!v.isFactor()) continue;
    Direction xi(at.f.size(), 0.0);
    for (std::size_t i = 0; i < v.size; ++i) xi[v.points + i] = at.f[v.points + i];
    b.right(force(at, k, xi, step / std::max(1.0, at.rate)));
  }
  b.right((m_.lagrangian ? -1 : 1) * along(generating_, others, 1));
  b.size += at.rate * std::abs(s_.call(*energy_, at.y, at.t)[0]);
  return b.error();
}

std::vector<Disagreement> DerivativeCheck::run(const std::vector<std::pair<State, double>>& states,
                                               std::mt19937_64& engine) {
  std::vector<Disagreement> result;
  if (!m_.lagrangian && !m_.hamiltonian) return result;
  std::normal_distribution<double> normal;
  const auto best = [](const auto& error) {
    double least = infinite();
    for (const double step : stepWidths) least = std::min(least, error(step));
    return least;
  };
  const auto pointAt = [&](const State& y, double t) {
    Point at{y, t, s_.field(y, t), Direction(s_.directionSize(), 0.0), 1};
    at.rate = s_.rate(y, at.f);
    for (const Variable& v : s_.variables()) {
      if (!v.isFactor()) continue;
      for (std::size_t k = 0; k < v.size; ++k) at.velocity[v.points + k] = at.f[v.points + k];
    }
    return at;
  };
  for (std::size_t v = 0; v < s_.variables().size(); ++v) {
    const Variable& x = s_.variables()[v];
    if (!x.isFactor() && !isLiePoisson(x)) continue;
    Disagreement d{x.name, 0};
    for (const auto& [y, t] : states) {
      const Point at = pointAt(y, t);
      for (std::size_t n = 0; n < std::min(directions, x.size); ++n) {
        Direction eta(s_.directionSize(), 0.0);
        for (std::size_t k = 0; k < x.size; ++k) eta[x.points + k] = normal(engine);
        if (x.isFactor()) {
          const std::vector<double> horizontal = s_.call(projected_, y, t, eta);
          const std::size_t place = placeAmongFactors(s_.variables(), v);
          for (std::size_t k = 0; k < x.size; ++k) eta[x.points + k] = horizontal[place + k];
        }
        d.error = std::max(d.error, best([&](double step) {
                             return !x.isFactor()   ? liePoisson(at, v, eta, step)
                                    : m_.lagrangian ? lagrangian(at, v, eta, step)
                                                    : hamiltonian(at, v, eta, step);
                           }));
      }
    }
    result.push_back(d);
  }
  if (!energy_) return result;
  Disagreement d{"energy", 0};
  for (const auto& [y, t] : states) {
    const Point at = pointAt(y, t);
    d.error = std::max(d.error, best([&](double step) { return energy(at, step); }));
  }
  result.push_back(d);
  return result;
}

} // namespace lmc::study
