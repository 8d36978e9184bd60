"""The program lmc, for what the library does not do itself."""
import os
import shutil
import subprocess
from pathlib import Path
from typing import Optional, Sequence

from ._library import lib
from .errors import InstallationError


def tool() -> str:
    """The program lmc that belongs to the library, else that of the PATH."""
    library = Path(lib._name).resolve()
    for folder in library.parents:
        program = folder / "bin" / "lmc"
        if program.is_file() and os.access(program, os.X_OK):
            return str(program)
    found = shutil.which("lmc")
    if not found:
        raise InstallationError(f"the program lmc was found neither beside the library {library} nor on the PATH")
    return found


def run_tool(arguments: Sequence[str], folder: Optional[str] = None) -> "subprocess.CompletedProcess[str]":
    """Runs lmc in a folder and waits. Ctrl-C reaches it, too."""
    bundled = Path(lib._name).parent / "bundled"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(bundled)} if bundled.is_dir() else None
    return subprocess.run([tool(), *arguments], capture_output=True, text=True, check=False, env=environment, cwd=folder)
