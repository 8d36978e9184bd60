// Moves initial values onto their manifolds, by about as much as they are off, and looks at the result.
#include "linear/Decompositions.h"
#include "linear/LeastChange.h"
#include "products/initial/Initial.h"
#include "sema/manifolds/groups/Membership.h"

#include <cmath>
#include <limits>

namespace lmc::products {

namespace {

/// Values that have to be changed by more than this part of their size are errors, smaller changes are made
/// (docs/language.md, section 6): numbers that are rounded to nine digits are that near.
constexpr double offManifold = 1e-8;
/// Of a point that was moved the horizontal velocities move along: by about as much, times what they depend on it.
constexpr double perMovedPoint = 10;
/// Round-off of equations between numbers of size one.
constexpr double roundOff = 1e-15;
/// What stays behind of a defect is worth a message from here on, in units of the equations.
constexpr double visible = 1e-12;
constexpr int mostSteps = 12;
/// Pivots that count as zero. Equations that are independent by less than the first threshold are looked at when the
/// others are satisfied and round-off is the only thing that could be taken for a pivot.
constexpr double thresholds[] = {linear::dependentPivot, 1e-10};
constexpr int levels = 2;

/// Sizes of the entries of a point: their own, and for small ones one, or the largest of their part if all of it is
/// smaller. What is written with so many digits is right to that many parts of these.
Eigen::VectorXd unitsOf(const sema::ArrayTuple& arrays, const std::vector<double>& values) {
  Eigen::VectorXd units(static_cast<Eigen::Index>(values.size()));
  Eigen::Index first = 0;
  for (const sym::Array* a : arrays) {
    const Eigen::Index n = a->shape.size();
    double largest = 0;
    for (Eigen::Index k = first; k < first + n; ++k)
      largest = std::max(largest, std::abs(values[static_cast<std::size_t>(k)]));
    const double least = largest > 0 ? std::min(1.0, largest) : 1.0;
    for (Eigen::Index k = first; k < first + n; ++k)
      units[k] = std::max(least, std::abs(values[static_cast<std::size_t>(k)]));
    first += n;
  }
  return units;
}

/// A velocity is one arrow: all its entries count alike.
Eigen::VectorXd unitsOfVelocity(const std::vector<double>& values) {
  double largest = 1;
  for (const double x : values) largest = std::max(largest, std::abs(x));
  return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(values.size()), largest);
}

} // namespace

struct InitialEvaluator::Local {
  const Eigen::MatrixXd& jacobian;
  Eigen::VectorXd residual;
  const Eigen::VectorXd &units, &rows; ///< sizes of the values and of the equations
};

void InitialEvaluator::settle() {
  off_.clear();
  stuck_.clear();
  moved_.clear();
  for (const InitialCondition& c : program_.conditions) settle(c);
  for (const InitialMembership& m : program_.memberships) settle(m);
}

std::string InitialEvaluator::Off::name() const {
  const std::string& variable = condition != nullptr ? condition->name : membership->name;
  const std::int64_t members = condition != nullptr ? condition->members : membership->members;
  return members > 1 ? variable + "[" + std::to_string(member + 1) + "]" : variable;
}

/// Elements that no equations describe are compared with the nearest product of exponentials that is found.
void InitialEvaluator::settle(const InitialMembership& m) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr double regular = 1e-14; // of the inverse condition number
  constexpr double exact = 1e-13;
  const sema::BasisGroup& basis = *m.group->basis();
  const int n = basis.family().rows();
  for (std::int64_t i = 0; i < m.members; ++i) {
    Eigen::Map<RowMajor> a(calculator_.at(runtime::Role::State).data() + layout_.of(m.array).offset + i * n * n, n, n);
    const linear::LU lu(a);
    const bool invertible = a.allFinite() && lu.inverseCondition() > regular;
    if (!invertible || (!m.group->declaresHolds() && !(lu.determinant() > 0))) {
      off_.push_back({nullptr, i, 0, 0, 0, &m});
      continue;
    }
    if (m.group->declaresHolds() || basis.equations().missing == 0) continue;
    const auto element = sema::elementNear(basis.family(), a, offManifold);
    if (!element)
      off_.push_back({nullptr, i, 1, 0, 0, &m});
    else if ((*element - a).cwiseAbs().maxCoeff() > exact * std::max(1.0, a.cwiseAbs().maxCoeff()))
      a = *element;
  }
}

void InitialEvaluator::settle(const InitialCondition& c) {
  std::vector<Progress> all(static_cast<std::size_t>(c.members));
  for (int step = 0; step < mostSteps; ++step) {
    if (calculator_.run(c.function, 0) != 0) break;
    bool more = false;
    for (std::int64_t i = 0; i < c.members; ++i) more = improve(c, i, all[static_cast<std::size_t>(i)]) || more;
    if (!more) break;
  }
  for (std::int64_t i = 0; i < c.members; ++i) {
    Progress& p = all[static_cast<std::size_t>(i)];
    if (!p.best.empty()) assign(c, i, p.best);
    if (c.at == nullptr && p.moved > 0) {
      std::vector<double>& moved = moved_[c.arrays];
      moved.resize(static_cast<std::size_t>(c.members), 0.0);
      moved[static_cast<std::size_t>(i)] = p.moved;
    }
    if (c.at == nullptr && !p.best.empty() && p.scaled > visible) stuck_.push_back({&c, i, p.start, p.worst, p.moved});
  }
}

