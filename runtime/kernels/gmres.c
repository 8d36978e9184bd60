/* GMRES, one call per product with the matrix. Givens rotations make the Hessenberg matrix triangular as it grows. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* The small problem's memory: whether it is done, rows of the basis that have been multiplied, the size of r; then the
   rotations' cosines and sines, the right-hand side, and the triangular matrix, whose column k has k + 1 entries. */
enum { gmres_done = 0, gmres_count = 1, gmres_size = 2, gmres_cosines = 3 };

static const double gmres_wanted = 1e-13; /* relative size of the residual */
static const double gmres_enough = 0.1;   /* the same, where there is no more room */

static double gmres_dot(const double* x, const double* y, int64_t n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const int64_t whole = n - n % 4;
  for (int64_t k = 0; k < whole; k += 4) {
    s0 += x[k] * y[k];
    s1 += x[k + 1] * y[k + 1];
    s2 += x[k + 2] * y[k + 2];
    s3 += x[k + 3] * y[k + 3];
  }
  for (int64_t k = whole; k < n; ++k) s0 += x[k] * y[k];
  return (s0 + s1) + (s2 + s3);
}

LMC_KERNEL int32_t lmc_gmres_begin(const double* r, double* basis, double* work, int64_t n, int64_t rows) {
  const double size = sqrt(gmres_dot(r, r, n));
  work[gmres_size] = size;
  work[gmres_count] = 0;
  work[gmres_cosines + 2 * rows] = size;
  work[gmres_done] = size == 0 ? 1 : 0;
  for (int64_t i = 0; i < n; ++i) basis[i] = size == 0 ? 0 : r[i] / size;
  return LMC_OK;
}

LMC_KERNEL int32_t lmc_gmres_step(const double* product, double* basis, double* work, int64_t n, int64_t rows) {
  const int64_t k = (int64_t)work[gmres_count];
  double *cosine = work + gmres_cosines, *sine = cosine + rows, *rhs = sine + rows;
  double* column = rhs + rows + k * (k + 1) / 2;
  double* next = basis + (k + 1) * n;
  for (int64_t i = 0; i < n; ++i) next[i] = product[i];
  for (int64_t i = 0; i <= k; ++i) column[i] = 0;
  for (int pass = 0; pass < 2; ++pass) { /* once more keeps the basis orthogonal to rounding */
    for (int64_t i = 0; i <= k; ++i) {
      const double* row = basis + i * n;
      const double part = gmres_dot(row, next, n);
      for (int64_t j = 0; j < n; ++j) next[j] -= part * row[j];
      column[i] += part;
    }
  }
  const double rest = sqrt(gmres_dot(next, next, n));
  if (rest > 0)
    for (int64_t i = 0; i < n; ++i) next[i] /= rest;
  for (int64_t i = 0; i < k; ++i) {
    const double a = column[i], b = column[i + 1];
    column[i] = cosine[i] * a + sine[i] * b;
    column[i + 1] = cosine[i] * b - sine[i] * a;
  }
  const double length = hypot(column[k], rest);
  cosine[k] = length > 0 ? column[k] / length : 1;
  sine[k] = length > 0 ? rest / length : 0;
  column[k] = length;
  rhs[k + 1] = -sine[k] * rhs[k];
  rhs[k] *= cosine[k];
  work[gmres_count] = (double)(k + 1);
  const int good = !(fabs(rhs[k + 1]) > gmres_wanted * work[gmres_size]); /* also when a number is not finite */
  work[gmres_done] = good || k + 2 >= rows ? 1 : 0;
  return LMC_OK;
}

LMC_KERNEL int32_t lmc_gmres_end(double* r, const double* basis, double* work, int64_t n, int64_t rows) {
  const int64_t m = (int64_t)work[gmres_count];
  double* rhs = work + gmres_cosines + 2 * rows;
  const double* upper = rhs + rows;
  /* What is left of r: a change that solves for none of it is no change of an iterate. */
  if (m > 0 && !(fabs(rhs[m]) <= gmres_enough * work[gmres_size])) return LMC_NO_CONVERGENCE;
  for (int64_t i = 0; i < n; ++i) r[i] = 0;
  for (int64_t k = m - 1; k >= 0; --k) {
    double value = rhs[k];
    for (int64_t j = k + 1; j < m; ++j) value -= upper[j * (j + 1) / 2 + k] * rhs[j];
    const double diagonal = upper[k * (k + 1) / 2 + k];
    if (!(fabs(diagonal) > 0)) return LMC_NO_CONVERGENCE;
    rhs[k] = value / diagonal;
    for (int64_t i = 0; i < n; ++i) r[i] += rhs[k] * basis[k * n + i];
  }
  return LMC_OK;
}
