#!/usr/bin/env bash
# Code for sm_100 that was compiled with debug information and names textures and samplers apart loads
# their numbers by an index. The place where slots begin has no relocation; it is stored all the same
# (Q112). Only the function that does so is compared with nvlink's: it makes debug code of kernels anew.
. "${BASH_SOURCE%/*}/../common.inc.sh"
golden=$SOURCE/tests/golden/images_by_index
cp "$golden"/*.cubin .
code() { "$CUBIN" dump --hex .text.reads "$1" | tail -n +2; }
while read -r label options; do
  # shellcheck disable=SC2086  # several options
  "$CULINK" --emulate=nvlink-13.0.88 --code=mercury $options -o out.cubin
  code "$golden/$label.expected" > theirs
  code out.cubin > ours
  expect_contains ours .text.reads
  expect_same theirs ours
done < "$golden/links"
