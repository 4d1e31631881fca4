#!/usr/bin/env bash
# A record of .nv.info has at most 65,535 bytes: 16,383 words. A kernel whose list would be longer, because
# it inherits the lists of several functions, is refused rather than written with a part of it.
. "${BASH_SOURCE%/*}/../common.inc.sh"
program() { # words in the list of each of two functions, file
  {
    printf 'arch: sm_100\nfunctions:\n'
    for function in f g; do
      first=$([ "$function" = f ] && echo 0 || echo "$1")
      printf -- '- {name: %s, code: nop, attributes: [{attr: AT_ENTRY_FRAGMENTS, values: [' "$function"
      seq -s ', ' "$first" $((first + $1 - 1))
      printf ']}]}\n'
    done
    printf -- '- {name: k, kernel: true, code: nop, calls: [f, g]}\n'
    printf -- '- {name: other, kernel: true, code: nop}\n'
  } > list.yaml
  "$CUBIN" assemble list.yaml -o "$2"
}
program 8191 fits.cubin
"$CULINK" -arch=sm_100 --code=sass fits.cubin -o out.cubin
program 8192 over.cubin
expect_status 1 "$CULINK" --error-format=json -arch=sm_100 --code=sass over.cubin -o none.cubin 2> messages
expect_contains messages '"id":"too-large-for-field"'
expect_contains messages '"16384","16383"'
