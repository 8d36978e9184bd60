"""Compiling, and what is known about a model."""
import ctypes
import json
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _declarations as c
from ._library import Calls, Handle, check, failure, interruptible, lib, new, taken
from ._numbers import INT, Array, Storage, blocks, copy_at, count, interval, number, numbers, says_no, text, view_at
from .errors import CompileError, Diagnostic, LmcValueError, Note, Position
from .linearization import Gradient, Linearization, Sensitivities
from .run import Ensemble, Run
from .workspace import Sample, Workspace

Value = Union[str, float, int, bool, ArrayLike]


class Variable(NamedTuple):
    """One variable of the phase manifold, in the order of declaration."""

    name: str
    fiber: str                     #: name of the velocity or momentum; empty for a state
    manifold: str                  #: as written: "SO(3)"
    kind: str                      #: "velocity", "momentum", "state" or "dual"
    is_group: bool                 #: whether the manifold is a Lie group
    frame: str                     #: of the velocity: "body" or "space"
    members: int                   #: of a family; 0: a single one
    dimension: int                 #: of the manifold; -1: not known
    algebra_dimension: int         #: of the Lie algebra
    point: Tuple[Storage, ...]     #: parts of the point, in the state
    fiber_parts: Tuple[Storage, ...]  #: parts of the velocity or momentum, in the state
    algebra_offset: int            #: in velocities, momenta, accelerations
    tangent_offset: int            #: in the field
    tangent_size: int              #: numbers there


class Quantity(NamedTuple):
    """A parameter (a column of a table has a name such as "road.height"), an input, an observable or a discrete variable."""

    name: str
    shape: Tuple[int, ...]     #: () is a number
    value: Optional[Array]     #: as compiled, of a discrete variable initial; None for an observable
    has_default: bool          #: of an input: whether it has a law
    is_set: bool               #: of an input: whether it is held at the begin


class Event(NamedTuple):
    """An event of a model: it ends runs, or resets the state where it has a block."""

    name: str
    direction: int  #: 1: rising, -1: falling, 0: both


class Method(NamedTuple):
    """A method that can step a model."""

    name: str
    kind: str
    order: str
    description: str


class Settings(NamedTuple):
    """The settings of `simulate`; what was not given is nan."""

    time: Tuple[float, float]
    step: float
    every: float
    every_steps: int
    adaptive: bool
    seed: int


class Equations(str):
    """Equations as a text; in a notebook they are typeset."""

    latex: str
    form: str  #: "text", "latex" or "json"

    def _repr_markdown_(self) -> str:
        lines, inside = [], False
        for line in self.latex.splitlines():
            if line.startswith("%"):
                lines.append(("\n" + line.lstrip("% ")) + "\n")
                continue
            if line.startswith(r"\begin{align*}"):
                inside = True
                lines.append("$$\\begin{aligned}")
            elif line.startswith(r"\end{align*}"):
                inside = False
                lines.append("\\end{aligned}$$")
            elif line.strip() or inside:
                lines.append(line)
        return "\n".join(lines)

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return _equations, (str(self), self.latex, self.form)


def _equations(text: str, latex: str, form: str) -> Equations:
    e = Equations(text)
    e.latex, e.form = latex, form
    return e


