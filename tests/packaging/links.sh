#!/usr/bin/env bash
# links.sh PREFIX: every link of an installed page to another file leads somewhere.
set -euo pipefail
cd "$1/share/doc/lmc"
status=0
while IFS= read -r page; do
  while IFS= read -r target; do
    target=${target%%#*}
    case "$target" in '' | http* | *' '*) continue ;; esac # a lambda in code looks like a link
    [ -e "$(dirname "$page")/$target" ] || { echo "$page: $target"; status=1; }
  done < <(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//')
done < <(find . -name '*.md')
exit "$status"
