#include "checks/motions/Equilibrium.h"

#include "linear/Decompositions.h"

#include <algorithm>
#include <cmath>

namespace lmc::checks {

namespace {

constexpr int mostTurns = 200, mostHalvings = 12;
/// A solution is found where no unknown would have to change by more, in units of its size; and one that cannot be
/// better.
constexpr double found = 1e-11, exact = 1e-16;
/// Singular values below this part of the largest count as zero.
constexpr double dependentPart = 1e-9;
/// No row counts as smaller than this part of the largest one of its sort: its residual may be rounding.
constexpr double smallRow = 1e-3;
/// The largest step of a point on a group, and of other unknowns in units of their sizes.
constexpr double longestTurn = 1, longestStep = 1e3;

double sizeOrOne(double x) {
  return x != 0 ? std::abs(x) : 1;
}

} // namespace

EquilibriumSearch::EquilibriumSearch(MotionModel& model, StateSpace& space, Generators& motions,
                                     std::vector<Generator> generators, Unknowns unknowns)
    : model_(model), space_(space), motions_(motions), generators_(std::move(generators)),
      unknowns_(std::move(unknowns)) {
  unknowns_.fixed.resize(static_cast<std::size_t>(model_.coordinates()), false);
}

std::optional<Matrix> EquilibriumSearch::motionsAt(const State& y) {
  Matrix m(model_.coordinates(), static_cast<Eigen::Index>(generators_.size()));
  for (std::size_t k = 0; k < generators_.size(); ++k) {
    const auto z = motions_.at(model_, generators_[k], y);
    if (!z) return std::nullopt;
    m.col(static_cast<Eigen::Index>(k)) = *z;
  }
  return m;
}

std::optional<Vector> EquilibriumSearch::residualAt(const Iterate& x) {
  if (!model_.setParams(x.params)) return std::nullopt;
  const auto rate = model_.rate(x.y, unknowns_.time);
  const auto held = rate ? model_.constraints(x.y, unknowns_.time) : std::nullopt;
  const auto motions = held ? motionsAt(x.y) : std::nullopt;
  if (!motions) return std::nullopt;
  Vector r(rate->size() + held->size());
  r << *rate - *motions * x.c, *held;
  return r;
}

/// By differences: constraints depend on parameters seldom, and no compiled function has this derivative.
Matrix EquilibriumSearch::constraintsByParameters(const Iterate& x) {
  constexpr double width = 1e-6;
  const Eigen::Index rows = model_.problem().of(runtime::LinearizedMap::Constraints).size;
  Matrix m = Matrix::Zero(rows, static_cast<Eigen::Index>(unknowns_.parameters.size()));
  if (rows == 0) return m;
  for (std::size_t k = 0; k < unknowns_.parameters.size(); ++k) {
    const auto place = static_cast<std::size_t>(model_.problem().parameterPlaces[unknowns_.parameters[k]]);
    const double h = width * sizeOrOne(x.params[place]);
    const auto with = [&](double change) {
      std::vector<double> params = x.params;
      params[place] += change;
      return model_.setParams(params) ? model_.constraints(x.y, unknowns_.time) : std::nullopt;
    };
    const auto up = with(h), down = with(-h);
    if (up && down) m.col(static_cast<Eigen::Index>(k)) = (*up - *down) / (2 * h);
  }
  (void)model_.setParams(x.params);
  return m;
}

std::optional<EquilibriumSearch::Linear> EquilibriumSearch::linearAt(const Iterate& x) {
  if (!model_.setParams(x.params)) return std::nullopt;
  auto field = model_.field(x.y, unknowns_.time);
  auto motions = field ? motionsAt(x.y) : std::nullopt;
  if (!motions) return std::nullopt;
  Linear l{Vector(), Matrix(), std::move(*field), std::move(*motions)};
  const Eigen::Index n = model_.coordinates(), held = l.field.constraints.size();
  l.residual.resize(n + held);
  l.residual << l.field.rate - l.motions * x.c, l.field.constraints;
  const auto inputs = static_cast<Eigen::Index>(unknowns_.inputs.size());
  const auto parameters = static_cast<Eigen::Index>(unknowns_.parameters.size());
  l.jacobian = Matrix::Zero(n + held, n + x.c.size() + inputs + parameters);
  Matrix a = l.field.byState;
  for (std::size_t k = 0; k < generators_.size(); ++k) a -= x.c(static_cast<Eigen::Index>(k)) * generators_[k].turning;
  l.jacobian.topLeftCorner(n, n) = a;
  l.jacobian.bottomLeftCorner(held, n) = l.field.constraintsByState;
  for (Eigen::Index k = 0; k < n; ++k)
    if (unknowns_.fixed[static_cast<std::size_t>(k)]) l.jacobian.col(k).setZero();
  if (unknowns_.moving) l.jacobian.block(0, n, n, x.c.size()) = -l.motions;
  Eigen::Index column = n + x.c.size();
  for (const std::size_t k : unknowns_.inputs)
    l.jacobian.col(column++).head(n) = l.field.byInputs.col(static_cast<Eigen::Index>(k));
  const Matrix held_ = constraintsByParameters(x);
  for (Eigen::Index i = 0; i < parameters; ++i, ++column) {
    const auto k = static_cast<Eigen::Index>(unknowns_.parameters[static_cast<std::size_t>(i)]);
    l.jacobian.col(column).head(n) = l.field.byParameters.col(k);
    l.jacobian.col(column).tail(held) = held_.col(i);
  }
  return l.jacobian.allFinite() ? std::optional(std::move(l)) : std::nullopt;
}

std::optional<EquilibriumSearch::Iterate> EquilibriumSearch::moved(const Iterate& x, const Vector& step) {
  Iterate next = x;
  const Eigen::Index n = model_.coordinates();
  const auto y = model_.moved(x.y, step.head(n));
  if (!y) return std::nullopt;
  next.y = *y;
  next.c += step.segment(n, x.c.size());
  Eigen::Index column = n + x.c.size();
  const runtime::LinearizedProblem& p = model_.problem();
  for (const std::size_t k : unknowns_.inputs)
    next.params[static_cast<std::size_t>(p.inputValues[k])] += step(column++);
  for (const std::size_t k : unknowns_.parameters)
    next.params[static_cast<std::size_t>(p.parameterPlaces[k])] += step(column++);
  return next;
}

Vector EquilibriumSearch::sizesAt(const Iterate& x) const {
  const Eigen::Index n = model_.coordinates();
  Vector sizes =
      Vector::Ones(n + x.c.size() + static_cast<Eigen::Index>(unknowns_.inputs.size() + unknowns_.parameters.size()));
  // Velocities vanish in an equilibrium: the initial state says what is large.
  sizes.head(n) = coordinateSizes(space_, x.y).cwiseMax(coordinateSizes(space_, model_.initialState()));
  Eigen::Index column = n;
  for (const double c : x.c) sizes(column++) = std::max(std::abs(c), 1.0);
  const runtime::LinearizedProblem& p = model_.problem();
  const auto data = [&](std::int64_t place) {
    const auto at = static_cast<std::size_t>(place);
    return std::max(std::abs(x.params[at]), sizeOrOne(start_[at]));
  };
  for (const std::size_t k : unknowns_.inputs) sizes(column++) = data(p.inputValues[k]);
  for (const std::size_t k : unknowns_.parameters) sizes(column++) = data(p.parameterPlaces[k]);
  return sizes;
}

/// What unknowns that change by their sizes make of each row.
Vector EquilibriumSearch::rowSizes(const Linear& l, const Vector& sizes) const {
  Vector rows = (l.jacobian * sizes.asDiagonal()).cwiseAbs().rowwise().maxCoeff();
  std::vector<int> sort(static_cast<std::size_t>(rows.size()), 2); // of points, of what follows them, of constraints
  for (const Variable& v : space_.variables()) {
    if (v.hasPoint()) std::fill_n(sort.begin() + static_cast<std::ptrdiff_t>(v.points), v.size, 0);
    if (v.hasFiber()) std::fill_n(sort.begin() + static_cast<std::ptrdiff_t>(v.fibers), v.size, 1);
  }
  double largest[3] = {0, 0, 0};
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    double& own = largest[sort[static_cast<std::size_t>(i)]];
    own = std::max(own, rows(i));
  }
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    const double own = largest[sort[static_cast<std::size_t>(i)]];
    rows(i) = own > 0 ? std::max(rows(i), smallRow * own) : 1;
  }
  return rows;
}

