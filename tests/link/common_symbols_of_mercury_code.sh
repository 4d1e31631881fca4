#!/usr/bin/env bash
# Common symbols in objects for sm_100: they stay common in culink's own -r, in both symbol tables, so
# that the next link can still give them a value (Q057).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded common_symbols_of_mercury_code --code=mercury
"$CULINK" --code=mercury -arch=sm_100 -r c16.cubin c32.cubin -o part.cubin
"$CUBIN" verify part.cubin
"$CUBIN" dump --symbols part.cubin > symbols
[ "$(grep -cE 'COMMON +x$' symbols)" -ge 1 ] || fail "x is not common any more: $(cat symbols)"
"$CULINK" --code=mercury -arch=sm_100 part.cubin initial.cubin -o out.cubin
"$CUBIN" verify out.cubin
"$CUBIN" usage out.cubin > two_steps
"$CULINK" --code=mercury -arch=sm_100 c16.cubin c32.cubin initial.cubin -o out.cubin
"$CUBIN" usage out.cubin > one_step
expect_same one_step two_steps
