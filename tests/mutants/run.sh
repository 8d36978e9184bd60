#!/usr/bin/env bash
# Plants the faults of mutants.txt one at a time in a copy of the tree, and counts which of them `lmc verify` finds by
# itself (on the examples, then on the models of models/ and on the library's own files too) and which only the tests find.
#
#   run.sh FOLDER [--only NAME] [--again] [--verify | --tests "TEST…"]   plants; FOLDER is where the copy and its build are
#   run.sh FOLDER --table                                the results so far
#   run.sh --list | --check                              the mutants; whether each text stands exactly once in its file
#
# What has been found is in FOLDER/results.tsv; a run goes on where the last one stopped. Mutants of C++ files are all
# compiled at once, each behind a switch that the environment variable LMC_MUTANT turns on; texts of the library are
# replaced and need no compiling; kernels are compiled one by one.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
root=$(cd "$here/../.." && pwd)
table=$here/mutants.txt

# Programs that are built and run, in this order, until one fails that passes without the mutant; those that are cheap and
# near the equations come first.
tests=(
  "mechanics_test" "sym_test" "lower_test" "sema_test" "study_test" "model_checks_test" "lmc_differential --cases 40 --seed 1000 --whole" "methods_test" "laws_test"
  "stumpff_test" "tape_test" "derive_golden_test" "acceptance_variational" "acceptance_hamiltonian" "orders_test"
  "lower_examples_test" "linearization_test" "acceptance_orders" "acceptance_library" "runtime_tests"
)

declare -a names
declare -A file meaning old new

read_table() {
  local line name=
  while IFS= read -r line; do
    case "$line" in
      '== '*)
        name=${line#== }
        file[${name%% *}]=${name#* }
        name=${name%% *}
        names+=("$name")
        ;;
      '-- '*) old[$name]=${line#-- } ;;
      '++ '*) new[$name]=${line#++ } ;;
      '#'* | '') ;;
      *) meaning[$name]=$line ;;
    esac
  done <"$table"
}

# How often a text stands in another.
occurrences() {
  local rest=${1//"$2"/}
  echo $(((${#1} - ${#rest}) / ${#2}))
}

check() {
  local name text n wrong=0
  for name in "${names[@]}"; do
    text=$(<"$root/${file[$name]}")
    n=$(occurrences "$text" "${old[$name]}")
    if [ "$n" -ne 1 ]; then
      echo "$name: the text stands $n times in ${file[$name]}: ${old[$name]}"
      wrong=1
    fi
    if [ -z "${new[$name]+x}" ] || [ -z "${meaning[$name]+x}" ]; then echo "$name: incomplete"; wrong=1; fi
  done
  if [ "${#names[@]}" -lt 60 ]; then echo "only ${#names[@]} mutants"; wrong=1; fi
  echo "${#names[@]} mutants"
  return "$wrong"
}

# replace FILE OLD NEW: the text must stand there once.
replace() {
  local text
  text=$(<"$1")
  [ "$(occurrences "$text" "$2")" -eq 1 ] || { echo "the text is not there exactly once: $1: $2" >&2; return 1; }
  printf '%s\n' "${text/"$2"/"$3"}" >"$1"
}

# The tree as it is now, with switches; what is the same as before keeps its time, so that little is compiled again.
copy_tree() {
  local stage=$folder/stage path
  rm -rf "$stage"
  mkdir -p "$stage" "$tree"
  (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - 2>/dev/null) |
    tar -C "$stage" -xf -
  plant_switches "$stage"
  (cd "$stage" && find . -type f -print0) | while IFS= read -r -d '' path; do
    cmp -s "$stage/$path" "$tree/$path" && continue
    mkdir -p "$(dirname "$tree/$path")"
    cp -p "$stage/$path" "$tree/$path"
    touch "$tree/$path"
  done
  (cd "$root" && git ls-files -z --deleted) | while IFS= read -r -d '' path; do rm -f "$tree/$path"; done
  rm -rf "$stage"
}

# All mutants of C++ files of the tree $1 behind switches.
plant_switches() {
  local tree=$1 name path planted=
  printf '%s\n' '#pragma once' '#include <cstdlib>' '#include <cstring>' \
    '/// Whether this mutant is planted in this run.' \
    'inline bool lmc_mutant(const char* name) {' \
    '  static const char* const now = std::getenv("LMC_MUTANT");' \
    '  return now != nullptr && std::strcmp(now, name) == 0;' '}' >"$tree/compiler/base/PlantedMutant.h"
  for name in "${names[@]}"; do
    path=${file[$name]}
    case "$path" in *.cpp) ;; *) continue ;; esac
    replace "$tree/$path" "${old[$name]}" "(::lmc_mutant(\"$name\") ? (${new[$name]}) : (${old[$name]}))"
    case "$planted" in
      *" $path "*) ;;
      *)
        planted="$planted $path "
        { echo '#include "base/PlantedMutant.h"'; cat "$tree/$path"; } >"$tree/$path.new"
        mv "$tree/$path.new" "$tree/$path"
        ;;
    esac
  done
}

build() { nice -n 19 ninja -C "$bin/.." -j "${JOBS:-$(nproc)}" "$@" >"$folder/build.log" 2>&1; }

prepare() {
  echo "copying and building what has changed" >&2
  copy_tree
  rm -f "$folder/saved" # of a run that was ended: the tree is whole again
  local link=()
  if command -v ld.lld >/dev/null; then
    link=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld)
  fi
  [ -f "$bin/../build.ninja" ] || cmake -S "$tree" -B "$bin/.." -G Ninja -DCMAKE_BUILD_TYPE=Release "${link[@]}" >"$folder/configure.log" 2>&1
  build lmc lmc_modules || { tail -20 "$folder/build.log" >&2; exit 1; }
}

