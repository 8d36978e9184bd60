"""`view` gives the page of the run: with its numbers, in notebooks that are exported, and plots where it cannot be made."""
import json
import os
import pickle
import re
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
from support import BINARY, EXAMPLES, SOURCE

import lmc
import lmc.tool

sys.path.insert(0, str(SOURCE / "tests/view"))
import browser  # noqa: E402  (beside the tests of pages)

BUNDLE = BINARY / "share/lmc/view/page.html"
PLATE = """
model Plate {
  param k[2] = 3;  param J : mat(2,2) = [[2, 0], [0, 1]];  param half = k[1]/2;
  input u : real = 0;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, J*v) - 0.5*k[1]*x[1]^2 - half*x[2]^2 + 0.1*k[2]*x[1];
  force on x = [u, 0];
  initial x = [1, 0.5];  initial v = [0, 0];
  observe pull = k[1]*x[1] + half + u;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
"""
NOTEBOOK = """import lmc
top = lmc.compile(%r, m=12)
run = top.run(time=(0, 0.5), every=1e-2)
run.view()"""


def data(page):
    return json.loads(page.html.split('id="lmc-data">', 1)[1].split("</script>", 1)[0])


def parameters(page):
    return {p["name"]: p["value"] for p in data(page)["parameters"]}


