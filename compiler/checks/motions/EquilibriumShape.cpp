// What is known of an equilibrium that was found: its linearization, its family, its copies.
#include "checks/motions/Equilibrium.h"

#include "checks/states/NullSpace.h"
#include "linear/Decompositions.h"

#include <algorithm>
#include <cmath>

namespace lmc::checks {

namespace {

/// Of matrices whose derivatives are exact: rounding.
constexpr double roundedDerivative = 4e-15;
/// Singular values below this part of the largest belong to a family of solutions.
constexpr double freePart = 1e-8;

/// An orthonormal basis of what the columns span. Columns that are zero but for the error of the state do not count.
Matrix rangeOf(const Matrix& columns) {
  constexpr double nothing = 1e-8;
  Matrix kept(columns.rows(), 0);
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    if (!(columns.col(k).norm() > nothing)) continue;
    kept.conservativeResize(Eigen::NoChange, kept.cols() + 1);
    kept.col(kept.cols() - 1) = columns.col(k);
  }
  return kept.cols() == 0 ? kept : linear::PivotedQR(kept, freePart).range();
}

} // namespace

void EquilibriumSearch::analyse(Equilibrium& e, const Iterate& x, const Linear& l) {
  const auto tangent = model_.basis(x.y, unknowns_.time);
  if (!tangent) {
    e.end = SearchEnd::LeftDomain;
    e.status = model_.status();
    return;
  }
  e.linearization = l.field.byState;
  for (std::size_t k = 0; k < generators_.size(); ++k)
    e.linearization -= x.c(static_cast<Eigen::Index>(k)) * generators_[k].turning;
  const double uncertainty = std::max(roundedDerivative, e.distance);
  const Matrix a = tangent->transpose() * e.linearization * *tangent;
  e.values = eigenvaluesOf(a, uncertainty);
  const Matrix motions = rangeOf(tangent->transpose() * l.motions);
  e.symmetries = motions.cols();
  e.shape = motions.cols() > 0 ? eigenvaluesOf(reduced(a, motions, Matrix(a.rows(), 0)), uncertainty) : e.values;
  countFamily(e, x, l, *tangent);
  if (!invariant(x, *tangent)) e.end = SearchEnd::NotInvariant;
}

/// f is invariant under the motion that was found.
bool EquilibriumSearch::invariant(const Iterate& x, const Matrix& tangent) {
  constexpr double visible = 1e-5, aside = 0.05;
  if (x.c.size() == 0 || x.c.isZero(0)) return true;
  Matrix turning = Matrix::Zero(model_.coordinates(), model_.coordinates());
  for (std::size_t k = 0; k < generators_.size(); ++k)
    turning += x.c(static_cast<Eigen::Index>(k)) * generators_[k].turning;
  const Vector sizes = sizesAt(x).head(model_.coordinates());
  const auto holds = [&](const State& y) {
    const auto motions = motionsAt(y);
    if (!motions) return true; // outside of the domain nothing is known
    const Vector direction = *motions * x.c;
    return motions_.defect(model_, direction, turning, sizes, y, unknowns_.time).value_or(0) <= visible;
  };
  // Beside the solution, where f does not vanish: what is relative to its size would be rounding.
  for (const double side : {aside, -aside}) {
    const Vector other = tangent * Vector::LinSpaced(tangent.cols(), -side, side);
    if (const auto near = model_.moved(x.y, other.cwiseProduct(sizes)); near && !holds(*near)) return false;
  }
  return true;
}

std::vector<std::string> EquilibriumSearch::unknownNames() const {
  const runtime::LinearizedProblem& p = model_.problem();
  std::vector<std::string> names = p.coordinateNames;
  for (const Generator& g : generators_) names.push_back("the velocity of the " + g.name);
  for (const std::size_t k : unknowns_.inputs) names.push_back(p.inputNames[k]);
  for (const std::size_t k : unknowns_.parameters) names.push_back(p.parameterNames[k]);
  return names;
}

