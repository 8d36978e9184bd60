#include "checks/model/DerivativeCheck.h"

#include "checks/model/Balances.h"
#include "mechanics/system/Regular.h"

namespace lmc::checks {

namespace {

/// Random directions per variable, at most one per coordinate.
constexpr std::size_t directions = 4;

double paired(const std::vector<double>& a, std::size_t first, const Direction& eta, std::size_t place,
              std::size_t count) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += a[first + k] * eta[place + k];
  return sum;
}

} // namespace

bool Disagreement::holds() const {
  return error <= derivativeTolerance;
}

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
double DerivativeCheck::pointDerivative(products::ModelFunctions::Function f, const Point& at, std::size_t v,
                                        const Direction& eta, double step) {
  const Variable& x = s_.variables()[v];
  return difference(
      [&](double s) {
        State moved = s_.moved(at.y, eta, s);
        for (std::size_t k = 0; x.hasFiber() && k < x.size; ++k) moved[x.fiberState + k] = at.y[x.fiberState + k];
        return s_.call(f, moved, at.t, {}, at.y)[0];
      },
      step * s_.pointScale(x, at.y));
}

/// <F, eta>: of constraints, of forces at points by their virtual work, of generalized forces, of the dissipation.
void DerivativeCheck::addForce(Balance& b, const Point& at, std::size_t v, const Direction& eta, double step) {
  b.right(s_.call(direct_, at.y, at.t, eta)[0]);
  if (!rows_.empty()) { // one by one: on a rod without mass they balance each other
    const std::vector<double> change = constraintChange(at, v, eta, step);
    for (std::size_t k = 0; k < rows_.size(); ++k) b.right(at.multipliers[k] * change[k]);
  }
  if (!m_.forcesAt.empty()) b.right(pointDerivative(work_, at, v, eta, step));
  if (m_.dissipations.empty()) return;
  const Variable& x = s_.variables()[v];
  double scale = 0;
  for (std::size_t k = 0; k < x.size; ++k) scale = std::max(scale, std::abs(at.velocity[x.points + k]));
  b.left(difference(
      [&](double s) {
        Direction velocity = at.velocity;
        for (std::size_t k = 0; k < x.size; ++k) velocity[x.points + k] += s * eta[x.points + k];
        return s_.call(damping_, at.y, at.t, velocity)[0];
      },
      10 * step * (scale > 0 ? scale : 1)));
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

DerivativeCheck::Balance DerivativeCheck::lagrangian(const Point& at, std::size_t v, const Direction& eta,
                                                     double step) {
  const Variable& x = s_.variables()[v];
  Balance b;
  const double width = 10 * step * s_.velocityScale(x, at.y, at.rate);
  b.left(
      difference([&](double s) { return fiberDerivative(horizontals_.along(at.y, at.f, s), at.t + s, v, eta, width); },
                 step / at.rate));
  const std::vector<double> brackets = s_.call(bracket_, at.y, at.t, eta);
  Direction along = eta;
  const std::size_t place = placeAmongFactors(s_.variables(), v);
  for (std::size_t k = 0; k < x.size; ++k) along[x.points + k] = brackets[place + k];
  b.right((x.frame == sema::Frame::Body ? 1 : -1) * fiberDerivative(at, v, along, step));
  b.right(pointDerivative(generating_, at, v, eta, step));
  addForce(b, at, v, eta, step);
  b.size += at.rate * std::abs(fiberDerivative(at, v, eta, step)); // a free motion has no other term
  return b;
}

/// d/ds of L or H where the points of v are moved by exp(s eta), velocity or momentum carried along.
double DerivativeCheck::carriedDerivative(const Point& at, std::size_t v, const Direction& eta, double step) {
  return difference([&](double s) { return s_.call(generating_, horizontals_.carried(at.y, eta, v, s), at.t)[0]; },
                    step * s_.pointScale(s_.variables()[v], at.y));
}

/// The same as `lagrangian` for the points of a homogeneous manifold.
DerivativeCheck::Balance DerivativeCheck::lagrangianOfPoints(const Point& at, std::size_t v, const Direction& eta,
                                                             double step) {
  const double width = 10 * step * s_.velocityScale(s_.variables()[v], at.y, at.rate);
  const auto momentum = [&](double s) {
    const State y = horizontals_.along(at.y, at.f, s);
    return fiberDerivative(y, at.t + s, v, horizontals_.horizontal(y, v, eta), width);
  };
  const Direction own = horizontals_.horizontal(at.y, v, eta);
  Balance b;
  b.left(difference(momentum, step / at.rate));
  b.right(carriedDerivative(at, v, eta, step));
  addForce(b, at, v, own, step);
  b.size += at.rate * std::abs(fiberDerivative(at, v, own, step)); // a free motion has no other term
  return b;
}

/// <eta, xi'> = d/dt <eta, P xi>, with any eta: the velocity stays horizontal.
DerivativeCheck::Balance DerivativeCheck::staysHorizontal(const Point& at, std::size_t v, const Direction& eta,
                                                          double step) {
  const Variable& x = s_.variables()[v];
  const auto value = [&](double s) {
    return paired(horizontals_.along(at.y, at.f, s), x.fiberState, eta, x.points, x.size);
  };
  Balance b;
  b.left(paired(at.f, x.fibers, eta, x.points, x.size));
  b.right(difference(value, step / at.rate));
  b.size += at.rate * std::abs(value(0));
  return b;
}

/// xi · eta = D_mu H · P^T eta.
DerivativeCheck::Balance DerivativeCheck::horizontalRate(const Point& at, std::size_t v, const Direction& eta,
                                                         double step) {
  const Variable& x = s_.variables()[v];
  Balance b;
  b.left(paired(at.f, x.points, eta, x.points, x.size));
  b.right(fiberDerivative(at, v, horizontals_.annihilating(at.y, v, eta), step));
  return b;
}

/// The same as `hamiltonianForce` for the points of a homogeneous manifold.
DerivativeCheck::Balance DerivativeCheck::forceOfPoints(const Point& at, std::size_t v, const Direction& eta,
                                                        double step) {
  const Variable& x = s_.variables()[v];
  Balance b;
  b.left(paired(at.f, x.fibers, eta, x.points, x.size));
  b.right(-carriedDerivative(at, v, eta, step));
  addForce(b, at, v, horizontals_.horizontal(at.y, v, eta), step);
  b.size += at.rate * std::abs(paired(at.y, x.fiberState, eta, x.points, x.size));
  return b;
}

/// xi · eta = D_mu H · eta.
DerivativeCheck::Balance DerivativeCheck::hamiltonianRate(const Point& at, std::size_t v, const Direction& eta,
                                                          double step) {
  const Variable& x = s_.variables()[v];
  Balance b;
  b.left(paired(at.f, x.points, eta, x.points, x.size));
  b.right(fiberDerivative(at, v, eta, step));
  return b;
}

/// mu' · eta = ± <mu, [xi, eta]> - D_g H · eta + <F, eta>.
DerivativeCheck::Balance DerivativeCheck::hamiltonianForce(const Point& at, std::size_t v, const Direction& eta,
                                                           double step) {
  const Variable& x = s_.variables()[v];
  const std::vector<double> brackets = s_.call(bracket_, at.y, at.t, eta);
  Balance b;
  b.left(paired(at.f, x.fibers, eta, x.points, x.size));
  const double momentum = paired(at.y, x.fiberState, brackets, placeAmongFactors(s_.variables(), v), x.size);
  b.right((x.frame == sema::Frame::Body ? 1 : -1) * momentum);
  b.right(-pointDerivative(generating_, at, v, eta, step));
  addForce(b, at, v, eta, step);
  b.size += at.rate * std::abs(paired(at.y, x.fiberState, eta, x.points, x.size));
  return b;
}

/// mu' · eta = ± <mu, [D_mu H, eta]> = -(±) D_mu H · ad*_eta mu.
DerivativeCheck::Balance DerivativeCheck::liePoisson(const Point& at, std::size_t v, const Direction& eta,
                                                     double step) {
  const Variable& x = s_.variables()[v];
  const std::vector<double> moved = s_.call(coadjoint_.at(v), at.y, at.t, eta);
  Direction along(eta.size(), 0.0);
  std::copy(moved.begin(), moved.end(), along.begin() + static_cast<std::ptrdiff_t>(x.fibers));
  Balance b;
  b.left(paired(at.f, x.fibers, eta, x.fibers, x.size));
  b.right((x.frame == sema::Frame::Body ? -1 : 1) * fiberDerivative(at, v, along, step));
  b.size += at.rate * std::abs(paired(at.y, x.fiberState, eta, x.fibers, x.size));
  return b;
}

/// dE/dt = <F, xi> - dl/dt (or + dH/dt), where t and the states with a flow of their own are moved, the factors fixed.
DerivativeCheck::Balance DerivativeCheck::energy(const Point& at, double step) {
  const auto along = [&](products::ModelFunctions::Function f, const Direction& d, double time) {
    return difference(
        [&](double s) { return s_.call(f, horizontals_.along(at.y, d, s), at.t + time * s, {}, at.y)[0]; },
        step / at.rate);
  };
  Balance b;
  b.left(along(*energy_, at.f, 1));
  Direction motion(at.f.size(), 0.0), others(at.f.size(), 0.0);
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    const bool coadjoint = v.kind == methods::PhaseKind::Dual && !m_.states[v.index].given;
    Direction& d = v.isFactor() ? motion : others;
    if (coadjoint) continue;
    for (std::size_t i = 0; v.hasPoint() && i < v.size; ++i) d[v.points + i] = at.f[v.points + i];
    for (std::size_t i = 0; !v.isFactor() && v.hasFiber() && i < v.size; ++i) d[v.fibers + i] = at.f[v.fibers + i];
    if (!v.isFactor()) continue;
    Direction xi(at.f.size(), 0.0);
    for (std::size_t i = 0; i < v.size; ++i) xi[v.points + i] = at.f[v.points + i];
    addForce(b, at, k, xi, step / std::max(1.0, at.rate));
  }
  b.right((m_.lagrangian ? -1 : 1) * along(generating_, others, 1));
  b.size += at.rate * std::abs(s_.call(*energy_, at.y, at.t)[0]);
  return b;
}

