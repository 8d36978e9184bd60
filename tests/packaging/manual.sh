#!/usr/bin/env bash
# manual.sh TOOL: the manual page names every command and option of the help, and is well formed.
set -euo pipefail
page=$("$1" manual)
plain=${page//\\-/-}
commands=$("$1" --help | awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }')
[ -n "$commands" ]
for command in $commands; do
  grep -q "^\.SS \"lmc $command" <<<"$plain" || { echo "the page lacks '$command'"; exit 1; }
  for option in $("$1" "$command" --help | awk '/^  --/ { print $1 }'); do
    grep -q "^\.B $option" <<<"$plain" || { echo "the page lacks '$option' of '$command'"; exit 1; }
  done
done
if command -v groff >/dev/null; then
  problems=$(groff -man -Tascii -ww <<<"$page" 2>&1 >/dev/null)
  [ -z "$problems" ] || { echo "$problems"; exit 1; }
fi
