"""Numbers of the library as arrays, names and shapes."""
import ctypes
import difflib
import operator
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import LmcValueError

Array = NDArray[np.float64]


def view_at(address: Optional[int], size: int, owner: Any) -> Array:
    """The numbers at an address, without a copy; `owner` lives as long as the array."""
    if not address or size == 0:
        return np.empty(0)
    buffer = (ctypes.c_double * size).from_address(address)
    buffer._owner = owner  # type: ignore[attr-defined]
    array: Array = np.frombuffer(buffer, dtype=np.float64)  # type: ignore[call-overload]
    return array


def copy_at(address: Optional[int], size: int) -> Array:
    """A copy of the numbers at an address."""
    return view_at(address, size, None).copy()


class Storage(NamedTuple):
    """Shape and place of the numbers of a name."""

    name: str
    offset: int               #: of the first number in its array
    shape: Tuple[int, ...]    #: () is a number; indices of a family come first
    first: Tuple[int, ...]    #: of a family: the number of its first member, per index

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return int(np.prod(self.shape, dtype=int))


def unknown(what: str, name: object, known: Iterable[str]) -> LmcValueError:
    """The exception for a name that there is not, with what was perhaps meant."""
    known = list(known)
    close = difflib.get_close_matches(str(name), known, 1)
    hint = f"; is `{close[0]}` meant?" if close else f"; there are {', '.join(known) or 'none'}"
    return LmcValueError(f"there is no {what} `{name}`{hint}")


def text(value: Any, what: str = "a name") -> bytes:
    """A text as the library takes it."""
    if not isinstance(value, str):
        raise LmcValueError(f"{what} is a text, not {value!r}")
    if "\0" in value:
        raise LmcValueError(f"{what} has a zero byte: {value!r}")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise LmcValueError(f"{what} is not Unicode: {value!r}") from None


def _real(values: ArrayLike) -> Array:
    """Values as an array of numbers. What NumPy would turn into numbers although it is none is refused: texts, dates,
    None (as nan), complex numbers (without their imaginary parts), masked ones (as what is below the mask)."""
    if np.ma.is_masked(values):  # type: ignore[no-untyped-call]
        raise TypeError("some are masked")
    a = np.asarray(values)
    if a.dtype.kind == "O":
        for x in a.flat:
            if x is None or isinstance(x, (str, bytes)):
                raise TypeError(f"{x!r} is no number")
    elif a.dtype.kind not in "biuf":
        raise TypeError(f"{a.dtype.name} is no type of real numbers")
    with np.errstate(over="ignore"):
        real = np.ascontiguousarray(a, dtype=np.float64).reshape(a.shape)
    if a.dtype.kind == "f" and a.dtype.itemsize > 8 and not np.array_equal(np.isinf(real), np.isinf(a)):
        raise OverflowError("some are too large for double precision")
    return real


def numbers(values: ArrayLike, shape: Optional[Sequence[int]], what: str) -> Array:
    """Values as an array in C order of a shape (None: any)."""
    try:
        a = _real(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise LmcValueError(f"{what} wants numbers: {error}") from None
    if shape is not None and tuple(a.shape) != tuple(shape):
        raise LmcValueError(f"{what} has the shape {tuple(shape)}, not {tuple(a.shape)}")
    return a


def number(value: Any, what: str) -> float:
    """A single number."""
    if value.__class__ is float:
        return value  # type: ignore[no-any-return]
    try:
        a = _real(value)
        if a.ndim > 0:
            raise TypeError
        return float(a)
    except (TypeError, ValueError, OverflowError):
        raise LmcValueError(f"{what} is a number, not {value!r}") from None


def finite(value: Any, what: str) -> float:
    """A single number that is neither infinite nor nan."""
    x = number(value, what)
    if not np.isfinite(x):
        raise LmcValueError(f"{what} is a finite number, not {value!r}")
    return x


def count(value: Any, what: str, least: int = -2**63, most: int = 2**63 - 1) -> int:
    """A whole number, in the bounds of its type in C: there it would be another one."""
    try:
        n = operator.index(value)
    except TypeError:
        raise LmcValueError(f"{what} is a whole number, not {value!r}") from None
    if not least <= n <= most:
        raise LmcValueError(f"{what} lies from {least} to {most}; {n} does not")
    return n


def says_no(answer: Any) -> bool:
    """Whether a callback has returned False: that of Python, or of NumPy, which comparisons of its numbers give."""
    return isinstance(answer, (bool, np.bool_)) and not answer


#: Most of an `int` in C.
INT = 2**31 - 1


def interval(value: Any) -> Tuple[float, float]:
    """Begin and end."""
    try:
        begin, end = value
    except (TypeError, ValueError):
        raise LmcValueError(f"time is a pair of begin and end, not {value!r}") from None
    return number(begin, "the begin"), number(end, "the end")


def blocks(columns: Sequence[str], index_of: Dict[str, Storage]) -> Dict[str, Storage]:
    """The names of a table whose columns are "R[1][1]", …: what is not in `index_of` by the columns alone."""
    found: Dict[str, Tuple[int, List[Tuple[int, ...]]]] = {}
    for k, column in enumerate(columns):
        name, _, rest = column.partition("[")
        tail = rest.rpartition("]")[2] if rest else ""
        at = tuple(int(i) for i in rest[: len(rest) - len(tail)].rstrip("]").split("][")) if rest else ()
        found.setdefault(name + tail, (k, []))[1].append(at)
    result = {}
    for name, (offset, indices) in found.items():
        if name in index_of:
            s = index_of[name]
            result[name] = Storage(name, offset, s.shape, s.first)
        elif indices[0] and all(len(i) == len(indices[0]) for i in indices):
            low = tuple(min(i) for i in zip(*indices))
            shape = tuple(max(i) - l + 1 for i, l in zip(zip(*indices), low))
            whole = int(np.prod(shape)) == len(indices)
            result[name] = Storage(name, offset, shape if whole else (len(indices),), low if whole else (1,))
        else:
            result[name] = Storage(name, offset, () if len(indices) == 1 else (len(indices),), (1,))
    return result
