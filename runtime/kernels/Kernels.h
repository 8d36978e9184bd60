/* Routines that generated code calls, and the interpreter directly: large linear algebra, Stumpff functions.

   They are C99 and need nothing but the mathematical library (runtime/kernels/): the same text is part of exported C
   source, and its machine code of objects that are compiled ahead of time. All matrices are row-major without padding.
   A status is 0 or a tape::Status. Nothing is allocated, nothing throws. */
#pragma once

#include <stdint.h>

/* Marks the functions of this header where they are defined. */
#define LMC_KERNEL

#ifdef __cplusplus
extern "C" {
#define LMC_NOEXCEPT noexcept
#else
#define LMC_NOEXCEPT
#if defined(__GNUC__)
#define LMC_INLINE inline __attribute__((always_inline))
#else
#define LMC_INLINE inline
#endif
#endif

/* The statuses of tape::Status that kernels return. */
enum { LMC_OK = 0, LMC_SINGULAR_MASS = 1, LMC_SINGULAR_MATRIX = 2, LMC_NO_CONVERGENCE = 3, LMC_NON_FINITE = 4 };

/* Factors of the symmetric n×n matrix a, in place; `work` has 2 n numbers. Those of Cholesky where a is positive
   definite; where it is not, and `definite` is 0, those of elimination with pivots of the equilibrated matrix. Both
   parts of a are read. SingularMass when a is singular to rounding or, with `definite` = 1, not positive definite;
   NonFinite when an entry is not finite. With `definite` = 2 + k, a is positive semidefinite, of a rank of at most n -
   k (SingularMass where it has negative eigenvalues): solutions are the shortest that satisfy the equations which do
   not follow from others. Where errors of a make k
   pivots more than the rank is, the smallest ones are left out, however large they are. */
int32_t lmc_cholesky_factor(double* a, double* work, int64_t n, int64_t definite) LMC_NOEXCEPT;
/* b <- a^{-1} b for each row b of a rows×n matrix, with the factors of lmc_cholesky_factor. */
int32_t lmc_cholesky_solve(const double* a, const double* work, double* b, int64_t n, int64_t rows) LMC_NOEXCEPT;

/* In-place LU factors of the n×n matrix a with partial pivoting: P a = L U, L with unit diagonal. Step k exchanged
   rows k and pivots[k] (whole numbers). SingularMatrix when a pivot is 0 or not finite. */
int32_t lmc_lu_factor(double* a, double* pivots, int64_t n) LMC_NOEXCEPT;
/* b <- a^{-1} b with the factors of lmc_lu_factor; b is n×columns. */
int32_t lmc_lu_solve(const double* a, const double* pivots, double* b, int64_t n, int64_t columns) LMC_NOEXCEPT;
/* result[0] <- det a of any n×n matrix, 0 where it is singular and NaN where it is not finite; a is destroyed, `pivots`
   has room for n. Products of pivots neither over- nor underflow unless the determinant does. */
int32_t lmc_lu_determinant(double* a, double* pivots, double* result, int64_t n) LMC_NOEXCEPT;

/* a <- exp(a) for the n×n matrix a, to round-off of its norm; `work` has 5 n² numbers, `pivots` n. NaN where a is not
   finite. */
int32_t lmc_matrix_exponential(double* a, double* work, double* pivots, int64_t n) LMC_NOEXCEPT;

/* r <- j^{-1} r for the n×n matrix j, which is destroyed; `pivots` has room for n. NoConvergence when j is singular. */
int32_t lmc_newton_change(double* j, double* pivots, double* r, int64_t n) LMC_NOEXCEPT;
/* Factors of j as lmc_lu_factor, for several turns of an iteration. NoConvergence when j is singular. */
int32_t lmc_newton_factor(double* j, double* pivots, int64_t n) LMC_NOEXCEPT;

/* GMRES (Y. Saad, M. H. Schultz, SIAM Journal on Scientific and Statistical Computing 7 (1986) 856-869) for J x = r by
   products with J: `begin`, then until work[0] is 1 (at most rows - 1 times) `step` with the product of J and the row
   work[1] of `basis` (counted from 0), then `end`, which puts x into r. `basis` is rows×n, `work` has 2 rows² numbers.
   The residual is reduced by 1e-13, or as far as so many products go. NoConvergence from `end` when J is singular, or
   when less than nine tenths of r are solved for. */
int32_t lmc_gmres_begin(const double* r, double* basis, double* work, int64_t n, int64_t rows) LMC_NOEXCEPT;
int32_t lmc_gmres_step(const double* product, double* basis, double* work, int64_t n, int64_t rows) LMC_NOEXCEPT;
int32_t lmc_gmres_end(double* r, const double* basis, double* work, int64_t n, int64_t rows) LMC_NOEXCEPT;

/* Sparse systems of blocks between nodes, small groups of neighbouring unknowns (at most 64 each). `nodes` has two
   numbers a node: its unknowns, and 1 for multipliers, 0 else; `blocks` two a block: the nodes of its rows and columns,
   counted from 0. The numbers of blocks stand in `values`, one block after the other, by rows; those that name the same
   two nodes are added. Multipliers follow the unknowns that they act on, whose own blocks must be regular.
   The plan is the order of elimination and the pattern of the factors. It has 22 nodes + 5 blocks + 3 entries + 16
   numbers; with room for too few `entries` the status is SingularMatrix. plan[4] is how many numbers the factors have,
   plan[5] how many entries there are. */
int32_t lmc_sparse_plan(const double* nodes, const double* blocks, double* plan, int64_t count, int64_t blockCount,
                        int64_t entries) LMC_NOEXCEPT;
/* Factors without exchange of nodes. An equation of a multiplier that follows from others, to rounding, gets the
   multiplier zero. NoConvergence where a block of other unknowns is singular, or a number is not finite. */
int32_t lmc_sparse_factor(const double* plan, const double* blocks, const double* values, double* factors,
                          int64_t count, int64_t blockCount) LMC_NOEXCEPT;
/* x <- A^{-1} x for each of so many rows x, one after the other; by the transpose of A with `transposed` = 1. */
int32_t lmc_sparse_solve(const double* plan, const double* factors, double* x, int64_t count, int64_t rows,
                         int64_t transposed) LMC_NOEXCEPT;

/* Lists of pairs whose distance may be below a limit, of the points `a` (n1) and `b` (n2), with three coordinates each.
   `about` has LMC_NEAR_ABOUT numbers: at 0 to 2 the periods of the coordinates (0: none), then what the names say. A
   list serves until a point has moved by half of its skin; `update` looks, and makes it anew where one has, or where
   `about` is another. In memory of zeros there is no list. What a row has are, ascending, all second indices between
   `low` + `low_row` i and `high` + `high_row` i whose points are so near, and others that are little farther; i is its
   number, from 0, and `first_row`. Points that are not finite have no neighbours.
   The list begins with integers of 64 bits, LMC_NEAR_ROWS and so on. A row is a pair of such integers, begin and end
   among the entries, which have 32 bits; where begin is -1 there was no room, and lmc_near_row makes the row when it is
   wanted. A span is a pair of integers of 32 bits, the smallest and the largest entry of LMC_NEAR_BLOCK rows that
   follow each other. */
enum {
  LMC_NEAR_ROWS = 0,     /* place of the rows, in numbers from the begin of the list */
  LMC_NEAR_ENTRIES = 1,  /* place of the entries */
  LMC_NEAR_BEGIN = 2,    /* begin and end of the row that lmc_near_row made */
  LMC_NEAR_COMPLETE = 4, /* 1: all rows are listed */
  LMC_NEAR_SPANS = 5,    /* place of the spans */
  LMC_NEAR_COUNT = 6     /* rows */
};
enum { LMC_NEAR_BLOCK = 64 };
enum {
  LMC_NEAR_LIMIT = 3,        /* of the distance */
  LMC_NEAR_SQUARED = 4,      /* not 0: the limit is that of the square of the distance */
  LMC_NEAR_FIRST_ROW = 5,    /* the first index that the first points have */
  LMC_NEAR_FIRST_COLUMN = 6, /* the first index that the second points have */
  LMC_NEAR_LOW = 7,
  LMC_NEAR_LOW_ROW = 8,
  LMC_NEAR_HIGH = 9,
  LMC_NEAR_HIGH_ROW = 10,
  LMC_NEAR_ABOUT = 11,
  LMC_NEAR_HEADER = 48 /* numbers of a list before all else */
};
/* Numbers that a list has with room for so many entries, of which at least n2 are needed beside. */
int64_t lmc_near_size(int64_t n1, int64_t n2, int64_t entries) LMC_NOEXCEPT;
int32_t lmc_near_update(const double* a, const double* b, const double* about, double* list, int64_t n1, int64_t n2,
                        int64_t size) LMC_NOEXCEPT;
/* A row that has no room in the list. */
int32_t lmc_near_row(double* list, int64_t row) LMC_NOEXCEPT;

/* Stumpff function c_k(s) = sum_j (-s)^j/(k + 2j)! for any s, 0 <= k <= 62. Relative error below 4 ulp for k <= 3
   (1e-30 absolute at zeros), absolute error below 1e-15/k! for higher k and s >= 0. */
double lmc_stumpff_value(int32_t k, double s) LMC_NOEXCEPT;
/* out[k] <- c_k(s) for each k <= highest whose bit is set in mask; the other elements are left alone or overwritten. */
void lmc_stumpff(double s, int64_t highest, uint64_t mask, double* out) LMC_NOEXCEPT;

/* Sine and cosine of one angle. */
typedef struct LmcSinCos {
  double sin;
  double cos;
} LmcSinCos;
LmcSinCos lmc_sincos(double angle) LMC_NOEXCEPT;

/* Scratch memory of the calling thread with room for n doubles; valid until the thread's next call. Ends the process
   when memory is exhausted. Not for code that is compiled ahead of time. */
double* lmc_scratch(int64_t n) LMC_NOEXCEPT;
/* turn(frame, k) for k = 0 … count - 1, in any order, on the threads of the calling thread's team (Team.h); without
   one, one after the other. */
void lmc_turns(void (*turn)(const void* frame, int64_t k), const void* frame, int64_t count) LMC_NOEXCEPT;
/* Among so many owners of elements the rows of a list are best shared: as many as the team has threads; 1 where rows
   are not listed. */
int64_t lmc_near_owners(const double* list) LMC_NOEXCEPT;
/* Who owns the elements low <= k < high asks for the next row, of number `from` or more (from 0), in which there is
   something for him: all of a row whose index, `first` and its number, is his, of others the entries that are. range[0]
   <- position of the first, range[1] <- behind the last. -1: there is none. With rows that are not listed there is one
   owner. */
int64_t lmc_near_owned(double* list, int64_t first, int64_t from, int64_t low, int64_t high,
                       int64_t* range) LMC_NOEXCEPT;

#ifdef __cplusplus
} // extern "C"
#endif
