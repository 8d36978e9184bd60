/* LU factors with partial pivoting, solutions and determinants by them. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* Columns that are factored at a time, and columns behind them that are updated at a time: both fit the first cache. */
enum { lu_panel = 32, lu_width = 128 };

/* row -= sum over k < count of factor[k] u[k], of rows u[k] that are n apart; the first `width` numbers of them. */
static void lu_subtract(double* restrict row, const double* factor, const double* restrict u, int64_t n, int64_t count,
                        int64_t width) {
  int64_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const double *u0 = u + k * n, *u1 = u0 + n, *u2 = u1 + n, *u3 = u2 + n;
    const double f0 = factor[k], f1 = factor[k + 1], f2 = factor[k + 2], f3 = factor[k + 3];
    for (int64_t j = 0; j < width; ++j) row[j] -= (f0 * u0[j] + f1 * u1[j]) + (f2 * u2[j] + f3 * u3[j]);
  }
  for (; k < count; ++k)
    for (int64_t j = 0; j < width; ++j) row[j] -= factor[k] * u[k * n + j];
}

static void lu_exchange(double* x, double* y, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    const double t = x[j];
    x[j] = y[j];
    y[j] = t;
  }
}

/* Factors the columns [first, last) of the rows from `first` on; exchanges whole rows. */
static int32_t lu_columns(double* a, double* pivots, int64_t n, int64_t first, int64_t last) {
  for (int64_t k = first; k < last; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    pivots[k] = (double)best;
    if (!(fabs(a[best * n + k]) > 0) || !isfinite(a[best * n + k])) return LMC_SINGULAR_MATRIX;
    if (best != k) lu_exchange(a + k * n, a + best * n, n);
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      if (factor == 0) continue;
      for (int64_t j = k + 1; j < last; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return LMC_OK;
}

LMC_KERNEL int32_t lmc_lu_factor(double* a, double* pivots, int64_t n) {
  for (int64_t first = 0; first < n; first += lu_panel) {
    const int64_t last = n - first < lu_panel ? n : first + lu_panel;
    const int32_t status = lu_columns(a, pivots, n, first, last);
    if (status != LMC_OK) return status;
    for (int64_t j = last; j < n; j += lu_width) {
      const int64_t width = n - j < lu_width ? n - j : lu_width;
      for (int64_t i = first + 1; i < last; ++i)
        lu_subtract(a + i * n + j, a + i * n + first, a + first * n + j, n, i - first, width);
      for (int64_t i = last; i < n; ++i)
        lu_subtract(a + i * n + j, a + i * n + first, a + first * n + j, n, last - first, width);
    }
  }
  return LMC_OK;
}

/* x . y with four partial sums, which a processor can work on at once. */
static double lu_dot(const double* x, const double* y, int64_t n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    s0 += x[k] * y[k];
    s1 += x[k + 1] * y[k + 1];
    s2 += x[k + 2] * y[k + 2];
    s3 += x[k + 3] * y[k + 3];
  }
  for (; k < n; ++k) s0 += x[k] * y[k];
  return (s0 + s1) + (s2 + s3);
}

LMC_KERNEL int32_t lmc_lu_solve(const double* a, const double* pivots, double* b, int64_t n, int64_t columns) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t other = (int64_t)pivots[k];
    if (other != k) lu_exchange(b + k * columns, b + other * columns, columns);
  }
  if (columns == 1) {
    for (int64_t i = 1; i < n; ++i) b[i] -= lu_dot(a + i * n, b, i);
    for (int64_t i = n - 1; i >= 0; --i) b[i] = (b[i] - lu_dot(a + i * n + i + 1, b + i + 1, n - 1 - i)) / a[i * n + i];
    return LMC_OK;
  }
  for (int64_t i = 1; i < n; ++i) lu_subtract(b + i * columns, a + i * n, b, columns, i, columns);
  for (int64_t i = n - 1; i >= 0; --i) {
    double* row = b + i * columns;
    lu_subtract(row, a + i * n + i + 1, row + columns, columns, n - 1 - i, columns);
    for (int64_t j = 0; j < columns; ++j) row[j] /= a[i * n + i];
  }
  return LMC_OK;
}

/* x times a power of 2^500 that brings it near 1; the power is added to *exponent. Exact but for subnormal x. */
static double lu_near_one(double x, int64_t* exponent) {
  for (; fabs(x) > 0x1p250; ++*exponent) x *= 0x1p-500;
  for (; fabs(x) < 0x1p-250; --*exponent) x *= 0x1p500;
  return x;
}

LMC_KERNEL int32_t lmc_lu_determinant(double* a, double* pivots, double* result, int64_t n) {
  double product = 1;
  int64_t exponent = 0;
  result[0] = 0;
  if (lmc_lu_factor(a, pivots, n) != LMC_OK) {
    for (int64_t k = 0; k < n * n; ++k)
      if (!isfinite(a[k])) result[0] = a[k] - a[k];
    return LMC_OK;
  }
  for (int64_t k = 0; k < n; ++k) {
    product *= lu_near_one(a[k * n + k], &exponent);
    product = lu_near_one(product, &exponent);
    if ((int64_t)pivots[k] != k) product = -product;
  }
  for (; exponent > 0 && isfinite(product); --exponent) product *= 0x1p500;
  for (; exponent < 0 && product != 0; ++exponent) product *= 0x1p-500;
  result[0] = product;
  return LMC_OK;
}
