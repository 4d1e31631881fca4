#!/usr/bin/env bash
# Counts of mbarriers add up along the calls, but 0xffff means that a function's count is not known,
# and then the kernel's is not known either.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded unknown_mbarriers
"$CULINK" -arch=sm_90 both.cubin known_2.cubin unknown.cubin known_3.cubin -o out.cubin
"$CUBIN" text --exact out.cubin > text
expect_contains text "{attr: NUM_MBARRIERS, value: 0xffff}"
"$CULINK" -arch=sm_90 few.cubin known_2.cubin known_3.cubin -o out.cubin
"$CUBIN" text --exact out.cubin > text
expect_contains text "{attr: NUM_MBARRIERS, value: 6}"
