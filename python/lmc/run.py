"""Runs: samples of a trajectory, dense output, tables."""
import ctypes
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._library import Held, check, lib
from ._numbers import Array, Storage, blocks, copy_at, count, number, numbers, unknown, view_at
from .errors import LmcValueError, UnavailableError


class Hit(NamedTuple):
    """An event that has reset the state."""

    name: str    #: "hit[2]"
    time: float  #: to round-off


class Jump(NamedTuple):
    """How often the state has jumped for one reason."""

    name: str     #: of the event, "hit[2]", or of the sampling, "every 0.01"
    number: int   #: how often
    first: float  #: the time of the first one
    last: float   #: the time of the last one


class Origin(NamedTuple):
    """What a run was made from, so that its page can be made."""

    source: Any                            #: of the model
    values: Tuple[Tuple[str, Array], ...]  #: of parameters and inputs, where they are not as the model was compiled
    step: Optional[float] = None           #: that the run was given


class Table:
    """Numbers by rows, with names: `table["R"]` has the shape (rows, 3, 3) and copies nothing."""

    def __init__(self, numbers: Array, columns: Sequence[str], storage: Optional[Dict[str, Storage]] = None) -> None:
        #: All numbers, (rows, columns).
        self.numbers = numbers
        #: The name of each column: "t", "R[1][1]", …
        self.columns: Tuple[str, ...] = tuple(columns)
        self._storage = dict(storage or {})
        self._blocks = blocks(self.columns, self._storage)

    @property
    def names(self) -> List[str]:
        """What may be asked for."""
        return list(self._blocks)

    def __len__(self) -> int:
        return int(self.numbers.shape[0])

    def __contains__(self, name: object) -> bool:
        return name in self._blocks or name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)

    def __getitem__(self, name: str) -> Array:
        """All rows of a name ("R"), of a member of a family ("q[2]") or of a single column ("R[1][3]"): a view."""
        if not isinstance(name, str):
            raise LmcValueError(f"a name is a text, not {name!r}; rows are those of the arrays")
        b = self._blocks.get(name)
        if b is not None:
            part = self.numbers[:, b.offset:b.offset + b.size]
            view: Array = part.view()
            view.shape = (len(self), *b.shape)  # raises rather than copies
            return view
        if name in self.columns:
            column: Array = self.numbers[:, self.columns.index(name)]
            return column
        stem, _, rest = name.partition("[")
        index, _, tail = rest.partition("]")
        b = self._blocks.get(stem + tail)
        if b is not None and len(b.first) == 1 and len(b.shape) >= 1 and index.isdecimal():
            first, last = b.first[0], b.first[0] + b.shape[0] - 1
            if not first <= int(index) <= last:
                raise LmcValueError(f"`{stem}{tail}` has the members {first} to {last}, not {index}")
            member: Array = self[stem + tail][:, int(index) - first]
            return member
        raise unknown("column", name, self._blocks)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a column per number. Its index: the times; of an ensemble the samples, or both."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas: install python3-pandas") from None
        frame = pandas.DataFrame(self.numbers, columns=list(self.columns), copy=False)
        index = self._index()
        return frame.set_index(index if len(index) > 1 else index[0]) if index else frame

    def _index(self) -> List[str]:
        """The columns that tell rows apart."""
        return ["t"] if "t" in self.columns else []

    def to_xarray(self) -> Any:
        """An xarray.Dataset with a variable per name: dimensions `t` (of an ensemble `sample`, or both), then those of the
        name."""
        try:
            import xarray
        except ImportError:
            raise ImportError("to_xarray needs xarray: install python3-xarray") from None
        rows, shape, coordinates = self._grid()
        variables = {}
        for name, b in self._blocks.items():
            if name not in coordinates:
                values = self[name]
                dimensions = [f"{name}_{k + 1}" for k in range(len(b.shape))]
                variables[name] = (rows + dimensions, values.reshape(*shape, *values.shape[1:]))
        return xarray.Dataset(variables, coords=coordinates, attrs=self._attributes())

    def _grid(self) -> Tuple[List[str], Tuple[int, ...], Dict[str, Array]]:
        """Rows as a grid: its dimensions, their lengths, their coordinates."""
        return ["t"], (len(self),), {"t": self["t"]} if "t" in self else {}

    def _attributes(self) -> Dict[str, Any]:
        return {}

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        state["numbers"] = np.array(self.numbers)
        return state


