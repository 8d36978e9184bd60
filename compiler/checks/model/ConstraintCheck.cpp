// The part of the check of equations that is about constraints: their forces, and that the motion keeps them.
#include "checks/model/Balances.h"

#include "linear/Decompositions.h"
#include "mechanics/system/Equations.h"

namespace lmc::checks {

void DerivativeCheck::defineConstraints() {
  if (m_.constraints.empty()) return;
  sema::ArrayTuple held, rolled, multipliers;
  const auto collect = [&](bool velocities, sema::ArrayTuple& values) {
    for (const sema::Constraint& c : m_.constraints) {
      if (c.velocities != velocities) continue;
      values.push_back(c.array);
      multipliers.push_back(c.multiplier);
      rows_.insert(rows_.end(), static_cast<std::size_t>(c.array->size()), &c);
    }
  };
  collect(false, held);
  collect(true, rolled);
  if (!held.empty()) held_ = s_.functions().function("held", held);
  multipliers_ = s_.functions().function("multipliers", multipliers);
  inactive_ = s_.functions().function("inactive", {s_.system().constraints->inactive});
  if (rolled.empty()) return;
  rolled_ = s_.functions().function("rolled", withOwnVelocities(rolled));
  rolledAlong_ = s_.functions().function("rolled along", withGivenVelocities(rolled));
  sema::ArrayTuple brackets;
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    if (!v.isFactor()) continue;
    const std::vector<sym::Expr> index =
        v.extent > 0 ? std::vector<sym::Expr>{g_.newIndex("i")} : std::vector<sym::Expr>{};
    const sema::ArrayTuple parts =
        mechanics::defineParts(p_, "[a,eta]", v.manifold->algebra(), v.extent, index,
                               mechanics::bracket(*v.manifold, sema::loads(g_, m_.factors[v.index].velocity, index),
                                                  sema::loads(g_, s_.pointDirection(k), index)));
    brackets.insert(brackets.end(), parts.begin(), parts.end());
  }
  fiberBracket_ = s_.functions().function("bracket of fibers", brackets);
}

std::vector<double> DerivativeCheck::constraintChange(const Point& at, std::size_t v, const Direction& eta,
                                                      double step) {
  std::vector<double> change;
  if (held_)
    change = differences([&](double s) { return s_.call(*held_, s_.moved(at.y, eta, s), at.t); },
                         step * s_.pointScale(s_.variables()[v], at.y));
  if (!rolledAlong_) return change;
  Direction faster = at.velocity; // affine: the difference is exact
  for (std::size_t k = 0; k < eta.size(); ++k) faster[k] += eta[k];
  const std::vector<double> then = s_.call(*rolledAlong_, at.y, at.t, faster);
  const std::vector<double> now = s_.call(*rolledAlong_, at.y, at.t, at.velocity);
  for (std::size_t k = 0; k < now.size(); ++k) change.push_back(then[k] - now[k]);
  return change;
}

/// dc/dt of constraints on positions along the velocities of a state, then c of those on velocities.
std::vector<double> DerivativeCheck::constraintRate(const State& y, double t, double width) {
  std::vector<double> rate;
  if (held_) {
    Direction xi(s_.directionSize(), 0.0);
    for (const Variable& v : s_.variables()) {
      if (!v.isFactor()) continue;
      const bool own = v.kind == methods::PhaseKind::Velocity;
      for (std::size_t k = 0; k < v.size; ++k)
        xi[v.points + k] = own ? y[v.fiberState + k] : s_.field(y, t)[v.points + k];
    }
    rate = differences([&](double s) { return s_.call(*held_, s_.moved(y, xi, s), t + s); }, width);
  }
  if (!rolled_) return rate;
  const std::vector<double> own = s_.call(*rolled_, y, t);
  rate.insert(rate.end(), own.begin(), own.end());
  return rate;
}

