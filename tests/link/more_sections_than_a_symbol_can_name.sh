#!/usr/bin/env bash
# From 65,280 sections on, symbols need .symtab_shndx. nvlink fills it for other symbols, too, with
# the number of the section in order of creation, and takes section 0xfff2 for the mark of common
# symbols; culink does the latter only when it imitates it (Q059). Where nvlink is installed, its
# file is the same.
. "${BASH_SOURCE%/*}/../common.inc.sh"
{
  printf 'arch: sm_80\nfunctions:\n'
  for ((i = 0; i < 22100; ++i)); do printf -- '- {name: k%d, kernel: true, code: nop x8}\n' "$i"; done
} > a.yaml
"$CUBIN" assemble a.yaml -o a.cubin
"$CULINK" -arch=sm_80 a.cubin -o out.cubin
"$CUBIN" verify out.cubin
"$CUBIN" dump --symbols out.cubin > dump
expect_lacks dump COMMON
"$CULINK" --emulate=nvlink-13.0.88 -arch=sm_80 a.cubin -o out.cubin
"$CUBIN" dump --symbols out.cubin > dump
[ "$(grep -c COMMON dump)" -eq 2 ] || fail "section 0xfff2 has $(grep -c COMMON dump) common symbols"
if command -v nvlink > /dev/null; then
  mv out.cubin culink.cubin
  nvlink -arch=sm_80 a.cubin -o out.cubin
  expect_same culink.cubin out.cubin
fi
