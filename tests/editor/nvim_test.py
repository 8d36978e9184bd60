#!/usr/bin/env python3
"""Neovim, without a window, as a client of `lmc lsp` that somebody else has written. Skipped where there is none."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from server import models

lmc, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
nvim = shutil.which("nvim")
if not nvim:
    print("there is no nvim (Debian: neovim)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(root / "tests/editor/sessions/top.lie", folder)
    environment = {
        **os.environ,
        "PATH": f"{lmc.parent}:{os.environ['PATH']}",
        "HOME": folder,
        "XDG_CONFIG_HOME": folder + "/config",
        "XDG_DATA_HOME": folder + "/data",
        "XDG_CACHE_HOME": folder + "/cache",
        "XDG_STATE_HOME": folder + "/state",
        "LMC_TEST_FOLDER": folder,
        "LMC_MODELS": "\n".join(map(str, models(root))),
        "LC_ALL": "C.UTF-8",
    }
    call = [nvim, "--headless", "-n", "-u", "NONE", "-i", "NONE", "--cmd", f"set runtimepath^={root}/editors/vim",
            "--cmd", "filetype plugin indent on | syntax on", "-c", f"luafile {root}/tests/editor/nvim_test.lua"]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120, cwd=folder)
print(done.stdout, done.stderr)
good = done.returncode == 0 and "FAIL" not in done.stdout and "Error" not in done.stderr and done.stdout.count("ok ") >= 22
sys.exit(0 if good else 1)
