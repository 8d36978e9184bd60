"""The page of `lmc view` for a run, as something that a notebook shows."""
import html
import os
import tempfile
import warnings
import webbrowser
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import InstallationError, LmcError, LmcValueError, UnavailableError
from .tool import run_tool

# Statuses of the tool: a mistake in the call, a part that is missing.
_USAGE, _DEFECT = 2, 70


class Page:
    """A page that shows a run: one HTML file with all that it needs. `page` as the last line of a cell shows it."""

    def __init__(self, text: str, height: int = 720) -> None:
        self.html = text      #: the file
        self.height = height  #: of the frame in a notebook, in pixels

    def save(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the page; any browser opens it, without a network."""
        file = Path(path)
        file.write_text(self.html, encoding="utf-8")
        return file

    def open(self) -> None:
        """Shows the page in the browser, from a temporary file."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.html)
        webbrowser.open(Path(file.name).as_uri())

    def _repr_html_(self) -> str:
        # The page is inside of the frame's attribute: so it is there in notebooks that are exported or sent.
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
                f'style="width: 100%; height: {self.height}px; border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<lmc.Page of {len(self.html) / 1e6:.1f} MB>"


def _expression(value: Any) -> str:
    a = np.asarray(value)
    return repr(float(a)) if a.ndim == 0 else "[" + ", ".join(_expression(x) for x in a) + "]"


def _options(source: Any, step: Optional[float]) -> List[str]:
    """The options of the tool that compile a model as `compile` did, for a run of its own step or not."""
    given = dict(source.options)
    if step is not None:
        given["step"] = repr(step)
    if given.get("untrusted"):
        raise UnavailableError("the page is made by the program lmc, which trusts models: this one is compiled as untrusted")
    if "library_root" in given:
        raise UnavailableError("the page is made by the program lmc, with its own library: `library_root` is not known to it")
    words: List[str] = []
    for name in ("method", "step", "seed", "controller"):
        if name in given:
            words += [f"--{name}", str(given[name])]
    if given.get("fixed_steps"):
        words += ["--tolerance", "none"]
    elif "tolerance" in given:
        words += ["--tolerance", repr(given["tolerance"])]
    for folder in given.get("import_path", ()):
        words += ["--import-path", os.path.abspath(folder)]
    return words


def _model(source: Any, folder: str) -> Tuple[str, List[str]]:
    """A file with the text that a model was compiled from, and options that find what it imports."""
    if source.path is not None:
        try:
            with open(source.path, encoding="utf-8") as file:
                if source.text is None or file.read() == source.text:
                    return source.path, []
        except (OSError, UnicodeError):
            pass
        copy = os.path.join(folder, os.path.basename(source.path))
        with open(copy, "w", encoding="utf-8") as file:
            file.write(source.text or "")
        return copy, ["--import-path", os.path.dirname(source.path)]
    base = os.path.join(folder, "model")
    for name, text in source.texts:
        path = os.path.normpath(os.path.join(base, os.path.basename(name) if os.path.isabs(name) else name))
        if not path.startswith(base + os.sep):
            raise UnavailableError(f"the page needs files, and the text {name!r} would lie outside of their folder")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    main = source.texts[0][0]
    return os.path.normpath(os.path.join(base, os.path.basename(main) if os.path.isabs(main) else main)), []


def _write(run: Any, path: str) -> None:
    """The samples as the tool reads them: an array for each column."""
    np.savez(path, **{name: run.numbers[:, k] for k, name in enumerate(run.columns)})


def _settings(values: Sequence[Tuple[str, Any]], folder: str) -> List[str]:
    """`--set` for values of parameters and inputs; the columns of a table go into a file."""
    words: List[str] = []
    tables: Dict[str, Dict[str, Any]] = {}
    for name, value in values:
        table, _, column = name.partition(".")
        if column:
            tables.setdefault(table, {})[column] = value
        else:
            words += ["--set", f"{name}={_expression(value)}"]
    for table, columns in tables.items():
        path = os.path.join(folder, f"{table}.csv")
        np.savetxt(path, np.column_stack(list(columns.values())), fmt="%.17g", delimiter=",", header=",".join(columns),
                   comments="")
        words += ["--set", f'{table}=read("{path}")']
    return words


def _made(run: Any, fps: Optional[float], speed: Optional[float], max_size: Optional[float]) -> Page:
    source = run._origin.source
    with tempfile.TemporaryDirectory(prefix="lmc") as folder:
        model, words = _model(source, folder)
        words += _options(source, run._origin.step)
        words += [word for name, value in source.values for word in ("--set", f"{name}={value}")]
        words += _settings(run._origin.values, folder)
        words += ["--time", f"{float(run.t[0])!r}..{float(run.t[-1])!r}"]
        for name, value in (("--fps", fps), ("--speed", speed), ("--max-size", max_size)):
            if value is not None:
                words += [name, f"{value:g}" if isinstance(value, (int, float)) else str(value)]
        data, page = os.path.join(folder, "run.npz"), os.path.join(folder, "page.html")
        _write(run, data)
        done = run_tool(["view", model, "--data", data, "-o", page, "--quiet", *words], folder)
        if os.path.exists(page):
            return Page(Path(page).read_text(encoding="utf-8"))
        said = done.stderr.strip() or f"lmc view ended with {done.returncode}"
        if done.returncode == _USAGE:
            raise LmcValueError(said)
        raise (InstallationError if done.returncode == _DEFECT else LmcError)(said)


def page_of(run: Any, fps: Optional[float], speed: Optional[float], max_size: Optional[float]) -> Any:
    """The page of a run; where the tool cannot make it a warning and the plots."""
    if run._origin is None:
        raise UnavailableError("a run with a callback keeps no samples that could be shown")
    try:
        return _made(run, fps, speed, max_size)
    except (InstallationError, UnavailableError) as error:
        warnings.warn(f"plots are shown in the place of the page: {error}", stacklevel=3)
        return run.plot()
