#!/usr/bin/env bash
# Commands, options and values of cubin complete in bash; the manual page says a thing once.
. "${BASH_SOURCE%/*}/../common.inc.sh"

"$CUBIN" --print-docs bash > cubin.bash
touch linked.cubin
# complete_words WORD...: what bash offers for the last word, on one line.
complete_words() {
  bash --norc -c '
    . ./cubin.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _cubin
    echo "${COMPREPLY[*]}"' bash "$@"
}
# offers WORDS WORD...: these and no other.
offers() {
  [ "$(complete_words "${@:2}")" = "$1" ] || fail "${*:2}: $(complete_words "${@:2}")"
}
offers usage cubin us
offers --sort cubin usage --so
offers template cubin size --by temp
offers kernel cubin size --by = ker
offers "cubin ptx lto" cubin extract --form ''
offers "kind=kernel kind=function" cubin usage --where kind
offers relocatable cubin prune --keep re
offers linked.cubin cubin verify li
says 0 registers -- complete_words cubin usage --sort reg
says 0 sm_120 sm_121a -- complete_words cubin list --target sm_12

"$CUBIN" --print-docs man > cubin.1
[ "$(grep -c '^.TP' cubin.1)" -gt 60 ] || fail "the page is too short"
[ "$(grep -cF 'Print this text' cubin.1)" -le 1 ] || fail "help is explained again and again"
expect_contains cubin.1 'SH cubin callgraph'
grep -A2 '^.TP' cubin.1 | paste -d' ' - - - - | sort | uniq -c | awk '$1 > 2' > repeated
[ ! -s repeated ] || fail "said again and again: $(cat repeated)"
