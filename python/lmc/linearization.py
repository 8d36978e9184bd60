"""Exact derivatives: linearization, sensitivities, gradients of trajectories. docs/linearization.md has the signs."""
import ctypes
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _declarations as c
from ._library import Calls, Handle, Held, check, lib, new
from ._numbers import Array, copy_at, finite, number, numbers, unknown, view_at
from ._numbers import count as whole
from .errors import LmcValueError


class Jacobians:
    """All derivatives of a map: a row per coordinate (of outputs: per output). `A, B = …` takes the first two."""

    def __init__(self, state: Array, inputs: Array, parameters: Array, field: Optional[Array], value: Array) -> None:
        self.state = state            #: A, Φ or C: (rows, coordinates)
        self.inputs = inputs          #: B, Γ or D: (rows, numbers of the inputs)
        self.parameters = parameters  #: (rows, numbers of the parameters)
        self.field = field            #: of the motion: the change of f itself; otherwise None
        self.value = value            #: x' in coordinates, the next state (its storage), or the outputs

    def __iter__(self) -> Iterator[Array]:
        return iter((self.state, self.inputs))

    def __repr__(self) -> str:
        return f"<lmc.Jacobians: state {self.state.shape}, inputs {self.inputs.shape}, parameters {self.parameters.shape}>"


class Gradient(NamedTuple):
    """The gradient of a cost of a trajectory."""

    state: Array       #: by the coordinates of the first state, (coordinates,)
    inputs: Array      #: by the inputs of each step, (steps, numbers of the inputs)
    parameters: Array  #: by the parameters, with the first state held fixed


class Sensitivities(NamedTuple):
    """A trajectory and its derivatives, at times."""

    t: Array                   #: (times,)
    states: Array              #: storage of the states, (times, state size)
    outputs: Array             #: energy, if there is one, and observables, (times, outputs)
    names: Tuple[str, ...]     #: of the columns of the derivatives
    coordinates: Array         #: change of the state in its tangent space, (times, coordinates, columns)
    by: Array                  #: change of the outputs, (times, outputs, columns)
    output_names: Tuple[str, ...]  #: of the outputs

    def output(self, name: str) -> Tuple[Array, Array]:
        """An output ("tip", "energy") or a number of it ("tip[1]"), and its derivatives."""
        at = [k for k, n in enumerate(self.output_names) if n == name or n.startswith(name + "[")]
        if not at:
            raise unknown("output", name, self.output_names)
        return self.outputs[:, at], self.by[:, at, :]


