#!/usr/bin/env bash
# An alias that overrides a definition of an earlier file takes the section of that one, whose name is not
# that of the code. Tables of its relocations are named after it then, and each name is stored once.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3

cat > weak.yaml <<'EOT'
arch: sm_90
globals:
- {name: v, size: 4}
functions:
- name: alias
  bind: WEAK
  code: nop x8
  relocs:
  - {at: 0x0, type: ABS32_LO_32, to: v}
  - {at: 0x10, type: ABS32_HI_32, to: v}
- {name: k, kernel: true, code: nop, calls: [alias], relocs: [{at: 0x0, type: ABS47_34, to: alias}]}
EOT
cat > strong.yaml <<'EOT'
arch: sm_90
functions:
- name: code
  code: nop x8
  relocs:
  - {at: 0x0, type: ABS32_LO_32, to: v}
  - {at: 0x10, type: ABS32_HI_32, to: v}
- {name: k2, kernel: true, code: nop, calls: [code, alias], relocs: [{at: 0x0, type: ABS47_34, to: code}]}
undefined: [alias, v]
EOT
for file in weak strong; do
  "$CUBIN" assemble $file.yaml -o $file.cubin
done

# A symbol without code becomes one of the code.
python3 - <<'EOT'
import struct
data = bytearray(open("strong.cubin", "rb").read())
shoff, = struct.unpack_from("<Q", data, 40)
count, = struct.unpack_from("<H", data, 60)
headers = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * i) for i in range(count)]
symtab = next(h for h in headers if h[1] == 2)
strings = headers[symtab[6]][4]
def name(offset):
    return bytes(data[strings + offset:data.index(0, strings + offset)])
symbols = {name(struct.unpack_from("<I", data, at)[0]): at
           for at in range(symtab[4], symtab[4] + symtab[5], 24) if data[at + 4] & 15 == 2}
data[symbols[b"alias"] + 6:symbols[b"alias"] + 8] = data[symbols[b"code"] + 6:symbols[b"code"] + 8]
open("strong.cubin", "wb").write(data)
EOT

"$CULINK" -arch=sm_90 -r weak.cubin strong.cubin -o both.cubin > log 2>&1 || fail "$(cat log)"
"$CUBIN" verify both.cubin > log || fail "$(cat log)"
python3 - <<'EOT' || fail "a name is stored more than once"
import struct
data = open("both.cubin", "rb").read()
shoff, = struct.unpack_from("<Q", data, 40)
names, = struct.unpack_from("<H", data, 62)
offset, size = struct.unpack_from("<QQ", data, shoff + 64 * names + 24)
stored = data[offset:offset + size].split(b"\0")
assert stored.count(b".text.alias") == 1 and stored.count(b".rel.text.alias") == 1, stored
EOT
