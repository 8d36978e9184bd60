"""Pictures of runs by matplotlib."""
from typing import Any, Sequence

import numpy as np

from ._numbers import unknown


def plot_run(run: Any, names: Sequence[str] = ()) -> Any:
    """Names of a run over time, one below the other, and the relative energy error."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("a picture of a run needs matplotlib: install python3-matplotlib") from None

    class Picture(Figure):  # type: ignore[misc]
        """A figure that notebooks show, and keep when they are exported."""

        def _repr_png_(self) -> bytes:
            import io
            out = io.BytesIO()
            self.savefig(out, format="png", dpi=100)
            return out.getvalue()

    usual = [n for n in run.names if n not in ("t", "energy")]
    behind = [n for n in usual if run._blocks[n].offset > run.state_size]
    shown = list(names) or behind[:4] or usual[:2]
    for name in shown:
        if name not in run:
            raise unknown("column", name, run.names)
    energy = "energy" in run and not names
    figure = Picture(figsize=(7, 1.9 * (len(shown) + energy) + 0.6), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(shown) + energy, 1, sharex=True))
    for ax, name in zip(axes, shown):
        values = run[name].reshape(len(run), -1)
        labels = [c for c in run.columns if c == name or c.startswith(name + "[")]
        for k in range(min(values.shape[1], 12)):
            ax.plot(run.t, values[:, k], lw=1.2, label=labels[k] if len(labels) == values.shape[1] else f"{name} {k + 1}")
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small", frameon=False)
        ax.set_ylabel(name)
    if energy:
        e = run["energy"]
        error = np.abs(e - e[0]) / (abs(e[0]) or 1)
        axes[-1].semilogy(run.t, np.where(error > 0, error, np.nan), lw=1.2, color="tab:red")
        axes[-1].set_ylabel("energy error" if e[0] else "energy change")
    axes[-1].set_xlabel("t")
    figure.suptitle(f"{run.model}, {run.method}", fontsize="medium")
    return figure
