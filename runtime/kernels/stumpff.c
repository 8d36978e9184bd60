/* Stumpff functions for any argument: c_k(s) = sum over j of (-s)^j/(k + 2j)!, so that c_0(x^2) = cos x,
   c_1(x^2) = sin(x)/x, c_2(x^2) = (1 - cos x)/x^2, ... Ways to c_k(s), each where it loses no accuracy:
     downward   for |s| <= 1: series of the two highest orders, then c_k = 1/k! - s c_(k+2);
     series     while its terms stay comparable to its sum;
     closed     c_0 = cos, c_1 = sin/x, c_2 = 2 (sin(x/2)/x)^2, hyperbolic for s < 0;
     upward     c_(k+2) = (1/k! - c_k)/s once c_k is small beside 1/k! (s > 0) or large (s < 0).
   The root x of s is rounded; sin x near a multiple of pi would lose all digits by that. The remainder
   d = (s - x^2)/(2 x) is therefore carried along, by the addition theorem. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* 1/n! */
/* clang-format off */
static const double stumpff_inverse_factorial[84] = {
    1, 1, 0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333, 0.001388888888888889,
    0.0001984126984126984, 2.48015873015873e-05, 2.7557319223985893e-06, 2.755731922398589e-07, 2.505210838544172e-08,
    2.08767569878681e-09, 1.6059043836821613e-10, 1.1470745597729725e-11, 7.647163731819816e-13,
    4.779477332387385e-14, 2.8114572543455206e-15, 1.5619206968586225e-16, 8.22063524662433e-18,
    4.110317623312165e-19, 1.9572941063391263e-20, 8.896791392450574e-22, 3.868170170630684e-23,
    1.6117375710961184e-24, 6.446950284384474e-26, 2.4795962632247976e-27, 9.183689863795546e-29,
    3.279889237069838e-30, 1.1309962886447716e-31, 3.7699876288159054e-33, 1.216125041553518e-34,
    3.8003907548547434e-36, 1.151633562077195e-37, 3.387157535521162e-39, 9.67759295863189e-41,
    2.6882202662866363e-42, 7.265460179153071e-44, 1.911963205040282e-45, 4.902469756513544e-47,
    1.2256174391283858e-48, 2.9893108271424046e-50, 7.117406731291439e-52, 1.6552108677421951e-53,
    3.7618428812322616e-55, 8.359650847182804e-57, 1.817315401561479e-58, 3.866628513960594e-60,
    8.055476070751236e-62, 1.643974708316579e-63, 3.287949416633158e-65, 6.446959640457172e-67,
    1.2397999308571486e-68, 2.3392451525606576e-70, 4.331935467704922e-72, 7.876246304918039e-74,
    1.4064725544496498e-75, 2.4674957095607893e-77, 4.254302947518602e-79, 7.2106829618959365e-81,
    1.2017804936493226e-82, 1.9701319568021682e-84, 3.1776321883905942e-86, 5.043860616493007e-88,
    7.881032213270323e-90, 1.2124664943492804e-91, 1.8370704459837581e-93, 2.74189618803546e-95,
    4.0322002765227353e-97, 5.843768516699616e-99, 8.34824073814231e-101, 1.1758085546679308e-102,
    1.633067437038793e-104, 2.2370786808750587e-106, 3.023079298479809e-108, 4.030772397973079e-110,
    5.30364789206984e-112, 6.887854405285506e-114, 8.830582570878855e-116, 1.117795262136564e-117,
    1.397244077670705e-119, 1.7249926884823517e-121, 2.103649620100429e-123, 2.53451761457883e-125
};
/* clang-format on */

static double stumpff_series(int k, double s) {
  const double size = fabs(s);
  /* The last term that matters: the ratio of successive terms is s/((m + 1)(m + 2)). */
  int last = k;
  for (double term = 1; term > 1e-19 && last < 200; last += 2) term *= size / ((double)(last + 1) * (double)(last + 2));
  double sum = 1;
  for (int m = last - 2; m >= k; m -= 2) sum = 1 - s / ((double)(m + 1) * (double)(m + 2)) * sum;
  return stumpff_inverse_factorial[k] * sum;
}

/* sin and cos (s > 0) or sinh and cosh (s < 0) of scale*sqrt(|s|), scale a power of two, correct in spite of the
   rounded root. */
static void stumpff_circular(double s, double scale, double* sine, double* cosine) {
  const double root = sqrt(fabs(s));
  const double rest = fma(-root, root, fabs(s)) / (2 * root);
  const double angle = root * scale;
  const double d = isfinite(rest) ? rest * scale : 0;
  if (s < 0) {
    *sine = sinh(angle) + d * cosh(angle);
    *cosine = cosh(angle) + d * sinh(angle);
    return;
  }
  const double s0 = sin(angle), c0 = cos(angle);
  const double sd = d < 1e-8 && d > -1e-8 ? d : sin(d), cd = d < 1e-8 && d > -1e-8 ? 1 : cos(d);
  *sine = s0 * cd + c0 * sd;
  *cosine = c0 * cd - s0 * sd;
}

/* Below this |s| the series loses less than the other two ways. For s < 0 its terms have one sign and lose nothing. */
static double stumpff_series_limit(int k, double s) {
  if (k < 2) return 1;
  const double limit = k == 2 ? 3 : k < 5 ? 6 : (double)((k - 1) * (k - 2));
  if (s >= 0) return limit;
  return limit > 30 ? 2 * limit : 60;
}

LMC_KERNEL double lmc_stumpff_value(int32_t k, double s) {
  const double size = fabs(s);
  if (isnan(s)) return s;
  if (size < stumpff_series_limit(k, s)) return stumpff_series(k, s);
  if (k > 2) return (stumpff_inverse_factorial[k - 2] - lmc_stumpff_value(k - 2, s)) / s;
  double sine = 0, cosine = 0;
  stumpff_circular(s, k == 2 ? 0.5 : 1, &sine, &cosine);
  if (k == 0) return cosine;
  /* (1 - cos x)/x^2 = 2 sin^2(x/2)/x^2, divided in this order so that nothing overflows early */
  return k == 1 ? sine / sqrt(size) : 2 * (sine / size) * sine;
}

LMC_KERNEL void lmc_stumpff(double s, int64_t highest, uint64_t mask, double* out) {
  if (!(fabs(s) <= 1)) {
    for (int64_t k = 0; k <= highest; ++k)
      if ((mask >> k & 1) != 0) out[k] = lmc_stumpff_value((int32_t)k, s);
    return;
  }
  /* Up to c_4 they do not depend on which others are asked for: code that is cut into functions has the same bits. */
  const int64_t top = highest < 4 ? 4 : highest;
  double above[2] = {0, 0}; /* c_(k+1), c_(k+2) */
  for (int64_t k = top; k >= 0; --k) {
    double sum = 0;
    if (k + 2 <= top) {
      sum = stumpff_inverse_factorial[k] - s * above[1];
    } else {
      sum = stumpff_inverse_factorial[k + 20];
      for (int64_t m = k + 18; m >= k; m -= 2) sum = stumpff_inverse_factorial[m] - s * sum;
    }
    if (k <= highest) out[k] = sum;
    above[1] = above[0];
    above[0] = sum;
  }
}
