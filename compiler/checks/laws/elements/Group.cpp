#include "checks/laws/elements/Group.h"

#include "linear/Decompositions.h"
#include "linear/spectra/Spectra.h"

#include <algorithm>

namespace lmc::laws {

namespace {

constexpr std::uint64_t seed = 20; // any fixed number: a verification tells the same every time
/// An element that misses `holds` by more than this, relative to the size of the terms, is not on the group.
constexpr double offGroup = 1e-8;
constexpr double turns[] = {3, 7, 20};

} // namespace

double sizeOf(const Vector& v) {
  return v.size() == 0 ? 1 : std::max(1.0, v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
}

bool isFinite(const Vector& v) {
  return v.allFinite();
}

namespace {
/// Singular values below this part of the largest are round-off.
constexpr double visible = 1e-8;
} // namespace

Eigen::Index rankOf(const Matrix& m) {
  if (m.size() == 0 || !m.allFinite()) return 0;
  const auto s = linear::singularValues(m);
  return (s.array() > visible * std::max(s(0), 1e-300)).count();
}

Matrix kernelOf(const Matrix& m) {
  const Eigen::Index rank = rankOf(m);
  if (m.rows() == 0 || rank == 0) return Matrix::Identity(m.cols(), m.cols());
  return linear::rightSingular(m).vectors.rightCols(m.cols() - rank);
}

Group::Group(sym::Graph& graph, const sema::DeclaredManifold& manifold) : ops_(graph, manifold), engine_(seed) {
  const int n = dimension();
  algebra_.push_back({Place::Origin, Vector::Zero(n)});
  for (int k = 0; k < n; ++k) algebra_.push_back({Place::Ordinary, unit(k)});
  for (int k = 0; k < 3; ++k) algebra_.push_back({Place::Ordinary, direction(1)});
  algebra_.push_back({Place::Small, direction(1e-4)});
  for (int k = 0; k < 2; ++k) algebra_.push_back({Place::Near, direction(1e-8)});
  for (const double far : turns) algebra_.push_back({Place::Far, direction(far)});
}

/// A random algebra element, each part of which has the given length: angles and translations alike.
Vector Group::direction(double size) {
  std::normal_distribution<double> normal;
  Vector v(dimension());
  Eigen::Index first = 0;
  for (const sema::Part& p : manifold().algebra()) {
    const Eigen::Index count = p.shape.size();
    for (Eigen::Index k = first; k < first + count; ++k) v(k) = normal(engine_);
    v.segment(first, count) *= size / v.segment(first, count).norm();
    first += count;
  }
  return v;
}

const Matrix& Group::tangents() {
  if (!tangents_) tangents_ = ops_.jacobian("exp", {Vector::Zero(dimension())}, 0);
  return *tangents_;
}

Vector Group::vee(const Vector& tangent) {
  return linear::PivotedQR(tangents()).solve(tangent);
}

Vector Group::rightTrivialized(const Vector& element, const Vector& change) {
  const Vector back = inverse(element);
  return vee(ops_.derivative("product", {element, back}, {change, Vector::Zero(back.size())}));
}

Vector Group::conjugate(const Vector& element, const Vector& v) {
  const Vector e = identity();
  const Vector moved = ops_.derivative("product", {element, e}, {Vector::Zero(element.size()), Vector(tangents() * v)});
  return rightTrivialized(element, moved);
}

Vector Group::derivative(const std::string& map, const Vector& u, const Vector& v) {
  return rightTrivialized(ops_.value(map, {u}), ops_.derivative(map, {u}, {v}));
}

Matrix Group::derivative(const std::string& map, const Vector& u) {
  Matrix columns(dimension(), dimension());
  for (int k = 0; k < dimension(); ++k) columns.col(k) = derivative(map, u, unit(k));
  return columns;
}

Vector Group::commutator(const Vector& u, const Vector& v) {
  const Vector e = identity(), x = tangents() * u, y = tangents() * v;
  return vee(ops_.mixedDerivative("product", {e, e}, {x, y}) - ops_.mixedDerivative("product", {e, e}, {y, x}));
}

double Group::defectSize(const Vector& element) {
  return std::max(1.0, (ops_.jacobian("holds", {element}, 0).cwiseAbs() * element.cwiseAbs()).maxCoeff());
}

double Group::defectSizeOfSums(const Vector& element) {
  const Vector all = Vector::Constant(element.size(), sizeOf(element));
  return std::max(1.0, (ops_.jacobian("holds", {element}, 0).cwiseAbs() * all).maxCoeff());
}

bool Group::isOnGroup(const Vector& element) {
  if (!isFinite(element)) return false;
  // Where an element and its inverse are both large, round-off in the element itself is larger than what it is tested
  // for.
  constexpr double tooLarge = 1e6;
  const Vector back = inverse(element);
  if (isFinite(back) && sizeOf(element) * sizeOf(back) > tooLarge) return false;
  return !hasHolds() || defect(element).cwiseAbs().maxCoeff() <= offGroup * defectSize(element);
}

const std::vector<Sample>& Group::randomElements() {
  if (random_) return *random_;
  random_.emplace();
  for (int k = 0; k < 3 && declares("random"); ++k) random_->push_back({Place::Ordinary, ops_.random(engine_)});
  return *random_;
}

/// exp of an algebra element of this size; of a half, a quarter of it … where a group that is not compact grows so fast
/// that an element and its inverse have no digits left to compare.
Vector Group::farElement(double size) {
  constexpr double largest = 100;
  Vector w = direction(size);
  Vector element = exp(w);
  while (isFinite(element) && element.cwiseAbs().maxCoeff() > largest && w.norm() > 1) element = exp(w *= 0.5);
  return element;
}

std::vector<Sample> Group::elements() {
  if (!elements_) {
    std::vector<Sample> all = {{Place::Origin, identity()}};
    const std::vector<Sample>& random = randomElements();
    all.insert(all.end(), random.begin(), random.end());
    const auto power = [&](double size) { return exp(direction(size)); };
    for (int k = 0; k < 3; ++k) all.push_back({Place::Ordinary, power(1), true});
    const Vector second = power(2);
    all.push_back({Place::Ordinary, product(power(1), second), true, true});
    all.push_back({Place::Small, power(1e-4), true});
    all.push_back({Place::Near, power(1e-8), true});
    all.push_back({Place::Far, farElement(7), true});
    const Vector far = farElement(20);
    all.push_back({Place::Far, product(power(3), far), true, true});
    elements_.emplace();
    for (Sample& s : all)
      if (isOnGroup(s.value)) elements_->push_back(std::move(s));
  }
  std::vector<Sample> usable = *elements_;
  if (!trustsExp_) std::erase_if(usable, [](const Sample& s) { return s.fromExp; });
  return usable;
}

} // namespace lmc::laws
