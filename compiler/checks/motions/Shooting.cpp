#include "checks/motions/Shooting.h"

#include "linear/Decompositions.h"

#include <algorithm>
#include <cmath>

namespace lmc::checks {

namespace {

constexpr int mostShots = 40, mostShorter = 8;
/// Gaps up to this are closed, and are made smaller as long as they become so; those up to the second are rounding.
constexpr double closed = 1e-11, closedExactly = 1e-15;
/// Singular values below this part of the largest belong to families of periodic motions.
constexpr double familyPart = 1e-7;
/// The largest step of a node in units of the sizes, and of the period in units of itself.
constexpr double longestMove = 0.5, longestChange = 0.2;

} // namespace

double Shooting::timeOf(const Loop& loop, std::size_t node) const {
  return problem_.time + loop.period * static_cast<double>(node) / static_cast<double>(loop.nodes.size());
}

std::optional<Matrix> Shooting::basisAt(const State& y, double t) {
  const auto z = model_.basis(y, t);
  if (!z) return std::nullopt;
  return linear::orthonormal(sizes_.cwiseInverse().asDiagonal() * *z);
}

std::optional<Shooting::Section> Shooting::run(const State& y, double t, double h, std::int64_t count,
                                               const Matrix& basis) {
  Section s{y, sizes_.asDiagonal() * basis};
  for (std::int64_t k = 0; k < count; ++k) {
    auto step = model_.step(s.end, t + static_cast<double>(k) * h, h);
    if (!step) return std::nullopt;
    s.end = std::move(step->next);
    s.map = step->byState * s.map;
    if (!s.map.allFinite()) return std::nullopt;
  }
  s.map = sizes_.cwiseInverse().asDiagonal() * s.map;
  return s;
}

std::optional<Shooting::Linear> Shooting::linearAt(const Loop& loop) {
  Linear l;
  const std::size_t m = loop.nodes.size();
  const double h = loop.period / static_cast<double>(loop.steps);
  const std::int64_t count = loop.steps / static_cast<std::int64_t>(m);
  for (std::size_t i = 0; i < m; ++i) {
    auto basis = basisAt(loop.nodes[i], timeOf(loop, i));
    if (!basis) return std::nullopt;
    l.bases.push_back(std::move(*basis));
  }
  Eigen::Index columns = 0;
  for (const Matrix& b : l.bases) columns += b.cols();
  const Eigen::Index data = problem_.periodUnknown ? 1 : 0;
  const Eigen::Index rows = columns;
  l.jacobian = Matrix::Zero(rows, columns + data);
  l.residual = Vector::Zero(rows);
  Eigen::Index row = 0, column = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t next = (i + 1) % m;
    auto section = run(loop.nodes[i], timeOf(loop, i), h, count, l.bases[i]);
    const auto gap = section ? model_.difference(loop.nodes[next], section->end) : std::nullopt;
    if (!gap) return std::nullopt;
    const Vector scaled = gap->cwiseQuotient(sizes_);
    const Matrix& to = l.bases[next];
    const Eigen::Index nextColumn = next == 0 ? 0 : column + l.bases[i].cols();
    l.residual.segment(row, to.cols()) = to.transpose() * scaled;
    l.jacobian.block(row, column, to.cols(), l.bases[i].cols()) += to.transpose() * section->map;
    l.jacobian.block(row, nextColumn, to.cols(), to.cols()) -= Matrix::Identity(to.cols(), to.cols());
    if (problem_.periodUnknown) {
      const auto rate = model_.rate(section->end, timeOf(loop, i + 1));
      if (!rate) return std::nullopt;
      l.jacobian.col(columns).segment(row, to.cols()) =
          to.transpose() * rate->cwiseQuotient(sizes_) * (loop.period / static_cast<double>(m));
    }
    l.closing = std::max(l.closing, scaled.cwiseAbs().maxCoeff());
    l.gaps.push_back(scaled);
    row += to.cols();
    column += l.bases[i].cols();
    l.sections.push_back(std::move(*section));
  }
  return addConditions(loop, l, columns) ? std::optional(std::move(l)) : std::nullopt;
}