class Run(Table):
    """What came of a run: a row per sample, and sums.

    Columns are the time `t`, the state, `energy` if there is one, and the observables. Times and values have the units
    of the model. `run["R"]` is a view of shape (samples, …)."""

    model: str             #: name of the model
    method: str            #: of its steps
    steps: int             #: taken
    rejected: int          #: of adaptive steps
    evaluations: int       #: of the right-hand side f
    iterations: int        #: turns of Newton's method
    event: Optional[str]   #: that ended the run; None: none did
    events: Tuple[Hit, ...]  #: the first thousand that have reset the state, by time
    jumps: Tuple[Jump, ...]  #: what has reset the state, and how often: events and samplings
    energy_error: float    #: the largest, relative to the first energy; nan where there is no energy
    largest_defect: float  #: of all conditions of manifolds
    seconds: float         #: of the clock

    _sums = ("model", "method", "steps", "rejected", "evaluations", "iterations", "event", "energy_error",
             "largest_defect", "seconds")
    _lists = ("events", "jumps")

    def __init__(self, numbers: Array, columns: Sequence[str], storage: Dict[str, Storage], state_size: int,
                 sums: Dict[str, Any], origin: Optional[Origin] = None) -> None:
        super().__init__(numbers, columns, storage)
        self.state_size = state_size
        self._origin = origin
        for name in self._sums + self._lists:
            setattr(self, name, sums[name])

    @property
    def t(self) -> Array:
        """The times of the samples."""
        return self.numbers[:, 0]

    @property
    def states(self) -> Array:
        """All numbers of the states, (samples, state size): a view."""
        return self.numbers[:, 1:1 + self.state_size]

    @property
    def final(self) -> Array:
        """The last state, as `Workspace.state` has it."""
        last: Array = self.states[-1]
        return last

    def _attributes(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in self._sums if getattr(self, name) is not None}

    def __repr__(self) -> str:
        end = f" ended by {self.event}" if self.event else ""
        return (f"<lmc.Run of {self.model}, {self.method}: {len(self)} samples to t = {self.t[-1]:g}{end}, {self.steps} steps, "
                f"energy error {self.energy_error:.2g}, largest defect {self.largest_defect:.2g}>")

    def _repr_html_(self) -> str:
        rows = [("samples", len(self)), ("time", f"{self.t[0]:g} … {self.t[-1]:g}"), ("steps", self.steps),
                ("energy error", f"{self.energy_error:.3g}"), ("largest defect", f"{self.largest_defect:.3g}")]
        if self.event:
            rows.append(("ended by", self.event))
        for j in self.jumps:
            rows.append((j.name, f"{j.number} times, {j.first:g} … {j.last:g}" if j.number > 1 else f"once, at {j.first:g}"))
        body = "".join(f"<tr><th style='text-align:left'>{a}</th><td>{b}</td></tr>" for a, b in rows)
        return f"<table><caption>{self.model}, {self.method}</caption>{body}</table>"

    def plot(self, *names: str) -> Any:
        """Draws names over time with matplotlib (default: observables, else the first variable; and the energy error).

        Returns the figure."""
        from .view import plot_run
        return plot_run(self, names)

    def view(self, *, fps: Optional[float] = None, speed: Optional[float] = None,
             max_size: Optional[float] = None) -> Any:
        """The page of `lmc view` for this run, a `Page`: a notebook shows it, and keeps it when it is exported.

        `fps`: frames in a second of showing; `speed`: model seconds in a second; `max_size`: bytes that it may take.
        Where the program lmc, or its page, is missing, a warning says so and the figure of `plot` is returned."""
        from .page import page_of
        return page_of(self, fps, speed, max_size)


