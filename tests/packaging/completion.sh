#!/usr/bin/env bash
# completion.sh TOOL: what the bash completion answers; that of zsh is at least well formed where there is a zsh.
set -euo pipefail
PATH=$(dirname "$1"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/top.lie" "$work/notes.txt"
cd "$work"
# shellcheck disable=SC1090
source <("$1" completion bash)
compopt() { :; }
# complete WORD…: what the last word may become.
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _lmc || true
  echo "${COMPREPLY[*]}"
}
check() {
  local expected=$1
  shift
  local answer
  answer=$(complete_words "$@")
  [ "$answer" = "$expected" ] || { echo "'$*' gives '$answer', not '$expected'"; exit 1; }
}
check "run" lmc ru
check "--tolerance" lmc run --to
check "auto never" lmc run --progress ""
check "text latex json" lmc derive --format ""
check "top.lie" lmc run t
check "LIE0001" lmc explain LIE0001
[[ " $(complete_words lmc run --method CF) " == *" CF4 "* ]]
[[ " $(complete_words lmc '') " == *" verify "* ]]
if command -v zsh >/dev/null; then zsh -n <("$1" completion zsh); fi
"$1" completion zsh | head -1 | grep -q '^#compdef lmc$'
status=0
"$1" completion fish 2>"$work/error" || status=$?
[ "$status" -eq 2 ]
grep -q 'there is no completion for `fish`' "$work/error"
