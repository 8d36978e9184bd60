"""The memory of one thread: a state with its time, parameters and inputs."""
import ctypes
import math
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _declarations as c
from ._library import Calls, Handle, Held, Interrupts, check, failure, lib, new
from ._numbers import Array, copy_at, count, finite, number, numbers, says_no, text, unknown, view_at
from .errors import LmcValueError, RunError
from .run import Hit, Jump, Origin, Run, Trajectory


class Sample:
    """The state of a run at one time, as a callback sees it: numbers of its own, to be kept as one likes."""

    __slots__ = ("time", "values", "_model")

    def __init__(self, time: float, values: Array, model: Any) -> None:
        self.time = time
        #: A number per column (`Model.columns`).
        self.values = values
        self._model = model

    def __getitem__(self, name: str) -> Array:
        """A name of the columns, in its shape."""
        b = self._model._blocks.get(name)
        if b is None:
            raise unknown("column", name, self._model._blocks)
        return self.values[b.offset:b.offset + b.size].reshape(b.shape)


class Workspace(Held):
    """A state with its time, parameters and inputs; made by `Model.workspace`. One thread uses it at a time.

    `w["R"]` is a view of the state, to read and to write; `w["R"] = …` writes. Parameters, inputs and observables have
    their names too: parameters and inputs are set by `w["m"] = 12`, and reading one gives a copy. Quantities have the
    shapes that the model declares, and its units."""

    _keep = "its model and its state"

    def __init__(self, model: Any) -> None:
        out = ctypes.c_void_p()
        check(lib.lmc_workspace_new(model._handle.address, ctypes.byref(out)))
        self.model = model
        assert out.value is not None
        self._handle = Handle(out.value, lib.lmc_workspace_free)
        self._address = self._handle.address
        self._views: Dict[str, Array] = {}
        self._held: Dict[str, Array] = {}  # inputs, by what they were set with
        self._state: Optional[Array] = None
        self._samplings: List[Any] = []  # functions that the library may call
        self._raised: List[BaseException] = []  # by them

    # --- state -----------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """The time."""
        return float(lib.lmc_workspace_time(self._address))

    @time.setter
    def time(self, t: float) -> None:
        lib.lmc_workspace_set_time(self._address, finite(t, "the time"))

    @property
    def state(self) -> Array:
        """All numbers of the state, (state size,), to read and to write."""
        if self._state is None:
            self._state = view_at(lib.lmc_workspace_state(self._address), self.model.state_size, self._handle)
        return self._state

    @state.setter
    def state(self, values: ArrayLike) -> None:
        self.state[...] = numbers(values, (self.model.state_size,), "the state")

    def view(self, name: str) -> Array:
        """A part of the state by its name, to read and to write: "R", "mu.w" for a part, "q[2]" for a member of a family."""
        called = text(name)
        known = self._views.get(name)
        if known is not None:
            return known
        s = self.model._state_parts.get(name)
        if s is not None:
            a = self.state[s.offset:s.offset + s.size].reshape(s.shape)
        else:
            v = new(c.lmc_view)
            check(lib.lmc_workspace_view(self._address, called, ctypes.byref(v)))
            a = self._shaped(v, name)
        self._views[name] = a
        return a

    def _shaped(self, v: Any, name: str) -> Array:
        address = ctypes.cast(v.data, ctypes.c_void_p).value
        whole = self.model._find(name)
        base = self.model._find(name.partition("[")[0] + name.rpartition("]")[2]) if "[" in name else None
        a = view_at(address, v.members * v.rows * v.columns, self._handle)
        if whole is not None:
            return a.reshape(whole.shape)
        if base is not None:
            return a.reshape(base.shape[len(base.first):])
        return a

    def __getitem__(self, name: str) -> Array:
        known = self._views.get(name) if isinstance(name, str) else None
        if known is not None:
            return known
        text(name)
        stem = name.partition("[")[0]
        m = self.model
        if name in m._state_parts or stem in m._state_parts:
            return self.view(name)
        if stem in m._parameters:
            return self.parameter(name)
        if stem in m._observables:
            return self.observable(name)
        if stem in m._inputs:
            raise LmcValueError(f"`{stem}` is an input: it has a law, or the value that it was set to")
        try:
            return self.view(name)
        except LmcValueError:
            raise unknown("variable, parameter or observable", name,
                          [*m._state_parts, *m._parameters, *m._observables]) from None

    def __setitem__(self, name: str, values: ArrayLike) -> None:
        text(name)
        stem = name.partition("[")[0]
        m = self.model
        if stem in m._parameters:
            self.set(name, values)
        elif stem in m._inputs:
            self.set_input(name, values)
        elif stem in m._observables:
            raise LmcValueError(f"`{name}` is an observable: it follows from the state")
        else:
            try:
                part = self.view(name)
            except LmcValueError:
                raise unknown("variable, parameter or input", name,
                              [*m._state_parts, *m._parameters, *m._inputs]) from None
            part[...] = numbers(values, part.shape, f"`{name}`")

    def reset(self) -> None:
        """The initial state and time of the text."""
        lib.lmc_workspace_reset(self._address)

    def reset_initial(self) -> None:
        """The same, with initial values computed again from the present parameters."""
        check(lib.lmc_workspace_reset_initial(self._address))

    # --- parameters and inputs ---------------------------------------------------------------------------------------

    def set(self, name: str, values: ArrayLike) -> None:
        """Sets a parameter, or a member of it ("m[2]"). Nothing is compiled again."""
        a = self._fitting(name, values, self.model._parameters, "parameter")
        check(lib.lmc_workspace_set(self._address, name.encode(), a.ctypes.data, a.size))

    def _fitting(self, name: str, values: ArrayLike, kind: Dict[str, Any], what: str) -> Array:
        text(name)
        stem = name.partition("[")[0]
        if stem not in kind:
            raise unknown(what, stem, kind)
        place = kind[stem]
        if name == stem:
            return numbers(values, place.shape, f"the {what} `{name}`")
        # A member of a family; that it is one the library sees.
        return numbers(values, place.shape[len(place.first):] if place.first else None, f"`{name}`")

    def parameter(self, name: str) -> Array:
        """The value of a parameter, a copy."""
        v = new(c.lmc_view)
        check(lib.lmc_workspace_parameter(self._address, text(name), ctypes.byref(v)))
        return self._shaped(v, name).copy()

    def reset_parameters(self) -> None:
        """All parameters as compiled."""
        lib.lmc_workspace_reset_parameters(self._address)

    def set_input(self, name: Union[str, int], values: ArrayLike) -> None:
        """Holds an input (by its name, a member's "T[2]", or its index) at values from now on."""
        if not isinstance(name, str):
            inputs = self.model.inputs
            index = count(name, "an input, by a name or an index,")
            if not 0 <= index < len(inputs):
                raise LmcValueError(f"there are {len(inputs)} inputs; {index} is none of them")
            a = numbers(values, inputs[index].shape, f"input {index}, `{inputs[index].name}`,")
            check(lib.lmc_workspace_set_input_at(self._address, index, a.ctypes.data, a.size))
            self._held[inputs[index].name] = a.copy()
            return
        a = self._fitting(name, values, self.model._inputs, "input")
        check(lib.lmc_workspace_set_input(self._address, name.encode(), a.ctypes.data, a.size))
        self._held[name] = a.copy()

    def release_input(self, name: str) -> None:
        """Gives an input back to its law."""
        check(lib.lmc_workspace_release_input(self._address, text(name)))
        self._held = {n: a for n, a in self._held.items() if n != name and n.partition("[")[0] != name}

    def input_is_set(self, name: str) -> bool:
        """Whether an input is held."""
        is_set = ctypes.c_int()
        check(lib.lmc_workspace_input_is_set(self._address, text(name), ctypes.byref(is_set)))
        return bool(is_set.value)

    def reset_inputs(self) -> None:
        """All inputs as compiled."""
        lib.lmc_workspace_reset_inputs(self._address)
        self._held.clear()

    # --- steps and runs ----------------------------------------------------------------------------------------------

    def every(self, interval: float, sampling: Callable[["Workspace"], Any], first: Optional[float] = None) -> None:
        """Calls `sampling(workspace)` at first + k interval, as a block of `every` is carried out, with the same bits.

        The workspace shows the state and the time there: it may be read and evaluated, inputs set, the state (discrete
        variables among it) written, and nothing else changed. Steps and runs end at these times and are not shortened
        otherwise. `first` is the begin of each run (of steps the time of the first one) where it is not given. What
        `sampling` raises ends the steps, or the run, and passes through."""
        at = math.nan if first is None else finite(first, "the first sample time")
        called = self._sampling(sampling)
        check(lib.lmc_workspace_every(self._address, number(interval, "the interval"), at, called, None))
        self._samplings.append(called)

    def at_every(self, block: int, sampling: Callable[["Workspace"], Any]) -> None:
        """The same at the times of a block of `every` of the model, by its index in `Model.samplings`, behind the block."""
        called = self._sampling(sampling)
        check(lib.lmc_workspace_at_every(self._address, count(block, "the block", 0), called, None))
        self._samplings.append(called)

    def clear_samplings(self) -> None:
        """From now on nothing is called at sample times."""
        check(lib.lmc_workspace_clear_samplings(self._address))
        self._samplings.clear()

    def _sampling(self, sampling: Callable[["Workspace"], Any]) -> Any:
        if not callable(sampling):
            raise LmcValueError(f"at sample times a function is called, not {sampling!r}")
        me = weakref.ref(self)  # the function belongs to the workspace

        def called(_workspace: Any, _user: Any) -> int:
            try:
                w = me()
                assert w is not None
                sampling(w)
                return 0
            except BaseException as error:  # passes through, when the library has returned
                self_raised.append(error)
                return 1

        self_raised = self._raised
        return c.lmc_sampling(called)

    def _again(self) -> None:
        """Raises what a function has raised at a sample time."""
        if self._raised:
            error = self._raised[0]
            self._raised.clear()
            raise error

    def step(self, h: float, n: int = 1) -> None:
        """n steps of length h (in the model's unit of time). Raises RunError; the state is then the last valid one.

        Events, resets, samplings and contacts are carried out as `run` does, with the same bits where the steps are
        those of the run. Events without a block end no step. `happened` tells what there was."""
        if h.__class__ is not float:
            h = number(h, "the step")
        if n.__class__ is not int or n > 2**62:
            n = count(n, "the number of steps")
        status = lib.lmc_workspace_steps(self._address, h, n)
        if status:
            self._again()
            raise failure(status)

    def try_step(self, h: float, n: int = 1) -> bool:
        """The same; False where a step fails."""
        status = lib.lmc_workspace_steps(self._address, number(h, "the step"), count(n, "the number of steps"))
        if status >= c.LMC_MISUSE:
            self._again()
            raise failure(status)
        return not status

    @property
    def happened(self) -> Tuple[Hit, ...]:
        """The events in the last call of `step` or `try_step`, by time; the first thousand."""
        found = []
        for i in range(lib.lmc_workspace_happened(self._address)):
            e = new(c.lmc_event_hit)
            check(lib.lmc_workspace_happened_at(self._address, i, ctypes.byref(e)))
            found.append(Hit(e.name.decode(), e.time))
        return tuple(found)

    def _settings(self, to: Optional[float], step: Optional[float], tolerance: Optional[float], fixed_steps: bool,
                  every: Union[None, float, ArrayLike], every_steps: int, max_steps: int,
                  max_seconds: float) -> Tuple[Any, Any]:
        s = c.lmc_run_settings()
        lib.lmc_run_settings_init(ctypes.byref(s))
        for name, value in (("to", to), ("step", step), ("tolerance", tolerance)):
            if value is not None:
                given = number(value, name)
                if math.isnan(given):
                    raise LmcValueError(f"{name} is a number, not {value!r}")
                setattr(s, name, given)
        s.fixed_steps, s.every_steps = int(bool(fixed_steps)), count(every_steps, "every_steps")
        s.max_steps, s.max_seconds = count(max_steps, "max_steps"), number(max_seconds, "max_seconds")
        times = None
        if every is not None and np.ndim(every) > 0:  # type: ignore[arg-type]
            times = numbers(every, None, "every")  # type: ignore[arg-type]
            if times.ndim == 1 and times.size > 1 and times[0] == self.time:
                times = times[1:]  # the begin is always among the samples
            if times.ndim > 1 or times.size == 0:
                raise LmcValueError(f"every is a number or a list of times, not of the shape {times.shape}")
            s.times = times.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            s.time_count = times.size
        elif every is not None:
            s.every = number(every, "every")
        return s, times

    def run(self, to: Optional[float] = None, *, step: Optional[float] = None, tolerance: Optional[float] = None,
            fixed_steps: bool = False, every: Union[None, float, Sequence[float], Array] = None, every_steps: int = 0,
            max_steps: int = 0, max_seconds: float = 0, callback: Optional[Callable[[Sample], Any]] = None) -> Run:
        """Integrates from the present state and time to `to`, and stays there. What is not given is the model's.

        `every`: the time between samples, or the times of samples, increasing; begin and end are samples in any case.
        `tolerance`: adaptive steps.
        `callback(sample)` is told about every sample instead of keeping it; False ends the run. A run that fails raises
        RunError, whose `run` has the samples before."""
        settings, keep = self._settings(to, step, tolerance, fixed_steps, every, every_steps, max_steps, max_seconds)
        result = new(c.lmc_run_result)
        calls = Calls()
        interrupts = Interrupts(calls)
        settings.cancel = c.lmc_cancel(interrupts.asked)
        origin = Origin(self.model._source, self._changed(), None if step is None else float(step)) if callback is None else None
        if callback is not None:
            with interrupts:
                status = self._told(settings, callback, result, calls)
            calls.again()
            self._again()
            if status >= c.LMC_MISUSE:
                raise failure(status)
            table = np.empty((0, 1 + len(self.model.columns)))
        else:
            out = ctypes.c_void_p()
            with interrupts:
                status = lib.lmc_workspace_tabulate(self._address, ctypes.byref(settings), ctypes.byref(out),
                                                    ctypes.byref(result))
            if calls.raised and out.value:
                lib.lmc_table_free(out.value)
            if self._raised and out.value:
                lib.lmc_table_free(out.value)
            calls.again()
            self._again()
            if not out.value:
                raise failure(status)
            handle = Handle(out.value, lib.lmc_table_free)
            rows, columns = lib.lmc_table_rows(out.value), 1 + len(self.model.columns)
            table = view_at(lib.lmc_table_numbers(out.value), rows * columns, handle).reshape(rows, columns)
        del keep
        if callback is not None:
            table = np.concatenate([[self.time], self.state, np.full(columns_left(self.model), np.nan)])[None, :]
        run = Run(table, ("t",) + self.model.columns, self.model._storage, self.model.state_size, {
            "model": self.model.name, "method": self.model.method, "steps": result.steps, "rejected": result.rejected,
            "evaluations": result.evaluations, "iterations": result.iterations,
            "event": result.event.decode() if result.event else None, "energy_error": result.energy_error,
            "largest_defect": result.largest_defect, "seconds": result.seconds,
            "events": self._hits(result.events), "jumps": self._jumps(result.jumps)}, origin)
        if status:
            error = failure(status)
            if isinstance(error, RunError):
                error.run = run
            raise error
        return run

    def _hits(self, count_of: int) -> Tuple[Hit, ...]:
        found = []
        for i in range(count_of):
            e = new(c.lmc_event_hit)
            check(lib.lmc_workspace_run_event(self._address, i, ctypes.byref(e)))
            found.append(Hit(e.name.decode(), e.time))
        return tuple(found)

    def _jumps(self, count_of: int) -> Tuple[Jump, ...]:
        found = []
        for i in range(count_of):
            j = new(c.lmc_jump_count)
            check(lib.lmc_workspace_run_jump(self._address, i, ctypes.byref(j)))
            found.append(Jump(j.name.decode(), j.count, j.first, j.last))
        return tuple(found)

    def _changed(self) -> Tuple[Tuple[str, Array], ...]:
        """Parameters, where one is not as the model was compiled (all: some follow from others), and held inputs."""
        m = self.model
        now = {q.name: self.parameter(q.name) for q in m.parameters}
        changed = {q.name for q in m.parameters if not np.array_equal(q.value, now[q.name])}  # type: ignore[arg-type]
        tables = {name.partition(".")[0] for name in changed if "." in name}
        found: List[Tuple[str, Array]] = []
        for name, value in now.items():
            first = m._parameters[name].first
            if "." in name:  # a column of a table
                if name.partition(".")[0] in tables:
                    found.append((name, value))
            elif changed and not first:
                found.append((name, value))
            elif changed:
                for at in np.ndindex(*value.shape[:len(first)]):
                    found.append((name + "".join(f"[{i + j}]" for i, j in zip(at, first)), value[at]))
        return (*found, *self._held.items())

    def _told(self, settings: Any, callback: Callable[[Sample], Any], result: Any, calls: Calls) -> int:

        def told(sample: Any, _user: Any) -> int:
            try:
                s = sample.contents
                values = np.ctypeslib.as_array(s.values, (s.value_count,)).copy()
                return 0 if says_no(callback(Sample(s.time, values, self.model))) else 1
            except BaseException as error:  # passes through, when the library has returned
                calls.raised.append(error)
                return 0

        function = c.lmc_sample_callback(told)
        return int(lib.lmc_workspace_run(self._address, ctypes.byref(settings), function, None, ctypes.byref(result)))

    def record(self, to: Optional[float] = None, *, step: Optional[float] = None, tolerance: Optional[float] = None,
               fixed_steps: bool = False, max_steps: int = 0, max_seconds: float = 0) -> Trajectory:
        """Integrates and keeps all steps, for dense output."""
        settings, _ = self._settings(to, step, tolerance, fixed_steps, None, 0, max_steps, max_seconds)
        calls = Calls()
        interrupts = Interrupts(calls)
        settings.cancel = c.lmc_cancel(interrupts.asked)
        out = ctypes.c_void_p()
        with interrupts:
            status = lib.lmc_workspace_record(self._address, ctypes.byref(settings), ctypes.byref(out))
        if calls.raised and out.value:
            lib.lmc_trajectory_free(out.value)
        calls.again()
        self._again()
        if status:
            error = failure(status)
            if out.value:
                error.trajectory = Trajectory(Handle(out.value, lib.lmc_trajectory_free), self.model)  # type: ignore[attr-defined]
            raise error
        assert out.value is not None
        return Trajectory(Handle(out.value, lib.lmc_trajectory_free), self.model)

    # --- values at the state -----------------------------------------------------------------------------------------

    def _number(self, function: Any) -> float:
        out = ctypes.c_double()
        check(function(self._address, ctypes.byref(out)))
        return out.value

    def _array(self, function: Any, size: int) -> Array:
        out = ctypes.c_void_p()
        check(function(self._address, ctypes.byref(out)))
        return copy_at(out.value, size)

    def energy(self) -> float:
        """The energy."""
        return self._number(lib.lmc_workspace_energy)

    def observables(self) -> Dict[str, Array]:
        """All observables by their names."""
        all_of = self._array(lib.lmc_workspace_observables, self.model.observables_size)
        return {name: all_of[s.offset:s.offset + s.size].reshape(s.shape) for name, s in self.model._observables.items()}

    def observable(self, name: str) -> Array:
        """One observable, or a member of it."""
        v = new(c.lmc_view)
        check(lib.lmc_workspace_observable(self._address, text(name), ctypes.byref(v)))
        return self._shaped(v, name).copy()

    def events(self) -> Dict[str, float]:
        """The values of all events; a run ends where one is zero."""
        values = self._array(lib.lmc_workspace_events, len(self.model.events))
        return {e.name: float(x) for e, x in zip(self.model.events, values)}

    def field(self) -> Array:
        """The map f, (tangent size,), variable by variable."""
        return self._array(lib.lmc_workspace_field, self.model.tangent_size)

    def velocities(self) -> Array:
        """Velocities ξ in the Lie algebras, (algebra size,)."""
        return self._array(lib.lmc_workspace_velocities, self.model.algebra_size)

    def momenta(self) -> Array:
        """Momenta dL/dξ, (algebra size,)."""
        return self._array(lib.lmc_workspace_momenta, self.model.algebra_size)

    def accelerations(self) -> Array:
        """Derivatives ξ' of velocities, or of momenta, (algebra size,)."""
        return self._array(lib.lmc_workspace_accelerations, self.model.algebra_size)

    def mass_times(self, v: ArrayLike) -> Array:
        """M v, (algebra size,)."""
        a = numbers(v, (self.model.algebra_size,), "the vector")
        out = ctypes.c_void_p()
        check(lib.lmc_workspace_mass_times(self._address, a.ctypes.data, a.size, ctypes.byref(out)))
        return copy_at(out.value, a.size)

    def mass_matrix(self) -> Array:
        """The mass matrix, (algebra size, algebra size)."""
        n = self.model.algebra_size
        out = np.empty((n, n))
        check(lib.lmc_workspace_mass_matrix(self._address, out.ctypes.data, out.size))
        return out

    def mass_defect(self) -> float:
        """The part of its terms by which M ξ' = r is missed: 1e-16 where all is well."""
        return self._number(lib.lmc_workspace_mass_defect)

    def __repr__(self) -> str:
        return f"<lmc.Workspace of {self.model.name} at t = {self.time:g}>"


def columns_left(model: Any) -> int:
    """Columns of a sample behind its state."""
    return len(model.columns) - int(model.state_size)
