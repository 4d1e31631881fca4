#!/usr/bin/env bash
# "-" is standard input, whether a file or a pipe.
. "${BASH_SOURCE%/*}/../common.inc.sh"

file=$SOURCE/examples/vector_math/sm_90/main.cubin
"$CUBIN" dump --sections "$file" | tail -n +2 >expected.txt
"$CUBIN" dump --sections - <"$file" | tail -n +2 >redirected.txt
# shellcheck disable=SC2002 # a pipe is the point
cat "$file" | "$CUBIN" dump --sections - | tail -n +2 >piped.txt
expect_same expected.txt redirected.txt
expect_same expected.txt piped.txt
