#!/usr/bin/env bash
# nvlink 13.1 aligns dynamic shared memory as its first declaration says, and in a group of kernels
# that have to agree on its start as the function that is read first says (Q116). After -r the offset
# of an instance counts as an alignment (Q115). By default all declarations count.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded alignment_of_dynamic_memory
links_soundly alignment_of_dynamic_memory plain '^(code|segments|headers):'
"$CUBIN" dump --hex .text.f own.cubin > code
expect_contains code ' 04 01 00 ' # f has its memory at 0x100, not at the end of `both`

# Relocatable links lose no alignment, neither nvlink's, which leave offsets, nor our own.
code_of() { "$CUBIN" dump --hex .text.static "$1" | sed 1,3d; }
code_of static.out.cubin > expected # dynamic memory is at 0x100
"$CULINK" -arch=sm_80 --check -r static.cubin -o own-r.cubin
"$CULINK" -arch=sm_80 --check -r static-r.out.cubin -o again-r.cubin
for file in static static-r.out own-r again-r; do
  "$CULINK" -arch=sm_80 --check $file.cubin -o out.cubin
  code_of out.cubin > code
  expect_same code expected
done
