#!/usr/bin/env bash
# install.sh CMAKE BUILD PREFIX: installs to a folder, then moves the folder to PREFIX.
set -euo pipefail
rm -rf "$3" "$3.first"
"$1" --install "$2" --prefix "$3.first" >/dev/null
mv "$3.first" "$3"
# No file that is read by others knows the folder of the source or of the build.
if grep -rIl -e "$2" "$3" --include=*.cmake --include=*.pc --include=*.hpp --include=*.h; then
  echo "these files of the installation name the build folder"
  exit 1
fi