/// Of the phase: the first node does not move along the motion. Of the energy.
bool Shooting::addConditions(const Loop& loop, Linear& l, Eigen::Index columns) {
  const auto add = [&](const Vector& gradient, double missing) {
    const double size = std::max(gradient.norm(), 1e-300);
    const Eigen::Index rows = l.jacobian.rows();
    l.jacobian.conservativeResize(rows + 1, Eigen::NoChange);
    l.jacobian.row(rows).setZero();
    l.jacobian.row(rows).head(gradient.size()) = gradient.transpose() / size;
    l.residual.conservativeResize(rows + 1);
    l.residual(rows) = missing / size;
  };
  (void)columns;
  const State& y = loop.nodes.front();
  if (problem_.periodUnknown) {
    const auto rate = model_.rate(y, problem_.time);
    if (!rate) return false;
    add(l.bases.front().transpose() * rate->cwiseQuotient(sizes_), 0);
  }
  if (!problem_.energy) return true;
  const auto outputs = model_.outputs(y, problem_.time);
  const auto gradients = model_.outputsByState(y, problem_.time);
  if (!outputs || !gradients || outputs->size() == 0) return false;
  add(l.bases.front().transpose() * gradients->row(0).transpose().cwiseProduct(sizes_),
      (*outputs)(0) - *problem_.energy);
  return true;
}

std::optional<Loop> Shooting::moved(const Loop& loop, const Linear& l, const Vector& step) {
  Loop next = loop;
  if (problem_.periodUnknown) next.period *= 1 + step(step.size() - 1);
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < loop.nodes.size(); ++i) {
    const Vector z = sizes_.cwiseProduct(l.bases[i] * step.segment(column, l.bases[i].cols()));
    const auto y = model_.moved(loop.nodes[i], z);
    const auto on = y ? space_.onConstraints(*y, timeOf(next, i)) : std::nullopt;
    if (!on) return std::nullopt;
    next.nodes[i] = *on;
    column += l.bases[i].cols();
  }
  return next;
}

Shot Shooting::from(const Loop& start) {
  Shot shot;
  shot.loop = start;
  sizes_ = coordinateSizes(model_, space_, start.nodes.front());
  for (const State& y : start.nodes) sizes_ = sizes_.cwiseMax(coordinateSizes(model_, space_, y));
  auto l = linearAt(shot.loop);
  for (; l && !model_.late() && shot.turns < mostShots && l->residual.cwiseAbs().maxCoeff() > closedExactly;
       ++shot.turns) {
    const Vector step = linear::shortestSolution(l->jacobian, -l->residual, familyPart);
    if (!step.allFinite()) break;
    double part = std::min(1.0, longestMove / std::max(step.cwiseAbs().maxCoeff(), 1e-300));
    if (problem_.periodUnknown)
      part = std::min(part, longestChange / std::max(std::abs(step(step.size() - 1)), 1e-300));
    bool better = false;
    for (int k = 0; k < mostShorter && !better; ++k, part /= 2) {
      const auto next = moved(shot.loop, *l, part * step);
      auto then = next && next->period > 0 ? linearAt(*next) : std::nullopt;
      better = then && then->residual.norm() < (1 - 1e-3 * part) * l->residual.norm();
      if (!better) continue;
      shot.loop = *next;
      l = std::move(then);
    }
    if (!better) break;
  }
  shot.status = model_.status();
  shot.sizes = sizes_;
  if (!l) {
    shot.closing = INFINITY;
    return shot;
  }
  shot.status = runtime::Ok;
  shot.closing = l->closing;
  shot.converged = l->residual.cwiseAbs().maxCoeff() <= closed && l->closing <= closed;
  shot.basis = l->bases.front();
  shot.monodromy = Matrix::Identity(shot.basis.cols(), shot.basis.cols());
  for (std::size_t i = 0; i < l->sections.size(); ++i)
    shot.monodromy = l->bases[(i + 1) % l->bases.size()].transpose() * l->sections[i].map * shot.monodromy;
  return shot;
}

std::optional<Loop> Shooting::sampled(const State& y, double period, std::int64_t steps) {
  Loop loop{{}, period, steps};
  const std::int64_t count = steps / problem_.sections;
  const double h = period / static_cast<double>(steps);
  State now = y;
  for (std::int64_t k = 0; k < steps; ++k) {
    if (k % count == 0) loop.nodes.push_back(now);
    auto next = model_.stepped(now, problem_.time + static_cast<double>(k) * h, h);
    if (!next) return std::nullopt;
    now = std::move(*next);
  }
  return loop;
}

} // namespace lmc::checks
