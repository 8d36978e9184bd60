"""The cell magic %%lie."""
import shlex
import sys
from typing import Any

from .errors import CompileError, LmcError
from .model import compile


def run_cell(shell: Any, line: str, cell: str) -> Any:
    """%%lie [NAME] [parameter=value …]: compiles the cell; the model gets the name NAME, or that of the model."""
    words = shlex.split(line)
    name = words.pop(0) if words and "=" not in words[0] else None
    values = {}
    for word in words:
        key, is_value, value = word.partition("=")
        if not is_value:
            print(f"%%lie wants NAME and parameter=value, not '{word}'", file=sys.stderr)
            return None
        values[key] = value
    if name is not None and not name.isidentifier():
        print(f"%%lie: '{name}' is no name of Python", file=sys.stderr)
        return None
    try:
        model = compile([(f"{name or 'cell'}.lie", cell)], values=values)
    except CompileError as error:
        print(error.text, file=sys.stderr)
        return None
    except LmcError as error:
        print(f"%%lie: {error}", file=sys.stderr)
        return None
    for warning in model.warnings:
        print(warning.text, file=sys.stderr)
    shell.user_ns[name or model.name] = model
    return model


def register(shell: Any) -> None:
    """Adds the magic to a shell of IPython."""
    shell.register_magic_function(lambda line, cell: run_cell(shell, line, cell), "cell", "lie")
