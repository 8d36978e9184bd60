"""The manifolds and groups of the library."""
import ctypes
import json
import os
from typing import List, NamedTuple, Optional, Union

from ._library import check, lib, taken


class Manifold(NamedTuple):
    """A manifold or group of the library."""

    name: str                 #: as in a model: "SO(3)"; of a family with its sizes: "R^n"
    kind: str                 #: "group" or "manifold"
    dimension: Optional[int]  #: of the manifold; None for a family
    storage: str              #: of a point: "mat(3,3)"
    description: str          #: the first line of its documentation


def manifolds(library_root: Union[None, str, "os.PathLike[str]"] = None) -> List[Manifold]:
    """The manifolds and groups that models may use without an import; `library_root` as in `compile`."""
    out = ctypes.c_void_p()
    check(lib.lmc_manifolds(None if library_root is None else os.fsencode(library_root), ctypes.byref(out)))
    return [Manifold(m["name"], m["kind"], m["dimension"], m["storage"], m["description"]) for m in json.loads(taken(out))]