def _expression(name: str, value: Value) -> str:
    """The value of a name as the language writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
        return str(int(value))
    a = numbers(value, None, f"`{name}`")
    if not np.all(np.isfinite(a)):
        raise LmcValueError(f"the value of `{name}` is not finite")
    if a.ndim == 0:
        return repr(float(a))
    if a.ndim > 2:
        raise LmcValueError(f"the value of `{name}` has {a.ndim} dimensions: set members of families one by one, as `{name}[1]`")
    return "[" + ", ".join(_expression(name, x) for x in a) + "]"


class _Source(NamedTuple):
    """What a model is compiled from, so that it can be compiled again elsewhere."""

    path: Optional[str]                        #: of a file
    texts: Tuple[Tuple[str, str], ...]         #: names and texts otherwise
    values: Tuple[Tuple[str, str], ...]
    options: Tuple[Tuple[str, Any], ...]
    text: Optional[str]                        #: of the file, as it was


def _limits(v: Any) -> Tuple[float, int, int]:
    try:
        seconds, operations, megabytes = v
    except (TypeError, ValueError):
        raise LmcValueError(f"limits are three: seconds, operations and megabytes, not {v!r}") from None
    return number(seconds, "the seconds"), count(operations, "the operations"), count(megabytes, "the megabytes")


_SETTERS: Dict[str, Callable[[Any, Any], int]] = {
    "method": lambda o, v: int(lib.lmc_options_set_method(o, text(v, "the method"))),
    "seed": lambda o, v: int(lib.lmc_options_set_seed(o, count(v, "the seed", 0, 2**64 - 1))),
    "time": lambda o, v: int(lib.lmc_options_set_time(o, v[0], v[1])),
    "step": lambda o, v: int(lib.lmc_options_set_step(o, number(v, "the step"))),
    "tolerance": lambda o, v: int(lib.lmc_options_set_tolerance(o, number(v, "the tolerance"))),
    "controller": lambda o, v: int(lib.lmc_options_set_controller(o, text(v, "the controller"))),
    "fixed_steps": lambda o, v: int(lib.lmc_options_set_fixed_steps(o, bool(v))),
    "import_path": lambda o, v: max((int(lib.lmc_options_add_import_path(o, os.fsencode(f))) for f in v), default=0),
    "library_root": lambda o, v: int(lib.lmc_options_set_library_root(o, os.fsencode(v))),
    "cache": lambda o, v: int(lib.lmc_options_set_cache(o, v is not False, None if isinstance(v, bool) else os.fsencode(v))),
    "optimization": lambda o, v: int(lib.lmc_options_set_optimization(o, count(v, "optimization", 0, 3))),
    "keep_zeros": lambda o, v: int(lib.lmc_options_set_keep_zeros(o, bool(v))),
    "untrusted": lambda o, v: int(lib.lmc_options_set_untrusted(o, bool(v))),
    "limits": lambda o, v: int(lib.lmc_options_set_limits(o, *_limits(v))),
}


class _Options:
    """Options of the library, with the callbacks that they hold."""

    def __init__(self, source: _Source, resolve: Optional[Callable[[str], Optional[str]]] = None,
                 cancel: Optional[Callable[[], Any]] = None) -> None:
        self.handle = Handle(lib.lmc_options_new(), lib.lmc_options_free)
        self.calls = Calls()
        o = self.handle.address
        for name, expression in source.values:
            check(lib.lmc_options_add_value(o, text(name), text(expression, f"the value of `{name}`")))
        for name, value in source.options:
            try:
                status = _SETTERS[name](o, value)
            except LmcValueError:
                raise
            except (TypeError, ValueError, AttributeError, IndexError, ctypes.ArgumentError) as error:
                raise LmcValueError(f"the option {name} = {value!r} makes no sense: {error}") from None
            check(status)
        self._kept: List[Any] = []
        if resolve is not None:
            self._resolver(resolve)
        if cancel is not None:
            self._canceller(cancel)

    def _resolver(self, resolve: Callable[[str], Optional[str]]) -> None:
        def ask(path: Any, _user: Any) -> Optional[int]:
            try:
                answer = resolve(path.decode())
                if answer is None:
                    return None
                self._text = ctypes.create_string_buffer(text(answer, "what `resolve` returns"))
                return ctypes.addressof(self._text)
            except BaseException as error:  # passes through, when the library has returned
                self.calls.raised.append(error)
                return None

        self._kept.append(c.lmc_resolver(ask))
        check(lib.lmc_options_set_resolver(self.handle.address, self._kept[-1], None))

    def _canceller(self, cancel: Callable[[], Any]) -> None:
        def ask(_user: Any) -> int:
            try:
                return 1 if cancel() else 0
            except BaseException as error:
                self.calls.raised.append(error)
                return 1

        self._kept.append(c.lmc_cancel(ask))
        check(lib.lmc_options_set_cancel(self.handle.address, self._kept[-1], None))


def _position(p: Any) -> Position:
    return Position(p.line, p.column, p.offset)


def _diagnostics(compilation: int) -> List[Diagnostic]:
    found = []
    for i in range(lib.lmc_compilation_diagnostics(compilation)):
        d = new(c.lmc_diagnostic)
        check(lib.lmc_compilation_diagnostic(compilation, i, ctypes.byref(d)))
        notes = []
        for k in range(d.notes):
            n = new(c.lmc_note)
            check(lib.lmc_compilation_note(compilation, i, k, ctypes.byref(n)))
            notes.append(Note(n.message.decode(), n.source.decode() if n.source else None, _position(n.begin),
                              _position(n.end)))
        found.append(Diagnostic(d.code.decode(), "warning" if d.warning else "error", d.message.decode(),
                                d.source.decode(), d.begin.line, d.begin.column, _position(d.end), d.suggestion.decode(),
                                tuple(notes), d.text.decode()))
    return found


def _texts(source: _Source) -> Any:
    array = (c.lmc_source * len(source.texts))()
    for k, (name, content) in enumerate(source.texts):
        array[k].name, array[k].text = text(name, "the name of a text"), text(content, f"the text `{name}`")
    return array


def compile(source: Union[str, "os.PathLike[str]", Sequence[Tuple[str, str]]], *, name: str = "model.lie",
            values: Optional[Mapping[str, Value]] = None, method: Optional[str] = None,
            time: Optional[Tuple[float, float]] = None, step: Optional[float] = None, tolerance: Optional[float] = None,
            seed: Optional[int] = None, controller: Optional[str] = None, fixed_steps: Optional[bool] = None,
            import_path: Optional[Sequence[str]] = None, library_root: Optional[str] = None,
            cache: Union[None, bool, str] = None, optimization: Optional[int] = None, keep_zeros: Optional[bool] = None,
            untrusted: Optional[bool] = None, limits: Optional[Tuple[float, int, int]] = None,
            resolve: Optional[Callable[[str], Optional[str]]] = None, cancel: Optional[Callable[[], Any]] = None,
            **parameters: Value) -> "Model":
    """Compiles the first model of a file, of a text, or of several texts.

    `source`: a path; or a text (a string that has a `{`), which is called `name` in messages; or pairs of name and text,
    the main one first. Further named arguments are values of parameters, inputs and initial values, as `lmc --set`:
    numbers, arrays, or expressions of the language; `values` takes them where a name is taken or is no identifier
    ("J[1]").
    `time`, `step` (in the model's unit of time), `tolerance`, `method`, `seed`: settings of `simulate`. `resolve(path)`
    is asked for the texts of imports; `cancel()` ends the compilation when it is true. `limits`: seconds of the
    processor, operations, megabytes. The others are those of lmc::Options.

    Raises CompileError with all diagnostics; warnings are in `Model.warnings`."""
    options = tuple((k, v) for k, v in (
        ("method", method), ("time", interval(time) if time is not None else None), ("step", step),
        ("tolerance", tolerance), ("seed", seed), ("controller", controller), ("fixed_steps", fixed_steps),
        ("import_path", tuple([import_path] if isinstance(import_path, str) else import_path) if import_path is not None else None),
        ("library_root", library_root), ("cache", cache), ("optimization", optimization), ("keep_zeros", keep_zeros),
        ("untrusted", untrusted), ("limits", limits)) if v is not None)
    given = tuple((k, _expression(k, v)) for k, v in {**(values or {}), **parameters}.items())
    if isinstance(source, (list, tuple)):
        if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in source):
            raise LmcValueError(f"several texts are pairs of name and text, not {source!r}")
        return _compile(_Source(None, tuple((n, t) for n, t in source), given, options, None), resolve, cancel)
    if isinstance(source, str) and "{" in source:
        return _compile(_Source(None, ((name, source),), given, options, None), resolve, cancel)
    try:
        shown = os.fsdecode(source)  # type: ignore[arg-type]
    except TypeError:
        raise LmcValueError(f"a model is compiled from a path, a text, or pairs of name and text, not from {source!r}") from None
    if "\0" in shown:
        raise LmcValueError(f"a path has a zero byte: {shown!r}")
    path = os.path.abspath(shown)
    try:
        with open(path, encoding="utf-8") as file:
            content: Optional[str] = file.read()
    except (OSError, UnicodeError):
        content = None  # the compiler says what is wrong
    return _compile(_Source(path if content is not None else shown, (), given, options, content), resolve, cancel)


def _compile(source: _Source, resolve: Any = None, cancel: Any = None) -> "Model":
    stopped: List[bool] = []
    options = _Options(source, resolve, lambda: bool(stopped) or (cancel is not None and cancel()))
    out = ctypes.c_void_p()

    def call() -> None:
        if source.path is not None:
            status = lib.lmc_compile_file(os.fsencode(source.path), options.handle.address, ctypes.byref(out))
        else:
            status = lib.lmc_compile_sources(_texts(source), len(source.texts), options.handle.address, ctypes.byref(out))
        if out.value:
            made.append(Handle(out.value, lib.lmc_compilation_free))
        options.calls.again()
        check(status)

    made: List[Handle] = []  # freed also where an exception of a callback passes through
    interruptible(call, lambda: stopped.append(True))
    compilation = made[0]
    diagnostics = _diagnostics(compilation.address)
    model = lib.lmc_compilation_model(compilation.address)
    if not model:
        raise CompileError(lib.lmc_compilation_format(compilation.address, 0).decode(), diagnostics)
    return Model(Handle(model, lib.lmc_model_free), source, tuple(diagnostics))


def _again(source: _Source) -> "Model":
    """Compiles a model that was pickled: its file where it is still the same, else the text that it had."""
    if source.path is not None and source.text is not None:
        try:
            with open(source.path, encoding="utf-8") as file:
                same = file.read() == source.text
        except (OSError, UnicodeError):
            same = False
        if not same:
            return _compile(source._replace(path=None, texts=((source.path, source.text),)))
    return _compile(source)


class Model:
    """A compiled model, immutable: any number of threads may use it. Made by `compile`.

    A pickled model is compiled again where it is loaded, from the same text with the same options (imports are read
    there again); the cache makes that fast."""

    def __init__(self, handle: Handle, source: _Source, warnings: Tuple[Diagnostic, ...]) -> None:
        self._handle, self._source = handle, source
        a = handle.address
        self.warnings = warnings  #: of the compiler
        self.name: str = lib.lmc_model_name(a).decode()
        self.method: str = lib.lmc_model_method(a).decode()  #: of its steps; empty when none was chosen
        self.order = int(lib.lmc_model_order(a))             #: of the method
        self.has_energy = bool(lib.lmc_model_has_energy(a))
        self.has_mass = bool(lib.lmc_model_has_mass(a))      #: whether it has a mass matrix
        self.estimates_error = bool(lib.lmc_model_estimates_error(a))  #: whether adaptive steps are possible
        self.from_cache = bool(lib.lmc_model_from_cache(a))  #: whether its machine code was on disk
        self.state_size = int(lib.lmc_model_state_size(a))
        self.algebra_size = int(lib.lmc_model_algebra_size(a))
        self.tangent_size = int(lib.lmc_model_tangent_size(a))
        self.observables_size = int(lib.lmc_model_observables_size(a))
        #: The names of the numbers of a sample: state, energy, observables.
        self.columns: Tuple[str, ...] = tuple(lib.lmc_model_column(a, k).decode() for k in range(lib.lmc_model_columns(a)))
        self.variables: Tuple[Variable, ...] = tuple(self._variable(i) for i in range(lib.lmc_model_variables(a)))
        self._parameters: Dict[str, Storage] = {}
        self._inputs: Dict[str, Storage] = {}
        self._observables: Dict[str, Storage] = {}
        self.parameters = self._quantities(c.LMC_PARAMETER, self._parameters)
        self.inputs = self._quantities(c.LMC_INPUT, self._inputs)
        self.observables = self._quantities(c.LMC_OBSERVABLE, self._observables)
        self._state_parts: Dict[str, Storage] = {}
        #: What resets alone change: parts of the state.
        self.discretes = self._quantities(c.LMC_DISCRETE, self._state_parts)
        for v in self.variables:
            for name, parts in ((v.name, v.point), (v.fiber, v.fiber_parts)):
                for p in parts if name else ():
                    self._state_parts[name if len(parts) == 1 else f"{name}.{p.name}"] = p
        self._storage = {**self._state_parts, **self._observables}
        self._blocks = blocks(self.columns, self._storage)
        self.events = tuple(self._event(i) for i in range(lib.lmc_model_events(a)))
        #: The blocks of `every`: "every 0.01" (`Workspace.at_every`).
        self.samplings: Tuple[str, ...] = tuple(lib.lmc_model_sampling(a, i).decode()
                                                for i in range(lib.lmc_model_samplings(a)))
        self.constants = dict(self._constant(i) for i in range(lib.lmc_model_constants(a)))  #: `int` and `bool` parameters
        s = new(c.lmc_settings)
        check(lib.lmc_model_settings(a, ctypes.byref(s)))
        self.settings = Settings((s.time_from, s.time_to), s.step, s.every, s.every_steps, bool(s.adaptive), s.seed)

    @staticmethod
    def _stored(s: Any) -> Storage:
        extents = tuple(s.extents[k] for k in range(s.extent_count))
        first = tuple(s.first[k] if s.first else 1 for k in range(s.extent_count))
        tail = () if s.rank == 0 else (s.rows,) if s.rank == 1 else (s.rows, s.columns)
        return Storage((s.name or b"").decode(), s.offset, extents + tail, first)

    def _variable(self, i: int) -> Variable:
        v = new(c.lmc_variable)
        check(lib.lmc_model_variable(self._handle.address, i, ctypes.byref(v)))

        def parts(fiber: int, count: int) -> Tuple[Storage, ...]:
            found = []
            for k in range(count):
                s = new(c.lmc_storage)
                check(lib.lmc_model_part(self._handle.address, i, fiber, k, ctypes.byref(s)))
                found.append(self._stored(s))
            return tuple(found)

        return Variable(v.name.decode(), v.fiber.decode(), v.manifold.decode(),
                        ("velocity", "momentum", "state", "dual")[v.kind], bool(v.is_group),
                        "space" if v.space_frame else "body", v.members, v.dimension, v.algebra_dimension,
                        parts(0, v.point_parts), parts(1, v.fiber_parts), v.algebra_offset, v.tangent_offset,
                        v.tangent_size)

    def _quantities(self, kind: int, places: Dict[str, Storage]) -> Tuple[Quantity, ...]:
        found = []
        for i in range(lib.lmc_model_quantities(self._handle.address, kind)):
            q, s = new(c.lmc_quantity), new(c.lmc_storage)
            check(lib.lmc_model_quantity(self._handle.address, kind, i, ctypes.byref(q), ctypes.byref(s)))
            place = self._stored(s)
            places[q.name.decode()] = place
            address = ctypes.cast(q.value, ctypes.c_void_p).value
            value = copy_at(address, place.size).reshape(place.shape) if address else None
            found.append(Quantity(q.name.decode(), place.shape, value, bool(q.has_default), bool(q.is_set)))
        return tuple(found)

    def _event(self, i: int) -> Event:
        name, direction = ctypes.c_void_p(), ctypes.c_int()
        check(lib.lmc_model_event(self._handle.address, i, ctypes.byref(name), ctypes.byref(direction)))
        assert name.value is not None
        return Event(ctypes.string_at(name.value).decode(), direction.value)

    def _constant(self, i: int) -> Tuple[str, int]:
        name, value = ctypes.c_void_p(), ctypes.c_int64()
        check(lib.lmc_model_constant(self._handle.address, i, ctypes.byref(name), ctypes.byref(value)))
        assert name.value is not None
        return ctypes.string_at(name.value).decode(), value.value

    def _find(self, name: str) -> Optional[Storage]:
        for kind in (self._state_parts, self._parameters, self._inputs, self._observables):
            if name in kind:
                return kind[name]
        return None

    @property
    def initial_state(self) -> Array:
        """The initial state as compiled, (state size,), a copy."""
        return copy_at(lib.lmc_model_initial_state(self._handle.address), self.state_size)

    # --- what it does ------------------------------------------------------------------------------------------------

    def workspace(self, **values: ArrayLike) -> Workspace:
        """A workspace at the initial state, with values of parameters, inputs or variables."""
        w = Workspace(self)
        for name, value in values.items():
            w[name] = value
        return w

    def run(self, time: Optional[Tuple[float, float]] = None, *, every: Union[None, float, Sequence[float], Array] = None,
            step: Optional[float] = None, tolerance: Optional[float] = None, fixed_steps: bool = False,
            every_steps: int = 0, max_steps: int = 0, max_seconds: float = 0,
            values: Optional[Mapping[str, ArrayLike]] = None,
            callback: Optional[Callable[[Sample], Any]] = None) -> Run:
        """Runs from the initial state. What is not given is the model's.

        `time`: begin and end; `every`: the time between samples, or their times; `values`: of parameters and variables."""
        if values is not None and not isinstance(values, Mapping):
            raise LmcValueError(f"values are a mapping of names to values, not {values!r}")
        w = self.workspace()
        for name, value in (values or {}).items():
            w[name] = value
        to = None
        if time is not None:
            w.time, to = interval(time)
        return w.run(to, every=every, step=step, tolerance=tolerance, fixed_steps=fixed_steps, every_steps=every_steps,
                     max_steps=max_steps, max_seconds=max_seconds, callback=callback)

    def linearize(self, workspace: Optional[Workspace] = None) -> Linearization:
        """Exact derivatives at the state of a workspace (default: the initial state). Compiled when first asked for."""
        return Linearization(self, workspace)

    def sensitivities(self, h: Optional[float] = None, n: Optional[int] = None, *, every: int = 1, state: bool = False,
                      parameters: Optional[Sequence[str]] = None, inputs: bool = False,
                      workspace: Optional[Workspace] = None) -> Sensitivities:
        """A trajectory of n steps of length h, with exact derivatives; see Linearization.sensitivities."""
        h = self.settings.step if h is None else number(h, "the step")
        length = self.settings.time[1] - self.settings.time[0]
        if h != h or (n is None and not (h != 0 and length / h < 2**62)):
            raise LmcValueError("sensitivities need a step and a number of steps: `h` and `n`, or `step` and `time` in the model")
        if n is None:
            n = int(round(length / h))
        return self.linearize(workspace).sensitivities(h, n, every, state, parameters, inputs)

    def gradient(self, h: float, n: int, cost: Callable[[int, Array], Optional[ArrayLike]],
                 inputs: Optional[ArrayLike] = None, workspace: Optional[Workspace] = None) -> Gradient:
        """The gradient of a cost of a trajectory; see Linearization.gradient."""
        return self.linearize(workspace).gradient(h, n, cost, inputs)

    def ensemble(self, samples: int = 0, vary: Optional[Mapping[str, str]] = None, *, keep: str = "final",
                 every: float = 0, threads: int = 0, lanes: int = 0, seed: Optional[int] = None, max_seconds: float = 0,
                 progress: Optional[Callable[[float], Any]] = None) -> Ensemble:
        """Many trajectories that differ in what `vary` says: {"m": "normal(15, 1)", "R": "normal(0.05)"}.

        `keep`: "final", "statistics" or "all"; `every`: time between rows; `threads`, `lanes`: 0 takes those of the
        machine, and the numbers do not depend on them. `progress(part)` is told how much is done, by another thread;
        False stops, and so does Ctrl-C, with KeyboardInterrupt. The samples are of the text that the model was compiled
        from, whatever has become of its file. docs/ensembles.md has distributions and columns."""
        keeps = {"final": c.LMC_KEEP_FINAL, "statistics": c.LMC_KEEP_STATISTICS, "all": c.LMC_KEEP_ALL}
        if not isinstance(keep, str) or keep not in keeps:
            raise LmcValueError(f"keep is 'final', 'statistics' or 'all', not {keep!r}")
        if vary is not None and not isinstance(vary, Mapping):
            raise LmcValueError(f"vary is a mapping of names to distributions, {{'m': 'normal(15, 1)'}}, not {vary!r}")
        varied = [text(name) + b" ~ " + text(law, "a distribution") for name, law in (vary or {}).items()]
        s = c.lmc_ensemble_settings()
        lib.lmc_ensemble_settings_init(ctypes.byref(s))
        texts = (ctypes.c_char_p * max(1, len(varied)))(*varied)
        s.vary, s.vary_count = ctypes.cast(texts, type(s.vary)), len(varied)
        s.samples, s.keep, s.every = count(samples, "samples"), keeps[keep], number(every, "every")
        s.threads, s.lanes = count(threads, "threads", -INT, INT), count(lanes, "lanes", -INT, INT)
        s.max_seconds = number(max_seconds, "max_seconds")
        if seed is not None:
            s.has_seed, s.seed = 1, count(seed, "the seed", 0, 2**64 - 1)
        calls = Calls()
        stopped: List[bool] = []

        def told(part: float, _user: Any) -> int:
            try:
                return 0 if stopped or (progress is not None and says_no(progress(part))) else 1
            except BaseException as error:  # passes through, when the library has returned
                calls.raised.append(error)
                return 0

        s.progress = c.lmc_progress(told)
        out = ctypes.c_void_p()

        def call() -> None:
            status = lib.lmc_ensemble_model(self._handle.address, ctypes.byref(s), ctypes.byref(out))
            calls.again()
            check(status)

        interruptible(call, lambda: stopped.append(True))
        assert out.value is not None
        handle = Handle(out.value, lib.lmc_ensemble_free)
        table = lib.lmc_ensemble_table(handle.address)
        if not table:
            compilation = lib.lmc_ensemble_compilation(handle.address)
            raise CompileError(lib.lmc_compilation_format(compilation, 0).decode(), _diagnostics(compilation))
        totals = new(c.lmc_ensemble_totals)
        check(lib.lmc_ensemble_get_totals(handle.address, ctypes.byref(totals)))
        columns = [lib.lmc_table_column(table, k).decode() for k in range(lib.lmc_table_columns(table))]
        rows = lib.lmc_table_rows(table)
        numbers = view_at(lib.lmc_table_numbers(table), rows * len(columns), handle).reshape(rows, len(columns))
        storage = dict(self._storage)
        for kind in ("mean", "deviation", "min", "max"):
            storage.update({f"{name}_{kind}": p for name, p in self._storage.items()})
        return Ensemble(numbers, columns, storage, keep, {n: getattr(totals, n) for n, _ in totals._fields_})

    def derive(self, format: str = "text") -> Equations:
        """The equations of motion: "text", "latex" or "json". A notebook shows them typeset."""
        formats = {"text": c.LMC_TEXT, "latex": c.LMC_LATEX, "json": c.LMC_JSON}
        if not isinstance(format, str) or format not in formats:
            raise LmcValueError(f"the format of equations is 'text', 'latex' or 'json', not {format!r}")

        def equations(form: int) -> str:
            out = ctypes.c_void_p()
            check(lib.lmc_model_equations(self._handle.address, form, ctypes.byref(out)))
            return taken(out)

        return _equations(equations(formats[format]), equations(c.LMC_LATEX), format)

    def methods(self) -> List[Method]:
        """The methods that can step the model."""
        out = ctypes.c_void_p()
        check(lib.lmc_model_methods(self._handle.address, ctypes.byref(out)))
        return [Method(m["name"], m["kind"], m["order"], m["description"]) for m in json.loads(taken(out))]

    def prepare(self) -> None:
        """Compiles now what is otherwise compiled when it is first used."""
        check(lib.lmc_model_prepare(self._handle.address))

    def release(self) -> None:
        """Frees the equations; what has been compiled stays."""
        lib.lmc_model_release(self._handle.address)

    def view(self, *, fps: Optional[float] = None, speed: Optional[float] = None, max_size: Optional[float] = None,
             **settings: Any) -> Any:
        """The page of a run, `run(**settings)`; see Run.view."""
        return self.run(**settings).view(fps=fps, speed=speed, max_size=max_size)

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return _again, (self._source,)

    def __repr__(self) -> str:
        on = " × ".join(v.manifold if not v.members else f"({v.manifold})^{v.members}" for v in self.variables)
        return f"<lmc.Model {self.name} on {on}, {self.method or 'no method'}>"


__all__ = ["compile", "Model", "failure"]
