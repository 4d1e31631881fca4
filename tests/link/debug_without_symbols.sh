#!/usr/bin/env bash
# -g with -suppress-debug-info keeps all code, as -g does, but shared variables get no symbols. nvlink lets
# kernels be selected and leaves the others incomplete (Q134); culink keeps them all.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded debug_without_symbols
"$CULINK" -arch=sm_80 -g -suppress-debug-info a.cubin -o out.cubin
"$CUBIN" text --exact out.cubin > text
expect_contains text ".text.unused"
expect_lacks text "name: both"
"$CULINK" -arch=sm_80 -g -suppress-debug-info -kernels-used=k2 a.cubin -o selected.cubin
"$CUBIN" text --exact selected.cubin > text
expect_contains text "MIN_STACK_SIZE, symbol: k,"
expect_contains text "MIN_STACK_SIZE, symbol: k2,"
