#!/usr/bin/env bash
# ptxas stores numbers of sections from 0xff00 on in symbols as they are, without .symtab_shndx. Such an
# object is linked like one that follows the ELF specification.
. "${BASH_SOURCE%/*}/../common.inc.sh"
{
  printf 'arch: sm_80\nfunctions:\n'
  for ((i = 0; i < 21780; ++i)); do printf -- '- {name: k%d, kernel: true, code: nop}\n' "$i"; done
} > all.yaml
"$CUBIN" assemble all.yaml -o regular.cubin
python3 - << 'EOF'
import struct
data = bytearray(open("regular.cubin", "rb").read())
table, = struct.unpack_from("<Q", data, 40)
count, = struct.unpack_from("<Q", data, table + 32)
headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
symtab = next(h for h in headers if h[1] == 2)
shndx = next(h for h in headers if h[1] == 18)
changed = 0
for i in range(symtab[5] // 24):
    index, = struct.unpack_from("<I", data, shndx[4] + 4 * i)
    if struct.unpack_from("<H", data, symtab[4] + 24 * i + 6)[0] == 0xffff and index < 0xffff:
        struct.pack_into("<H", data, symtab[4] + 24 * i + 6, index)
        struct.pack_into("<I", data, shndx[4] + 4 * i, 0)
        changed += 1
assert changed > 100, changed
open("plain.cubin", "wb").write(data)
EOF
for name in regular plain; do
  "$CULINK" -arch=sm_80 "$name.cubin" -o "$name.out"
done
"$CUBIN" verify plain.out
expect_same regular.out plain.out
