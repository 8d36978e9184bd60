/* Andrews' squeezer in its seven angles q = (beta, Theta, gamma, phi, delta, Omega, epsilon), written by hand for the
   programs that bench_squeezer compares with lmc: M q'' = f(q, q') - G^T lambda, 0 = g(q). Equations and data:
   E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", section VI.9. SI units. C and C++. */
#ifndef LMC_BENCH_SQUEEZER_H
#define LMC_BENCH_SQUEEZER_H

#include <math.h>

enum { squeezer_angles = 7, squeezer_loops = 6 };

/* What the equations consist of. M has blocks of (beta, Theta), gamma, (phi, delta), (Omega, epsilon). */
typedef struct {
  double m11, m12, m22, m33, m44, m45, m55, m66, m67, m77;
  double f[7];
  double G[6][7];
  double g[6];
  double bend[6]; /* (G q')' at q'' = 0 */
} SqueezerTerms;

static const double squeezer_start[7] = {
    -0.06171389001427645, 0, 0.4552798191630704, 0.2226683901658859, 0.4873649795438426, -0.2226683901658859,
    1.230547444549821};
/* q(0.03) to 1e-14, by an integration in quadruple precision of a formulation of its own. */
static const double squeezer_end[7] = {15.81077119515371, -15.75637105841184, 0.0408222401196449, -0.534730116342081,
                                       0.524409965879954, 0.534730116342081,  1.048080741041938};

static inline void squeezer_terms(const double* q, const double* v, SqueezerTerms* s) {
  const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .0705, m6 = .00706, m7 = .05498;
  const double i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
  const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
  const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874, sb = .01043;
  const double sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04;
  const double fa = .01421, torque = .033, c0 = 4530, l0 = .07785;
  const double eb = e - ea, fb = zf - fa;

  const double cb = cos(q[0]), sbe = sin(q[0]), ct = cos(q[1]), st = sin(q[1]), cg = cos(q[2]), sg = sin(q[2]);
  const double cp = cos(q[3]), sp = sin(q[3]), cd = cos(q[4]), sde = sin(q[4]), co = cos(q[5]), so = sin(q[5]);
  const double ce = cos(q[6]), se = sin(q[6]);
  const double cbt = cb * ct - sbe * st, sbt = sbe * ct + cb * st; /* of beta + Theta, and so on */
  const double cpd = cp * cd - sp * sde, spd = sp * cd + cp * sde;
  const double coe = co * ce - so * se, soe = so * ce + co * se;

  s->m22 = m2 * da * da + i2;
  s->m12 = s->m22 - m2 * da * rr * ct;
  s->m11 = m1 * ra * ra + m2 * rr * rr + i1 - 2 * m2 * da * rr * ct + s->m22;
  s->m33 = m3 * (sa * sa + sb * sb) + i3;
  s->m44 = m4 * eb * eb + i4;
  s->m45 = s->m44 + m4 * zt * eb * sp;
  s->m55 = s->m44 + m4 * zt * zt + 2 * m4 * zt * eb * sp + m5 * (ta * ta + tb * tb) + i5;
  s->m66 = m6 * fb * fb + i6;
  s->m67 = s->m66 - m6 * u * fb * so;
  s->m77 = s->m66 - 2 * m6 * u * fb * so + m6 * u * u + m7 * (ua * ua + ub * ub) + i7;

  const double x = xb + sd * cg + sc * sg - xc, y = yb + sd * sg - sc * cg - yc;
  const double length = sqrt(x * x + y * y), pull = -c0 * (length - l0) / length;
  const double vbt = v[0] + v[1], vpd = v[3] + v[4], voe = v[5] + v[6];
  s->f[0] = torque - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * st;
  s->f[1] = m2 * da * rr * v[0] * v[0] * st;
  s->f[2] = pull * (x * (sc * cg - sd * sg) + y * (sd * cg + sc * sg));
  s->f[3] = m4 * zt * eb * v[4] * v[4] * cp;
  s->f[4] = -m4 * zt * eb * v[3] * (v[3] + 2 * v[4]) * cp;
  s->f[5] = -m6 * u * fb * v[6] * v[6] * co;
  s->f[6] = m6 * u * fb * v[5] * (v[5] + 2 * v[6]) * co;

  const double px = rr * cb - d * cbt, py = rr * sbe - d * sbt; /* the point that the three loops share */
  const double bx = d * cbt * vbt * vbt - rr * cb * v[0] * v[0], by = d * sbt * vbt * vbt - rr * sbe * v[0] * v[0];
  for (int k = 0; k < 6; ++k) {
    for (int j = 2; j < 7; ++j) s->G[k][j] = 0;
    s->G[k][0] = k % 2 == 0 ? -py : px;
    s->G[k][1] = k % 2 == 0 ? d * sbt : -d * cbt;
  }
  s->G[0][2] = -ss * cg;
  s->G[1][2] = -ss * sg;
  s->G[2][3] = -e * cpd;
  s->G[2][4] = -e * cpd + zt * sde;
  s->G[3][3] = -e * spd;
  s->G[3][4] = -e * spd - zt * cd;
  s->G[4][5] = zf * soe;
  s->G[4][6] = zf * soe - u * ce;
  s->G[5][5] = -zf * coe;
  s->G[5][6] = -zf * coe - u * se;
  s->g[0] = px - ss * sg - xb;
  s->g[1] = py + ss * cg - yb;
  s->g[2] = px - e * spd - zt * cd - xa;
  s->g[3] = py + e * cpd - zt * sde - ya;
  s->g[4] = px - zf * coe - u * se - xa;
  s->g[5] = py - zf * soe + u * ce - ya;
  s->bend[0] = bx + ss * sg * v[2] * v[2];
  s->bend[1] = by - ss * cg * v[2] * v[2];
  s->bend[2] = bx + e * spd * vpd * vpd + zt * cd * v[4] * v[4];
  s->bend[3] = by - e * cpd * vpd * vpd + zt * sde * v[4] * v[4];
  s->bend[4] = bx + zf * coe * voe * voe + u * se * v[6] * v[6];
  s->bend[5] = by + zf * soe * voe * voe - u * ce * v[6] * v[6];
}

/* M a */
static inline void squeezer_mass(const SqueezerTerms* s, const double* a, double* out) {
  out[0] = s->m11 * a[0] + s->m12 * a[1];
  out[1] = s->m12 * a[0] + s->m22 * a[1];
  out[2] = s->m33 * a[2];
  out[3] = s->m44 * a[3] + s->m45 * a[4];
  out[4] = s->m45 * a[3] + s->m55 * a[4];
  out[5] = s->m66 * a[5] + s->m67 * a[6];
  out[6] = s->m67 * a[5] + s->m77 * a[6];
}

/* The largest error of q at t = 0.03, relative to the size of the angle, at least 1. */
static inline double squeezer_error(const double* q) {
  double error = 0;
  for (int k = 0; k < 7; ++k) {
    const double size = fabs(squeezer_end[k]) > 1 ? fabs(squeezer_end[k]) : 1;
    const double off = fabs(q[k] - squeezer_end[k]) / size;
    if (!(off <= error)) error = off;
  }
  return error;
}

#endif
