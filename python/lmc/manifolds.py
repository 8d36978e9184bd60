"""The manifolds and groups of the library."""
import json
from typing import List, NamedTuple

from .errors import InstallationError
from .tool import run_tool


class Manifold(NamedTuple):
    """A manifold or group of the library."""

    name: str         #: as in a model: "SO(3)"
    kind: str         #: "group" or "manifold"
    dimension: str    #: a number, or an expression of the parameters
    storage: str      #: of a point
    description: str


def manifolds() -> List[Manifold]:
    """The manifolds and groups that models may use without an import."""
    done = run_tool(["manifolds", "--json"])
    if done.returncode:
        raise InstallationError(done.stderr.strip())
    return [Manifold(m["name"], m["kind"], str(m["dimension"]), m["storage"], m["description"])
            for m in json.loads(done.stdout)["manifolds"]]
