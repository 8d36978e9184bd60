#!/usr/bin/env bash
# completion.sh TOOL: what the completions of bash and fish answer; that of zsh is well formed. All know all of the tool.
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

# Each command, and each of its options, is known to each shell: to bash and fish by what they answer, to zsh by what is
# written down for it.
zsh_text=$("$1" completion zsh)
head -1 <<<"$zsh_text" | grep -q '^#compdef lmc$'
"$1" completion fish >lmc.fish
: >asked
commands=$("$1" --help | awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }')
[ "$(wc -w <<<"$commands")" -gt 20 ]
in_bash=" $(complete_words lmc '') "
for command in $commands; do
  [[ "$in_bash" == *" $command "* ]] || { echo "bash lacks '$command'"; exit 1; }
  grep -q "^    '$command:" <<<"$zsh_text" || { echo "zsh lacks '$command'"; exit 1; }
  part=$(awk -v head="    $command)" '$0 == head { on = 1 } on { print } on && /^      ;;/ { exit }' <<<"$zsh_text")
  of_command=" $(complete_words lmc "$command" -) "
  echo "$command" >>asked
  for option in $("$1" "$command" --help | awk '/^  --/ { print $1 }'); do
    [[ "$of_command" == *" $option "* ]] || { echo "bash lacks '$option' of '$command'"; exit 1; }
    [ "$option" = --help ] || [[ "$part" == *"'$option["* || "$part" == *"'*$option["* ]] ||
      { echo "zsh lacks '$option' of '$command'"; exit 1; }
    echo "$command $option" >>asked
  done
done
if command -v zsh >/dev/null; then zsh -n <(echo "$zsh_text"); fi
if command -v fish >/dev/null; then
  cat >all.fish <<'FISH'
source lmc.fish
for line in (cat asked)
    set -l words (string split ' ' $line)
    if test (count $words) -eq 1
        contains $words[1] (complete -C 'lmc ' | string split -f1 \t); or echo "fish lacks $line"
    else if not contains -- $words[2] (complete -C "lmc $words[1] --" | string split -f1 \t)
        echo "fish lacks $line"
    end
end
complete -C 'lmc run --progress ' | string split -f1 \t | string join ' '
complete -C 'lmc run t' | string split -f1 \t | string join ' '
complete -C 'lmc run --method CF4' | string split -f1 \t | head -1
complete -C 'lmc completion ' | string split -f1 \t | sort | string join ' '
FISH
  answers=$(HOME=$work fish --no-config all.fish)
  expected=$(printf 'auto never\ntop.lie\nCF4\nbash fish zsh')
  [ "$answers" = "$expected" ] || { echo "fish answers: $answers"; exit 1; }
fi
status=0
"$1" completion csh 2>"$work/error" || status=$?
[ "$status" -eq 2 ]
grep -q 'there is no completion for `csh`' "$work/error"
