#include "runtime/contacts/Dense.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lmc::runtime {

namespace {

constexpr double dependent = 1e-11;

/// The lower factor of a positive definite matrix of n rows, in place.
void cholesky(std::vector<double>& a, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < k; ++j) a[k * n + k] -= a[k * n + j] * a[k * n + j];
    a[k * n + k] = std::sqrt(a[k * n + k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = 0; j < k; ++j) a[i * n + k] -= a[i * n + j] * a[k * n + j];
      a[i * n + k] /= a[k * n + k];
    }
  }
}

void choleskySolve(const std::vector<double>& l, std::size_t n, std::vector<double>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) x[i] -= l[i * n + j] * x[j];
    x[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) x[i] -= l[j * n + i] * x[j];
    x[i] /= l[i * n + i];
  }
}

} // namespace

Semidefinite::Semidefinite(std::vector<double> a, std::size_t n) : n_(n), factor_(n * n, 0.0) {
  std::vector<double> own(n);
  for (std::size_t k = 0; k < n; ++k) own[k] = a[k * n + k];
  std::vector<bool> used(n, false);
  std::vector<double> rest = own;
  while (rank_ < n) {
    std::size_t best = n;
    for (std::size_t k = 0; k < n; ++k)
      if (!used[k] && own[k] > 0 && rest[k] > dependent * own[k] &&
          (best == n || rest[k] / own[k] > rest[best] / own[best]))
        best = k;
    if (best == n) break;
    used[best] = true;
    order_.push_back(best);
    const double pivot = std::sqrt(rest[best]);
    for (std::size_t i = 0; i < n; ++i) {
      double value = a[i * n + best];
      for (std::size_t j = 0; j < rank_; ++j) value -= factor_[i * n + j] * factor_[best * n + j];
      factor_[i * n + rank_] = used[i] && i != best ? 0 : value / pivot;
    }
    for (std::size_t i = 0; i < n; ++i) rest[i] -= factor_[i * n + rank_] * factor_[i * n + rank_];
    ++rank_;
  }
  if (rank_ == n) return;
  inner_.assign(rank_ * rank_, 0.0);
  for (std::size_t r = 0; r < rank_; ++r)
    for (std::size_t c = 0; c < rank_; ++c)
      for (std::size_t i = 0; i < n; ++i) inner_[r * rank_ + c] += factor_[i * n + r] * factor_[i * n + c];
  cholesky(inner_, rank_);
}

std::vector<double> Semidefinite::solve(const std::vector<double>& b) const {
  std::vector<double> y(rank_, 0.0), x(n_, 0.0);
  if (rank_ == n_) { // rows in the order of pivots: L is a lower triangle
    for (std::size_t i = 0; i < n_; ++i) {
      y[i] = b[order_[i]];
      for (std::size_t j = 0; j < i; ++j) y[i] -= factor_[order_[i] * n_ + j] * y[j];
      y[i] /= factor_[order_[i] * n_ + i];
    }
    for (std::size_t i = n_; i-- > 0;) {
      double value = y[i];
      for (std::size_t j = i + 1; j < n_; ++j) value -= factor_[order_[j] * n_ + i] * x[order_[j]];
      x[order_[i]] = value / factor_[order_[i] * n_ + i];
    }
    return x;
  }
  for (std::size_t r = 0; r < rank_; ++r)
    for (std::size_t i = 0; i < n_; ++i) y[r] += factor_[i * n_ + r] * b[i];
  choleskySolve(inner_, rank_, y);
  choleskySolve(inner_, rank_, y);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t r = 0; r < rank_; ++r) x[i] += factor_[i * n_ + r] * y[r];
  return x;
}

bool eliminate(std::vector<double> a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    if (!(std::abs(a[best * n + k]) > 1e-13)) return false;
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return true;
}

} // namespace lmc::runtime
