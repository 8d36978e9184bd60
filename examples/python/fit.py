"""Parameters of a damped spherical pendulum from noisy measurements, with exact Jacobians.

scipy.optimize.least_squares asks for residuals and their derivatives by the parameters; both come from one run of
Model.sensitivities. States:

    truth 0.7000 0.2500, found 0.7001 0.2498, evaluations 5
    standard deviations 0.00006 0.00063
"""
import numpy as np
from scipy.optimize import least_squares

import lmc

MODEL = """
model Damped {
  param l = 0.7;  param c = 0.25;  param g = 9.81;     // length in m, damping in 1/s
  config q : S^2 velocity w;
  lagrangian = 0.5*l^2*dot(q', q') - g*l*dot(e3, q);
  force on q = -c*l^2*q';
  initial q = [1, 0, 0];
  initial w = [0, 0.4, 1.1];
  observe tip = l*q;
  simulate { method = RKMK4; time = 0..4; step = 5e-3; }
}
"""
TRUTH, NOISE = np.array([0.7, 0.25]), 2e-3

model = lmc.compile(MODEL)
every, n = 8, 800
random = np.random.default_rng(1)


def simulate(p):
    w = model.workspace(l=p[0], c=p[1])
    tip, by = model.sensitivities(5e-3, n, every=every, parameters=["l", "c"], workspace=w).output("tip")
    return tip, by


measured = simulate(TRUTH)[0] + NOISE * random.normal(size=(n // every + 1, 3))
fit = least_squares(lambda p: (simulate(p)[0] - measured).ravel() / NOISE, [0.8, 0.1],
                    jac=lambda p: simulate(p)[1].reshape(-1, 2) / NOISE)
deviations = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))
print("truth %.4f %.4f, found %.4f %.4f, evaluations %d" % (*TRUTH, *fit.x, fit.nfev))
print("standard deviations %.5f %.5f" % tuple(deviations))
assert np.all(abs(fit.x - TRUTH) < 4 * deviations)
