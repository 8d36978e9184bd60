"""A Poincaré section of the double pendulum: regular at low energy, chaotic at high energy.

Events of the model end runs where the first pendulum passes the vertical; the run goes on from there. The largest
finite-time Lyapunov exponent, from the exact derivative of the steps, tells the two apart. States:

    low energy: 60 points, regular
    high energy: 60 points, chaotic
"""
import numpy as np

import lmc

MODEL = """
model Double {
  param a = 0.2;
  config x : R velocity v;
  config y : R velocity w;
  lagrangian = v^2 + 0.5*w^2 + v*w*cos(x - y) + 9.81*(2*cos(x) + cos(y));
  initial x = a;  initial v = 0;  initial y = 0.3*a;  initial w = 0;
  event upright = rising(sin(x));
  simulate { method = RKMK54; time = 0..100; step = 5e-3; tolerance = 1e-11; }
}
"""


def section(a, count):
    """(angle, rate) of the second pendulum where the first one passes the vertical to the right."""
    w = lmc.compile(MODEL, a=a).workspace()
    points = []
    while len(points) < count:
        assert w.run(w.time + 100, every=100).event
        points.append((np.angle(np.exp(1j * w["y"])), float(w["w"])))
        w.run(w.time + 0.02, every=1)  # leaves the section
    return np.array(points)


def exponent(a, time=40.0, h=5e-3, block=20):
    """The growth of a small change, per second."""
    lin = lmc.compile(MODEL, a=a, method="RKMK4", fixed_steps=True).linearize()
    z, total = np.array([1.0, 0, 0, 0]), 0.0
    for _ in range(int(time / h / block)):
        z = lin.propagate(h, block, z[:, None])[:, 0]
        total += np.log(np.linalg.norm(z))
        z /= np.linalg.norm(z)
    return total / time


for name, a in (("low", 0.2), ("high", 2.2)):
    points = section(a, 60)
    print("%s energy: %d points, %s" % (name, len(points), "chaotic" if exponent(a) > 0.5 else "regular"))

if __name__ == "__main__":
    import sys
    if len(sys.argv) > 1:  # a picture
        from matplotlib.figure import Figure
        figure = Figure(figsize=(8, 4), layout="constrained")
        for ax, a in zip(figure.subplots(1, 2), (0.2, 2.2)):
            p = section(a, 400)
            ax.plot(p[:, 0], p[:, 1], ".", ms=3)
            ax.set(xlabel="angle", ylabel="rate", title="a = %g" % a)
        figure.savefig(sys.argv[1])
