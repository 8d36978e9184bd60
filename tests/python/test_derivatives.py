"""Derivatives against differences and closed forms, which know nothing of lmc's."""
import math
import unittest

import numpy as np
from support import EXAMPLES, PENDULUM, SPRING

import lmc


class Derivatives(unittest.TestCase):
    def test_linear_model(self):
        """x'' = -k x - c x' + u: A, B, and the exponential of the step."""
        m = lmc.compile(SPRING)
        lin = m.linearize()
        self.assertEqual((lin.coordinates, lin.inputs, lin.parameters), (("dx", "dv"), ("u",), ("k", "c")))
        A, B = lin.motion()
        np.testing.assert_allclose(A, [[0, 1], [-4, -0.3]], atol=1e-14)
        np.testing.assert_allclose(B, [[0], [1]], atol=1e-14)
        np.testing.assert_allclose(lin.motion().parameters, [[0, 0], [-1, 0]], atol=1e-14)  # by k and c at x = 1, v = 0
        h, term, exp = 0.05, np.eye(2), np.eye(2)
        for k in range(1, 5):  # a method of order 4 of a linear system
            term = term @ A * h / k
            exp = exp + term
        np.testing.assert_allclose(lin.step(h).state, exp, atol=1e-14)
        C, D = lin.output()
        self.assertEqual(lin.outputs, ("energy", "place"))
        np.testing.assert_allclose(C, [[4, 0], [1, 0]], atol=1e-14)
        np.testing.assert_allclose(D, [[0], [0]])

    def test_forward_and_adjoint(self):
        lin = lmc.compile(EXAMPLES / "two_quadrotors.lie").linearize()
        random = np.random.default_rng(3)
        for which, h in (("motion", 0), ("step", 1e-3), ("outputs", 0)):
            j = {"motion": lin.motion, "step": lambda: lin.step(1e-3), "outputs": lin.output}[which]()
            z, u, p = (random.normal(size=len(n)) for n in (lin.coordinates, lin.inputs, lin.parameters))
            image = lin.forward(which, z, u, p, h=h)
            np.testing.assert_allclose(image, j.state @ z + j.inputs @ u + j.parameters @ p, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(lin.forward(which, inputs=u, h=h), j.inputs @ u, rtol=1e-9, atol=1e-9)
            c = random.normal(size=len(image))
            a, b, q = lin.adjoint(which, c, h=h)
            self.assertAlmostEqual(c @ image, a @ z + b @ u + q @ p, 7)

    def test_tangent_spaces(self):
        lin = lmc.compile(PENDULUM).linearize()
        Z = lin.basis()
        self.assertEqual(Z.shape, (6, 4))
        np.testing.assert_allclose(Z.T @ Z, np.eye(4), atol=1e-13)
        start = lin.state.copy()
        v = Z @ np.array([0.3, -0.2, 0.1, 0.4])
        lin.move(v)
        moved = lin.state.copy()
        self.assertAlmostEqual(np.linalg.norm(moved[:3]), 1, 13)
        lin.state = start
        np.testing.assert_allclose(lin.difference(moved), v, atol=1e-12)

    def test_sensitivities_reach_the_end(self):
        m = lmc.compile(PENDULUM)
        s = m.sensitivities(1e-2, 12, every=5, parameters="m")
        np.testing.assert_allclose(s.t, [0, 0.05, 0.1, 0.12], atol=1e-15)
        w = m.workspace()
        w.step(1e-2, 12)
        np.testing.assert_allclose(s.states[-1], w.state, atol=1e-14)
        np.testing.assert_allclose(s.by[-1], m.sensitivities(1e-2, 12, every=12, parameters=["m"]).by[-1], atol=1e-14)
        self.assertEqual(m.sensitivities(1e-2, 0).t.tolist(), [0])

    def test_sensitivities_are_differences(self):
        m = lmc.compile(PENDULUM)
        s = m.sensitivities(1e-2, 60, every=20, parameters=["m", "l"], inputs=True, state=True)
        self.assertEqual(s.names[6:], ("u[1]", "u[2]", "u[3]", "m", "l"))

        def height(**values):
            w = m.workspace()
            for name, value in values.items():
                w[name] = value
            heights = [float(w["height"])]
            for _ in range(3):
                w.step(1e-2, 20)
                heights.append(float(w["height"]))
            return np.array(heights)

        value, by = s.output("height")
        np.testing.assert_allclose(value[:, 0], height(), atol=1e-14)
        e = 1e-5
        for name, at in (("l", 0.5), ("m", 2.0)):
            column = by[:, 0, s.names.index(name)]
            np.testing.assert_allclose(column, (height(**{name: at + e}) - height(**{name: at - e})) / (2 * e), atol=1e-8)
        d = np.eye(3)[1] * e
        np.testing.assert_allclose(by[:, 0, s.names.index("u[2]")], (height(u=d) - height(u=-d)) / (2 * e), atol=1e-8)
        # By the velocity: w along e2 is horizontal at q = e1.
        w0 = np.array([0, 0.5, 0])
        np.testing.assert_allclose(by[:, 0, s.names.index("dw[2]")], (height(w=w0 + d) - height(w=w0 - d)) / (2 * e), atol=1e-8)

    def test_gradient_is_differences(self):
        m = lmc.compile(SPRING)
        lin = m.linearize()
        n, h = 40, 0.05
        u = np.sin(np.arange(n) / 7).reshape(n, 1)

        def cost(u, k=4.0):
            w = m.workspace(k=k)
            total = float(w["place"]) ** 2
            for x in u:
                w["u"] = x[0]
                w.step(h)
                total += float(w["place"]) ** 2
            return total

        g = lin.gradient(h, n, lambda k, y: [0, 2 * y[1]], u)
        self.assertEqual((g.state.shape, g.inputs.shape, g.parameters.shape), ((2,), (n, 1), (2,)))
        e = 1e-6
        for k in (0, 7, n - 1):
            d = np.zeros((n, 1))
            d[k] = e
            self.assertAlmostEqual(g.inputs[k, 0], (cost(u + d) - cost(u - d)) / (2 * e), 8)
        self.assertAlmostEqual(g.parameters[0], (cost(u, 4 + e) - cost(u, 4 - e)) / (2 * e), 7)
        np.testing.assert_allclose(m.gradient(h, n, lambda k, y: [0, 2 * y[1]] if k == n else None).state.shape, (2,))
        with self.assertRaises(ZeroDivisionError):
            lin.gradient(h, n, lambda k, y: 1 / 0, u)

    def test_where(self):
        m = lmc.compile(SPRING)
        w = m.workspace(k=9, u=2)
        w.time = 3
        lin = m.linearize(w)
        self.assertEqual(lin.time, 3)
        self.assertAlmostEqual(lin.motion().state[1, 0], -9)
        lin.set_parameters([16, 0])
        lin.set_inputs([0.5])
        lin.time = 1
        self.assertAlmostEqual(lin.motion().value[1], -16 + 0.5)
        z = lin.propagate(math.pi / 2000, 500, np.eye(2))  # an eighth of the period of 4 rad/s is pi/16; this is pi/4
        np.testing.assert_allclose(z, [[math.cos(math.pi), 0.25 * math.sin(math.pi)], [-4 * math.sin(math.pi), math.cos(math.pi)]], atol=1e-9)


if __name__ == "__main__":
    unittest.main()
