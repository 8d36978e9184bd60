// States on which constraints hold, for checks: no Jacobian that derivation made is used.
#include "checks/states/StateSpace.h"

#include "linear/Decompositions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::checks {

namespace {

constexpr int mostTurns = 40, mostHalvings = 20;
/// Of differences, in units of what is moved.
constexpr double width = 1e-5;
/// A state is on the constraints where no equation is off by more, in units of what changes of size one make of it.
constexpr double reached = 1e-11, exactly = 1e-15;
/// Equations whose pivots are smaller follow from others.
constexpr double dependent = 1e-9;

} // namespace

std::vector<double> StateSpace::constraints(const State& y, double t) {
  return constraints_ ? call(*constraints_, y, t) : std::vector<double>{};
}

std::optional<State> StateSpace::onConstraints(const State& y, double t) {
  if (!constraints_) return y;
  const std::optional<State> points = satisfied(y, t, true);
  return points ? satisfied(*points, t, false) : std::nullopt;
}

/// Newton's method on c by the points, or on the rates by what follows them.
std::optional<State> StateSpace::satisfied(State y, double t, bool points) {
  struct Column {
    std::size_t place;
    double scale;
  };
  std::vector<Column> columns;
  for (const Variable& v : variables_) {
    if (!v.isFactor()) continue;
    const double scale = points ? pointScale(v, y) : fiberScale(v, y);
    for (std::size_t k = 0; k < v.size; ++k) columns.push_back({(points ? v.points : v.fibers) + k, scale});
  }
  const auto residual = [&](const State& at) -> Eigen::VectorXd {
    const std::vector<double> all = constraints(at, t);
    const Eigen::Index half = static_cast<Eigen::Index>(all.size()) / 2;
    return Eigen::Map<const Eigen::VectorXd>(all.data(), 2 * half).segment(points ? 0 : half, half);
  };
  const auto along = [&](const State& at, const Eigen::VectorXd& change, double part) {
    Direction d(directionSize_, 0.0);
    for (std::size_t k = 0; k < columns.size(); ++k)
      d[columns[k].place] = part * columns[k].scale * change[static_cast<Eigen::Index>(k)];
    return moved(at, d);
  };
  const auto n = static_cast<Eigen::Index>(columns.size());
  Eigen::VectorXd c = residual(y);
  double off = c.size() > 0 ? std::numeric_limits<double>::infinity() : 0;
  for (int turn = 0; turn < mostTurns && c.allFinite(); ++turn) {
    Eigen::MatrixXd slopes(c.size(), n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(n, k);
      slopes.col(k) = (residual(along(y, unit, width)) - residual(along(y, unit, -width))) / (2 * width);
    }
    if (!slopes.allFinite()) return std::nullopt;
    off = 0;
    for (Eigen::Index i = 0; i < c.size(); ++i)
      if (const double size = slopes.row(i).norm(); size > 0 || c[i] != 0)
        off = std::max(off, std::abs(c[i]) / std::max(size, 1e-3));
    if (off <= exactly) break;
    const Eigen::VectorXd change = linear::shortestSolution(slopes, -c, dependent);
    double part = 1;
    bool better = false;
    for (int k = 0; k < mostHalvings && !better; ++k, part /= 2) {
      const State next = along(y, change, part);
      const Eigen::VectorXd then = residual(next);
      better = then.allFinite() && then.norm() < c.norm();
      if (!better) continue;
      y = next;
      c = then;
    }
    if (!better) break;
  }
  return off <= reached ? std::optional(std::move(y)) : std::nullopt;
}

} // namespace lmc::checks
