/* Symmetric systems: Cholesky where the matrix is positive definite, else elimination with pivots. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* Columns that are factored at a time: their part of a row and what the row is updated with stay in the first cache. */
enum { cholesky_panel = 32 };

/* Of a matrix that is not positive definite: how often its rows are scaled, and what a pivot loses to rounding. */
enum { cholesky_passes = 8 };
static const double cholesky_rounding = 2.3e-16;

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

/* Rows often begin with zeros: those of open contacts, of chains. The factor has the same ones, and nothing is done
   with them. `begins` has the first column of each row from the second on that is not zero, at most the diagonal. */
static void cholesky_begins(const double* a, double* begins, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    int64_t j = 0;
    while (j < i && a[i * n + j] == 0) ++j;
    begins[i] = (double)j;
  }
}

/* Where a row begins, as a multiple of the partial sums of cholesky_dot: sums keep their order. */
static int64_t cholesky_begin(const double* begins, int64_t i) {
  return i == 0 ? 0 : (int64_t)begins[i] & ~(int64_t)3;
}

/* Factors the columns [first, last) of the rows from `first` on; what the columns before do to them has been done. */
static int32_t cholesky_columns(double* a, const double* begins, int64_t n, int64_t first, int64_t last) {
  for (int64_t j = first; j < last; ++j) {
    const double* pivot_row = a + j * n + first;
    const double pivot = a[j * n + j] - cholesky_dot(pivot_row, pivot_row, j - first);
    if (!(pivot > 0) || !isfinite(pivot)) return LMC_SINGULAR_MASS;
    const double root = sqrt(pivot);
    a[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      double* row = a + i * n + first;
      if (begins[i] > (double)j) continue;
      row[j - first] = (row[j - first] - cholesky_dot(row, pivot_row, j - first)) / root;
    }
  }
  return LMC_OK;
}

/* Subtracts from the lower part behind column `first` + panel what the panel's columns contribute, a block of columns
   at a time: rows of the block's transpose are added to rows of a. */
