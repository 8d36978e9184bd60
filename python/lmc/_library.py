"""Finds and opens liblmc, and turns its failures into exceptions."""
import ctypes
import ctypes.util
import os
import re
import signal
import threading
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, TypeVar

from . import _declarations as c
from .errors import InstallationError, InternalError, LmcError, LmcValueError, RunError, UnavailableError

FILE = "liblmc.so.0"


def _candidates() -> Iterator[Path]:
    """Where the library may be: inside the package (a wheel), a build folder, an installation."""
    package = Path(__file__).parent
    yield package / "_installation" / "lib" / FILE
    for folder in package.parents:
        lib = folder / "lib"
        yield lib / FILE
        if lib.is_dir():
            yield from sorted(lib.glob(f"*/{FILE}"))
    yield package.resolve().parent.parent / "build" / "lib" / FILE


def _preload(folder: Path) -> None:
    """Opens the libraries that a wheel brings for those that follow."""
    left = sorted(folder.glob("*.so*")) if folder.is_dir() else []
    while left:
        missed = []
        for path in left:
            try:
                ctypes.CDLL(str(path))
            except OSError:
                missed.append(path)  # needs one that comes later
        if len(missed) == len(left):
            return
        left = missed


def _open() -> Any:
    chosen = os.environ.get("LMC_LIBRARY")
    if chosen:
        path = Path(chosen)
        if path.is_dir():
            path = path / FILE
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:
            raise ImportError(f"the library of lmc that LMC_LIBRARY names cannot be opened: {error}") from None
    for path in _candidates():
        if path.is_file():
            _preload(path.parent / "bundled")
            try:
                return ctypes.CDLL(str(path))
            except OSError as error:
                raise ImportError(f"the library of lmc cannot be opened: {error}") from None
    try:
        return ctypes.CDLL(FILE)
    except OSError:
        raise ImportError(
            f"the library of lmc ({FILE}) was not found: install the package lmc, build it (./dev build), "
            "or let LMC_LIBRARY name the file") from None


def _declare(library: Any) -> None:
    try:
        library.lmc_api_version.restype = ctypes.c_int
        version = library.lmc_api_version()
    except AttributeError:
        raise ImportError(f"{library._name} is not the library of lmc: it has no lmc_api_version") from None
    if version != c.LMC_API_VERSION:
        raise ImportError(f"the library {library._name} has version {version} of the interface, and this Python package "
                          f"needs version {c.LMC_API_VERSION}: install both from the same release")
    for name, (result, arguments) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            release = ctypes.cast(library.lmc_version, ctypes.CFUNCTYPE(ctypes.c_char_p))().decode()
            raise ImportError(f"the library {library._name} (lmc {release}) is older than this Python package: "
                              f"it has no {name}") from None
        function.restype = result
        function.argtypes = arguments


lib: Any = _open()
_declare(lib)

_KINDS = {c.LMC_MISUSE: LmcValueError, c.LMC_UNAVAILABLE: UnavailableError, c.LMC_INSTALLATION: InstallationError,
          c.LMC_INTERNAL: InternalError}


def _pythonic(message: str) -> str:
    """Names of the interface in C++ as Python has them: `max_steps` for RunSettings::maxSteps."""
    message = message.replace("RunSettings::times increase", "the times of `every` increase")
    message = message.replace("RunSettings has one of every, everySteps and times",
                              "a run has one of `every` and `every_steps`")
    return re.sub(r"\b(?:RunSettings|EnsembleSettings|Options)::(\w+)",
                  lambda m: "`" + re.sub(r"(?<=[a-z])([A-Z])", r"_\1", m[1]).lower() + "`", message)


def failure(status: int) -> LmcError:
    """The exception of the call of this thread that has just failed."""
    message = _pythonic((lib.lmc_last_error() or b"").decode("utf-8", "replace"))
    kind = _KINDS.get(status)
    return kind(message) if kind else RunError(message, status)


def check(status: int) -> None:
    """Raises what a status stands for."""
    if status:
        raise failure(status)


def new(kind: Any) -> Any:
    """A structure for the library to fill."""
    s = kind()
    s.struct_size = ctypes.sizeof(kind)
    return s


def taken(address: "ctypes.c_void_p") -> str:
    """A text that the caller owns, freed."""
    try:
        return ctypes.string_at(address.value or 0).decode("utf-8", "replace")
    finally:
        lib.lmc_string_free(ctypes.cast(address, ctypes.c_char_p))


class Handle:
    """An object of the library, freed with the last one who uses it."""

    __slots__ = ("address", "_free", "__weakref__")

    def __init__(self, address: int, free: Callable[[int], None]) -> None:
        self.address = address
        self._free = free

    def __del__(self) -> None:
        address, self.address = self.address, 0
        if address:
            self._free(address)

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError("an object of the library can be neither copied nor pickled")


class Held:
    """What is memory of the library, of one thread: it has no copy. `_keep` says what may be kept in its place."""

    _keep = ""

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__.lower()} is memory of the library and can be neither copied nor pickled: "
                        f"keep {self._keep}")


class Calls:
    """Keeps an exception of a callback until the library has returned."""

    def __init__(self) -> None:
        self.raised: List[BaseException] = []

    def again(self) -> None:
        if self.raised:
            error = self.raised.pop()
            self.raised.clear()
            raise error


class Interrupts:
    """Within it Ctrl-C does not raise: `asked`, which the library calls from time to time, then ends what goes on.

    An exception of a signal's handler would be lost inside of a callback; so it is kept in `calls`."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self._before: Any = None

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._before = before
                signal.signal(signal.SIGINT, self._come)
        return self

    def __exit__(self, *_about: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _come(self, number: int, frame: Any) -> None:
        try:
            self._before(number, frame)
        except BaseException as error:
            self.calls.raised.append(error)

    def asked(self, _user: Any) -> int:
        return 1 if self.calls.raised else 0


T = TypeVar("T")


def interruptible(call: Callable[[], T], stop: Callable[[], Any]) -> T:
    """What a long call of the library gives. Ctrl-C, in the main thread, tells the call to stop by `stop`, and raises
    KeyboardInterrupt when it has returned.

    The call has a thread of its own: Python hands a signal to the main thread only where that is not inside of C."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    given: List[T] = []
    raised: List[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            given.append(call())
        except BaseException as error:  # goes on in the thread that has called
            raised.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name="lmc", daemon=True).start()
    interrupt: Optional[BaseException] = None
    while not done.is_set():
        try:
            done.wait()
        except BaseException as error:  # of the handler of a signal
            interrupt = error
            stop()
    if interrupt is not None:
        raise interrupt
    if raised:
        raise raised[0]
    return given[0]
