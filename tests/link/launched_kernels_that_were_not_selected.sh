#!/usr/bin/env bash
# A kernel that -kernels-used did not name but whose address is taken stays. It counts as a kernel; to
# nvlink it does not if exactly one was selected, which loses what it calls (Q052).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded launched_kernels_that_were_not_selected

kernel="functions: |sections: |symbols: |headers: |info: |callgraph: |relocs: |code: |debug: |strings: |segments: "
for label in one known-early known-late; do
  links_soundly launched_kernels_that_were_not_selected $label "$kernel"
  expect_contains differences "function only in the first file: 'helper'" \
    "EIATTR_MIN_STACK_SIZE 'launched'" "EIATTR_NUM_BARRIERS" "R_CUDA_64 against 'helper'"
  expect_lacks differences "only in the second file"
done
