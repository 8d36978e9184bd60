#!/usr/bin/env bash
# build_examples.sh CMAKE SOURCES BUILD PREFIX: the examples with find_package(lmc), in a fresh folder.
set -euo pipefail
rm -rf "$3"
"$1" -S "$2" -B "$3" -DCMAKE_PREFIX_PATH="$4" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" -DCMAKE_C_FLAGS="-std=c99 -Wall -Wextra -Wpedantic -Werror" >/dev/null
"$1" --build "$3" -j 2
