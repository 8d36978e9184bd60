#!/usr/bin/env bash
# pkg_config.sh PREFIX SOURCES WORK: a program without CMake.
set -euo pipefail
mkdir -p "$3"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$1" -name lmc.pc)")
read -r -a flags <<<"$(pkg-config --cflags --libs lmc)"
c++ -std=c++17 "$2/smallest.cpp" "${flags[@]}" "-Wl,-rpath,$(pkg-config --variable=libdir lmc)" -o "$3/smallest_pc"
"$3/smallest_pc" | grep -q 'relative energy error'
