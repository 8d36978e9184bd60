#!/usr/bin/env bash
# python.sh PYTHON PREFIX SOURCE: the wheel and python3-lmc, each unpacked where nothing else of lmc is, run the example.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/try.py" <<'TEXT'
import sys

import lmc

assert lmc.__file__.startswith(sys.argv[1]), lmc.__file__
library = lmc._lib._name
assert library.startswith(sys.argv[1]), library
top = lmc.compile(sys.argv[2])
run = top.run(time=(0, 0.1), every=0.01)
assert run["R"].shape == (11, 3, 3) and run.energy_error < 1e-5
assert top.ensemble(10, {"m": "normal(15, 1)"}).failed == 0
assert "SO(3)" in [m.name for m in lmc.manifolds()]
print("works")
TEXT
try() { # try FOLDER PYTHONPATH
  env -i HOME="$work" PATH=/usr/bin:/bin PYTHONPATH="$2" "$python" -B "$work/try.py" "$1" "$source/examples/heavy_top.lie" | grep -q works
}
python=$1 prefix=$2 source=$3

wheel=$("$python" -B "$source/tools/python_package.py" wheel "$prefix" "$work")
mkdir "$work/site"
"$python" -m zipfile -e "$wheel" "$work/site"
chmod +x "$work/site/lmc/_installation/bin/lmc" # as installers do
(cd "$work/site" && "$python" - <<'TEXT'
import base64, hashlib, pathlib
# The record names every file, with its hash.
lines = [l.rsplit(",", 2) for l in next(pathlib.Path(".").glob("*.dist-info/RECORD")).read_text().split()]
for name, digest, size in lines:
    if digest:
        content = pathlib.Path(name).read_bytes()
        assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode(), name
        assert int(size) == len(content), name
files = {p.as_posix() for p in pathlib.Path(".").rglob("*") if p.is_file()}
assert files == {l[0] for l in lines}, files ^ {l[0] for l in lines}
TEXT
)
try "$work/site" "$work/site"

package=$("$python" -B "$source/tools/python_package.py" deb "$work")
dpkg-deb --field "$package" Depends | grep -q '^lmc (>= .*python3-numpy'
mkdir "$work/system"
dpkg-deb --extract "$package" "$work/system"
cp -r "$prefix/." "$work/system/usr/"
try "$work/system" "$work/system/usr/lib/python3/dist-packages"
