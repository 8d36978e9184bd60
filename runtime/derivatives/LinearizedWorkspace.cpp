#include "runtime/derivatives/LinearizedWorkspace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lmc::runtime {

namespace {

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

/// Gradients of constraints of length one whose rest is shorter follow from the others, as in the search for equations
/// that depend on each other.
constexpr double dependentGradient = 1e-9;

/// v without its components along orthonormal vectors, which stand one after the other.
void removeParts(std::vector<double>& v, const std::vector<double>& orthonormal) {
  const std::size_t n = v.size();
  for (std::size_t k = 0; k < orthonormal.size(); k += n) {
    double c = 0;
    for (std::size_t i = 0; i < n; ++i) c += orthonormal[k + i] * v[i];
    for (std::size_t i = 0; i < n; ++i) v[i] -= c * orthonormal[k + i];
  }
}

/// At most `most` orthonormal vectors, one after the other, of the span of some vectors and orthogonal to others that
/// are orthonormal: always the longest rest next, until none is longer than `least`.
std::vector<double> takeIndependent(std::vector<std::vector<double>> vectors, std::vector<double> others,
                                    std::size_t most, double least) {
  std::vector<double> taken;
  for (auto& v : vectors) removeParts(v, others);
  for (std::size_t count = 0; count < most && !vectors.empty(); ++count) {
    const auto longest = std::max_element(vectors.begin(), vectors.end(),
                                          [](const auto& a, const auto& b) { return norm(a) < norm(b); });
    if (!(norm(*longest) > least)) break;
    std::vector<double> v = std::move(*longest);
    vectors.erase(longest);
    for (int pass = 0; pass < 2; ++pass) { // the second time against rounding
      removeParts(v, others);
      const double size = norm(v);
      for (double& x : v) x /= size;
    }
    for (auto& w : vectors) removeParts(w, v);
    others.insert(others.end(), v.begin(), v.end());
    taken.insert(taken.end(), v.begin(), v.end());
  }
  return taken;
}

} // namespace

void LinearizedWorkspace::put(const Field& field, In values) {
  const std::span<double> to = w_.numbers(field);
  std::fill(to.begin(), to.end(), 0.0);
  std::copy_n(values.begin(), std::min(values.size(), to.size()), to.begin());
}

void LinearizedWorkspace::setInputs(In values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    w_.params()[at(p_->inputValues[k])] = values[k];
    w_.params()[at(p_->inputGiven[k])] = 1;
  }
}

void LinearizedWorkspace::releaseInputs() {
  for (const std::int64_t place : p_->inputValues) w_.params()[at(place)] = 0;
  for (const std::int64_t place : p_->inputGiven) w_.params()[at(place)] = 0;
}

std::int32_t LinearizedWorkspace::load(In params) {
  std::copy_n(params.begin(), std::min(params.size(), w_.params().size()), w_.params().begin());
  return w_.setUp();
}

std::int32_t LinearizedWorkspace::setParameters(In values) {
  for (std::size_t k = 0; k < values.size(); ++k) w_.params()[at(p_->parameterPlaces[k])] = values[k];
  return w_.setUp();
}

std::int32_t LinearizedWorkspace::forward(LinearizedMap map, double t, double h, In direction, In inputs, In parameters,
                                          In time) {
  putDirection(direction, inputs, parameters, time);
  return w_.call(of(map).forward, t, h);
}

std::int32_t LinearizedWorkspace::change(int function, double t, double member, In direction, In inputs, In parameters,
                                         double time) {
  const std::array<double, 1> later{time};
  putDirection(direction, inputs, parameters, later);
  return w_.call(function, t, member);
}

void LinearizedWorkspace::putDirection(In direction, In inputs, In parameters, In time) {
  put(p_->direction, direction);
  put(p_->inputDirection, inputs);
  put(p_->parameterDirection, parameters);
  if (p_->timeDirection.there()) put(p_->timeDirection, time);
}

std::int32_t LinearizedWorkspace::adjoint(LinearizedMap map, double t, double h, In covector, In field) {
  if (map == LinearizedMap::Outputs)
    put(p_->outputCovector, covector);
  else
    put(p_->covector, covector);
  put(p_->fieldCovector, field);
  return w_.call(of(map).adjoint, t, h);
}

std::int32_t LinearizedWorkspace::matrices(LinearizedMap map, double t, double h) {
  return of(map).matrices >= 0 ? w_.call(of(map).matrices, t, h) : columns(map, t, h);
}