class Linearization(Held):
    """Exact derivatives of a model at a state of its own; made by `Model.linearize`. One thread uses it at a time.

    Tangent vectors have coordinates (three for a rotation), named by `coordinates`."""

    _keep = "its model, and its state or its matrices"

    def __init__(self, model: Any, workspace: Any = None) -> None:
        out = ctypes.c_void_p()
        check(lib.lmc_linearization_new(model._handle.address, ctypes.byref(out)))
        self.model = model
        assert out.value is not None
        self._handle = Handle(out.value, lib.lmc_linearization_free)
        self._address = self._handle.address
        self.coordinates = self._names(c.LMC_COORDINATES)      #: "dR[1]", "dOmega[2]", …
        self.inputs = self._names(c.LMC_INPUT_NUMBERS)         #: "u[1]", …
        self.parameters = self._names(c.LMC_PARAMETER_NUMBERS)  #: "J[1][2]", …
        self.outputs = self._names(c.LMC_OUTPUT_NUMBERS)       #: "energy", "tip[3]", …
        self._state = view_at(lib.lmc_linearization_state(self._address), model.state_size, self._handle)
        if workspace is not None:
            self.at(workspace)

    def _names(self, kind: int) -> Tuple[str, ...]:
        n = lib.lmc_linearization_size(self._address, kind)
        return tuple(lib.lmc_linearization_name(self._address, kind, k).decode() for k in range(n))

    def at(self, workspace: Any) -> "Linearization":
        """Takes over state, time, parameters and inputs of a workspace of the same model."""
        from .workspace import Workspace
        if not isinstance(workspace, Workspace):
            raise LmcValueError(f"a linearization is at a workspace, not at {workspace!r}")
        check(lib.lmc_linearization_at(self._address, workspace._address))
        return self

    @property
    def time(self) -> float:
        """The time."""
        return float(lib.lmc_linearization_time(self._address))

    @time.setter
    def time(self, t: float) -> None:
        lib.lmc_linearization_set_time(self._address, finite(t, "the time"))

    @property
    def state(self) -> Array:
        """The storage of the state, (state size,), to read and to write."""
        return self._state

    @state.setter
    def state(self, values: ArrayLike) -> None:
        self._state[...] = numbers(values, (self.model.state_size,), "the state")

    def set_inputs(self, values: ArrayLike) -> None:
        """Holds all inputs at values, in the order of `inputs`."""
        a = numbers(values, (len(self.inputs),), "the inputs")
        check(lib.lmc_linearization_set_inputs(self._address, a.ctypes.data, a.size))

    def set_parameters(self, values: ArrayLike) -> None:
        """Sets all parameters, in the order of `parameters`."""
        a = numbers(values, (len(self.parameters),), "the parameters")
        check(lib.lmc_linearization_set_parameters(self._address, a.ctypes.data, a.size))

    # --- matrices and vectors ----------------------------------------------------------------------------------------

    def jacobians(self, which: int, h: float = 0) -> Jacobians:
        """All matrices of a map (0: motion, 1: step of length h, 2: outputs)."""
        j = new(c.lmc_jacobians)
        which = whole(which, "the map", 0, 2)
        check(lib.lmc_linearization_jacobians(self._address, which, number(h, "the step"), ctypes.byref(j)))

        def matrix(pointer: Any, columns: int) -> Array:
            address = ctypes.cast(pointer, ctypes.c_void_p).value
            return copy_at(address, j.rows * columns).reshape((columns, j.rows)).T

        n = len(self.coordinates)
        size = self.model.state_size if which == c.LMC_STEP else j.rows
        field = matrix(j.field, n) if j.field else None
        return Jacobians(matrix(j.state, n), matrix(j.inputs, len(self.inputs)),
                         matrix(j.parameters, len(self.parameters)), field,
                         copy_at(ctypes.cast(j.value, ctypes.c_void_p).value, size))

    def motion(self) -> Jacobians:
        """Of the equations of motion: A and B of z' = A z + B δu."""
        return self.jacobians(c.LMC_MOTION)

    def step(self, h: float) -> Jacobians:
        """Of one step of the method, of length h: Φ and Γ of z₊ = Φ z + Γ δu."""
        return self.jacobians(c.LMC_STEP, h)

    def output(self) -> Jacobians:
        """Of energy and observables: C and D."""
        return self.jacobians(c.LMC_OUTPUTS)

    def _map(self, which: str) -> int:
        try:
            return {"motion": c.LMC_MOTION, "step": c.LMC_STEP, "outputs": c.LMC_OUTPUTS}[which]
        except KeyError:
            raise unknown("map", which, ("motion", "step", "outputs")) from None

    def forward(self, which: str, direction: Optional[ArrayLike] = None, inputs: Optional[ArrayLike] = None,
                parameters: Optional[ArrayLike] = None, h: float = 0) -> Array:
        """The image of a direction under the derivative of "motion", "step" or "outputs"; what is None is zero."""
        m = self._map(which)
        parts = [None if v is None else numbers(v, (n,), what) for v, n, what in (
            (direction, len(self.coordinates), "the direction"), (inputs, len(self.inputs), "the change of the inputs"),
            (parameters, len(self.parameters), "the change of the parameters"))]
        out = ctypes.c_void_p()
        check(lib.lmc_linearization_forward(self._address, m, number(h, "the step"), *[None if p is None else p.ctypes.data for p in parts],
                                            ctypes.byref(out)))
        return copy_at(out.value, len(self.outputs if m == c.LMC_OUTPUTS else self.coordinates))

    def adjoint(self, which: str, covector: ArrayLike, h: float = 0) -> Tuple[Array, Array, Array]:
        """The covectors (of state, inputs, parameters) that a covector of the image is pulled back to."""
        m = self._map(which)
        v = numbers(covector, (len(self.outputs if m == c.LMC_OUTPUTS else self.coordinates),), "the covector")
        out = new(c.lmc_covectors)
        check(lib.lmc_linearization_adjoint(self._address, m, number(h, "the step"), v.ctypes.data, ctypes.byref(out)))
        sizes = (len(self.coordinates), len(self.inputs), len(self.parameters))
        a, b, p = (copy_at(ctypes.cast(x, ctypes.c_void_p).value, n)
                   for x, n in zip((out.state, out.inputs, out.parameters), sizes))
        return a, b, p

    # --- tangent spaces ----------------------------------------------------------------------------------------------

    def basis(self) -> Array:
        """An orthonormal basis Z of the tangent space in coordinates: (coordinates, dimension)."""
        n = len(self.coordinates)
        out, vectors = np.empty(n * n), ctypes.c_size_t()
        check(lib.lmc_linearization_basis(self._address, out.ctypes.data, out.size, ctypes.byref(vectors)))
        return out[:n * vectors.value].reshape(vectors.value, n).T.copy()

    def move(self, direction: ArrayLike) -> None:
        """Moves the state along a tangent vector: exp(δ) acts on points, ν is added."""
        a = numbers(direction, (len(self.coordinates),), "the direction")
        check(lib.lmc_linearization_move(self._address, a.ctypes.data))

    def difference(self, state: ArrayLike) -> Array:
        """The tangent vector along which `move` leads to another state nearby."""
        a = numbers(state, (self.model.state_size,), "the state")
        out = np.empty(len(self.coordinates))
        check(lib.lmc_linearization_difference(self._address, a.ctypes.data, out.ctypes.data))
        return out

    # --- trajectories ------------------------------------------------------------------------------------------------

    def propagate(self, h: float, n: int, directions: ArrayLike, inputs: Optional[ArrayLike] = None,
                  parameters: Optional[ArrayLike] = None) -> Array:
        """Takes n steps of length h and carries tangent vectors along, the columns of (coordinates, count).

        `inputs`, `parameters`: their changes for each of them, also in columns."""
        given = numbers(directions, None, "directions")
        if given.ndim not in (1, 2) or given.shape[0] != len(self.coordinates):
            raise LmcValueError(f"directions are columns of {len(self.coordinates)} numbers, not of the shape {given.shape}")
        z = np.array(given.T, order="C", ndmin=2)
        count = z.shape[0]

        def changes(v: Optional[ArrayLike], size: int, what: str) -> Optional[Array]:
            if v is None:
                return None
            a = numbers(v, (size,) if given.ndim == 1 else (size, count), what)
            return np.array(a.T, order="C", ndmin=2)

        u = changes(inputs, len(self.inputs), "the change of the inputs")
        p = changes(parameters, len(self.parameters), "the change of the parameters")
        h, n = number(h, "the step"), whole(n, "the number of steps")
        check(lib.lmc_linearization_propagate(self._address, h, n, z.ctypes.data, count,
                                              None if u is None else u.ctypes.data, None if p is None else p.ctypes.data))
        moved: Array = z.T if given.ndim > 1 else z[0]
        return moved

    def sensitivities(self, h: float, n: int, every: int = 1, state: bool = True,
                      parameters: Optional[Sequence[str]] = None, inputs: bool = False) -> Sensitivities:
        """Takes n steps of length h, and gives states, outputs and their exact derivatives every so many steps and at
        the end.

        Derivatives are by the coordinates of the first state (`state`), by inputs that are changed in all steps alike
        (`inputs`), and by parameters: names of single numbers ("m", "J[1][1]"), or of a whole ("J"). Parameters do not
        move initial values."""
        h, n, every = number(h, "the step"), whole(n, "the number of steps"), whole(every, "every")
        parameters = [parameters] if isinstance(parameters, str) else parameters
        if every < 1 or n < 0:
            raise LmcValueError("every is at least one step, and the number of steps is not negative")
        wanted = [k for name in (parameters or ()) for k in self._numbers_of(name)]
        nz, nu, npar = len(self.coordinates), len(self.inputs), len(self.parameters)
        names: List[str] = (list(self.coordinates) if state else []) + (list(self.inputs) if inputs else []) + \
            [self.parameters[k] for k in wanted]
        count = len(names)
        z, du, dp = np.zeros((nz, count)), np.zeros((nu, count)), np.zeros((npar, count))
        first = 0
        if state:
            z[:, :nz] = self.basis() @ self.basis().T
            first = nz
        if inputs:
            du[:, first:first + nu] = np.eye(nu)
            first += nu
        for column, k in enumerate(wanted):
            dp[k, first + column] = 1
        t, states, outputs, zs, by = [], [], [], [], []
        for k in [0] + [min(every, n - k) for k in range(0, n, every)]:
            if k > 0:
                z = self.propagate(h, k, z, du, dp) if count else self.propagate(h, k, np.zeros((nz, 1)))[:, :0]
            t.append(self.time)
            states.append(self.state.copy())
            zs.append(z)
            if self.outputs:
                j = self.output()
                outputs.append(j.value)
                by.append(j.state @ z + j.inputs @ du + j.parameters @ dp)
        shape = (len(t), len(self.outputs), count)
        return Sensitivities(np.array(t), np.array(states), np.array(outputs).reshape(shape[:2]), tuple(names),
                             np.array(zs), np.array(by).reshape(shape), self.outputs)

    def _numbers_of(self, name: str) -> List[int]:
        at = [k for k, p in enumerate(self.parameters) if p == name or p.startswith(name + "[")]
        if not at:
            raise unknown("parameter", name, self.parameters)
        return at

    def gradient(self, h: float, n: int, cost: Callable[[int, Array], Optional[ArrayLike]],
                 inputs: Optional[ArrayLike] = None) -> Gradient:
        """The gradient of a cost of the outputs along n steps of length h, by one run and one adjoint run.

        `cost(k, outputs)` returns the derivative of the cost of time k (0 to n) by each output, or None where there is
        none. `inputs`: those of each step, (n, numbers of the inputs). The state is the first one afterwards."""
        h, n = number(h, "the step"), whole(n, "the number of steps")
        if n < 0:
            raise LmcValueError(f"{n} steps cannot be taken")
        u = None
        if inputs is not None:
            u = numbers(inputs, None, "the inputs of all steps")
            if u.shape not in ((n, len(self.inputs)), (n * len(self.inputs),)):
                raise LmcValueError(f"the inputs of all steps have the shape {(n, len(self.inputs))}, not {u.shape}")
        calls = Calls()

        def weigh(k: int, y: Any, w: Any, count: int, _user: Any) -> int:
            try:
                weights = cost(k, np.ctypeslib.as_array(y, (count,)).copy())
                if weights is not None:
                    np.ctypeslib.as_array(w, (count,))[...] = numbers(weights, (count,), "the derivative of the cost")
                return 0
            except BaseException as error:  # passes through, when the library has returned
                calls.raised.append(error)
                return 1

        by = np.zeros(len(self.coordinates)), np.zeros((n, len(self.inputs))), np.zeros(len(self.parameters))
        status = lib.lmc_linearization_gradient(self._address, h, n, None if u is None else u.ctypes.data,
                                                c.lmc_output_weights(weigh), None, *[b.ctypes.data for b in by])
        calls.again()
        check(status)
        return Gradient(*by)

    def __repr__(self) -> str:
        return (f"<lmc.Linearization of {self.model.name}: {len(self.coordinates)} coordinates, {len(self.inputs)} inputs, "
                f"{len(self.parameters)} parameters, {len(self.outputs)} outputs>")


def as_dict(names: Sequence[str], values: Array) -> Dict[str, float]:
    """Numbers with their names."""
    return dict(zip(names, (float(v) for v in values)))
