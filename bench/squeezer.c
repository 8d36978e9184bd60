/* Andrews' squeezer with its index 3, for RADAU5 in the R package deSolve (bench/squeezer.R): y = (q, q', q'', lambda),
   27 numbers, K y' = phi(y) with K = diag(1 (14 times), 0 (13 times)). */
#include "Squeezer.h"

/* phi; the signature is deSolve's. */
void squeezer_rates(const int* n, const double* t, const double* y, double* out, double* more, const int* sizes) {
  (void)n, (void)t, (void)more, (void)sizes;
  SqueezerTerms s;
  squeezer_terms(y, y + 7, &s);
  double inertia[7];
  squeezer_mass(&s, y + 14, inertia);
  for (int k = 0; k < 14; ++k) out[k] = y[7 + k];
  for (int k = 0; k < 7; ++k) {
    out[14 + k] = inertia[k] - s.f[k];
    for (int j = 0; j < 6; ++j) out[14 + k] += s.G[j][k] * y[21 + j];
  }
  for (int j = 0; j < 6; ++j) out[21 + j] = s.g[j];
}

/* Its Jacobian, column by column, without the slopes of M, f and G, which is enough for Newton's method: what is left
   out is multiplied by squares of the length of a step. */
void squeezer_jacobian(const int* n, const double* t, const double* y, const int* below, const int* above, double* out,
                       const int* rows, double* more, const int* sizes) {
  (void)n, (void)t, (void)below, (void)above, (void)more, (void)sizes;
  const int m = *rows;
  for (int k = 0; k < 27 * m; ++k) out[k] = 0;
  SqueezerTerms s;
  squeezer_terms(y, y + 7, &s);
  for (int k = 0; k < 14; ++k) out[(7 + k) * m + k] = 1;
  for (int k = 0; k < 7; ++k) {
    double unit[7] = {0}, column[7];
    unit[k] = 1;
    squeezer_mass(&s, unit, column);
    for (int i = 0; i < 7; ++i) out[(14 + k) * m + 14 + i] = column[i];
    for (int j = 0; j < 6; ++j) {
      out[(21 + j) * m + 14 + k] = s.G[j][k];
      out[k * m + 21 + j] = s.G[j][k];
    }
  }
}
