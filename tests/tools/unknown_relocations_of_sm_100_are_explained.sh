#!/usr/bin/env bash
# nvlink says "Internal error: unexpected reloc" and nothing else. culink names the object, the
# section and the place of a relocation that it cannot apply, in machine code and in Mercury code.
. "${BASH_SOURCE%/*}/../common.inc.sh"
folder=$SOURCE/examples/vector_math/sm_100
cp "$folder/filter.cubin" .

# with_type SECTION TYPE: main.cubin, in which the first relocation of the section has that type.
with_type() {
  local offset
  cp "$folder/main.cubin" main.cubin
  offset=$("$CUBIN" dump --sections main.cubin | awk -v name="$1" '$NF == name { print $2 }')
  printf '%b' "\\x$(printf '%02x' $(($2 & 255)))\\x$(printf '%02x' $(($2 >> 8 & 255)))\\x$(printf '%02x' $(($2 >> 16)))" |
    dd of=main.cubin bs=1 seek=$((offset + 8)) conv=notrunc status=none
}

# link KIND: fails with a message that names the object, and leaves no output.
link() {
  not "$CULINK" -arch=sm_100 --code="$1" main.cubin filter.cubin -o out.cubin 2> errors
  [ ! -e out.cubin ] || fail "there is an output"
  expect_contains errors "error: main.cubin: "
  expect_lacks errors "a bug in culink;" "nternal error"
}

for type in 31 47 61 116 255 $((0x7fff)); do # numbers that code cannot have
  with_type .rela.text._Z6smoothPKfPfi "$type"
  for kind in sass mercury; do
    link "$kind"
    expect_contains errors ".text._Z6smoothPKfPfi"
  done
done
for type in 1 57 $((0x10041)) $((0x1ffff)); do
  with_type .nv.merc.rela.text._Z6smoothPKfPfi "$type"
  link mercury
  expect_contains errors ".text._Z6smoothPKfPfi"
done
