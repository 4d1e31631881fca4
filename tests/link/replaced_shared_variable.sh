#!/usr/bin/env bash
# The symbol of a shared variable that replaces a weak one has the reserved area added twice by nvlink (Q041),
# once by culink.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded replaced_shared_variable
"$CULINK" -arch=sm_90 -g weak.cubin strong.cubin -o out.cubin
"$CUBIN" dump --symbols out.cubin > dump
grep -qE ' 0x418 .* v$' dump || fail "v is not at 0x418"
