// Routines with a C interface that generated code calls through its function table, and the interpreter directly.
//
// All matrices are row-major without padding. A status is a tape::Status; 0 is success. Nothing throws.
#pragma once

#include <cstdint>

extern "C" {

/// In-place Cholesky factor L of the symmetric n×n matrix a = L L^T; reads and writes the lower part only.
/// SingularMass when a pivot is not positive or not finite.
std::int32_t lmc_cholesky_factor(double* a, std::int64_t n) noexcept;
/// b <- a^{-1} b for each row b of a rows×n matrix, with the factor of lmc_cholesky_factor.
std::int32_t lmc_cholesky_solve(const double* a, double* b, std::int64_t n, std::int64_t rows) noexcept;

/// In-place LU factors of the n×n matrix a with partial pivoting: P a = L U, L with unit diagonal. Step k exchanged
/// rows k and pivots[k] (whole numbers). SingularMatrix when a pivot is 0 or not finite.
std::int32_t lmc_lu_factor(double* a, double* pivots, std::int64_t n) noexcept;
/// b <- a^{-1} b with the factors of lmc_lu_factor; b is n×columns.
std::int32_t lmc_lu_solve(const double* a, const double* pivots, double* b, std::int64_t n,
                          std::int64_t columns) noexcept;
/// result[0] <- det a from the factors of lmc_lu_factor.
std::int32_t lmc_lu_determinant(const double* a, const double* pivots, double* result, std::int64_t n) noexcept;

/// a <- exp(a) for the n×n matrix a, to round-off of its norm; `work` has 5 n² numbers, `pivots` n. NaN where a is not
/// finite.
std::int32_t lmc_matrix_exponential(double* a, double* work, double* pivots, std::int64_t n) noexcept;

/// r <- j^{-1} r for the n×n matrix j, which is destroyed; `pivots` has room for n. NoConvergence when j is singular.
std::int32_t lmc_newton_change(double* j, double* pivots, double* r, std::int64_t n) noexcept;

/// GMRES (Y. Saad, M. H. Schultz, SIAM Journal on Scientific and Statistical Computing 7 (1986) 856-869) for J x = r by
/// products with J: `begin`, then until work[0] is 1 (at most rows - 1 times) `step` with the product of J and the row
/// work[1] of `basis` (counted from 0), then `end`, which puts x into r. `basis` is rows×n, `work` has 2 rows² numbers.
/// The residual is reduced by 1e-13. NoConvergence from `end` when J is singular.
std::int32_t lmc_gmres_begin(const double* r, double* basis, double* work, std::int64_t n, std::int64_t rows) noexcept;
std::int32_t lmc_gmres_step(const double* product, double* basis, double* work, std::int64_t n,
                            std::int64_t rows) noexcept;
std::int32_t lmc_gmres_end(double* r, const double* basis, double* work, std::int64_t n, std::int64_t rows) noexcept;

/// Stumpff function c_k(s) = sum_j (-s)^j/(k + 2j)! for any s, 0 <= k <= 60. Relative error below 4 ulp for k <= 3
/// (1e-30 absolute at zeros), absolute error below 1e-15/k! for higher k and s >= 0.
double lmc_stumpff_value(std::int32_t k, double s) noexcept;
/// out[k] <- c_k(s) for each k <= highest whose bit is set in mask; the other elements are left alone or overwritten.
void lmc_stumpff(double s, std::int64_t highest, std::uint64_t mask, double* out) noexcept;

/// Scratch memory of the calling thread with room for n doubles; valid until the thread's next call. Ends the process
/// when memory is exhausted.
double* lmc_scratch(std::int64_t n) noexcept;

/// Sine and cosine of one angle.
struct LmcSinCos {
  double sin;
  double cos;
};
LmcSinCos lmc_sincos(double angle) noexcept;

} // extern "C"
