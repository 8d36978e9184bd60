"""A linear quadratic regulator on SO(3): a rigid body is turned by 100 degrees and held.

The step of the method is linearized at the goal, in the tangent space, where SciPy solves the Riccati equation. In the
loop the error is the tangent vector at the goal that leads to the present state: no chart, no singularity. States:

    largest eigenvalue of the closed loop 0.9734
    t =  0.0  angle 1.8466
    t = 20.0  angle 0.0000
"""
import numpy as np
from scipy.linalg import solve_discrete_are

import lmc

MODEL = """
model Satellite {
  param J : mat(3,3) = diag(1, 2, 3);
  input torque : vec(3) = [0, 0, 0];
  config R : SO(3) velocity Omega;
  lagrangian = 0.5*dot(Omega, J*Omega);
  force on R = torque;
  initial R = SO(3).exp([1.4, -0.8, 0.9]);
  initial Omega = [0.2, 0.1, -0.3];
  simulate { method = RKMK4; step = 0.05; }
}
"""
h = 0.05
model = lmc.compile(MODEL)
goal = model.linearize(model.workspace(R=np.eye(3), Omega=np.zeros(3)))
Phi, Gamma = goal.step(h)
Q, Rho = np.eye(6), 0.5 * np.eye(3)
P = solve_discrete_are(Phi, Gamma, Q, Rho)
K = np.linalg.solve(Rho + Gamma.T @ P @ Gamma, Gamma.T @ P @ Phi)
print("largest eigenvalue of the closed loop %.4f" % max(abs(np.linalg.eigvals(Phi - Gamma @ K))))

w = model.workspace()
for k in range(401):
    error = goal.difference(w.state)
    if k % 400 == 0:
        print("t = %4.1f  angle %.4f" % (w.time, np.linalg.norm(error[:3])))
    w["torque"] = -K @ error
    w.step(h)
assert np.linalg.norm(error) < 1e-4
