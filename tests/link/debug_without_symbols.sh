#!/usr/bin/env bash
# -g with -suppress-debug-info keeps all code, as -g does, but shared variables get no symbols, and
# kernels can be selected.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded debug_without_symbols
"$CULINK" -arch=sm_80 -g -suppress-debug-info a.cubin -o out.cubin
"$CUBIN" text --exact out.cubin > text
expect_contains text ".text.unused"
expect_lacks text "name: both"
