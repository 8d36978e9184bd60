"""The package runs on every Python from 3.9 on that this machine has, with a stand-in for NumPy: what it does apart from
arrays. Packages of Debian are for one Python alone; there is nothing to do where it is the only one."""
import os
import shutil
import subprocess
import sys
import unittest

from support import EXAMPLES

PROGRAM = r'''
import os, pickle, signal, sys, threading
from unittest.mock import MagicMock

for name in ("numpy", "numpy.typing", "numpy.ma"):
    sys.modules[name] = MagicMock(name=name)
import lmc
from lmc.magic import run_cell

SPRING = """model Spring { config x : R velocity v; lagrangian = 0.5*v^2 - 0.5*stiff()*x^2; initial x = 1; initial v = 0;
simulate { method = RKMK4; time = 0..1; step = 1e-3; } }"""
top = lmc.compile(sys.argv[1])
assert "J*Omega'" in top.derive() and pickle.loads(pickle.dumps(top.derive())) == top.derive()
assert top.variables[0].manifold == "SO(3)" and len(top.methods()) > 10 and len(lmc.manifolds()) > 10
w = top.workspace()
w.step(1e-3, 1000)
assert abs(w.time - 1) < 1e-9 and w.energy() > 0 and w.mass_defect() < 1e-12
for said, call in (("is a text", lambda: w.view(3)), ("no parameter", lambda: w.parameter("mm")),
                   ("steps lies", lambda: w.step(1e-3, 2**70)), ("is a number", lambda: w.step("x"))):
    try:
        call()
    except ValueError as e:
        assert said in str(e), e
    else:
        raise AssertionError(said)
try:
    lmc.compile("model B { config R : SO(3) velocity w; lagrangian = dot(w, w)*mas; }")
except lmc.CompileError as e:
    assert e.diagnostics[0].code == "LIE0100" and pickle.loads(pickle.dumps(e)).text == e.text
asked = []
spring = lmc.compile('import "c.lie";' + SPRING, resolve=lambda path: asked.append(path) or "fn stiff() = 5;")
assert asked
timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
timer.start()
try:
    spring.workspace().record(1e6)
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("not interrupted")
timer.join()

class Shell:
    user_ns = {}

assert run_cell(Shell, "f", SPRING.replace("stiff()", "4")).name == "Spring" and "f" in Shell.user_ns
print("works")
'''


class Versions(unittest.TestCase):
    def test_every_python_there_is(self):
        tried = 0
        for minor in range(9, 20):
            python = shutil.which(f"python3.{minor}")
            if python is None or minor == sys.version_info.minor:
                continue
            if subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
                continue  # a name that stands for no interpreter here
            with self.subTest(python):
                done = subprocess.run([python, "-B", "-W", "error", "-c", PROGRAM, EXAMPLES / "heavy_top.lie"],
                                      capture_output=True, text=True, env=os.environ, check=False)
                self.assertEqual((done.stdout.strip(), done.returncode), ("works", 0), done.stderr)
                tried += 1
        if not tried:
            self.skipTest("there is no other Python")


if __name__ == "__main__":
    unittest.main()
