#!/usr/bin/env bash
# Code of `ptxas -pic true` reads the addresses of variables and functions from constant bank 4. The
# symbols of these constants are the compiler's own and no part of an executable.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded position_independent_code
"$CULINK" -arch=sm_80 k.cubin f.cubin -o out.cubin
"$CUBIN" verify out.cubin
"$CUBIN" dump --symbols out.cubin > symbols
expect_lacks symbols ADDRESS
links_as_recorded position_independent_mercury --code=mercury
"$CULINK" --code=mercury -arch=sm_100 k.cubin f.cubin -o out.cubin
"$CUBIN" verify out.cubin
