/* Cholesky factors of symmetric matrices, and solutions by them. */
#include "runtime/Kernels.h"

#include <math.h>

/* Columns that are factored at a time: their part of a row and what the row is updated with stay in the first cache. */
enum { cholesky_panel = 32 };

/* x . y with four partial sums, which a processor can work on at once. */
static double cholesky_dot(const double* x, const double* y, int64_t n) {
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

/* Factors the columns [first, last) of the rows from `first` on; what the columns before do to them has been done. */
static int32_t cholesky_columns(double* a, int64_t n, int64_t first, int64_t last) {
  for (int64_t j = first; j < last; ++j) {
    const double* pivot_row = a + j * n + first;
    const double pivot = a[j * n + j] - cholesky_dot(pivot_row, pivot_row, j - first);
    if (!(pivot > 0) || !isfinite(pivot)) return LMC_SINGULAR_MASS;
    const double root = sqrt(pivot);
    a[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      double* row = a + i * n + first;
      row[j - first] = (row[j - first] - cholesky_dot(row, pivot_row, j - first)) / root;
    }
  }
  return LMC_OK;
}

/* Subtracts from the lower part behind column `first` + panel what the panel's columns contribute, a block of columns
   at a time: rows of the block's transpose are added to rows of a. */
static void cholesky_update(double* a, int64_t n, int64_t first) {
  double block[cholesky_panel][cholesky_panel];
  const int64_t behind = first + cholesky_panel;
  for (int64_t j0 = behind; j0 < n; j0 += cholesky_panel) {
    const int64_t width = n - j0 < cholesky_panel ? n - j0 : cholesky_panel;
    for (int64_t j = 0; j < cholesky_panel; ++j)
      for (int64_t k = 0; k < cholesky_panel; ++k) block[k][j] = j < width ? a[(j0 + j) * n + first + k] : 0;
    for (int64_t i = j0; i < n; ++i) {
      const double* factor = a + i * n + first;
      double sum[cholesky_panel] = {0};
      for (int64_t k = 0; k < cholesky_panel; k += 4)
        for (int64_t j = 0; j < cholesky_panel; ++j)
          sum[j] += (factor[k] * block[k][j] + factor[k + 1] * block[k + 1][j]) +
                    (factor[k + 2] * block[k + 2][j] + factor[k + 3] * block[k + 3][j]);
      const int64_t end = i - j0 < width - 1 ? i - j0 : width - 1;
      for (int64_t j = 0; j <= end; ++j) a[i * n + j0 + j] -= sum[j];
    }
  }
}

LMC_KERNEL int32_t lmc_cholesky_factor(double* a, int64_t n) {
  for (int64_t first = 0; first < n; first += cholesky_panel) {
    const int64_t last = n - first < cholesky_panel ? n : first + cholesky_panel;
    const int32_t status = cholesky_columns(a, n, first, last);
    if (status != LMC_OK) return status;
    if (last < n) cholesky_update(a, n, first);
  }
  return LMC_OK;
}

LMC_KERNEL int32_t lmc_cholesky_solve(const double* a, double* b, int64_t n, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    double* x = b + r * n;
    for (int64_t i = 0; i < n; ++i) x[i] = (x[i] - cholesky_dot(a + i * n, x, i)) / a[i * n + i];
    for (int64_t i = n - 1; i >= 0; --i) {
      x[i] /= a[i * n + i];
      for (int64_t j = 0; j < i; ++j) x[j] -= a[i * n + j] * x[i];
    }
  }
  return LMC_OK;
}