static void cholesky_update(double* a, const double* begins, int64_t n, int64_t first) {
  double block[cholesky_panel][cholesky_panel];
  const int64_t behind = first + cholesky_panel;
  for (int64_t j0 = behind; j0 < n; j0 += cholesky_panel) {
    const int64_t width = n - j0 < cholesky_panel ? n - j0 : cholesky_panel;
    int any = 0;
    for (int64_t j = 0; j < width; ++j) any = any || begins[j0 + j] < (double)behind;
    if (!any) continue;
    for (int64_t j = 0; j < cholesky_panel; ++j)
      for (int64_t k = 0; k < cholesky_panel; ++k) block[k][j] = j < width ? a[(j0 + j) * n + first + k] : 0;
    for (int64_t i = j0; i < n; ++i) {
      if (begins[i] >= (double)behind) continue;
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

static int32_t cholesky_factor(double* a, double* begins, int64_t n) {
  cholesky_begins(a, begins, n);
  for (int64_t first = 0; first < n; first += cholesky_panel) {
    const int64_t last = n - first < cholesky_panel ? n : first + cholesky_panel;
    const int32_t status = cholesky_columns(a, begins, n, first, last);
    if (status != LMC_OK) return status;
    if (last < n) cholesky_update(a, begins, n, first);
  }
  return LMC_OK;
}

static void cholesky_solve(const double* a, const double* begins, double* b, int64_t n, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    double* x = b + r * n;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t k = cholesky_begin(begins, i);
      x[i] = (x[i] - cholesky_dot(a + i * n + k, x + k, i - k)) / a[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      x[i] /= a[i * n + i];
      for (int64_t j = cholesky_begin(begins, i); j < i; ++j) x[j] -= a[i * n + j] * x[i];
    }
  }
}

/* Marks a factor of Cholesky in the place of the first pivot; behind it stands where rows begin. */
static const double cholesky_definite = -1;

/* The matrix as it was before Cholesky, from its upper part and the diagonal in `kept`. False if it is not finite. */
static int cholesky_restore(double* a, const double* kept, int64_t n) {
  int finite = 1;
  for (int64_t i = 0; i < n; ++i) {
    a[i * n + i] = kept[i];
    for (int64_t j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
    for (int64_t j = i; j < n; ++j) finite = finite && isfinite(a[i * n + j]);
  }
  return finite;
}

/* Exponents e of 2 such that the largest of the entries 2^-e_i a_ij 2^-e_j in each row is near 1 (P. A. Knight, D.
   Ruiz, B. Uçar, "A symmetry preserving algorithm for matrix scaling", SIAM Journal on Matrix Analysis and Applications
   35 (2014) 931-955). Powers of two: nothing is rounded. */
static void cholesky_scales(const double* a, double* scales, int64_t n) {
  for (int64_t i = 0; i < n; ++i) scales[i] = 0;
  for (int pass = 0; pass < cholesky_passes; ++pass) {
    for (int64_t i = 0; i < n; ++i) {
      int any = 0, size = 0, exponent = 0;
      for (int64_t j = 0; j < n; ++j) {
        if (a[i * n + j] == 0) continue;
        (void)frexp(a[i * n + j], &exponent);
        exponent -= (int)scales[i] + (int)scales[j];
        if (!any || exponent > size) size = exponent;
        any = 1;
      }
      scales[i] += size / 2;
    }
  }
}

/* Marks factors of a semidefinite matrix: work[0] is this minus its rank. */
static const double cholesky_semidefinite = -2;
/* Part of its diagonal entry below which a pivot is what rounding leaves of a dependent row. */
static const double cholesky_dependent = 1e-12;
/* Part of the largest pivot with which the first row is taken. */
static const double cholesky_good = 0.1;

static void cholesky_exchange(double* a, int64_t n, int64_t i, int64_t j) {
  for (int64_t k = 0; k < n; ++k) {
    const double x = a[i * n + k];
    a[i * n + k] = a[j * n + k];
    a[j * n + k] = x;
  }
  for (int64_t k = 0; k < n; ++k) {
    const double x = a[k * n + i];
    a[k * n + i] = a[k * n + j];
    a[k * n + j] = x;
  }
}

/* Part of the diagonal entries that what is left of a semidefinite matrix of this rank does not reach. */
static const double cholesky_nothing = 1e-9;

/* What is left behind the pivots is no rounding: the matrix has negative eigenvalues, and no factor. Where `limit` has
   left pivots out they may be as large as errors of the matrix, but not below zero. */
static int cholesky_is_indefinite(const double* a, const double* diagonal, int64_t n, int64_t rank, int64_t limit) {
  for (int64_t i = rank; i < n; ++i) {
    if (diagonal[i] < 0 || a[i * n + i] < -cholesky_nothing * diagonal[i]) return 1;
    for (int64_t j = rank; j < i && rank < limit; ++j)
      if (fabs(a[i * n + j]) > cholesky_nothing * sqrt(diagonal[i] * diagonal[j])) return 1;
  }
  return 0;
}

/* P a P^T = L L^T with pivots that are large relative to the diagonal, L n×r. With N^T = (-T^T, 1), T = L11^-T L21^T,
   a basis of the kernel, T and the factor of N^T N = 1 + T^T T take the room to the right of L. */
static int32_t cholesky_of_rank(double* a, double* work, int64_t n, int64_t limit) {
  double* diagonal = work; /* as it was, until the rank is known */
  double* order = work + n;
  int64_t rank = 0;
  for (int64_t i = 0; i < n; ++i) {
    diagonal[i] = a[i * n + i];
    order[i] = (double)i;
    for (int64_t j = i + 1; j < n; ++j) a[i * n + j] = a[j * n + i];
  }
  for (; rank < limit; ++rank) {
    int64_t best = -1;
    double most = 0;
    for (int64_t i = rank; i < n; ++i) {
      const double part = diagonal[i] > 0 ? a[i * n + i] / diagonal[i] : 0;
      if (part > most) most = part;
    }
    if (!(most > cholesky_dependent)) break;
    for (int64_t i = rank; i < n; ++i) /* by the order of the rows, so that it does not change along a motion */
      if (diagonal[i] > 0 && a[i * n + i] / diagonal[i] >= cholesky_good * most && (best < 0 || order[i] < order[best]))
        best = i;
    if (best != rank) {
      cholesky_exchange(a, n, rank, best);
      const double d = diagonal[rank], o = order[rank];
      diagonal[rank] = diagonal[best];
      diagonal[best] = d;
      order[rank] = order[best];
      order[best] = o;
    }
    const double root = sqrt(a[rank * n + rank]);
    a[rank * n + rank] = root;
    for (int64_t i = rank + 1; i < n; ++i) a[i * n + rank] /= root;
    for (int64_t i = rank + 1; i < n; ++i) {
      if (a[i * n + rank] == 0) continue; /* it has nothing to do with the pivot, as rows of open contacts */
      for (int64_t j = rank + 1; j <= i; ++j)
        a[i * n + j] = a[j * n + i] = a[i * n + j] - a[i * n + rank] * a[j * n + rank];
    }
  }
  if (cholesky_is_indefinite(a, diagonal, n, rank, limit)) return LMC_SINGULAR_MASS;
  work[0] = cholesky_semidefinite - (double)rank;
  for (int64_t j = rank; j < n; ++j) { /* a column of T */
    for (int64_t i = rank - 1; i >= 0; --i) {
      double x = a[j * n + i];
      for (int64_t k = i + 1; k < rank; ++k) x -= a[k * n + i] * a[k * n + j];
      a[i * n + j] = x / a[i * n + i];
    }
  }
  for (int64_t i = rank; i < n; ++i) {
    for (int64_t j = rank; j <= i; ++j) {
      double x = i == j ? 1 : 0;
      for (int64_t k = 0; k < rank; ++k) x += a[k * n + i] * a[k * n + j];
      for (int64_t k = rank; k < j; ++k) x -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? sqrt(x) : x / a[j * n + j];
    }
  }
  cholesky_begins(a, work, n);
  return LMC_OK;
}

/* In `x`, whose numbers are taken in the order of the pivots. */
static void cholesky_shortest(const double* a, const double* begins, const double* order, int64_t rank, double* x,
                              int64_t n) {
#define LMC_AT(i) x[(int64_t)order[i]]
  for (int64_t i = 0; i < rank; ++i) {
    for (int64_t k = cholesky_begin(begins, i); k < i; ++k) LMC_AT(i) -= a[i * n + k] * LMC_AT(k);
    LMC_AT(i) /= a[i * n + i];
  }
  for (int64_t i = rank - 1; i >= 0; --i) {
    for (int64_t k = i + 1; k < rank; ++k)
      if (begins[k] <= (double)i) LMC_AT(i) -= a[k * n + i] * LMC_AT(k);
    LMC_AT(i) /= a[i * n + i];
  }
  for (int64_t j = rank; j < n; ++j) { /* w with N^T N w = T^T x */
    double w = 0;
    for (int64_t k = 0; k < rank; ++k) w += a[k * n + j] * LMC_AT(k);
    for (int64_t k = rank; k < j; ++k) w -= a[j * n + k] * LMC_AT(k);
    LMC_AT(j) = w / a[j * n + j];
  }
  for (int64_t j = n - 1; j >= rank; --j) {
    for (int64_t k = j + 1; k < n; ++k) LMC_AT(j) -= a[k * n + j] * LMC_AT(k);
    LMC_AT(j) /= a[j * n + j];
  }
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t j = rank; j < n; ++j) LMC_AT(i) -= a[i * n + j] * LMC_AT(j);
#undef LMC_AT
}

LMC_KERNEL int32_t lmc_cholesky_factor(double* a, double* work, int64_t n, int64_t definite) {
  double* kept = work + n;
  if (definite >= 2) {
    for (int64_t i = 0; i < n * n; ++i)
      if (!isfinite(a[i])) return LMC_NON_FINITE;
    return cholesky_of_rank(a, work, n, n - (definite - 2));
  }
  for (int64_t i = 0; i < n; ++i) kept[i] = a[i * n + i];
  if (cholesky_factor(a, work, n) == LMC_OK) {
    work[0] = cholesky_definite;
    return LMC_OK;
  }
  if (!cholesky_restore(a, kept, n)) return LMC_NON_FINITE;
  if (definite) return LMC_SINGULAR_MASS;
  cholesky_scales(a, kept, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) a[i * n + j] = ldexp(a[i * n + j], -(int)kept[i] - (int)kept[j]);
  if (lmc_lu_factor(a, work, n) != LMC_OK) return LMC_SINGULAR_MASS;
  double smallest = fabs(a[0]), largest = smallest;
  for (int64_t k = 1; k < n; ++k) {
    const double pivot = fabs(a[k * n + k]);
    if (pivot < smallest) smallest = pivot;
    if (pivot > largest) largest = pivot;
  }
  return smallest > (double)n * cholesky_rounding * largest ? LMC_OK : LMC_SINGULAR_MASS;
}

LMC_KERNEL int32_t lmc_cholesky_solve(const double* a, const double* work, double* b, int64_t n, int64_t rows) {
  if (work[0] == cholesky_definite) {
    cholesky_solve(a, work, b, n, rows);
    return LMC_OK;
  }
  if (work[0] <= cholesky_semidefinite) {
    const int64_t rank = (int64_t)(cholesky_semidefinite - work[0]);
    for (int64_t r = 0; r < rows; ++r) cholesky_shortest(a, work, work + n, rank, b + r * n, n);
    return LMC_OK;
  }
  const double* scales = work + n;
  for (int64_t r = 0; r < rows; ++r) {
    double* x = b + r * n;
    for (int64_t i = 0; i < n; ++i) x[i] = ldexp(x[i], -(int)scales[i]);
    (void)lmc_lu_solve(a, work, x, n, 1);
    for (int64_t i = 0; i < n; ++i) x[i] = ldexp(x[i], -(int)scales[i]);
  }
  return LMC_OK;
}
