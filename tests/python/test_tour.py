"""Every call of docs/host_api.md has its twin here, and docs/python.md runs."""
import copy
import math
import os
import pickle
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np
from support import BALL, EXAMPLES, PENDULUM, SOURCE, SPRING

import lmc


def hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


class Compiling(unittest.TestCase):
    def test_file_text_and_sources(self):
        self.assertEqual(lmc.compile(EXAMPLES / "heavy_top.lie").name, "HeavyTop")
        self.assertEqual(lmc.compile(str(EXAMPLES / "heavy_top.lie")).state_size, 12)
        self.assertEqual(lmc.compile(SPRING).name, "Spring")
        m = lmc.compile([("a.lie", 'import "b.lie";\n' + SPRING.replace("k = 4", "k = nine()")), ("b.lie", "fn nine() = 9;")])
        self.assertEqual(float(m.parameters[0].value), 9)

    def test_options(self):
        m = lmc.compile(SPRING, k=9, values={"c": "1/8"}, method="CF4", time=(1, 3), step=0.25, seed=7)
        self.assertEqual([float(p.value) for p in m.parameters], [9, 0.125])
        self.assertEqual((m.method, m.settings.time, m.settings.step, m.settings.seed), ("CF4", (1, 3), 0.25, 7))
        top = lmc.compile(EXAMPLES / "heavy_top.lie", J=np.diag([1, 2, 3]), method="RKMK54", tolerance=1e-8,
                          controller="elementary", optimization=1, limits=(100, 10**8, 8192), cache=False,
                          import_path=["."], keep_zeros=False)
        np.testing.assert_array_equal(top.parameters[2].value, np.diag([1, 2, 3]))
        self.assertTrue(top.settings.adaptive and top.estimates_error and not top.from_cache)
        self.assertFalse(lmc.compile(PENDULUM, tolerance=1e-8, fixed_steps=True).settings.adaptive)
        self.assertEqual(lmc.compile(SPRING, untrusted=True).name, "Spring")
        self.assertEqual(lmc.compile(SPRING, library_root=str(SOURCE)).name, "Spring")
        self.assertEqual(lmc.manifolds(SOURCE), lmc.manifolds())

    def test_callbacks(self):
        asked = []

        def resolve(path):
            asked.append(path)
            return "fn stiff() = 5;" if path.endswith("c.lie") else None

        m = lmc.compile('import "c.lie";\n' + SPRING.replace("k = 4", "k = stiff()"), resolve=resolve)
        self.assertEqual((float(m.parameters[0].value), len(asked) > 0), (5, True))
        with self.assertRaisesRegex(lmc.CompileError, "LIE0025"):
            lmc.compile(EXAMPLES / "two_quadrotors.lie", cancel=lambda: True, cache=False)
        with self.assertRaises(ZeroDivisionError):
            lmc.compile('import "c.lie";\n' + SPRING, resolve=lambda path: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            lmc.compile(EXAMPLES / "two_quadrotors.lie", cancel=lambda: 1 / 0, cache=False)

    def test_what_is_known(self):
        top = lmc.compile(EXAMPLES / "heavy_top.lie")
        v = top.variables[0]
        self.assertEqual((v.name, v.fiber, v.manifold, v.kind, v.frame, v.dimension), ("R", "Omega", "SO(3)", "velocity", "body", 3))
        self.assertEqual((v.point[0].shape, v.fiber_parts[0].offset, v.fiber_parts[0].shape), ((3, 3), 9, (3,)))
        self.assertEqual([p.name for p in top.parameters], ["m", "l", "J", "chi", "G0"])
        self.assertEqual((top.method, top.order, top.state_size, top.algebra_size, top.tangent_size), ("RKMK4", 4, 12, 3, 6))
        self.assertTrue(top.has_energy and top.has_mass)
        self.assertEqual(top.columns[12:], ("energy", "tip[1]", "tip[2]", "tip[3]"))
        self.assertIn("J*Omega'", top.derive())
        self.assertIn(r"\dot{\Omega}", top.derive("latex"))
        self.assertIn('"', top.derive("json"))
        self.assertIn("$$\\begin{aligned}", top.derive()._repr_markdown_())
        self.assertIn("CF4", [m.name for m in top.methods()])
        known = {m.name: m for m in lmc.manifolds()}
        self.assertEqual([known[n].dimension for n in ("R", "SO(3)", "SE(3)", "S^2", "R^n")], [1, 3, 6, 2, None])
        self.assertEqual((known["SO(3)"].kind, known["S^2"].kind, known["SO(3)"].storage), ("group", "manifold", "mat(3,3)"))
        for v in (*top.variables, *lmc.compile(PENDULUM).variables):
            self.assertEqual(known[v.manifold].dimension, v.dimension)
        with self.assertRaisesRegex(lmc.InstallationError, "no standard library in `/nowhere`"):
            lmc.manifolds("/nowhere")
        self.assertEqual(lmc.compile(PENDULUM).events, (lmc.Event("low", 0),))
        self.assertEqual(len(lmc.compile(EXAMPLES / "pendulum_chain.lie").constants) > 0, True)
        top.prepare()
        top.release()
        with self.assertRaises(lmc.UnavailableError):
            top.derive()
        top.workspace().step(1e-3)


class Stepping(unittest.TestCase):
    def setUp(self):
        self.top = lmc.compile(EXAMPLES / "heavy_top.lie")

    def test_state_and_parameters(self):
        w = self.top.workspace()
        R, Omega = w["R"], w["Omega"]
        Omega[1] = 120
        w["m"] = 12
        w.set("chi", [0, 0.9, 0.1])
        w.step(1e-3)
        w.step(1e-3, 999)
        self.assertAlmostEqual(w.time, 1, 12)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
        self.assertIs(w["R"], R)
        self.assertTrue(np.shares_memory(R, w.state))
        self.assertEqual(float(w.parameter("m")), 12)
        np.testing.assert_array_equal(w["chi"], [0, 0.9, 0.1])
        w.reset_parameters()
        self.assertEqual(float(w["m"]), 15)
        w.reset()
        self.assertEqual(w.time, 0)
        np.testing.assert_array_equal(w["R"], np.eye(3))
        w.time = 2
        self.assertEqual(w.time, 2)
        w.state = self.top.initial_state
        self.assertTrue(w.try_step(1e-3))
        w["Omega"] = [np.nan, 0, 0]
        self.assertFalse(w.try_step(1e-3))

    def test_free_top_turns_as_the_exponential(self):
        """A free top that turns about an axis of inertia: R = exp(t hat(Omega)), by the formula of Rodrigues."""
        w = self.top.workspace(m=0, Omega=[0, 0, 1.25])
        w.step(1e-2, 200)
        a = 2.5
        np.testing.assert_allclose(w["R"], [[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]], atol=1e-12)

    def test_initial_values_follow(self):
        m = lmc.compile(SPRING.replace("initial v = 0", "initial v = 2*k"))
        w = m.workspace(k=3)
        w.reset_initial()
        self.assertEqual(float(w["v"]), 6)

    def test_inputs(self):
        w = lmc.compile(EXAMPLES / "two_quadrotors.lie").workspace()
        self.assertEqual(w["R"].shape, (2, 3, 3))
        self.assertEqual(w["q[2]"].shape, (3,))
        self.assertTrue(np.shares_memory(w["q[2]"], w["q"]))
        for _ in range(10):
            w.set_input("T", [9.8 - 2 * w["v"][2]] * 2)
            w.step(1e-3, 10)
        self.assertTrue(w.input_is_set("T"))
        self.assertFalse(w.input_is_set("M"))
        w.release_input("T")
        self.assertFalse(w.input_is_set("T"))
        w["T[1]"] = 3
        w.set_input(1, np.zeros((2, 3)))
        self.assertTrue(w.input_is_set("M"))
        w.reset_inputs()
        self.assertFalse(w.input_is_set("M"))

    def test_values(self):
        w = self.top.workspace()
        J, Omega = np.diag([0.234375, 0.46875, 0.234375]), np.array([0, 150, -4.61538])
        np.testing.assert_allclose(w.momenta(), J @ Omega)
        np.testing.assert_allclose(w.mass_matrix(), J)
        np.testing.assert_allclose(w.mass_times(w.velocities()), w.momenta())
        torque = 15 * 2 * np.cross([0, 1, 0], [0, 0, -9.81])
        a = np.linalg.solve(J, np.cross(J @ Omega, Omega) + torque)
        np.testing.assert_allclose(w.accelerations(), a, rtol=1e-12)
        np.testing.assert_allclose(w.field(), [*Omega, *a], rtol=1e-12)
        self.assertAlmostEqual(w.energy(), 0.5 * Omega @ J @ Omega, 9)
        np.testing.assert_array_equal(w.observable("tip"), [0, 1, 0])
        np.testing.assert_array_equal(w.observables()["tip"], w["tip"])
        self.assertLess(w.mass_defect(), 1e-14)
        p = lmc.compile(PENDULUM).workspace()
        self.assertAlmostEqual(p.events()["low"], 0.9)


class Runs(unittest.TestCase):
    def test_spring_is_the_closed_form(self):
        run = lmc.compile(SPRING).run(every=0.1)
        d, o = 0.15, math.sqrt(4 - 0.15**2)
        exact = np.exp(-d * run.t) * (np.cos(o * run.t) + d / o * np.sin(o * run.t))
        np.testing.assert_allclose(run["place"], exact, atol=1e-11)
        np.testing.assert_allclose(run["x"], exact, atol=1e-11)
        self.assertEqual((run.steps, len(run), run.model, run.method), (2000, 21, "Spring", "RKMK4"))

    def test_nothing_is_copied(self):
        run = lmc.compile(EXAMPLES / "heavy_top.lie").run(time=(0, 1), every=1e-2)
        self.assertEqual(run["R"].shape, (101, 3, 3))
        self.assertTrue(np.shares_memory(run["R"], run.numbers))
        self.assertEqual(run["R"].ctypes.data, run.numbers.ctypes.data + 8)
        np.testing.assert_array_equal(run["R[1][2]"], run["R"][:, 0, 1])
        np.testing.assert_array_equal(run.final, run.states[-1])
        self.assertLess(run.largest_defect, 1e-12)
        self.assertLess(run.energy_error, 1e-5)
        R = run["R"]
        del run
        np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), atol=1e-12)

    def test_settings(self):
        m = lmc.compile(PENDULUM.replace("event low = q[3] + 0.9;", ""))
        w = m.workspace()
        self.assertEqual(w.run(0.5, every_steps=10).steps, 50)
        self.assertEqual(len(w.run(1.0, every=[0.6, 0.75])), 4)
        np.testing.assert_array_equal(m.run(time=(0.5, 1), every=np.linspace(0.5, 1, 6)).t, np.linspace(0.5, 1, 6))
        self.assertGreater(w.run(2, tolerance=1e-12).steps, 50)
        self.assertEqual(w.run(3, step=0.1, fixed_steps=True).steps, 10)
        with self.assertRaises(lmc.RunError) as caught:
            w.run(30, max_steps=5)
        self.assertEqual((caught.exception.status, caught.exception.run.steps), ("limit reached", 5))
        self.assertEqual(m.run(time=(1, 1.5)).t[0], 1)
        self.assertAlmostEqual(float(m.run(values={"m": 3, "w": [0, 0, 0], "q": [0, 0, 1]})["energy"][0]), 3 * 9.81 * 0.5, 12)

    def test_event_and_callback(self):
        run = lmc.compile(PENDULUM).run(time=(0, 5))
        self.assertEqual(run.event, "low")
        self.assertAlmostEqual(run["q"][-1, 2], -0.9, 9)
        seen = []
        w = lmc.compile(SPRING).workspace()
        w.run(2, every=0.1, callback=lambda s: seen.append((s.time, float(s["place"]), s["x"].shape)) or len(seen) < 5)
        self.assertEqual(([len(seen), seen[0]], w.time < 1), ([5, (0.0, 1.0, ())], True))
        kept = []  # samples stay as they were; a False of NumPy is one, too
        w.reset()
        w.run(2, every=0.1, callback=lambda s: kept.append(s) or s.values[0] > seen[4][1])
        self.assertEqual([(s.time, float(s["place"]), s["x"].shape) for s in kept], seen)
        with self.assertRaises(ZeroDivisionError):
            w.run(2, callback=lambda s: 1 / 0)

    def test_resets_are_told(self):
        ball = lmc.compile(BALL)
        run = ball.run()
        self.assertEqual([e.name for e in run.events], ["ground"] * 3)
        np.testing.assert_allclose([e.time for e in run.events], [1, 2, 2.5], atol=1e-12)
        sampling, ground = run.jumps
        self.assertEqual((sampling.number, ground.name, ground.number), (11, "ground", 3))
        np.testing.assert_allclose([sampling.first, sampling.last, ground.last], [0.1, 2.6, 2.5], atol=1e-12)
        self.assertIsNone(run.event)
        self.assertEqual(list(np.unique(run["hits"])), [0, 1, 2, 3])
        # Before and behind each: two samples of one time.
        self.assertTrue(all(np.count_nonzero(run.t == e.time) == 2 for e in run.events))
        self.assertIn("ground", run._repr_html_())
        again = pickle.loads(pickle.dumps(run))
        self.assertEqual((again.events, again.jumps), (run.events, run.jumps))
        self.assertEqual(ball.run(time=(0, 0.5)).events, ())
        hits, = ball.discretes
        self.assertEqual((hits.name, hits.shape, float(hits.value)), ("hits", (), 0))
        w = ball.workspace()
        self.assertEqual(w["hits"], 0)
        w["hits"] = 5  # a discrete variable is a part of the state
        w.run(1.5)
        self.assertEqual(float(w["hits"]), 6)
        # Single steps are those of the run.
        w = ball.workspace()
        w.step(0.01, 210)
        self.assertEqual([e.name for e in w.happened], ["ground"] * 2)
        self.assertEqual([e.time for e in w.happened], [e.time for e in run.events[:2]])
        self.assertEqual(float(w["hits"]), 2)
        w.step(0.01)
        self.assertEqual(w.happened, ())

    def test_controllers_at_sample_times(self):
        model = lmc.compile("""model Cart {
  config x : R velocity v;
  input u = 0;
  discrete seen = 0;
  every 0.1 { reset seen = x; }
  lagrangian = 0.5*v^2;
  force on x = u;
  initial x = 1;
  simulate { method = RKMK4; time = 0..1; step = 0.03; }
}""")
        inside = lmc.compile("""model Cart {
  config x : R velocity v;
  discrete u = 0;
  every 0.1 { reset u = -0.5*x; }
  lagrangian = 0.5*v^2;
  force on x = u;
  initial x = 1;
  simulate { method = RKMK4; time = 0..1; step = 0.03; }
}""")
        self.assertEqual(model.samplings, ("every 0.1",))
        w, times = model.workspace(), []

        def control(at):
            self.assertIs(at, w)
            self.assertEqual(at["seen"], at["x"])
            at["u"] = -0.5*float(at["x"])
            times.append(at.time)

        w.at_every(0, control)
        run = w.run()
        np.testing.assert_allclose(times, np.linspace(0, 1, 11), atol=1e-14)
        other = inside.run()
        self.assertEqual((run["x"][-1], run["v"][-1]), (other["x"][-1], other["v"][-1]))
        w.clear_samplings()
        w = model.workspace()
        w.every(0.1, lambda at: at.set_input("u", -0.5*float(at["x"])), first=0.0)
        w.step(0.03, 20)
        v = inside.workspace()
        v.step(0.03, 20)
        self.assertEqual((float(w["x"]), float(w["v"])), (float(v["x"]), float(v["v"])))
        w.clear_samplings()

        def fails(at):
            raise KeyError("mine")

        w.every(0.5, fails)
        for call in (lambda: w.step(0.03, 30), lambda: w.try_step(0.03, 30), lambda: w.run(3), lambda: w.record(3)):
            with self.assertRaisesRegex(KeyError, "mine"):
                call()
        with self.assertRaises(lmc.LmcError):
            w.every(0, fails)
        with self.assertRaises(lmc.LmcError):
            w.at_every(1, fails)
        with self.assertRaises(lmc.LmcError):
            w.every(0.1, 3)

    def test_names_mean_the_same_everywhere(self):
        """In the state, in a run and in the columns, also what contacts keep and files do not show."""
        for name in ("bouncing_ball", "newtons_cradle", "blocks", "two_quadrotors", "bricard"):
            m = lmc.compile(EXAMPLES / f"{name}.lie")
            w = m.workspace()
            run = w.run(w.time + 0.3)
            np.testing.assert_array_equal(run.final, w.state)
            for part in m._state_parts:
                self.assertEqual(run[part].shape, (len(run), *w[part].shape), part)
                np.testing.assert_array_equal(run[part][-1], w[part], part)
                first = m._state_parts[part].first
                if len(first) == 1:  # a family: its last member
                    stem, dot, rest = part.partition(".")
                    member = f"{stem}[{first[0] + w[part].shape[0] - 1}]{dot}{rest}"
                    np.testing.assert_array_equal(run[member][-1], w[member], member)
                    self.assertTrue(np.shares_memory(run[member], run.numbers))
                    with self.assertRaisesRegex(ValueError, "has the members"):
                        run[member.replace("[", "[9")]
            for q in m.observables:
                np.testing.assert_allclose(run[q.name][-1], w[q.name], atol=1e-9)
            if m.has_energy:
                self.assertAlmostEqual(float(run["energy"][-1]), w.energy(), 9)
            seen = []
            v = m.workspace()
            v.run(v.time + 0.3, every=0.1, callback=lambda s: seen.append(s.values.copy()))
            np.testing.assert_array_equal(seen[-1][:m.state_size], v.state)

    def test_dense_output(self):
        w = lmc.compile(SPRING).workspace()
        path = w.record(1)
        self.assertEqual((len(path), path.times.shape), (1001, (1001,)))
        d, o = 0.15, math.sqrt(4 - 0.15**2)
        t = 0.12345
        exact = math.exp(-d * t) * (math.cos(o * t) + d / o * math.sin(o * t))
        self.assertAlmostEqual(path.state(t)[0], exact, 11)
        self.assertAlmostEqual(path.sample(t)[w.model.columns.index("place")], exact, 11)
        self.assertAlmostEqual(float(path([0.1, t])["place"][1]), exact, 11)
        np.testing.assert_array_equal(path.state_at_step(-1), w.state)
        with self.assertRaises(IndexError):
            path.state_at_step(1001)