/// d/dt of that along the computed motion is 0. Its size: what velocities and accelerations of each factor could make
/// of it.
std::vector<DerivativeCheck::Balance> DerivativeCheck::kept(const Point& at, double step) {
  const double width = step / at.rate;
  const std::vector<double> change =
      differences([&](double s) { return constraintRate(horizontals_.along(at.y, at.f, s), at.t + s, width); }, width);
  std::vector<Balance> list(rows_.size());
  for (std::size_t k = 0; k < list.size(); ++k)
    if (at.inactive[k] == 0) list[k].left(change[k]);
  for (std::size_t v = 0; v < s_.variables().size(); ++v) {
    const Variable& x = s_.variables()[v];
    if (!x.isFactor()) continue;
    // Members of a family may move alike, so that an equation between them does not change: of the numbers signs are
    // taken in turn, by which they do not cancel. Numbers that the equation itself keeps at zero, as the velocity
    // across a blade, count as a part of the others.
    constexpr double atLeast = 0.1;
    const auto include = [&](std::size_t from, double factor) {
      std::mt19937_64 signs(7);
      double most = 0;
      for (std::size_t k = 0; k < x.size; ++k) most = std::max(most, std::abs(at.f[from + k]));
      for (int draw = 0; draw < 2; ++draw) {
        Direction eta(s_.directionSize(), 0.0);
        for (std::size_t k = 0; k < x.size; ++k)
          eta[x.points + k] = ((signs() & 1U) != 0 ? 1 : -1) * std::max(std::abs(at.f[from + k]), atLeast * most);
        const std::vector<double> own = constraintChange(at, v, eta, step);
        for (std::size_t k = 0; k < list.size(); ++k) list[k].size += factor * std::abs(own[k]);
      }
    };
    include(x.points, at.rate);
    if (x.kind == methods::PhaseKind::Velocity) include(x.fibers, 1);
  }
  return list;
}

std::vector<Disagreement> DerivativeCheck::constraintsKept(const std::vector<Point>& points) {
  std::vector<Disagreement> result;
  if (rows_.empty()) return result;
  std::vector<std::vector<std::vector<Balance>>> all; // by points, step widths, equations
  for (const Point& at : points) {
    all.emplace_back();
    for (const double step : stepWidths) all.back().push_back(kept(at, step));
  }
  for (const sema::Constraint& c : m_.constraints) {
    Comparison comparison;
    for (const auto& widths : all)
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (rows_[row] != &c) continue;
        std::vector<Balance> one;
        one.reserve(widths.size());
        for (const std::vector<Balance>& equations : widths) one.push_back(equations[row]);
        comparison.include(std::move(one));
      }
    result.push_back({c.name, comparison.error()});
  }
  return result;
}

Eigen::MatrixXd DerivativeCheck::constraintRows(const Point& at, double step) {
  std::vector<std::vector<double>> columns;
  for (std::size_t v = 0; v < s_.variables().size(); ++v) {
    const Variable& x = s_.variables()[v];
    for (std::size_t k = 0; x.isFactor() && k < x.size; ++k) {
      Direction eta(s_.directionSize(), 0.0);
      eta[x.points + k] = 1;
      columns.push_back(constraintChange(at, v, eta, step));
    }
  }
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(rows_.size()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k)
    rows.col(static_cast<Eigen::Index>(k)) =
        Eigen::Map<const Eigen::VectorXd>(columns[k].data(), static_cast<Eigen::Index>(columns[k].size()));
  for (Eigen::Index k = 0; k < rows.rows(); ++k)
    if (const double length = rows.row(k).norm(); length > 0) rows.row(k) /= length;
  return rows;
}

bool DerivativeCheck::constraintsDepend(const State& y, double t) {
  if (rows_.empty()) return false;
  constexpr double step = 1e-4, dependent = 1e-8;
  const Point at = pointsAt({{y, t}})[0];
  Eigen::MatrixXd rows = constraintRows(at, step);
  Eigen::Index active = 0;
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    if (at.inactive[static_cast<std::size_t>(k)] != 0)
      rows.row(k).setZero();
    else
      ++active;
  }
  if (!rows.allFinite()) return true;
  return linear::PivotedQR(rows.transpose(), dependent).rank() < active;
}

} // namespace lmc::checks
