#!/usr/bin/env bash
# Objects for sm_110 have Mercury code beside their machine code. Where one input has machine code
# alone (alone.cubin, an object whose Mercury half was taken away), so has the output, and a warning
# says what that means. --code=sass asks for such an output without an input like that.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded machine_code_alone

"$CULINK" -arch=sm_110 alone.cubin caller.cubin -r -o out 2> messages
expect_contains messages "run on sm_110 only" alone.cubin
not "$CULINK" -arch=sm_110 -Werror alone.cubin -o out 2> messages
not "$CULINK" -arch=sm_110 --code=mercury alone.cubin -o out 2> messages
expect_contains messages "alone.cubin: has no Mercury code"

"$CULINK" -arch=sm_110 --code=sass caller.cubin callee.cubin -o out 2> messages
[ ! -s messages ] || fail "$(cat messages)"
"$CUBIN" verify out
"$CUBIN" dump out > listing
expect_lacks listing merc
