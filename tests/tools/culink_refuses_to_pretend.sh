#!/usr/bin/env bash
# Until it links, culink says so, fails, and leaves no output file behind.
. "${BASH_SOURCE%/*}/../common.inc.sh"

"$CULINK" --version > version
expect_contains version "culink 0."
"$CULINK" --help > help
expect_contains help "does not link yet"

expect_status 1 "$CULINK" -arch=sm_90 a.cubin -o out.cubin 2> errors
expect_contains errors "culink: error:" "does not link yet"
[ ! -e out.cubin ] || fail "wrote out.cubin"