/// The part of a step, in units of the unknowns, that may be made.
double EquilibriumSearch::allowed(const Vector& step) const {
  double part = 1;
  const auto limit = [&part](double length, double longest) {
    if (length > longest) part = std::min(part, longest / length);
  };
  limit(step.cwiseAbs().maxCoeff(), longestStep);
  for (const Variable& v : space_.variables())
    if (v.hasPoint() && !v.vector && v.size > 0)
      limit(step.segment(static_cast<Eigen::Index>(v.points), static_cast<Eigen::Index>(v.size)).cwiseAbs().maxCoeff(),
            longestTurn);
  return part;
}

/// The shortest step of Newton's method, or regularized ones, halved until the residual decreases. False where none
/// does.
bool EquilibriumSearch::advance(Iterate& x, const Linear& l, const Vector& sizes, const Vector& rows) {
  const Matrix scaled = rows.cwiseInverse().asDiagonal() * l.jacobian * sizes.asDiagonal();
  const Vector residual = l.residual.cwiseQuotient(rows);
  const Eigen::Index m = scaled.rows(), n = scaled.cols();
  failed_ = true;
  for (const double weight : {0.0, 1e-6, 1e-4, 1e-2, 1.0, 1e2}) {
    Vector step;
    if (weight == 0) {
      step = linear::shortestSolution(scaled, -residual, dependentPart);
    } else {
      Matrix more(m + n, n);
      more << scaled, std::sqrt(weight) * Matrix::Identity(n, n);
      Vector right = Vector::Zero(m + n);
      right.head(m) = -residual;
      step = linear::shortestSolution(more, right, 0);
    }
    if (!step.allFinite()) continue;
    double part = allowed(step);
    for (int k = 0; k < mostHalvings; ++k, part /= 2) {
      const auto next = moved(x, part * sizes.cwiseProduct(step));
      const auto then = next ? residualAt(*next) : std::nullopt;
      failed_ = failed_ && !then;
      if (!then || !(then->cwiseQuotient(rows).norm() < (1 - 1e-4 * part) * residual.norm())) continue;
      x = *next;
      return true;
    }
  }
  return false;
}

