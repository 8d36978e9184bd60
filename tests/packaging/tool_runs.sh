#!/usr/bin/env bash
# tool_runs.sh PREFIX SOURCE: the installed tool, without any help from the environment, compiles and writes all formats.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$2/examples/heavy_top.lie" "$work/"
cd "$work"
for format in csv npz h5; do
  env -i HOME="$work" PATH=/usr/bin:/bin "$1/bin/lmc" run heavy_top.lie --time 0..0.01 --output "top.$format" | grep -q 'steps'
  test -s "top.$format"
done
env -i HOME="$work" "$1/bin/lmc" manifolds | grep -q '^SO(3)'
# Without its library it says so.
status=0
LMC_HOME="$work" "$1/bin/lmc" check heavy_top.lie 2>error.txt || status=$?
[ "$status" -eq 70 ]
grep -q 'the standard library is missing: there is no folder `stdlib`' error.txt
test -s "$1/share/man/man1/lmc.1"
test -s "$1/share/bash-completion/completions/lmc"
test -s "$1/share/zsh/vendor-completions/_lmc"
test -s "$1/share/fish/vendor_completions.d/lmc.fish"
