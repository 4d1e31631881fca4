#!/usr/bin/env bash
# Position-independent code loads the addresses of functions that it calls. Only the call graph of an
# object says whether an address is taken.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded calls_of_independent_code
"$CULINK" -arch=sm_100 --code=mercury --check first.cubin second.cubin -o own.cubin
"$CUBIN" diff --ignore=tkinfo own.cubin sm_100.out.cubin