Equilibrium EquilibriumSearch::from(const State& y, const std::vector<double>& params) {
  Equilibrium e;
  start_ = params;
  Iterate x{y, params, Vector::Zero(static_cast<Eigen::Index>(generators_.size()))};
  const auto settle = [&e](const Iterate& at) {
    e.y = at.y;
    e.params = at.params;
    e.velocities = at.c;
  };
  // The velocities start at those that come nearest to the motion.
  if (const auto motions = motionsAt(y); motions && unknowns_.moving && motions->cols() > 0)
    if (const auto rate = model_.setParams(params) ? model_.rate(y, unknowns_.time) : std::nullopt)
      x.c = linear::shortestSolution(*motions, *rate, dependentPart);
  settle(x);
  std::optional<Linear> l;
  Vector sizes, rows;
  double before = INFINITY;
  for (e.turns = 0; e.turns <= mostTurns; ++e.turns) {
    auto now = linearAt(x);
    if (!now) {
      e.end = SearchEnd::LeftDomain;
      e.status = model_.status();
      return e;
    }
    l = std::move(now);
    sizes = sizesAt(x);
    rows = rowSizes(*l, sizes);
    e.distance = l->residual.cwiseQuotient(rows).cwiseAbs().maxCoeff();
    e.residual = l->residual.cwiseAbs().maxCoeff();
    settle(x);
    const bool atRounding = e.distance <= found && e.distance > 0.5 * before;
    before = e.distance;
    if (atRounding || e.distance <= exact || e.turns == mostTurns || model_.late() || !advance(x, *l, sizes, rows))
      break;
  }
  if (e.distance > found) {
    judgeFailure(e, *l, sizes, rows);
    return e;
  }
  e.end = SearchEnd::Found;
  analyse(e, {e.y, e.params, e.velocities}, *l);
  return e;
}

