/* Sine and cosine of one angle. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

LMC_KERNEL LmcSinCos lmc_sincos(double angle) {
  LmcSinCos both;
  both.sin = sin(angle);
  both.cos = cos(angle);
  return both;
}
