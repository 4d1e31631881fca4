#!/usr/bin/env bash
# A relocatable link leaves two local functions of one name in a file for sm_100. In the next link
# nvlink gives both the records and the relocations of the first: a barrier is lost, and a value goes
# to the wrong variable (Q110). culink by itself does not.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded records_of_local_functions --code=mercury
"$CULINK" -arch=sm_100 --code=mercury both.out.cubin -o own.cubin
"$CUBIN" dump --info own.cubin > own
"$CUBIN" dump --info program.out.cubin > nvlinks
expect_contains own NUM_BARRIERS
expect_lacks nvlinks NUM_BARRIERS
"$CULINK" -arch=sm_100 --code=mercury twins.out.cubin -o own.cubin
own=$("$CUBIN" dump --relocs own.cubin | grep -c twin_out)
nvlinks=$("$CUBIN" dump --relocs twins_program.out.cubin | grep -c twin_out)
[ "$own" -gt "$nvlinks" ] || fail "twin_out is mentioned $own times, in nvlink's file $nvlinks times"
