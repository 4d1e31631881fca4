#!/usr/bin/env bash
# A reader that stops early is no error; a full disk is one.
. "${BASH_SOURCE%/*}/../common.inc.sh"

files=()
for _ in $(seq 40); do
  files+=("$SOURCE"/examples/*/*/*.cubin)
done
set +o pipefail
"$CUBIN" dump --all "${files[@]}" 2>err.txt | head -n 1 >first.txt
status=${PIPESTATUS[0]}
set -o pipefail
[ "$status" -eq 0 ] || fail "status $status when the reader left"
[ ! -s err.txt ] || fail "not quiet: $(cat err.txt)"
expect_contains first.txt ".cubin:"

[ -c /dev/full ] || skip "no /dev/full"
expect_status 1 "$CUBIN" dump "${files[0]}" >/dev/full 2>err.txt
expect_contains err.txt "cubin: error: <stdout>: cannot write: No space left on device"
