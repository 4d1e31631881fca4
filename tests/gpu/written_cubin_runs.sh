#!/usr/bin/env bash
# The cubin that examples/write_cubin builds from raw machine code is accepted by `cubin verify`,
# and where there is an sm_90 GPU, loads and computes 42 + thread number.
. "${BASH_SOURCE%/*}/../common.inc.sh"

BIN=$(dirname "$CUBIN")
"$BIN/write_cubin" answer.cubin
"$CUBIN" verify answer.cubin

status=0
"$BIN/run_cubin" answer.cubin answer >output || status=$?
if [ "$status" -eq 77 ]; then skip "$(cat output)"; fi
[ "$status" -eq 0 ] || fail "run_cubin exited with $status"
expect_contains output "$(seq -s ' ' 42 73) "
