#!/usr/bin/env bash
# Objects of toolkit 11.8, alone and with later ones: a call graph of three parts, sections of code
# without SHF_INFO_LINK, of which nvlink leaves only parameter banks without it (Q064).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded objects_of_toolkit_11
"$CULINK" --check -arch=sm_75 main.cubin half.cubin third.cubin -o own.cubin
"$CUBIN" verify own.cubin main.cubin half.cubin
"$CUBIN" dump --sections own.cubin | awk '{print $NF, $8}' > flags
expect_contains flags '.nv.constant0.kernel 0x42'
for file in main.cubin half.cubin; do
  "$CUBIN" text --exact $file | "$CUBIN" assemble - -o copy.cubin
  expect_same $file copy.cubin
done
