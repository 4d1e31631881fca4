#!/usr/bin/env bash
# nvlink writes .symtab_shndx as soon as it has created 65,280 sections, those included of which only the
# name is left; culink only when it imitates it (Q059). Where nvlink is installed, its file is the same.
. "${BASH_SOURCE%/*}/../common.inc.sh"
kernels() { # how many, file
  {
    printf 'arch: sm_80\nfunctions:\n'
    for ((i = 0; i < $1; ++i)); do printf -- '- {name: k%d, kernel: true, code: nop}\n' "$i"; done
  } > all.yaml
  "$CUBIN" assemble all.yaml -o "$2"
}
kernels 13053 fewer.cubin
kernels 13054 more.cubin
for name in fewer more; do
  "$CULINK" -arch=sm_80 "$name.cubin" -o out.cubin
  "$CUBIN" dump --sections out.cubin > own.dump
  expect_lacks own.dump symtab_shndx
  "$CULINK" --emulate=nvlink-13.0.88 -arch=sm_80 "$name.cubin" -o "$name.out"
  "$CUBIN" dump --sections "$name.out" > "$name.dump"
  if nvlink --version 2> /dev/null | grep -q V13.0.88; then
    nvlink -arch=sm_80 "$name.cubin" -o out.cubin
    expect_same out.cubin "$name.out"
  fi
done
expect_lacks fewer.dump symtab_shndx
expect_contains more.dump symtab_shndx

# The section that was created as number 0xfff2 is lost like the one that has this number in the file.
kernels 16600 lost.cubin
"$CULINK" -r -arch=sm_80 lost.cubin -o own.cubin
"$CUBIN" dump --symbols own.cubin > own.dump
expect_lacks own.dump COMMON
"$CULINK" -r --emulate=nvlink-13.0.88 -arch=sm_80 lost.cubin -o lost.out
"$CUBIN" dump --symbols lost.out > lost.dump
expect_contains lost.dump COMMON
if nvlink --version 2> /dev/null | grep -q V13.0.88; then
  nvlink -r -arch=sm_80 lost.cubin -o out.cubin
  expect_same out.cubin lost.out
fi

# Sections of dead functions count, too: .nv.constant0.k0, symbol 13,063, is number 39,192 and not 39,189.
kernels 13060 dead.cubin
sed '$a\- {name: f0, code: nop}\n- {name: f1, code: nop}\n- {name: f2, code: nop}' all.yaml > dead.yaml
"$CUBIN" assemble dead.yaml -o dead.cubin
"$CULINK" --emulate=nvlink-13.0.88 -arch=sm_80 dead.cubin -o dead.out
"$CUBIN" dump --hex .symtab_shndx dead.out > dead.dump
grep '^ *0*cc10 ' dead.dump > row.dump
expect_contains row.dump '18 99 00 00'
if nvlink --version 2> /dev/null | grep -q V13.0.88; then
  nvlink -arch=sm_80 dead.cubin -o out.cubin
  expect_same out.cubin dead.out
fi
