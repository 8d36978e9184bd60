#!/usr/bin/env bash
# mpi.sh CMAKE BUILD PREFIX SOURCE: the module of MPI is a component of its own; with it the installed tool shares an
# ensemble among ranks, and its package holds the module alone.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
test ! -e "$3/lib/lmc/liblmc_mpi.so"
cp -r "$3" "$work/installed"
"$1" --install "$2" --prefix "$work/installed" --component mpi >/dev/null
cp "$4/examples/heavy_top.lie" "$work/"
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LMC_CACHE_DIR="$work/cache"
set -- installed/bin/lmc ensemble heavy_top.lie --quiet --samples 100 --time 0..0.01 --vary 'm ~ normal(15, 1)' --output
"$@" one.csv
timeout 60 mpirun --oversubscribe -n 2 "$@" ranks.csv --mpi
cmp one.csv ranks.csv
