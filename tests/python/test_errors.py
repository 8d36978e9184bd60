"""What goes wrong says so in one clear sentence."""
import copy
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
from support import BINARY, EXAMPLES, PENDULUM, SPRING

import lmc


class Models(unittest.TestCase):
    def test_all_diagnostics(self):
        text = "model B {\n  config R : SO(3) velocity w;\n  lagrangian = dot(w, w)*mas + ω2;\n  observe x = R*[1, 2];\n}\n"
        with self.assertRaises(lmc.CompileError) as caught:
            lmc.compile(text, name="body.lie")
        e = caught.exception
        self.assertGreaterEqual(len(e.errors), 2)
        d = e.diagnostics[0]
        self.assertEqual((d.code, d.severity, d.file, d.line, d.column), ("LIE0100", "error", "body.lie", 3, 26))
        self.assertEqual((d.end.line, d.end.column), (3, 29))
        self.assertIn("^~~", d.text)
        self.assertIn("mas", str(e))
        self.assertIsInstance(d.notes, tuple)

    def test_notes_and_suggestion(self):
        with self.assertRaises(lmc.CompileError) as caught:
            lmc.compile("model B { param mass = 1; config R : SO(3) velocity w; lagrangian = dot(w, w)*mas; }")
        self.assertIn("mass", caught.exception.diagnostics[0].suggestion)
        noted = [n for text in ("model B { param a = 1; param a = 2; config R : SO(3) velocity w; lagrangian = dot(w,w); }",)
                 for d in _diagnostics(text) for n in d.notes]
        self.assertTrue(noted and noted[0].message)

    def test_file_that_is_not_there(self):
        with self.assertRaisesRegex(lmc.CompileError, "LIE0107.*cannot read"):
            lmc.compile("nowhere.lie")


def _diagnostics(text):
    try:
        lmc.compile(text)
    except lmc.CompileError as e:
        return e.diagnostics
    return ()


