#!/usr/bin/env bash
# Where kernels are selected and a bank of constants is packed, variables that debug information names
# count as used (Q051).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded constants_named_by_debug_information
"$CULINK" -arch=sm_90 --check -kernels-used=k1 used.cubin named.cubin more.cubin -o out.cubin
"$CUBIN" dump --symbols out.cubin > symbols
expect_contains symbols named
not grep -q more symbols