std::vector<DerivativeCheck::Equation> DerivativeCheck::equationsOf(std::size_t variable) const {
  const Variable& v = s_.variables()[variable];
  if (isLiePoisson(v)) return {&DerivativeCheck::liePoisson};
  if (!v.isFactor()) return {};
  if (horizontals_.has(variable)) {
    if (m_.lagrangian) return {&DerivativeCheck::lagrangianOfPoints, &DerivativeCheck::staysHorizontal};
    return {&DerivativeCheck::horizontalRate, &DerivativeCheck::forceOfPoints};
  }
  if (m_.lagrangian) return {&DerivativeCheck::lagrangian};
  return {&DerivativeCheck::hamiltonianRate, &DerivativeCheck::hamiltonianForce};
}

std::vector<DerivativeCheck::Point> DerivativeCheck::pointsAt(const std::vector<std::pair<State, double>>& states) {
  const std::vector<double> rates = s_.rates(states);
  std::vector<Point> points;
  for (const auto& [y, t] : states) {
    Point at{horizontals_.settled(y), t, {}, Direction(s_.directionSize(), 0.0), rates[points.size()], {}, {}};
    at.f = s_.field(at.y, t);
    for (const Variable& v : s_.variables()) {
      if (!v.isFactor()) continue;
      for (std::size_t k = 0; k < v.size; ++k) at.velocity[v.points + k] = at.f[v.points + k];
    }
    if (!rows_.empty()) {
      at.multipliers = s_.call(*multipliers_, at.y, t);
      at.inactive = s_.call(*inactive_, at.y, t);
    }
    points.push_back(std::move(at));
  }
  return points;
}