class Misuse(unittest.TestCase):
    def setUp(self):
        self.top = lmc.compile(EXAMPLES / "heavy_top.lie")
        self.craft = lmc.compile(EXAMPLES / "two_quadrotors.lie")
        self.w = self.top.workspace()

    def refused(self, sentence, call, *arguments, **named):
        with self.assertRaisesRegex(ValueError, sentence) as caught:
            call(*arguments, **named)
        self.assertNotIn("\n", str(caught.exception).strip())

    def test_names(self):
        self.refused("no variable, parameter or observable `Omga`; is `Omega` meant", self.w.__getitem__, "Omga")
        self.refused("no variable, parameter or input `Omga`", self.w.__setitem__, "Omga", 1)
        self.refused("no parameter `mm`", self.w.set, "mm", 1)
        self.refused("no input `u`", self.w.set_input, "u", 1)
        self.refused("observable", self.w.__setitem__, "tip", [1, 2, 3])
        self.refused("no column `Rr`", self.top.run(time=(0, 0.01)).__getitem__, "Rr")
        self.refused("no parameter `q`", self.top.sensitivities, 1e-3, 1, parameters=["q"])
        self.refused("no map", self.top.linearize().forward, "steps")
        self.refused("'text', 'latex' or 'json'", self.top.derive, "html")
        self.refused("no member|out of|family|member", self.craft.workspace().view, "q[3]")

    def test_names_that_are_none(self):
        """C ends a text at its first zero byte, and a name is nothing else than a text."""
        run = self.top.run(time=(0, 0.01))
        for call in (self.w.__getitem__, self.w.view, self.w.parameter, self.w.observable, self.w.input_is_set,
                     self.w.release_input, lambda name: self.w.set(name, 1), lambda name: self.w.__setitem__(name, 1)):
            for name in (3, None, b"R", ["R"]):
                self.refused("a name is a text, not", call, name)
            self.refused("zero byte", call, "R\0x")
            self.refused("not Unicode", call, "\ud800")
        self.refused("a name is a text, not 0", run.__getitem__, 0)
        self.refused("a name is a text, not 3", self.top.ensemble, 2, {3: "normal(15, 1)"})
        self.refused("a distribution is a text, not 3", self.top.ensemble, 2, {"m": 3})

    def test_shapes(self):
        self.refused(r"`J` has the shape \(3, 3\), not \(2,\)", self.w.set, "J", [1, 2])
        self.refused(r"`R` has the shape \(3, 3\), not \(9,\)", self.w.__setitem__, "R", np.eye(3).ravel())
        self.refused(r"\(6,\), not \(3,\)", self.top.linearize().move, [1, 2, 3])
        self.refused(r"6 numbers, not of the shape \(2, 2\)", self.top.linearize().propagate, 1e-3, 1, np.eye(2))
        self.refused("shape", setattr, self.w, "state", [1, 2])
        flight = self.craft.workspace()
        self.refused(r"`M\[1\]` has the shape \(3,\), not \(3, 1\)", flight.set_input, "M[1]", np.ones((3, 1)))
        self.refused(r"input 1, `M`, has the shape \(2, 3\), not \(6,\)", flight.set_input, 1, np.ones(6))
        self.refused("there are 2 inputs; -1 is none", flight.set_input, -1, [1, 1])
        flight.set_input(np.int64(0), [1, 1])
        # A matrix that only happens to have the right number of entries is not taken by rows.
        self.refused(r"the shape \(3, 8\), not \(8, 3\)", self.craft.gradient, 1e-3, 3, lambda k, y: None, np.zeros((8, 3)))

    def test_numbers(self):
        """Arrays of any order, layout and type of real numbers are taken by their values; others are refused."""
        square = np.arange(36.0).reshape(6, 6) + 50 * np.eye(6)
        for a in (np.asfortranarray(square)[:3, :3], square[::2, ::2], square[:3, :3].T, square[2::-1, 2::-1],
                  square[:3, :3].astype(">f8"), square[:3, :3].astype(np.float32), square[:3, :3].astype(np.int16),
                  square[:3, :3].astype(object), square[:3, :3].tolist(), np.ma.masked_array(square[:3, :3])):
            self.w["R"], self.w["J"] = a, a
            np.testing.assert_array_equal(self.w["R"], np.array(a, dtype=float))
            np.testing.assert_array_equal(self.w.parameter("J"), np.array(a, dtype=float))
            np.testing.assert_array_equal(lmc.compile(EXAMPLES / "heavy_top.lie", J=a).parameters[2].value, np.array(a, dtype=float))
        self.w["m"] = np.array(3)
        self.assertEqual(float(self.w["m"]), 3)
        for bad in ("x", ["1", "2", "3"], [1, 2, None], [1, 2, 3j], np.array([1, 2, 3j]), [[1], [1, 2]],
                    np.array(["2026-01-01"] * 3, dtype="M8[D]"), {}, [1, 2, "3"],
                    np.ma.masked_array([1, 2, 3], [0, 1, 0])):
            self.refused("`Omega` wants numbers", self.w.__setitem__, "Omega", bad)
        self.refused("`m` wants numbers", lmc.compile, SPRING, m=None)
        self.refused("`m` wants numbers", lmc.compile, SPRING, m=1j)
        self.refused("`m` wants numbers", lmc.compile, SPRING, m=np.timedelta64(5, "s"))
        self.refused("`m` wants numbers: some are too large", self.w.set, "m", np.longdouble("1e400"))

    def test_single_numbers(self):
        """As arrays are: what would be changed on the way is refused."""
        whole = self.top.run(time=(0, 0.01)).numbers
        for step in (np.float32(0.0009765625), np.array(0.0009765625), Fraction(1, 1024), Decimal("0.0009765625")):
            w = self.top.workspace()
            w.step(step, 3)
            self.assertEqual(w.time, 3 / 1024)
            self.assertEqual(w.run(np.float64(0.01), step=step).t[1], 4 / 1024)
        for bad in (np.complex128(1e-3 + 1j), 1e-3j, np.timedelta64(5, "s"), bytearray(b"1e-3"), np.ma.masked, [1e-3],
                    np.array([1e-3]), "1e-3", 10**400, np.longdouble("1e400"), None):
            self.refused("the step is a number", self.w.step, bad)
            self.refused("the interval is a number", self.w.every, bad, lambda w: None)
            self.refused("the time is a ", setattr, self.w, "time", bad)
            if bad is not None:
                for name in ("step", "to", "tolerance", "max_seconds"):
                    self.refused(f"{name} is a number", self.w.run, **{name: bad})
        self.assertEqual(self.w.time, 0)
        np.testing.assert_array_equal(self.w.run(0.01).numbers, whole)

    def test_numbers_that_c_would_cut(self):
        before = self.w.time
        self.refused("the number of steps lies from", self.w.step, 1e-3, 2**64 + 5)
        self.assertEqual(self.w.time, before)
        self.refused("the seed lies from 0", lmc.compile, SPRING, seed=-1)
        self.refused("the seed lies from 0", self.top.ensemble, 2, seed=2**64)
        self.refused("threads lies from", self.top.ensemble, 2, threads=2**32 + 1)
        self.refused("samples lies from", self.top.ensemble, 2**64 + 2)
        self.refused("max_steps lies from", self.w.run, 1, max_steps=2**64 + 5)
        self.refused("operations lies from|operations", lmc.compile, SPRING, limits=(1, 2**64, 1))

    def test_settings(self):
        self.refused("cannot end at", self.w.run, -1)
        self.refused("a run has one of `every` and `every_steps`", self.w.run, 1, every=0.1, every_steps=3)
        self.refused("the times of `every` increase", self.w.run, 1, every=[0.5, 0.2])
        self.refused(r"list of times, not of the shape \(2, 2\)", self.w.run, 1, every=[[0.1, 0.2], [0.3, 0.4]])
        self.refused(r"list of times, not of the shape \(0,\)", self.w.run, 1, every=[])
        self.refused("^`max_steps` is a positive number, or 0", self.w.run, 1, max_steps=-1)
        self.refused("step is a number", self.w.run, 1, step="x")
        self.refused("values are a mapping", self.top.run, time=(0, 1), values=[1])
        self.refused("vary is a mapping", self.top.ensemble, 2, ["m"])
        self.refused("a whole number, not 'a'", lmc.compile, SPRING, seed="a")
        self.refused("limits are three", lmc.compile, SPRING, limits=(1, 2))
        self.refused("makes no sense", lmc.compile, SPRING, library_root=3)
        self.refused("finite", lmc.compile, SPRING, k=float("nan"))
        self.refused("members of families", lmc.compile, SPRING, k=np.zeros((2, 2, 2)))
        self.refused("pair of begin and end", lmc.compile, SPRING, time=(0, 1, 2))
        self.refused("pair of begin and end", self.top.run, 3)
        self.refused("every is a number", self.w.run, 1, every="x")
        self.refused("the step is a number", self.w.step, "h")
        self.refused("the step is a number", self.w.step, "1e-3")
        self.refused("whole number", self.w.step, 1e-3, 1.5)
        self.refused("at least one step", self.top.sensitivities, 1e-3, 5, every=0)
        self.refused("whole number", self.top.ensemble, "x")
        self.refused("zero byte", lmc.compile, SPRING + "\0")
        self.refused("zero byte", lmc.compile, "a\0b")
        self.refused("a path, a text, or pairs", lmc.compile, 3)
        self.refused("pairs of name and text", lmc.compile, [("a.lie",)])
        self.refused(r"cost' has|cost has the shape", self.top.gradient, 1e-3, 2, lambda k, y: [1])
        self.refused("-1 steps", self.top.gradient, 1e-3, -1, lambda k, y: None)
        self.refused("the time is a finite number", setattr, self.w, "time", float("nan"))
        self.refused("the time is a number", setattr, self.w, "time", "x")
        self.refused("the step is a number", self.top.linearize().step, "h")
        self.refused("the time is a number", self.w.record(0.01).state, "t")
        self.refused("at a workspace, not at 3", self.top.linearize, 3)
        self.w.step(np.float32(1e-3), np.int64(2))
        for held in (self.w, self.top.linearize(), self.w.record(0.02)):
            for forbidden in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "neither copied nor pickled: keep"):
                    forbidden(held)
        with self.assertRaises(lmc.UnavailableError):
            self.w.run(1, tolerance=1e-8)

    def test_models_without_settings(self):
        bare = lmc.compile("model A { config x : R velocity v; lagrangian = 0.5*v^2; initial x = 1; initial v = 1;"
                           " simulate { method = RKMK4; } }")
        self.refused("a run needs an end", bare.run)
        self.refused("a run needs a step", bare.run, time=(0, 1))
        self.refused("sensitivities need a step", bare.sensitivities)
        self.refused("sensitivities need a step", bare.sensitivities, 0.1)
        self.refused("sensitivities need a step", bare.sensitivities, 0)
        self.refused("sensitivities need a step", bare.sensitivities, float("nan"), 3)
        self.assertEqual(len(bare.sensitivities(0.1, 3).t), 4)

    def test_what_resolve_returns(self):
        self.refused("what `resolve` returns is a text, not 3", lmc.compile, 'import "c.lie";\n' + SPRING, resolve=lambda path: 3)

    def test_failing_runs(self):
        w = lmc.compile(SPRING).workspace(k=-1e5)
        with self.assertRaises(lmc.RunError) as caught:
            w.run(2000, step=0.1)
        self.assertEqual(caught.exception.status, "non finite")
        self.assertGreater(len(caught.exception.run), 1)
        again = pickle.loads(pickle.dumps(caught.exception))  # as a pool of processes passes it on
        np.testing.assert_array_equal(again.run.numbers, caught.exception.run.numbers)
        self.assertEqual((str(again), again.status), (str(caught.exception), caught.exception.status))
        with self.assertRaises(lmc.RunError):
            w.step(1e300, 5)


