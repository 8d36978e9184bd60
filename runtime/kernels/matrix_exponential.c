/* The exponential of a general matrix: scaling and squaring of diagonal Pade approximants. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM Journal on Matrix
   Analysis and Applications 26 (2005) 1179-1193, table 2.3: the approximant of degree 3, 5, 7, 9 is exact to round-off
   up to this 1-norm. */
static const double exponential_norms[4] = {1.495585217958292e-2, 2.539398330063230e-1, 9.504178996162932e-1,
                                            2.097847961257068};

/* c <- a b, four rows of b at a time */
static void exponential_product(const double* restrict a, const double* restrict b, double* restrict c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const double* f = a + i * n;
    double* row = c + i * n;
    for (int64_t j = 0; j < n; ++j) row[j] = 0;
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
      const double* u = b + k * n;
      const double f0 = f[k], f1 = f[k + 1], f2 = f[k + 2], f3 = f[k + 3];
      for (int64_t j = 0; j < n; ++j) row[j] += (f0 * u[j] + f1 * u[n + j]) + (f2 * u[2 * n + j] + f3 * u[3 * n + j]);
    }
    for (; k < n; ++k)
      for (int64_t j = 0; j < n; ++j) row[j] += f[k] * b[k * n + j];
  }
}

/* a <- (even - a odd)^-1 (even + a odd), even and odd polynomials in a^2 with the coefficients of the numerator. */
static int32_t exponential_pade(double* a, int degree, double* work, double* pivots, int64_t n) {
  const int64_t size = n * n;
  double *odd = work, *even = work + size, *power = work + 2 * size, *square = work + 3 * size, *next = work + 4 * size;
  double coefficient[10] = {1};
  for (int j = 0; j < degree; ++j) coefficient[j + 1] = coefficient[j] * (degree - j) / ((2.0 * degree - j) * (j + 1));
  exponential_product(a, a, square, n);
  for (int64_t i = 0; i < size; ++i) {
    odd[i] = i % (n + 1) == 0 ? coefficient[1] : 0;
    even[i] = i % (n + 1) == 0 ? coefficient[0] : 0;
    power[i] = square[i];
  }
  for (int j = 2; j <= degree; j += 2) {
    for (int64_t i = 0; i < size; ++i) {
      even[i] += coefficient[j] * power[i];
      odd[i] += coefficient[j + 1] * power[i];
    }
    if (j + 2 > degree) break;
    exponential_product(power, square, next, n);
    for (int64_t i = 0; i < size; ++i) power[i] = next[i];
  }
  exponential_product(a, odd, next, n);
  for (int64_t i = 0; i < size; ++i) {
    a[i] = even[i] + next[i];
    even[i] -= next[i];
  }
  if (lmc_lu_factor(even, pivots, n) != LMC_OK) return LMC_SINGULAR_MATRIX;
  return lmc_lu_solve(even, pivots, a, n, n);
}

LMC_KERNEL int32_t lmc_matrix_exponential(double* a, double* work, double* pivots, int64_t n) {
  double norm = 0;
  for (int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += fabs(a[i * n + j]);
    if (!(sum <= norm)) norm = sum; /* NaN too */
    if (!isfinite(sum)) break;
  }
  if (!isfinite(norm)) {
    for (int64_t i = 0; i < n * n; ++i) a[i] = norm - norm; /* NaN: the step reports a state that is not finite */
    return LMC_OK;
  }
  int choice = 0;
  while (choice < 3 && norm > exponential_norms[choice]) ++choice;
  const double largest = exponential_norms[3];
  const int squarings = norm > largest ? (int)ceil(log2(norm / largest)) : 0;
  const double scale = ldexp(1.0, -squarings);
  for (int64_t i = 0; i < n * n; ++i) a[i] *= scale;
  const int32_t status = exponential_pade(a, 3 + 2 * choice, work, pivots, n);
  if (status != LMC_OK) return status;
  for (int k = 0; k < squarings; ++k) {
    exponential_product(a, a, work, n);
    for (int64_t i = 0; i < n * n; ++i) a[i] = work[i];
  }
  return LMC_OK;
}
