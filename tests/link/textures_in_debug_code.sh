#!/usr/bin/env bash
# Code for sm_100 that was compiled with debug information names textures by another relocation than
# optimized code does (R_MERCURY_ABS16). Its kernels get slots all the same, and no relocation of the
# code is left. Only the slots are compared with nvlink's: it makes debug code anew.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/textures_in_debug_code/*.cubin .
"$CULINK" -arch=sm_100 --code=mercury a.cubin b.cubin -o out.cubin
"$CUBIN" verify out.cubin > /dev/null
"$CUBIN" dump --relocs out.cubin > relocs
for kernel in reads_both reads_second; do
  expect_contains relocs ".nv.merc.rela.nv.constant.entry_image_header_indices.$kernel"
  expect_contains relocs ".rela.nv.constant0.$kernel"
  expect_lacks relocs ".nv.merc.rela.text.$kernel"
done

slots() { "$CUBIN" dump --relocs "$1" | grep TEX_HEADER_INDEX; }
slots "$SOURCE/tests/golden/textures_in_debug_code/both.expected" > theirs
slots out.cubin > ours
expect_same theirs ours
