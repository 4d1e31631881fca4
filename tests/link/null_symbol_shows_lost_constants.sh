#!/usr/bin/env bash
# Compiler constants of a copy that lost are appended behind the winner's; the null symbol says where
# those of the block that was placed last are (Q015, Q019, Q040).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded null_symbol_shows_lost_constants

# Where nvlink -r gives up, culink by itself leaves nothing of the replaced copy behind.
"$CULINK" -arch=sm_80 -r g1.cubin f0.cubin -o own.cubin
"$CUBIN" verify own.cubin > /dev/null
"$CULINK" -arch=sm_80 own.cubin -o again.cubin
"$CUBIN" dump --symbols own.cubin > symbols
expect_lacks symbols "const_opt"
