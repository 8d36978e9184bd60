"""The tour runs in a real kernel, and %%lie shows errors with carets."""
import os
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from support import BINARY, SOURCE

os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"

from lmc.magic import CellError, run_cell


class Notebook(unittest.TestCase):
    def test_tour(self):
        book = nbformat.read(SOURCE / "docs/tour.ipynb", as_version=4)
        nbformat.validate(book)
        self.assertFalse(any(c.get("outputs") for c in book.cells), "the notebook is kept without outputs")
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(book, timeout=200, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
        outputs = [(c.source, o) for c in book.cells if c.cell_type == "code" for o in c.outputs]

        def data(source, kind):
            return next(o["data"][kind] for s, o in outputs if s.startswith(source) and kind in o.get("data", {}))

        self.assertIn(r"\dot{\Omega}", data("top.derive()", "text/markdown"))
        self.assertIn("<table>", data("run = top.run", "text/html"))
        self.assertGreater(len(data("run.plot()", "image/png")), 10000)
        if (BINARY / "share/lmc/view/page.html").exists():
            self.assertTrue(data("run.view()", "text/html").startswith("<iframe srcdoc="))
        said = "".join("\n".join(o.traceback) for s, o in outputs if s.startswith("%%lie wrong") and o.output_type == "error")
        self.assertNotIn("Traceback", said)
        self.assertIn("wrong.lie:4:20: error[LIE0100]", said)
        self.assertIn("^~~", said)
        self.assertIn("help: did you mean `mass`?", said)
        self.assertIn("<table", data("run.to_pandas()", "text/html"))

    def test_magic_without_a_kernel(self):
        class Shell:
            user_ns = {}
        text = "model Free { param k = 1; config x : R velocity v; lagrangian = 0.5*k*v^2; initial x = 0; initial v = 1; }"
        self.assertEqual(run_cell(Shell, "", text).name, "Free")
        self.assertIn("Free", Shell.user_ns)
        self.assertEqual(float(run_cell(Shell, "f k=3", text).parameters[0].value), 3)
        self.assertIn("f", Shell.user_ns)
        before = dict(Shell.user_ns)
        for line, said in (("1f", "'1f' is no name of Python"), ("for", "'for' is no name"), ("f k", "not 'k'"),
                           ("f q=3", "nothing named `q`"), ("f k='3", "No closing quotation")):
            with self.assertRaisesRegex(CellError, said):
                run_cell(Shell, line, text)
        self.assertEqual(Shell.user_ns, before)
        self.assertTrue(Path(SOURCE).exists())


if __name__ == "__main__":
    unittest.main()
