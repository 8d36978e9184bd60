"""Models of mechanical systems on manifolds, compiled at run time.

    import lmc
    top = lmc.compile("heavy_top.lie", m=12)
    run = top.run(time=(0, 1), every=1e-2)
    run["R"].shape                       # (101, 3, 3), nothing is copied

docs/python.md is a tour.
"""
try:
    import numpy as _numpy  # noqa: F401
except ImportError:
    raise ImportError("lmc needs NumPy, which was not found: install python3-numpy, or numpy by pip in an environment") from None

from ._library import lib as _lib
from .errors import (CompileError, Diagnostic, InstallationError, InternalError, LmcError, LmcValueError, Note, Position,
                     RunError, UnavailableError)
from .linearization import Gradient, Jacobians, Linearization, Sensitivities
from .manifolds import Manifold, manifolds
from .model import Equations, Event, Method, Model, Quantity, Settings, Variable, compile
from .page import Page
from .run import Ensemble, Hit, Jump, Run, Table, Trajectory
from .workspace import Sample, Workspace

#: The version of the library that is loaded.
__version__: str = _lib.lmc_version().decode()


def load_ipython_extension(shell):  # type: ignore[no-untyped-def]
    """`%load_ext lmc` adds the cell magic `%%lie`."""
    from .magic import register
    register(shell)


__all__ = [
    "CompileError", "Diagnostic", "Ensemble", "Equations", "Event", "Gradient", "Hit", "InstallationError", "InternalError",
    "Jacobians", "Jump", "Linearization", "LmcError", "LmcValueError", "Manifold", "Method", "Model", "Note", "Page", "Position",
    "Quantity", "Run", "RunError", "Sample", "Sensitivities", "Settings", "Table", "Trajectory", "UnavailableError",
    "Variable", "Workspace", "compile", "manifolds",
]
