"""Every function of C and every call of docs/host_api.md has its twin in Python, and the tests call it."""
import contextlib
import io
import re
import unittest

import test_derivatives
import test_ensembles
import test_tour
from support import SOURCE

import lmc
from lmc import _declarations as d
from lmc._library import lib

#: What Python does by another function of C.
BY_OTHERS = {
    "lmc_compile_text": "lmc_compile_sources, with one text",
    "lmc_workspace_step": "lmc_workspace_steps, with one step",
    "lmc_ensemble_file": "lmc_ensemble_model: Python compiles first",
    "lmc_ensemble_sources": "lmc_ensemble_model",
}

#: Calls of C++ that have another name in Python.
RENAMED = {
    "compileFile": "compile", "compileText": "compile", "compileSources": "compile", "format": "text",
    "trySteps": "try_step", "ensembleFile": "ensemble", "equations": "derive", "rows": "__len__",
}

#: Calls on the page that are none of lmc.
FOREIGN = {"abs", "size"}


class Twins(unittest.TestCase):
    def test_every_function_of_c_is_called(self):
        """Counts the calls of the library while the tests of the tour, of derivatives and of ensembles run."""
        called = set()
        functions = {name: getattr(lib, name) for name in d.FUNCTIONS}

        def counting(name):
            function = functions[name]

            def call(*arguments):
                called.add(name)
                return function(*arguments)
            return call

        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromModule(m)
                                   for m in (test_tour, test_derivatives, test_ensembles))
        try:
            for name in functions:
                setattr(lib, name, counting(name))
            with contextlib.redirect_stdout(io.StringIO()):
                result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
        finally:
            for name, function in functions.items():
                setattr(lib, name, function)
        self.assertTrue(result.wasSuccessful(), result.failures + result.errors)
        # What `import lmc` calls was called before.
        at_import = {"lmc_version", "lmc_api_version"}
        self.assertEqual(set(d.FUNCTIONS) - called - at_import, set(BY_OTHERS))

    def test_every_call_of_the_page(self):
        page = (SOURCE / "docs/host_api.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```(cpp|c)\n(.*?)```", page, flags=re.S)
        self.assertGreater(len(blocks), 10)
        code = "\n".join(text for language, text in blocks if language == "cpp")
        code = re.sub(r'"(\\.|[^"\\])*"', '""', re.sub(r"//.*", "", code))
        # Of code, what is called; of the text, the functions in backticks: `w.reset()`, `massDefect`, `tryStep`.
        calls = set(re.findall(r"(?:\.|lmc::)([a-z]\w*)\(", code))
        prose = re.sub(r"```.*?```", "", page, flags=re.S)
        calls |= set(re.findall(r"`(?:\w+(?:\.|::))*([a-z]\w*)(?:\(\))`", prose))
        self.assertGreater(len(calls), 25)
        model = lmc.compile("model M { config x : R velocity v; lagrangian = 0.5*v^2; initial x = 0; initial v = 1;"
                            "simulate { method = RKMK4; time = 0..1; step = 0.1; } }")
        w = model.workspace()
        objects = [lmc, model, w, model.linearize(), w.run(), lmc.CompileError("")]
        w.reset()
        objects.append(w.record())
        for call in sorted(calls - FOREIGN):
            name = RENAMED.get(call, re.sub(r"(?<=[a-z])([A-Z])", r"_\1", call).lower())
            self.assertTrue(any(hasattr(o, name) for o in objects), f"{call} has no twin `{name}`")


if __name__ == "__main__":
    unittest.main()
