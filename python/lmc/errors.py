"""Exceptions, and the diagnostics of a model's text."""
from typing import NamedTuple, Optional, Sequence, Tuple


class Position(NamedTuple):
    """A place in a text."""

    line: int    #: from 1
    column: int  #: from 1, in characters
    offset: int  #: from 0, in bytes


class Note(NamedTuple):
    """A remark that belongs to a diagnostic."""

    message: str
    source: Optional[str]  #: name of the text; None: the note has no place of its own
    begin: Position
    end: Position


class Diagnostic(NamedTuple):
    """One error or warning in a model."""

    code: str      #: "LIE0301"; `lmc explain` has an example of each
    severity: str  #: "error" or "warning"
    message: str   #: a sentence without a full stop
    file: str      #: name of the text
    line: int      #: from 1
    column: int    #: from 1, in characters
    end: Position  #: behind the last character
    suggestion: str         #: what would be right; may be empty
    notes: Tuple[Note, ...]
    text: str      #: as the tool prints it: with the line and a caret

    def __str__(self) -> str:
        return self.text


class LmcError(Exception):
    """What lmc raises. The kinds below tell why."""


class CompileError(LmcError):
    """A model has errors: all of them are in `diagnostics`, and the message is what the tool would print."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return type(self), (self.text, self.diagnostics)

    @property
    def errors(self) -> Tuple[Diagnostic, ...]:
        """Those of the diagnostics that are errors."""
        return tuple(d for d in self.diagnostics if d.severity == "error")


class LmcValueError(LmcError, ValueError):
    """A name that there is not, a number of values that does not fit, settings that make no sense."""


class UnavailableError(LmcError):
    """The model has no such thing: no method, no energy, no mass matrix."""


class RunError(LmcError):
    """A step, a run or an evaluation failed. `status` tells how: "singular mass", "non finite", …

    Of a run, `run` has what there was before."""

    _NAMES = {1: "singular mass", 2: "singular matrix", 3: "no convergence", 4: "non finite", 5: "step too small",
              6: "limit reached", 7: "reset failed"}

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.number = status
        self.status = self._NAMES.get(status, str(status))
        self.run: Optional[object] = None

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return type(self), (self.message, self.number), {"run": self.run}


class InstallationError(LmcError):
    """A part of lmc is missing or does not fit."""


class InternalError(LmcError):
    """A defect of lmc, or memory has run out."""
