"""The type hints hold, for the package and for a program that uses it."""
import ast
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BINARY, SOURCE

PROGRAM = """
import lmc
import numpy as np

top: lmc.Model = lmc.compile("heavy_top.lie", m=12, J=np.eye(3))
run: lmc.Run = top.run(time=(0, 1), every=1e-2)
steps: int = run.steps
A, B = top.linearize().motion()
w: lmc.Workspace = top.workspace(m=3)
w.step(1e-3, 1000)
e: float = w.energy()
"""


class Types(unittest.TestCase):
    def check(self, *arguments):
        done = subprocess.run(["mypy", "--config-file", str(SOURCE / "python/mypy.ini"), "--cache-dir", str(BINARY / "mypy_cache"), *arguments],
                              capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": str(SOURCE / "python")})
        return done.stdout + done.stderr, done.returncode

    def test_package(self):
        said, status = self.check(str(SOURCE / "python/lmc"))
        self.assertEqual(status, 0, said)

    def test_syntax_of_python_39(self):
        """The oldest version that the package promises; only the interpreter of the system runs it."""
        for file in sorted((SOURCE / "python/lmc").glob("*.py")):
            ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 9))
        said, status = self.check("--python-version", "3.9", str(SOURCE / "python/lmc"))
        self.assertEqual(status, 0, said)

    def test_program(self):
        with tempfile.TemporaryDirectory() as folder:
            good, bad = Path(folder) / "good.py", Path(folder) / "bad.py"
            good.write_text(PROGRAM)
            bad.write_text(PROGRAM + "w.step('h')\nsteps = run.method\n")
            said, status = self.check(str(good))
            self.assertEqual(status, 0, said)
            said, status = self.check(str(bad))
            self.assertEqual((status, said.count("error:")), (1, 2), said)


if __name__ == "__main__":
    unittest.main()
