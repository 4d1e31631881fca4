#!/usr/bin/env bash
# Of pointers in constants, nvlink forgets those to functions and variables of which the file has a
# copy that is not used (Q045); culink on its own does not.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded pointers_in_constants_to_copies
"$CULINK" -arch=sm_80 first.cubin only.cubin -o out.cubin
"$CUBIN" dump --relocs out.cubin > dump
expect_contains dump "target .nv.constant3, count 3"
