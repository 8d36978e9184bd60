"""Ensembles against single runs and against statistics of NumPy."""
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np
from support import EXAMPLES, PENDULUM, SPRING

import lmc


class Ensembles(unittest.TestCase):
    def test_samples_are_runs(self):
        m = lmc.compile(SPRING)
        e = m.ensemble(7, {"k": "linspace(1, 4)", "x": "linspace(0.5, 2)"}, keep="all", every=0.5)
        self.assertEqual(e.by_sample("x").shape, (7, 5))
        self.assertTrue(np.shares_memory(e.by_sample("x"), e.numbers))
        np.testing.assert_allclose(e.by_sample("vary_k")[:, 0], np.linspace(1, 4, 7))
        for k in (0, 3, 6):
            run = m.run(values={"k": np.linspace(1, 4, 7)[k], "x": np.linspace(0.5, 2, 7)[k]}, every=0.5)
            np.testing.assert_allclose(e.by_sample("x")[k], run["x"], atol=1e-13)
            np.testing.assert_allclose(e.by_sample("place")[k], run["place"], atol=1e-13)
        final = m.ensemble(7, {"k": "linspace(1, 4)", "x": "linspace(0.5, 2)"})
        np.testing.assert_array_equal(final["x"], e.by_sample("x")[:, -1])
        self.assertEqual((final.samples, final.failed, final.stopped, final.steps), (7, 0, 0, 14000))

    def test_frames_and_datasets(self):
        """Rows are told apart: by samples, by times, or by both."""
        m = lmc.compile(SPRING)
        everything = m.ensemble(4, {"k": "linspace(1, 4)"}, keep="all", every=0.5)
        data = everything.to_xarray()
        self.assertEqual((data["x"].dims, data["x"].shape), (("sample", "t"), (4, 5)))
        np.testing.assert_array_equal(data["x"].sel(sample=2, t=1.5), everything.by_sample("x")[2, 3])
        frame = everything.to_pandas()
        self.assertTrue(frame.index.is_unique)
        self.assertEqual(frame.loc[(2, 1.5), "x"], everything.by_sample("x")[2, 3])
        final = m.ensemble(4, {"k": "linspace(1, 4)"})
        self.assertEqual(final.to_xarray()["x"].dims, ("sample",))
        self.assertEqual(float(final.to_xarray()["x"].sel(sample=3)), final["x"][3])
        self.assertEqual(final.to_pandas().loc[3, "x"], final["x"][3])
        self.assertEqual(final.to_xarray().attrs["failed"], 0)
        statistics = m.ensemble(4, {"k": "linspace(1, 4)"}, keep="statistics", every=0.5)
        self.assertEqual(float(statistics.to_xarray()["x_mean"].sel(t=1.5)), statistics["x_mean"][3])
        self.assertEqual(statistics.to_pandas().index.name, "t")
        with self.assertRaisesRegex(lmc.UnavailableError, "wants all times of all samples"):
            final.by_sample("x")

    def test_datasets_of_samples_that_end_at_their_own_times(self):
        text = SPRING.replace("observe place = x;", "observe place = x; event slow = falling(x - 0.5);")
        e = lmc.compile(text).ensemble(3, {"k": "linspace(1, 9)"}, keep="all", every=0.5)
        self.assertEqual(e.stopped, 3)
        data = e.to_xarray()
        np.testing.assert_array_equal(data["x"].values.ravel(), e["x"])
        self.assertEqual(data["x"].shape[0], 3)

    def test_statistics(self):
        top = lmc.compile(EXAMPLES / "heavy_top.lie", time=(0, 0.1))
        vary = {"m": "normal(15, 1)", "R": "normal(0.05)"}
        everything = top.ensemble(300, vary, keep="all", seed=3)
        s = top.ensemble(300, vary, keep="statistics", seed=3, threads=1, lanes=1)
        tips = everything.by_sample("tip")
        np.testing.assert_allclose(s["tip_mean"], tips.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(s["tip_deviation"], tips.std(axis=0, ddof=1), atol=1e-12)
        np.testing.assert_array_equal(s["R_max"].shape, (101, 3, 3))
        np.testing.assert_allclose(s["R_min"], everything.by_sample("R").min(axis=0), atol=1e-12)
        self.assertAlmostEqual(float(everything.by_sample("vary_m")[:, 0].mean()), 15, 0)
        other = top.ensemble(300, vary, keep="statistics", seed=4)
        self.assertNotEqual(float(s["tip_mean"][-1, 0]), float(other["tip_mean"][-1, 0]))

    def test_files_options_and_failures(self):
        m = lmc.compile(SPRING, k=9, method="CF4")
        self.assertAlmostEqual(float(m.ensemble(2, {"x": "linspace(1, 1)"})["x"][0]), float(m.run()["x"][-1]), 12)
        bad = m.ensemble(3, {"k": "linspace(-1e9, 1)"})
        self.assertEqual((bad.failed, bad.first_failure), (2, 0))
        self.assertEqual(list(bad["status"] != 0), [True, True, False])
        stopped = lmc.compile(PENDULUM, time=(0, 5)).ensemble(3, {"m": "linspace(1, 2)"})
        self.assertEqual(stopped.stopped, 3)
        np.testing.assert_allclose(stopped["q"][:, 2], -0.9, atol=1e-6)

    def test_the_text_is_that_of_the_model(self):
        """Whatever has become of its file, and of what that imports; also where a function gave the imports."""
        with tempfile.TemporaryDirectory() as folder:
            file, part = Path(folder) / "spring.lie", Path(folder) / "part.lie"
            part.write_text("fn stiff() = 4;")
            file.write_text('import "part.lie";\n' + SPRING.replace("k = 4", "k = stiff()"))
            m = lmc.compile(file, c=0.5)
            before = m.ensemble(4, {"x": "linspace(0.5, 2)"})
            part.write_text("fn stiff() = 400;")
            file.write_text("model Another { }")
            np.testing.assert_array_equal(m.ensemble(4, {"x": "linspace(0.5, 2)"}).numbers, before.numbers)
        given = lmc.compile('import "part.lie";\n' + SPRING.replace("k = 4", "k = stiff()"), c=0.5,
                            resolve=lambda path: "fn stiff() = 4;" if path.endswith("part.lie") else None)
        np.testing.assert_array_equal(given.ensemble(4, {"x": "linspace(0.5, 2)"}).numbers, before.numbers)
        again = pickle.loads(pickle.dumps(lmc.compile(SPRING, c=0.5)))
        np.testing.assert_array_equal(again.ensemble(4, {"x": "linspace(0.5, 2)"}).numbers, before.numbers)

    def test_progress(self):
        m = lmc.compile(SPRING, time=(0, 500))
        seen = []
        e = m.ensemble(4000, {"k": "linspace(1, 2)"}, threads=1, progress=lambda part: seen.append(part) or False)
        self.assertTrue(e.interrupted and seen)
        with self.assertRaises(ZeroDivisionError):
            m.ensemble(4000, {"k": "linspace(1, 2)"}, progress=lambda part: 1 / 0)
        self.assertTrue(m.ensemble(4000, {"k": "linspace(1, 2)"}, max_seconds=1e-3).interrupted)

    def test_errors(self):
        m = lmc.compile(SPRING)
        with self.assertRaises(lmc.CompileError) as caught:
            m.ensemble(3, {"kk": "normal(1, 2)"})
        self.assertEqual(caught.exception.diagnostics[0].code, "LIE0650")
        with self.assertRaisesRegex(lmc.CompileError, "the number of samples is not known"):
            m.ensemble()
        for sentence, settings in (("power of two", {"lanes": 3}), ("threads", {"threads": -1}), ("keep is", {"keep": "ends"}),
                                   ("time between rows", {"every": -1.0}), ("seconds", {"max_seconds": -1.0})):
            with self.assertRaisesRegex(ValueError, sentence):
                m.ensemble(3, {"k": "normal(1, 2)"}, **settings)


if __name__ == "__main__":
    unittest.main()