/// The image of the j-th unit vector of a field of directions.
std::int32_t LinearizedWorkspace::column(LinearizedMap map, double t, double h, const Field& directions,
                                         std::size_t j) {
  putDirection({}, {}, {}, {});
  w_.numbers(directions)[j] = 1;
  return w_.call(of(map).forward, t, h);
}

std::int32_t LinearizedWorkspace::columns(LinearizedMap map, double t, double h) {
  Assembled& a = assembled_[static_cast<std::size_t>(map)];
  a = {};
  const auto assemble = [&](std::vector<double>& matrix, const Field& directions) {
    std::int32_t status = Ok;
    for (std::size_t j = 0; j < w_.numbers(directions).size() && status == Ok; ++j) {
      status = column(map, t, h, directions, j);
      matrix.insert(matrix.end(), image(map).begin(), image(map).end());
      if (&matrix == &a.state && map == LinearizedMap::Field)
        a.field.insert(a.field.end(), fieldImage().begin(), fieldImage().end());
    }
    return status;
  };
  std::int32_t status = assemble(a.state, p_->direction);
  if (status == Ok) status = assemble(a.inputs, p_->inputDirection);
  if (status == Ok) status = assemble(a.parameters, p_->parameterDirection);
  return status;
}

LinearizedWorkspace::In LinearizedWorkspace::stateMatrix(LinearizedMap map) const {
  if (of(map).matrices < 0) return assembled_[static_cast<std::size_t>(map)].state;
  return w_.numbers(of(map).stateMatrix);
}

LinearizedWorkspace::In LinearizedWorkspace::inputMatrix(LinearizedMap map) const {
  if (of(map).matrices < 0) return assembled_[static_cast<std::size_t>(map)].inputs;
  return w_.numbers(of(map).inputMatrix);
}

LinearizedWorkspace::In LinearizedWorkspace::parameterMatrix(LinearizedMap map) const {
  if (of(map).matrices < 0) return assembled_[static_cast<std::size_t>(map)].parameters;
  return w_.numbers(of(map).parameterMatrix);
}

LinearizedWorkspace::In LinearizedWorkspace::fieldMatrix() const {
  if (of(LinearizedMap::Field).matrices < 0) return assembled_[static_cast<std::size_t>(LinearizedMap::Field)].field;
  return w_.numbers(of(LinearizedMap::Field).fieldStateMatrix);
}

/// Whether a state is another one, up to what is off the manifold: of no variable an entry differs by more than a part
/// of the largest, or than of what may be rounding. Numbers that have no derivative do not count.
bool LinearizedWorkspace::reached(In from, In state, In other) const {
  constexpr double far = 0.1, small = 1e-8;
  std::vector<bool> counts(state.size(), true);
  if (p_->jumps)
    for (const std::int64_t k : p_->jumps->others) counts[static_cast<std::size_t>(k)] = false;
  for (const Field* f : p_->problem.all(FieldKind::State)) {
    double largest = small, rest = 0;
    const auto first = static_cast<std::size_t>(f->offset);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(f->count()); ++k) {
      if (!counts[k]) continue;
      largest = std::max({largest, std::abs(from[k]), std::abs(state[k]), std::abs(other[k])});
      rest = std::max(rest, std::abs(other[k] - state[k]));
    }
    if (rest > far * largest) return false;
  }
  return true;
}

std::int32_t LinearizedWorkspace::moved(In direction, std::span<double> state) {
  put(p_->direction, direction);
  const std::int32_t status = w_.call(p_->moved.function, 0, 0);
  std::copy_n(w_.numbers(p_->moved.result).begin(), state.size(), state.begin());
  return status;
}

std::int32_t LinearizedWorkspace::lift(In direction, std::span<double> change) {
  put(p_->direction, direction);
  const std::int32_t status = w_.call(p_->lifted.function, 0, 0);
  std::copy_n(w_.numbers(p_->lifted.result).begin(), change.size(), change.begin());
  return status;
}

std::int32_t LinearizedWorkspace::coordinates(In change, std::span<double> direction) {
  put(p_->storageChange, change);
  const std::int32_t status = w_.call(p_->read.function, 0, 0);
  std::copy_n(w_.numbers(p_->read.result).begin(), direction.size(), direction.begin());
  return status;
}

