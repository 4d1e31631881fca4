#!/usr/bin/env bash
# nvlink says "Internal error: unexpected reloc" and nothing else. culink names the object, the
# section and the place of a relocation that it cannot apply, in machine code and in Mercury code.
. "${BASH_SOURCE%/*}/../common.inc.sh"
folder=$SOURCE/examples/vector_math/sm_100
cp "$folder/filter.cubin" .

# with_type SECTION TYPE: main.cubin, in which the first relocation of the section has that type.
with_type() {
  edit_elf "$folder/main.cubin" main.cubin "sections['$1'].write(8, ($2).to_bytes(3, 'little'))"
}

# refused KIND: with a message that names the object and the section, and there is no output.
refused() {
  says 1 "error: main.cubin: " ".text._Z6smoothPKfPfi" -- "$CULINK" -arch=sm_100 --code="$1" main.cubin filter.cubin -o out.cubin
  not test -e out.cubin
  expect_lacks told "a bug in culink;" "nternal error"
}

for type in 31 47 61 116 255 0x7fff; do # numbers that code cannot have
  with_type .rela.text._Z6smoothPKfPfi $type
  refused sass
  refused mercury
done
for type in 1 57 0x10041 0x1ffff; do
  with_type .nv.merc.rela.text._Z6smoothPKfPfi $type
  refused mercury
done
