#!/usr/bin/env bash
# typed_model.sh PROGRAM: a wrong model is told what is wrong with it, and the next one runs.
set -euo pipefail
out=$("$1" <<'TEXT'
model Pendulum {
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(w, w) - 9.81*dot(e3, Q);
  initial q = [1, 0, 0];
}
.
model Pendulum {
  config q : S^2 velocity w;
  lagrangian = 0.5*dot(w, w) - 9.81*dot(e3, q);
  initial q = [1, 0, 0];
  simulate { method = RKMK4; time = 0..1; step = 1e-2; }
}
TEXT
)
echo "$out"
grep -q "typed:3:45: error\[LIE" <<<"$out"
grep -q 'columns 45 to 46; did you mean `q`?' <<<"$out"
grep -q "reached t = 1 in 100 steps" <<<"$out"
