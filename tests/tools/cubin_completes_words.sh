#!/usr/bin/env bash
# Commands, options and values of cubin complete in bash, zsh and fish; the manual page says a thing once.
. "${BASH_SOURCE%/*}/../common.inc.sh"

"$CUBIN" --print-docs bash > cubin.bash
# complete WORD...: what bash offers for the last word.
complete_words() {
  bash --norc -c '
    . ./cubin.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _cubin
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
complete_words cubin us > words
[ "$(cat words)" = usage ] || fail "$(cat words)"
complete_words cubin usage --so > words
[ "$(cat words)" = --sort ] || fail "$(cat words)"
complete_words cubin size --by temp > words
[ "$(cat words)" = template ] || fail "$(cat words)"
complete_words cubin size --by = ker > words
[ "$(cat words)" = kernel ] || fail "$(cat words)"
complete_words cubin extract --form '' > words
[ "$(paste -sd' ' words)" = "cubin ptx lto" ] || fail "$(cat words)"
complete_words cubin usage --sort reg > words
expect_contains words registers
complete_words cubin usage --where kind > words
[ "$(paste -sd' ' words)" = "kind=kernel kind=function" ] || fail "$(cat words)"
complete_words cubin list --target sm_12 > words
expect_contains words sm_120 sm_121a
complete_words cubin prune --keep re > words
[ "$(cat words)" = relocatable ] || fail "$(cat words)"
touch linked.cubin
complete_words cubin verify li > words
[ "$(cat words)" = linked.cubin ] || fail "$(cat words)"

"$CUBIN" --print-docs man > cubin.1
[ "$(grep -c '^.TP' cubin.1)" -gt 60 ] || fail "the page is too short"
[ "$(grep -cF 'Print this text' cubin.1)" -le 1 ] || fail "help is explained again and again"
grep -q 'SH cubin callgraph' cubin.1 || fail "a command is missing"
grep -A2 '^.TP' cubin.1 | paste -d' ' - - - - | sort | uniq -c | awk '$1 > 2' > repeated
[ ! -s repeated ] || fail "said again and again: $(cat repeated)"

"$CUBIN" --print-docs zsh > _cubin
"$CUBIN" --print-docs fish > cubin.fish
if command -v zsh > /dev/null; then zsh -n _cubin || fail "zsh cannot read it"; fi
if command -v fish > /dev/null; then
  HOME=$WORK fish --no-config -c "source cubin.fish; complete -C 'cubin size --by='" > words
  expect_contains words template packing
  HOME=$WORK fish --no-config -c "source cubin.fish; complete -C 'cubin dis'" > words
  expect_contains words disasm
fi