class Ensemble(Table):
    """What came of an ensemble; the columns are those of docs/ensembles.md.

    `keep="final"`: a row per sample; "statistics": a row per time; "all": a row per sample and time, which `by_sample`
    has with the shape (samples, times, …)."""

    def __init__(self, numbers: Array, columns: Sequence[str], storage: Dict[str, Storage], keep: str,
                 sums: Dict[str, Any]) -> None:
        super().__init__(numbers, columns, storage)
        self.keep = keep
        self.samples: int = sums["samples"]  #: finished, failed ones included
        self.failed: int = sums["failed"]    #: samples that could not be finished; `self["status"]` says how
        self.stopped: int = sums["stopped"]  #: by events
        self.doubtful: int = sums["doubtful"]  #: with impulses of contacts that are not those of the laws (status 105)
        self.first_failure: int = sums["first_failure"]  #: sample, or -1
        self.steps: int = sums["steps"]      #: of all samples
        self.rejected: int = sums["rejected"]  #: of adaptive steps
        self.interrupted: bool = bool(sums["interrupted"])  #: stopped before its end
        self.seconds: float = sums["seconds"]  #: of the clock, without compiling

    def by_sample(self, name: str) -> Array:
        """Of `keep="all"`: a name with the shape (samples, times, …), a view."""
        if self.keep != "all":
            raise UnavailableError(f"`by_sample` wants all times of all samples: keep='all', not {self.keep!r}")
        values = self[name]
        view: Array = values.view()
        view.shape = (self.samples, -1, *values.shape[1:])
        return view  # type: ignore[no-any-return]

    def _index(self) -> List[str]:
        return {"final": ["sample"], "statistics": ["t"], "all": ["sample", "t"]}[self.keep]

    def _grid(self) -> Tuple[List[str], Tuple[int, ...], Dict[str, Array]]:
        if self.keep == "statistics":
            return super()._grid()
        if self.keep == "final":
            return ["sample"], (len(self),), {"sample": self["sample"]}
        times, samples = self.by_sample("t"), self.by_sample("sample")[:, 0]
        if np.array_equal(times, np.broadcast_to(times[:1], times.shape)):
            return ["sample", "t"], times.shape, {"sample": samples, "t": times[0]}
        return ["sample", "row"], times.shape, {"sample": samples}  # each has its own times

    def _attributes(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in ("keep", "samples", "failed", "stopped", "steps", "seconds")}

    def __repr__(self) -> str:
        return (f"<lmc.Ensemble: {self.samples} samples, {self.failed} failed, keep={self.keep!r}, {len(self)} rows, "
                f"{self.steps} steps in {self.seconds:.3g} s>")


class Trajectory(Held):
    """The steps of a run, and the state at any time between them, of the order of the method.

    One thread uses it at a time."""

    _keep = "its states or samples"

    def __init__(self, handle: Any, model: Any) -> None:
        self._handle, self.model = handle, model
        #: The times of all states, begin and end included: a view.
        self.times: Array = view_at(lib.lmc_trajectory_times(handle.address), len(self), handle)

    def __len__(self) -> int:
        return int(lib.lmc_trajectory_size(self._handle.address))

    def state_at_step(self, k: int) -> Array:
        """The state at the k-th of the times, from 0: a view."""
        k = count(k, "the number of a state")
        if k < 0:
            k += len(self)
        address = lib.lmc_trajectory_state_at_step(self._handle.address, k) if k >= 0 else None
        if not address:
            raise IndexError(f"the trajectory has {len(self)} states")
        return view_at(address, self.model.state_size, self._handle)

    def _at(self, function: Any, time: float, size: int) -> Array:
        out = ctypes.c_void_p()
        check(function(self._handle.address, number(time, "the time"), ctypes.byref(out)))
        return copy_at(out.value, size)

    def state(self, time: float) -> Array:
        """The state at a time, (state size,)."""
        return self._at(lib.lmc_trajectory_state, time, self.model.state_size)

    def sample(self, time: float) -> Array:
        """A number per column of a run (`Model.columns`) at a time."""
        return self._at(lib.lmc_trajectory_sample, time, len(self.model.columns))

    def __call__(self, times: Any) -> Table:
        """Samples at times, as a table."""
        times = np.atleast_1d(numbers(times, None, "times")).ravel()
        rows = np.array([np.concatenate([[t], self.sample(t)]) for t in times])
        return Table(rows.reshape(len(times), 1 + len(self.model.columns)), ("t",) + self.model.columns,
                     self.model._storage)
