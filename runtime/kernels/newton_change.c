/* One linear system, solved once: the change of an iterate of Newton's method. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* Elimination with partial pivoting. Inlined where n is a number, so that its loops are unrolled. */
static LMC_INLINE int32_t newton_eliminate(double* a, double* b, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    const double pivot = a[best * n + k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return LMC_NO_CONVERGENCE;
    if (best != k) {
      for (int64_t j = k; j < n; ++j) {
        const double t = a[k * n + j];
        a[k * n + j] = a[best * n + j];
        a[best * n + j] = t;
      }
      const double t = b[k];
      b[k] = b[best];
      b[best] = t;
    }
    const double inverse = 1 / pivot;
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
    a[k * n + k] = inverse;
  }
  for (int64_t k = n - 1; k >= 0; --k) {
    b[k] *= a[k * n + k];
    for (int64_t i = 0; i < k; ++i) b[i] -= a[i * n + k] * b[k];
  }
  return LMC_OK;
}

LMC_KERNEL int32_t lmc_newton_change(double* j, double* pivots, double* r, int64_t n) {
  switch (n) {
  case 1:
    return newton_eliminate(j, r, 1);
  case 2:
    return newton_eliminate(j, r, 2);
  case 3:
    return newton_eliminate(j, r, 3);
  case 4:
    return newton_eliminate(j, r, 4);
  case 5:
    return newton_eliminate(j, r, 5);
  case 6:
    return newton_eliminate(j, r, 6);
  case 7:
    return newton_eliminate(j, r, 7);
  case 8:
    return newton_eliminate(j, r, 8);
  case 9:
    return newton_eliminate(j, r, 9);
  case 10:
    return newton_eliminate(j, r, 10);
  case 11:
    return newton_eliminate(j, r, 11);
  case 12:
    return newton_eliminate(j, r, 12);
  default:
    break;
  }
  if (lmc_lu_factor(j, pivots, n) != LMC_OK) return LMC_NO_CONVERGENCE;
  return lmc_lu_solve(j, pivots, r, n, 1);
}

LMC_KERNEL int32_t lmc_newton_factor(double* j, double* pivots, int64_t n) {
  return lmc_lu_factor(j, pivots, n) == LMC_OK ? LMC_OK : LMC_NO_CONVERGENCE;
}
