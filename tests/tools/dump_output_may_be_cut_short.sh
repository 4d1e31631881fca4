#!/usr/bin/env bash
# A reader that stops early is no error; a full disk is one.
. "${BASH_SOURCE%/*}/../common.inc.sh"

files=()
for _ in $(seq 40); do
  files+=("$SOURCE"/examples/*/*/*.cubin)
done
# A listing, outputs that are made as a whole, and one larger than a pipe holds.
assemble large <<< '{arch: sm_90, functions: [{name: f, code: nop x200000}]}'
for command in "dump --all ${files[*]}" "text --exact large.cubin" "assemble large.yaml -o -" "extract large.cubin -o -" \
  "usage --csv ${files[*]}" "callgraph ${files[*]}"; do
  set +o pipefail
  # shellcheck disable=SC2086  # several words
  "$CUBIN" $command 2>err.txt | head -c 1 >first.txt
  status=${PIPESTATUS[0]}
  set -o pipefail
  [ "$status" -eq 0 ] || fail "$command: status $status when the reader left"
  [ ! -s err.txt ] || fail "$command: not quiet: $(cat err.txt)"
done

[ -c /dev/full ] || skip "no /dev/full"
expect_status 1 "$CUBIN" dump "${files[0]}" >/dev/full 2>err.txt
expect_contains err.txt "cubin: error: <stdout>: cannot write: No space left on device"
for command in "$CUBIN --version" "$CUBIN --help" "$CULINK --version" "$CULINK --help" "$CULINK --explain fold" \
  "$CULINK -arch=sm_90 $SOURCE/examples/vector_math/sm_90/main.cubin $SOURCE/examples/vector_math/sm_90/filter.cubin \
    -o out.cubin --print-map"; do
  # shellcheck disable=SC2086  # several words
  expect_status 1 $command >/dev/full 2>err.txt
  expect_contains err.txt "error: <stdout>: cannot write"
  [ ! -e out.cubin ] || fail "an output despite an error"
done