/// Directions in which the residual does not change, but for the symmetries, and for velocities that move nothing.
void EquilibriumSearch::countFamily(Equilibrium& e, const Iterate& x, const Linear& l, const Matrix& tangent) {
  constexpr double large = 0.3;
  const Vector sizes = sizesAt(x);
  const Vector rows = rowSizes(l, sizes);
  const Eigen::Index n = model_.coordinates(), more = l.jacobian.cols() - n;
  std::vector<Eigen::Index> fixed;
  for (Eigen::Index k = 0; k < n; ++k)
    if (unknowns_.fixed[static_cast<std::size_t>(k)]) fixed.push_back(k);
  Matrix states = tangent; // those along which nothing that is fixed changes
  if (!fixed.empty()) states = tangent * nullSpace(tangent(fixed, Eigen::all), freePart);
  Matrix unknowns = Matrix::Zero(n + more, states.cols() + more);
  unknowns.topLeftCorner(n, states.cols()) = states;
  unknowns.bottomRightCorner(more, more) = Matrix(sizes.tail(more).asDiagonal());
  const Matrix scaled = rows.cwiseInverse().asDiagonal() * l.jacobian * unknowns;
  if (scaled.cols() == 0) return;
  const Matrix kernel = unknowns * nullSpace(scaled, freePart);
  // Images under symmetries, and velocities that move nothing.
  Matrix known(n + more, 0);
  const auto append = [&known](const Vector& column) {
    known.conservativeResize(Eigen::NoChange, known.cols() + 1);
    known.col(known.cols() - 1) = column;
  };
  Matrix idle = Matrix::Identity(x.c.size(), x.c.size());
  if (unknowns_.moving && x.c.size() > 0) idle = nullSpace(l.motions, freePart);
  for (Eigen::Index k = 0; k < idle.cols(); ++k) {
    Vector column = Vector::Zero(n + more);
    column.segment(n, x.c.size()) = idle.col(k);
    append(column);
  }
  const Matrix range = rangeOf(kernel);
  for (Eigen::Index k = 0; k < l.motions.cols(); ++k) {
    // A motion turns the velocities too: what of it lies in the kernel, with whatever velocities.
    Vector column = Vector::Zero(n + more);
    column.head(n) = l.motions.col(k);
    if (!(column.norm() > 1e-8)) continue;
    const Vector inside = range * (range.transpose() * column);
    if ((inside.head(n) - column.head(n)).norm() < 0.5 * column.norm()) append(inside);
  }
  const Matrix images = rangeOf(known);
  e.family = std::max<Eigen::Index>(range.cols() - images.cols(), 0);
  if (e.family == 0) return;
  const Matrix rest = range - images * (images.transpose() * range);
  const Vector size = rest.rowwise().norm();
  const std::vector<std::string> names = unknownNames();
  for (Eigen::Index k = 0; k < size.size() && e.along.size() < 8; ++k)
    if (size(k) > large * size.maxCoeff()) e.along.push_back(names[static_cast<std::size_t>(k)]);
}

bool EquilibriumSearch::same(const Equilibrium& a, const Equilibrium& b) {
  constexpr double near = 1e-6;
  const runtime::LinearizedProblem& p = model_.problem();
  const auto close = [](double x, double y) {
    return std::abs(x - y) <= near * std::max({1.0, std::abs(x), std::abs(y)});
  };
  for (const std::size_t k : unknowns_.inputs) {
    const auto place = static_cast<std::size_t>(p.inputValues[k]);
    if (!close(a.params[place], b.params[place])) return false;
  }
  for (const std::size_t k : unknowns_.parameters) {
    const auto place = static_cast<std::size_t>(p.parameterPlaces[k]);
    if (!close(a.params[place], b.params[place])) return false;
  }
  if (model_.setParams(a.params))
    if (const auto z = model_.difference(a.y, b.y); z && z->norm() <= near) return true;
  if (a.symmetries == 0 && b.symmetries == 0) return false; // no symmetry makes one of the other
  if (a.values.size() != b.values.size()) return false;
  for (std::size_t k = 0; k < a.values.size(); ++k)
    if (std::abs(a.values[k].value - b.values[k].value) >
        near * (1 + std::abs(a.values[k].value)) + a.values[k].error + b.values[k].error)
      return false;
  if (space_.system().energy == nullptr) return true;
  const auto energy = [&](const Equilibrium& e) {
    const auto outputs = model_.setParams(e.params) ? model_.outputs(e.y, unknowns_.time) : std::nullopt;
    return outputs && outputs->size() > 0 ? (*outputs)(0) : 0;
  };
  return close(energy(a), energy(b));
}

} // namespace lmc::checks