class Libraries(unittest.TestCase):
    """What `import lmc` says, in another process."""

    def importing(self, before="", **environment):
        done = subprocess.run([sys.executable, "-B", "-c", before + "import lmc"], capture_output=True, text=True,
                              env={**os.environ, **environment}, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr.strip().splitlines()[-1]

    def build(self, folder, body):
        source = Path(folder) / "other.c"
        source.write_text(body)
        file = Path(folder) / "liblmc.so.0"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", file, source], check=True)
        return str(file)

    def test_missing(self):
        self.assertRegex(self.importing(LMC_LIBRARY="/nowhere"), "^ImportError: the library of lmc that LMC_LIBRARY names cannot be opened")
        with tempfile.TemporaryDirectory() as folder:  # the package alone
            os.symlink(Path(lmc.__file__).resolve().parent, Path(folder) / "real")
            subprocess.run(["cp", "-rL", str(Path(folder) / "real"), str(Path(folder) / "lmc")], check=True)
            said = self.importing(PYTHONPATH=folder)
            if "ImportError" in said:  # no lmc is installed on this machine
                self.assertRegex(said, "^ImportError: the library of lmc .* was not found: install")

    def test_without_numpy(self):
        self.assertEqual(self.importing("import sys; sys.modules['numpy'] = None; "),
                         "ImportError: lmc needs NumPy, which was not found: install python3-numpy, or numpy by pip in an environment")

    def test_other_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            later = self.build(folder, "int lmc_api_version(void) { return 2; }")
            self.assertRegex(self.importing(LMC_LIBRARY=later), "has version 2 of the interface, and this Python package needs version 1: install both")
            older = self.build(folder, 'int lmc_api_version(void) { return 1; } const char* lmc_version(void) { return "0.0.9"; }')
            self.assertRegex(self.importing(LMC_LIBRARY=older), r"lmc 0.0.9\) is older than this Python package: it has no lmc_")
            alien = self.build(folder, "int nothing;")
            self.assertRegex(self.importing(LMC_LIBRARY=alien), "is not the library of lmc")
            Path(folder, "text").write_text("no library")
            self.assertRegex(self.importing(LMC_LIBRARY=str(Path(folder, "text"))), "cannot be opened")

    def test_library_of_models_is_gone(self):
        with self.assertRaisesRegex(lmc.InstallationError, "no standard library in `/nowhere`"):
            lmc.compile(SPRING, library_root="/nowhere")
        self.assertTrue(BINARY.exists() and PENDULUM)


if __name__ == "__main__":
    unittest.main()
