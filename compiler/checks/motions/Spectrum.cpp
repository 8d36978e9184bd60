#include "checks/motions/Spectrum.h"

#include "checks/states/NullSpace.h"
#include "linear/spectra/Spectra.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lmc::checks {

namespace {

using Matrix = Eigen::MatrixXd;

std::vector<std::complex<double>> sorted(const Matrix& a) {
  const Eigen::VectorXcd values = linear::eigenvalues(a);
  std::vector<std::complex<double>> list(values.begin(), values.end());
  std::sort(list.begin(), list.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag();
  });
  return list;
}

/// The distances of a list's members to those of another that they are matched with, the closest pairs first.
std::vector<double> distances(const std::vector<std::complex<double>>& a, const std::vector<std::complex<double>>& b) {
  struct Pair {
    double distance;
    std::size_t i, j;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) pairs.push_back({std::abs(a[i] - b[j]), i, j});
  std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.distance < y.distance; });
  std::vector<double> result(a.size(), INFINITY);
  std::vector<bool> taken(b.size(), false);
  for (const Pair& p : pairs) {
    if (std::isfinite(result[p.i]) || taken[p.j]) continue;
    result[p.i] = p.distance;
    taken[p.j] = true;
  }
  return result;
}

std::vector<std::complex<double>> valuesOf(const std::vector<Eigenvalue>& list) {
  std::vector<std::complex<double>> values;
  values.reserve(list.size());
  for (const Eigenvalue& e : list) values.push_back(e.value);
  return values;
}

/// Stability by how far each value is beyond the border.
template <class Beyond> Stability judged(const std::vector<Eigenvalue>& values, Beyond beyond) {
  bool all = true;
  for (const Eigenvalue& e : values) {
    if (beyond(e) > e.error) return Stability::Unstable;
    all = all && beyond(e) < -e.error;
  }
  return all ? Stability::Stable : Stability::Undecided;
}

double realPart(const Eigenvalue& e) {
  return e.value.real();
}
double outside(const Eigenvalue& e) {
  return std::abs(e.value) - 1;
}

} // namespace

std::vector<Eigenvalue> eigenvaluesOf(const Matrix& a, double uncertainty) {
  constexpr int trials = 4;
  constexpr double safety = 4;
  std::vector<Eigenvalue> list;
  if (a.size() == 0) return list;
  const auto values = sorted(a);
  for (const auto& value : values) list.push_back({value, 0});
  std::mt19937_64 generator(1);
  const double size = uncertainty * a.norm();
  for (int k = 0; k < trials; ++k) {
    Matrix other = a;
    for (double& x : other.reshaped()) x += (generator() & 1U) != 0 ? size : -size;
    const std::vector<double> moved = distances(values, sorted(other));
    for (std::size_t i = 0; i < list.size(); ++i) list[i].error = std::max(list[i].error, safety * moved[i]);
  }
  return list;
}

void compare(std::vector<Eigenvalue>& values, const std::vector<Eigenvalue>& other) {
  const std::vector<double> moved = distances(valuesOf(values), valuesOf(other));
  for (std::size_t i = 0; i < values.size(); ++i) values[i].error += moved[i];
}

Stability stabilityOfFlow(const std::vector<Eigenvalue>& values) {
  return judged(values, realPart);
}

Stability stabilityOfMap(const std::vector<Eigenvalue>& values) {
  return judged(values, outside);
}

std::size_t onBorderOfFlow(const std::vector<Eigenvalue>& values) {
  return static_cast<std::size_t>(std::count_if(
      values.begin(), values.end(), [](const Eigenvalue& e) { return !(std::abs(realPart(e)) > e.error); }));
}

std::size_t onBorderOfMap(const std::vector<Eigenvalue>& values) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(),
                                                [](const Eigenvalue& e) { return !(std::abs(outside(e)) > e.error); }));
}

std::string word(Stability s) {
  return s == Stability::Stable ? "asymptotically stable" : s == Stability::Unstable ? "unstable" : "undecided";
}

Matrix reduced(const Matrix& a, const Matrix& along, const Matrix& across) {
  constexpr double dependent = 1e-6;
  const Eigen::Index n = a.rows();
  Matrix kept = Matrix::Identity(n, n); // an orthonormal basis of the kernel of `across`
  if (across.cols() > 0) kept = nullSpace(across.transpose(), dependent);
  if (kept.cols() == 0) return Matrix(0, 0);
  Matrix free = Matrix::Identity(kept.cols(), kept.cols()); // of what is orthogonal to `along` in it
  if (along.cols() > 0) {
    // What of `along` lies in the kernel: combinations that `across` does not see.
    Matrix inside = along;
    if (across.cols() > 0) inside = along * nullSpace(across.transpose() * along, dependent);
    if (inside.cols() > 0) free = nullSpace((kept.transpose() * inside).transpose(), dependent);
  }
  const Matrix basis = kept * free;
  return basis.transpose() * a * basis;
}

} // namespace lmc::checks