class Keeping(unittest.TestCase):
    def test_pickling(self):
        top = lmc.compile(EXAMPLES / "heavy_top.lie", m=12, method="CF4")
        run = top.run(time=(0, 0.1))
        again = pickle.loads(pickle.dumps(top))
        self.assertEqual((again.method, float(again.parameters[0].value)), ("CF4", 12))
        np.testing.assert_array_equal(again.run(time=(0, 0.1)).numbers, run.numbers)
        back = pickle.loads(pickle.dumps(run))
        np.testing.assert_array_equal(back["R"], run["R"])
        self.assertEqual((back.steps, back.columns), (run.steps, run.columns))
        self.assertEqual(str(pickle.loads(pickle.dumps(top.derive()))), top.derive())
        copy.deepcopy(run)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "s.lie"
            file.write_text(SPRING)
            packed = pickle.dumps(lmc.compile(file))
            file.write_text(SPRING.replace("k = 4", "k = 5"))
            self.assertEqual(float(pickle.loads(packed).parameters[0].value), 4)  # the text that it had
        with self.assertRaises(lmc.CompileError) as caught:
            lmc.compile("model X { config")
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).diagnostics, caught.exception.diagnostics)

    def test_frames_and_datasets(self):
        run = lmc.compile(EXAMPLES / "heavy_top.lie").run(time=(0, 0.1), every=0.05)
        frame = run.to_pandas()
        self.assertEqual(list(frame.index), list(run.t))
        self.assertEqual(frame["R[1][3]"].iloc[2], run["R"][2, 0, 2])
        data = run.to_xarray()
        self.assertEqual(data["R"].shape, (3, 3, 3))
        np.testing.assert_array_equal(data["tip"].values, run["tip"])
        self.assertEqual(data.attrs["method"], "RKMK4")
        np.testing.assert_array_equal(data.sel(t=0.05)["Omega"].values, run["Omega"][1])

    def test_pictures(self):
        run = lmc.compile(EXAMPLES / "heavy_top.lie").run(time=(0, 0.1))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "top.png")
            run.plot().savefig(file)
            self.assertGreater(os.path.getsize(file), 10000)
            run.plot("R", "Omega").savefig(file)
        self.assertIn("<table>", run._repr_html_())
        with self.assertRaisesRegex(ValueError, "is `Omega` meant"):
            run.plot("Omgea")


class Guide(unittest.TestCase):
    def test_every_block_runs(self):
        text = (SOURCE / "docs/python.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
        self.assertGreater(len(blocks), 5)
        here = os.getcwd()
        os.chdir(EXAMPLES)
        try:
            names = {}
            for block in blocks:
                exec(compile(block, "docs/python.md", "exec"), names)
        finally:
            os.chdir(here)


if __name__ == "__main__":
    unittest.main()