/// Corrections of z by the coordinates of what is missing, read at the state moved so far; they converge like a Newton
/// iteration whose derivative is that at z = 0. Opposite points have a chord with no part along the manifold: there
/// they end as well, and far from the other state.
std::int32_t LinearizedWorkspace::difference(In other, std::span<double> direction) {
  constexpr int limit = 200;
  const std::vector<double> here(state().begin(), state().end());
  std::vector<double> near(here.size()), change(here.size()), correction(direction.size());
  std::fill(direction.begin(), direction.end(), 0.0);
  double last = std::numeric_limits<double>::infinity();
  std::int32_t status = Ok;
  for (int k = 0; k < limit && status == Ok; ++k) {
    status = moved(direction, near);
    std::transform(other.begin(), other.end(), near.begin(), change.begin(), std::minus<>());
    std::copy(near.begin(), near.end(), state().begin());
    if (status == Ok) status = coordinates(change, correction);
    std::copy(here.begin(), here.end(), state().begin());
    const double size = norm(correction);
    if (status != Ok) return status;
    if (!std::isfinite(size)) return NoConvergence;
    // Round-off: corrections do not become smaller any more.
    if (size <= 1e-14 * (1 + norm(direction)) || (size >= last && size <= 1e-11 * (1 + norm(direction))))
      return reached(here, near, other) ? Ok : NoConvergence;
    last = size;
    std::transform(direction.begin(), direction.end(), correction.begin(), direction.begin(), std::plus<>());
    // The correction is horizontal at the moved state, the sum is to be so at this one.
    status = lift(direction, change);
    if (status == Ok) status = coordinates(change, direction);
  }
  return status == Ok ? static_cast<std::int32_t>(NoConvergence) : status;
}

/// Gram and Schmidt, twice, on the projections of unit vectors.
std::int32_t LinearizedWorkspace::basis(double t, std::vector<double>& basis) {
  const std::size_t n = at(p_->coordinates);
  constexpr double independent = 1e-6;
  basis.clear();
  std::vector<double> e(n), change(at(p_->stateSize)), v(n);
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(e.begin(), e.end(), 0.0);
    e[j] = 1;
    std::int32_t status = lift(e, change);
    if (status == Ok) status = coordinates(change, v);
    if (status != Ok) return status;
    for (int pass = 0; pass < 2; ++pass) {
      removeParts(v, basis);
      const double size = norm(v);
      if (size < independent) break;
      for (double& x : v) x /= size;
      if (pass == 1) basis.insert(basis.end(), v.begin(), v.end());
    }
  }
  return of(LinearizedMap::Constraints).size > 0 ? keepConstraints(t, basis) : static_cast<std::int32_t>(Ok);
}

/// Leaves those vectors of the space along which no constraint changes. The gradients are made orthonormal, always the
/// longest rest first, until what is left of them depends on the others; then as many vectors of the basis as are
/// missing are made orthogonal to them in the same way.
std::int32_t LinearizedWorkspace::keepConstraints(double t, std::vector<double>& basis) {
  const std::size_t n = at(p_->coordinates);
  const std::size_t dimension = n == 0 ? 0 : basis.size() / n;
  const std::int32_t status = matrices(LinearizedMap::Constraints, t, 0);
  if (status != Ok) return status;
  const In matrix = stateMatrix(LinearizedMap::Constraints);
  const std::size_t rows = at(of(LinearizedMap::Constraints).size);
  std::vector<std::vector<double>> gradients;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> g(n), own(n, 0.0); // in the space of the basis
    for (std::size_t j = 0; j < n; ++j) g[j] = matrix[i + j * rows];
    for (std::size_t k = 0; k < basis.size(); k += n) {
      const double c = std::inner_product(g.begin(), g.end(), basis.begin() + static_cast<std::ptrdiff_t>(k), 0.0);
      for (std::size_t j = 0; j < n; ++j) own[j] += c * basis[k + j];
    }
    const double size = norm(own);
    if (!std::isfinite(size)) return NonFinite;
    if (size > 0)
      for (double& x : own) x /= size;
    if (size > 0) gradients.push_back(std::move(own));
  }
  std::vector<double> held = takeIndependent(std::move(gradients), {}, dimension, dependentGradient);
  const std::size_t rank = n == 0 ? 0 : held.size() / n;
  std::vector<std::vector<double>> vectors;
  for (std::size_t k = 0; k < basis.size(); k += n)
    vectors.emplace_back(basis.begin() + static_cast<std::ptrdiff_t>(k),
                         basis.begin() + static_cast<std::ptrdiff_t>(k + n));
  basis = takeIndependent(std::move(vectors), std::move(held), dimension - rank, 0);
  return Ok;
}

} // namespace lmc::runtime
