"""The examples run, and print the numbers that they state; what they need is in the command of docs/python.md."""
import json
import re
import subprocess
import sys
import unittest

from support import EXAMPLES, SOURCE

FOLDER = EXAMPLES / "python"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


class Examples(unittest.TestCase):
    def test_their_environment(self):
        page = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
        command = re.search(r"sudo apt install .*python3-scipy.*\\\n.*", page)[0]
        tour = json.loads((SOURCE / "docs/tour.ipynb").read_text(encoding="utf-8"))
        code = ["".join(cell["source"]) for cell in tour["cells"] if cell["cell_type"] == "code"]
        code += [file.read_text(encoding="utf-8") for file in FOLDER.glob("*.py")]
        needed = {name for text in code for name in re.findall(r"^\s*(?:import|from) (\w+)", text, flags=re.M)}
        # Runs become frames and datasets of these; NumPy comes with python3-lmc.
        needed |= {name for text in code for name in re.findall(r"\.to_(\w+)\(", text)}
        for name in sorted(needed - set(sys.stdlib_module_names) - {"numpy"}):
            self.assertIn(f"python3-{name}", command)
        self.assertIn("jupyter-notebook", command)

    def test_all(self):
        files = sorted(FOLDER.glob("*.py"))
        self.assertEqual([f.stem for f in files], ["fit", "kalman", "lqr", "monte_carlo", "poincare", "slew"])
        running = [(f, subprocess.Popen([sys.executable, "-B", str(f)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
                   for f in files]
        for file, process in running:
            with self.subTest(file.stem):
                said, errors = process.communicate(timeout=250)
                self.assertEqual(process.returncode, 0, errors)
                head = file.read_text().split('"""')[1]
                stated = [line.strip() for line in head.split("States:")[1].splitlines() if line.strip()]
                printed = said.strip().splitlines()
                self.assertEqual(len(printed), len(stated), said)
                for a, b in zip(stated, printed):
                    self.assertEqual(NUMBER.sub("#", a), NUMBER.sub("#", b.strip()))
                    for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
                        # Rounding of other processors, and the last digit that is printed.
                        digit = 10.0 ** -len(x.partition(".")[2]) if "." in x and "e" not in x else 0
                        self.assertLessEqual(abs(float(x) - float(y)), 1.01 * digit + 1e-3 * abs(float(x)), f"{a} / {b}")


if __name__ == "__main__":
    unittest.main()
