"""The cell magic %%lie."""
import keyword
import shlex
import sys
from typing import Any, List

from .errors import CompileError, LmcError
from .model import compile


class CellError(LmcError):
    """What is wrong with a cell, shown without a traceback. The cell has failed: what comes behind it would go on with
    the model that had the name before."""

    def _render_traceback_(self) -> List[str]:
        return str(self).splitlines()


def run_cell(shell: Any, line: str, cell: str) -> Any:
    """%%lie [NAME] [parameter=value …]: compiles the cell; the model gets the name NAME, or that of the model."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CellError(f"%%lie: {error}") from None
    name = words.pop(0) if words and "=" not in words[0] else None
    values = {}
    for word in words:
        key, is_value, value = word.partition("=")
        if not is_value:
            raise CellError(f"%%lie wants NAME and parameter=value, not '{word}'")
        values[key] = value
    if name is not None and (not name.isidentifier() or keyword.iskeyword(name)):
        raise CellError(f"%%lie: '{name}' is no name of Python")
    try:
        model = compile([(f"{name or 'cell'}.lie", cell)], values=values)
    except CompileError as error:
        raise CellError(error.text) from None
    except LmcError as error:
        raise CellError(f"%%lie: {error}") from None
    for warning in model.warnings:
        print(warning.text, file=sys.stderr)
    shell.user_ns[name or model.name] = model
    return model


def register(shell: Any) -> None:
    """Adds the magic to a shell of IPython."""
    shell.register_magic_function(lambda line, cell: run_cell(shell, line, cell), "cell", "lie")
