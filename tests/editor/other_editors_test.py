#!/usr/bin/env python3
"""Runs the tests of the extension for VS Code (target lmc_vscode) or of the mode for Emacs; 77 where there is none."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

what, lmc, root, build = sys.argv[1], *(pathlib.Path(p).resolve() for p in sys.argv[2:5])
if what == "vscode":
    folder = build / "vscode"
    if not shutil.which("node") or not (folder / "out/extension.js").exists():
        print("the extension was not made (target lmc_vscode)")
        sys.exit(77)
    environment = {**os.environ, "LMC": str(lmc), "LMC_ROOT": str(root)}
    files = sorted(str(f) for f in (folder / "test").glob("*.test.mjs"))
    sys.exit(subprocess.run(["node", "--test", *files], env=environment, cwd=folder, timeout=280).returncode)
emacs = shutil.which("emacs")
if not emacs:
    print("there is no emacs")
    sys.exit(77)
mode = root / "editors/emacs/lie-mode.el"
with tempfile.TemporaryDirectory() as folder:
    compiled = f'(setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (f) "{folder}/lie-mode.elc"))'
    subprocess.run([emacs, "--batch", "-Q", "--eval", compiled, "-f", "batch-byte-compile", str(mode)], check=True, timeout=120)
call = [emacs, "--batch", "-Q", "-L", str(mode.parent), "-l", str(root / "tests/editor/emacs_test.el"), str(root), str(lmc)]
done = subprocess.run(call, capture_output=True, text=True, timeout=120)
print(done.stdout)
sys.exit(done.returncode if "FAIL" not in done.stdout and done.stdout.count("ok ") >= 7 else 1)
