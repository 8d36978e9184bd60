// A model whose mass equation no elimination solves: terms of it cancel.
#pragma once

namespace lmc {

/// Y is lighter by twelve decades than the forces that cancel in its equation, beside a chain.
inline const char* const cancelling = R"(group Planar {
  element A : mat(3,3);
  algebra w : vec(3);
  basis = [[[0, -1, 0.5], [1, 0, -0.25], [0, 0, 0]],
           [[0, 0, 2], [0, 0, 0.5], [0, 0, 0]],
           [[0, -0.5, 0], [0.5, 0, -1], [0, 0, 0]]];
}
manifold Plane {
  point x : vec(2);
  group SE(2);
  action(A, x) = A.R*x + A.x;
  horizontal(x, u) = u.w;
  random = normal(0, 1, 2);
}
manifold SkewedPlane {
  point x : vec(2);
  group Planar;
  action(A, x) = [A[1,1]*x[1] + A[1,2]*x[2] + A[1,3], A[2,1]*x[1] + A[2,2]*x[2] + A[2,3]];
  fn turn(W) = W[2,1];
  horizontal(x, w) = turn(Planar.hat(w));
  random = normal(0, 1, 2);
}
model Random {
  param N : int = 4;
  param k = 1;
  config X[N] : SkewedPlane velocity u;
  config Y : Plane velocity v;
  let p2[1] = [X[1][1], X[1][2], X[1][2]];
  let p2[i in 2..N] = p2[i-1] + [X[i][1], sin(X[i][1]), X[i][2]];
  lagrangian = (7.7277e-11*(v.w^2) + ((7.7277e-11*dot(v.v, v.v))*(1.5 + sin(log(1.7875 + (dot([X[4][1], X[4][2], X[4][2]], [X[4][1], X[4][2], X[4][2]])^2))))))
    + (sum(i in 1..N: 19.73*k*dot(p2[i]', p2[i]')))
    + (sin(dot(p2[1], p2[1]))*v.w);
  initial X[1] = [0.2194930780143407, -1.6764599719301432];
  initial u[1] = [-1.2108545422537327, 2.5388061545416516, 2.4217090845074654];
  initial X[2] = [0.6471372507320453, 0.8723656063807214];
  initial u[2] = [-0.17812255096846188, 1.242029440973487, 0.35624510193692377];
  initial X[3] = [2.185584567683257, 0.7767014140912116];
  initial u[3] = [-0.7541825800143727, 0.6600767930453233, 1.5083651600287453];
  initial X[4] = [0.3548745119200391, -0.32609255865026693];
  initial u[4] = [-0.6282680313737662, 0.946736551076156, 1.2565360627475324];
  initial Y = [0.18323920186227924, 0.8478509158437028];
  initial v = (w = 0, v = [-0.2760578890172628, -1.3648341256805425]);
  simulate { method = RKMK54; step = 1e-3; time = 0..0.002; }
}
)";

} // namespace lmc