@unittest.skipUnless(BUNDLE.exists(), "the page was not made (./dev page)")
class Pages(unittest.TestCase):
    def test_the_run_itself_is_shown(self):
        top = lmc.compile(EXAMPLES / "heavy_top.lie", m=12)
        w = top.workspace()
        w["Omega"][1] = 80  # no command of the tool makes this run
        run = w.run(0.3, every=1e-2)
        page = run.view(fps=20, speed=0.1)
        self.assertEqual(parameters(page)["m"], "12")
        self.assertEqual(data(page)["scene"]["fps"], 20)
        self.assertTrue(data(page)["verdict"]["text"].startswith("31 samples"), data(page)["verdict"])
        with tempfile.TemporaryDirectory() as folder:
            file = page.save(Path(folder) / "top.html")
            if browser.find_browser() is None:
                self.skipTest("no browser")
            with browser.Browser() as chromium, chromium.open(file) as shown:
                for k in (0, 13, 30):
                    shapes = shown.value(f"lmc.shapes({run.t[k]!r})")
                    tip = next(s for s in shapes if s["name"] == "tip")
                    np.testing.assert_allclose(tip["members"][0]["at"], run["tip"][k], atol=1e-6)
                self.assertEqual(shown.troubles(), [])

    def test_a_run_with_a_step_of_its_own(self):
        bare = lmc.compile(PLATE.replace("time = 0..1; step = 0.01;", ""))
        page = bare.run(time=(0, 0.5), step=0.05).view()
        self.assertTrue(data(page)["verdict"]["text"].startswith("11 samples"), data(page)["verdict"])
        self.assertIn("--step 0.05", json.dumps(data(page)))

    def test_parameters_and_inputs_of_the_workspace(self):
        plate = lmc.compile(PLATE, J=np.diag([4, 5]))
        w = plate.workspace(k=[7, 2], u=0.25)
        run = w.run(1.0)
        # `half` stays as it was compiled, though it is said to be k[1]/2.
        self.assertEqual(float(run["pull"][0]), 7 + 1.5 + 0.25)
        found = parameters(run.view())
        self.assertEqual((found["k"], found["half"], found["J"]), ("[7, 2]", "1.5", "[[4, 0], [0, 5]]"))
        self.assertEqual(parameters(pickle.loads(pickle.dumps(run)).view())["k"], "[7, 2]")
        self.assertEqual(parameters(plate.view(time=(0, 0.2)))["k"], "[3, 3]")
        w.release_input("u")
        self.assertEqual(data(w.run(2.0).view())["verdict"]["good"], True)

    def test_tables(self):
        """A column that was changed in memory, and one that was not."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "road.csv").write_text("x,height,slope\n0,0,1\n1,1,0\n2,0,1\n")
            file = Path(folder) / "road.lie"
            file.write_text("""model Road { param road = read("road.csv"); param k = 2; config x : R velocity v;
              lagrangian = 0.5*v^2 - 0.5*k*x^2; force on x = interpolate(road.height, 1 + 0*x);
              initial x = 0; initial v = 0; observe h = interpolate(road.slope, 1.5);
              simulate { method = RKMK4; time = 0..1; step = 0.01; } }""")
            road = lmc.compile(file)
            w = road.workspace()
            self.assertEqual(list(w["road.height"]), [0, 1, 0])
            w["road.height"] = [0, 3, 0]
            w["road.slope"] = [1, 5, 0.125]
            run = w.run()
            self.assertEqual(float(run["h"][0]), 2.5625)
            found = parameters(run.view())
            self.assertEqual((found["road.height"], found["road.slope"]), ("[0, 3, 0]", "[1, 5, 0.125]"))
            other = road.workspace(k=3).run().view()
            self.assertEqual((parameters(other)["road.height"], parameters(other)["k"]), ("[0, 1, 0]", "3"))

    def test_texts_and_files_that_have_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "plate.lie"
            (Path(folder) / "three.lie").write_text("fn three() = 3;")
            file.write_text('import "three.lie";\n' + PLATE.replace("k[2] = 3", "k[2] = three()"))
            run = lmc.compile(file).run()
            file.write_text("model Another { }")
            page = run.view()
            self.assertEqual(parameters(page)["k"], "[3, 3]")
            self.assertIn("three()", data(page)["sources"][0]["text"])
        both = lmc.compile([("parts/a.lie", 'import "b.lie";\n' + PLATE.replace("k[2] = 3", "k[2] = nine()")),
                            ("parts/b.lie", "fn nine() = 9;")])
        self.assertEqual(parameters(both.view())["k"], "[9, 9]")

    def test_refusals(self):
        run = lmc.compile(PLATE).run()
        with self.assertRaisesRegex(ValueError, "--fps takes a positive number"):
            run.view(fps=-1)
        with self.assertRaisesRegex(ValueError, "--max-size"):
            run.view(max_size=1000)
        seen = lmc.compile(PLATE).workspace().run(callback=lambda sample: None)
        with self.assertRaisesRegex(lmc.UnavailableError, "callback"):
            seen.view()
        with self.assertWarnsRegex(UserWarning, "untrusted"):
            lmc.compile(PLATE, untrusted=True).view()

    def test_the_page_stays_in_an_exported_notebook(self):
        import nbformat
        from nbclient import NotebookClient
        from nbconvert import HTMLExporter
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK % str(EXAMPLES / "heavy_top.lie"))])
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(book, timeout=200, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
            exported, inner = Path(folder) / "book.html", Path(folder) / "inner.html"
            exported.write_text(HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")
            if browser.find_browser() is None:
                self.skipTest("no browser")
            with browser.Browser() as chromium:
                with chromium.open(exported) as page:
                    self.assertGreater(page.value("document.querySelector('iframe').getBoundingClientRect().height"), 600)
                    inner.write_text(page.value("document.querySelector('iframe').srcdoc"), encoding="utf-8")
                with chromium.open(inner) as page:
                    self.assertEqual(page.value("lmc.shapes().find(s => s.name == 'tip').kind"), "trail")
                    page.value("lmc.seek(1e300)")
                    self.assertTrue(all(n > 0 for n in page.value("lmc.pixels()").values()))
                    self.assertEqual(page.troubles(), [])


class Without(unittest.TestCase):
    def test_plots_where_there_is_no_page(self):
        """An installation without the page, and one without the tool."""
        run = lmc.compile(PLATE).run()
        before = lmc.tool.tool
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "lmc"
            program.write_text('#!/bin/sh\necho "the page\'s bundle is missing" >&2\nexit 70\n')
            program.chmod(0o755)
            for fake, reason in ((lambda: str(program), "bundle is missing"), (None, "neither beside the library")):
                lmc.tool.tool = fake or before
                path, library = os.environ["PATH"], lmc.tool.lib
                try:
                    if fake is None:
                        os.environ["PATH"] = folder + "/none"
                        lmc.tool.lib = type("Library", (), {"_name": folder + "/liblmc.so.0"})
                        program.unlink()
                    with warnings.catch_warnings(record=True) as caught:
                        warnings.simplefilter("always")
                        figure = run.view()
                finally:
                    lmc.tool.tool, lmc.tool.lib, os.environ["PATH"] = before, library, path
                self.assertTrue(any(re.search(reason, str(w.message)) for w in caught), [str(w.message) for w in caught])
                self.assertGreater(len(figure._repr_png_()), 5000)


if __name__ == "__main__":
    unittest.main()
