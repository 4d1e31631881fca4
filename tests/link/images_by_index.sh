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

# In links of SASS alone nvlink adds the base to the index and leaves the old base in the load, which
# --emulate copies. By default the index is that of the Mercury file, and the base (in units of 4 bytes,
# at byte 5 of the load) where slots begin.
for mode in own emulated; do
  emulate=(--emulate=nvlink-13.0.88)
  [ $mode = emulated ] || emulate=()
  "$CULINK" "${emulate[@]}" --code=sass -arch=sm_100 kernels.cubin function.cubin -o $mode.cubin
  code $mode.cubin > $mode
done
code "$golden/linked.expected" > theirs
for index in 000010 000030; do
  expect_contains own "$(grep "^ *$index" theirs)"
  expect_lacks emulated "$(grep "^ *$index" theirs)"
done
slots=$("$CUBIN" dump --relocs own.cubin | grep -A3 "\.rel\.nv\.constant0" | tail -1 | awk '{print $1}')
expect_contains own "$(printf '000020  82 7b 03 03 00 %02x' $((slots / 4)))"