void EquilibriumSearch::judgeFailure(Equilibrium& e, const Linear& l, const Vector& sizes, const Vector& rows) const {
  constexpr double nothing = 1e-4;
  const Matrix scaled = rows.cwiseInverse().asDiagonal() * l.jacobian * sizes.asDiagonal();
  const Vector residual = l.residual.cwiseQuotient(rows);
  const Vector step = linear::shortestSolution(scaled, -residual, 1e-6);
  const Vector rest = residual + scaled * step; // what no unknown acts on, to first order
  const bool singular = rest.norm() > (1 - nothing) * residual.norm() || rest.norm() > 0.1 * residual.norm();
  e.end = failed_ ? SearchEnd::LeftDomain : singular ? SearchEnd::Singular : SearchEnd::Stalled;
  e.status = model_.status();
  e.left = namesLeft(singular ? rest : residual);
}

std::vector<std::string> EquilibriumSearch::namesLeft(const Vector& residual) const {
  constexpr std::size_t most = 3;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(residual.size()));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Eigen::Index>(k);
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index i, Eigen::Index j) { return std::abs(residual(i)) > std::abs(residual(j)); });
  const Eigen::Index n = model_.coordinates();
  std::vector<std::string> names;
  for (const Eigen::Index i : order) {
    if (names.size() == most || std::abs(residual(i)) < 0.3 * std::abs(residual(order.front()))) break;
    if (i < n) {
      names.push_back("the rate of " + model_.problem().coordinateNames[static_cast<std::size_t>(i)]);
      continue;
    }
    const auto& c = *space_.system().constraints;
    const std::int64_t row = (i - n) % c.rows;
    std::size_t k = 0;
    while (k + 1 < c.firstRow.size() && c.firstRow[k + 1] <= row) ++k;
    const std::string name = "the constraint `" + space_.system().model->constraints[k].name + "`";
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

State EquilibriumSearch::farFrom(const State& y, std::mt19937_64& engine) {
  constexpr double turn = 1.5, farther = 10;
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  // The size of a vector is no measure of how far other solutions are: angles may be small at the begin. So half of the
  // searches begin farther away.
  const double reach = std::pow(farther, std::max(0.0, 2 * uniform(engine) - 1));
  for (int attempt = 0; attempt < 20; ++attempt) {
    Direction d(space_.directionSize(), 0.0);
    for (const Variable& v : space_.variables()) {
      const double point = v.vector ? reach * space_.pointScale(v, y) : turn;
      const double fiber = !unknowns_.moving ? 0.1 * space_.fiberScale(v, y) : space_.fiberScale(v, y);
      for (std::size_t k = 0; v.hasPoint() && k < v.size; ++k) d[v.points + k] = point * normal(engine);
      for (std::size_t k = 0; v.hasFiber() && k < v.size; ++k) d[v.fibers + k] = fiber * normal(engine);
    }
    for (std::size_t k = 0; k < d.size(); ++k)
      if (unknowns_.fixed[k]) d[k] = 0;
    const State far = space_.moved(y, d);
    if (!finite(far)) continue;
    if (const auto on = space_.onConstraints(far, unknowns_.time); on && finite(*on)) return *on;
  }
  return y;
}

} // namespace lmc::checks
