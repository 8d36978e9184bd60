#include "checks/laws/elements/Action.h"

#include "linear/LeastChange.h"

namespace lmc::laws {

namespace {
constexpr std::uint64_t actionSeed = 21;
constexpr double onManifold = 1e-14; ///< relative to the size of the terms of `holds`
constexpr int rounds = 60, pointsDrawn = 4;
} // namespace

Action::Action(sym::Graph& graph, const sema::DeclaredManifold& manifold)
    : ops_(graph, manifold), group_(graph, manifold.actingGroup()), engine_(actionSeed) {}

Matrix Action::generator(const Vector& point) {
  const Vector e = group_.identity(), still = Vector::Zero(point.size());
  Matrix columns(point.size(), group_.dimension());
  for (int k = 0; k < group_.dimension(); ++k)
    columns.col(k) = ops_.derivative("action", {e, point}, {Vector(group_.tangents().col(k)), still});
  return columns;
}

Matrix Action::conditions(const Vector& point) {
  return ops_.jacobian("horizontal", {point, Vector::Zero(group_.dimension())}, 1);
}

double Action::defectSize(const Vector& point) {
  return std::max(1.0, (ops_.jacobian("holds", {point}, 0).cwiseAbs() * point.cwiseAbs()).maxCoeff());
}

Eigen::Index Action::freedom(const Vector& point) {
  return point.size() - rankOf(ops_.jacobian("holds", {point}, 0));
}

Eigen::Index Action::storage() const {
  Eigen::Index n = 0;
  for (const sema::Part& p : manifold().point()) n += p.shape.size();
  return n;
}

bool Action::isOnManifold(const Vector& point) {
  if (!isFinite(point)) return false;
  return !hasHolds() || defect(point).cwiseAbs().maxCoeff() <= onManifold * defectSize(point);
}

/// Newton's method with least changes, from random numbers.
std::optional<Vector> Action::foundOnHolds() {
  std::normal_distribution<double> normal;
  Vector q(storage());
  for (double& x : q) x = normal(engine_);
  for (int k = 0; k < rounds && hasHolds() && isFinite(q) && !isOnManifold(q); ++k)
    q -= linear::leastChange(ops_.jacobian("holds", {q}, 0), defect(q));
  return isOnManifold(q) ? std::optional(q) : std::nullopt;
}

const std::vector<Sample>& Action::drawnPoints() {
  if (drawn_) return *drawn_;
  drawn_.emplace();
  for (int k = 0; k < pointsDrawn; ++k) {
    const std::optional<Vector> q = declares("random") ? ops_.random(engine_) : foundOnHolds();
    if (q) drawn_->push_back({Place::Ordinary, *q});
  }
  return *drawn_;
}

/// Unit vectors, and unit matrices cut to size, where `holds` admits them and describes the whole manifold: what
/// divides by a coordinate has no value there. The base point, unless it is wrong itself.
void Action::addSimplePoints() {
  if (drawnPoints().empty()) return;
  if (declares("base")) {
    const Vector base = ops_.value("base", {});
    if (isOnManifold(base)) points_->push_back({Place::Ordinary, base});
  }
  if (!hasHolds()) return;
  const Vector& known = drawnPoints().front().value;
  const Eigen::Index dimension = rankOf(generator(known));
  std::vector<Vector> candidates = {Vector::Zero(storage())};
  Eigen::Index first = 0;
  for (const sema::Part& p : manifold().point()) {
    for (int i = 0; i < std::min(p.shape.rows, p.shape.cols); ++i)
      candidates[0](first + static_cast<Eigen::Index>(i) * p.shape.cols + i) = 1;
    first += p.shape.size();
  }
  for (Eigen::Index k = 0; k < storage(); ++k) candidates.emplace_back(Vector::Unit(storage(), k));
  for (const Vector& q : candidates) {
    const bool fits = isOnManifold(q) && freedom(q) == dimension && rankOf(generator(q)) == dimension;
    if (fits) points_->push_back({Place::Ordinary, q});
  }
}

const std::vector<Sample>& Action::points() {
  if (points_) return *points_;
  points_.emplace();
  addSimplePoints();
  points_->insert(points_->end(), drawnPoints().begin(), drawnPoints().end());
  if (drawnPoints().empty()) return *points_;
  for (const Sample& u : group_.algebraSamples())
    if (u.place == Place::Far) points_->push_back({u.place, act(group_.exp(u.value), drawnPoints().front().value)});
  return *points_;
}

} // namespace lmc::laws
