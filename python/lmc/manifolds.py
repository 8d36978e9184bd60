"""The manifolds and groups of the library."""
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import List, NamedTuple

from ._library import lib
from .errors import InstallationError


class Manifold(NamedTuple):
    """A manifold or group of the library."""

    name: str         #: as in a model: "SO(3)"
    kind: str         #: "group" or "manifold"
    dimension: str    #: a number, or an expression of the parameters
    storage: str      #: of a point
    description: str


def _tool() -> str:
    """The program lmc that belongs to the library, else that of the PATH."""
    library = Path(lib._name).resolve()
    for folder in library.parents:
        tool = folder / "bin" / "lmc"
        if tool.is_file() and os.access(tool, os.X_OK):
            return str(tool)
    found = shutil.which("lmc")
    if not found:
        raise InstallationError("the manifolds are listed by the program lmc, which was not found beside the library "
                                f"{library} nor on the PATH")
    return found


def manifolds() -> List[Manifold]:
    """The manifolds and groups that models may use without an import."""
    bundled = Path(lib._name).parent / "bundled"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(bundled)} if bundled.is_dir() else None
    done = subprocess.run([_tool(), "manifolds", "--json"], capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise InstallationError(done.stderr.strip())
    return [Manifold(m["name"], m["kind"], str(m["dimension"]), m["storage"], m["description"])
            for m in json.loads(done.stdout)["manifolds"]]
