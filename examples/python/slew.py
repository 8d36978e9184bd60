"""An optimal slew: a body turns by 120 degrees in 5 s, from rest to rest, with the least torque squared.

Collocation: unknown are the torques of all steps and the states between them, which move in their tangent spaces. The
steps of the method are the constraints, and SciPy's SLSQP gets their exact Jacobians. Where it has moved far, the
tangent spaces are taken anew at what it has found. States:

    cost 0.2333, largest gap below 1e-10: True, turns 6
    about the axis of the goal 0.2625
"""
import numpy as np
from scipy.optimize import minimize

import lmc

MODEL = """
model Body {
  param J : mat(3,3) = diag(1, 1.4, 0.8);
  param axis : vec(3) = [1, 1, 1];
  input torque : vec(3) = [0, 0, 0];
  config R : SO(3) velocity Omega;
  lagrangian = 0.5*dot(Omega, J*Omega);
  force on R = torque;
  initial R = SO(3).exp(axis);
  initial Omega = [0, 0, 0];
  simulate { method = RKMK4; step = 0.25; }
}
"""
h, n = 0.25, 20
model = lmc.compile(MODEL)
lin = model.linearize()


def attitude(v):
    """The state at rest with R = exp(v)."""
    w = model.workspace(axis=v)
    w.reset_initial()
    return w.state.copy()


turn = np.array([1, 1, 1]) / np.sqrt(3) * np.deg2rad(120)
start, goal = attitude(np.zeros(3)), attitude(turn)
profile = [3 * (k / n) ** 2 - 2 * (k / n) ** 3 for k in range(n + 1)]
states = [attitude(p * turn) for p in profile]
torques = np.zeros((n, 3))


def gaps(x):
    """How far each step misses the next state, and the derivatives by all unknowns."""
    u, z = x[:3 * n].reshape(n, 3), np.vstack([np.zeros(6), x[3 * n:].reshape(n - 1, 6), np.zeros(6)])
    value, by = np.zeros((n, 6)), np.zeros((n, 6, x.size))
    moved = []
    for base, v in zip(states, z):
        lin.state = base
        lin.move(v)
        moved.append(lin.state.copy())
    for k in range(n):
        lin.state = moved[k]
        lin.set_inputs(u[k])
        step = lin.step(h)
        lin.state = states[k + 1]
        value[k] = lin.difference(step.value) - z[k + 1]
        # Exact where the tangent vectors are small, which they are in the end.
        by[k, :, 3 * k:3 * k + 3] = step.inputs
        if k > 0:
            by[k, :, 3 * n + 6 * (k - 1):3 * n + 6 * k] = step.state
        if k < n - 1:
            by[k, :, 3 * n + 6 * k:3 * n + 6 * (k + 1)] = -np.eye(6)
    return value.ravel(), by.reshape(6 * n, -1)


def cost(x):
    return 0.5 * h * x[:3 * n] @ x[:3 * n], np.concatenate([h * x[:3 * n], np.zeros(6 * (n - 1))])


for turns in range(12):
    # One quadratic problem per turn: linear constraints in the tangent spaces at the present states.
    x0 = np.concatenate([torques.ravel(), np.zeros(6 * (n - 1))])
    c, A = gaps(x0)
    found = minimize(cost, x0, jac=True, method="SLSQP", options={"maxiter": 200, "ftol": 1e-14},
                     constraints={"type": "eq", "fun": lambda x: c + A @ (x - x0), "jac": lambda x: A})
    torques = found.x[:3 * n].reshape(n, 3)
    for k in range(1, n):
        lin.state = states[k]
        lin.move(found.x[3 * n + 6 * (k - 1):3 * n + 6 * k])
        states[k] = lin.state.copy()
    gap = abs(gaps(np.concatenate([torques.ravel(), np.zeros(6 * (n - 1))]))[0]).max()
    if gap < 1e-10:
        break
best = 0.5 * h * np.sum(torques**2)
print("cost %.4f, largest gap below 1e-10: %s, turns %d" % (best, gap < 1e-10, turns + 1))

# The same turn about its axis alone, with the torque that this takes: alpha J a + rate^2 a x J a.
a, J = turn / np.linalg.norm(turn), np.diag([1, 1.4, 0.8])
t = np.linspace(0, 5, 2001)
rate, alpha = [np.linalg.norm(turn) * f / 5**p for f, p in ((6 * (t / 5) * (1 - t / 5), 1), (6 * (1 - 2 * t / 5), 2))]
eigen = np.outer(alpha, J @ a) + np.outer(rate**2, np.cross(a, J @ a))
print("about the axis of the goal %.4f" % (0.5 * np.trapz(np.sum(eigen**2, axis=1), t)))

w = model.workspace(R=np.eye(3))
for u in torques:
    w["torque"] = u
    w.step(h)
np.testing.assert_allclose(w.state, goal, atol=1e-8)
