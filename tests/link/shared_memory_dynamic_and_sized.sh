#!/usr/bin/env bash
# A name that is dynamic shared memory in one file and of a fixed size in a later one is never placed,
# but counts twice among the variables that are sorted (Q012, Q041).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shared_memory_dynamic_and_sized

# Without --emulate such a program is refused, with both files.
cp "$SOURCE"/tests/golden/shared_memory_dynamic_and_sized/*.cubin .
read -r _ options < "$SOURCE/tests/golden/shared_memory_dynamic_and_sized/links"
# shellcheck disable=SC2086  # several options
not "$CULINK" $options -o own.cubin 2> errors
expect_contains errors "extern __shared__ without a size" "declared in" "defined in"
[ ! -e own.cubin ] || fail "an output in spite of the error"
