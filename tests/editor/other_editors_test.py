#!/usr/bin/env python3
"""Runs the tests of the extension for VS Code (target lmc_vscode), of the mode for Emacs, or of both Emacs and the server
through eglot; 77 where there is no such editor."""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from server import Server, models

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
    print("there is no emacs (Debian: emacs-nox)")
    sys.exit(77)
mode = root / "editors/emacs/lie-mode.el"


def batch(*arguments):
    """Runs Emacs; what it says in lines `ok …` and `FAIL …`, of which there are at least so many."""
    done = subprocess.run([emacs, "--batch", "-Q", "-L", str(mode.parent), *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "LC_ALL": "C.UTF-8"})
    print(done.stdout, done.stderr if done.returncode else "")
    return done.stdout.count("ok ") if done.returncode == 0 and "FAIL" not in done.stdout else 0


def words(file):
    """Where the words stand in texts of the project, for Emacs to read."""
    server = Server(lmc)
    lists = [(f, server.words(f, f.read_text(encoding="utf-8"))) for f in models(root)]
    server.close()
    file.write_text("(" + "\n".join(f"({json.dumps(str(f))} {' '.join(f'({line} {column})' for line, column, _ in places)})"
                                    for f, places in lists) + ")", encoding="utf-8")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if what == "eglot":
        packages = glob.glob("/usr/share/emacs/site-lisp/elpa/eglot-*")
        if not packages and subprocess.run([emacs, "--batch", "-Q", "-l", "eglot"], capture_output=True).returncode:
            print("there is no eglot (Debian: elpa-eglot)")
            sys.exit(77)
        for text in ("top.lie", "top_parts.lie"):
            shutil.copy(root / "tests/editor/sessions" / text, folder)
        paths = [word for package in packages for word in ("-L", package)]
        sys.exit(batch(*paths, "-l", root / "tests/editor/eglot_test.el", folder, lmc) < 10)
    compiled = f'(setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (f) "{folder}/lie-mode.elc"))'
    subprocess.run([emacs, "--batch", "-Q", "--eval", compiled, "-f", "batch-byte-compile", str(mode)], check=True, timeout=120)
    words(folder / "words")
    sys.exit(batch("-l", root / "tests/editor/emacs_test.el", root, lmc, folder / "words") < 8)
