#!/usr/bin/env bash
# From 65,280 sections on, symbols need .symtab_shndx, in which the entries of all others are 0. nvlink
# fills those, too, with the number of the section in order of creation, and takes section 0xfff2 for
# the mark of common symbols; culink only when it imitates it (Q059). Where nvlink is installed, its file
# is the same.
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
# Entries, and the sections that symbols have in .symtab, 0xffff for those of .symtab_shndx.
symbols_and_indices() {
  python3 - "$1" << 'EOF'
import struct, sys
data = open(sys.argv[1], "rb").read()
table, = struct.unpack_from("<Q", data, 40)
count, = struct.unpack_from("<Q", data, table + 32)
headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
symtab = next(h for h in headers if h[1] == 2)
shndx = next(h for h in headers if h[1] == 18)
needed = filled = 0
for i in range(symtab[5] // 24):
    section, = struct.unpack_from("<H", data, symtab[4] + 24 * i + 6)
    index, = struct.unpack_from("<I", data, shndx[4] + 4 * i)
    needed += section == 0xffff and 0xff00 <= index < count
    filled += section != 0xffff and index != 0
print("needed", needed > 0, "filled", filled > 0)
EOF
}
symbols_and_indices out.cubin > indices
expect_contains indices "needed True filled False"
"$CULINK" --emulate=nvlink-13.0.88 -arch=sm_80 a.cubin -o out.cubin
"$CUBIN" dump --symbols out.cubin > dump
[ "$(grep -c COMMON dump)" -eq 2 ] || fail "section 0xfff2 has $(grep -c COMMON dump) common symbols"
symbols_and_indices out.cubin > indices
expect_contains indices "needed True filled True"
if command -v nvlink > /dev/null; then
  mv out.cubin culink.cubin
  nvlink -arch=sm_80 a.cubin -o out.cubin
  expect_same culink.cubin out.cubin
fi
