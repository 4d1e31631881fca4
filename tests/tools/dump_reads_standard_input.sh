#!/usr/bin/env bash
# "-" is standard input, whether a file or a pipe.
. "${BASH_SOURCE%/*}/../common.inc.sh"

file=$SOURCE/examples/vector_math/sm_90/main.cubin
"$CUBIN" dump --sections "$file" | tail -n +2 >expected.txt
expect_same expected.txt <("$CUBIN" dump --sections - <"$file" | tail -n +2)
# shellcheck disable=SC2002 # a pipe is the point
expect_same expected.txt <(cat "$file" | "$CUBIN" dump --sections - | tail -n +2)