/// How large a change of a member is made without a word.
double InitialEvaluator::allowed(const InitialCondition& c, std::int64_t member) const {
  if (c.project) return std::numeric_limits<double>::max();
  const auto moved = moved_.find(c.at);
  return offManifold + (moved == moved_.end() ? 0.0 : perMovedPoint * moved->second[static_cast<std::size_t>(member)]);
}

std::vector<double> InitialEvaluator::values(const InitialCondition& c, std::int64_t member) {
  std::vector<double> list;
  for (const sym::Array* a : *c.arrays) {
    const double* x = calculator_.at(runtime::Role::State).data() + layout_.of(a).offset + member * a->shape.size();
    list.insert(list.end(), x, x + a->shape.size());
  }
  return list;
}

void InitialEvaluator::assign(const InitialCondition& c, std::int64_t member, const std::vector<double>& values) {
  auto next = values.begin();
  for (const sym::Array* a : *c.arrays) {
    double* x = calculator_.at(runtime::Role::State).data() + layout_.of(a).offset + member * a->shape.size();
    for (int k = 0; k < a->shape.size(); ++k) x[k] = *next++;
  }
}

/// Judges the present values by their residuals, and tries values with smaller ones. False when nothing is left to do:
/// `best` has the values to take, none if those that were given stay.
bool InitialEvaluator::improve(const InitialCondition& c, std::int64_t member, Progress& p) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (p.done) return false;
  const double* output = calculator_.at(runtime::Role::Output).data() + c.offset;
  const Eigen::Map<const Eigen::VectorXd> residual(output + member * c.rows, c.rows);
  const double worst = residual.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  const bool first = p.best.empty();
  if (first && worst == 0) {
    p.done = true;
    return false;
  }
  const Eigen::MatrixXd jacobian =
      Eigen::Map<const RowMajor>(output + c.rows * c.members + member * c.rows * c.columns, c.rows, c.columns);
  if (!std::isfinite(worst) || !jacobian.allFinite()) {
    if (first) off_.push_back({&c, member, worst});
    p.done = true;
    return false;
  }
  const std::vector<double> now = values(c, member);
  const Eigen::VectorXd units = c.at == nullptr ? unitsOf(*c.arrays, now) : unitsOfVelocity(now);
  const Eigen::VectorXd rows = linear::rowSizes(jacobian, units, c.equations);
  const double scaled = residual.cwiseQuotient(rows).cwiseAbs().maxCoeff();
  if (p.pending > 0 && !(scaled < p.scaled / 2)) { // the last change was of no use
    assign(c, member, p.best);
    p.pending = 0;
    p.done = ++p.level >= levels || p.scaled <= roundOff;
    return !p.done; // residuals and Jacobian are evaluated again
  }
  if (scaled < roundOff && first) {
    p.done = true;
    return false;
  }
  p.moved += p.pending;
  p.pending = 0;
  p.scaled = scaled;
  p.worst = worst;
  if (first) p.start = worst;
  p.best = now;
  if (scaled < roundOff) {
    p.done = true;
    return false;
  }
  if (change(c, member, p, {jacobian, residual, units, rows}, first)) return p.pending > 0;
  if (first) giveUp(c, member, p, {jacobian, residual, units, rows});
  p.done = true;
  return false;
}

/// Tries values with smaller residuals, of weaker equations too if they are wanted. False if no small change is left.
bool InitialEvaluator::change(const InitialCondition& c, std::int64_t member, Progress& p, const Local& l, bool first) {
  const double most = allowed(c, member);
  for (; p.level < levels; ++p.level) {
    const linear::LeastChange change =
        linear::leastChange(l.jacobian, l.residual, l.units, l.rows, c.equations, thresholds[p.level]);
    if (first && change.rest > most) continue; // weaker equations have to be satisfied, too
    if (!(p.moved + change.length <= most)) break;
    std::vector<double> next = p.best;
    for (std::size_t k = 0; k < next.size(); ++k) next[k] -= change.change[static_cast<Eigen::Index>(k)];
    assign(c, member, next);
    p.pending = change.length;
    return true;
  }
  return false;
}

/// The values that were given are too far off: they stay, with what a velocity or momentum would be.
void InitialEvaluator::giveUp(const InitialCondition& c, std::int64_t member, Progress& p, const Local& l) {
  off_.push_back({&c, member, p.worst});
  if (!c.kind.empty()) {
    const linear::LeastChange change =
        linear::leastChange(l.jacobian, l.residual, l.units, l.rows, c.equations, thresholds[0]);
    std::vector<double>& cure = off_.back().cure = p.best;
    for (std::size_t k = 0; k < cure.size(); ++k) cure[k] -= change.change[static_cast<Eigen::Index>(k)];
  }
  p.best.clear();
}

} // namespace lmc::products