Direction DerivativeCheck::randomDirection(std::size_t v, std::mt19937_64& engine) {
  const Variable& x = s_.variables()[v];
  std::normal_distribution<double> normal;
  Direction eta(s_.directionSize(), 0.0);
  for (std::size_t k = 0; k < x.size; ++k) eta[x.points + k] = normal(engine);
  return eta;
}

std::vector<DerivativeCheck::Comparison> DerivativeCheck::comparisonsOf(std::size_t v, const std::vector<Point>& points,
                                                                        std::mt19937_64& engine) {
  const std::vector<Equation> equations = equationsOf(v);
  std::vector<Comparison> comparisons(equations.size());
  for (const Point& at : points) {
    for (std::size_t n = 0; n < std::min(directions, s_.variables()[v].size); ++n) {
      const Direction eta = randomDirection(v, engine);
      for (std::size_t k = 0; k < equations.size(); ++k)
        comparisons[k].add([&](double step) { return (this->*equations[k])(at, v, eta, step); });
    }
  }
  return comparisons;
}

std::vector<Disagreement> DerivativeCheck::run(const std::vector<std::pair<State, double>>& states,
                                               std::mt19937_64& engine) {
  std::vector<Disagreement> result;
  if (!m_.lagrangian && !m_.hamiltonian) return result;
  const std::vector<Point> points = pointsAt(states);
  std::vector<std::pair<std::string, std::vector<Comparison>>> all;
  double largest = 0;
  for (std::size_t v = 0; v < s_.variables().size(); ++v) {
    if (equationsOf(v).empty()) continue;
    all.emplace_back(s_.variables()[v].name, comparisonsOf(v, points, engine));
    for (const Comparison& c : all.back().second) largest = std::max(largest, c.largest());
  }
  // What has no mass may feel no force at all: its terms are rounding of those of what it hangs on.
  const double floor = mechanics::isHeld(s_.system()) ? roundingOfOthers * largest : 0;
  for (const auto& [name, comparisons] : all) {
    double worst = 0;
    for (const Comparison& c : comparisons) worst = std::max(worst, c.error(floor));
    result.push_back({name, worst});
  }
  for (Disagreement& d : constraintsKept(points)) result.push_back(std::move(d));
  if (!energy_) return result;
  Comparison c;
  for (const Point& at : points) c.add([&](double step) { return energy(at, step); });
  result.push_back({"energy", c.error()});
  return result;
}

} // namespace lmc::checks
