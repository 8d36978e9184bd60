"""What the tests share."""
import os
from pathlib import Path

SOURCE = Path(os.environ.get("LMC_SOURCE", Path(__file__).resolve().parents[2]))
BINARY = Path(os.environ.get("LMC_BINARY", SOURCE / "build"))
EXAMPLES = SOURCE / "examples"

PENDULUM = """
model Pendulum {
  param m = 2;  param l = 0.5;  param g = 9.81;
  config q : S^2 velocity w;
  input u : vec(3) = [0, 0, 0];
  lagrangian = 0.5*m*l^2*dot(q', q') - m*g*l*dot(e3, q);
  force on q = cross(q, u);
  initial q = [1, 0, 0];
  initial w = [0, 0.5, 0];
  observe height = l*dot(e3, q);
  event low = q[3] + 0.9;
  simulate { method = RKMK54; time = 0..1; step = 0.01; }
}
"""

SPRING = """
model Spring {
  param k = 4;  param c = 0.3;
  config x : R^1 velocity v;
  input u : real = 0;
  lagrangian = 0.5*v^2 - 0.5*k*x^2;
  force on x = u - c*v;
  initial x = 1;  initial v = 0;
  observe place = x;
  simulate { method = RKMK4; time = 0..2; step = 1e-3; }
}
"""

BALL = """
model Ball {
  param g = 10;  param e = 0.5;
  config x : R velocity v;
  discrete hits : int = 0;
  lagrangian = 0.5*v^2 - g*x;
  initial x = 5;  initial v = 0;
  event ground = falling(x) { reset v = -e*v; reset hits = hits + 1; }
  every 0.25 from 0.1 { reset hits = hits; }
  simulate { method = RKMK4; time = 0..2.6; step = 0.01; }
}
"""
