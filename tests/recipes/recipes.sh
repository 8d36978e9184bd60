#!/bin/sh
# recipes.sh CMAKE SOURCES BUILD: adds the files that CONTRIBUTING.md shows to a copy of the sources, nothing else,
# builds the tool there (libraries of folders that are as they were come from BUILD), and uses what was added.
set -eu
cmake=$1 source=$2 build=$3
copy=$build/recipes
rm -rf "$copy"
mkdir -p "$copy"
trap 'rm -rf "$copy"' EXIT
cp -R "$source/CMakeLists.txt" "$source/layers.txt" "$source/cmake" "$source/compiler" "$source/runtime" \
  "$source/stdlib" "$copy"

# A block of C++ below a line that ends with `PATH`: is that file.
added=$(awk -v copy="$copy" '
  /^```cpp$/ && path { file = copy "/" path; print path; inside = 1; next }
  /^```$/ { inside = 0; path = "" }
  inside { print > file; next }
  match($0, /`[A-Za-z\/]+\.cpp`:$/) { path = substr($0, RSTART + 1, RLENGTH - 3) }
  /^[^`]/ && !/:$/ { path = "" }' "$source/CONTRIBUTING.md")
printf 'added: %s\n' $added
[ "$(printf '%s\n' $added | wc -l)" -eq 2 ]
for file in $added; do [ -f "$copy/$file" ] && [ ! -e "$source/$file" ]; done

"$cmake" -S "$copy" -B "$copy/build" -DCMAKE_BUILD_TYPE=Release -DLMC_BUILD_TESTS=OFF "-DLMC_BUILT=$build" \
  "-DLMC_CHANGED=compiler/tool/commands/reference;runtime/output" >"$copy/log" 2>&1 || { cat "$copy/log"; exit 1; }
"$cmake" --build "$copy/build" --target lmc_commands -j 2 >"$copy/log" 2>&1 || { cat "$copy/log"; exit 1; }
mkdir -p "$copy/build/lib"
for module in "$build"/lib/liblmc_*.so; do
  [ -e "$copy/build/lib/$(basename "$module")" ] || ln -s "$module" "$copy/build/lib/"
done

lmc=$copy/build/bin/lmc
LMC_CACHE_DIR=$copy/cache
export LMC_CACHE_DIR
[ "$("$lmc" greet world --times 2)" = "$(printf "Hello, world\nHello, world")" ]
status=0
"$lmc" greet 2>"$copy/said" || status=$?
[ "$status" -eq 2 ] && grep -q 'whom' "$copy/said"
"$lmc" gret 2>&1 | grep -q 'did you mean `greet`'
"$lmc" --help | grep -q 'greet .*says hello'
"$lmc" greet --help | grep -q -- '--times N .*how often (1)'
"$lmc" manual | grep -q 'lmc greet NAME'
for shell in bash zsh; do "$lmc" completion "$shell" | grep -q 'greet'; done

cat >"$copy/m.lie" <<'TEXT'
model Oscillator {
  config x : R velocity v;
  lagrangian = 0.5*v^2 - 0.5*x^2;
  initial x = 1;
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
}
TEXT
"$lmc" run "$copy/m.lie" --output "$copy/a.tsv" --quiet
"$lmc" run "$copy/m.lie" --output "$copy/a.csv" --quiet
tr '\t' , <"$copy/a.tsv" | cmp - "$copy/a.csv"
"$lmc" run "$copy/m.lie" --output "$copy/a.xyz" 2>&1 | grep -q '\.csv, \.npz, \.h5 or \.tsv'
"$lmc" run --help | grep -q 'FILE.csv|.npz|.h5|.tsv'
