#!/usr/bin/env bash
# nvlink drops pointers in constants to functions and variables of which the same file has a weak definition
# that was discarded (Q045); culink on its own keeps them.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded pointers_in_constants_to_weak_definitions
"$CULINK" -arch=sm_80 first.cubin only.cubin -o out.cubin
"$CUBIN" dump --relocs out.cubin > dump
expect_contains dump "target .nv.constant3, count 3"