# verified FILE…: prints the first one that verify refuses, and what it says; fails if there is one.
verified() {
  local f status said limit
  for f in "$@"; do
    case " $excluded " in *" ${f#"$tree"/} "*) continue ;; esac
    limit=$(time_of "${f#"$tree"/}")
    status=0
    nice -n ${NICE:-19} timeout $((20 + limit / 50)) "$bin/lmc" verify "$f" >"$folder/verify.out" 2>&1 || status=$?
    [ "$status" -ne 0 ] || continue
    said=$(grep -o 'LIE[0-9][0-9]*' "$folder/verify.out" | head -n 1) || true
    case "$status" in
      1) ;;
      124) said="no end in $((20 + limit / 50)) s" ;;
      *) said="$said status $status" ;;
    esac
    printf '%s\t%s\n' "${f#"$tree"/}" "$said"
    return 1
  done
}

# time_of FILE: milliseconds that verify takes without any mutant.
time_of() {
  local ms
  ms=$(awk -F '\t' -v f="$1" '$2 == f { print $1 }' "$folder/times" 2>/dev/null) || true
  echo "${ms:-60000}"
}

# The quick ones of some files first: most mutants are found before the slow ones.
by_time() {
  local f
  for f in "$@"; do printf '%s\t%s\n' "$(time_of "${f#"$tree"/}")" "$f"; done | sort -n -s -k1,1 | cut -f2
}

examples() { by_time "$tree"/examples/*.lie; }
# Models with what no example has: friction, masses that depend on angles, terms linear in velocities, explicit time.
models() { by_time "$tree"/tests/mutants/models/*.lie; }
# The library's manifolds, and the file of methods that a mutant is in: orders take their time.
library() {
  by_time "$tree"/stdlib/*.lie
  case "$1" in runtime/steppers/*) echo "$tree/$1" ;; esac
}

# passes TEST…: builds and runs one program.
passes() {
  build lmc lmc_modules "$1" || return 1
  (cd "$folder" && nice -n ${NICE:-19} timeout 900 "$bin/$1" "${@:2}" >"$folder/test.out" 2>&1)
}

# tested NAME: prints the first test that fails with the mutant and passes without; fails if there is one.
tested() {
  local t said
  for t in "${tests[@]}"; do
    grep -qxF "${t%% *}" "$folder/excluded" && continue
    # shellcheck disable=SC2086
    passes $t && continue
    said=$(grep -m 1 -o '\[  FAILED  \] [^ ,]*' "$folder/test.out" | cut -d ' ' -f 6) || true
    take_back "$1"
    # shellcheck disable=SC2086
    if passes $t; then
      printf '%s\t%s\n' "${t%% *}" "$said"
      return 1
    fi
    echo "${t%% *}" >>"$folder/excluded"
    plant "$1"
  done
}

# What fails without any mutant says nothing: it is left out, and named. The time that each file takes is kept.
baseline() {
  [ -f "$folder/times" ] && [ -z "$(find "$bin/lmc" -newer "$folder/times")" ] && return
  excluded=
  rm -f "$folder/times"
  local f before
  : >"$folder/excluded.new"
  : >"$folder/times.new"
  for f in "$tree"/examples/*.lie "$tree"/tests/mutants/models/*.lie "$tree"/stdlib/*.lie $(mutated_methods); do
    rm -rf "$LMC_CACHE_DIR"
    before=$(date +%s%3N)
    verified "$f" | cut -f 1 >>"$folder/excluded.new" || true
    printf '%s\t%s\n' $(($(date +%s%3N) - before)) "${f#"$tree"/}" >>"$folder/times.new"
  done
  [ ! -s "$folder/excluded.new" ] || { echo "refused without any mutant:"; cat "$folder/excluded.new"; } >&2
  mv "$folder/excluded.new" "$folder/excluded"
  mv "$folder/times.new" "$folder/times"
}

# The library's files of methods that have mutants.
mutated_methods() {
  local name
  for name in "${names[@]}"; do
    case "${file[$name]}" in runtime/steppers/*) echo "$tree/${file[$name]}" ;; esac
  done | sort -u
}

# A mutant of a C++ file is a switch; others are texts that are replaced until they are taken back.
plant() {
  local path=${file[$1]}
  case "$path" in
    *.cpp) export LMC_MUTANT=$1 ;;
    *)
      cp "$tree/$path" "$folder/saved"
      replace "$tree/$path" "${old[$1]}" "${new[$1]}"
      case "$path" in *.c) build lmc lmc_codegen ;; esac
      ;;
  esac
}

take_back() {
  local path=${file[$1]}
  export LMC_MUTANT=
  [ -f "$folder/saved" ] || return 0
  mv "$folder/saved" "$tree/$path"
  touch "$tree/$path"
  case "$path" in *.c) build lmc lmc_codegen ;; esac
}

# try NAME: one line of results.
try() {
  local name=$1 path=${file[$1]} where="" found=survived known
  known=$(awk -F '\t' -v n="$name" '$1 == n { print $2 }' "$folder/results.tsv")
  LMC_CACHE_DIR=$(mktemp -d "$folder/cache.XXXXXX")
  export LMC_CACHE_DIR
  plant "$name"
  if [ "$known" = not-verify ] && [ "$again" = no ]; then
    : # verify has been asked
  elif ! where=$(verified $(examples)); then
    found=examples
  elif ! where=$(verified $(models)); then
    found=models
  elif ! where=$(verified $(library "$path")); then
    found=library
  fi
  if [ "$found" != survived ]; then
    :
  elif [ "$verify_only" = yes ]; then
    found=not-verify
  elif ! where=$(tested "$name"); then
    found=tests
  elif [ "$some_tests" = yes ]; then
    found=not-verify
  fi
  take_back "$name"
  rm -rf "$LMC_CACHE_DIR"
  sed -i "/^$name\t/d" "$folder/results.tsv"
  printf '%s\t%s\t%s\n' "$name" "$found" "$where" | tee -a "$folder/results.tsv"
}

show() {
  local kind
  sort -k2,2 -k1,1 "$folder/results.tsv" | awk -F '\t' '{ printf "%-28s %-12s %s %s\n", $1, $2, $3, $4 }'
  echo
  for kind in examples models library tests not-verify survived; do
    printf '%4d %s\n' "$(awk -F '\t' -v k="$kind" '$2 == k' "$folder/results.tsv" | wc -l)" "$kind"
  done
  printf '%4d of %d tried\n' "$(wc -l <"$folder/results.tsv")" "${#names[@]}"
}

read_table
case "${1:-}" in
  --list)
    for name in "${names[@]}"; do printf '%-28s %-40s %s\n' "$name" "${file[$name]}" "${meaning[$name]}"; done
    exit
    ;;
  --check)
    check
    exit
    ;;
  '' | -*)
    sed -n '2,12s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
tree=$folder/tree bin=$folder/tree/build/bin
only= again=no verify_only=no some_tests=no
touch "$folder/results.tsv"
while [ $# -gt 0 ]; do
  case "$1" in
    --only) only=$2 && shift ;;
    --again) again=yes ;;
    --verify) verify_only=yes ;;
    --tests) # these alone: what they leave may be found by others
      some_tests=yes tests=()
      for t in $2; do tests+=("$t"); done
      shift
      ;;
    --table)
      show
      exit
      ;;
    *) echo "there is no option $1" >&2 && exit 2 ;;
  esac
  shift
done
if [ -n "$only" ] && [ -z "${file[$only]+x}" ]; then echo "there is no mutant $only" >&2 && exit 2; fi
mkdir -p "$bin"
prepare
LMC_CACHE_DIR=$folder/cache
export LMC_CACHE_DIR LMC_MUTANT=
baseline
excluded=$(tr '\n' ' ' <"$folder/excluded")
for name in "${names[@]}"; do
  [ -z "$only" ] || [ "$only" = "$name" ] || continue
  if [ "$again" = no ] && [ -z "$only" ]; then
    known=$(awk -F '\t' -v n="$name" '$1 == n { print $2 }' "$folder/results.tsv")
    case "$known" in '' | not-verify) ;; *) continue ;; esac
    [ "$known" != not-verify ] || [ "$verify_only" = no ] || continue
  fi
  try "$name"
done
show
